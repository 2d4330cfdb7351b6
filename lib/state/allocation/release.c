/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Release: the intent of the state side. Billing ends here, not when the host is done. The order
 * carries the attempt of the release and of every wipe that follows, so that the host can finish
 * without the state.
 */
#include "base/texts.h"
#include "record/id.h"
#include "record/plan.h"
#include "record/rec.h"
#include "record/release.h"
#include "record/time.h"
#include "state/allocation/plan.h"
#include "state/allocation/release.h"
#include "state/db/audit.h"
#include "state/db/controller.h"
#include "state/db/row.h"
#include "state/slot/slot.h"

int ga_store_cancel(struct ga_db *db, struct ga_allocation_row *h, const char *reason,
		    const char *at, struct ga_err *err)
{
	if (ga_store_move_claimed(db, h->id, "reserved", "available", at, err) < 0 ||
	    ga_store_move_allocation(db, h, "cancelled", at, reason, err) < 0 ||
	    ga_store_end_allocation(db, h->id, at, err) < 0)
		return -1;
	return ga_audit_add(db, "cancelled", h->id, json_pack("{s:s?}", "reason", reason), err);
}

/* ---- the end without a host ---- */

/*
 * An allocation whose claims have all ended has nothing on a host: its slots were retired, or an
 * older version let them go before its release. A release order would take a machine from whoever
 * has it now. Ends the allocation here: 1; 0: an order is due.
 */
static int end_without_host(struct ga_db *db, struct ga_allocation_row *h, const char *reason,
			    const char *at, struct ga_err *err)
{
	ga_autofree char *from = ga_xstrdup(h->state), *holder = NULL, *unwiped = NULL;
	bool claims = false, retired = false;

	if (ga_db_get(db, err,
		      "SELECT n.held_by, EXISTS (SELECT 1 FROM claim WHERE allocation_id = ?1 AND "
		      "live = 1), NOT EXISTS (SELECT 1 FROM claim c JOIN slot s ON "
		      "s.id = c.slot_id WHERE c.allocation_id = ?1 AND s.retired = 0), "
		      "(SELECT min(s.id) FROM claim c JOIN slot s ON s.id = c.slot_id "
		      "JOIN device d ON d.id = s.nvme_wwid WHERE c.allocation_id = ?1 AND "
		      "s.retired = 0 AND d.dirty_since IS NOT NULL) FROM node n WHERE n.id = ?2",
		      "ssSBBS", h->id, h->node, &holder, &claims, &retired, &unwiped) < 0)
		return -1;
	if (claims || (!retired && !ga_streq(h->shape, "baremetal")))
		return 0;
	if (!holder && unwiped)
		return ga_refuse(err, GA_CONFLICT, "wrong_state", h->id,
				 ("allocation '%s' no longer holds node '%s', and its slot '%s' "
				  "was not wiped since", h->id, h->node, unwiped),
				 ("bring the trusted system of '%s' back by hand, then "
				  "gpuaas-approve repair %s --reason TEXT | gpuaas-on gpuaas-wipe "
				  "| gpuaas-state fold -, then run this again", h->node, unwiped));
	if ((strcmp(h->state, "releasing") &&
	     ga_store_move_allocation(db, h, "releasing", at, NULL, err) < 0) ||
	    ga_store_move_allocation(db, h, "released", at, NULL, err) < 0 ||
	    ga_store_end_allocation(db, h->id, at, err) < 0 ||
	    ga_audit_add(db, "released", h->id,
			 json_pack("{s:s, s:s, s:s?, s:i}", "node", h->node, "from", from,
				   "reason", reason, "slots", 0),
			 err) < 0)
		return -1;
	return 1;
}

/* ---- the order ---- */

/* A machine that its tenant had before gpuaas knew it has no plan: its node is as it was discovered
 * and approved. 1, or 0 when the allocation was placed. */
static int fill_taken_in(struct ga_db *db, const struct ga_allocation_row *h,
			 struct ga_release_order *o, struct ga_err *err)
{
	int r = ga_db_one(db, err,
			  "SELECT n.boot_id, n.fingerprint FROM allocation a JOIN node n ON "
			  "n.id = a.node_id WHERE a.id = ?1 AND a.taken_in IS NOT NULL", "sSS",
			  h->id, &o->boot_id, &o->fingerprint);

	if (r <= 0)
		return r;
	o->shape = ga_xstrdup(h->shape);
	o->domain = ga_xprintf("gpuaas-%s", h->id);
	o->lab = ga_db_is_lab(db);
	return 1;
}

/* Copies domain and host from the plan into the order. */
static int fill_from_plan(const char *stored, const struct ga_allocation_row *h,
			  struct ga_release_order *o, struct ga_err *err)
{
	struct ga_plan plan;

	if (!stored)
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("allocation '%s' has no plan: nothing was put on a host", h->id),
				 ("run 'gpuaas-state check'"));
	if (ga_rec_parse_text(stored, &ga_plan_schema, &plan, err) < 0)
		return ga_wrap(err, "the stored plan of '%s'", h->id);
	o->shape = GA_TAKE(plan.shape);
	o->domain = GA_TAKE(plan.domain);
	o->fabric_partition = plan.fabric_partition;
	o->network = plan.network;
	plan.network = (struct ga_network){ 0 };
	o->wipe = plan.wipe;
	plan.wipe = (struct ga_wipe_policy){ 0 };
	if (ga_streq(o->shape, "baremetal")) {
		o->boot_id = GA_TAKE(plan.boot_id);
		o->fingerprint = GA_TAKE(plan.fingerprint);
	}
	o->lab = plan.lab;
	ga_schema_release(&ga_plan_schema, &plan);
	return 0;
}

/* The slots' part of the intent: each leaves its state and gets the attempt of its coming wipe. */
static int release_slots(struct ga_db *db, const struct ga_allocation_row *h, const char *at,
			 struct ga_release_order *o, struct ga_err *err)
{
	ga_autotexts struct ga_texts ids = { 0 };
	size_t i;

	if (ga_store_claimed(db, h->id, NULL, &ids, err) < 0)
		return -1;
	for (i = 0; i < ids.n; i++) {
		ga_autofree char *attempt = ga_id_new();
		struct ga_bundle *bundle;
		struct ga_slot slot;
		int moved;

		/* A slot that was quarantined while it was blocked stays out of sale, with its
		 * claim and its taint. It does not delay the other slots. */
		moved = ga_db_exec(db, err,
				   "UPDATE slot SET state = 'releasing', since = ?2, "
				   "wipe_attempt = ?3, wipe_generation = generation + 1, "
				   "wipe_cause = 'release', wipe_issued_at = ?2, "
				   "generation = generation + 1 "
				   "WHERE id = ?1 AND state <> 'quarantined'",
				   "sss", ids.v[i], at, attempt);
		if (!moved)
			continue;
		if (moved < 0 || ga_store_slot(db, ids.v[i], &slot, err) < 0)
			return -1;
		bundle = ga_list_add(&o->bundles);
		ga_slot_bundle(&slot, bundle);
		bundle->wipe_attempt = GA_TAKE(attempt);
		if (slot.wipe)
			ga_store_tighten(&o->wipe, slot.wipe->minimum_class, slot.wipe->verify,
					 slot.wipe->gpu_memory);
		ga_schema_release(&ga_slot_schema, &slot);
	}
	return ga_db_change(db, err,
			    "UPDATE claim SET use_ended_at = ?2 WHERE allocation_id = ?1 "
			    "AND live = 1 AND use_ended_at IS NULL",
			    "ss", h->id, at);
}

/* Stamps the order with the present epoch, also an order from before a restore: it is in force in
 * the restored state. */
static int stamp_order(struct ga_db *db, struct ga_release_order *o, struct ga_err *err)
{
	char controller[GA_CONTROLLER_SIZE];

	if (ga_store_controller(db, controller, err) < 0)
		return -1;
	free(o->controller);
	o->controller = ga_xstrdup(controller);
	o->epoch = ga_db_epoch(db);
	return 0;
}

/* plan and profile are the texts stored at placement; NULL: none. */
static int make_order(struct ga_db *db, const struct ga_allocation_row *h, const char *plan,
		      const char *profile, const char *reason, const char *at,
		      struct ga_release_order *o, struct ga_err *err)
{
	struct ga_err ignored = GA_ERR_INIT;
	ga_autofree char *text = NULL;
	struct ga_profile p;
	int r;

	o->allocation = ga_xstrdup(h->id);
	o->node = ga_xstrdup(h->node);
	o->generation = h->generation + 1;
	o->attempt = ga_id_new();
	o->issued_at = ga_xstrdup(at);
	o->graceful_seconds = 60;
	if (profile && ga_rec_parse_text(profile, &ga_profile_schema, &p, &ignored) == 0) {
		if (p.graceful_seconds != GA_UNKNOWN)
			o->graceful_seconds = p.graceful_seconds;
		ga_schema_release(&ga_profile_schema, &p);
	}
	r = fill_taken_in(db, h, o, err);
	if (r == 0)
		r = fill_from_plan(plan, h, o, err);
	if (r < 0 || stamp_order(db, o, err) < 0 || release_slots(db, h, at, o, err) < 0)
		return -1;
	/* Its GPUs are no longer its own, and the partition may be somebody else's. */
	r = ga_db_one(db, err, "SELECT 1 FROM claim WHERE allocation_id = ?1 AND live = 1", "s",
		      h->id);
	if (r < 0)
		return -1;
	if (!r)
		o->fabric_partition = GA_UNKNOWN;

	/* One update with the move, so that the order has the generation of the row after
	 * the move. */
	text = ga_rec_format_text(&ga_release_order_schema, o);
	if (ga_db_change(db, err,
			 "UPDATE allocation SET state = 'releasing', since = ?2, reason = NULL, "
			 "attempt = ?3, attempt_generation = ?4, order_kind = 'release-order', "
			 "order_text = ?5, power_wanted = 'off', "
			 "generation = generation + 1 WHERE id = ?1",
			 "sssis", o->allocation, o->issued_at, o->attempt, o->generation,
			 text) < 0 ||
	    ga_store_usage_open(db, h->id, "cleanup", at, err) < 0)
		return -1;
	return ga_audit_add(db, "release_requested", h->id,
			    json_pack("{s:s?, s:s, s:s}", "reason", reason, "from", h->state,
				      "attempt", o->attempt),
			    err);
}

static bool one_of(const char *s, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(s, *words))
			return true;
	return false;
}

int ga_store_release(struct ga_db *db, const char *allocation, const char *reason,
		     struct ga_release_order *ret, bool *has_order, struct ga_err *err)
{
	static const char *const unused[] = { "pending", "placed", NULL };
	static const char *const used[] = { "active", "held", "preempting", "failed",
					    "release_failed", NULL };
	ga_autofree char *plan = NULL, *order = NULL, *profile = NULL;
	ga_autoallocation struct ga_allocation_row h = { 0 };
	ga_autofree char *at = ga_time_now();
	int r = ga_store_allocation_row(db, allocation, &h, err);

	*has_order = false;
	ga_schema_init(&ga_release_order_schema, ret);
	if (r > 0)
		r = ga_db_one(db, err,
			      "SELECT plan, CASE WHEN order_kind = 'release-order' "
			      "THEN order_text END, profile_record FROM allocation WHERE id = ?1",
			      "sSSS", allocation, &plan, &order, &profile);
	if (r < 0)
		return -1;
	if (!r)
		return ga_fail_for(err, GA_NOTFOUND, "no_allocation",
				   "there is no allocation '%s'", allocation);
	if (one_of(h.state, unused))
		return ga_store_cancel(db, &h, reason, at, err);
	if (!strcmp(h.state, "releasing") || one_of(h.state, used)) {
		r = end_without_host(db, &h, reason, at, err);
		if (r)
			return r < 0 ? -1 : 0;
	}
	if (!strcmp(h.state, "releasing") && order) {
		if (ga_rec_parse_text(order, &ga_release_order_schema, ret, err) < 0)
			return -1;
		*has_order = true;
		return stamp_order(db, ret, err);
	}
	if (!strcmp(h.state, "provisioning"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", h.id,
				 ("allocation '%s' is provisioning: its host is making it, and it "
				  "can be released once that has ended", h.id),
				 ("'gpuaas-provision --resume %s' on its host ends it, well or "
				  "not; then gpuaas-release %s", h.id, h.id));
	if (!one_of(h.state, used))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", h.id,
				 ("allocation '%s' is %s: there is nothing to release", h.id,
				  h.state),
				 ("gpuaas-show %s shows what became of it", h.id));
	if (make_order(db, &h, plan, profile, reason, at, ret, err) < 0) {
		ga_schema_release(&ga_release_order_schema, ret);
		return -1;
	}
	*has_order = true;
	return 0;
}

int ga_store_release_in_force(struct ga_db *db, const struct ga_release_order *order,
			      struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	ga_autofree char *holder = NULL;
	int r = ga_store_allocation_row(db, order->allocation, &h, err);

	if (r <= 0)
		return r;
	if (!ga_streq(h.attempt, order->attempt) || !ga_streq(h.order_kind, "release-order"))
		return ga_store_stale(h.id, order->attempt, order->generation, h.attempt,
				      h.attempt_generation, err);
	/* After a reported failure the same order may be tried again. */
	if (strcmp(h.state, "releasing") && strcmp(h.state, "release_failed"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", h.id,
				 ("allocation '%s' is %s: its release order '%s' is no longer in "
				  "force, and nothing was done", h.id, h.state, order->attempt),
				 ("gpuaas-show %s shows what became of it", h.id));
	if (ga_db_get(db, err, "SELECT held_by FROM node WHERE id = ?1", "sS", order->node,
		      &holder) < 0)
		return -1;
	if (!ga_streq(order->shape, "baremetal") || ga_streq(holder, h.id))
		return 1;
	return ga_refuse(err, GA_CONFLICT, "sold_once", h.id,
			 ("allocation '%s' does not hold node '%s', which %s has: nothing was done",
			  h.id, order->node, holder ? holder : "nobody"),
			 ("gpuaas-release %s ends it in the state", h.id));
}
