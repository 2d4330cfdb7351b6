/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/checks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "validate/internal.h"

/* One check and what it is judged with. */
struct judging {
	const struct ga_timeline *line, *first;
	const struct ga_trial_check *check;
	bool given;	     /* it stands in given */
	struct ga_ints jobs; /* that it is about, in its order */
	size_t from_at;	     /* what is seen from here on counts, a place in seen */
	int64_t from_ms;     /* its time */
	int64_t begin_ms;    /* its seconds count from here */
	int64_t end_ms;	     /* what was seen ends here */
	struct ga_verdict_check *ret;
};

static int64_t scaled(const struct judging *j, int64_t seconds)
{
	return seconds * 10 * j->line->scale_percent;
}

static void decide(struct judging *j, const char *result, int64_t at_ms, char *why)
{
	j->ret->result = ga_xstrdup(result);
	j->ret->at_ms = at_ms;
	j->ret->why = why;
}

/* "12.5 s": from the begin of the check. */
static char *seconds_text(const struct judging *j, int64_t ms)
{
	int64_t tenths = (ms - j->begin_ms + 50) / 100;

	return ga_xprintf("%s%" PRId64 ".%" PRId64 " s", tenths < 0 ? "-" : "",
			  (tenths < 0 ? -tenths : tenths) / 10,
			  (tenths < 0 ? -tenths : tenths) % 10);
}

/* Was it looked at until ms, and often enough? Else the check is unknown, and that is decided. */
static bool was_seen(struct judging *j, int64_t ms)
{
	if (j->end_ms == GA_UNKNOWN || j->end_ms < ms) {
		ga_autofree char *until =
			seconds_text(j, j->end_ms == GA_UNKNOWN ? j->begin_ms : j->end_ms);
		ga_autofree char *wanted = seconds_text(j, ms);

		decide(j, "unknown", GA_UNKNOWN,
		       ga_xprintf("the jobs were looked at until %s, and not until %s", until,
				  wanted));
		return false;
	}
	if (!j->line->virtual_clock && j->line->gap_ms > GA_JUDGE_GAP_MS) {
		decide(j, "unknown", GA_UNKNOWN,
		       ga_xprintf("for %" PRId64 " ms nothing was looked at", j->line->gap_ms));
		return false;
	}
	return true;
}

/* It came true at ms: met, late or missed by the deadlines. */
static void decide_by_deadline(struct judging *j, int64_t ms)
{
	const struct ga_trial_check *c = j->check;
	int64_t within = c->within_seconds, worst = c->at_worst_seconds;
	ga_autofree char *took = seconds_text(j, ms);

	if (within == GA_UNKNOWN || ms - j->begin_ms <= scaled(j, within))
		decide(j, "met", ms, NULL);
	else if (worst != GA_UNKNOWN && ms - j->begin_ms <= scaled(j, worst))
		decide(j, "late", ms,
		       ga_xprintf("it took %s, more than %" PRId64 " s", took,
				  scaled(j, within) / 1000));
	else
		decide(j, "missed", ms,
		       ga_xprintf("it took %s, more than %" PRId64 " s", took,
				  scaled(j, worst == GA_UNKNOWN ? within : worst) / 1000));
}

int64_t ga_check_deadline_ms(const struct ga_trial_check *c, int64_t scale_percent)
{
	int64_t seconds = c->at_worst_seconds != GA_UNKNOWN ? c->at_worst_seconds :
			  c->within_seconds != GA_UNKNOWN   ? c->within_seconds :
			  c->for_seconds != GA_UNKNOWN	    ? c->for_seconds :
							      0;

	return seconds * 10 * scale_percent;
}

/* The last deadline of the check, in ms of the trial. */
static int64_t last_deadline(const struct judging *j)
{
	return j->begin_ms + ga_check_deadline_ms(j->check, j->line->scale_percent);
}

static const char *state_of(const struct ga_walk *walk, size_t job)
{
	return walk->states[job].report ? walk->states[job].report->state : "not known";
}

/* ---- are, never, count ---- */

static void judge_are(struct judging *j)
{
	ga_autowalk struct ga_walk walk = { 0 };
	ga_autofree char *lagging = NULL;
	size_t i;

	ga_walk_begin(j->line, j->from_at, last_deadline(j), &walk);
	while (ga_walk_next(&walk)) {
		for (i = 0;
		     i < j->jobs.n && ga_walk_is(&walk, (size_t)j->jobs.v[i], j->check->state); i++)
			;
		if (i == j->jobs.n) {
			decide_by_deadline(j, walk.ms);
			return;
		}
		free(lagging);
		lagging = ga_xprintf("'%s' is %s, not %s", j->line->jobs.v[j->jobs.v[i]].name,
				     state_of(&walk, (size_t)j->jobs.v[i]), j->check->state);
	}
	if (was_seen(j, last_deadline(j)))
		decide(j, "missed", GA_UNKNOWN, GA_TAKE(lagging));
}

static void judge_never(struct judging *j)
{
	ga_autowalk struct ga_walk walk = { 0 };
	size_t i;

	ga_walk_begin(j->line, j->from_at, last_deadline(j), &walk);
	while (ga_walk_next(&walk)) {
		for (i = 0; i < j->jobs.n; i++) {
			if (!ga_walk_is(&walk, (size_t)j->jobs.v[i], j->check->state))
				continue;
			ga_autofree char *when = seconds_text(j, walk.ms);

			decide(j, "missed", walk.ms,
			       ga_xprintf("'%s' is %s at %s", j->line->jobs.v[j->jobs.v[i]].name,
					  j->check->state, when));
			return;
		}
	}
	if (was_seen(j, last_deadline(j)))
		decide(j, "met", GA_UNKNOWN, NULL);
}

bool ga_check_bounds(const struct ga_trial_check *c, int64_t value)
{
	return value != GA_UNKNOWN && (c->is == GA_UNKNOWN || value == c->is) &&
	       (c->at_least == GA_UNKNOWN || value >= c->at_least) &&
	       (c->at_most == GA_UNKNOWN || value <= c->at_most);
}

/* "2, not 3", "5, not 2 to 4" */
static char *bounds_text(const struct ga_trial_check *c, int64_t value)
{
	if (value == GA_UNKNOWN)
		return ga_xstrdup("not known");
	if (c->is != GA_UNKNOWN)
		return ga_xprintf("%" PRId64 ", not %" PRId64, value, c->is);
	if (c->at_least != GA_UNKNOWN && c->at_most != GA_UNKNOWN)
		return ga_xprintf("%" PRId64 ", not %" PRId64 " to %" PRId64, value, c->at_least,
				  c->at_most);
	if (c->at_least != GA_UNKNOWN)
		return ga_xprintf("%" PRId64 ", not %" PRId64 " or more", value, c->at_least);
	return ga_xprintf("%" PRId64 ", not %" PRId64 " or less", value, c->at_most);
}

static int64_t count_at(const struct judging *j, const struct ga_walk *walk)
{
	int64_t n = 0;
	size_t i;

	for (i = 0; i < j->jobs.n; i++)
		n += ga_walk_is(walk, (size_t)j->jobs.v[i], j->check->state);
	return n;
}

/* A number that must be within the bounds at the end, and with a deadline from a moment before it
 * on. A check in given ends where the act begins, which is before its deadline. */
static void judge_number(struct judging *j, const char *what,
			 int64_t (*number)(const struct judging *j, const struct ga_walk *walk))
{
	ga_autowalk struct ga_walk walk = { 0 };
	int64_t since = GA_UNKNOWN, value = GA_UNKNOWN, deadline = last_deadline(j);
	bool more = true;

	if ((!j->given || j->end_ms == GA_UNKNOWN) && !was_seen(j, deadline))
		return;
	ga_walk_begin(j->line, j->from_at, j->end_ms, &walk);
	while (more) {
		more = ga_walk_next(&walk);
		/* Without a deadline only the end counts. */
		if (more && j->check->within_seconds == GA_UNKNOWN)
			continue;
		/* The end is a moment too: a share grows while nothing changes. */
		if (!more)
			walk.ms = j->end_ms;
		value = number(j, &walk);
		if (!ga_check_bounds(j->check, value))
			since = GA_UNKNOWN;
		else if (since == GA_UNKNOWN)
			since = walk.ms;
	}
	if (since == GA_UNKNOWN) {
		ga_autofree char *bounds = NULL;

		if (j->given && !was_seen(j, deadline))
			return;
		bounds = bounds_text(j->check, value);
		decide(j, "missed", GA_UNKNOWN, ga_xprintf("%s: %s", what, bounds));
		return;
	}
	decide_by_deadline(j, since);
}

/* ---- order, on_node, together ---- */

/* Did the first start before the second? 1, 0, or -1: unknown. */
static int started_before(const struct ga_timeline_job *a, const struct ga_timeline_job *b)
{
	int order;

	if (a->started_since && b->started_since) {
		order = strcmp(a->started_since, b->started_since); /* canonical times */
		if (order)
			return order < 0;
	}
	return a->started_ms == b->started_ms ? -1 : a->started_ms < b->started_ms;
}

static void judge_order(struct judging *j)
{
	const struct ga_timeline_job *jobs = j->line->jobs.v;
	int64_t last = j->from_ms;
	size_t i;

	for (i = 0; i < j->jobs.n; i++) {
		const struct ga_timeline_job *job = &jobs[j->jobs.v[i]];

		if (job->started_ms == GA_UNKNOWN || job->started_ms > last_deadline(j)) {
			if (was_seen(j, last_deadline(j)))
				decide(j, "missed", GA_UNKNOWN,
				       ga_xprintf("'%s' does not start", job->name));
			return;
		}
		if (job->started_ms > last)
			last = job->started_ms;
	}
	for (i = 1; i < j->jobs.n; i++) {
		const struct ga_timeline_job *a = &jobs[j->jobs.v[i - 1]], *b = &jobs[j->jobs.v[i]];
		int before = started_before(a, b);

		if (before < 0) {
			decide(j, "unknown", b->started_ms,
			       ga_xprintf("'%s' and '%s' start between the same two polls", a->name,
					  b->name));
			return;
		}
		if (!before) {
			decide(j, "missed", b->started_ms,
			       ga_xprintf("'%s' starts before '%s'", b->name, a->name));
			return;
		}
	}
	decide_by_deadline(j, last);
}

static const struct ga_trial_node *node_of(const struct ga_scenario *scenario, const char *name)
{
	size_t i;

	for (i = 0; i < scenario->nodes.n; i++)
		if (!strcmp(scenario->nodes.v[i].name, name))
			return &scenario->nodes.v[i];
	return NULL;
}

static bool is_right_node(const struct judging *j, const char *name)
{
	const struct ga_trial_node *node = node_of(j->line->scenario, name);

	return ga_texts_has(&j->check->nodes, name) ||
	       (node && node->cluster && ga_texts_has(&j->check->nodes, node->cluster));
}

static void judge_on_node(struct judging *j)
{
	int64_t last = j->from_ms;
	size_t i, k;

	for (i = 0; i < j->jobs.n; i++) {
		const struct ga_timeline_job *job = &j->line->jobs.v[j->jobs.v[i]];

		if (job->started_ms == GA_UNKNOWN || job->started_ms > last_deadline(j)) {
			if (was_seen(j, last_deadline(j)))
				decide(j, "missed", GA_UNKNOWN,
				       ga_xprintf("'%s' does not start", job->name));
			return;
		}
		if (job->started_ms > last)
			last = job->started_ms;
		if (!job->at_start->places.n) {
			decide(j, "unknown", job->started_ms,
			       ga_xprintf("the node of '%s' is not shown", job->name));
			return;
		}
		for (k = 0; k < job->at_start->places.n; k++) {
			const char *node = job->at_start->places.v[k].node;

			if (is_right_node(j, node))
				continue;
			decide(j, "missed", job->started_ms,
			       ga_xprintf("'%s' starts on %s", job->name, node));
			return;
		}
	}
	decide_by_deadline(j, last);
}

int64_t ga_check_wanted(const struct ga_trial_job *form)
{
	int64_t slots = form->min_slots == GA_UNKNOWN ? form->slots : form->min_slots;

	return slots * (form->nodes == GA_UNKNOWN ? 1 : form->nodes);
}

/* A gang that has some of its slots and not all of them; may_ms: for how long it may. */
static void judge_together(struct judging *j)
{
	int64_t may_ms =
		j->check->within_seconds == GA_UNKNOWN ? 0 : scaled(j, j->check->within_seconds);
	ga_autowalk struct ga_walk walk = { 0 };
	ga_autofree int64_t *since = ga_xcalloc(j->jobs.n + 1, sizeof(*since));
	const char *hidden = NULL; /* a job that runs, and where is not shown */
	size_t i;

	if (!was_seen(j, j->begin_ms))
		return;
	for (i = 0; i < j->jobs.n; i++)
		since[i] = GA_UNKNOWN;
	ga_walk_begin(j->line, j->from_at, j->end_ms, &walk);
	do {
		/* The last round is the end itself: a gang may be half until then. */
		bool more = ga_walk_next(&walk);
		int64_t ms = more ? walk.ms : j->end_ms;

		for (i = 0; i < j->jobs.n; i++) {
			const struct ga_timeline_job *job = &j->line->jobs.v[j->jobs.v[i]];
			int64_t has = ga_walk_slots(&walk, (size_t)j->jobs.v[i]);
			bool half = has && has < ga_check_wanted(job->form);
			const struct ga_trial_report *report =
				walk.states[j->jobs.v[i]].report;

			if (has && !report->places.n)
				hidden = job->name;
			if (since[i] != GA_UNKNOWN && ms - since[i] > may_ms) {
				ga_autofree char *when = seconds_text(j, since[i]);

				decide(j, "missed", ms,
				       ga_xprintf("'%s' has only some of its slots from %s on",
						  job->name, when));
				return;
			}
			if (half && !may_ms) {
				ga_autofree char *when = seconds_text(j, ms);

				decide(j, "missed", ms,
				       ga_xprintf("'%s' has %" PRId64 " of %" PRId64 " slots at %s",
						  job->name, has, ga_check_wanted(job->form),
						  when));
				return;
			}
			if (!half)
				since[i] = GA_UNKNOWN;
			else if (since[i] == GA_UNKNOWN)
				since[i] = ms;
		}
		if (!more)
			break;
	} while (true);
	if (hidden)
		decide(j, "unknown", GA_UNKNOWN,
		       ga_xprintf("the places of '%s' are not shown", hidden));
	else
		decide(j, "met", GA_UNKNOWN, NULL);
}

/* ---- reasons and answers ---- */

static void judge_reason_in(struct judging *j)
{
	const char *state = j->check->state ? j->check->state : "pending";
	ga_autofree const struct ga_trial_report **last =
		ga_xcalloc(j->line->jobs.n + 1, sizeof(*last));
	size_t i, n = 0;

	if (!was_seen(j, j->begin_ms))
		return;
	for (i = 0; i < j->line->seen.n; i++) {
		const struct ga_trial_seen *seen = j->line->seen.v[i];

		if (seen->job && seen->ms >= j->from_ms && !strcmp(seen->job->state, state)) {
			size_t k = ga_timeline_find(j->line, seen->job->name);

			last[k] = seen->job;
		}
	}
	for (i = 0; i < j->jobs.n; i++) {
		const struct ga_trial_report *report = last[j->jobs.v[i]];
		const struct ga_trial_reason *reason = report ? report->reason : NULL;

		if (!report)
			continue;
		n++;
		if (reason && reason->code && ga_texts_has(&j->check->codes, reason->code))
			continue;
		decide(j, "missed", GA_UNKNOWN,
		       ga_xprintf("the reason of '%s' is %s%s%s", report->name,
				  reason && reason->code ? reason->code : "not shown as a code",
				  reason && reason->native ? ", " : "",
				  reason && reason->native ? reason->native : ""));
		return;
	}
	if (n)
		decide(j, "met", GA_UNKNOWN, NULL);
	else
		decide(j, "missed", GA_UNKNOWN, ga_xprintf("no job of it is ever %s", state));
}

static void judge_explain_has(struct judging *j)
{
	ga_autofree char *why = NULL;
	enum ga_answer_look look;

	if (strcmp(j->check->answer, "plan") && !was_seen(j, j->begin_ms))
		return;
	look = ga_answer_look(j->line, j->check, &j->jobs, &why);
	decide(j,
	       look == GA_ANSWER_HAS   ? "met" :
	       look == GA_ANSWER_LACKS ? "missed" :
					 "unknown",
	       GA_UNKNOWN, GA_TAKE(why));
}

/* ---- sums, runs, losses ---- */

static bool is_in_queue(const struct ga_texts *queues, const struct ga_timeline_job *job)
{
	return !queues->n || ga_texts_has(queues, job->form->queue);
}

static bool is_meant(const struct judging *j, size_t job)
{
	return (!j->check->jobs.n || ga_ints_have(j->jobs.v, j->jobs.n, (int64_t)job)) &&
	       is_in_queue(&j->check->queues, &j->line->jobs.v[job]);
}

static void judge_sum_at_most(struct judging *j)
{
	ga_autowalk struct ga_walk walk = { 0 };
	int64_t sum;
	size_t i;

	if (!was_seen(j, j->begin_ms))
		return;
	ga_walk_begin(j->line, j->from_at, j->end_ms, &walk);
	while (ga_walk_next(&walk)) {
		for (sum = 0, i = 0; i < j->line->jobs.n; i++)
			if (is_meant(j, i))
				sum += ga_walk_slots(&walk, i);
		if (sum <= j->check->at_most)
			continue;
		ga_autofree char *when = seconds_text(j, walk.ms);

		decide(j, "missed", walk.ms,
		       ga_xprintf("%" PRId64 " slots are in use at %s, more than %" PRId64, sum,
				  when, j->check->at_most));
		return;
	}
	decide(j, "met", GA_UNKNOWN, NULL);
}

/* "n1+n2" where a job started; "" where it did not. */
static char *places_text(const struct ga_timeline_job *job)
{
	struct ga_str text = GA_STR_INIT;
	size_t i;

	for (i = 0; job->at_start && i < job->at_start->places.n; i++)
		ga_str_addf(&text, "%s%s", i ? "+" : "", job->at_start->places.v[i].node);
	return ga_str_take(&text);
}

static void judge_equal_runs(struct judging *j)
{
	size_t i;

	if (!was_seen(j, j->begin_ms))
		return;
	for (i = 0; i < j->jobs.n; i++) {
		const struct ga_timeline_job *job = &j->line->jobs.v[j->jobs.v[i]];
		ga_autofree char *here = places_text(job),
				 *there = places_text(&j->first->jobs.v[j->jobs.v[i]]);

		if (!*here) {
			decide(j, "missed", GA_UNKNOWN,
			       ga_xprintf("'%s' does not start", job->name));
			return;
		}
		if (strcmp(here, there)) {
			decide(j, "missed", GA_UNKNOWN,
			       ga_xprintf("'%s' starts on %s, in the first run on %s", job->name,
					  here, *there ? there : "none"));
			return;
		}
	}
	decide(j, "met", GA_UNKNOWN, NULL);
}

static void judge_lost_none(struct judging *j)
{
	ga_autowalk struct ga_walk walk = { 0 };
	size_t i, k, lost = 0, acknowledged = 0;

	if (!was_seen(j, j->begin_ms))
		return;
	ga_walk_begin(j->line, j->from_at, j->end_ms, &walk);
	while (ga_walk_next(&walk))
		;
	for (i = 0; i < j->jobs.n; i++) {
		const struct ga_timeline_job *job = &j->line->jobs.v[j->jobs.v[i]];
		const struct ga_trial_report *report = walk.states[j->jobs.v[i]].report;

		if (!job->acknowledged)
			continue;
		acknowledged++;
		lost += !report || !strcmp(report->state, "lost");
		for (k = 0; report && report->id && k < i; k++) {
			const struct ga_trial_report *other = walk.states[j->jobs.v[k]].report;

			if (!other || !ga_streq(other->id, report->id))
				continue;
			decide(j, "missed", GA_UNKNOWN,
			       ga_xprintf("id %s was given to '%s' and to '%s'", report->id,
					  other->name, report->name));
			return;
		}
	}
	if (!acknowledged)
		decide(j, "missed", GA_UNKNOWN, ga_xstrdup("no job of it was acknowledged"));
	else if (lost)
		decide(j, "missed", GA_UNKNOWN,
		       ga_xprintf("%zu of %zu acknowledged jobs are not known", lost,
				  acknowledged));
	else
		decide(j, "met", GA_UNKNOWN, NULL);
}

/* ---- values ---- */

static int64_t value_at(const struct judging *j, const struct ga_walk *walk)
{
	return ga_value_at(j->check, &j->jobs, walk);
}

static void judge_value(struct judging *j)
{
	judge_number(j, j->check->value, value_at);
}

static void judge_count(struct judging *j)
{
	ga_autofree char *what = ga_xprintf("jobs that are %s", j->check->state);

	judge_number(j, what, count_at);
}

/* By ga_check_words. */
static void (*const judges[])(struct judging *j) = {
	judge_are,	   judge_never,	     judge_count,     judge_order,
	judge_on_node,	   judge_together,   judge_reason_in, judge_explain_has,
	judge_sum_at_most, judge_equal_runs, judge_lost_none, judge_value,
};

void ga_check_judge(const struct ga_timeline *line, const struct ga_timeline *first,
		    const struct ga_trial_check *check, bool given, struct ga_verdict_check *ret)
{
	struct judging j = {
		.line = line,
		.first = first,
		.check = check,
		.given = given,
		.ret = ret,
		.from_at = given ? line->arrange_at : line->act_at,
		.from_ms = given ? line->arrange_ms : line->act_ms,
		.begin_ms = given ? line->given_ms : line->expect_ms,
		.end_ms = given ? line->act_ms : line->polled_ms,
	};
	size_t kind;

	*ret = (struct ga_verdict_check){ .id = ga_xstrdup(check->id), .at_ms = GA_UNKNOWN };
	/* A given that never came: the run ended in it. */
	if (given && j.end_ms == GA_UNKNOWN)
		j.end_ms = line->polled_ms;
	if (j.from_ms == GA_UNKNOWN || j.begin_ms == GA_UNKNOWN) {
		decide(&j, "unknown", GA_UNKNOWN, ga_xstrdup("the scenario did not come so far"));
		return;
	}
	ga_timeline_select(line, &check->jobs, &j.jobs);
	for (kind = 0; strcmp(ga_check_words[kind], check->check); kind++)
		;
	judges[kind](&j);
	ga_list_release(&j.jobs);
}

/* ---- what no technology may do ---- */

static int64_t slots_there(const struct ga_scenario *scenario)
{
	int64_t there = 0;
	size_t i;

	for (i = 0; i < scenario->nodes.n; i++)
		there += scenario->nodes.v[i].slots;
	return there;
}

/* The sentence of a node that is used more than it can be, or NULL. */
static char *node_misused(const struct ga_walk *walk, const struct ga_trial_node *node)
{
	int64_t used = 0;
	ga_autofree const char **by = ga_xcalloc((size_t)node->slots + 1, sizeof(*by));
	size_t i, k, m;

	for (i = 0; i < walk->line->jobs.n; i++) {
		const struct ga_trial_report *r = walk->states[i].report;

		if (!ga_walk_slots(walk, i))
			continue;
		for (k = 0; k < r->places.n; k++) {
			if (strcmp(r->places.v[k].node, node->name))
				continue;
			used += r->places.v[k].count;
			for (m = 0; m < r->places.v[k].slots.n; m++) {
				int64_t slot = r->places.v[k].slots.v[m];

				if (slot >= node->slots)
					return ga_xprintf("'%s' has slot %" PRId64
							  " of %s, which has %" PRId64,
							  r->name, slot, node->name, node->slots);
				if (by[slot])
					return ga_xprintf("'%s' and '%s' have slot %" PRId64
							  " of %s at the same time",
							  by[slot], r->name, slot, node->name);
				by[slot] = r->name;
			}
		}
	}
	return used <= node->slots ? NULL :
				     ga_xprintf("%" PRId64 " slots of %s are in use, and it has "
						"%" PRId64,
						used, node->name, node->slots);
}

/* The sentence of a cluster that is used more than it can be, or NULL: also jobs whose places are
 * not shown have slots. */
static char *cluster_misused(const struct ga_walk *walk)
{
	int64_t used = 0, there = slots_there(walk->line->scenario);
	size_t i;

	for (i = 0; i < walk->line->jobs.n; i++)
		used += ga_walk_slots(walk, i);
	return used <= there ? NULL :
			       ga_xprintf("%" PRId64 " slots are in use, and the cluster has "
					  "%" PRId64,
					  used, there);
}

char *ga_check_invariants(const struct ga_timeline *line)
{
	ga_autowalk struct ga_walk walk = { 0 };
	size_t i;
	char *found = NULL;

	if (line->arrange_ms == GA_UNKNOWN)
		return NULL;
	ga_walk_begin(line, line->arrange_at, INT64_MAX, &walk);
	while (!found && ga_walk_next(&walk)) {
		for (i = 0; !found && i < line->scenario->nodes.n; i++)
			found = node_misused(&walk, &line->scenario->nodes.v[i]);
		if (!found)
			found = cluster_misused(&walk);
	}
	return found;
}

bool ga_check_contention(const struct ga_timeline *line)
{
	ga_autofree bool *waited = ga_xcalloc(line->jobs.n + 1, sizeof(*waited));
	ga_autofree bool *waits = ga_xcalloc(line->jobs.n + 1, sizeof(*waits));
	ga_autowalk struct ga_walk walk = { 0 };
	int64_t there = slots_there(line->scenario), wanted;
	size_t i, k;

	if (line->act_ms == GA_UNKNOWN)
		return false;
	/* Two polls in a row: a job waits at each, whatever else changed. */
	for (i = 0; i < line->seen.n; i++) {
		const struct ga_trial_seen *seen = line->seen.v[i];

		if (seen->job) {
			k = ga_timeline_find(line, seen->job->name);
			waits[k] = !strcmp(seen->job->state, "pending");
			waited[k] &= waits[k];
		} else if (!strcmp(seen->what, "poll") && seen->ms >= line->act_ms) {
			for (k = 0; k < line->jobs.n; k++) {
				if (waits[k] && waited[k])
					return true;
				waited[k] = waits[k];
			}
		}
	}
	ga_walk_begin(line, line->act_at, INT64_MAX, &walk);
	while (ga_walk_next(&walk)) {
		for (wanted = 0, i = 0; i < line->jobs.n; i++) {
			if (walk.states[i].evictions)
				return true;
			if (ga_walk_slots(&walk, i) || ga_walk_is(&walk, i, "pending"))
				wanted += ga_check_wanted(line->jobs.v[i].form);
		}
		if (wanted > there)
			return true;
	}
	return false;
}
