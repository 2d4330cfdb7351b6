/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings that firmware and adapters show, and the vendor's command for a missing one. The
 * command is never run here: a wrong setting in firmware takes a machine off the network.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/texts.h"
#include "look/host/host.h"
#include "look/iommu.h"
#include "look/setup/look.h"
#include "look/sys.h"

#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

enum vendor { DELL, HPE, LENOVO, SUPERMICRO, OTHER };
enum setting { IOMMU, SRIOV, ACS, BAR };

/* The names of the settings in each vendor's setup. */
static const char *const settings[][5] = {
	[IOMMU] = {
		"racadm set BIOS.ProcSettings.ProcVirtualization Enabled",
		"ilorest set ProcVirtualization=Enabled Intel(R)VT-d=Enabled --select Bios.",
		"UEFI Setup > System Settings > Processors > VT-d (AMD: IOMMU) = Enabled",
		"BIOS > Advanced > NB Configuration or IIO > VT-d (AMD: IOMMU) = Enable",
		"enable VT-d (Intel) or AMD-Vi/IOMMU (AMD) in the firmware's setup",
	},
	[SRIOV] = {
		"racadm set BIOS.IntegratedDevices.SriovGlobalEnable Enabled",
		"ilorest set Sriov=Enabled --select Bios.",
		"UEFI Setup > System Settings > Devices and I/O Ports > SRIOV = Enabled",
		"BIOS > Advanced > PCIe/PCI/PnP > SR-IOV Support = Enabled",
		"enable SR-IOV in the firmware's setup",
	},
	[ACS] = {
		"BIOS > System Profile and Integrated Devices: leave PCIe ACS and ARI enabled",
		"ilorest set AccessControlService=Enabled --select Bios.",
		"UEFI Setup > System Settings > Devices and I/O Ports > ACS = Enabled",
		"BIOS > Advanced > ACS Enable = Enable, PCI AER Support = Enable",
		"enable ACS (Access Control Services) in the firmware's setup",
	},
	[BAR] = {
		"racadm set BIOS.IntegratedDevices.MmioAbove4Gb Enabled",
		"ilorest set PciPeerToPeerSerialization=Disabled PcieResizeableBars=Enabled "
		"--select Bios.",
		"UEFI Setup > Devices and I/O Ports > MM Config Base and PCI 64-Bit Resource "
		"Allocation = Enabled",
		"BIOS > Advanced > PCIe/PCI/PnP > Above 4G Decoding and Re-Size BAR = Enabled",
		"enable 'Above 4G Decoding' and 'Resizable BAR' in the firmware's setup",
	},
};

static enum vendor vendor(void)
{
	ga_autofree char *name = ga_sys_attr("/sys/class/dmi/id", "sys_vendor");

	return !name			  ? OTHER :
	       strstr(name, "Dell")	  ? DELL :
	       strstr(name, "HPE") || strstr(name, "Hewlett") ? HPE :
	       strstr(name, "Lenovo")	  ? LENOVO :
	       strstr(name, "Supermicro") ? SUPERMICRO : OTHER;
}

/* state: 1 ok, 0 missing, -1 unknown. The hint is added unless the state is ok. */
static void add(struct ga_prereqs *list, const char *name, int state, const char *evidence,
		const char *hint)
{
	struct ga_prereq *p = ga_list_add(list);

	p->name = ga_xstrdup(name);
	p->state = ga_xstrdup(state > 0 ? "ok" : state ? "unknown" : "missing");
	p->evidence = ga_sys_tidy(ga_xstrdup(evidence));
	p->hint = state > 0 ? NULL : ga_strdup0(hint);
}

static void look_iommu(struct ga_prereqs *list)
{
	bool dmar = ga_sys_exists("/sys/firmware/acpi/tables/DMAR");
	bool ivrs = ga_sys_exists("/sys/firmware/acpi/tables/IVRS");
	const char *kind = ga_iommu_kind();
	int groups = ga_iommu_groups();
	ga_autofree char *evidence = ga_xprintf(
		"%s of firmware, %s units in the kernel, %d group%s",
		dmar ? "the table DMAR" : ivrs ? "the table IVRS" : "no table DMAR or IVRS",
		kind ? kind : "no", groups, groups == 1 ? "" : "s");

	add(list, "iommu", groups || kind || dmar || ivrs, evidence, settings[IOMMU][vendor()]);
}

static void look_sriov(struct ga_prereqs *list, const struct ga_pci *pci)
{
	ga_autofree char *hint = NULL, *evidence = NULL;
	size_t i, able = 0, not_able = 0;
	const char *first = NULL;

	for (i = 0; i < pci->n; i++) {
		const struct ga_pci_dev *d = &pci->v[i];

		if (d->sort != GA_PCI_NIC || d->pf)
			continue;
		able += d->total_vfs > 0;
		/* Ethernet ports of the mainboard rarely have SR-IOV, and need none. */
		if (d->total_vfs > 0 || (d->vendor != 0x15b3 && d->class >> 8 != 0x0207))
			continue;
		not_able++;
		first = first ? first : d->address;
	}
	evidence = ga_xprintf("%zu network functions offer SR-IOV, %zu that could do not%s%s", able,
			      not_able, first ? ", the first " : "", first ? first : "");
	hint = ga_xprintf("%s; mlxconfig -d %s set SRIOV_EN=1 NUM_OF_VFS=8, then a cold start",
			  settings[SRIOV][vendor()], first ? first : "ADDRESS");
	add(list, "sriov", able && !not_able ? 1 : able || not_able ? !not_able : -1, evidence,
	    hint);
}

/* ACS is effective where functions that are no bridges are alone in their group. */
static void look_acs(struct ga_prereqs *list, const struct ga_pci *pci)
{
	ga_autofree char *evidence = NULL;
	size_t i, alone = 0, shared = 0;
	const char *first = NULL;

	for (i = 0; i < pci->n; i++) {
		const struct ga_pci_dev *d = &pci->v[i];
		ga_autotexts struct ga_texts others = { 0 };

		if (d->sort != GA_PCI_GPU || d->iommu_group == GA_UNKNOWN)
			continue;
		ga_iommu_members(d->iommu_group, d->address, &others);
		alone += !others.n;
		shared += others.n > 0;
		first = others.n && !first ? d->address : first;
	}
	evidence = ga_xprintf("%zu GPUs alone in their IOMMU group, %zu not%s%s", alone, shared,
			      first ? ", the first " : "", first ? first : "");
	add(list, "acs", shared ? 0 : alone ? 1 : -1, evidence, settings[ACS][vendor()]);
}

static void look_bar(struct ga_prereqs *list, const struct ga_pci *pci)
{
	ga_autofree char *evidence = NULL;
	int64_t least = INT64_MAX;
	size_t i, j, gpus = 0;

	for (i = 0; i < pci->n; i++) {
		struct ga_bars bars = { 0 };
		int64_t largest = 0;

		if (pci->v[i].sort != GA_PCI_GPU)
			continue;
		ga_pci_bars(pci->v[i].address, &bars);
		for (j = 0; j < bars.n; j++)
			largest = bars.v[j].size_bytes > largest ? bars.v[j].size_bytes : largest;
		ga_list_release(&bars);
		least = largest < least ? largest : least;
		gpus++;
	}
	if (!gpus) {
		add(list, "resizable_bar", -1, "no GPU", NULL);
		return;
	}
	/* 256 MiB is the window of a card before firmware enlarges it. */
	evidence = ga_xprintf("the largest BAR of each of %zu GPUs has at least %" PRId64 " MiB",
			      gpus, least >> 20);
	add(list, "resizable_bar", least > INT64_C(256) << 20, evidence, settings[BAR][vendor()]);
}

/* The link layer shows the setting of an adapter; only the vendor's tool shows the mode of a
 * DPU. */
static void look_nic(struct ga_prereqs *list, const struct ga_pci *pci,
		     const struct ga_rdma *rdma)
{
	ga_autofree char *evidence = NULL, *hint = NULL;
	size_t i, infiniband = 0, ethernet = 0;
	const char *first = NULL;

	for (i = 0; i < rdma->n; i++) {
		infiniband += ga_streq(rdma->v[i].link_layer, "infiniband");
		ethernet += ga_streq(rdma->v[i].link_layer, "ethernet");
	}
	for (i = 0; i < pci->n && !first; i++)
		if (pci->v[i].vendor == 0x15b3 && pci->v[i].sort == GA_PCI_NIC && !pci->v[i].pf)
			first = pci->v[i].address;
	evidence = ga_xprintf("%zu RDMA devices on InfiniBand, %zu on Ethernet; the mode of a DPU "
			      "is not shown to the host", infiniband, ethernet);
	hint = ga_xprintf("mlxconfig -d %s query LINK_TYPE_P1 INTERNAL_CPU_MODEL "
			  "INTERNAL_CPU_OFFLOAD_ENGINE; LINK_TYPE_P1: 1 InfiniBand, 2 Ethernet",
			  first ? first : "ADDRESS");
	add(list, "nic_mode", rdma->n && !(infiniband && ethernet) ? 1 : -1, evidence, hint);
}

/* An EFI variable: four bytes of attributes, then its value. */
static void look_secure_boot(struct ga_prereqs *list)
{
	ga_autofd int fd = open(SECURE_BOOT, O_RDONLY | O_CLOEXEC);
	unsigned char v[5];

	if (!ga_sys_exists("/sys/firmware/efi"))
		add(list, "secure_boot", 1, "not started by UEFI: there is none", NULL);
	else if (fd < 0 || read(fd, v, sizeof(v)) != (ssize_t)sizeof(v))
		add(list, "secure_boot", -1, "the variable SecureBoot cannot be read",
		    "mokutil --sb-state");
	else if (v[4])
		add(list, "secure_boot", -1,
		    "on: modules without a signature (out-of-tree RDMA drivers) are refused",
		    "mokutil --sb-state; sign such modules (mokutil --import), or turn it off in "
		    "the firmware's setup");
	else
		add(list, "secure_boot", 1, "off", NULL);
}

int ga_setup_firmware(struct ga_prereqs *prereqs, struct ga_err *err)
{
	ga_autopci struct ga_pci pci = { 0 };
	ga_autordma struct ga_rdma rdma = { 0 };

	if (ga_pci_scan(&pci, err) < 0 || ga_rdma_scan(&rdma, err) < 0)
		return -1;
	look_iommu(prereqs);
	look_sriov(prereqs, &pci);
	look_acs(prereqs, &pci);
	look_bar(prereqs, &pci);
	look_nic(prereqs, &pci, &rdma);
	look_secure_boot(prereqs);
	return 0;
}
