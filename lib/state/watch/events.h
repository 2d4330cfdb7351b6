/* SPDX-License-Identifier: Apache-2.0 */
/* Events: the audit with the kind, node and project of each object, for programs that follow it. */
#ifndef GA_STATE_WATCH_EVENTS_H
#define GA_STATE_WATCH_EVENTS_H

#include "state/db/row.h"

/* The last row of the audit, and the epoch of the state. */
struct ga_events_end {
	int64_t seq, epoch;
};
/* Fills ret: seq is 0 when the audit is empty. */
GA_MUST_CHECK int ga_store_events_end(struct ga_db *db, struct ga_events_end *ret,
				      struct ga_err *err);
/* As ga_query_audit, with the kind, node and project of each object. */
GA_MUST_CHECK int ga_query_events(struct ga_db *db, const struct ga_page *page,
				  struct ga_rows **ret, struct ga_err *err);

#endif
