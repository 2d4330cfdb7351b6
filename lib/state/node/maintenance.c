/* SPDX-License-Identifier: Apache-2.0 */
/* Maintenance windows: planned, ended early, or over by time. */
#include <stdlib.h>
#include <string.h>

#include "record/id.h"
#include "record/node.h"
#include "record/state.h"
#include "record/time.h"
#include "state/db/audit.h"
#include "state/db/invariant.h"
#include "state/db/row.h"
#include "state/node/maintenance.h"
#include "state/node/node.h"

/* In the order of ga_maintenance_schema. */
#define WINDOWS \
	"SELECT id, node_id, CASE WHEN ended_at IS NOT NULL THEN 'ended' " \
	"WHEN to_at <= " GA_SQL_NOW " THEN 'over' WHEN from_at <= " GA_SQL_NOW " THEN 'open' " \
	"ELSE 'planned' END, from_at, to_at, reason, created_at, created_by, ended_at " \
	"FROM maintenance "
#define AHEAD "ended_at IS NULL AND to_at > " GA_SQL_NOW " "

int ga_query_maintenance(struct ga_db *db, const char *node, bool ahead, struct ga_rows **ret,
			 struct ga_err *err)
{
	if (node)
		return ahead ? ga_db_query(db, ret, err, WINDOWS "WHERE " AHEAD "AND node_id = ?1 "
					   "ORDER BY from_at, id", "s", node) :
			       ga_db_query(db, ret, err, WINDOWS "WHERE node_id = ?1 "
					   "ORDER BY from_at, id", "s", node);
	return ahead ? ga_db_query(db, ret, err, WINDOWS "WHERE " AHEAD "ORDER BY from_at, id",
				   "") :
		       ga_db_query(db, ret, err, WINDOWS "ORDER BY from_at, id", "");
}

static int read_window(struct ga_db *db, const char *id, struct ga_maintenance *ret,
		       struct ga_err *err)
{
	struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err, WINDOWS "WHERE id = ?1", "s", id) < 0)
		return -1;
	r = ga_row_first(rows, &ga_maintenance_schema, ret, err);
	return r ? (r < 0 ? -1 : 0) : ga_fail(err, GA_NOTFOUND, "there is no maintenance '%s'", id);
}

int ga_store_maintenance_plan(struct ga_db *db, const char *node, const char *from,
			      const char *to, const char *reason, struct ga_maintenance *ret,
			      struct ga_err *err)
{
	ga_autofree char *id = ga_id_new(), *now = ga_time_now();
	struct ga_node found;

	if (!reason || !*reason)
		return ga_fail(err, GA_USAGE, "maintenance needs --reason");
	if (strcmp(from, to) >= 0)
		return ga_fail(err, GA_USAGE, "the maintenance would end (%s) before it begins "
			       "(%s)", to, from);
	if (strcmp(to, now) <= 0)
		return ga_fail(err, GA_USAGE, "the maintenance would be over already: it ends %s",
			       to);
	if (ga_store_node(db, node, &found, err) < 0)
		return -1;
	ga_schema_release(&ga_node_schema, &found);
	if (ga_db_change(db, err,
			 "INSERT INTO maintenance (id, node_id, from_at, to_at, reason, "
			 "created_at, created_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
			 "sssssss", id, node, from, to, reason, now, ga_audit_actor()) < 0 ||
	    /* With the node as object, so that placement reads the node's row of the fleet
	     * again. */
	    ga_audit_add(db, "maintenance_planned", node,
			 json_pack("{s:s, s:s, s:s, s:s}", "maintenance", id, "from", from, "to",
				   to, "reason", reason),
			 err) < 0)
		return -1;
	return read_window(db, id, ret, err);
}

/* Finds the one window whose id begins with the text. */
static int resolve(struct ga_db *db, const char *text, char **ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts ids = { 0 };

	if (*text && ga_db_texts(db, &ids, err,
				 "SELECT id FROM maintenance WHERE id >= ?1 AND id < ?1 || '~' "
				 "LIMIT 2", "s", text) < 0)
		return -1;
	if (!ids.n)
		return ga_refuse(err, GA_NOTFOUND, NULL, text,
				 ("there is no maintenance '%s'", text),
				 ("'gpuaas-list maintenance' shows them"));
	if (ids.n > 1)
		return ga_fail(err, GA_USAGE, "'%s' begins the id of more than one maintenance",
			       text);
	*ret = GA_TAKE(ids.v[0]);
	return 0;
}

int ga_store_maintenance_end(struct ga_db *db, const char *id, struct ga_maintenance *ret,
			     struct ga_err *err)
{
	ga_autofree char *full = NULL, *now = ga_time_now();
	int n, r;

	if (resolve(db, id, &full, err) < 0)
		return -1;
	n = ga_db_exec(db, err,
		       "UPDATE maintenance SET ended_at = ?2 WHERE id = ?1 AND ended_at IS NULL "
		       "AND to_at > ?2",
		       "ss", full, now);
	if (n < 0 || read_window(db, full, ret, err) < 0)
		return -1;
	r = n ? ga_audit_add(db, "maintenance_ended", ret->node,
			     json_pack("{s:s, s:s}", "maintenance", full, "to", ret->to), err) :
		ga_fail_for(err, GA_CONFLICT, "wrong_state",
			    "maintenance '%s' no longer counts: it is %s", full, ret->state);
	if (r < 0)
		ga_schema_release(&ga_maintenance_schema, ret);
	return r;
}

int ga_store_maintenance_ahead(struct ga_db *db, const char *node, ga_store_each each, void *arg,
			       struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	struct ga_maintenance m;
	int r;

	if (ga_query_maintenance(db, node, true, &rows, err) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		if (ga_row_read(rows, 0, &ga_maintenance_schema, &m, err) < 0)
			return -1;
		r = each(&ga_maintenance_schema, &m, arg, err);
		ga_schema_release(&ga_maintenance_schema, &m);
		if (r < 0)
			return -1;
	}
	return r;
}
