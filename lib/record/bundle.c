/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of bundle.h. */
#include "record/bundle.h"

#include "record/words.h"

#define S ga_wipe_policy
const struct ga_schema ga_wipe_policy_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, minimum_class, GA_REQ, ga_class_words,
			"lowest NIST SP 800-88 class that a wipe must reach"),
		GA_ENUM(S, verify, GA_REQ, ga_verify_words,
			"whether the disk is read back in full or sampled"),
		GA_ENUM(S, gpu_memory, GA_REQ, ga_gpu_memory_words,
			"whether the wipe of GPU memory must be proved"),
		GA_FIELDS_END },
};
#undef S

#define S ga_bundle
const struct ga_schema ga_bundle_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, slot, GA_REQ, GA_T_ID, "slot id"),
		GA_TEXT(S, claim, GA_NULLOK, GA_T_ID, "live claim on the slot; null: none"),
		GA_NUMBER(S, slot_index, GA_REQ, "index of the slot on the node"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the slot when the order was made"),
		GA_NUMBER(S, numa_node, GA_NULLOK, "NUMA node"),
		GA_TEXT(S, gpu_identity, GA_NULLOK, GA_T_WORD,
			"identity of the GPU that survives reboots"),
		GA_TEXT(S, gpu_pci_address, GA_NULLOK, GA_T_PCI,
			"PCI address of the GPU: a cache, not an identity"),
		GA_TEXT(S, gpu_device, GA_NULLOK, GA_T_WORD, "PCI vendor:device of the GPU"),
		GA_NUMBER(S, module_id, GA_NULLOK, "GPU module id (Fabric Manager physicalId)"),
		GA_TEXT(S, nvme_wwid, GA_NULLOK, GA_T_WORD, "WWID of the disk"),
		GA_TEXT(S, nvme_serial, GA_NULLOK, GA_T_ANY, "serial number of the disk"),
		GA_TEXT(S, nvme_path, GA_NULLOK, GA_T_ANY,
			"device node of the disk: a cache, not an identity"),
		GA_BYTES(S, nvme_size_bytes, GA_NULLOK, "size of the disk"),
		GA_TEXT(S, fabric_vf_pci_address, GA_NULLOK, GA_T_PCI,
			"PCI address of the fabric virtual function"),
		GA_TEXT(S, fabric_pf_pci_address, GA_NULLOK, GA_T_PCI,
			"PCI address of its physical function"),
		GA_TEXT(S, cpuset, GA_NULLOK, GA_T_CPUS, "CPUs of the slot"),
		GA_MIB(S, memory_mib, GA_NULLOK, "memory of the slot in MiB"),
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "management MAC"),
		GA_TEXT(S, private_ip, GA_NULLOK, GA_T_IP, "address on the private network"),
		GA_TEXT(S, bridge, GA_NULLOK, GA_T_WORD, "Open vSwitch bridge"),
		GA_TEXT(S, port, GA_NULLOK, GA_T_WORD, "port of the bridge"),
		GA_TEXT(S, wipe_attempt, GA_NULLOK, GA_T_ID, "attempt id of the next wipe"),
		GA_FIELDS_END },
};
#undef S

static bool is_same(const char *a, const char *b)
{
	return a && ga_streq(a, b);
}

const struct ga_bundle *ga_bundle_twice(const struct ga_bundle *v, size_t n,
					const char *allocation)
{
	for (const struct ga_bundle *a = v; a < v + n; a++) {
		if (ga_streq(a->slot, allocation))
			return a;
		for (const struct ga_bundle *b = v; b < a; b++)
			if (ga_streq(a->slot, b->slot) || is_same(a->nvme_wwid, b->nvme_wwid) ||
			    is_same(a->gpu_identity, b->gpu_identity) ||
			    is_same(a->gpu_pci_address, b->gpu_pci_address) ||
			    is_same(a->fabric_vf_pci_address, b->fabric_vf_pci_address))
				return a;
	}
	return NULL;
}
