/* SPDX-License-Identifier: Apache-2.0 */
/* Approval and the operator's moves of slots, as operations on the state. Rules as in
 * state/store.h. */
#ifndef GA_STORE_APPROVE_H
#define GA_STORE_APPROVE_H

#include "state/store.h"

struct ga_candidates {
	struct ga_candidate *v;
	size_t n;
};

/* Stores a whole discovery stream: node, its observation, candidates, devices (born tainted). */
GA_MUST_CHECK int ga_store_observe(struct ga_db *db, const struct ga_host *host,
				   const struct ga_candidates *candidates, struct ga_err *err);

/* What the operator decided for one candidate. */
struct ga_approval {
	const struct ga_candidate *candidate;
	/* Of its GPU where the candidate has none: slug and name, or NULL. */
	const char *type, *type_name;
	struct ga_wipe_policy wipe;
	const char *destroy_data; /* wwid whose content may be destroyed, or NULL */
	const char *note;	  /* --by */
	bool disable;		  /* store it disabled whatever the predicate says */
	bool accept_change;	  /* the hardware may differ from what was approved */
};
/* Makes or renews the slot of a candidate: complete and tainted → wiping with a wipe-order
 * (ret_order filled, has_order true); complete and clean → available; else disabled with its
 * blockers. */
GA_MUST_CHECK int ga_store_approve(struct ga_db *db, const struct ga_approval *a,
				   struct ga_slot *ret_slot, struct ga_wipe_order *ret_order,
				   bool *has_order, struct ga_err *err);
/* Operator moves: verb is "disable", "enable", "repair", "cordon", "uncordon", "quarantine",
 * "retire"; a reason is needed for all but enable and uncordon. generation GA_UNKNOWN: not
 * checked. disposal (retire only): how an unwiped disk was destroyed. "repair" takes
 * cleanup_blocked and disabled to wiping with a wipe-order; a disabled slot counts as used from
 * then on. One whose disk may hold what is not this state's goes through the gate of "enable". */
GA_MUST_CHECK int ga_store_slot_move(struct ga_db *db, const char *id, const char *verb,
				     const char *reason, const char *disposal, int64_t generation,
				     struct ga_slot *ret_slot, struct ga_wipe_order *ret_order,
				     bool *has_order, struct ga_err *err);

/* Leave to destroy what a disk holds, at its next wipe, given by whom; with its audit row. 1 given,
 * 0 it is clean, or had leave already. */
GA_MUST_CHECK int ga_store_allow_destruction(struct ga_db *db, const char *wwid, const char *node,
					     const char *by, const char *note, struct ga_err *err);

/* The CPUs of a disabled slot ("0-3,8"; NULL: none), in place of those it had. */
GA_MUST_CHECK int ga_store_slot_cpus(struct ga_db *db, const char *slot, const char *node,
				     const char *cpus, struct ga_err *err);
/* Moves a slot to wiping with a new attempt; cause is "first" or "repair". */
GA_MUST_CHECK int ga_store_order_wipe(struct ga_db *db, const char *slot, const char *cause,
				      struct ga_err *err);

#endif
