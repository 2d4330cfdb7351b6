/* SPDX-License-Identifier: Apache-2.0 */
/* Events: the audit with the kind, node and project of each object, for programs that follow it. */
#include "state/db/row.h"
#include "state/watch/events.h"

/* In the order of ga_event_schema. The facts of an object are those of today: a slot's project is
 * that of the allocation that holds it now. */
#define EVENTS \
	"SELECT e.seq, e.at, e.actor, e.program, e.action, e.object, " \
	"CASE WHEN a.id IS NOT NULL THEN 'allocation' WHEN s.id IS NOT NULL THEN 'slot' " \
	"WHEN n.id IS NOT NULL THEN 'node' WHEN d.id IS NOT NULL THEN 'device' END, " \
	"coalesce(a.node_id, s.node_id, n.id, d.node_id), " \
	"coalesce(a.project, (SELECT o.project FROM claim c JOIN allocation o " \
	"ON o.id = c.allocation_id WHERE c.slot_id = s.id AND c.live = 1)), e.detail " \
	"FROM audit e LEFT JOIN allocation a ON a.id = e.object " \
	"LEFT JOIN slot s ON s.id = e.object LEFT JOIN node n ON n.id = e.object " \
	"LEFT JOIN device d ON d.id = e.object "

int ga_query_events(struct ga_db *db, const struct ga_page *page, struct ga_rows **ret,
		    struct ga_err *err)
{
	return GA_QUERY_PAGE(db, page, ret, err, EVENTS, "e.seq", "e.at");
}

int ga_store_events_end(struct ga_db *db, struct ga_events_end *ret, struct ga_err *err)
{
	int r = ga_db_one(db, err,
			  "SELECT (SELECT coalesce(max(seq), 0) FROM audit), epoch FROM meta",
			  "II", &ret->seq, &ret->epoch);

	return r ? (r < 0 ? -1 : 0) : ga_fail(err, GA_SYSTEM, "the state has no meta row");
}
