/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hold is a release that can be undone: the VM of a held allocation is off and its disk is kept,
 * until the time of the hold is over. The claims stay, so its slots are not sold. Billing is for
 * the hold. The plan and its attempt stay in force, so the host can start the VM again without a
 * new plan.
 */
#ifndef GA_STATE_ALLOCATION_HOLD_H
#define GA_STATE_ALLOCATION_HOLD_H

#include "state/db/attend.h"
#include "state/db/db.h"

struct ga_hold_order;

/* The effect that a release of an allocation would have; free it with ga_release_outlook_clear. */
struct ga_release_outlook {
	char *allocation, *name, *state;
	int64_t hold_seconds; /* by_profile: seconds that the release would hold it; else 0 */
	bool loses_data;      /* a release now ends in a wipe of a used disk */
};
void ga_release_outlook_clear(struct ga_release_outlook *o);
/* by_profile: the hold of the allocation's profile counts. GA_BADREC "profile_unreadable" when the
 * stored profile is not a valid record: it may order a hold, so no data is destroyed. */
GA_MUST_CHECK int ga_store_release_outlook(struct ga_db *db, const char *allocation,
					   bool by_profile, struct ga_release_outlook *ret,
					   struct ga_err *err);

/*
 * active → held for seconds (above 0) from now; when it is held already, the hold ends at the new
 * time instead. Billing of the use ends and billing of the hold begins. ret is the order for the
 * host. Another call gives the order again, and the host does it again. GA_CONFLICT "wrong_state":
 * not active; "no_vm": baremetal.
 */
GA_MUST_CHECK int ga_store_hold(struct ga_db *db, const char *allocation, int64_t seconds,
				const char *reason, struct ga_hold_order *ret, struct ga_err *err);

/* held → active. When the allocation is active already and its VM is off but wanted on, this gives
 * the order again. GA_CONFLICT "wrong_state": it is neither. */
GA_MUST_CHECK int ga_store_unhold(struct ga_db *db, const char *allocation, const char *reason,
				  struct ga_hold_order *ret, struct ga_err *err);

/* The held allocations whose time is over, the longest expired first. */
GA_MUST_CHECK int ga_store_hold_over(struct ga_db *db, struct ga_texts *ret, struct ga_err *err);

/* Whether the allocation is still one of them: 1, 0, -1. */
GA_MUST_CHECK int ga_store_hold_is_over(struct ga_db *db, const char *allocation,
					struct ga_err *err);

/* Holds and undos that failed on their host, until the power is as wanted. */
GA_MUST_CHECK int ga_attend_holds(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);

#endif
