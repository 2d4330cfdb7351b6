/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transactions of gpuaas-release: an allocation ends, is held, or starts again. The intent is
 * committed here; the resulting order is for the host. A refusal of the access check
 * (state/access/access.h) goes into the audit; a dry run does everything and undoes it.
 */
#ifndef GA_STATE_TRANSACTION_RELEASE_H
#define GA_STATE_TRANSACTION_RELEASE_H

#include "record/release.h"
#include "record/result.h"
#include "state/db/db.h"
#include "state/query/still.h"

struct ga_release_intent {
	const char *reason; /* for the audit; NULL: none */
	const struct ga_still *still; /* conditions that picked it and have to hold; or NULL */
	bool only_over; /* does nothing unless it is held and its hold is over */
	bool unused;	/* ends none with a used disk: nobody has confirmed that it is destroyed */
	bool dry_run;
};

/* The outcome: an order for the host; or, for a plan that no host took up, the cancelled
 * allocation. All zero at first. */
struct ga_release_outcome {
	bool has_order, has_cancelled;
	struct ga_release_order order;
	struct ga_allocation cancelled;
};
void ga_release_outcome_clear(struct ga_release_outcome *o);

/* Ends an allocation, given by id, name or prefix: 1 with ret filled; 0: it is no longer to be
 * ended; -1. Another call gives the same order. GA_CONFLICT "wrong_state": it is in use, and the
 * intent is of an unused one. */
GA_MUST_CHECK int ga_release_end_in(struct ga_db *db, const char *allocation,
				    const struct ga_release_intent *intent,
				    struct ga_release_outcome *ret, struct ga_err *err);

/* Ends an allocation, given by its id, that has a new place. It makes no access check: the caller
 * has checked the right to administer its node. Without an order (has_order false), no host had
 * begun its plan. program is shown as the holder of the state. ret is released by
 * ga_release_outcome_clear. */
GA_MUST_CHECK int ga_release_moved(struct ga_db *db, const char *allocation, const char *program,
				   const char *reason, struct ga_release_outcome *ret,
				   struct ga_err *err);

/* Holds an allocation, given by its id, for seconds (above 0), or with 0 starts a held one again: 1
 * with ret filled; 0: it does not meet the conditions any more; -1. */
GA_MUST_CHECK int ga_release_hold_in(struct ga_db *db, const char *allocation, int64_t seconds,
				     const struct ga_release_intent *intent,
				     struct ga_hold_order *ret, struct ga_err *err);

#endif
