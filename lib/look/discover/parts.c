/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs and fabric functions as parts of candidates. Disks are in disks.c. */
#include "look/discover/parts.h"

#include <unistd.h>

#include "base/texts.h"
#include "look/iommu.h"
#include "look/sys.h"

void ga_left_out_add(struct ga_host *host, const char *device, const char *address,
		     const char *name, const char *code, const char *evidence, const char *hint)
{
	*ga_list_add(&host->left_out) = (struct ga_left_out){
		.device = ga_xstrdup(device),
		.address = ga_strdup0(address),
		.name = ga_strdup0(name),
		.code = ga_xstrdup(code),
		.evidence = ga_strdup0(evidence),
		.hint = ga_strdup0(hint),
	};
}

static char *hex(int64_t n, int digits)
{
	return n == GA_UNKNOWN ? NULL : ga_xprintf("%0*llx", digits, (unsigned long long)n);
}

static int64_t module_of(const struct ga_nvfm_partitions *list, const char *address)
{
	size_t i, j;

	for (i = 0; i < list->n; i++)
		for (j = 0; j < list->v[i].gpus.n; j++)
			if (ga_streq(list->v[i].gpus.v[j].pci_address, address))
				return list->v[i].gpus.v[j].module_id;
	return GA_UNKNOWN;
}

static void detect(const struct ga_look *look, const struct ga_pci_dev *d, struct ga_accel *ret)
{
	struct ga_accel_clue clue = {
		.vendor = d->vendor,
		.device = d->device,
		.sub_vendor = d->sub_vendor,
		.sub_device = d->sub_device,
		.revision = d->revision,
		.is_virtual = d->pf != NULL,
		.memory_mib = GA_UNKNOWN,
		.compute_units = GA_UNKNOWN,
	};

	ga_accels_detect(look->accels, &clue, ret);
}

static void fill_gpu(const struct ga_look *look, const struct ga_pci_dev *d, struct ga_gpu *gpu)
{
	ga_autoaccel struct ga_accel type = { .match = GA_ACCEL_UNKNOWN };

	ga_schema_init(&ga_gpu_schema, gpu);
	detect(look, d, &type);
	gpu->identity = ga_pci_identity(d);
	gpu->pci_address = ga_xstrdup(d->address);
	gpu->vendor_id = hex(d->vendor, 4);
	gpu->device_id = hex(d->device, 4);
	gpu->subsystem_vendor_id = hex(d->sub_vendor, 4);
	gpu->subsystem_device_id = hex(d->sub_device, 4);
	gpu->revision = hex(d->revision, 2);
	gpu->class = hex(d->class, 6);
	gpu->type = ga_strdup0(type.slug);
	gpu->type_name = GA_TAKE(type.name);
	gpu->numa_node = d->numa_node;
	gpu->iommu_group = d->iommu_group;
	ga_iommu_members(d->iommu_group, d->address, &gpu->iommu_group_members);
	gpu->driver = ga_strdup0(d->driver);
	ga_pci_reset_methods(d->address, &gpu->reset_methods);
	gpu->can_reset = ga_pci_can_reset(d->address);
	gpu->answers = ga_pci_answers(d->address);
	ga_pci_bars(d->address, &gpu->bars);
	gpu->pcie_switch = ga_pci_switch(d);
	gpu->physical_slot = ga_strdup0(d->physical_slot);
	gpu->module_id = module_of(&look->partitions, d->address);
	gpu->boot_display = d->boot_display;
}

/* The reason why a display or accelerator function is no GPU to offer, or NULL; evidence in
 * *why. */
static const char *refuse_gpu(const struct ga_look *look, const struct ga_pci_dev *d,
			      const char **why, const char **hint)
{
	ga_autoaccel struct ga_accel type = { .match = GA_ACCEL_UNKNOWN };

	*hint = NULL;
	if (d->sort == GA_PCI_DISPLAY || (d->vendor == 0x8086 && d->class >> 16 == 3 &&
					  !ga_accels_has(look->accels, d->vendor, d->device))) {
		*why = d->boot_display == 1 ? "boot_vga is 1: it is the console of the host" :
					      "a display function of no accelerator";
		return d->boot_display == 1 ? "boot_display" : "not_accelerator";
	}
	detect(look, d, &type);
	if (type.part && !d->pf) {
		*why = "a part of a GPU, as its subsystem says: fractional shapes are not offered";
		*hint = "run discovery on the host that has the whole GPU";
		return "gpu_virtual_function";
	}
	if (d->pf) {
		*why = "a virtual function of a GPU: fractional shapes are not offered";
		*hint = "echo 0 > sriov_numvfs of the physical function to offer the whole GPU";
		return "gpu_virtual_function";
	}
	return NULL;
}

void ga_look_gpus(const struct ga_look *look, struct ga_host *host, struct ga_gpus *ret)
{
	size_t i;

	for (i = 0; i < look->pci.n; i++) {
		const struct ga_pci_dev *d = &look->pci.v[i];
		ga_autofree char *id = ga_xprintf("%04x:%04x", d->vendor, d->device);
		const char *code, *why, *hint;

		if (d->sort == GA_PCI_NVSWITCH)
			ga_left_out_add(host, "switch", d->address, id, "nvswitch",
					"an NVSwitch belongs to Fabric Manager", NULL);
		if (d->sort != GA_PCI_GPU && d->sort != GA_PCI_DISPLAY)
			continue;
		code = refuse_gpu(look, d, &why, &hint);
		if (code)
			ga_left_out_add(host, "gpu", d->address, id, code, why, hint);
		else
			fill_gpu(look, d, ga_list_add(ret));
	}
}

/* BlueField DPUs: their functions carry the host's management, not the fabric of a slice. */
static bool is_dpu(const struct ga_pci_dev *pf)
{
	static const unsigned int ids[] = { 0xa2d2, 0xa2d6, 0xa2db, 0xa2dc, 0xa2df };
	size_t i;

	for (i = 0; pf->vendor == 0x15b3 && i < GA_ARRAY_SIZE(ids); i++)
		if (pf->device == ids[i])
			return true;
	return false;
}

/*
 * On hosts whose NVSwitches have no PCI function (B200, B300), Fabric Manager reaches them through
 * ConnectX functions that have SMDL=SW_MNG in their VPD. Reading VPD is slow and needs root, so
 * only these hosts do it.
 */
static bool is_switch_management(const struct ga_look *look, const struct ga_pci_dev *pf)
{
	ga_autofree char *vpd = NULL;
	bool nvidia = false;
	size_t i;

	for (i = 0; i < look->pci.n; i++) {
		if (look->pci.v[i].sort == GA_PCI_NVSWITCH)
			return false;
		nvidia = nvidia || (look->pci.v[i].sort == GA_PCI_GPU &&
				    look->pci.v[i].vendor == 0x10de);
	}
	if (!nvidia || pf->vendor != 0x15b3 || geteuid())
		return false;
	vpd = ga_pci_attr(pf->address, "vpd");
	return vpd && strstr(vpd, "SW_MNG");
}

/* The reason why a network function gives no fabric functions, or NULL. */
static const char *refuse_pf(const struct ga_look *look, const struct ga_pci_dev *pf,
			     const char **why)
{
	bool ethernet = pf->class >> 8 == 0x0200;

	if (is_dpu(pf)) {
		*why = "a BlueField DPU: management, not fabric";
		return "dpu_management";
	}
	if (is_switch_management(look, pf)) {
		*why = "its VPD says SW_MNG: the way to the NVSwitches";
		return "nvswitch_management";
	}
	if (ga_net_is_management(&look->net, pf->address, look->uplink)) {
		*why = "it is the uplink or a port of a bridge: the host's own network";
		return "management_nic";
	}
	if (ethernet && !ga_rdma_of(&look->rdma, pf->address)) {
		*why = "Ethernet without an RDMA device";
		return "not_fabric";
	}
	return NULL;
}

static struct ga_fabric *new_fabric(const struct ga_look *look, const struct ga_pci_dev *vf,
				    const struct ga_pci_dev *pf)
{
	const struct ga_rdma_dev *rdma = ga_rdma_of(&look->rdma, pf->address);
	struct ga_fabric *f = ga_xcalloc(1, sizeof(*f));

	ga_schema_init(&ga_fabric_schema, f);
	f->vf_pci_address = ga_xstrdup(vf->address);
	f->pf_pci_address = ga_xstrdup(pf->address);
	f->vf_index = vf->vf_index;
	f->numa_node = vf->numa_node != GA_UNKNOWN ? vf->numa_node : pf->numa_node;
	f->iommu_group = vf->iommu_group;
	f->driver = ga_strdup0(vf->driver);
	if (rdma) {
		f->link_layer = ga_strdup0(rdma->link_layer);
		f->rdma_device = ga_xstrdup(rdma->name);
		f->guid = ga_strdup0(rdma->guid);
	}
	if (!f->link_layer)
		f->link_layer = pf->class >> 8 == 0x0207 ? ga_xstrdup("infiniband") : NULL;
	f->claim_mode = ga_xstrdup("per_slot_vf");
	return f;
}

/* A virtual function is free when it is on vfio-pci or without a driver, and alone in its group. */
static bool take_vf(const struct ga_look *look, struct ga_host *host, const struct ga_pci_dev *vf,
		    const struct ga_pci_dev *pf, struct ga_parts *ret)
{
	ga_autotexts struct ga_texts others = { 0 };
	ga_autofree char *name = vf->vf_index == GA_UNKNOWN ?
					  ga_xstrdup("VF") :
					  ga_xprintf("VF %lld", (long long)vf->vf_index);
	ga_autofree char *evidence = NULL;
	struct ga_part *part;
	size_t i;

	if (vf->driver && !ga_streq(vf->driver, "vfio-pci")) {
		evidence = ga_xprintf("of %s, bound to %s", pf->address, vf->driver);
		ga_left_out_add(host, "fabric", vf->address, name, "in_use", evidence,
				"if the host does not need it, bind it to vfio-pci: driverctl "
				"set-override ADDRESS vfio-pci");
		return false;
	}
	ga_iommu_members(vf->iommu_group, vf->address, &others);
	if (others.n) {
		ga_autostr struct ga_str list = GA_STR_INIT;

		for (i = 0; i < others.n && i < 16; i++)
			ga_str_addf(&list, "%s%s", i ? " " : "", others.v[i]);
		evidence = ga_xprintf("IOMMU group %lld also has %s", (long long)vf->iommu_group,
				      list.buf);
		ga_left_out_add(host, "fabric", vf->address, name, "iommu_group_shared", evidence,
				"enable ACS in the firmware, or use another port");
		return false;
	}
	part = ga_list_add(ret);
	part->numa_node = vf->numa_node != GA_UNKNOWN ? vf->numa_node : pf->numa_node;
	part->pcie_switch = ga_pci_switch(pf);
	part->fabric = new_fabric(look, vf, pf);
	return true;
}

static void look_at_pf(const struct ga_look *look, struct ga_host *host,
		       const struct ga_pci_dev *pf, struct ga_parts *ret)
{
	const struct ga_rdma_dev *rdma = ga_rdma_of(&look->rdma, pf->address);
	const char *name = rdma ? rdma->name : NULL;
	const char *why = NULL, *code = refuse_pf(look, pf, &why);
	ga_autofree char *evidence = NULL;
	int vfs = 0, taken = 0;
	size_t i;

	for (i = 0; i < look->pci.n; i++) {
		const struct ga_pci_dev *vf = &look->pci.v[i];

		if (!ga_streq(vf->pf, pf->address))
			continue;
		vfs++;
		if (!code)
			taken += take_vf(look, host, vf, pf, ret);
	}
	/* An Ethernet port that has no virtual functions anyway is not worth a report. */
	if (code && (vfs || pf->total_vfs || !ga_streq(code, "not_fabric"))) {
		evidence = ga_xprintf("%s (%d virtual functions)", why, vfs);
		ga_left_out_add(host, "fabric", pf->address, name, code, evidence, NULL);
	} else if (!code && !taken) {
		evidence = ga_xprintf("%d of %lld virtual functions are there, none is free", vfs,
				      (long long)pf->total_vfs);
		ga_left_out_add(host, "fabric", pf->address, name, "no_free_vf", evidence,
				vfs ? "bind one of them to vfio-pci: driverctl set-override "
				      "ADDRESS vfio-pci" :
				      "echo N > /sys/bus/pci/devices/ADDRESS/sriov_numvfs");
	}
}

void ga_look_fabric(const struct ga_look *look, struct ga_host *host, struct ga_parts *ret)
{
	size_t i;

	for (i = 0; i < look->pci.n; i++) {
		const struct ga_pci_dev *d = &look->pci.v[i];

		if (d->sort == GA_PCI_NIC && !d->pf)
			look_at_pf(look, host, d, ret);
	}
}

void ga_left_over_gpus(struct ga_host *host, const struct ga_gpus *gpus, size_t taken)
{
	size_t i;

	for (i = taken; i < gpus->n; i++)
		ga_left_out_add(host, "gpu", gpus->v[i].pci_address, gpus->v[i].type_name,
				"too_many_slots", "a node has at most 256 slots", NULL);
}

void ga_left_over_parts(struct ga_host *host, const struct ga_parts *parts)
{
	size_t i;

	for (i = 0; i < parts->n; i++) {
		const struct ga_part *p = &parts->v[i];

		if (p->taken)
			continue;
		if (p->nvme) {
			ga_autofree char *why = ga_xprintf("free, and every GPU has a disk (%s)",
							    p->nvme->wwid);

			ga_left_out_add(host, "nvme", p->nvme->pci_address, p->nvme->path,
					"no_gpu_left", why, NULL);
		} else {
			ga_left_out_add(host, "fabric", p->fabric->vf_pci_address,
					p->fabric->rdma_device, "no_gpu_left",
					"free, and every GPU has a virtual function", NULL);
		}
	}
}

void ga_gpus_release(struct ga_gpus *gpus)
{
	size_t i;

	for (i = 0; i < gpus->n; i++)
		ga_schema_release(&ga_gpu_schema, &gpus->v[i]);
	ga_list_release(gpus);
}

void ga_parts_release(struct ga_parts *parts)
{
	size_t i;

	for (i = 0; i < parts->n; i++) {
		struct ga_part *p = &parts->v[i];

		if (p->nvme)
			ga_schema_release(&ga_nvme_schema, p->nvme);
		if (p->fabric)
			ga_schema_release(&ga_fabric_schema, p->fabric);
		free(p->nvme);
		free(p->fabric);
		free(p->pcie_switch);
	}
	ga_list_release(parts);
}
