/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists any kind: one table of kinds, and rows streamed one by one, so that memory does not grow
 * with the state. The order is that of the SELECT of each kind.
 */
#include <inttypes.h>

#include "record/access.h"
#include "record/app.h"
#include "record/closest.h"
#include "record/node.h"
#include "record/plan.h"
#include "record/rec.h"
#include "record/result.h"
#include "record/size.h"
#include "record/time.h"
#include "state/access/access.h"
#include "state/access/propose.h"
#include "state/allocation/allocation.h"
#include "state/allocation/plan.h"
#include "state/allocation/wipe.h"
#include "state/capacity/app.h"
#include "state/capacity/pool.h"
#include "state/capacity/profile.h"
#include "state/capacity/refusal.h"
#include "state/capacity/region.h"
#include "state/db/attend.h"
#include "state/db/row.h"
#include "state/node/image.h"
#include "state/node/maintenance.h"
#include "state/node/node.h"
#include "state/node/observe.h"
#include "state/query/list.h"
#include "state/query/where.h"
#include "state/slot/slot.h"
#include "state/watch/attention.h"
#include "state/watch/events.h"
#include "state/watch/expiring.h"

struct list_kind {
	const char *name, *plural;
	const struct ga_schema *schema;
	const char *id, *time; /* members for --after and --since; NULL: there is none */
	enum history { NO_HISTORY, BY_TIME, BY_NUMBER } history; /* can be read newest first */
	int (*query)(struct ga_db *db, const struct ga_list_query *q, struct ga_rows **ret,
		     struct ga_err *err);
	bool text; /* the row is the record's text itself */
	int (*many)(struct ga_db *db, ga_store_each each, void *arg, struct ga_err *err);
};

/* ---- the SELECTs, under one signature ---- */

#define ALL(name, call) \
	static int name(struct ga_db *db, const struct ga_list_query *q, struct ga_rows **ret, \
			struct ga_err *err) \
	{ \
		(void)q; \
		return call; \
	}

ALL(all_nodes, ga_query_nodes(db, NULL, ret, err))
ALL(all_slots, ga_query_slots(db, NULL, NULL, ret, err))
ALL(all_candidates, ga_query_candidates(db, ret, err))
ALL(all_profiles, ga_query_profiles(db, ret, err))
ALL(all_apps, ga_query_apps(db, NULL, ret, err))
ALL(all_images, ga_query_images(db, ret, err))
ALL(all_node_images, ga_query_node_images(db, ret, err))
ALL(all_allocations, ga_query_allocations(db, NULL, ret, err))
ALL(all_plans, ga_query_plans(db, ret, err))
ALL(all_claims, ga_query_claims(db, NULL, ret, err))
ALL(all_evidence, ga_query_evidence(db, NULL, q->newest, ret, err))
ALL(all_teams, ga_query_teams(db, NULL, ret, err))
ALL(all_grants, ga_query_grants(db, NULL, ret, err))
ALL(all_access, ga_query_access(db, ret, err))
ALL(all_proposals, ga_query_proposals(db, NULL, ret, err))
ALL(all_maintenance, ga_query_maintenance(db, NULL, false, ret, err))

/* Histories grow for ever: the number of --after is a key of their tables. */
static int page_of(const struct ga_list_query *q, struct ga_page *ret, struct ga_err *err)
{
	*ret = (struct ga_page){ .newest = q->newest, .after = q->newest ? INT64_MAX : 0,
				 .since = q->since };
	return q->after ? ga_int_parse(q->after, "--after", 0, GA_INT_MAX_SAFE, &ret->after, err) :
			  0;
}

#define PAGE(name, call) \
	static int name(struct ga_db *db, const struct ga_list_query *q, struct ga_rows **ret, \
			struct ga_err *err) \
	{ \
		struct ga_page page; \
		return page_of(q, &page, err) < 0 ? -1 : call; \
	}

PAGE(some_tasks, ga_query_tasks(db, NULL, &page, ret, err))
PAGE(some_usage, ga_query_usage(db, NULL, &page, ret, err))
PAGE(some_audit, ga_query_audit(db, NULL, &page, ret, err))
PAGE(some_events, ga_query_events(db, &page, ret, err))
PAGE(some_refusals, ga_query_refusals(db, &page, ret, err))

static int all_pools(struct ga_db *db, ga_store_each each, void *arg, struct ga_err *err);
static int all_attention(struct ga_db *db, ga_store_each each, void *arg, struct ga_err *err);

static const struct list_kind kinds[] = {
	{ "node", "nodes", &ga_node_schema, "node", "since", .query = all_nodes },
	{ "slot", "slots", &ga_slot_schema, "slot", "since", .query = all_slots },
	{ "candidate", "candidates", &ga_candidate_schema, .query = all_candidates, .text = true },
	{ "profile", "profiles", &ga_profile_schema, "name", .query = all_profiles,
	  .text = true },
	{ "app", "apps", &ga_app_schema, "name", .query = all_apps, .text = true },
	{ "image", "images", &ga_image_schema, "name", .query = all_images, .text = true },
	{ "node-image", "node-images", &ga_node_image_schema, .time = "verified_at",
	  .query = all_node_images },
	{ "allocation", "allocations", &ga_allocation_schema, "allocation", "since",
	  .query = all_allocations },
	{ "plan", "plans", &ga_plan_schema, "allocation", "created_at", .query = all_plans,
	  .text = true },
	{ "claim", "claims", &ga_claim_schema, "claim", "created_at", .query = all_claims },
	{ "task", "tasks", &ga_task_schema, "seq", "started_at", BY_NUMBER,
	  .query = some_tasks },
	{ "usage", "usage", &ga_usage_schema, "seq", "started_at", BY_NUMBER,
	  .query = some_usage },
	{ "wipe-evidence", "evidence", &ga_wipe_evidence_schema, "evidence", "finished_at",
	  BY_TIME, .query = all_evidence, .text = true },
	{ "audit", "audit", &ga_audit_schema, "seq", "at", BY_NUMBER,
	  .query = some_audit },
	{ "event", "events", &ga_event_schema, "seq", "at", BY_NUMBER,
	  .query = some_events },
	{ "refusal", "refusals", &ga_kept_refusal_schema, "seq", "last_at", BY_NUMBER,
	  .query = some_refusals },
	{ "maintenance", "maintenance", &ga_maintenance_schema, "maintenance", "from",
	  .query = all_maintenance },
	{ "team", "teams", &ga_team_schema, "name", .query = all_teams, .text = true },
	{ "grant", "grants", &ga_grant_schema, "name", .query = all_grants, .text = true },
	{ "access-settings", "access-settings", &ga_access_settings_schema, .query = all_access,
	  .text = true },
	{ "proposal", "proposals", &ga_proposal_schema, "proposal", "proposed_at",
	  .query = all_proposals },
	{ .name = "pool", .plural = "pools", .schema = &ga_pool_schema, .many = all_pools },
	{ .name = "region", .plural = "regions", .schema = &ga_region_schema, .id = "name",
	  .many = ga_store_list_regions },
	{ .name = "attention", .plural = "attention", .schema = &ga_attention_schema,
	  .id = "object", .time = "since", .many = all_attention },
};

static const struct list_kind *find_kind(const char *name, struct ga_err *err)
{
	ga_autostr struct ga_str names = GA_STR_INIT;
	ga_autofree char *hint = NULL;
	struct ga_closest_names near;
	size_t i;

	ga_closest_begin(&near, name);
	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++) {
		if (ga_streq(kinds[i].name, name) || ga_streq(kinds[i].plural, name))
			return &kinds[i];
		ga_closest_word(&near, kinds[i].plural);
		ga_str_addf(&names, "%s%s", i ? " " : "", kinds[i].plural);
	}
	hint = ga_closest_hint(&near);
	ga_err_set(err, GA_USAGE, "there is no kind '%.64s' to list", name);
	ga_hint(err, "%skinds: %s", hint, names.buf);
	return NULL;
}

const struct ga_schema *ga_list_schema(const char *kind, struct ga_err *err)
{
	const struct list_kind *k = find_kind(kind, err);

	return k ? k->schema : NULL;
}

void ga_list_words(const char *kind, const char **one, const char **many)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++)
		if (ga_streq(kinds[i].name, kind) || ga_streq(kinds[i].plural, kind)) {
			*one = kinds[i].name;
			*many = kinds[i].plural;
		}
}

bool ga_list_is_history(const struct ga_schema *schema)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++)
		if (kinds[i].schema == schema)
			return kinds[i].history != NO_HISTORY;
	return false;
}

/* ---- the filter ---- */

struct filter {
	const struct ga_list_query *q;
	const struct list_kind *kind;
	char since[GA_TIME_SIZE];
	bool behind; /* the record of --after was passed */
	bool full;   /* --limit is reached */
	int64_t n;
	ga_store_each each;
	void *arg;
};

static bool lets_through(struct filter *f, const struct ga_schema *schema, const void *obj)
{
	const char *time;

	if (!f->behind) {
		f->behind = ga_streq(ga_where_text(schema, obj, f->kind->id), f->q->after);
		return false;
	}
	time = f->since[0] ? ga_where_text(schema, obj, f->kind->time) : NULL;
	if (f->since[0] && (!time || strcmp(time, f->since) < 0))
		return false;
	return !f->q->where || ga_wheres_match(schema, obj, f->q->where);
}

/* Lists that use more of the query than its filter: stale_seconds and here. */

static int all_pools(struct ga_db *db, ga_store_each each, void *arg, struct ga_err *err)
{
	const struct filter *f = arg;

	return ga_store_list_pools(db, f->q->stale_seconds, each, arg, err);
}

static int all_attention(struct ga_db *db, ga_store_each each, void *arg, struct ga_err *err)
{
	const struct filter *f = arg;
	const struct ga_attend_to to = { .each = each, .arg = arg, .here = f->q->here,
					 .stale_seconds = f->q->stale_seconds };

	return ga_store_list_attention(db, &to, err);
}

static int pass(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	struct filter *f = arg;

	if (f->full || !lets_through(f, schema, obj))
		return 0;
	if (f->q->hidden && schema == &ga_attention_schema &&
	    ((const struct ga_attention *)obj)->acknowledged) {
		++*f->q->hidden;
		return 0;
	}
	f->full = ++f->n == f->q->limit;
	return f->each(schema, obj, f->arg, err);
}

static int check_query(struct filter *f, struct ga_err *err)
{
	const struct ga_list_query *q = f->q;
	int64_t micros;

	if (q->after && !f->kind->id)
		return ga_fail(err, GA_USAGE, "%s have no ids to go on after", f->kind->plural);
	if (q->newest && !f->kind->history)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--newest is for histories, and '%s' is none", f->kind->plural),
				 ("histories: tasks usage evidence audit events refusals"));
	if (!q->since)
		return 0;
	if (!f->kind->time)
		return ga_fail(err, GA_USAGE, "%s have no time", f->kind->plural);
	if (ga_time_parse(q->since, &micros, err) < 0) {
		err->code = GA_USAGE;
		return -1;
	}
	ga_time_format(micros, f->since);
	return 0;
}

static int each_row(struct filter *f, const struct ga_rows *rows, void *obj, struct ga_err *err)
{
	const struct ga_schema *schema = f->kind->schema;
	int r = f->kind->text ? ga_rec_parse_text(ga_rows_text(rows, 0), schema, obj, err) :
				ga_row_read(rows, 0, schema, obj, err);

	if (r < 0 && f->kind->text && f->q->unreadable) {
		f->q->unreadable(f->kind->name, ga_rows_text(rows, 1), err);
		ga_err_clear(err);
		return 0;
	}
	if (r < 0)
		return ga_wrap(err, "a stored %s", f->kind->name);
	r = pass(schema, obj, f, err);
	ga_schema_release(schema, obj);
	return r;
}

static int list_rows(struct ga_db *db, struct filter *f, struct ga_err *err)
{
	ga_autofree void *obj = ga_xcalloc(1, f->kind->schema->size);
	struct ga_list_query q = *f->q;
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	q.since = f->since[0] ? f->since : NULL;
	if (f->kind->query(db, &q, &rows, err) < 0)
		return -1;
	while (!f->full && (r = ga_rows_next(rows, err)) != 0)
		if (r < 0 || each_row(f, rows, obj, err) < 0)
			return -1;
	return 0;
}

int ga_store_list(struct ga_db *db, const struct ga_list_query *q, ga_store_each each, void *arg,
		  struct ga_err *err)
{
	struct filter f = { .q = q, .each = each, .arg = arg };
	int r;

	f.kind = find_kind(q->kind, err);
	if (!f.kind || check_query(&f, err) < 0)
		return -1;
	f.behind = !q->after || f.kind->history == BY_NUMBER;
	r = f.kind->many ? f.kind->many(db, pass, &f, err) : list_rows(db, &f, err);
	if (!r && !f.behind)
		return ga_fail_about(err, GA_NOTFOUND, NULL, q->after,
				     "there is no %s '%s' to go on after", f.kind->name, q->after);
	return r;
}
