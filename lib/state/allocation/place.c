/* SPDX-License-Identifier: Apache-2.0 */
/* Commits a placement: allocation, claims, reserved slots and plan, in the caller's transaction. */
#include "state/allocation/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/texts.h"
#include "record/id.h"
#include "record/plan.h"
#include "record/rec.h"
#include "record/release.h"
#include "record/time.h"
#include "record/words.h"
#include "state/allocation/plan.h"
#include "state/allocation/release.h"
#include "state/db/audit.h"
#include "state/db/fsm.h"

/* ---- repeated requests ---- */

int ga_store_placed_before(struct ga_db *db, const struct ga_request *request,
			   struct ga_plan *ret, struct ga_err *err)
{
	ga_autofree char *id = NULL, *asked = NULL, *plan = NULL, *state = NULL, *text = NULL;
	int r;

	if (!request->request_id)
		return 0;
	r = ga_db_one(db, err,
		      "SELECT id, request, plan, state FROM allocation WHERE request_id = ?1",
		      "sSSSS", request->request_id, &id, &asked, &plan, &state);
	if (r <= 0)
		return r;
	text = ga_rec_format_text(&ga_request_schema, request);
	if (!ga_streq(text, asked))
		return ga_refuse(err, GA_CONFLICT, "request_id_reused", id,
				 ("request_id '%.80s' belongs to another request (allocation '%s')",
				  request->request_id, id),
				 ("a new request needs a request_id of its own"));
	if (!plan || ga_allocation_has_ended(state))
		return ga_refuse(err, GA_CONFLICT, "request_ended", id,
				 ("request_id '%.80s' was answered with allocation '%s', which is "
				  "%s", request->request_id, id, state),
				 ("to place it again, use a new request_id"));
	if (ga_rec_parse_text(plan, &ga_plan_schema, ret, err) < 0)
		return ga_wrap(err, "the stored plan of '%s'", id);
	return 1;
}

/* ---- placing ---- */

/* The inputs of one placement. */
struct placing {
	const struct ga_request *request;
	const struct ga_profile *profile;
	const struct ga_decision *decision;
	bool baremetal;
	const char *now;
	struct ga_plan *plan;
};

/* Says which allocation has the name. */
static int fail_name(struct ga_db *db, const char *name, struct ga_err *err)
{
	ga_autofree char *id = NULL, *state = NULL;
	struct ga_err none = GA_ERR_INIT; /* the error of the insertion counts */

	if (ga_db_one(db, &none,
		      "SELECT id, state FROM allocation WHERE name = ?1 AND state NOT IN "
		      GA_SQL_ENDED,
		      "sSS", name, &id, &state) <= 0)
		return -1;
	return ga_refuse(err, GA_CONFLICT, "name_taken", id,
			 ("allocation '%s', which is %s, has the name '%s'", id, state, name),
			 ("give another --name, or none; gpuaas-show %s shows that one", id));
}

/* A name that is the id of another object would mean the one in one command and the other in
 * another. */
static int check_name(struct ga_db *db, const char *name, struct ga_err *err)
{
	ga_autofree char *kind = NULL;
	int r = name ? ga_db_one(db, err,
				 "SELECT 'allocation' FROM allocation WHERE id = ?1 UNION ALL "
				 "SELECT 'slot' FROM slot WHERE id = ?1 UNION ALL "
				 "SELECT 'node' FROM node WHERE id = ?1 OR name = ?1 LIMIT 1",
				 "sS", name, &kind) : 0;

	return r <= 0 ? r :
			ga_refuse(err, GA_CONFLICT, "name_taken", name,
				  ("an allocation cannot have the name '%s': it is that, or the "
				   "id, of %s %s", name,
				   ga_streq(kind, "allocation") ? "another" : "a", kind),
				  ("give another --name, or none; 'gpuaas-show %s' shows what "
				   "has it", name));
}

static int insert_allocation(struct ga_db *db, const struct placing *p, struct ga_err *err)
{
	ga_autofree char *request = ga_rec_format_text(&ga_request_schema, p->request);
	ga_autostr struct ga_str types = GA_STR_INIT;
	size_t i;

	if (check_name(db, p->request->name, err) < 0)
		return -1;
	/* A line feed before and after each type, because no type has one; NULL: any type. */
	for (i = 0; i < p->profile->types.n; i++)
		ga_str_addf(&types, "%s%s\n", i ? "" : "\n", p->profile->types.v[i]);
	if (ga_db_change(
		db, err,
		"INSERT INTO allocation (id, name, request_id, request, project, priority, "
		"shape, count, since, node_id, accelerator_type, profile, profile_version, "
		"profile_record, price_micros, created_at, created_by, type_reason, "
		"profile_types, app, app_version) VALUES "
		"(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, (SELECT record "
		"FROM profile WHERE name = ?12 AND version = ?13), ?14, ?9, ?15, ?16, ?17, ?18, "
		"(SELECT version FROM app WHERE name = ?18 AND current = 1))",
		"sssssisissssiissss", p->plan->allocation, p->request->name,
		p->request->request_id, request, p->request->project, p->request->priority,
		p->baremetal ? "baremetal" : "slice", (int64_t)p->decision->slots.n, p->now,
		p->decision->node->id, p->decision->type, p->profile->name,
		p->profile->version, p->profile->price_micros, ga_audit_actor(),
		p->decision->type_reason, types.len ? types.buf : NULL, p->request->app) < 0)
		return ga_streq(err->reason, "name_taken") ?
			       fail_name(db, p->request->name, err) : -1;
	return 0;
}

static int insert_claim(struct ga_db *db, const struct placing *p, const char *slot,
			const char *holder, char **ret, struct ga_err *err)
{
	ga_autofree char *id = ga_id_new();

	if (ga_db_change(db, err,
			 "INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, "
			 "live, held_by, created_at, accelerator_type) VALUES (?1, ?2, ?3, ?4, ?5, "
			 "1, ?6, ?7, (SELECT accelerator_type FROM slot WHERE id = ?4))",
			 "sssssss", id, p->plan->allocation, p->decision->node->id, slot,
			 slot ? "slot" : "node", holder, p->now) < 0)
		return -1;
	if (ret)
		*ret = GA_TAKE(id);
	return 0;
}

static int fail_changed(const char *what, const char *id, struct ga_err *err)
{
	return ga_fail_about(err, GA_CONFLICT, "concurrent_update", id,
			     "%s '%s' changed during placement", what, id);
}

/* Claims the node, where nobody holds it yet, and each slot. Each must still be as the fleet was
 * read. */
static int claim_all(struct ga_db *db, const struct placing *p, struct ga_err *err)
{
	const char *holder = p->baremetal ? p->plan->allocation : "slices";
	const struct ga_fleet_node *node = p->decision->node;
	size_t i;
	int n = 1;

	/* A node that is not clean is already held by slices; the key of the claims checks that. */
	if (p->baremetal || node->clean)
		n = ga_db_exec(db, err,
			       "UPDATE node SET held_by = ?2, generation = generation + 1 "
			       "WHERE id = ?1 AND held_by IS NULL AND state = 'active' "
			       "AND cordon_reason IS NULL",
			       "ss", node->id, holder);
	if (n != 1)
		return n < 0 ? -1 : fail_changed("node", node->id, err);
	if (p->baremetal && insert_claim(db, p, NULL, holder, NULL, err) < 0)
		return -1;
	for (i = 0; i < p->decision->slots.n; i++) {
		const struct ga_fleet_slot *slot = p->decision->slots.v[i];

		if (insert_claim(db, p, slot->id, holder, &p->plan->bundles.v[i].claim, err) < 0)
			return -1;
		n = ga_db_exec(db, err,
			       "UPDATE slot SET state = 'reserved', since = ?2, "
			       "generation = generation + 1 WHERE id = ?1 AND state = 'available' "
			       "AND generation = ?3 AND cordon_reason IS NULL AND blockers = '[]'",
			       "ssi", slot->id, p->now, slot->generation);
		if (n != 1)
			return n < 0 ? -1 : fail_changed("slot", slot->id, err);
		p->plan->bundles.v[i].generation = slot->generation + 1;
	}
	return 0;
}

/* Stores the plan, which is in force from now on, and its audit row. */
static int store_plan(struct ga_db *db, const struct placing *p, const char *text,
		      struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	json_t *slots;
	size_t i;

	if (ga_db_change(db, err,
			 "UPDATE allocation SET state = 'placed', since = ?2, plan = ?3, "
			 "attempt = ?4, attempt_generation = ?5, order_kind = 'plan', "
			 "expires_at = ?6, image_digest = ?7, fabric_partition = ?8, "
			 "power_wanted = 'on', generation = generation + 1 WHERE id = ?1",
			 "ssssissi", plan->allocation, p->now, text, plan->attempt,
			 plan->generation, plan->expires_at,
			 plan->image ? plan->image->digest : NULL, plan->fabric_partition) < 0)
		return -1;
	slots = json_array();
	for (i = 0; i < p->decision->slots.n; i++)
		json_array_append_new(slots, json_string(p->decision->slots.v[i]->id));
	return ga_audit_add(db, "placed", plan->allocation,
			    json_pack("{s:s, s:o, s:s, s:s, s:s, s:s*, s:s*}", "node", plan->node,
				      "slots", slots, "project", plan->project, "profile",
				      plan->profile, "plan", plan->digest, "type_reason",
				      p->decision->type_reason, "app", p->request->app),
			    err);
}

int ga_store_place(struct ga_db *db, const struct ga_request *request,
		   const struct ga_profile *profile, const struct ga_decision *decision,
		   struct ga_plan_maker *maker, struct ga_plan *ret, char **text,
		   struct ga_refused_slots *refused, struct ga_err *err)
{
	char now[GA_TIME_SIZE], expires[GA_TIME_SIZE];
	int64_t micros = ga_clock_micros();
	struct placing p = {
		.request = request,
		.profile = profile,
		.decision = decision,
		.baremetal = ga_place_is_baremetal(request, profile),
		.now = ga_time_format(micros, now),
		.plan = ret,
	};
	int r;

	ga_schema_init(&ga_plan_schema, ret);
	*text = NULL;
	ret->allocation = ga_id_new();
	ret->attempt = ga_id_new();
	ret->generation = 2; /* 1 when born pending, 2 when placed */
	ret->created_at = ga_xstrdup(now);
	ret->expires_at = ga_xstrdup(
		ga_time_format(ga_time_after(micros, maker->expires_seconds), expires));
	ret->domain = ga_xprintf("gpuaas-%s", ret->allocation);
	r = ga_store_plan_fill(db, request, profile, decision, maker, ret, refused, err);
	if (r > 0 && (insert_allocation(db, &p, err) < 0 || claim_all(db, &p, err) < 0))
		r = -1;
	if (r > 0) {
		*text = ga_store_plan_seal(ret);
		if (store_plan(db, &p, *text, err) < 0) {
			free(GA_TAKE(*text));
			r = -1;
		}
	}
	if (r <= 0)
		ga_schema_release(&ga_plan_schema, ret);
	return r;
}

/* ---- expired plans ---- */

int ga_store_expire_plans(struct ga_db *db, struct ga_err *err)
{
	ga_autotexts struct ga_texts ids = { 0 };
	ga_autofree char *now = ga_time_now();
	size_t i;

	if (ga_db_texts(db, &ids, err,
			"SELECT id FROM allocation INDEXED BY allocation_expiry WHERE "
			GA_SQL_PLAN_EXPIRED "ORDER BY expires_at, id", "s", now) < 0)
		return -1;
	for (i = 0; i < ids.n; i++) {
		struct ga_release_order unused;
		bool has_order;

		/* A plan that no host took up left nothing on a host: release cancels it. */
		if (ga_store_release(db, ids.v[i], "plan_expired", &unused, &has_order, err) < 0)
			return ga_wrap(err, "expired plan '%s'", ids.v[i]);
		ga_schema_release(&ga_release_order_schema, &unused);
	}
	return (int)ids.n;
}
