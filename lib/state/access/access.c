/* SPDX-License-Identifier: Apache-2.0 */
/* Teams and grants in the state, and the access check ("the gate") of every writing program. */
#include "state/access/access.h"

#include <string.h>

#include "record/rec.h"
#include "record/state.h"
#include "state/db/audit.h"
#include "state/db/row.h"

int ga_query_teams(struct ga_db *db, const char *name, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err,
			   "SELECT record, name FROM team WHERE ?1 IS NULL OR name = ?1 "
			   "ORDER BY name",
			   "s", name);
}

int ga_query_grants(struct ga_db *db, const char *name, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err,
			   "SELECT record, name FROM access_grant WHERE ?1 IS NULL OR name = ?1 "
			   "ORDER BY name", "s", name);
}

int ga_query_access(struct ga_db *db, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err, "SELECT record FROM access", "");
}

/* ---- rules ---- */

static int load_grants(struct ga_db *db, struct ga_access_rules *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	struct ga_grant g;
	int r;

	if (ga_query_grants(db, NULL, &rows, err) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		if (ga_rec_parse_text(ga_rows_text(rows, 0), &ga_grant_schema, &g, err) < 0)
			return ga_wrap(err, "a stored grant");
		*ga_list_add(&ret->grants) = g;
	}
	return r;
}

static int load_teams(struct ga_db *db, struct ga_access_rules *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	struct ga_team t;
	int r;

	if (ga_query_teams(db, NULL, &rows, err) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		if (ga_rec_parse_text(ga_rows_text(rows, 0), &ga_team_schema, &t, err) < 0)
			return ga_wrap(err, "a stored team");
		*ga_list_add(&ret->teams) = t;
	}
	return r;
}

static int load_settings(struct ga_db *db, struct ga_access_rules *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_query_access(db, &rows, err) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r > 0 && ga_rec_parse_text(ga_rows_text(rows, 0), &ga_access_settings_schema,
				       &ret->settings, err) < 0)
		return ga_wrap(err, "the stored settings of access");
	return r < 0 ? -1 : 0;
}

int ga_store_access_load(struct ga_db *db, struct ga_access_rules *ret, struct ga_err *err)
{
	*ret = (struct ga_access_rules){ 0 };
	if (load_grants(db, ret, err) == 0 && load_teams(db, ret, err) == 0 &&
	    load_settings(db, ret, err) == 0)
		return 0;
	ga_access_rules_release(ret);
	return -1;
}

int ga_store_begin(struct ga_db *db, const char *what, struct ga_err *err)
{
	int r = 0;

	if (!ga_who()->is_root)
		r = ga_db_one(db, err,
			      "SELECT 1 FROM access_grant UNION ALL SELECT 1 FROM team LIMIT 1",
			      "");
	if (r > 0)
		ga_who_groups();
	return r < 0 ? -1 : ga_db_begin(db, what, err);
}

/* ---- the access check ---- */

/* The last refusal, kept for the audit until this process ends. */
static struct {
	char *action;
	enum ga_access_why why;
} refused;

static int refuse(const struct ga_access_rules *rules, const struct ga_access_actor *actor,
		  const struct ga_access_ask *ask, const char *object,
		  const struct ga_access_verdict *verdict, struct ga_err *err)
{
	ga_autostr struct ga_str sentence = GA_STR_INIT, hint = GA_STR_INIT;

	ga_access_explain(rules, actor, ask, verdict, &sentence, &hint);
	free(refused.action);
	refused.action = ga_xstrdup(ask->action);
	refused.why = verdict->why;
	return ga_refuse(err, GA_DENIED, ga_access_reason(verdict->why), object,
			 ("%s", sentence.buf), ("%s", hint.buf));
}

int ga_store_may(const struct ga_access_rules *rules, const struct ga_access_ask *ask,
		 const char *object, struct ga_err *err)
{
	bool asks = rules->grants.n || rules->teams.n || ask->n_profile_teams;
	const struct ga_who *who = ga_who();
	struct ga_access_verdict verdict;
	struct ga_access_actor actor = {
		.name = who->name,
		.uid = who->person,
		.is_root = who->is_root,
	};

	if (asks && !who->is_root) {
		ga_who_groups();
		actor.groups = who->groups.v;
		actor.n_groups = who->groups.n;
	}
	return ga_access_decide(rules, &actor, ask, &verdict) ?
		       0 :
		       refuse(rules, &actor, ask, object, &verdict, err);
}

static int ask_gate(struct ga_db *db, const struct ga_access_ask *ask, const char *object,
		    struct ga_err *err)
{
	ga_autorules struct ga_access_rules rules = { 0 };

	if (ga_who()->is_root)
		return 0;
	return ga_store_access_load(db, &rules, err) < 0 ? -1 :
							   ga_store_may(&rules, ask, object, err);
}

/* sql reads pool, project and profile of the object ?1. No row: the object has none of the
 * three. */
static int ask_of_row(struct ga_db *db, const char *sql, struct ga_access_ask *ask,
		      const char *object, struct ga_err *err)
{
	ga_autofree char *pool = NULL, *project = NULL, *profile = NULL;

	if (ga_db_get(db, err, sql, "sSSS", object, &pool, &project, &profile) < 0)
		return -1;
	ask->pool = pool;
	ask->project = project;
	ask->profile = profile;
	return ask_gate(db, ask, object, err);
}

int ga_store_may_slot(struct ga_db *db, const char *action, const char *slot, struct ga_err *err)
{
	ga_autofree char *what = ga_xprintf("slot '%.64s'", slot);
	struct ga_access_ask ask = { .action = action, .what = what };

	return ask_of_row(db,
			  "SELECT n.pool, a.project, a.profile FROM slot s "
			  "JOIN node n ON n.id = s.node_id "
			  "LEFT JOIN claim c ON c.slot_id = s.id AND c.live = 1 "
			  "AND c.claim_kind = 'slot' "
			  "LEFT JOIN allocation a ON a.id = c.allocation_id WHERE s.id = ?1",
			  &ask, slot, err);
}

int ga_store_may_node(struct ga_db *db, const char *action, const char *node, struct ga_err *err)
{
	ga_autofree char *what = ga_xprintf("node '%.64s'", node);
	struct ga_access_ask ask = { .action = action, .what = what };

	return ask_of_row(db, "SELECT pool, NULL, NULL FROM node WHERE id = ?1", &ask, node, err);
}

int ga_store_may_allocation(struct ga_db *db, const char *action, const char *allocation,
			    struct ga_err *err)
{
	ga_autofree char *what = ga_xprintf("allocation '%.64s'", allocation);
	struct ga_access_ask ask = { .action = action, .what = what, .of_team = true };

	return ask_of_row(db,
			  "SELECT n.pool, a.project, a.profile FROM allocation a "
			  "LEFT JOIN node n ON n.id = a.node_id WHERE a.id = ?1",
			  &ask, allocation, err);
}

int ga_store_may_place(struct ga_db *db, const struct ga_access_rules *rules,
		       const struct ga_request *request, const struct ga_profile *profile,
		       struct ga_err *err)
{
	ga_autofree char *of_node = NULL, *what = NULL;
	struct ga_access_ask ask = {
		.action = "place",
		.project = request->project,
		.profile = profile->name,
		.pool = request->pool,
		.of_team = true,
		.profile_teams = profile->teams.v,
		.n_profile_teams = profile->teams.n,
	};

	if (ga_who()->is_root)
		return 0;
	if (!ask.pool && request->node &&
	    ga_db_get(db, err, "SELECT pool FROM node WHERE id = ?1", "sS", request->node,
		      &of_node) < 0)
		return -1;
	if (!ask.pool)
		ask.pool = of_node ? of_node : profile->pool;
	what = ga_xprintf("profile '%s' for project '%s'%s%s%s", profile->name, request->project,
			  ask.pool ? " in pool '" : " in any pool", ask.pool ? ask.pool : "",
			  ask.pool ? "'" : "");
	ask.what = what;
	return ga_store_may(rules, &ask, request->project, err);
}

static int may_settings(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	ga_autofree char *what = ga_xprintf("pool '%s' for node '%s'", s->pool ? s->pool : "",
					    s->node);
	const struct ga_access_ask ask = { .action = "administer", .what = what, .pool = s->pool };

	if (ga_store_may_node(db, "administer", s->node, err) < 0)
		return -1;
	/* Into another pool: the user needs a grant for that pool, too. */
	return s->pool ? ask_gate(db, &ask, s->node, err) : 0;
}

int ga_store_may_apply(struct ga_db *db, const struct ga_schema *schema, const void *obj,
		       struct ga_err *err)
{
	struct ga_access_ask ask = { .action = "administer" };
	const char *name = "access-settings";
	ga_autofree char *what = NULL;
	char kind[32];

	if (schema == &ga_node_settings_schema)
		return may_settings(db, obj, err);
	if (schema == &ga_node_image_schema)
		return ga_store_may_node(db, "administer",
					 ((const struct ga_node_image *)obj)->node, err);
	if (schema == &ga_profile_schema) {
		ask.profile = ((const struct ga_profile *)obj)->name;
		ask.pool = ((const struct ga_profile *)obj)->pool;
	}
	/* In the records of the other kinds the name is the first member. */
	if (schema != &ga_access_settings_schema)
		name = *(char *const *)obj;
	what = ga_xprintf("%s '%s'", ga_kind_short(schema, kind), name);
	ask.what = what;
	return ask_gate(db, &ask, name, err);
}

int ga_store_may_state(struct ga_db *db, const char *what, struct ga_err *err)
{
	const struct ga_access_ask ask = { .action = "administer", .what = what };

	return ask_gate(db, &ask, "state", err);
}

/* ---- refusals ---- */

bool ga_store_access_is_refusal(const struct ga_err *err)
{
	static const char *const reasons[] = { "no_grant",    "team_project", "team_profile",
					       "same_person", "no_person" };
	size_t i;

	for (i = 0; err->code == GA_DENIED && i < GA_ARRAY_SIZE(reasons); i++)
		if (ga_streq(err->reason, reasons[i]))
			return true;
	return false;
}

int ga_store_access_audit(struct ga_db *db, const struct ga_err *refusal, struct ga_err *err)
{
	const struct ga_who *who = ga_who_groups();
	json_t *groups = json_array(), *name;
	size_t i;

	for (i = 0; i < who->groups.n && i < 64; i++) {
		name = json_string(who->groups.v[i]);
		json_array_append_new(groups, name ? name : json_string("?"));
	}
	return ga_audit_add(db, "access_refused", refusal->object,
			    json_pack("{s:s, s:s, s:o}", "action",
				      refused.action ? refused.action : "override", "reason",
				      refusal->reason, "groups", groups),
			    err);
}

int ga_store_access_note(struct ga_db *db, struct ga_err *err)
{
	struct ga_err second = GA_ERR_INIT;

	ga_db_rollback(db);
	if (!ga_store_access_is_refusal(err))
		return -1;
	if (ga_db_begin(db, "access_refused", &second) < 0 ||
	    ga_store_access_audit(db, err, &second) < 0 || ga_db_commit(db, &second) < 0) {
		ga_db_rollback(db);
		return ga_wrap(err, "this refusal is not in the audit (%s)", second.msg);
	}
	return -1;
}
