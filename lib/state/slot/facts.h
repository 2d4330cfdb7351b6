/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the state about a candidate or a slot, for the predicate of decide/slot/verdict.h.
 * Private to lib/state. */
#ifndef GA_STATE_SLOT_FACTS_H
#define GA_STATE_SLOT_FACTS_H

#include "decide/slot/verdict.h"
#include "state/db/json.h"
#include "state/db/row.h"

/* The operator's decision about one candidate. */
struct ga_approval {
	const struct ga_candidate *candidate;
	/* Type of its GPU when the candidate has none: slug and name, or NULL. */
	const char *type, *type_name;
	struct ga_wipe_policy wipe;
	const char *destroy_data; /* wwid of the disk whose data may be destroyed, or NULL */
	const char *note;	  /* text of --by */
	bool disable;		  /* store it disabled, whatever the predicate decides */
	bool accept_change;	  /* the hardware may differ from the approved hardware */
};

/* The slot at a candidate's place, and facts of its node. */
struct ga_place_of {
	char *slot, *state, *cordon_reason, *health, *wipe_attempt; /* NULL: no slot yet */
	char *gpu_identity, *nvme_wwid;
	char *node_state, *node_fingerprint;
	char *node_blocker, *node_blocker_hint; /* the blocker that counts, and its fix; or NULL */
	int64_t generation;
	bool partitions_in_use;
	bool baremetal; /* the node is in mode baremetal */
};
void ga_cleanup_place_of(struct ga_place_of *p);
/* Fills ret, for ga_cleanup_place_of. GA_NOTFOUND when the node was never observed. */
GA_MUST_CHECK int ga_store_place_of(struct ga_db *db, const struct ga_candidate *c,
				    struct ga_place_of *ret, struct ga_err *err);

/* Devices of a candidate that another slot already has: those columns stay empty. */
struct ga_taken {
	bool gpu, nvme, mac, ip, vf, pf, cpus, memory;
	bool network; /* its address belongs to the network itself */
	bool moved;   /* the candidate's GPU belongs to a slot at another place: the GPU of this
			 slot is gone */
};
/* Fills ret. slot: the candidate's own slot, whose devices do not count; NULL: it has none. */
GA_MUST_CHECK int ga_store_taken(struct ga_db *db, const struct ga_candidate *c, const char *slot,
				 struct ga_taken *ret, struct ga_err *err);

/* Whether the data on the disk is known to come from this state: a tenant of it dirtied the disk,
 * or a wipe that it ordered began and was not confirmed. 1, 0, -1. */
GA_MUST_CHECK int ga_store_disk_is_ours(struct ga_db *db, const char *wwid, struct ga_err *err);

/* Adds every blocker of the candidate at the gate of approval, with those reasons of the candidate
 * itself that the predicate does not check. */
GA_MUST_CHECK int ga_store_blockers(struct ga_db *db, const struct ga_approval *a,
				    const struct ga_place_of *at, const struct ga_taken *taken,
				    struct ga_reasons *ret, struct ga_err *err);

/* ---- slots on sale ---- */

/* The columns of a slot that a plan's bundle and the predicate need; append a condition. A device
 * counts as clean when evidence cleared it and nothing dirtied it since. A claim blocks a sale when
 * it is on the slot, or on its node; but not a claim of slices on a node that slices hold. */
#define GA_SQL_CLAIM_AGAINST \
	"coalesce((SELECT allocation_id FROM claim WHERE slot_id = slot.id AND live = 1), " \
	"(SELECT c.allocation_id FROM node n JOIN claim c ON c.node_id = n.id AND " \
	"c.held_by IS NOT NULL WHERE n.id = slot.node_id AND " \
	"(n.held_by IS NOT 'slices' OR c.held_by <> 'slices') LIMIT 1))"
#define GA_SQL_CLEAN(device, kind) \
	"EXISTS (SELECT 1 FROM device WHERE id = " device " AND device_kind = '" kind "' AND " \
	"node_id = slot.node_id AND dirty_since IS NULL AND cleared_by IS NOT NULL)"
/* Damage of the row that no schema detects: a placement raises the generations of slot and node. */
#define GA_SQL_DAMAGED \
	"CASE WHEN " GA_SQL_NOT_REASONS("blockers") " THEN '" GA_DAMAGED_REASONS "' " \
	"WHEN (SELECT generation FROM node WHERE id = slot.node_id) NOT BETWEEN 0 AND " \
	GA_SQL_GENERATION_LAST " THEN 'the generation of its node is at its end' END "
#define GA_SQL_SLOT_FACTS GA_SQL_SLOT_FACTS_AND(" ")
#define GA_SQL_ONLY_BAREMETAL \
	", (SELECT mode FROM node WHERE id = slot.node_id) = 'baremetal' "
#define GA_SQL_SLOT_FACTS_AND(more) \
	"SELECT id, slot_index, generation, numa_node, gpu_identity, gpu_pci_address, " \
	"gpu_device, module_id, nvme_wwid, nvme_serial, nvme_path, nvme_size_bytes, " \
	"fabric_vf_pci_address, fabric_pf_pci_address, cpuset, memory_mib, mac, private_ip, " \
	"bridge, port, wipe_minimum_class, wipe_verify, wipe_gpu_memory, node_id, gpu_id, " \
	"fabric_claim_mode, storage_ownership, health_state, " \
	GA_SQL_CLEAN("slot.nvme_wwid", "disk") " AND " GA_SQL_CLEAN("slot.gpu_id", "gpu") \
	", state, since, " GA_SQL_CLAIM_AGAINST \
	", (SELECT group_concat(x.cpuset, ';') FROM slot x INDEXED BY slot_place WHERE " \
	"x.node_id = slot.node_id AND x.id <> slot.id AND x.state <> 'retired'), " \
	GA_SQL_DAMAGED more "FROM slot "
enum {
	GA_SF_ID, GA_SF_INDEX, GA_SF_GENERATION, GA_SF_NUMA, GA_SF_GPU_IDENTITY, GA_SF_GPU_ADDRESS,
	GA_SF_GPU_DEVICE, GA_SF_MODULE, GA_SF_WWID, GA_SF_SERIAL, GA_SF_PATH, GA_SF_BYTES,
	GA_SF_VF, GA_SF_PF, GA_SF_CPUSET, GA_SF_MEMORY, GA_SF_MAC, GA_SF_IP, GA_SF_BRIDGE,
	GA_SF_PORT, GA_SF_CLASS, GA_SF_VERIFY, GA_SF_GPU_MEMORY, GA_SF_NODE, GA_SF_GPU_ID,
	GA_SF_CLAIM_MODE, GA_SF_OWNERSHIP, GA_SF_HEALTH, GA_SF_CLEAN, GA_SF_STATE,
	GA_SF_SINCE, GA_SF_CLAIMED_BY, GA_SF_OTHER_CPUS, GA_SF_DAMAGED,
	GA_SF_ONLY_BAREMETAL, /* with GA_SQL_ONLY_BAREMETAL: the node sells only baremetal */
};
/* Fills the plan's bundle from the row; release it as ga_bundle_schema. */
void ga_store_fill_bundle(const struct ga_rows *rows, struct ga_bundle *b);
/* Adds the reasons why a slot of that row may not be sold in the shape (GA_GATE_PLACE); returns
 * their number. bundle: the row as ga_store_fill_bundle filled it. */
size_t ga_store_sale_blockers(struct ga_db *db, const struct ga_rows *rows,
			      const struct ga_bundle *bundle, bool baremetal,
			      struct ga_reasons *ret);
/* Adds to the blockers of a disabled slot every defect of its row that would keep it from sale in
 * its node's mode, each code once. Taint and health have their own columns and are left out. */
GA_MUST_CHECK int ga_store_block_unsellable(struct ga_db *db, const char *slot,
					    struct ga_err *err);
/* Calls each for every slot that is available but may not be sold in its node's mode, in the order
 * of nodes and indexes, and stops when it returns -1. left_out: the effect on placement, "leaves it
 * out" or "blocks it for slices" (a baremetal allocation can have it). */
typedef int (*ga_unsellable)(const struct ga_rows *rows, const char *left_out,
			     const struct ga_reasons *reasons, void *arg, struct ga_err *err);
GA_MUST_CHECK int ga_store_each_unsellable(struct ga_db *db, ga_unsellable each, void *arg,
					   struct ga_err *err);

#endif
