/* SPDX-License-Identifier: Apache-2.0 */
/* The predicate of all gates: each reason with its evidence and a hint. */
#include "decide/slot/verdict.h"

#include <inttypes.h>
#include <string.h>

#include "base/quote.h"
#include "base/str.h"
#include "base/texts.h"
#include "record/cpuset.h"
#include "record/mac.h"
#include "record/pciaddr.h"

/* Identify Controller, NVMe Base 2.0. OACS bit 1: Format NVM. FNA bits 0 and 1: format and its
 * secure erase reach every namespace; bit 2: it can erase the key. SANICAP bits 0 and 1: sanitize
 * by crypto erase and by block erase. */
#define OACS_FORMAT 0x2
#define FNA_ALL_NAMESPACES 0x3
#define SANICAP_CRYPTO_OR_BLOCK 0x3

/* The end of a hint whose blocker only slices have. */
#define BAREMETAL "or sell the node as baremetal (--mode baremetal), which does not need that"

int ga_class_rank(const char *class)
{
	if (ga_streq(class, "purge"))
		return 2;
	return ga_streq(class, "clear") ? 1 : 0;
}

int64_t ga_wipe_possible(const struct ga_nvme *nvme, const char *minimum_class, bool lab)
{
	const struct ga_nvme_caps *c = &nvme->capabilities;
	bool alone = nvme->namespaces == 1;

	if (ga_class_rank(minimum_class) < 2)
		return 1; /* a zero pass and its read-back need no feature of the drive */
	if (lab)
		return 0; /* a file has no flash translation layer to purge */
	if (c->sanicap != GA_UNKNOWN && (c->sanicap & SANICAP_CRYPTO_OR_BLOCK) && alone)
		return 1;
	if (c->oacs != GA_UNKNOWN && c->fna != GA_UNKNOWN && (c->oacs & OACS_FORMAT) &&
	    (alone || !(c->fna & FNA_ALL_NAMESPACES)))
		return 1;
	if (c->sanicap == GA_UNKNOWN || c->oacs == GA_UNKNOWN || c->fna == GA_UNKNOWN ||
	    nvme->namespaces == GA_UNKNOWN)
		return GA_UNKNOWN;
	return 0;
}

/* Why the text is no PCI address, or NULL. Such a text counts as missing. */
static char *not_pci(const char *address)
{
	struct ga_err why = GA_ERR_INIT;
	struct ga_pciaddr unused;
	char *ret = NULL;

	if (ga_pciaddr_parse(address, &unused, &why) < 0)
		ret = ga_xstrdup(why.msg);
	ga_err_clear(&why);
	return ret;
}

void ga_slot_group_shared(const char *gpu, int64_t group, const struct ga_texts *members,
			  struct ga_reasons *ret)
{
	ga_autofree char *evidence = NULL, *off = NULL;
	ga_autostr struct ga_str list = GA_STR_INIT;
	size_t own = 0;

	for (size_t i = 0; i < members->n; i++) {
		bool same = ga_pciaddr_same_card(gpu, members->v[i]);

		own += same;
		ga_str_addf(&list, "%s%s%s", i ? " " : "", members->v[i],
			    same ? " (of its own card)" : "");
	}
	if (!members->n)
		return;
	evidence = ga_xprintf("IOMMU group %" PRId64 " also has %s", group, list.buf);
	if (own == members->n)
		off = ga_xprintf("a VM gets only the GPU: switch the other function off after each "
				 "start (echo 1 > /sys/bus/pci/devices/%s/remove) and discover "
				 "again; " BAREMETAL, members->v[0]);
	ga_reasons_add(ret, "iommu_group_shared", gpu, evidence,
		       off ? off :
			     "move the other device to another slot, or enable ACS in the firmware "
			     "(pcie_acs_override would only hide it); " BAREMETAL);
}

static void check_gpu(const struct ga_slot_facts *f, enum ga_gate gate, struct ga_reasons *ret)
{
	ga_autofree char *why = f->gpu_pci_address ? not_pci(f->gpu_pci_address) : NULL;

	if (!f->gpu_pci_address || !f->gpu_identity || why) {
		ga_reasons_add(ret, "missing_gpu", NULL,
			       why ? why : "no GPU, or one without identity", NULL);
		return;
	}
	/* Baremetal hands no function to a VM. */
	if (gate == GA_GATE_PLACE || f->baremetal)
		return;
	if (f->iommu_group == GA_UNKNOWN)
		ga_reasons_add(ret, "iommu_group_shared", f->gpu_pci_address,
			       "its IOMMU group is unknown",
			       "switch the IOMMU on in firmware and on the kernel command line; "
			       BAREMETAL);
	else if (f->iommu_group_members)
		ga_slot_group_shared(f->gpu_pci_address, f->iommu_group, f->iommu_group_members,
				     ret);
	if (f->gpu_boot_display)
		ga_reasons_add(ret, "gpu_is_boot_display", f->gpu_pci_address,
			       f->gpu_boot_display == GA_UNKNOWN ?
				       "whether it holds the boot framebuffer is unknown" :
				       "it holds the boot framebuffer",
			       "make the board's own display the primary one in firmware; "
			       BAREMETAL);
}

/* Only approval checks this: if an approved GPU can no longer be reset, its host refuses. */
static void check_reset(const struct ga_slot_facts *f, struct ga_reasons *ret)
{
	if (!f->gpu_pci_address)
		return;
	if (f->gpu_can_reset != 1)
		ga_reasons_add(ret, "gpu_no_reset", f->gpu_pci_address,
			       f->gpu_can_reset == GA_UNKNOWN ?
				       "whether it can be reset between tenants is unknown" :
				       "the kernel has no way to reset it between tenants",
			       f->gpu_can_reset == GA_UNKNOWN ?
				       "discover again with this version of gpuaas" :
				       "a newer kernel or firmware may bring one; else sell the "
				       "node as baremetal (--mode baremetal), with a scrub method "
				       "for its GPUs: gpuaas-wipe(1)");
}

static void check_medium(const struct ga_slot_facts *f, struct ga_reasons *ret)
{
	if (f->lab && f->nvme_is_block == 1)
		ga_reasons_add(ret, "lab_block_device", f->nvme_wwid,
			       "a lab state takes files for disks, and this is a block device",
			       "use a state made without --lab");
	else if (f->nvme_is_block == GA_UNKNOWN)
		ga_reasons_add(ret, "nvme_not_block", f->nvme_wwid,
			       "whether it is a block device is unknown",
			       "run gpuaas-discover as root");
	else if (!f->lab && !f->nvme_is_block)
		ga_reasons_add(ret, "nvme_not_block", f->nvme_wwid, "it is a file",
			       "files are disks in a lab state only (gpuaas-state init --lab)");
}

/* The reason against the disk's content, or NULL. Only approval checks this: a placed slot has a
 * disk that is proven empty, and provision's own guard samples it. */
static char *content_why(const struct ga_slot_facts *f)
{
	const char *content = f->nvme_content ? f->nvme_content : "unread";

	if (!f->nvme_signatures_known)
		return ga_xstrdup("its content could not be read");
	if (f->nvme_signatures)
		return ga_xstrdup("it holds data that is not gpuaas's");
	if (ga_streq(content, "empty") || ga_streq(content, "pattern"))
		return NULL;
	if (!ga_streq(content, "unknown_content"))
		return ga_xstrdup("no known signature, and its blocks could not be read");
	/* It is the data of a tenant of this state, or of an unfinished wipe. */
	return f->nvme_ours ? NULL :
			      ga_xprintf("unknown content: no known signature, and not empty "
					 "(%lld block%s of 4 KiB looked at)",
					 (long long)f->nvme_content_blocks,
					 f->nvme_content_blocks == 1 ? "" : "s");
}

static void check_content(const struct ga_slot_facts *f, struct ga_reasons *ret)
{
	ga_autofree char *why = content_why(f);
	ga_autofree char *allow = NULL, *command = NULL;
	bool read = f->nvme_signatures_known &&
		    (f->nvme_signatures || ga_streq(f->nvme_content, "unknown_content"));

	/* Files of a lab are made for tests: unreadable content of a file is no tenant's data. */
	if (!why || (f->lab && !read) || ga_streq(f->destroy_data, f->nvme_wwid))
		return;
	command = ga_command("gpuaas-discover | gpuaas-approve --slot %" PRId64
			     " --destroy-data %s | gpuaas-wipe", f->slot_index, f->nvme_wwid);
	allow = ga_xprintf("look at it; if its content may be destroyed: %s", command);
	ga_reasons_add(ret, "nvme_signature", f->nvme_wwid, why,
		       read ? allow : "run gpuaas-discover as root");
}

static void check_uses(const struct ga_slot_facts *f, struct ga_reasons *ret)
{
	ga_autofree char *user = f->nvme_user ? ga_xprintf("in use: %s", f->nvme_user) :
						ga_xstrdup("something is built on it or uses it");

	if (f->nvme_mounts)
		ga_reasons_add(ret, "nvme_mounted", f->nvme_wwid,
			       "it, a partition, or what is built on it is mounted",
			       "unmount it, and take it out of /etc/fstab");
	if (f->nvme_holders)
		ga_reasons_add(ret, "nvme_in_use", f->nvme_wwid, user,
			       "take the LVM, md, dm or loop device apart, end the swap or export");
	else if (!f->nvme_reported || (!f->lab && !f->nvme_uses_known))
		ga_reasons_add(ret, "nvme_in_use", f->nvme_wwid, "what uses it is unknown",
			       "run gpuaas-discover as root");
}

static void check_disk(const struct ga_slot_facts *f, enum ga_gate gate, struct ga_reasons *ret)
{
	if (!f->nvme_wwid) {
		ga_reasons_add(ret, "missing_nvme", NULL, "no disk, or one without wwid",
			       "'gpuaas-discover' on the host shows each disk that is left out, "
			       "with its fix");
		return;
	}
	if (gate != GA_GATE_PROVISION && !ga_streq(f->storage_ownership, "tenant_slice"))
		ga_reasons_add(ret, "storage_not_owned", f->nvme_wwid,
			       "its storage_ownership is not tenant_slice", NULL);
	if (gate != GA_GATE_APPROVE)
		return;
	/* Only approval checks the host's view of the disk. */
	check_medium(f, ret);
	check_uses(f, ret);
	if (f->nvme_reported)
		check_content(f, ret);
	if (f->disk_autoactivation)
		ga_reasons_add(ret, "disk_autoactivation", f->nvme_wwid,
			       "the host could activate what a tenant writes on it",
			       "switch auto-activation of LVM, md and multipath off for it");
}

static void check_wipe(const struct ga_slot_facts *f, enum ga_gate gate, struct ga_reasons *ret)
{
	if (!f->wipe || !f->wipe->minimum_class || !f->wipe->verify || !f->wipe->gpu_memory) {
		ga_reasons_add(ret, "no_wipe_policy", NULL, NULL,
			       "name a profile with --profile, or give --wipe-class");
		return;
	}
	if (!f->nvme_wwid || gate != GA_GATE_APPROVE)
		return;
	if (!f->wipe_possible_known)
		ga_reasons_add(ret, "wipe_not_possible", f->nvme_wwid,
			       "what the drive can erase is unknown",
			       "run gpuaas-discover as root");
	else if (!f->wipe_possible)
		ga_reasons_add(ret, "wipe_not_possible", f->nvme_wwid,
			       "the drive cannot do the policy's class without reaching others",
			       "another drive, one namespace a drive, or --wipe-class clear");
}

/* A text that is no address counts as missing. */
static void check_addresses(const struct ga_slot_facts *f, struct ga_reasons *ret)
{
	char mac[GA_MAC_SIZE];
	struct ga_err why = GA_ERR_INIT;
	uint32_t ip;

	if (!f->mac || ga_mac_parse(f->mac, mac, &why) < 0)
		ga_reasons_add(ret, "missing_mac", NULL, f->mac ? why.msg : NULL, NULL);
	ga_err_clear(&why);
	if (!f->private_ip || ga_ip_parse(f->private_ip, &ip, &why) < 0)
		ga_reasons_add(ret, "missing_ip", NULL, f->private_ip ? why.msg : NULL,
			       "set gateway and prefix of the node's private network");
}

static void check_network(const struct ga_slot_facts *f, enum ga_gate gate, struct ga_reasons *ret)
{
	ga_autofree char *why =
		f->fabric_vf_pci_address ? not_pci(f->fabric_vf_pci_address) : NULL;

	check_addresses(f, ret);
	if (!f->fabric_vf_pci_address || why) {
		ga_reasons_add(ret, "missing_fabric_vf", NULL,
			       why ? why : "no free virtual function left",
			       "make more virtual functions (sriov_numvfs), then discover again; "
			       BAREMETAL);
		return;
	}
	/* A plan has no claim mode: it only has functions that belong to one slot. */
	if (gate != GA_GATE_PROVISION && !ga_streq(f->fabric_claim_mode, "per_slot_vf"))
		ga_reasons_add(ret, "fabric_not_per_slot_vf", f->fabric_vf_pci_address,
			       f->fabric_claim_mode, NULL);
	if (f->fabric_vf_shared)
		ga_reasons_add(ret, "fabric_vf_shared", f->fabric_vf_pci_address,
			       "another slot has the same virtual function",
			       "retire or disable that slot, then discover again");
	if (f->pf_vf_conflict)
		ga_reasons_add(ret, "pf_vf_conflict", f->fabric_pf_pci_address,
			       "a physical function and its own virtual function are both offered",
			       "give out either the function or its virtual functions");
}

static void check_room(const struct ga_slot_facts *f, struct ga_reasons *ret)
{
	struct ga_err why = GA_ERR_INIT;
	struct ga_cpuset cpus;

	if (!f->cpuset)
		ga_reasons_add(ret, "missing_cpuset", NULL, "no CPUs suggested or set", NULL);
	else if (ga_cpuset_parse(f->cpuset, &cpus, &why) < 0 || !ga_cpuset_count(&cpus))
		ga_reasons_add(ret, "missing_cpuset", NULL, why.code ? why.msg : "it has no CPU",
			       NULL);
	if (f->cpuset_taken)
		ga_reasons_add(ret, "cpuset_taken", f->cpuset, "another slot has one of the CPUs",
			       "discover again, or retire the other slot");
	if (f->memory_mib == GA_UNKNOWN || f->memory_mib <= 0)
		ga_reasons_add(ret, "missing_memory", NULL, "no memory suggested or set", NULL);
	if (f->memory_overcommitted)
		ga_reasons_add(ret, "memory_overcommitted", NULL,
			       "the slots of the NUMA node have more memory than it has",
			       "give the slots less, or reserve less for the host");
}

static void check_host(const struct ga_slot_facts *f, enum ga_gate gate, struct ga_reasons *ret)
{
	ga_autofree char *mended = ga_xprintf("repair it, then gpuaas-approve repair %s --reason "
					      "TEXT | gpuaas-wipe", f->slot ? f->slot : "SLOT");

	if (f->duplicate_identity)
		ga_reasons_add(ret, "duplicate_identity", f->gpu_identity, f->duplicate_identity,
			       "discover again, or retire the slot that is wrong");
	if (gate == GA_GATE_APPROVE && !f->has_profile)
		ga_reasons_add(ret, "no_profile", NULL, "no profile can use it",
			       "gpuaas-state apply FILE with a profile of its accelerator type");
	if (gate == GA_GATE_APPROVE && !f->host_ready)
		ga_reasons_add(ret, "not_ready", f->node, f->host_blocker,
			       f->host_blocker_hint ?
				       f->host_blocker_hint :
				       "gpuaas-discover on the host shows the fix");
	if (f->fingerprint && f->fingerprint_approved &&
	    !ga_streq(f->fingerprint, f->fingerprint_approved))
		ga_reasons_add(ret, "fingerprint_changed", f->node,
			       "the hardware is not what was approved",
			       "look at what changed, then gpuaas-approve --accept-change");
	if (gate == GA_GATE_APPROVE && !f->baremetal && f->partitions_in_use &&
	    !f->partition_known)
		ga_reasons_add(ret, "fabric_partition_unknown", f->gpu_pci_address,
			       "no Fabric Manager partition is known for its module id",
			       "start the Fabric Manager in shared mode, then discover again");
	if (ga_streq(f->health, "failed"))
		ga_reasons_add(ret, "health_failed", NULL,
			       f->health_why ? f->health_why : "a check found it broken",
			       mended);
	if (f->claimed_by)
		ga_reasons_add(ret, "claimed", f->claimed_by,
			       "an allocation has a claim on it, or on its node, that its row does "
			       "not show",
			       "gpuaas-state check names what is wrong");
}

/* A repair wipes what a tenant of this state left, whatever else blocks the slot. Any other disk is
 * wiped only when nothing else does: the approval that finds that orders the wipe. */
static void check_taint(const struct ga_slot_facts *f, bool alone, struct ga_reasons *ret)
{
	ga_autofree char *fix =
		alone || f->nvme_ours ?
			ga_xprintf("gpuaas-approve repair %s --reason TEXT | gpuaas-wipe",
				   f->slot ? f->slot : "SLOT") :
			ga_xprintf("after the fix of the other blockers: gpuaas-discover | "
				   "gpuaas-approve --slot %lld | gpuaas-wipe",
				   (long long)f->slot_index);

	ga_reasons_add(ret, "tainted", f->nvme_wwid,
		       "not proven wiped since its last use, or less than its policy requires",
		       fix);
}

size_t ga_slot_blockers(const struct ga_slot_facts *f, enum ga_gate gate, struct ga_reasons *ret)
{
	size_t before = ret->n;

	check_gpu(f, gate, ret);
	if (gate == GA_GATE_APPROVE && !f->baremetal)
		check_reset(f, ret);
	check_disk(f, gate, ret);
	check_wipe(f, gate, ret);
	/* A baremetal tenant has every function, CPU and address of the machine: no slot needs its
	 * share of them. After a discovery for baremetal nobody knows them (not_ready says so). */
	if (!f->baremetal &&
	    !(gate == GA_GATE_APPROVE && ga_streq(f->host_blocker, "host_mode"))) {
		check_network(f, gate, ret);
		check_room(f, ret);
	}
	check_host(f, gate, ret);
	if (gate != GA_GATE_PROVISION && f->tainted)
		check_taint(f, ret->n == before && !f->left_out, ret);
	if (gate == GA_GATE_PLACE && f->damaged)
		ga_reasons_add(ret, "row_damaged", f->slot, f->damaged,
			       "no program of gpuaas writes that: look at its audit, then take it "
			       "out of sale, discover, approve it again and wipe it");
	return ret->n - before;
}

bool ga_verdict_is_of_vms(const char *code)
{
	static const char *const codes[] = {
		/* of a host record */
		"no_iommu", "no_interrupt_remapping", "acs_override", "unsafe_interrupts",
		"no_vfio_pci", "host_mode",
		/* of a slot */
		"iommu_group_shared", "gpu_is_boot_display", "gpu_no_reset",
		"fabric_partition_unknown", "missing_mac", "missing_ip", "missing_fabric_vf",
		"fabric_not_per_slot_vf", "fabric_vf_shared", "pf_vf_conflict", "missing_cpuset",
		"cpuset_taken", "missing_memory", "memory_overcommitted", "node_mode",
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(codes); i++)
		if (ga_streq(codes[i], code))
			return true;
	return false;
}

bool ga_verdict_decides(const char *code)
{
	static const char *const codes[] = {
		"missing_gpu",	      "iommu_group_shared",   "gpu_is_boot_display",
		"gpu_no_reset",
		"missing_nvme",	      "lab_block_device",     "nvme_not_block",
		"nvme_in_use",	      "nvme_mounted",	      "nvme_signature",
		"storage_not_owned",  "disk_autoactivation",  "no_wipe_policy",
		"wipe_not_possible",  "missing_mac",	      "missing_ip",
		"missing_fabric_vf",  "fabric_not_per_slot_vf", "fabric_vf_shared",
		"pf_vf_conflict",     "missing_cpuset",	      "cpuset_taken",
		"missing_memory",     "memory_overcommitted", "duplicate_identity",
		"no_profile",	      "not_ready",	      "fingerprint_changed",
		"fabric_partition_unknown", "health_failed",	"tainted",
		"claimed",	      "row_damaged",
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(codes); i++)
		if (ga_streq(codes[i], code))
			return true;
	return false;
}
