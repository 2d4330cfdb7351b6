/* SPDX-License-Identifier: Apache-2.0 */
/* What the state knows of a candidate, for the predicate of verdict.h. Private to the store. */
#ifndef GA_STORE_FACTS_H
#define GA_STORE_FACTS_H

#include "store_approve.h"
#include "verdict.h"

/* The slot that stands at a candidate's place, and what its node is. */
struct ga_place_of {
	char *slot, *state, *cordon_reason, *health, *wipe_attempt; /* NULL: no slot yet */
	char *gpu_identity, *nvme_wwid;
	char *node_state, *node_fingerprint, *node_blocker;
	int64_t generation;
	bool partitions_in_use;
};
void ga_cleanup_place_of(struct ga_place_of *p);
int ga_store_place_of(struct ga_db *db, const struct ga_candidate *c, struct ga_place_of *ret,
		      struct ga_err *err);

/* What of a candidate another slot has already: those columns stay empty. */
struct ga_taken {
	bool gpu, nvme, mac, ip, vf, pf, cpus, memory;
};
int ga_store_taken(struct ga_db *db, const struct ga_candidate *c, const char *slot,
		   struct ga_taken *ret, struct ga_err *err);

/* Adds every blocker of the candidate at the gate of approval. The candidate's own reasons that
 * the predicate does not look at itself are added too. */
int ga_store_blockers(struct ga_db *db, const struct ga_approval *a, const struct ga_place_of *at,
		      const struct ga_taken *taken, struct ga_reasons *ret, struct ga_err *err);

#endif
