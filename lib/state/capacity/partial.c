/* SPDX-License-Identifier: Apache-2.0 */
/* A part of the fleet: an entry for each of some nodes, with expired plans counted as freed. */
#include <stdlib.h>
#include <string.h>

#include "record/time.h"
#include "state/allocation/place.h"
#include "state/allocation/release.h"
#include "state/capacity/internal.h"
#include "state/capacity/region.h"

#define SOME_MAX 64 /* nodes above which reading all costs little more */

/* Nodes where capacity becomes free by itself. */
#define ENDING \
	"SELECT node_id FROM maintenance WHERE ended_at IS NULL AND to_at > ?1 " \
	"UNION SELECT node_id FROM node_capacity WHERE waiting > 0 " \
	"UNION SELECT c.node_id FROM allocation a CROSS JOIN claim c ON c.allocation_id = a.id " \
	"AND c.live = 1 WHERE a.state = 'held' ORDER BY 1"
/* The slots that plans leave when they expire (ga_store_cancel), and whether the node then has no
 * holder. */
#define EXPIRED \
	"WITH freed (claim, slot, fabric_partition) AS (SELECT c.number, s.id, " \
	"allocation.fabric_partition FROM allocation INDEXED BY allocation_expiry CROSS JOIN " \
	"claim c ON c.allocation_id = allocation.id AND c.live = 1 CROSS JOIN slot s " \
	"ON s.id = c.slot_id AND s.state = 'reserved' WHERE " GA_SQL_PLAN_EXPIRED ") " \
	"SELECT s.node_id, s.id, f.fabric_partition, " GA_SQL_SLOT_BLOCKER ", NOT EXISTS " \
	"(SELECT 1 FROM claim c WHERE c.node_id = s.node_id AND c.held_by IS NOT NULL " \
	"AND c.claim_kind = 'slot' AND c.number NOT IN (SELECT claim FROM freed)) " \
	"FROM freed f CROSS JOIN slot s ON s.id = f.slot "

/* ---- expired plans ---- */

static void free_expired(struct ga_fleet *f, const struct ga_rows *rows)
{
	struct ga_fleet_node *node = ga_store_fleet_node(f, ga_rows_text(rows, 0));
	struct ga_fleet_slot *slot =
		node ? ga_store_fleet_slot(node, ga_rows_text(rows, 1)) : NULL;

	if (!slot)
		return;
	ga_fleet_touch(f, node);
	slot->why = ga_fleet_word(f, ga_rows_text(rows, 3));
	slot->free = !slot->why;
	slot->available = true;
	ga_fleet_set_active(node, ga_rows_int(rows, 2), false);
	if (!ga_rows_bool(rows, 4))
		return;
	node->clean = true;
	if (ga_streq(node->why, "held_by_baremetal"))
		node->why = NULL;
}

int ga_store_fleet_expire(struct ga_db *db, struct ga_fleet *fleet, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	char now[GA_TIME_SIZE];
	int r;

	if (ga_db_query(db, &rows, err, EXPIRED, "s", ga_time_format(fleet->now_micros, now)) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		free_expired(fleet, rows);
	return r;
}

/* ---- entries for some nodes ---- */

int ga_node_ids_read(struct ga_db *db, const char *sql, int64_t now_micros,
		     struct ga_texts *ret, struct ga_err *err)
{
	char now[GA_TIME_SIZE];

	return ga_db_texts(db, ret, err, sql, "s", ga_time_format(now_micros, now));
}

int ga_store_fleet_add_partial(struct ga_db *db, const struct ga_texts *ids, struct ga_fleet *f,
			       struct ga_err *err)
{
	size_t i;

	if (ids->n > SOME_MAX)
		return 0;
	for (i = 0; i < ids->n; i++)
		if (ga_store_fleet_add(db, f, ids->v[i], err) < 0)
			return -1;
	return ga_store_fleet_expire(db, f, err) < 0 ? -1 : 1;
}

int ga_store_fleet_load_expired(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err)
{
	if (ga_store_fleet_load(db, ret, err) < 0)
		return -1;
	return ga_store_fleet_expire(db, ret, err);
}

int ga_store_fleet_load_ending(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts ids = { 0 };
	struct ga_fleet f = { .lab = ga_db_is_lab(db), .stale_micros = ret->stale_micros,
			      .now_micros = ret->now_micros };
	int r;

	if (ga_node_ids_read(db, ENDING, ret->now_micros, &ids, err) < 0)
		return -1;
	r = ga_store_fleet_regions(db, &f, err);
	if (r == 0)
		r = ga_store_fleet_add_partial(db, &ids, &f, err);
	if (r <= 0) {
		ga_fleet_release(&f);
		return r < 0 ? -1 : ga_store_fleet_load_expired(db, ret, err);
	}
	ga_fleet_release(ret);
	*ret = f;
	return 0;
}
