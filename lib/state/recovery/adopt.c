/* SPDX-License-Identifier: Apache-2.0 */
/* Adopts the knowledge of a host: the work it ended, its wipes, its running allocations, then the
 * rest. */
#include "state/recovery/internal.h"

#include "base/texts.h"
#include "record/kind.h"
#include "record/plan.h"
#include "record/rec.h"
#include "record/release.h"
#include "record/result.h"
#include "record/state.h"
#include "record/time.h"
#include "record/words.h"
#include "state/db/audit.h"
#include "state/db/row.h"
#include "state/fold/fold.h"
#include "state/node/approve.h"

void ga_inventory_of_release(struct ga_inventory_of *i)
{
	for (size_t k = 0; k < i->works.n; k++)
		ga_schema_release(&ga_inventory_work_schema, &i->works.v[k]);
	ga_list_release(&i->works);
	ga_schema_release(&ga_inventory_schema, &i->end);
}

void ga_adoption_release(struct ga_adoption *a)
{
	for (size_t i = 0; i < a->findings.n; i++)
		ga_schema_release(&ga_finding_schema, &a->findings.v[i]);
	ga_list_release(&a->findings);
	ga_texts_release(&a->allocations);
	ga_texts_release(&a->slots);
	ga_texts_release(&a->wipes);
	ga_texts_release(&a->unchanged);
}

/* ---- shared by the files adopt*.c ---- */

void ga_adopt_finding(struct ga_adopting *a, const char *check, const char *object,
		      const char *sentence, const char *hint)
{
	struct ga_finding *f = ga_list_add(&a->out->findings);

	f->check = ga_xstrdup(check);
	f->object = ga_strdup0(object);
	f->sentence = ga_xstrdup(sentence);
	f->hint = ga_strdup0(hint);
}

const struct ga_inventory_work *ga_adopt_work(const struct ga_adopting *a, const char *program,
					      const char *object)
{
	for (size_t i = 0; i < a->of->works.n; i++)
		if (ga_streq(a->of->works.v[i].program, program) &&
		    ga_streq(a->of->works.v[i].object, object))
			return &a->of->works.v[i];
	return NULL;
}

int ga_adopt_record(json_t *json, const struct ga_schema *schema, void *ret, struct ga_err *err)
{
	const char *kind = json_string_value(json_object_get(json, "kind"));

	if (!ga_streq(kind, schema->kind))
		return ga_fail(err, GA_BADREC, "the inventory has %s in place of %s",
			       kind ? kind : "nothing", schema->kind);
	return ga_schema_parse(schema, json, ret, err);
}

int ga_adopt_evidence(const struct ga_adopting *a, const char *slot, struct ga_wipe_evidence *ret,
		      struct ga_err *err)
{
	const struct ga_inventory_work *w = ga_adopt_work(a, "wipe", slot);
	char digest[GA_DIGEST_SIZE] = "";

	if (!w || !w->result || !ga_streq(w->state, "done"))
		return 0;
	if (ga_adopt_record(w->result, &ga_wipe_evidence_schema, ret, err) < 0)
		return -1;
	ga_rec_digest(&ga_wipe_evidence_schema, ret, "digest", digest);
	if (ga_streq(ret->outcome, "confirmed") && ga_streq(ret->object, slot) &&
	    ga_streq(ret->node, a->of->end.node) && ret->lab == ga_db_is_lab(a->db) &&
	    ga_streq(ret->digest, digest)) {
		if (ga_adopt_may_wipe(a, slot, err) == 0)
			return 1;
		ga_schema_release(&ga_wipe_evidence_schema, ret);
		return -1;
	}
	ga_schema_release(&ga_wipe_evidence_schema, ret);
	return 0;
}

int ga_adopt_fold(struct ga_adopting *a, const struct ga_inventory_work *w, struct ga_err *err)
{
	const char *kind = json_string_value(json_object_get(w->result, "kind"));
	const struct ga_schema *schema = NULL;
	ga_autofree void *obj = NULL;
	int r;

	if (!kind || ga_kind_find(kind, &schema, err) < 0)
		return kind ? -1 : 0;
	if (schema != &ga_allocation_schema && schema != &ga_released_schema &&
	    schema != &ga_wipe_evidence_schema && schema != &ga_failure_schema)
		return ga_fail(err, GA_BADREC, "%s is no result", kind);
	obj = ga_xcalloc(1, schema->size);
	if (ga_schema_parse(schema, w->result, obj, err) < 0)
		return -1;
	r = ga_adopt_may_fold(a, w, schema, obj, err) < 0 ? -1 : ga_fold(a->db, schema, obj, err);
	ga_schema_release(schema, obj);
	return r;
}

int ga_adopt_order(struct ga_adopting *a, const char *slot, const struct ga_wipe_evidence *e,
		   struct ga_err *err)
{
	return ga_db_change(a->db, err,
			    "UPDATE slot SET state = 'wiping', since = ?2, wipe_attempt = ?3, "
			    "wipe_generation = ?4, wipe_cause = ?5, wipe_issued_at = ?6, "
			    "generation = generation + 1 WHERE id = ?1",
			    "sssiss", slot, a->now, e->attempt, e->generation, e->cause,
			    e->started_at);
}

/* ---- one work at a time ---- */

typedef int (*step)(struct ga_adopting *a, const struct ga_inventory_work *w, struct ga_err *err);

/* A tenant has the machine of a deployment that is not taken in: a node without slots is verified
 * by nothing else, and so takes no key and no placement until the machine is taken in. */
static int leave_unverified(struct ga_adopting *a, const struct ga_inventory_work *w,
			    struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	struct ga_plan plan;
	json_t *answer;
	int r = 0;

	if (!ga_streq(w->program, "provision") ||
	    ga_adopt_record(w->order, &ga_plan_schema, &plan, &why) < 0)
		return 0;
	if (ga_streq(plan.shape, "baremetal") && !ga_streq(w->state, "failed") &&
	    ga_adopt_tenant(a, plan.node, plan.allocation, &answer, &why) == 0 &&
	    (ga_db_change(a->db, err,
			  "INSERT INTO node (id, since) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 "
			  "FROM node WHERE id = ?1)", "ss", plan.node, a->now) < 0 ||
	     ga_db_change(a->db, err,
			  "UPDATE node SET mode = 'baremetal', epoch_verified = 0, "
			  "generation = generation + 1 WHERE id = ?1 AND held_by IS NULL AND NOT "
			  "EXISTS (SELECT 1 FROM slot WHERE node_id = ?1 AND retired = 0)", "s",
			  plan.node) < 0))
		r = -1;
	ga_schema_release(&ga_plan_schema, &plan);
	return r;
}

/* A refused work is undone by itself and reported as a finding. */
static int one(struct ga_adopting *a, step fn, const struct ga_inventory_work *w,
	       struct ga_err *err)
{
	if (ga_db_savepoint(a->db, err) < 0)
		return -1;
	if (fn(a, w, err) >= 0)
		return ga_db_release(a->db, err);
	if (err->code != GA_CONFLICT && err->code != GA_NOTFOUND && err->code != GA_BADREC &&
	    err->code != GA_USAGE)
		return -1;
	ga_db_rollback_to(a->db);
	ga_adopt_finding(a, "not_adopted", w->object, err->msg, err->hint[0] ? err->hint : NULL);
	ga_err_clear(err);
	return leave_unverified(a, w, err);
}

static int each(struct ga_adopting *a, const char *program, step fn, struct ga_err *err)
{
	for (size_t i = 0; i < a->of->works.n; i++)
		if (ga_streq(a->of->works.v[i].program, program) &&
		    one(a, fn, &a->of->works.v[i], err) < 0)
			return -1;
	return 0;
}

/* ---- work that the host ended ---- */

/* A plan that the state gave, and that the backup shows as not yet begun. */
static int fold_provision(struct ga_adopting *a, const struct ga_inventory_work *w,
			  struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	int r = ga_store_allocation_row(a->db, w->object, &h, err);

	if (r <= 0 || !ga_streq(h.attempt, w->attempt) || !ga_streq(h.order_kind, "plan"))
		return r < 0 ? -1 : 0;
	if (ga_streq(h.state, "placed") || ga_streq(h.state, "provisioning")) {
		if (ga_streq(h.state, "placed") && (ga_adopt_may_change(a, &h, err) < 0 ||
		    ga_fold_start(a->db, &h, w->started_at ? w->started_at : a->now,
				  err) < 0))
			return -1;
		return w->result ? ga_adopt_fold(a, w, err) : 0;
	}
	/* Cancelled here while the host used it: the fold takes its slots out of sale. */
	return ga_streq(h.state, "cancelled") && w->result ? ga_adopt_fold(a, w, err) : 0;
}

/* Takes the release order that the host carried out as if the state had given it. */
static int take_order(struct ga_adopting *a, const struct ga_release_order *o,
		      struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_release_order_schema, o);

	for (size_t i = 0; i < o->bundles.n; i++) {
		const struct ga_bundle *b = &o->bundles.v[i];

		if (ga_db_change(a->db, err,
				 "UPDATE slot SET state = 'releasing', since = ?2, wipe_attempt = "
				 "?3, wipe_generation = ?4, wipe_cause = 'release', "
				 "wipe_issued_at = ?2, generation = generation + 1 WHERE id = ?1 "
				 "AND state IN ('active', 'cleanup_blocked') AND id IN (SELECT "
				 "slot_id FROM claim WHERE allocation_id = ?5 AND live = 1)",
				 "sssis", b->slot, a->now, b->wipe_attempt, b->generation,
				 o->allocation) < 0)
			return -1;
	}
	if (ga_db_change(a->db, err,
			 "UPDATE claim SET use_ended_at = ?2 WHERE allocation_id = ?1 AND live = 1 "
			 "AND use_ended_at IS NULL", "ss", o->allocation, o->issued_at) < 0 ||
	    ga_db_change(a->db, err,
			 "UPDATE allocation SET state = 'releasing', since = ?2, reason = NULL, "
			 "attempt = ?3, attempt_generation = ?4, order_kind = 'release-order', "
			 "order_text = ?5, power_wanted = 'off', "
			 "generation = generation + 1 WHERE id = ?1",
			 "sssis", o->allocation, o->issued_at, o->attempt, o->generation,
			 text) < 0 ||
	    ga_store_usage_open(a->db, o->allocation, "cleanup", o->issued_at, err) < 0)
		return -1;
	return ga_audit_add(a->db, "adopted_release", o->allocation,
			    json_pack("{s:s, s:s, s:s}", "node", o->node, "attempt", o->attempt,
				      "reason", a->out->reason),
			    err);
}

static int end_released(struct ga_adopting *a, const struct ga_inventory_work *w,
			struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	struct ga_release_order o;
	int r = ga_store_allocation_row(a->db, w->object, &h, err);

	if (r <= 0 || !ga_streq(w->state, "done") || !w->result ||
	    ga_allocation_has_ended(h.state))
		return r < 0 ? -1 : 0;
	if (!ga_streq(h.attempt, w->attempt)) {
		if (ga_adopt_record(w->order, &ga_release_order_schema, &o, err) < 0)
			return -1;
		r = ga_adopt_may_take_order(a, &h, &o, err) < 0 ? -1 : take_order(a, &o, err);
		ga_schema_release(&ga_release_order_schema, &o);
		if (r < 0)
			return -1;
	}
	return ga_adopt_fold(a, w, err);
}

/* ---- wipes of the host ---- */

/* Another wipe than the ordered one: it counts when it began after the last taint. */
static int fold_wipe(struct ga_adopting *a, const struct ga_inventory_work *w, struct ga_err *err)
{
	ga_autofree char *state = NULL, *attempt = NULL, *since = NULL;
	int r = ga_db_one(a->db, err,
			  "SELECT state, wipe_attempt, (SELECT max(dirty_since) FROM device WHERE "
			  "id IN (s.nvme_wwid, s.gpu_id)) FROM slot s WHERE id = ?1", "sSSS",
			  w->object, &state, &attempt, &since);
	struct ga_wipe_evidence e;

	if (r <= 0 || !w->result || w->unwiped_by || !ga_streq(state, "wiping"))
		return r < 0 ? -1 : 0;
	if (ga_adopt_may_wipe(a, w->object, err) < 0)
		return -1;
	if (ga_streq(attempt, w->attempt))
		return ga_adopt_fold(a, w, err);
	r = ga_adopt_evidence(a, w->object, &e, err);
	if (r <= 0)
		return r;
	if (since && strcmp(since, e.started_at) < 0)
		r = ga_adopt_order(a, w->object, &e, err) < 0 ? -1 : ga_adopt_fold(a, w, err);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	return r;
}

/* ---- running allocations of the host ---- */

static int take_running(struct ga_adopting *a, const struct ga_inventory_work *w,
			struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	int r = ga_store_allocation_row(a->db, w->object, &h, err);
	const struct ga_inventory_work *released = ga_adopt_work(a, "release", w->object);
	struct ga_plan plan;

	if (r || (released && ga_streq(released->state, "done")))
		return r < 0 ? -1 : 0;
	if (ga_adopt_record(w->order, &ga_plan_schema, &plan, err) < 0)
		return -1;
	r = ga_adopt_may_take(a, w, &plan, err) < 0 ? -1 : ga_adopt_take(a, w, &plan, err);
	ga_schema_release(&ga_plan_schema, &plan);
	if (!r)
		ga_texts_add(&a->out->allocations, w->object);
	return r;
}

/* ---- all of it ---- */

int ga_store_adopt(struct ga_db *db, const struct ga_inventory_of *inventory,
		   struct ga_adoption *adoption, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	struct ga_adopting a = { .db = db, .of = inventory, .out = adoption, .now = now };

	if (ga_adopt_node(&a, err) < 0 ||
	    (!adoption->rebuilds && ga_adopt_is_fresh(&a, err) < 0) ||
	    each(&a, "provision", fold_provision, err) < 0 ||
	    each(&a, "release", end_released, err) < 0 ||
	    each(&a, "wipe", fold_wipe, err) < 0 ||
	    each(&a, "provision", take_running, err) < 0 || ga_adopt_machines(&a, err) < 0 ||
	    ga_adopt_verify(&a, err) < 0)
		return -1;
	return ga_audit_add(db, "adopted", inventory->end.node,
			    json_pack("{s:s, s:i, s:i, s:i}", "reason", adoption->reason,
				      "allocations", (int)adoption->allocations.n, "slots",
				      (int)adoption->slots.n, "findings",
				      (int)adoption->findings.n),
			    err);
}

int ga_store_adopt_epoch(struct ga_db *db, const struct ga_inventory_of *inventories, size_t n,
			 const char *reason, struct ga_err *err)
{
	int64_t most = 1;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < inventories[i].works.n; k++) {
			json_t *epoch = json_object_get(inventories[i].works.v[k].order, "epoch");

			if (json_is_integer(epoch) && json_integer_value(epoch) > most)
				most = json_integer_value(epoch);
		}
	if (ga_db_change(db, err, "UPDATE meta SET epoch = ?1 WHERE epoch <= ?1", "i",
	most + 1) < 0)
		return -1;
	return ga_audit_add(db, "state_rebuilt", "state",
			    json_pack("{s:s, s:I, s:i, s:s}", "reason", reason, "epoch",
				      (json_int_t)(most + 1), "nodes", (int)n, "revocations",
				      "unknown"),
			    err);
}
