/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "validate/internal.h"

/* The index of a word in a list that has it. */
static unsigned int word_of(const char *const *words, const char *word)
{
	unsigned int i;

	for (i = 0; words[i] && strcmp(words[i], word); i++)
		;
	return i;
}

static void add_jobs(struct ga_timeline *line, const struct ga_trial_step *v, size_t n, bool of_act)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		ga_autotexts struct ga_texts names = { 0 };

		if (!v[i].submit)
			continue;
		ga_trial_job_names(v[i].submit, &names);
		for (k = 0; k < names.n; k++) {
			struct ga_timeline_job *job = ga_list_add(&line->jobs);

			*job = (struct ga_timeline_job){
				.name = GA_TAKE(names.v[k]),
				.form = v[i].submit,
				.of_act = of_act,
				.submitted_ms = GA_UNKNOWN,
				.started_ms = GA_UNKNOWN,
			};
		}
	}
}

static int by_name(const void *a, const void *b, void *line)
{
	const struct ga_timeline_job *jobs = ((const struct ga_timeline *)line)->jobs.v;

	return strcmp(jobs[*(const size_t *)a].name, jobs[*(const size_t *)b].name);
}

/* Scenarios have thousands of jobs, and each look names them all. */
static void sort_jobs(struct ga_timeline *line)
{
	size_t i;

	line->by_name = ga_xcalloc(line->jobs.n + 1, sizeof(*line->by_name));
	for (i = 0; i < line->jobs.n; i++)
		line->by_name[i] = i;
	qsort_r(line->by_name, line->jobs.n, sizeof(*line->by_name), by_name, line);
}

size_t ga_timeline_find(const struct ga_timeline *line, const char *name)
{
	size_t low = 0, high = line->jobs.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(line->jobs.v[line->by_name[middle]].name, name);

		if (!order)
			return line->by_name[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return line->jobs.n;
}

void ga_timeline_select(const struct ga_timeline *line, const struct ga_texts *patterns,
			struct ga_ints *ret)
{
	size_t i, k;

	for (i = 0; i < patterns->n; i++)
		for (k = 0; k < line->jobs.n; k++)
			if (ga_trial_means(patterns->v[i], line->jobs.v[k].name) &&
			    !ga_ints_have(ret->v, ret->n, (int64_t)k))
				*ga_list_add(ret) = (int64_t)k;
}

static void set_phase(struct ga_timeline *line, const struct ga_trial_seen *seen)
{
	int64_t *const begins[] = { &line->arrange_ms, &line->given_ms, &line->act_ms,
				    &line->expect_ms, &line->ask_ms };
	int64_t *ms = begins[word_of(ga_phase_words, seen->phase)];

	if (*ms != GA_UNKNOWN)
		return;
	*ms = seen->ms;
	if (ms == &line->arrange_ms)
		line->arrange_at = line->seen.n - 1;
	else if (ms == &line->act_ms)
		line->act_at = line->seen.n - 1;
}

static void set_job(struct ga_timeline *line, const struct ga_trial_seen *seen)
{
	size_t i = ga_timeline_find(line, seen->job->name);
	struct ga_timeline_job *job;

	if (i == line->jobs.n)
		return;
	job = &line->jobs.v[i];
	if (!strcmp(seen->job->state, "running") && job->started_ms == GA_UNKNOWN) {
		job->started_ms = seen->ms;
		job->started_since = seen->job->since;
		job->at_start = seen->job;
	}
}

static void set_step(struct ga_timeline *line, const struct ga_trial_seen *seen)
{
	size_t i, k;

	if (!ga_streq(seen->verb, "submit"))
		return;
	for (i = 0; i < seen->jobs.n; i++) {
		k = ga_timeline_find(line, seen->jobs.v[i]);
		if (k == line->jobs.n)
			continue;
		line->jobs.v[k].acknowledged = true;
		if (line->jobs.v[k].submitted_ms == GA_UNKNOWN)
			line->jobs.v[k].submitted_ms = seen->ms;
	}
}

void ga_timeline_read(const struct ga_scenario *scenario, const struct ga_trial *trial, int64_t run,
		      struct ga_timeline *ret)
{
	const struct ga_trial_hello *hello = NULL;
	int64_t last = GA_UNKNOWN;
	size_t i;

	*ret = (struct ga_timeline){
		.scenario = scenario,
		.arrange_ms = GA_UNKNOWN,
		.given_ms = GA_UNKNOWN,
		.act_ms = GA_UNKNOWN,
		.expect_ms = GA_UNKNOWN,
		.ask_ms = GA_UNKNOWN,
		.polled_ms = GA_UNKNOWN,
		.scale_percent = 100,
	};
	add_jobs(ret, scenario->arrange.v, scenario->arrange.n, false);
	add_jobs(ret, scenario->act.v, scenario->act.n, true);
	sort_jobs(ret);
	for (i = 0; i < trial->seen.n; i++) {
		const struct ga_trial_seen *seen = &trial->seen.v[i];

		if (seen->hello && !hello) {
			hello = seen->hello;
			ret->scale_percent = seen->hello->time_scale_percent == GA_UNKNOWN ?
						     100 :
						     seen->hello->time_scale_percent;
			ret->virtual_clock = !strcmp(seen->hello->clock, "virtual");
		}
		if (seen->run != run)
			continue;
		*ga_list_add(&ret->seen) = seen;
		if (!strcmp(seen->what, "phase") && seen->phase)
			set_phase(ret, seen);
		else if (!strcmp(seen->what, "step"))
			set_step(ret, seen);
		else if (!strcmp(seen->what, "job") && seen->job)
			set_job(ret, seen);
		else if (!strcmp(seen->what, "end"))
			ret->ended = true;
		else if (!strcmp(seen->what, "poll") && ret->ask_ms == GA_UNKNOWN) {
			ret->polled_ms = seen->ms;
			/* Before the act a gap hides nothing that a check counts. */
			if (ret->act_ms != GA_UNKNOWN && last != GA_UNKNOWN &&
			    seen->ms - last > ret->gap_ms)
				ret->gap_ms = seen->ms - last;
			last = seen->ms;
		}
	}
}

void ga_timeline_release(struct ga_timeline *line)
{
	size_t i;

	for (i = 0; i < line->jobs.n; i++)
		free(line->jobs.v[i].name);
	free(line->by_name);
	ga_list_release(&line->jobs);
	ga_list_release(&line->seen);
}

/* ---- a walk ---- */

void ga_walk_begin(const struct ga_timeline *line, size_t from_at, int64_t until_ms,
		   struct ga_walk *ret)
{
	*ret = (struct ga_walk){ .line = line, .from_at = from_at, .until_ms = until_ms };
	ret->states = ga_xcalloc(line->jobs.n + 1, sizeof(*ret->states));
}

void ga_walk_end(struct ga_walk *walk)
{
	free(GA_TAKE(walk->states));
}

/* A job that ran and waits again was evicted, whether or not a poll saw the moment between. */
static bool was_evicted(const struct ga_trial_report *before, const struct ga_trial_report *now)
{
	if (!strcmp(now->state, "evicted"))
		return !before || strcmp(before->state, "evicted");
	return before && !strcmp(now->state, "pending") &&
	       (!strcmp(before->state, "running") || !strcmp(before->state, "stopping"));
}

static void apply(struct ga_walk *walk, size_t at)
{
	const struct ga_trial_seen *seen = walk->line->seen.v[at];
	size_t i = ga_timeline_find(walk->line, seen->job->name);
	struct ga_timeline_state *s;
	bool counts = at > walk->from_at;

	if (i == walk->line->jobs.n)
		return;
	s = &walk->states[i];
	if (counts && was_evicted(s->report, seen->job)) {
		s->evictions++;
		s->ever |= 1u << word_of(ga_job_words, "evicted");
	}
	s->report = seen->job;
	if (counts)
		s->ever |= 1u << word_of(ga_job_words, seen->job->state);
}

bool ga_walk_next(struct ga_walk *walk)
{
	const struct ga_timeline *line = walk->line;
	size_t i = walk->next;

	if (!walk->began) {
		walk->began = true;
		walk->ms = line->seen.n ? line->seen.v[walk->from_at]->ms : 0;
		for (; i < walk->from_at; i++)
			if (line->seen.v[i]->job)
				apply(walk, i);
		walk->next = i;
		return true;
	}
	while (i < line->seen.n && !line->seen.v[i]->job)
		i++;
	if (i == line->seen.n || line->seen.v[i]->ms > walk->until_ms)
		return false;
	walk->ms = line->seen.v[i]->ms;
	for (; i < line->seen.n && line->seen.v[i]->job; i++)
		apply(walk, i);
	walk->next = i;
	return true;
}

bool ga_walk_is(const struct ga_walk *walk, size_t job, const char *state)
{
	static const char *const lasting[] = {
		"evicted", "failed", "done", "lost", "refused", NULL
	};
	const struct ga_timeline_state *s = &walk->states[job];

	if (s->report && !strcmp(s->report->state, state))
		return true;
	return lasting[word_of(lasting, state)] && s->ever >> word_of(ga_job_words, state) & 1;
}

int64_t ga_walk_slots(const struct ga_walk *walk, size_t job)
{
	const struct ga_trial_report *report = walk->states[job].report;
	int64_t sum = 0;
	size_t i;

	if (!report || (strcmp(report->state, "running") && strcmp(report->state, "stopping")))
		return 0;
	for (i = 0; i < report->places.n; i++)
		sum += report->places.v[i].count;
	/* One that hides its places is believed to have what it cannot run without. */
	if (!report->places.n && !strcmp(report->state, "running"))
		return ga_check_wanted(walk->line->jobs.v[job].form);
	return sum;
}
