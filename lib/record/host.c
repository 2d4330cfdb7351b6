/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of host.h: the records of a discovery. */
#include "record/host.h"

#include "record/words.h"

static const char *const tri_states[] = { "ok", "missing", "unknown", NULL };
static const char *const fm_states[] = { "ok", "absent", "unknown", NULL };
static const char *const device_words[] = { "gpu", "nvme", "fabric", "switch", NULL };
static const char *const claim_modes[] = { "per_slot_vf", NULL };
static const char *const content_words[] = { "empty", "pattern", "unknown_content", "signatures",
					     "unread", NULL };
static const char *const link_layers[] = { "infiniband", "ethernet", NULL };

#define S ga_reason
const struct ga_schema ga_reason_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "stable machine word"),
		GA_TEXT(S, subject, GA_NULLOK, GA_T_ANY, "device, path or setting concerned"),
		GA_TEXT(S, evidence, GA_NULLOK, GA_T_ANY,
			"place that was read, and the value found there"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "how to fix it, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_hugepages
static const struct ga_schema hugepages_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_KIB(S, size_kib, GA_REQ, "size of a page"),
		GA_COUNT(S, total, GA_REQ, "number of pages configured"),
		GA_COUNT(S, free, GA_REQ, "number of pages free"),
		GA_FIELDS_END },
};
#undef S

#define S ga_numa
static const struct ga_schema numa_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_NUMBER(S, numa_node, GA_REQ, "number of the NUMA node"),
		GA_TEXT(S, cpus, GA_NULLOK, GA_T_CPUS, "CPUs of the NUMA node"),
		GA_MIB(S, memory_mib, GA_NULLOK, "memory of the NUMA node in MiB"),
		GA_LISTOF(S, hugepages, &hugepages_schema, "hugepages of the NUMA node, by size"),
		GA_FIELDS_END },
};
#undef S

#define S ga_prereq
const struct ga_schema ga_prereq_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_CODE, "name of the prerequisite, such as kvm"),
		GA_ENUM(S, state, GA_REQ, tri_states, "whether the host has it"),
		GA_TEXT(S, evidence, GA_NULLOK, GA_T_ANY,
			"place that was read, and the value found there"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "how to fix it, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_left_out
static const struct ga_schema left_out_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, device, GA_REQ, device_words, "kind of device"),
		GA_TEXT(S, address, GA_NULLOK, GA_T_PCI, "PCI address of the device"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_ANY, "model or kernel name of the device"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why the device is in no candidate"),
		GA_TEXT(S, evidence, GA_NULLOK, GA_T_ANY,
			"place that was read, and the value found there"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "how to fix it, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_partition
const struct ga_schema ga_partition_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_NUMBER(S, id, GA_REQ, "Fabric Manager partition id"),
		GA_NUMBERS(S, module_ids, GA_REQ, "GPU module ids (physicalId), ascending"),
		GA_TRI(S, active, "whether the partition is active"),
		GA_FIELDS_END },
};
#undef S

#define S ga_fabric_manager
static const struct ga_schema fabric_manager_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, state, GA_REQ, fm_states, "whether libnvfm answered"),
		GA_TEXT(S, evidence, GA_NULLOK, GA_T_ANY, "answer of libnvfm"),
		GA_LISTOF(S, partitions, &ga_partition_schema, "supported partitions"),
		GA_FIELDS_END },
};
#undef S

#define S ga_network
const struct ga_schema ga_network_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, bridge, GA_NULLOK, GA_T_WORD, "Open vSwitch bridge"),
		GA_TEXT(S, uplink, GA_NULLOK, GA_T_WORD,
			"interface through which the NAT leaves the host"),
		GA_TEXT(S, gateway, GA_NULLOK, GA_T_IP, "address of the bridge"),
		GA_INT_IN(S, prefix_bits, GA_NULLOK, 8, 30, "prefix length of the private network"),
		GA_TEXT(S, dhcp_hosts_dir, GA_NULLOK, GA_T_ANY, "folder of DHCP reservations"),
		GA_TEXT(S, lease_file, GA_NULLOK, GA_T_ANY, "file of DHCP leases"),
		GA_FIELDS_END },
};
#undef S

#define S ga_host
const struct ga_schema ga_host_schema = {
	.kind = "gpuaas.host/1",
	.doc = "a host as gpuaas-discover saw it; starts a discovery stream",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, hostname, GA_NULLOK, GA_T_ANY, "host name"),
		GA_TEXT(S, observed_at, GA_REQ, GA_T_TIME, "when the host was observed"),
		GA_TEXT(S, tool, GA_REQ, GA_T_ANY, "program and version"),
		GA_ENUM(S, mode, GA_OPT, ga_mode_words,
			"baremetal: looked at without the needs of slices; missing: slice"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_WORD, "the kernel's boot id"),
		GA_TEXT(S, kernel, GA_NULLOK, GA_T_ANY, "kernel release"),
		GA_TEXT(S, vendor, GA_NULLOK, GA_T_ANY, "DMI system vendor"),
		GA_TEXT(S, product, GA_NULLOK, GA_T_ANY, "DMI product name"),
		GA_TEXT(S, cpus, GA_NULLOK, GA_T_CPUS, "CPUs online"),
		GA_MIB(S, memory_mib, GA_NULLOK, "memory of the host in MiB"),
		GA_LISTOF(S, numa, &numa_schema, "NUMA nodes"),
		GA_LISTOF(S, prerequisites, &ga_prereq_schema,
			  "prerequisites of slices on the host"),
		GA_BOOL(S, reboot_required, "true: a change waits for a reboot"),
		GA_LISTOF(S, blockers, &ga_reason_schema,
			  "reasons why no slot of the host can be used"),
		GA_LISTOF(S, warnings, &ga_reason_schema, "warnings for the operator"),
		GA_LISTOF(S, left_out, &left_out_schema,
			  "devices in no candidate, and the reasons"),
		GA_OBJ(S, fabric_manager, GA_REQ, &fabric_manager_schema,
		       "Fabric Manager and its NVSwitch partitions"),
		GA_OBJ(S, network, GA_REQ, &ga_network_schema,
		       "private network, from the settings of the host"),
		GA_TEXT(S, fingerprint, GA_REQ, GA_T_DIGEST, "digest of the hardware identities"),
		GA_TEXT(S, node_key, GA_NULLOK, GA_T_ANY,
			"public key of the host that verifies its results (ed25519, base64); null "
			"without root"),
		GA_FIELDS_END },
};
#undef S

#define S ga_bar
static const struct ga_schema bar_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_NUMBER(S, index, GA_REQ, "number of the BAR"),
		GA_BYTES(S, size_bytes, GA_REQ, "size of the BAR"),
		GA_BOOL(S, prefetchable, "true: prefetchable memory"),
		GA_FIELDS_END },
};
#undef S

#define S ga_gpu
const struct ga_schema ga_gpu_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, identity, GA_REQ, GA_T_WORD, "identity that survives reboots"),
		GA_TEXT(S, pci_address, GA_REQ, GA_T_PCI, "PCI address: a cache, not an identity"),
		GA_TEXT(S, vendor_id, GA_REQ, GA_T_HEX, "PCI vendor id"),
		GA_TEXT(S, device_id, GA_REQ, GA_T_HEX, "PCI device id"),
		GA_TEXT(S, subsystem_vendor_id, GA_NULLOK, GA_T_HEX, "PCI subsystem vendor id"),
		GA_TEXT(S, subsystem_device_id, GA_NULLOK, GA_T_HEX, "PCI subsystem device id"),
		GA_TEXT(S, revision, GA_NULLOK, GA_T_HEX, "PCI revision"),
		GA_TEXT(S, class, GA_REQ, GA_T_HEX, "PCI class, 6 digits"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_NAME, "slug in the accelerator catalogue"),
		GA_TEXT(S, type_name, GA_REQ, GA_T_ANY, "type, for people"),
		GA_NUMBER(S, numa_node, GA_NULLOK, "NUMA node"),
		GA_NUMBER(S, iommu_group, GA_NULLOK, "IOMMU group"),
		GA_TEXTS(S, iommu_group_members, GA_REQ, GA_T_PCI,
			 "other PCI functions in the IOMMU group"),
		GA_TEXT(S, driver, GA_NULLOK, GA_T_WORD, "driver that is bound"),
		GA_TEXTS(S, reset_methods, GA_REQ, GA_T_ANY, "reset methods, best first"),
		GA_TRI(S, can_reset, "whether the kernel can reset the GPU"),
		GA_TRI(S, answers, "whether the GPU answers in PCI configuration space"),
		GA_LISTOF(S, bars, &bar_schema, "memory BARs"),
		GA_TEXT(S, pcie_switch, GA_NULLOK, GA_T_PCI,
			"upstream port of the PCIe switch above the GPU"),
		GA_TEXT(S, physical_slot, GA_NULLOK, GA_T_ANY, "physical slot"),
		GA_NUMBER(S, module_id, GA_NULLOK, "GPU module id (Fabric Manager physicalId)"),
		GA_TRI(S, boot_display, "whether the GPU holds the boot framebuffer"),
		GA_FIELDS_END },
};
#undef S

#define S ga_nvme_caps
const struct ga_schema ga_nvme_caps_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_NUMBER(S, oacs, GA_NULLOK, "optional admin commands (bit 1: Format)"),
		GA_NUMBER(S, oncs, GA_NULLOK, "optional NVM commands (bit 3: Write Zeroes)"),
		GA_NUMBER(S, fna, GA_NULLOK, "format attributes (bit 2: crypto erase)"),
		GA_NUMBER(S, sanicap, GA_NULLOK, "sanitize capabilities"),
		GA_NUMBER(S, dlfeat, GA_NULLOK, "value that deallocated blocks read as"),
		GA_FIELDS_END },
};
#undef S

#define S ga_nvme
const struct ga_schema ga_nvme_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, wwid, GA_NULLOK, GA_T_WORD, "WWID of the namespace: its identity"),
		GA_TEXT(S, serial, GA_NULLOK, GA_T_ANY, "serial number of the controller"),
		GA_TEXT(S, model, GA_NULLOK, GA_T_ANY, "model of the controller"),
		GA_TEXT(S, firmware, GA_NULLOK, GA_T_ANY, "firmware revision of the controller"),
		GA_TEXT(S, path, GA_REQ, GA_T_ANY, "device node: a cache, not an identity"),
		GA_TEXT(S, pci_address, GA_NULLOK, GA_T_PCI, "PCI address of the controller"),
		GA_NUMBER(S, numa_node, GA_NULLOK, "NUMA node"),
		GA_BYTES(S, size_bytes, GA_REQ, "size of the namespace"),
		GA_BYTES(S, logical_block_bytes, GA_NULLOK, "logical block size"),
		GA_NUMBER(S, nsid, GA_NULLOK, "namespace id"),
		GA_COUNT(S, namespaces, GA_NULLOK, "namespaces on the controller"),
		GA_TEXT(S, diskseq, GA_NULLOK, GA_T_WORD, "disk sequence number"),
		GA_TRI(S, is_block, "true: a block device; false: a file (lab)"),
		GA_TEXTS(S, mounts, GA_REQ, GA_T_ANY,
			 "mount points of the disk and its partitions"),
		GA_TEXTS(S, holders, GA_REQ, GA_T_ANY,
			 "other users of the disk: devices built on it, loop devices, swap, "
			 "exports"),
		GA_BOOL_OPT(S, uses_known, "true: every possible user of the disk was checked"),
		GA_TEXTS(S, signatures, GA_REQ, GA_T_ANY, "signatures of content on the disk"),
		GA_BOOL(S, signatures_known, "true: the signatures could be read"),
		GA_ENUM(S, content, GA_OPT, content_words,
			"content of the blocks: empty (zeros), pattern (erased flash), "
			"unknown_content, signatures (not sampled), unread"),
		GA_COUNT(S, content_blocks, GA_OPT,
			 "blocks of 4 KiB that were read to find the content"),
		GA_OBJ(S, capabilities, GA_REQ, &ga_nvme_caps_schema,
		       "capabilities of the drive for a wipe"),
		GA_FIELDS_END },
};
#undef S

#define S ga_fabric
const struct ga_schema ga_fabric_schema = {
	.size = sizeof(struct S),
	.fields =
		(const struct ga_field[]){
			GA_TEXT(S, vf_pci_address, GA_REQ, GA_T_PCI,
				"PCI address of the virtual function"),
			GA_TEXT(S, pf_pci_address, GA_REQ, GA_T_PCI,
				"PCI address of its physical function"),
			GA_NUMBER(S, vf_index, GA_NULLOK, "index below the physical function"),
			GA_NUMBER(S, numa_node, GA_NULLOK, "NUMA node"),
			GA_NUMBER(S, iommu_group, GA_NULLOK, "IOMMU group"),
			GA_TEXT(S, driver, GA_NULLOK, GA_T_WORD, "driver that is bound"),
			GA_ENUM(S, link_layer, GA_NULLOK, link_layers,
				"link layer of the physical function"),
			GA_TEXT(S, rdma_device, GA_NULLOK, GA_T_WORD,
				"RDMA device of the physical function"),
			GA_TEXT(S, guid, GA_NULLOK, GA_T_WORD, "node GUID of the RDMA device"),
			GA_ENUM(S, claim_mode, GA_REQ, claim_modes, "how a slot claims the fabric"),
			GA_FIELDS_END },
};
#undef S

#define S ga_suggestion
static const struct ga_schema suggestion_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "management MAC"),
		GA_TEXT(S, private_ip, GA_NULLOK, GA_T_IP, "address on the private network"),
		GA_TEXT(S, bridge, GA_NULLOK, GA_T_WORD, "Open vSwitch bridge"),
		GA_TEXT(S, port, GA_NULLOK, GA_T_WORD, "name of the bridge port"),
		GA_TEXT(S, cpuset, GA_NULLOK, GA_T_CPUS, "CPUs of the slot"),
		GA_MIB(S, memory_mib, GA_NULLOK, "memory of the slot in MiB"),
		GA_FIELDS_END },
};
#undef S

#define S ga_candidate
const struct ga_schema ga_candidate_schema = {
	.kind = "gpuaas.candidate/1",
	.doc = "a bundle of devices that could become a slot; advisory until approved",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_INT_IN(S, slot_index, GA_REQ, 0, 255, "index of the bundle on the node"),
		GA_TEXT(S, fingerprint, GA_REQ, GA_T_DIGEST,
			"hardware fingerprint of the host record that it belongs to"),
		GA_NUMBER(S, numa_node, GA_NULLOK, "NUMA node of the bundle"),
		GA_OBJ(S, gpu, GA_NULLOK, &ga_gpu_schema, "the GPU"),
		GA_OBJ(S, nvme, GA_NULLOK, &ga_nvme_schema, "the raw NVMe namespace"),
		GA_OBJ(S, fabric, GA_NULLOK, &ga_fabric_schema, "the fabric virtual function"),
		GA_OBJ(S, suggested, GA_REQ, &suggestion_schema, "suggested settings of the slot"),
		GA_LISTOF(S, reasons, &ga_reason_schema, "reasons that block the candidate"),
		GA_TEXT(S, slot, GA_OPT, GA_T_ID,
			"slot that an approval made of the candidate (gpuaas-list candidates); "
			"left out: there is none, or the record is that of a discovery"),
		GA_FIELDS_END },
};
#undef S

#define S ga_end
const struct ga_schema ga_end_schema = {
	.kind = "gpuaas.end/1",
	.doc = "the end of a discovery stream; without it the stream does not count",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_COUNT(S, count, GA_REQ, "number of candidate records before it"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST,
			"digest of the host and candidate lines, each with its newline"),
		GA_TEXT(S, fingerprint, GA_REQ, GA_T_DIGEST, "fingerprint of the host record"),
		GA_FIELDS_END },
};
#undef S

void ga_reasons_add(struct ga_reasons *list, const char *code, const char *subject,
		    const char *evidence, const char *hint)
{
	*ga_list_add(list) = (struct ga_reason){
		.code = ga_xstrdup(code),
		.subject = ga_strdup0(subject),
		.evidence = ga_strdup0(evidence),
		.hint = ga_strdup0(hint),
	};
}

bool ga_reasons_has(const struct ga_reasons *list, const char *code)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (ga_streq(list->v[i].code, code))
			return true;
	return false;
}

void ga_reasons_release(struct ga_reasons *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_schema_release(&ga_reason_schema, &list->v[i]);
	ga_list_release(list);
}
