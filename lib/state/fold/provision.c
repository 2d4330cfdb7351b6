/* SPDX-License-Identifier: Apache-2.0 */
/* Folds the results of gpuaas-provision: phases, a running allocation, a failure. */
#include "base/texts.h"
#include "record/fault.h"
#include "record/phase.h"
#include "record/rec.h"
#include "record/state.h"
#include "state/allocation/provision.h"
#include "state/allocation/release.h"
#include "state/allocation/wipe.h"
#include "state/db/audit.h"
#include "state/fold/internal.h"
#include "state/node/health.h"

#define USED_AFTER_PLAN "used_after_plan"

/* Phases that only look: after a failure in one of them, the plan can be tried again. */
static bool only_looks(const char *phase)
{
	return false GA_PROVISION_LOOKS(GA_PHASE_IS);
}

static bool is_over(const struct ga_allocation_row *h)
{
	return !strcmp(h->state, "cancelled") || !strcmp(h->state, "refused") ||
	       !strcmp(h->state, "pending");
}

/* A plan that was cancelled or expired in the state, but that a host had already begun. Its
 * slots may look free and clean, and may be placed for others; the host's report counts. The slots
 * are tainted and taken out of sale, and a plan that has not begun on them is cancelled. */
static int late(struct ga_db *db, const struct ga_allocation_row *h, const char *at,
		struct ga_err *err)
{
	ga_autofree char *sentence =
		ga_xprintf("a host used it for allocation %s after that was %s", h->id, h->state);
	ga_autotexts struct ga_texts slots = { 0 };
	size_t i;

	if (ga_store_ever_claimed(db, h->id, &slots, err) < 0)
		return -1;
	for (i = 0; i < slots.n; i++) {
		ga_autofree char *state = NULL, *owner = NULL;
		ga_autoallocation struct ga_allocation_row other = { 0 };
		bool reserved;

		if (ga_store_slot_owner(db, slots.v[i], &state, &owner, err) < 0)
			return -1;
		reserved = !strcmp(state, "reserved");
		if (reserved && (ga_store_allocation_row(db, owner, &other, err) < 0 ||
				 ga_store_cancel(db, &other, sentence, at, err) < 0))
			return -1;
		if ((reserved || !strcmp(state, "available")) &&
		    ga_store_quarantine_slot(db, slots.v[i], USED_AFTER_PLAN, sentence, at,
					     err) < 0)
			return -1;
		if (ga_store_taint_slot(db, slots.v[i], h->id, err) < 0 ||
		    ga_audit_add(db, USED_AFTER_PLAN, slots.v[i],
				 json_pack("{s:s, s:s}", "allocation", h->id, "was", state),
				 err) < 0)
			return -1;
	}
	return ga_audit_add(db, USED_AFTER_PLAN, h->id,
			    json_pack("{s:s, s:i}", "state", h->state, "slots", (int)slots.n),
			    err) < 0 ? -1 : 1;
}

/* ---- phases ---- */

static int progress_task(struct ga_db *db, const struct ga_progress *p, struct ga_err *err)
{
	bool over = !strcmp(p->state, "finished") || !strcmp(p->state, "failed");
	struct ga_task t = {
		.node = p->node,
		.object = p->object,
		.attempt = p->attempt,
		.phase = p->phase,
		.state = p->state,
		.started_at = p->at,
		.finished_at = over ? p->at : NULL,
		.elapsed_micros = p->elapsed_micros,
		.bytes = p->bytes,
		.detail = p->detail,
	};

	return ga_store_task(db, &t, err);
}

int ga_fold_progress(struct ga_db *db, const struct ga_progress *p, struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 }, probe = { 0 };
	ga_autowipedue struct ga_wipe_due due = { 0 };
	int r = ga_store_allocation_row(db, p->object, &probe, err);

	if (r < 0)
		return -1;
	if (!r) { /* the wipe of a slot */
		r = ga_store_wipe_due(db, p->object, &due, err);
		if (r < 0)
			return -1;
		if (!r)
			return ga_fail_about(err, GA_NOTFOUND, "no_object", p->object,
					     "there is no allocation or slot '%s'", p->object);
		if (!ga_streq(due.attempt, p->attempt) || due.generation != p->generation)
			return ga_store_stale(p->object, p->attempt, p->generation, due.attempt,
					      due.generation, err);
		return progress_task(db, p, err) < 0 ? -1 : 1;
	}
	if (ga_fold_allocation_row(db, p->object, p->attempt, p->generation, &h, err) < 0)
		return -1;
	if (is_over(&h))
		return ga_refuse(err, GA_CONFLICT, "plan_over", h.id,
				 ("allocation '%s' is %s: its plan is over", h.id, h.state),
				 ("stop what was begun on '%s' and place again; 'gpuaas-show %s' "
				  "shows why", h.node ? h.node : "the host", h.id));
	if (ga_streq(h.order_kind, "plan") && !only_looks(p->phase) &&
	    ga_fold_start(db, &h, p->at, err) < 0)
		return -1;
	return progress_task(db, p, err) < 0 ? -1 : 1;
}

/* ---- a running allocation ---- */

/* A repeated report: access or lease may have changed. */
static int still_active(struct ga_db *db, const struct ga_allocation *a, struct ga_err *err)
{
	int changed = ga_store_running(db, a, err);

	/* It runs: this settles the failure of an earlier rebuild. */
	if (changed < 0 || ga_store_active_reason(db, a->allocation, NULL, err) < 0)
		return -1;
	if (!changed)
		return changed;
	return ga_audit_add(db, "access_changed", a->allocation, NULL, err) < 0 ? -1 : 1;
}

int ga_fold_allocation(struct ga_db *db, const struct ga_allocation *a, struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	const char *begun = a->since;
	size_t i;

	if (ga_fold_check(db, a->allocation, a->dry_run, a->lab, err) < 0 ||
	    ga_fold_allocation_row(db, a->allocation, a->attempt, a->generation, &h, err) < 0)
		return -1;
	if (strcmp(a->state, "active"))
		return ga_fail_for(err, GA_CONFLICT, "not_a_result",
				   "the record of '%s' says %s: only an active allocation is a "
				   "result",
				   a->allocation, a->state);
	if (is_over(&h))
		return late(db, &h, a->since, err);
	if (!strcmp(h.state, "active"))
		return still_active(db, a, err);

	/* The work began with the first phase that changed something, as in progress records. */
	for (i = a->phases.n; i-- > 0;)
		if (!only_looks(a->phases.v[i].phase))
			begun = a->phases.v[i].started_at;
	if (ga_fold_start(db, &h, begun, err) < 0)
		return -1;
	for (i = 0; i < a->phases.n; i++) {
		const struct ga_phase *p = &a->phases.v[i];
		struct ga_task t = {
			.node = a->node,
			.object = a->allocation,
			.attempt = a->attempt,
			.phase = p->phase,
			.state = (char *)(uintptr_t) "finished",
			.started_at = p->started_at,
			.finished_at = p->started_at,
			.elapsed_micros = p->elapsed_micros,
			.bytes = p->bytes,
			.detail = p->detail,
		};

		if (ga_store_task(db, &t, err) < 0)
			return -1;
	}
	if (ga_store_move_claimed(db, h.id, "provisioning", "active", a->since, err) < 0 ||
	    ga_store_move_allocation(db, &h, "active", a->since, NULL, err) < 0 ||
	    ga_store_running(db, a, err) < 0 ||
	    ga_store_health_ready(db, h.id, a->since, err) < 0 ||
	    ga_store_usage_open(db, h.id, "active", a->since, err) < 0)
		return -1;
	return ga_audit_add(db, "active", h.id,
			    json_pack("{s:s?, s:s?, s:i}", "node", a->node, "attempt", a->attempt,
				      "slots", (int)a->slots.n),
			    err) < 0 ? -1 : 1;
}

/* ---- a failure ---- */

static int keep_placed(struct ga_db *db, const struct ga_allocation_row *h,
		       const struct ga_failure *f, struct ga_err *err)
{
	return ga_audit_add(db, "provision_not_started", h->id,
			    json_pack("{s:s?, s:s, s:s}", "phase", f->phase, "code", f->code,
				      "sentence", f->sentence),
			    err) < 0 ? -1 : 1;
}

/* Whether the sentence names the slot in the form of gpuaas-provision: 's0000001'. */
static bool names_slot(const char *sentence, const char *slot)
{
	ga_autofree char *quoted = ga_xprintf("'%s'", slot);

	return strstr(sentence, quoted) != NULL;
}

/* Nothing was written, so the other slots are free again. The slot of the disk is out of sale until
 * a person has looked: its data is no tenant's, and its next wipe is a first one. */
static int found_data(struct ga_db *db, struct ga_allocation_row *h, const struct ga_failure *f,
		      const char *reason, struct ga_err *err)
{
	ga_autotexts struct ga_texts slots = { 0 };
	char at[GA_TIME_SIZE];
	bool named = false;
	size_t i;

	if (ga_store_claimed(db, h->id, NULL, &slots, err) < 0 ||
	    ga_store_not_ahead(f->at, at, err) < 0 ||
	    ga_store_cancel(db, h, reason, at, err) < 0)
		return -1;
	/* Without a name it may be the disk of any of these slots. */
	for (i = 0; i < slots.n; i++)
		named |= names_slot(f->sentence, slots.v[i]);
	for (i = 0; i < slots.n; i++) {
		ga_autofree char *state = NULL, *owner = NULL;

		if (named && !names_slot(f->sentence, slots.v[i]))
			continue;
		if (ga_store_slot_owner(db, slots.v[i], &state, &owner, err) < 0)
			return -1;
		if (!ga_streq(state, "available"))
			continue; /* already out of sale */
		if (ga_store_disable_slot(db, slots.v[i], GA_FAULT_NVME_SIGNATURE, f->sentence, at,
					  err) < 0 ||
		    ga_store_taint_slot(db, slots.v[i], "found_data", err) < 0)
			return -1;
	}
	return keep_placed(db, h, f, err);
}

int ga_fold_provision_failed(struct ga_db *db, struct ga_allocation_row *h,
			     const struct ga_failure *f, struct ga_err *err)
{
	ga_autofree char *reason = ga_xprintf("%s: %s", f->phase ? f->phase : f->code, f->sentence);
	bool placed = !strcmp(h->state, "placed");

	if (is_over(h))
		return only_looks(f->phase) ? keep_placed(db, h, f, err) :
					      late(db, h, f->at, err);
	/* The phase "hold" refuses the order itself: nothing was done. */
	if (ga_streq(f->phase, "hold"))
		return keep_placed(db, h, f, err);
	if (placed && only_looks(f->phase) && !strcmp(f->code, GA_FAULT_NVME_SIGNATURE))
		return found_data(db, h, f, reason, err);
	/* A broken device is not sold again, whatever happens to this plan. A disk that is not
	 * wiped fails the allocation although nothing was written: the slot must not be offered
	 * again. Release and wipe settle it. */
	if (placed && only_looks(f->phase) && strcmp(f->code, GA_FAULT_NOT_WIPED))
		return ga_store_health_not_ready(db, f, err) < 0 ? -1 :
								   keep_placed(db, h, f, err);
	if (!placed && strcmp(h->state, "provisioning"))
		return keep_placed(db, h, f, err);
	if (ga_fold_start(db, h, f->at, err) < 0 ||
	    ga_store_health_not_ready(db, f, err) < 0 ||
	    ga_store_move_allocation(db, h, "failed", f->at, reason, err) < 0 ||
	    ga_store_block_claimed(db, h->id, "provision_failed", reason, f->at, err) < 0 ||
	    ga_store_usage_close(db, h->id, f->at, err) < 0)
		return -1;
	return ga_audit_add(db, "provision_failed", h->id,
			    json_pack("{s:s?, s:s, s:s}", "phase", f->phase, "code", f->code,
				      "sentence", f->sentence),
			    err) < 0 ? -1 : 1;
}
