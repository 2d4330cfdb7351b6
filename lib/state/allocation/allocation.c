/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations, claims, usage and timelines as records. */
#include "state/allocation/allocation.h"
#include "record/result.h"
#include "state/db/fsm.h"
#include "state/db/row.h"

/* The end of the run time. The fraction of the second stays as it is. */
#define RUN_UNTIL \
	"iif(a.state IN ('active', 'held', 'preempting') AND " GA_SQL_RUN_SECONDS \
	" IS NOT NULL, (SELECT strftime('%Y-%m-%dT%H:%M:%S', substr(b.at, 1, 19), '+' || " \
	GA_SQL_RUN_SECONDS " || ' seconds') || substr(b.at, 20) FROM (SELECT " GA_SQL_RUN_BEGAN \
	" AS at) AS b), NULL)"

/* In the order of ga_allocation_schema. The phases are those of the plan's attempt. */
#define ALLOCATIONS \
	"SELECT a.id, a.name, a.node_id, a.generation, a.attempt, 0, a.state, a.since, a.reason, " \
	"a.project, a.profile, a.shape, a.accelerator_type, a.profile_version, a.count, " \
	"a.priority, " \
	"(SELECT json_group_array(id) FROM (SELECT s.id FROM claim c " \
	"JOIN slot s ON s.id = c.slot_id WHERE c.allocation_id = a.id ORDER BY s.slot_index) " \
	"AS k), " \
	"a.power_wanted, a.power_observed, a.access, a.network, " \
	"(SELECT json_group_array(json(j)) FROM (SELECT json_object('phase', t.phase, " \
	"'started_at', t.started_at, 'elapsed_micros', t.elapsed_micros, 'bytes', t.bytes, " \
	"'detail', t.detail) AS j FROM task t WHERE t.object = a.id " \
	"AND t.attempt = json_extract(" GA_SQL_OBJECT("a.plan") ", '$.attempt') ORDER BY t.id) " \
	"AS p), " \
	"a.created_at, iif(a.state IN ('placed', 'held'), a.expires_at, NULL), " \
	"(SELECT lab FROM meta), " \
	"(SELECT 1 FROM profile p WHERE p.name = a.profile AND p.current = 1 AND " \
	"p.version <> a.profile_version AND a.state NOT IN " GA_SQL_ENDED "), " \
	"a.type_reason, a.app, a.app_version, " \
	"json_extract(" GA_SQL_OBJECT("a.plan") ", '$.tenant_image.name'), " RUN_UNTIL \
	", a.created_by FROM allocation a "

int ga_query_allocations(struct ga_db *db, const char *id, struct ga_rows **ret,
			 struct ga_err *err)
{
	if (id)
		return ga_db_query(db, ret, err, ALLOCATIONS "WHERE a.id = ?1", "s", id);
	return ga_db_query(db, ret, err, ALLOCATIONS "ORDER BY a.created_at, a.id", "");
}

int ga_store_allocation(struct ga_db *db, const char *id, struct ga_allocation *ret,
			struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_query_allocations(db, id, &rows, err) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (!r)
		return ga_refuse(err, GA_NOTFOUND, NULL, id,
				 ("there is no allocation '%s'", id),
				 ("'gpuaas-list allocations' shows them"));
	return r < 0 ? -1 : ga_row_read(rows, 0, &ga_allocation_schema, ret, err);
}

#define CLAIMS \
	"SELECT c.id, c.allocation_id, c.node_id, c.slot_id, c.claim_kind, c.live, " \
	"c.created_at, c.use_ended_at, c.ended_at FROM claim c "

int ga_query_claims(struct ga_db *db, const char *object, struct ga_rows **ret,
		    struct ga_err *err)
{
	if (object)
		return ga_db_query(db, ret, err,
				   CLAIMS "WHERE c.allocation_id = ?1 OR c.slot_id = ?1 "
					  "ORDER BY c.created_at, c.id",
				   "s", object);
	return ga_db_query(db, ret, err, CLAIMS "ORDER BY c.created_at, c.id", "");
}

#define TASKS \
	"SELECT t.id, t.node_id, t.object, t.attempt, t.phase, t.state, t.started_at, " \
	"t.finished_at, t.elapsed_micros, t.bytes, t.detail FROM task t "

int ga_query_tasks(struct ga_db *db, const char *object, const struct ga_page *page,
		   struct ga_rows **ret, struct ga_err *err)
{
	if (object)
		return ga_db_query(db, ret, err, TASKS "WHERE t.object = ?1 ORDER BY t.id", "s",
				   object);
	return GA_QUERY_PAGE(db, page, ret, err, TASKS, "t.id", "t.started_at");
}

#define USAGE \
	"SELECT u.id, u.allocation_id, a.project, a.profile, u.accelerator_type, u.usage_kind, " \
	"u.count, u.started_at, u.ended_at, u.price_micros FROM usage u " \
	"JOIN allocation a ON a.id = u.allocation_id "

int ga_query_usage(struct ga_db *db, const char *allocation, const struct ga_page *page,
		   struct ga_rows **ret, struct ga_err *err)
{
	if (allocation)
		return ga_db_query(db, ret, err,
				   USAGE "WHERE u.allocation_id = ?1 ORDER BY u.id", "s",
				   allocation);
	return GA_QUERY_PAGE(db, page, ret, err, USAGE, "u.id", "u.started_at");
}

#define AUDIT \
	"SELECT seq, at, actor, program, action, object, detail, previous_hash, hash FROM audit "

int ga_query_audit(struct ga_db *db, const char *object, const struct ga_page *page,
		   struct ga_rows **ret, struct ga_err *err)
{
	if (object)
		return ga_db_query(db, ret, err, AUDIT "WHERE object = ?1 ORDER BY seq", "s",
				   object);
	return GA_QUERY_PAGE(db, page, ret, err, AUDIT, "seq", "at");
}
