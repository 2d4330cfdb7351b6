/* SPDX-License-Identifier: Apache-2.0 */
/* Placement committed: allocation, claims, reserved slots and plan, in the caller's transaction. */
#include "state/allocation/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/texts.h"
#include "record/id.h"
#include "record/rec.h"
#include "record/time.h"
#include "state/allocation/plan.h"
#include "state/allocation/release.h"
#include "state/db/audit.h"

/* What one placement writes with. */
struct placing {
	const struct ga_request *request;
	const struct ga_profile *profile;
	const struct ga_decision *decision;
	bool whole;
	const char *now;
	struct ga_plan *plan;
};

/* ---- asked before ---- */

static int fail_reused(const struct ga_request *request, const char *id, const char *state,
		       struct ga_err *err)
{
	ga_err_object(err, id);
	if (!state)
		return ga_refuse(err, GA_CONFLICT, "request_id_reused", NULL,
				 ("request_id '%.80s' belongs to another request (allocation '%s')",
				  request->request_id, id),
				 ("a new request needs a request_id of its own"));
	return ga_refuse(err, GA_CONFLICT, "request_ended", NULL,
			 ("request_id '%.80s' was answered with allocation '%s', which is %s",
			  request->request_id, id, state),
			 ("to place it again, use a new request_id"));
}

int ga_store_placed_before(struct ga_db *db, const struct ga_request *request,
			   struct ga_plan *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	ga_autofree char *text = NULL;
	const char *state;
	int r;

	if (!request->request_id)
		return 0;
	if (ga_db_query(db, &rows, err,
			"SELECT id, request, plan, state FROM allocation WHERE request_id = ?1",
			"s", request->request_id) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r <= 0)
		return r;
	text = ga_rec_format_text(&ga_request_shape, request);
	if (!ga_streq(text, ga_rows_text(rows, 1)))
		return fail_reused(request, ga_rows_text(rows, 0), NULL, err);
	state = ga_rows_text(rows, 3);
	if (!ga_rows_text(rows, 2) || ga_streq(state, "cancelled") || ga_streq(state, "released") ||
	    ga_streq(state, "refused"))
		return fail_reused(request, ga_rows_text(rows, 0), state, err);
	if (ga_rec_parse_text(ga_rows_text(rows, 2), &ga_plan_shape, ret, err) < 0)
		return ga_wrap(err, "the stored plan of '%s'", ga_rows_text(rows, 0));
	return 1;
}

/* ---- placing ---- */

/* Each between line feeds, which no type has; NULL: any type. */
static char *types_of(const struct ga_profile *p)
{
	struct ga_str text = GA_STR_INIT;
	size_t i;

	for (i = 0; i < p->types.n; i++)
		ga_str_addf(&text, "%s%s\n", i ? "" : "\n", p->types.v[i]);
	return text.len ? ga_str_take(&text) : NULL;
}

static int insert_allocation(struct ga_db *db, const struct placing *p, struct ga_err *err)
{
	ga_autofree char *request = ga_rec_format_text(&ga_request_shape, p->request);
	ga_autofree char *types = types_of(p->profile);

	return ga_db_exec(
		       db, err,
		       "INSERT INTO allocation (id, name, request_id, request, project, priority, "
		       "shape, count, since, node_id, accelerator_type, profile, profile_version, "
		       "profile_record, price_micros, created_at, created_by, type_reason, "
		       "profile_types) VALUES "
		       "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, (SELECT record "
		       "FROM profile WHERE name = ?12 AND version = ?13), ?14, ?9, ?15, ?16, ?17)",
		       "sssssisissssiisss", p->plan->allocation, p->request->name,
		       p->request->request_id, request, p->request->project, p->request->priority,
		       p->whole ? "baremetal" : "slice", (int64_t)p->decision->slots.n, p->now,
		       p->decision->node->id, p->decision->type, p->profile->name,
		       p->profile->version, p->profile->price_micros, ga_audit_actor(),
		       p->decision->type_reason, types) < 0
		       ? -1
		       : 0;
}

static int fail_moved(const char *what, const char *id, struct ga_err *err)
{
	ga_err_set(err, GA_CONFLICT, "%s '%s' moved while it was being placed on", what, id);
	ga_err_reason(err, "concurrent_update");
	ga_err_object(err, id);
	return -1;
}

static int hold_node(struct ga_db *db, const struct placing *p, const char *holder,
		     struct ga_err *err)
{
	int n;

	if (!p->whole && !p->decision->node->clean)
		return 0; /* slices hold it already; the claims' key checks that */
	n = ga_db_exec(db, err,
		       "UPDATE node SET held_by = ?2, generation = generation + 1 WHERE id = ?1 "
		       "AND held_by IS NULL AND state = 'active' AND cordon_reason IS NULL",
		       "ss", p->decision->node->id, holder);
	if (n < 0)
		return -1;
	return n == 1 ? 0 : fail_moved("node", p->decision->node->id, err);
}

static int insert_claim(struct ga_db *db, const struct placing *p, const char *slot,
			const char *holder, char **ret, struct ga_err *err)
{
	ga_autofree char *id = ga_id_new();

	if (ga_db_exec(db, err,
		       "INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, "
		       "held_by, created_at, accelerator_type) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, "
		       "?7, (SELECT accelerator_type FROM slot WHERE id = ?4))",
		       "sssssss", id, p->plan->allocation, p->decision->node->id, slot,
		       slot ? "slot" : "node", holder, p->now) < 0)
		return -1;
	if (ret)
		*ret = GA_TAKE(id);
	return 0;
}

static int reserve(struct ga_db *db, const struct placing *p, const struct ga_fleet_slot *slot,
		   struct ga_err *err)
{
	int n = ga_db_exec(db, err,
			   "UPDATE slot SET state = 'reserved', since = ?2, "
			   "generation = generation + 1 WHERE id = ?1 AND state = 'available' "
			   "AND generation = ?3 AND cordon_reason IS NULL AND blockers = '[]'",
			   "ssi", slot->id, p->now, slot->generation);

	if (n < 0)
		return -1;
	return n == 1 ? 0 : fail_moved("slot", slot->id, err);
}

static int claim_all(struct ga_db *db, const struct placing *p, struct ga_err *err)
{
	const char *holder = p->whole ? p->plan->allocation : "slices";
	size_t i;

	if (hold_node(db, p, holder, err) < 0 ||
	    (p->whole && insert_claim(db, p, NULL, holder, NULL, err) < 0))
		return -1;
	for (i = 0; i < p->decision->slots.n; i++) {
		const struct ga_fleet_slot *slot = p->decision->slots.v[i];

		if (insert_claim(db, p, slot->id, holder, &p->plan->bundles.v[i].claim, err) < 0 ||
		    reserve(db, p, slot, err) < 0)
			return -1;
		p->plan->bundles.v[i].generation = slot->generation + 1;
	}
	return 0;
}

static int store_plan(struct ga_db *db, const struct placing *p, const char *text,
		      struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;

	return ga_db_exec(db, err,
			  "UPDATE allocation SET state = 'placed', since = ?2, plan = ?3, "
			  "attempt = ?4, attempt_generation = ?5, order_kind = 'plan', "
			  "expires_at = ?6, image_digest = ?7, fabric_partition = ?8, "
			  "power_wanted = 'on', generation = generation + 1 WHERE id = ?1",
			  "ssssissi", plan->allocation, p->now, text, plan->attempt,
			  plan->generation, plan->expires_at,
			  plan->image ? plan->image->digest : NULL, plan->fabric_partition) < 0 ?
		       -1 :
		       0;
}

static int audit_placed(struct ga_db *db, const struct placing *p, struct ga_err *err)
{
	json_t *slots = json_array();
	size_t i;

	for (i = 0; i < p->decision->slots.n; i++)
		json_array_append_new(slots, json_string(p->decision->slots.v[i]->id));
	return ga_audit_add(db, "placed", p->plan->allocation,
			    json_pack("{s:s, s:o, s:s, s:s, s:s, s:s*}", "node", p->plan->node,
				      "slots", slots, "project", p->plan->project, "profile",
				      p->plan->profile, "plan", p->plan->digest, "type_reason",
				      p->decision->type_reason),
			    err);
}

static void stamp(struct ga_plan *plan, int64_t expires_seconds, char now[GA_TIME_SIZE])
{
	int64_t micros = ga_clock_micros();
	char expires[GA_TIME_SIZE];

	plan->allocation = ga_id_new();
	plan->attempt = ga_id_new();
	plan->generation = 2; /* born pending as 1, placed as 2 */
	plan->created_at = ga_xstrdup(ga_time_format(micros, now));
	plan->expires_at = ga_xstrdup(ga_time_format(ga_time_after(micros, expires_seconds),
						    expires));
	plan->domain = ga_xprintf("gpuaas-%s", plan->allocation);
}

int ga_store_place(struct ga_db *db, const struct ga_request *request,
		   const struct ga_profile *profile, const struct ga_decision *decision,
		   struct ga_plan_maker *maker, struct ga_plan *ret, char **text,
		   struct ga_refused_slots *refused, struct ga_err *err)
{
	char now[GA_TIME_SIZE];
	struct placing p = {
		.request = request,
		.profile = profile,
		.decision = decision,
		.whole = ga_place_is_baremetal(request, profile),
		.now = now,
		.plan = ret,
	};
	int r;

	ga_shape_init(&ga_plan_shape, ret);
	*text = NULL;
	stamp(ret, maker->expires_seconds, now);
	r = ga_store_plan_fill(db, request, profile, decision, maker, ret, refused, err);
	if (r > 0 && (insert_allocation(db, &p, err) < 0 || claim_all(db, &p, err) < 0))
		r = -1;
	if (r <= 0) {
		ga_shape_release(&ga_plan_shape, ret);
		return r;
	}
	*text = ga_store_plan_seal(ret);
	if (store_plan(db, &p, *text, err) < 0 || audit_placed(db, &p, err) < 0) {
		ga_shape_release(&ga_plan_shape, ret);
		free(GA_TAKE(*text));
		return -1;
	}
	return 1;
}

/* ---- plans that nobody took up ---- */

int ga_store_expire_plans(struct ga_db *db, struct ga_err *err)
{
	ga_autotexts struct ga_texts ids = { 0 };
	ga_autorows struct ga_rows *rows = NULL;
	ga_autofree char *now = ga_time_now();
	size_t i;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT id FROM allocation INDEXED BY allocation_expiry WHERE "
			GA_SQL_PLAN_EXPIRED "ORDER BY expires_at, id", "s", now) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*(char **)ga_list_add(&ids) = ga_rows_dup(rows, 0);
	if (r < 0)
		return -1;
	for (i = 0; i < ids.n; i++) {
		struct ga_release_order unused;
		bool has_order;

		/* What was never taken up has nothing on a host: release cancels it. */
		if (ga_store_release(db, ids.v[i], "plan_expired", &unused, &has_order, err) < 0)
			return ga_wrap(err, "expired plan '%s'", ids.v[i]);
		ga_shape_release(&ga_release_order_shape, &unused);
	}
	return (int)ids.n;
}
