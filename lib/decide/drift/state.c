/* SPDX-License-Identifier: Apache-2.0 */
/* Drift of the node's work: journal, attempts, time limits, blockers of the host. */
#include "decide/drift/internal.h"

#include <string.h>

#include "record/expectation.h"
#include "record/time.h"

/* Seconds from a record's time to the look, or GA_UNKNOWN when the time cannot be read. */
static int64_t age_of(const struct ga_drift_ctx *c, const char *since)
{
	int64_t micros;

	if (!ga_time_read(since, &micros))
		return GA_UNKNOWN;
	/* A clock that is behind the state's gives age 0, not a negative age. */
	return micros > c->seen->at_micros ? 0 : (c->seen->at_micros - micros) / GA_SECOND;
}

/* ---- host.db ---- */

/* Adds one drift for all open entries of an object that no allocation has any more. */
static void journal(const struct ga_drift_ctx *c, size_t i)
{
	const struct ga_seen_entry *first = &c->seen->entries.v[i];
	size_t n = 0;
	struct ga_drift_item *d;

	/* Entries of the node stay open as long as the node is in slice mode; the bootstrap undoes
	 * its own entries. */
	if (ga_streq(first->object, "node") || ga_streq(first->object, "bootstrap") ||
	    !ga_drift_is_over(c->want, c->seen, first->object))
		return;
	for (size_t j = 0; j < c->seen->entries.n; j++) {
		if (!ga_streq(c->seen->entries.v[j].object, first->object))
			continue;
		if (j < i)
			return; /* the first entry has reported the object */
		n++;
	}
	ga_autofree char *observed = ga_xprintf("%zu open, the newest: %s %s", n, first->op,
						first->subject);

	d = ga_drift_add(c, GA_D_JOURNAL_OPEN, GA_DRIFT_WARNING, first->object);
	ga_drift_say(d, "every change undone", observed);
	d->drift.age_seconds = first->age_seconds;
	ga_drift_repair(d, GA_R_UNDO_JOURNAL, first->object, NULL);
}

static void attempt(const struct ga_drift_ctx *c, const struct ga_seen_work *w)
{
	ga_autofree char *observed = NULL;
	struct ga_drift_item *d;

	if (!ga_streq(w->state, "working") || w->held)
		return;
	observed = ga_xprintf("%s left after %s", w->program, w->phase ? w->phase : "its start");
	d = ga_drift_add(c, GA_D_ATTEMPT_OPEN, GA_DRIFT_WARNING, w->object);
	ga_drift_say(d, "somebody works on it, or it has ended", observed);
	d->drift.age_seconds = age_of(c, w->started_at);
	if (ga_streq(w->program, "wipe"))
		ga_drift_command(d, "gpuaas-wipe --pending"); /* reconcile never touches a disk */
	else if (ga_drift_is_over(c->want, c->seen, w->object))
		ga_drift_repair(d, GA_R_UNDO_JOURNAL, w->object, w->attempt);
	else if (w->resumable && ga_drift_is_live(c->want, w->object))
		ga_drift_repair(d, GA_R_RESUME, w->object, w->attempt);
	else
		ga_drift_command(d,
				 ga_streq(w->program, "release") ? "gpuaas-release %s" :
				 ga_streq(w->program, "rebuild") ? "gpuaas-vm rebuild %s" :
								   "gpuaas-provision --resume %s",
				 w->object);
}

/* Whether the attempt belongs to the order in force and the state still waits for its result. */
static bool is_awaited(const struct ga_drift_ctx *c, const struct ga_seen_work *w)
{
	const struct ga_expected_allocation *a = ga_drift_allocation(c->want, w->object);

	if (a && ga_streq(a->attempt, w->attempt))
		return ga_streq(w->program, "provision") ?
			       ga_streq(a->state, "placed") || ga_streq(a->state, "provisioning") :
			       ga_streq(a->state, "releasing");
	for (size_t i = 0; ga_streq(w->program, "wipe") && i < c->want->slots.n; i++) {
		const struct ga_expected_slot *s = &c->want->slots.v[i];

		if (ga_streq(s->bundle.slot, w->object) && ga_streq(s->state, "wiping") &&
		    ga_streq(s->bundle.wipe_attempt, w->attempt))
			return true;
	}
	return false;
}

/* A result that never reached the state, as after a broken pipe: the work is done. */
static void unreported(const struct ga_drift_ctx *c, const struct ga_seen_work *w)
{
	ga_autofree char *observed = NULL;
	struct ga_drift_item *d;

	if (ga_streq(w->state, "working") || w->held || !is_awaited(c, w))
		return;
	observed = ga_xprintf("%s %s, attempt %s", w->program, w->state, w->attempt);
	d = ga_drift_add(c, GA_D_RESULT_UNTOLD, GA_DRIFT_WARNING, w->object);
	ga_drift_say(d, "its result in the state", observed);
	ga_drift_repair(d, GA_R_TELL_AGAIN, w->object, w->attempt);
}

/* ---- time limits ---- */

/* Whether the allocation is a baremetal node. */
static bool is_baremetal(const struct ga_drift_ctx *c, const char *allocation)
{
	for (size_t i = 0; allocation && i < c->want->allocations.n; i++)
		if (ga_streq(c->want->allocations.v[i].allocation, allocation))
			return ga_streq(c->want->allocations.v[i].shape, "baremetal");
	return false;
}

/* of: the id that the exit command takes (state/db/fsm.h). */
static void stuck(const struct ga_drift_ctx *c, bool is_slot, const char *id, const char *of,
		  bool baremetal, const char *state, const char *since)
{
	int64_t age = age_of(c, since), limit = 0;
	const char *exit_command = NULL, *at;
	struct ga_drift_item *d;

	if (!c->limit || !c->limit(is_slot, baremetal, state, &limit, &exit_command) ||
	    age == GA_UNKNOWN || age <= limit)
		return;
	const struct ga_seen_work *w = ga_seen_work_of(c->seen, id);
	ga_autofree char *expected = ga_xprintf("%s for at most %lld s", state, (long long)limit);
	ga_autofree char *observed = ga_xprintf("%s for %lld s, %s", state, (long long)age,
						w && w->held ? "somebody works on it" :
							       "nobody works on it here");

	d = ga_drift_add(c, GA_D_STUCK, GA_DRIFT_WARNING, id);
	ga_drift_say(d, expected, observed);
	d->drift.age_seconds = age;
	at = exit_command ? strstr(exit_command, "%s") : NULL;
	if (at)
		ga_drift_set_command(d, ga_xprintf("%.*s%s%s", (int)(at - exit_command),
						   exit_command, of, at + 2));
	else if (exit_command)
		ga_drift_set_command(d, ga_xstrdup(exit_command));
}

static bool lies_ahead(const struct ga_drift_ctx *c, const char *at)
{
	int64_t micros;

	return ga_time_read(at, &micros) && micros > c->seen->at_micros;
}

static void plan_expired(const struct ga_drift_ctx *c, const struct ga_expected_allocation *a)
{
	struct ga_drift_item *d;

	if (!ga_streq(a->state, "placed") || !a->expires_at || lies_ahead(c, a->expires_at))
		return;
	/* An info: the next writer of the state frees the slots, and the host has no fault. */
	d = ga_drift_add(c, GA_D_PLAN_EXPIRED, GA_DRIFT_INFO, a->allocation);
	ga_autofree char *expected = ga_xprintf("begun by %s", a->expires_at);

	ga_drift_say(d, expected, "still placed");
	d->drift.age_seconds = age_of(c, a->expires_at);
	ga_drift_command(d, "gpuaas-release %s", a->allocation);
}

/* ---- the host ---- */

static void host(const struct ga_drift_ctx *c)
{
	const struct ga_seen *s = c->seen;
	struct ga_drift_item *d;

	if (!s->fingerprint) {
		ga_drift_unknown(c, c->want->node, "fingerprint of the hardware", NULL);
	} else if (c->want->fingerprint && !ga_streq(c->want->fingerprint, s->fingerprint)) {
		d = ga_drift_add(c, GA_D_FINGERPRINT_CHANGED, GA_DRIFT_ERROR, c->want->node);
		ga_drift_say(d, c->want->fingerprint, s->fingerprint);
		ga_drift_command(d, "gpuaas-discover | gpuaas-approve --all-ready "
					"--accept-change");
	}
	if (s->boot_id && c->want->boot_id && !ga_streq(c->want->boot_id, s->boot_id)) {
		d = ga_drift_add(c, GA_D_BOOT_CHANGED, GA_DRIFT_INFO, c->want->node);
		ga_drift_say(d, c->want->boot_id, s->boot_id);
		ga_drift_command(d, "gpuaas-reconcile --repair --boot");
	}
	if (s->other_controller) {
		d = ga_drift_add(c, GA_D_OTHER_CONTROLLER, GA_DRIFT_WARNING, c->want->node);
		ga_drift_say(d, "orders of one state", s->other_controller);
		d->drift.age_seconds = s->other_seconds;
		ga_drift_command(d, "gpuaas-state check");
	}
	for (size_t i = 0; i < s->blockers.n; i++) {
		const struct ga_reason *r = &s->blockers.v[i];

		/* A lab's host is not a GPU host: what it lacks is only an info. */
		d = ga_drift_add(c, GA_D_HOST_BLOCKER,
				 c->want->lab ? GA_DRIFT_INFO : GA_DRIFT_WARNING, r->code);
		ga_drift_say(d, r->subject, r->evidence);
		if (r->hint)
			ga_drift_set_command(d, ga_xstrdup(r->hint));
	}
}

void ga_drift_state(const struct ga_drift_ctx *c)
{
	host(c);
	for (size_t i = 0; i < c->want->slots.n; i++) {
		const struct ga_expected_slot *s = &c->want->slots.v[i];

		bool own = !s->allocation || ga_streq(s->state, "wiping") ||
			   ga_streq(s->state, "cleanup_blocked");

		stuck(c, true, s->bundle.slot, own ? s->bundle.slot : s->allocation,
		      is_baremetal(c, s->allocation), s->state, s->since);
	}
	for (size_t i = 0; i < c->want->allocations.n; i++) {
		const struct ga_expected_allocation *a = &c->want->allocations.v[i];

		/* A hold may be longer than the limit of its state. */
		if (!ga_streq(a->state, "held") || !lies_ahead(c, a->expires_at))
			stuck(c, false, a->allocation, a->allocation,
			      is_baremetal(c, a->allocation), a->state, a->since);
		plan_expired(c, a);
	}
	if (!ga_drift_sees(c, GA_A_WORK))
		return;
	for (size_t i = 0; i < c->seen->works.n; i++) {
		attempt(c, &c->seen->works.v[i]);
		unreported(c, &c->seen->works.v[i]);
	}
	for (size_t i = 0; i < c->seen->entries.n; i++)
		journal(c, i);
}
