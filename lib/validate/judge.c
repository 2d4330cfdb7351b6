/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "validate/checks.h"
#include "validate/internal.h"

static void set_outcome(struct ga_verdict *v, const char *outcome, char *why)
{
	free(v->outcome);
	free(v->why);
	v->outcome = ga_xstrdup(outcome);
	v->why = why;
}

static const struct ga_trial_hello *hello_of(const struct ga_trial *trial)
{
	size_t i;

	for (i = 0; i < trial->seen.n; i++)
		if (trial->seen.v[i].hello)
			return trial->seen.v[i].hello;
	return NULL;
}

/* Times that go back, or a run after a later one: no observation of it can be believed. */
static bool is_in_order(const struct ga_trial *trial)
{
	size_t i;

	for (i = 1; i < trial->seen.n; i++)
		if (trial->seen.v[i].ms < trial->seen.v[i - 1].ms ||
		    trial->seen.v[i].run < trial->seen.v[i - 1].run)
			return false;
	return true;
}

/* The trace whose jobs the scenario needs and does not have; NULL: none. */
static const char *trace_of(const struct ga_scenario *scenario)
{
	size_t i;

	for (i = 0; i < scenario->act.n; i++)
		if (scenario->act.v[i].trace)
			return scenario->act.v[i].trace;
	for (i = 0; i < scenario->arrange.n; i++)
		if (scenario->arrange.v[i].trace)
			return scenario->arrange.v[i].trace;
	return NULL;
}

/* "no such notion: lifo: age only raises a priority (priority_multifactor.html)", as far as it is
 * known. */
static char *no_notion(const char *what, const char *sentence, const char *reference)
{
	return ga_xprintf("no such notion: %s%s%s%s%s%s", what, sentence ? ": " : "",
			  sentence ? sentence : "", reference ? " (" : "",
			  reference ? reference : "", reference ? ")" : "");
}

static char *lack_of(const struct ga_trial_hello *hello, const char *need)
{
	size_t i;

	for (i = 0; i < hello->lacks.n; i++)
		if (!strcmp(hello->lacks.v[i].need, need))
			return no_notion(need, hello->lacks.v[i].sentence,
					 hello->lacks.v[i].reference);
	return no_notion(need, NULL, NULL);
}

static int64_t jobs_of(const struct ga_trial_step *v, size_t n)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].submit)
			sum += v[i].submit->count == GA_UNKNOWN ? 1 : v[i].submit->count;
	return sum;
}

/* Is there a reason not to run the scenario at all? */
static bool cannot_run(const struct ga_scenario *scenario, const struct ga_trial *trial,
		       struct ga_verdict *v)
{
	const struct ga_trial_hello *hello = hello_of(trial);
	const char *trace = trace_of(scenario);
	int64_t jobs;
	size_t i;

	if (!hello) {
		const struct ga_trial_error *e =
			trial->seen.n ? trial->seen.v[trial->seen.n - 1].error : NULL;

		set_outcome(v, "inconclusive",
			    ga_xprintf("the adapter did not say what it is%s%s%s%s",
				       e ? ": " : "", e ? e->code : "", e ? ": " : "",
				       e ? e->sentence : ""));
		return true;
	}
	for (i = 0; i < scenario->needs.n; i++) {
		if (ga_texts_has(&hello->supports, scenario->needs.v[i]))
			continue;
		set_outcome(v, "unsupported", lack_of(hello, scenario->needs.v[i]));
		return true;
	}
	if (strcmp(scenario->clock, "any") && strcmp(scenario->clock, hello->clock)) {
		set_outcome(v, "inconclusive",
			    ga_xprintf("not run: it needs a %s clock", scenario->clock));
		return true;
	}
	if (hello->max_nodes != GA_UNKNOWN && (int64_t)scenario->nodes.n > hello->max_nodes) {
		set_outcome(v, "inconclusive",
			    ga_xprintf("not run: it needs %zu nodes, and %" PRId64 " can be made",
				       scenario->nodes.n, hello->max_nodes));
		return true;
	}
	if (trace) {
		set_outcome(v, "inconclusive",
			    ga_xprintf("not run: the jobs of its trace '%s' are not given", trace));
		return true;
	}
	jobs = jobs_of(scenario->arrange.v, scenario->arrange.n) +
	       jobs_of(scenario->act.v, scenario->act.n);
	if (hello->max_jobs != GA_UNKNOWN && jobs > hello->max_jobs) {
		set_outcome(v, "inconclusive",
			    ga_xprintf("not run: it needs %" PRId64 " jobs, and %" PRId64
				       " can be submitted",
				       jobs, hello->max_jobs));
		return true;
	}
	if (!is_in_order(trial)) {
		set_outcome(v, "inconclusive", ga_xstrdup("the times of the observations go back"));
		return true;
	}
	return false;
}

/* Did something break in this run, or was a notion not there? A request that the technology
 * refused is an observation. */
static bool broke(const struct ga_timeline *line, struct ga_verdict *v)
{
	size_t i;

	for (i = 0; i < line->seen.n; i++) {
		const struct ga_trial_seen *seen = line->seen.v[i];
		const struct ga_trial_error *e = seen->error;

		if (!e || !strcmp(e->code, "refused"))
			continue;
		if (!strcmp(e->code, "unsupported"))
			set_outcome(v, "unsupported",
				    no_notion(seen->verb ? seen->verb : "a request", e->sentence,
					      e->reference));
		else
			set_outcome(v, "inconclusive",
				    ga_xprintf("%s: %s: %s", seen->verb ? seen->verb : "adapter",
					       e->code, e->sentence));
		return true;
	}
	if (line->ended)
		return false;
	set_outcome(v, "inconclusive", ga_xstrdup("the run did not come to its end"));
	return true;
}

static struct ga_verdict_check *add_check(struct ga_verdict *v)
{
	return ga_list_add(&v->checks);
}

static bool judge_given(const struct ga_timeline *line, struct ga_verdict *v)
{
	const struct ga_scenario *scenario = line->scenario;
	size_t i;

	for (i = 0; i < scenario->given.n; i++) {
		struct ga_verdict_check *c = add_check(v);

		ga_check_judge(line, line, &scenario->given.v[i], true, c);
		if (!strcmp(c->result, "met"))
			continue;
		set_outcome(v, "inconclusive",
			    ga_xprintf("the situation did not come: %s: %s", c->id,
				       c->why ? c->why : c->result));
		return false;
	}
	v->given = true;
	return true;
}

/* Is the group met by one of its checks, in the order late, met? Returns the best result. */
static const char *best_of_group(const struct ga_scenario *scenario, const struct ga_verdict *v,
				 size_t first, const char *group)
{
	static const char *const order[] = { "missed", "unknown", "late", "met" };
	size_t i, k, best = 0;

	for (i = 0; i < scenario->expect.n; i++) {
		if (!ga_streq(scenario->expect.v[i].one_of, group))
			continue;
		for (k = 0; strcmp(order[k], v->checks.v[first + i].result); k++)
			;
		best = k > best ? k : best;
	}
	return order[best];
}

static void add_workaround(struct ga_verdict *v, const char *what, const char *why)
{
	ga_autofree char *text = ga_xprintf("%s%s%s", what, why ? ": " : "", why ? why : "");

	if (!ga_texts_has(&v->workarounds, text))
		ga_texts_add(&v->workarounds, text);
}

/* Settings that the technology could not take, or that are none of its defaults. */
static void add_settings(const struct ga_timeline *line, struct ga_verdict *v)
{
	size_t i, k;

	for (i = 0; i < line->seen.n; i++) {
		for (k = 0; k < line->seen.v[i]->ignored.n; k++)
			add_workaround(v, "not taken", line->seen.v[i]->ignored.v[k]);
		for (k = 0; k < line->seen.v[i]->workarounds.n; k++)
			add_workaround(v, "set", line->seen.v[i]->workarounds.v[k]);
	}
}

static void judge_expect(const struct ga_timeline *line, const struct ga_timeline *first,
			 struct ga_verdict *v)
{
	const struct ga_scenario *scenario = line->scenario;
	size_t i, begin = v->checks.n;
	const struct ga_verdict_check *unknown = NULL;
	ga_autofree char *missed = NULL;

	for (i = 0; i < scenario->expect.n; i++)
		ga_check_judge(line, first, &scenario->expect.v[i], false, add_check(v));
	for (i = 0; i < scenario->expect.n; i++) {
		const struct ga_trial_check *check = &scenario->expect.v[i];
		const struct ga_verdict_check *c = &v->checks.v[begin + i];
		const char *result = check->one_of ?
					     best_of_group(scenario, v, begin, check->one_of) :
					     c->result;

		if (!strcmp(result, "missed") && check->partial)
			add_workaround(v, c->id, c->why);
		else if (!strcmp(result, "missed") && !missed)
			missed = ga_xprintf("%s: %s", c->id, c->why ? c->why : "missed");
		else if (!strcmp(result, "unknown") && !unknown)
			unknown = c;
		else if (!strcmp(result, "late") && !strcmp(c->result, "late"))
			add_workaround(v, c->id, c->why);
	}
	if (missed)
		set_outcome(v, "fail", GA_TAKE(missed));
	else if (unknown)
		set_outcome(v, "inconclusive",
			    ga_xprintf("%s is not known%s%s", unknown->id,
				       unknown->why ? ": " : "",
				       unknown->why ? unknown->why : ""));
}

static void add_value(struct ga_verdict *v, const char *name, int64_t value)
{
	if (value != GA_UNKNOWN)
		*ga_list_add(&v->values) =
			(struct ga_verdict_value){ .name = ga_xstrdup(name), .value = value };
}

/* Measures the answers: the fields of the best explanation, of the six that a person needs, and
 * whether the largest free block is shown. */
static void measure_answers(const struct ga_timeline *line, struct ga_verdict *v)
{
	int64_t fields = GA_UNKNOWN, block = GA_UNKNOWN;
	size_t i, k;

	for (i = 0; i < line->seen.n; i++) {
		const struct ga_trial_explanation *e = line->seen.v[i]->explain;
		const struct ga_trial_state *s = line->seen.v[i]->state;

		if (e) {
			int64_t n = (e->code != NULL) + (e->missing != GA_UNKNOWN) +
				    (e->would_free.n > 0) + (e->position != GA_UNKNOWN) +
				    (e->expected_start != NULL) + (e->text || e->native);

			fields = n > fields ? n : fields;
		}
		if (s && block == GA_UNKNOWN)
			block = 0;
		for (k = 0; s && k < s->pools.n; k++)
			if (s->pools.v[k].largest_block != GA_UNKNOWN)
				block = 1;
	}
	add_value(v, "explain_fields", fields);
	add_value(v, "largest_block_shown", block);
}

/* The numbers for the comparisons of the matrix: how long the jobs of the act took to start
 * and the first job of all since the run began, how many jobs were evicted, how many of these with
 * a reason, and the slot time that they lost. */
static void measure(const struct ga_timeline *line, struct ga_verdict *v)
{
	ga_autowalk struct ga_walk walk = { 0 };
	ga_autofree int64_t *since = ga_xcalloc(line->jobs.n + 1, sizeof(*since));
	int64_t start_ms = GA_UNKNOWN, first_ms = GA_UNKNOWN, evictions = 0, explained = 0;
	__int128 lost_ms = 0;
	size_t i;

	for (i = 0; i < line->jobs.n; i++) {
		const struct ga_timeline_job *job = &line->jobs.v[i];

		if (job->of_act && job->started_ms != GA_UNKNOWN &&
		    job->submitted_ms != GA_UNKNOWN &&
		    job->started_ms - job->submitted_ms > start_ms)
			start_ms = job->started_ms - job->submitted_ms;
		if (job->started_ms != GA_UNKNOWN &&
		    (first_ms == GA_UNKNOWN || job->started_ms < first_ms))
			first_ms = job->started_ms;
		since[i] = GA_UNKNOWN;
	}
	ga_walk_begin(line, line->arrange_at, INT64_MAX, &walk);
	while (ga_walk_next(&walk)) {
		for (i = 0; i < line->jobs.n; i++) {
			int64_t slots = ga_walk_slots(&walk, i);

			if (slots && since[i] == GA_UNKNOWN)
				since[i] = walk.ms;
			if (slots || since[i] == GA_UNKNOWN)
				continue;
			if (walk.ms >= line->act_ms && walk.states[i].report &&
			    (ga_walk_is(&walk, i, "pending") ||
			     !strcmp(walk.states[i].report->state, "evicted"))) {
				evictions++;
				explained += walk.states[i].report->evicted_by ||
					     walk.states[i].report->reason;
				lost_ms += (__int128)(walk.ms - since[i]) *
					   ga_check_wanted(line->jobs.v[i].form);
			}
			since[i] = GA_UNKNOWN;
		}
	}
	add_value(v, "start_ms", start_ms);
	if (first_ms != GA_UNKNOWN)
		add_value(v, "first_job_ms", first_ms - line->seen.v[0]->ms);
	add_value(v, "evictions", evictions);
	add_value(v, "evictions_explained", explained);
	add_value(v, "lost_slot_seconds",
		  lost_ms / 1000 < GA_INT_MAX_SAFE ? (int64_t)(lost_ms / 1000) : GA_INT_MAX_SAFE);
}

/* Is it a check of equal runs that was missed? The first run always meets it, so one other run that
 * does not is no chance of the measurement: it is what the scenario is about. */
static bool runs_differ(const struct ga_scenario *scenario, const struct ga_verdict *v)
{
	size_t i, begin = v->checks.n - scenario->expect.n;

	for (i = 0; i < scenario->expect.n; i++)
		if (!strcmp(scenario->expect.v[i].check, "equal_runs") &&
		    !scenario->expect.v[i].partial &&
		    !strcmp(v->checks.v[begin + i].result, "missed"))
			return true;
	return false;
}

/* Judges one run into a verdict of its own. Returns whether a failure of this run alone is one of
 * the technology: it did what none may do, or decided otherwise than in the first run. */
static bool judge_run(const struct ga_scenario *scenario, const struct ga_trial *trial, int64_t run,
		      const struct ga_timeline *first, struct ga_verdict *v)
{
	struct ga_timeline line;
	bool counts;
	char *wrong;

	ga_timeline_read(scenario, trial, run, &line);
	wrong = ga_check_invariants(&line);
	counts = wrong;
	v->contended = ga_check_contention(&line);
	if (wrong) {
		/* It counts also when the adapter broke. */
		set_outcome(v, "fail", wrong);
	} else if (!broke(&line, v) && judge_given(&line, v)) {
		judge_expect(&line, first, v);
		counts = runs_differ(scenario, v);
		measure(&line, v);
		measure_answers(&line, v);
		if (!v->outcome && !v->contended && !strcmp(scenario->level, "must"))
			set_outcome(v, "inconclusive",
				    ga_xstrdup("nothing ever waited: it was not shown under "
					       "contention"));
	}
	if (!v->outcome) {
		add_settings(&line, v);
		if (v->workarounds.n)
			set_outcome(v, "workaround", ga_xstrdup(v->workarounds.v[0]));
		else
			set_outcome(v, "pass", ga_xstrdup("all checks are met"));
	}
	ga_timeline_release(&line);
	return counts;
}

static void swap(struct ga_verdict *a, struct ga_verdict *b)
{
	struct ga_verdict kept = *a;

	*a = *b;
	*b = kept;
}

/* Runs that differ: what was seen once can come again. The run that is shown is the first one that
 * differs, since it says what the others hide. once: a failure of one run is one. */
static void judge_flaky(const struct ga_verdict *first, bool once, struct ga_verdict *shown)
{
	ga_autofree char *why = ga_xprintf("%" PRId64 " of %" PRId64
					   " runs end in %s, another in %s: %s",
					   shown->agreeing, shown->runs, first->outcome,
					   shown->outcome, shown->why);

	if (once && (!strcmp(shown->outcome, "fail") || !strcmp(first->outcome, "fail"))) {
		set_outcome(shown, "fail", GA_TAKE(why));
	} else if (!strcmp(shown->outcome, "inconclusive") ||
		   !strcmp(shown->outcome, "unsupported") ||
		   !strcmp(first->outcome, "inconclusive") ||
		   !strcmp(first->outcome, "unsupported")) {
		set_outcome(shown, "inconclusive", GA_TAKE(why));
	} else {
		add_workaround(shown, "flaky", why);
		set_outcome(shown, "workaround", GA_TAKE(why));
	}
}

static void judge_runs(const struct ga_scenario *scenario, const struct ga_trial *trial,
		       struct ga_verdict *ret)
{
	int64_t runs = scenario->runs == GA_UNKNOWN ? 1 : scenario->runs, run, agreeing = 1;
	bool once = scenario->safety;
	struct ga_verdict first, differs;
	struct ga_timeline line;

	ga_schema_init(&ga_verdict_schema, &first);
	ga_schema_init(&ga_verdict_schema, &differs);
	ga_timeline_read(scenario, trial, 1, &line);
	once |= judge_run(scenario, trial, 1, &line, &first);
	for (run = 2; run <= runs; run++) {
		struct ga_verdict other;

		ga_schema_init(&ga_verdict_schema, &other);
		once |= judge_run(scenario, trial, run, &line, &other);
		if (!strcmp(other.outcome, first.outcome))
			agreeing++;
		else if (!differs.outcome)
			swap(&differs, &other);
		ga_schema_release(&ga_verdict_schema, &other);
	}
	ga_timeline_release(&line);
	if (differs.outcome) {
		differs.runs = runs;
		differs.agreeing = agreeing;
		judge_flaky(&first, once, &differs);
		swap(&first, &differs);
	}
	first.runs = runs;
	first.agreeing = agreeing;
	*ret = first;
	ga_schema_release(&ga_verdict_schema, &differs);
}

/* Words of the adapter can be long and have lines; a sentence of a verdict is one line. */
static void tidy(char *text)
{
	if (!text)
		return;
	text[strnlen(text, GA_JUDGE_SENTENCE_MAX)] = '\0';
	ga_printable(text);
}

void ga_judge(const struct ga_scenario *scenario, const char *digest, const struct ga_trial *trial,
	      struct ga_verdict *ret)
{
	size_t i;

	ga_schema_init(&ga_verdict_schema, ret);
	if (!cannot_run(scenario, trial, ret))
		judge_runs(scenario, trial, ret);
	tidy(ret->why);
	for (i = 0; i < ret->checks.n; i++)
		tidy(ret->checks.v[i].why);
	for (i = 0; i < ret->workarounds.n; i++)
		tidy(ret->workarounds.v[i]);
	ret->scenario = ga_xstrdup(scenario->id);
	ret->scenario_digest = ga_xstrdup(digest);
}
