/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one predicate of every gate: what keeps a slot from being available, placed or provisioned.
 * Pure: values in, reasons out. approve, place and provision all call it, for the shape that is
 * sold; unknown blocks at a gate (in reconcile it is never drift). Codes are stable and stand in
 * gpuaas-records(5).
 */
#ifndef GA_DECIDE_SLOT_VERDICT_H
#define GA_DECIDE_SLOT_VERDICT_H

#include "record/bundle.h"
#include "record/host.h"

/* What is known of a slot at a gate. Pointers are borrowed; NULL and GA_UNKNOWN are unknown. */
struct ga_slot_facts {
	const char *slot; /* NULL: not known */
	const char *node;
	int64_t slot_index;
	bool lab; /* files stand for disks */
	bool baremetal; /* part of a machine that is sold whole: its tenant has every function, CPU
			   and address of the host, and no VM */
	const char *gpu_pci_address, *gpu_identity;
	size_t iommu_group_members;    /* foreign functions in the GPU's group */
	int64_t iommu_group;
	int64_t gpu_boot_display;      /* tristate */
	int64_t gpu_can_reset;	       /* tristate: the kernel has a reset method for it */
	const char *nvme_wwid;
	int64_t nvme_is_block;	       /* tristate */
	size_t nvme_mounts, nvme_holders;
	const char *nvme_user;	       /* the first of the holders, or NULL */
	bool nvme_uses_known;	       /* everything that could use it was looked at */
	bool nvme_signatures_known;
	size_t nvme_signatures;
	const char *nvme_content;      /* as in the candidate; NULL: unread */
	int64_t nvme_content_blocks;
	bool nvme_ours;		       /* a tenant of this state, or a wipe of it, wrote it */
	bool nvme_reported;	       /* mounts, holders and signatures above were looked at */
	const char *destroy_data;      /* wwid whose content may be destroyed */
	const char *storage_ownership;
	const struct ga_wipe_policy *wipe;
	bool wipe_possible_known, wipe_possible;
	const char *mac, *private_ip;
	const char *fabric_claim_mode, *fabric_vf_pci_address, *fabric_pf_pci_address;
	bool fabric_vf_shared, pf_vf_conflict;
	const char *duplicate_identity; /* what of it another has, or NULL */
	const char *cpuset;
	bool cpuset_taken, memory_overcommitted;
	int64_t memory_mib;
	bool has_profile;	       /* some profile can use it */
	bool host_ready;	       /* no blocker of the host record */
	const char *host_blocker;      /* the first one's code */
	bool disk_autoactivation;      /* tenant disks could be activated by the host */
	const char *fingerprint, *fingerprint_approved; /* both known and different: changed */
	bool partitions_in_use, partition_known; /* FABRIC_MODE=1: the GPU stands in a partition */
	const char *claimed_by;	       /* an allocation whose claim stands against a sale; PLACE */
	const char *damaged;	       /* what of its row no plan can have, or NULL; PLACE */
	bool tainted;
	const char *health;	       /* "failed" blocks */
	const char *health_why;	       /* what was found broken, or NULL */
};

enum ga_gate {
	/* May it become available: everything; tainted leads to wiping. Of a slot of a machine that
	 * is sold whole not what only a VM needs of its GPU (IOMMU group, boot display, reset,
	 * partition); its row is complete all the same. */
	GA_GATE_APPROVE,
	/* May it be sold: what the state's rows say. Approval checked what only a host can see, and
	 * provisioning checks it again. */
	GA_GATE_PLACE,
	/* May it be used: what the plan says and its host sees. Not tainted, because its own use
	 * dirties it: host.db says whether its disk is wiped (ga_hostdb_wiped); not the uses of its
	 * disk: the guard looks for them on the open descriptor; not the profile, the owner of its
	 * storage and the node's blockers, which the plan does not carry. The image is no part of a
	 * slot: place and provision look for its copy on the node. */
	GA_GATE_PROVISION,
};

/* Adds every reason that blocks at the gate; the number added. */
size_t ga_slot_blockers(const struct ga_slot_facts *f, enum ga_gate gate, struct ga_reasons *ret);

/* Whether the predicate decides the code by itself, from its facts: then a candidate's own reason
 * of that code was only a forecast. */
bool ga_verdict_decides(const char *code);

/*
 * Whether a drive can reach the class by its own commands without touching another namespace:
 * 1, 0, or GA_UNKNOWN when its capabilities could not be read. clear always can; a file of a lab
 * never purges. Bits as in NVMe Base 2.0, Identify Controller.
 */
int64_t ga_wipe_possible(const struct ga_nvme *nvme, const char *minimum_class, bool lab);

/* Order of wipe classes: none 0, clear 1, purge 2. */
int ga_class_rank(const char *class);

#endif
