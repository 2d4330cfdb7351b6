/* SPDX-License-Identifier: Apache-2.0 */
/* The state's side of a wipe. Only for the folders of lib/state. */
#ifndef GA_STATE_ALLOCATION_WIPE_H
#define GA_STATE_ALLOCATION_WIPE_H

#include "decide/wipe/judge.h"
#include "state/db/row.h"

struct ga_wipe_evidence;

/* A slot that waits for a wipe, or as its last wipe left it. */
struct ga_wipe_due {
	char *slot, *node, *state, *attempt, *cause, *issued_at;
	char *minimum_class, *verify, *gpu_memory; /* the policy in force: the
						    release-order's, else the slot's */
	char *nvme_wwid, *nvme_serial, *gpu_identity, *fabric_vf_pci_address;
	int64_t nvme_size_bytes;
	char *cordon_reason, *health_state, *blockers, *node_state, *node_blockers;
	char *claim, *allocation;
	char *destroy_data_by;
	char *dirty_since; /* of the device tainted last; NULL: both are clean */
	int64_t generation; /* the generation that the wipe order was issued for */
};
void ga_cleanup_wipe_due(struct ga_wipe_due *d);
#define ga_autowipedue ga_cleanup(ga_cleanup_wipe_due)
/* 1 found, 0 no such slot, -1. */
GA_MUST_CHECK int ga_store_wipe_due(struct ga_db *db, const char *slot, struct ga_wipe_due *ret,
				    struct ga_err *err);
/* The order and the policy in force, in the form that ga_wipe_proves takes; borrows from due. */
struct ga_wipe_asked ga_wipe_due_asked(const struct ga_wipe_due *due, bool lab);
/* The earliest time at which a wipe of the slot counts, when that lies in the future: clocks were
 * set back since one of its devices was used. NULL: from now on, or there is no such slot. */
GA_MUST_CHECK int ga_store_wipe_counts_from(struct ga_db *db, const char *slot, char **ret,
					    struct ga_err *err);
/* GA_BUSY "wipe_too_early" with that time, when there is one. */
GA_MUST_CHECK int ga_store_wipe_may_begin(struct ga_db *db, const char *slot, struct ga_err *err);
/* Whether the order is still in force for its slot, or the slot belongs to another state.
 * GA_CONFLICT "concurrent_update" when a newer order is in force, "wrong_state" when none is: the
 * disk may have a new tenant since, and the data on it may be that tenant's. */
GA_MUST_CHECK int ga_store_wipe_in_force(struct ga_db *db, const struct ga_wipe_order *order,
					 struct ga_err *err);
/* Inserts the record, immutable from then on. */
GA_MUST_CHECK int ga_store_evidence_add(struct ga_db *db, const struct ga_wipe_evidence *e,
					struct ga_err *err);
/* wiping → available or disabled, with the evidence that clears the taint; blockers is JSON. */
GA_MUST_CHECK int ga_store_slot_wiped(struct ga_db *db, const char *slot, const char *to,
				      const char *evidence, const char *blockers, const char *at,
				      struct ga_err *err);
/* Whether a record of this digest was folded: 1, 0, -1 */
GA_MUST_CHECK int ga_store_folded(struct ga_db *db, const char *digest, struct ga_err *err);
/* Notes that it was folded; a digest may be added only once. */
GA_MUST_CHECK int ga_store_folded_add(struct ga_db *db, const char *digest, const char *kind,
				      const char *object, struct ga_err *err);

/* The ids of the node's slots in wiping, by their index. */
GA_MUST_CHECK int ga_store_wiping(struct ga_db *db, const char *node, struct ga_texts *ret,
				  struct ga_err *err);
/* The wipe-order in force of a slot in wiping; GA_CONFLICT in another state. */
GA_MUST_CHECK int ga_store_wipe_order(struct ga_db *db, const char *slot, struct ga_wipe_order *ret,
				      struct ga_err *err);
/* object: a slot or an allocation, oldest first; NULL: all, oldest or newest first. */
GA_MUST_CHECK int ga_query_evidence(struct ga_db *db, const char *object, bool newest,
				    struct ga_rows **ret, struct ga_err *err);

#endif
