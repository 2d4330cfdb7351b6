/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of attention that a person acknowledged, with a reason and an end. Such a row is hidden from
 * the list and from the alerts, never from their counts of hidden rows. It is back when its end is
 * over, and when it is another row: another code, state, time or sentence (state/db/attend.h).
 * Notices to hooks go by it in the same way (state/watch/notice.h).
 */
#ifndef GA_STATE_WATCH_ACKNOWLEDGE_H
#define GA_STATE_WATCH_ACKNOWLEDGE_H

#include "state/db/attend.h"

#define GA_ACKNOWLEDGE_DAYS 90 /* the furthest end */

/* Those whose end is not over. ret is overwritten. */
GA_MUST_CHECK int ga_store_acknowledgements(struct ga_db *db, struct ga_acknowledgements *ret,
					    struct ga_err *err);
void ga_acknowledgements_release(struct ga_acknowledgements *list);

/* Which rows, and how. */
struct ga_acknowledge {
	const char *object; /* exactly as in the row */
	const char *code;   /* NULL: the only code that the object has */
	const char *reason; /* NULL: no longer acknowledged */
	int64_t until;	    /* microseconds */
	const char *here;   /* as of ga_attend_to, with the next one */
	int64_t stale_seconds;
};
struct ga_attentions {
	struct ga_attention *v;
	size_t n;
};
void ga_attentions_release(struct ga_attentions *list);
/*
 * Acknowledges the rows of the object and code, or takes that back; ret has the rows as they are
 * then, and is overwritten. In the caller's transaction, with the audit row. The user needs the
 * grant to administer the object. GA_CONFLICT: a list made now would still show the row, so the
 * caller rolls back. GA_NOTFOUND "not_listed": there is no such row, or none that is
 * acknowledged; GA_USAGE: the object has rows of several codes, or until is not within
 * GA_ACKNOWLEDGE_DAYS from now.
 */
GA_MUST_CHECK int ga_store_acknowledge(struct ga_db *db, const struct ga_acknowledge *a,
				       struct ga_attentions *ret, struct ga_err *err);

#endif
