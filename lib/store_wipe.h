/* SPDX-License-Identifier: Apache-2.0 */
/* The state's side of a wipe. Private to the store_* files and the fold. */
#ifndef GA_STORE_WIPE_H
#define GA_STORE_WIPE_H

#include "kind_result.h"
#include "store.h"

/* A slot as a wipe left it or waits for it. */
struct ga_wipe_due {
	char *slot, *node, *state, *attempt, *cause, *issued_at;
	char *minimum_class, *verify, *gpu_memory; /* the policy in force: the
						    release-order's, else the slot's */
	char *nvme_wwid, *gpu_identity;
	char *cordon_reason, *health_state, *blockers, *node_state, *node_blockers;
	char *claim, *allocation;
	char *destroy_data_by;
	char *dirty_since; /* of the device tainted last; NULL: neither is */
	int64_t generation; /* the wipe order was issued for */
};
void ga_cleanup_wipe_due(struct ga_wipe_due *d);
#define ga_autowipedue ga_cleanup(ga_cleanup_wipe_due)
/* 1 found, 0 no such slot, -1. */
int ga_store_wipe_due(struct ga_db *db, const char *slot, struct ga_wipe_due *ret,
		      struct ga_err *err);
/* Inserts the record, immutable from then on. */
int ga_store_evidence_add(struct ga_db *db, const struct ga_wipe_evidence *e, struct ga_err *err);
/* wiping → available or disabled, with the evidence that clears the taint; blockers is JSON. */
int ga_store_slot_wiped(struct ga_db *db, const char *slot, const char *to, const char *evidence,
			const char *blockers, const char *at, struct ga_err *err);
int ga_store_folded(struct ga_db *db, const char *digest, struct ga_err *err); /* 1, 0, -1 */
int ga_store_folded_add(struct ga_db *db, const char *digest, const char *kind,
			const char *object, struct ga_err *err);

#endif
