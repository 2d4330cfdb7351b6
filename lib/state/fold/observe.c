/* SPDX-License-Identifier: Apache-2.0 */
/* Folds observations of hosts: observations, drift, and failures of all programs. */
#include "record/rec.h"
#include "record/state.h"
#include "state/allocation/provision.h"
#include "state/allocation/wipe.h"
#include "state/db/audit.h"
#include "state/db/row.h"
#include "state/fold/internal.h"
#include "state/node/drift.h"
#include "state/node/health.h"
#include "state/node/node.h"

int ga_fold_observation(struct ga_db *db, const struct ga_observation *o, struct ga_err *err)
{
	struct ga_node node;
	int changed;
	size_t i;

	if (ga_store_refuse_ahead("the observation", o->node, o->at, err) < 0 ||
	    ga_store_node(db, o->node, &node, err) < 0)
		return -1;
	ga_schema_release(&ga_node_schema, &node);
	changed = ga_store_observed(db, o, err);
	for (i = 0; changed >= 0 && i < o->allocations.n; i++) {
		const struct ga_observed_allocation *a = &o->allocations.v[i];
		int r = a->power ? ga_store_power(db, a->allocation, o->node, a->power, err) : 0;

		changed = r < 0 ? -1 : changed || r;
	}
	if (changed < 0 || ga_store_drift_end(db, o, err) < 0)
		return -1;
	if (!changed)
		return 0;
	return ga_audit_add(db, "observed", o->node,
			    json_pack("{s:b, s:I, s:I, s:s?}", "agreed", o->agreed, "drifts",
				      (json_int_t)o->drifts, "journal_open",
				      (json_int_t)o->journal_open, "boot_id", o->boot_id),
			    err) < 0 ? -1 : 1;
}

/* Every run finds a lasting drift again: the audit has it once until it changes. A drift whose time
 * is ahead counts from now and is not refused, although the observation behind it is: a lost GPU
 * must not be sold until somebody has set that clock. */
int ga_fold_drift(struct ga_db *db, const struct ga_drift *given, struct ga_err *err)
{
	struct ga_drift found = *given, *const d = &found; /* borrows from given */
	ga_autojson json_t *detail = json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:b}", "node", d->node,
					       "code", d->code, "object", d->object, "expected",
					       d->expected, "observed", d->observed, "repaired",
					       d->repaired);
	const char *object = d->object ? d->object : d->node;
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autofree char *last = NULL;
	char now[GA_TIME_SIZE];

	if (ga_time_is_ahead(given->at)) {
		if (ga_store_not_ahead(given->at, now, err) < 0)
			return -1;
		found.at = now;
	}
	if (ga_store_health_drift(db, d, err) < 0 || ga_store_drift(db, d, err) < 0)
		return -1;
	if (strcmp(d->severity, "error") || !strcmp(d->observation, "unknown"))
		return 0;
	ga_rec_dump(detail, &text);
	if (ga_store_last_audit(db, object, "drift", &last, err) < 0)
		return -1;
	if (ga_streq(last, text.buf))
		return 0;
	return ga_audit_add(db, "drift", object, GA_TAKE(detail), err) < 0 ? -1 : 1;
}

/* The failure of a program, as a row of the object's timeline. */
static int failed_task(struct ga_db *db, const struct ga_failure *f, struct ga_err *err)
{
	struct ga_task t = {
		.node = f->node,
		.object = f->object,
		.attempt = f->attempt,
		.phase = f->phase,
		.state = (char *)(uintptr_t) "failed",
		.started_at = f->at,
		.finished_at = f->at,
		.elapsed_micros = GA_UNKNOWN,
		.bytes = GA_UNKNOWN,
		.detail = f->sentence,
	};

	/* The phase "hold" refuses the order itself: nothing was done. */
	return f->phase && strcmp(f->phase, "hold") ? ga_store_task(db, &t, err) : 0;
}

int ga_fold_audit(struct ga_db *db, const char *action, const char *object, json_t *detail,
		  struct ga_err *err)
{
	ga_autofree char *last = NULL;
	ga_autojson json_t *said = detail;
	ga_autostr struct ga_str text = GA_STR_INIT;

	ga_rec_dump(said, &text);
	if (ga_store_last_word(db, object, action, &last, err) < 0)
		return -1;
	if (ga_streq(last, text.buf))
		return 0;
	return ga_audit_add(db, action, object, GA_TAKE(said), err) < 0 ? -1 : 1;
}

/* Records a failure that moves nothing; a wipe moves its slot by evidence alone. A failure that
 * repeats at every run of a timer is recorded once, until something else happens to the object. */
static int only_recorded(struct ga_db *db, const struct ga_failure *f, struct ga_err *err)
{
	const char *object = f->object ? f->object : f->node ? f->node : f->program;

	return ga_fold_audit(db, "failure", object,
			     json_pack("{s:s, s:s?, s:s, s:s}", "program", f->program, "phase",
				       f->phase, "code", f->code, "sentence", f->sentence),
			     err);
}

int ga_fold_failure(struct ga_db *db, const struct ga_failure *f, struct ga_err *err)
{
	const char *program = ga_starts(f->program, "gpuaas-") ? f->program + 7 : f->program;
	ga_autoallocation struct ga_allocation_row h = { 0 }, probe = { 0 };
	ga_autowipedue struct ga_wipe_due due = { 0 };
	int r;

	if (f->dry_run)
		return ga_fold_check(db, f->object ? f->object : program, true, false, err);
	if (!f->object || !f->attempt)
		return only_recorded(db, f, err);
	r = ga_store_allocation_row(db, f->object, &probe, err);
	if (r < 0)
		return -1;
	if (!r) { /* the object is a slot, or unknown to the state */
		r = ga_store_wipe_due(db, f->object, &due, err);
		if (r > 0 && !ga_streq(due.attempt, f->attempt))
			return ga_store_stale(f->object, f->attempt, f->generation, due.attempt,
					      due.generation, err);
		if (r < 0 || (r && failed_task(db, f, err) < 0))
			return -1;
		return only_recorded(db, f, err);
	}
	if (ga_fold_allocation_row(db, f->object, f->attempt, f->generation, &h, err) < 0 ||
	    failed_task(db, f, err) < 0)
		return -1;
	if (!strcmp(program, "provision") && ga_streq(h.order_kind, "plan"))
		return ga_fold_provision_failed(db, &h, f, err);
	if (!strcmp(program, "release") && ga_streq(h.order_kind, "release-order"))
		return ga_fold_release_failed(db, &h, f, err);
	if (!strcmp(program, "release") && ga_streq(h.order_kind, "plan") && f->phase &&
	    ga_starts(f->phase, "power_"))
		return ga_fold_hold_failed(db, &h, f, err);
	if (!strcmp(program, "vm") && f->phase && ga_starts(f->phase, "rebuild_"))
		return ga_fold_rebuild_failed(db, &h, f, err);
	return only_recorded(db, f, err);
}
