/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows damaged from outside gpuaas: each is left out of use (json.h) and named here, so that
 * somebody repairs it.
 */
#include "state/node/damaged.h"

#include "record/rec.h"
#include "record/state.h"
#include "record/time.h"
#include "state/allocation/move.h"
#include "state/capacity/profile.h"
#include "state/db/attend.h"
#include "state/db/fsm.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/slot/suspect.h"

enum { D_KIND, D_ID, D_STATE, D_SINCE, D_NODE, D_PROJECT, D_WHAT, D_SHAPE };

/* Only live objects. A blocker that cannot be read is also the first blocker of its object, and
 * attention shows it there. */
#define LIVE "state NOT IN " GA_SQL_ENDED
#define OF_NODE(what) "SELECT 'node', id, state, since, id, NULL, '" what "', NULL FROM node WHERE "
#define OF_SLOT(what) \
	"SELECT 'slot', id, state, since, node_id, NULL, '" what "', NULL FROM slot WHERE "
#define OF_ALLOCATION(what) \
	"SELECT 'allocation', id, state, since, node_id, project, '" what "', shape " \
	"FROM allocation WHERE " LIVE " AND "
#define NO_GENERATION "generation NOT BETWEEN 0 AND " GA_SQL_GENERATION_LAST
#define BLOCKERS \
	OF_NODE(GA_DAMAGED_REASONS) "state <> 'retired' AND " GA_SQL_NOT_REASONS("blockers") \
	" UNION ALL " OF_SLOT(GA_DAMAGED_REASONS) "state NOT IN ('available', 'retired') AND " \
	GA_SQL_NOT_REASONS("blockers")
/* Attention runs this query each time: it reads each node once, and parses only columns that hold
 * more than the empty record. */
#define WHAT_OF_NODE \
	"CASE WHEN network <> '{}' AND " GA_SQL_NOT_OBJECT("network") \
	" THEN 'its network is not a record' WHEN " \
	"partitions <> '{}' AND " GA_SQL_NOT_OBJECT("partitions") \
	" THEN 'its partitions are not a record' WHEN " \
	NO_GENERATION " THEN 'its generation is at its end' END"
#define OF_NODES \
	"SELECT 'node', id, state, since, id, NULL, " WHAT_OF_NODE ", NULL FROM node " \
	"WHERE state <> 'retired' AND " WHAT_OF_NODE " IS NOT NULL"
#define OF_SLOTS \
	OF_SLOT("its generation is at its end") \
	"state NOT IN ('available', 'retired') AND " NO_GENERATION
#define OF_ALLOCATIONS \
	OF_ALLOCATION("its generation is at its end") NO_GENERATION \
	" UNION ALL " OF_ALLOCATION("its request is not a record") GA_SQL_NOT_OBJECT("request") \
	" UNION ALL " OF_ALLOCATION("its plan is not a record") GA_SQL_NOT_OBJECT("plan") \
	" UNION ALL " OF_ALLOCATION("its network is not a record") GA_SQL_NOT_OBJECT("network") \
	" UNION ALL " OF_ALLOCATION("its order is not a record") GA_SQL_NOT_OBJECT("order_text") \
	" UNION ALL " OF_ALLOCATION("its profile is not a record") \
	GA_SQL_NOT_OBJECT("profile_record")
/* For attention only allocations that an index finds: texts that do not even begin as a record.
 * Only the check parses the plans of all allocations. */
#define OF_SUSPECTS \
	"SELECT 'allocation', id, state, since, node_id, project, CASE WHEN " NO_GENERATION \
	" THEN 'its generation is at its end' ELSE 'one of its records is none' END, shape " \
	"FROM allocation INDEXED BY allocation_suspect WHERE " GA_SQL_ALLOCATION_SUSPECT
#define ORDER " ORDER BY 1, 2, 7"

/* Profiles that cannot be read, and therefore sell nothing: each with the reason. */
static int each_profile(struct ga_db *db, ga_damaged each, void *arg, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_query_profiles(db, &rows, err) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_err why = GA_ERR_INIT;
		struct ga_profile p;

		if (ga_rec_parse_text(ga_rows_text(rows, 0), &ga_profile_schema, &p, &why) == 0)
			ga_schema_release(&ga_profile_schema, &p);
		else if (each("profile", ga_rows_text(rows, 1), why.msg, arg, err) < 0)
			r = -1;
		ga_err_clear(&why);
		if (r < 0)
			return -1;
	}
	return r;
}

int ga_store_each_damaged(struct ga_db *db, ga_damaged each, void *arg, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			BLOCKERS " UNION ALL " OF_NODES " UNION ALL " OF_SLOTS " UNION ALL "
			OF_ALLOCATIONS ORDER, "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (each(ga_rows_text(rows, D_KIND), ga_rows_text(rows, D_ID),
			 ga_rows_text(rows, D_WHAT), arg, err) < 0)
			return -1;
	return r < 0 ? -1 : each_profile(db, each, arg, err);
}

/* A new discovery writes a node again. For an allocation whose plan no host took up, a release
 * helps. A live allocation continues, and the check shows the possible cure. */
static char *command_of(const struct ga_rows *rows)
{
	const char *kind = ga_rows_text(rows, D_KIND), *state = ga_rows_text(rows, D_STATE);

	if (!strcmp(kind, "node"))
		return ga_xstrdup("gpuaas-discover | gpuaas-approve --record-only");
	if (!strcmp(kind, "allocation") && !strcmp(state, "placed"))
		return ga_store_leave(GA_M_ALLOCATION, state, ga_rows_text(rows, D_SHAPE),
				      ga_rows_text(rows, D_ID));
	return NULL;
}

static int attend_profile(const char *kind, const char *id, const char *what, void *arg,
			  struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	struct ga_attend f = {
		.object_kind = "state",
		.object = id,
		.state = "present",
		.since = now,
		.code = "row_damaged",
		.sentence = ga_xprintf("its %s '%s' cannot be read: nothing of it is sold: "
				       "%s", kind,
				       id, what),
	};

	return ga_attention_emit(&f, arg, err);
}

int ga_attend_damaged(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			OF_NODES " UNION ALL " OF_SLOTS " AND " GA_SQL_SLOT_LAST_GENERATION
			" UNION ALL "
			OF_SUSPECTS ORDER, "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_attend f = {
			.object_kind = ga_rows_text(rows, D_KIND),
			.object = ga_rows_text(rows, D_ID),
			.state = ga_rows_text(rows, D_STATE),
			.since = ga_rows_text(rows, D_SINCE),
			.node = ga_rows_text(rows, D_NODE),
			.project = ga_rows_text(rows, D_PROJECT),
			.code = "row_damaged",
			.sentence = ga_xprintf("%s: no program of gpuaas writes that",
					       ga_rows_text(rows, D_WHAT)),
			.command = command_of(rows),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r < 0 ? -1 : each_profile(db, attend_profile, (void *)(uintptr_t)to, err);
}
