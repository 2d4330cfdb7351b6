/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Release with a way back: a held allocation's VM is off and its disk kept, until its time is over.
 * The claims stay, so nothing of it is sold; what is billed is the hold. The plan and its attempt
 * stay in force, so that a host needs nothing new to start the VM again.
 */
#ifndef GA_STATE_ALLOCATION_HOLD_H
#define GA_STATE_ALLOCATION_HOLD_H

#include "record/release.h"
#include "state/db/attend.h"
#include "state/db/db.h"

/* What releasing an allocation would mean; released with ga_release_outlook_clear. */
struct ga_release_outlook {
	char *allocation, *name, *state;
	int64_t hold_seconds; /* by_profile: when the release would hold it; else 0 */
	bool loses_data;      /* a release now ends in a wipe of what somebody used */
};
void ga_release_outlook_clear(struct ga_release_outlook *o);
/* by_profile: what its profile says of a hold counts. GA_BADREC "profile_unreadable" when the
 * record of that is none, so that nothing is destroyed that it may have told to keep. */
GA_MUST_CHECK int ga_store_release_outlook(struct ga_db *db, const char *allocation,
					   bool by_profile, struct ga_release_outlook *ret,
					   struct ga_err *err);

/*
 * active → held for seconds (above 0) from now; held already: until then instead. Billing of the
 * use ends and that of the hold begins. ret is the order for the host; called again, the host does
 * again what was asked. GA_CONFLICT "wrong_state": not active; "no_vm": bare metal.
 */
GA_MUST_CHECK int ga_store_hold(struct ga_db *db, const char *allocation, int64_t seconds,
				const char *reason, struct ga_hold_order *ret, struct ga_err *err);

/* held → active. When the VM of an active one is off and wanted on, the order is made again.
 * GA_CONFLICT "wrong_state": it is not held. */
GA_MUST_CHECK int ga_store_unhold(struct ga_db *db, const char *allocation, const char *reason,
				  struct ga_hold_order *ret, struct ga_err *err);

/* The held allocations whose time is over, the longest first. */
GA_MUST_CHECK int ga_store_hold_over(struct ga_db *db, struct ga_texts *ret, struct ga_err *err);

/* 1, 0: whether it still is one of them. */
GA_MUST_CHECK int ga_store_hold_is_over(struct ga_db *db, const char *allocation,
					struct ga_err *err);

/* Holds, and undos of one, that failed on their host, until the power is as wanted. */
GA_MUST_CHECK int ga_attend_holds(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);

#endif
