/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one predicate of every gate: what keeps a slot from being available, placed or provisioned.
 * Pure: values in, reasons out. approve, place and provision all call it, for the shape that is
 * sold. Unknown blocks at a gate (in reconcile it is never drift). The codes are stable;
 * gpuaas-records(5) lists them.
 */
#ifndef GA_DECIDE_SLOT_VERDICT_H
#define GA_DECIDE_SLOT_VERDICT_H

#include "record/bundle.h"
#include "record/host.h"

/* The known facts about a slot at a gate. Pointers are borrowed; NULL and GA_UNKNOWN are
 * unknown. */
struct ga_slot_facts {
	const char *slot; /* NULL: not known */
	const char *node;
	int64_t slot_index;
	bool lab; /* a lab: files play disks */
	bool baremetal; /* part of a baremetal node: its tenant has every function, CPU and
			 * address of the host, and no VM */
	const char *gpu_pci_address, *gpu_identity;
	/* the other functions in the GPU's group, also those of its own card, or NULL */
	const struct ga_texts *iommu_group_members;
	int64_t iommu_group;
	int64_t gpu_boot_display;      /* tristate */
	int64_t gpu_can_reset;	       /* tristate: the kernel has a reset method for it */
	const char *nvme_wwid;
	int64_t nvme_is_block;	       /* tristate */
	size_t nvme_mounts, nvme_holders;
	const char *nvme_user;	       /* the first of the holders, or NULL */
	bool nvme_uses_known;	       /* everything that could use it was checked */
	bool nvme_signatures_known;
	size_t nvme_signatures;
	const char *nvme_content;      /* as in the candidate; NULL: unread */
	int64_t nvme_content_blocks;
	bool nvme_ours;		       /* a tenant or a wipe of this state wrote it */
	bool nvme_reported;	       /* mounts, holders and signatures above are known */
	const char *destroy_data;      /* wwid whose content may be destroyed */
	const char *storage_ownership;
	const struct ga_wipe_policy *wipe;
	bool wipe_possible_known, wipe_possible;
	const char *mac, *private_ip;
	const char *fabric_claim_mode, *fabric_vf_pci_address, *fabric_pf_pci_address;
	bool fabric_vf_shared, pf_vf_conflict;
	const char *duplicate_identity; /* the identity that another slot has too, or NULL */
	const char *cpuset;
	bool cpuset_taken, memory_overcommitted;
	int64_t memory_mib;
	bool has_profile;	       /* some profile can use it */
	bool host_ready;	       /* no blocker of the host record */
	const char *host_blocker;      /* code of the first one, or host_mode */
	const char *host_blocker_hint; /* or NULL */
	bool disk_autoactivation;      /* tenant disks could be activated by the host */
	const char *fingerprint, *fingerprint_approved; /* a change: both known and different */
	bool partitions_in_use, partition_known; /* FABRIC_MODE=1; a partition has the GPU */
	const char *claimed_by;	       /* an allocation whose claim forbids a sale; PLACE */
	const char *damaged;	       /* the member that no plan can have, or NULL; PLACE */
	bool tainted;
	bool left_out;		       /* the discovery has a reason that is not decided here */
	const char *health;	       /* "failed" blocks */
	const char *health_why;	       /* the fault that was found, or NULL */
};

enum ga_gate {
	/* May the slot become available: checks everything; tainted leads to wiping. */
	GA_GATE_APPROVE,
	/* May the slot be sold: checks the rows of the state. Approval has checked the facts that
	 * only a host can see, and provisioning checks them again. */
	GA_GATE_PLACE,
	/* May the slot be used: checks the plan and the facts of its host. Not tainted, because its
	 * own use dirties it: host.db knows whether its disk is wiped (ga_hostdb_wiped). Not the
	 * uses of its disk: the guard looks for them on the open descriptor. Not the profile, the
	 * owner of its storage and the node's blockers, which the plan does not carry. The image
	 * belongs to no slot: place and provision look for its copy on the node. */
	GA_GATE_PROVISION,
};

/*
 * Adds every reason that blocks at the gate. Returns the number of added reasons. A slot of a
 * baremetal node is judged by what baremetal needs, at every gate: a known GPU and disk, the wipe
 * of both, health, hardware as approved. The needs of a VM are not checked: IOMMU group, boot
 * display, reset and fabric partition of the GPU; fabric function, MAC, address, CPUs and memory of
 * the slot.
 */
size_t ga_slot_blockers(const struct ga_slot_facts *f, enum ga_gate gate, struct ga_reasons *ret);

/*
 * Adds iommu_group_shared when the IOMMU group of a GPU has other functions: VFIO gives a VM the
 * group or nothing. A function of the GPU's own card, such as its audio, is no exception: the VM
 * gets only the GPU, so a driver of the host could keep the other function.
 */
void ga_slot_group_shared(const char *gpu, int64_t group, const struct ga_texts *members,
			  struct ga_reasons *ret);

/* Whether the predicate decides the code from its facts: then a candidate's own reason with that
 * code was only a forecast. */
bool ga_verdict_decides(const char *code);

/* Whether a blocker of a slot or of a host record (look/host/prereq.h) only concerns VMs: baremetal
 * gives all of the machine to one tenant and is sold all the same. */
bool ga_verdict_is_of_vms(const char *code);

/*
 * Whether a drive can reach the class by its own commands without touching another namespace: 1, 0,
 * or GA_UNKNOWN when its capabilities could not be read. It can always reach clear; a file of a lab
 * never reaches purge. Bits as in NVMe Base 2.0, Identify Controller.
 */
int64_t ga_wipe_possible(const struct ga_nvme *nvme, const char *minimum_class, bool lab);

/* Order of wipe classes: none 0, clear 1, purge 2. */
int ga_class_rank(const char *class);

#endif
