/* SPDX-License-Identifier: Apache-2.0 */
/* The values that a check compares, and what an answer has. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "record/rec.h"
#include "validate/internal.h"

/* The input of a value. */
struct measuring {
	const struct ga_trial_check *check;
	const struct ga_ints *jobs;
	const struct ga_walk *walk;
};

static const struct ga_timeline_job *job_of(const struct measuring *m, size_t i)
{
	return &m->walk->line->jobs.v[i];
}

/* Is the job one of those that the check names? All are, where it names none. */
static bool is_meant(const struct measuring *m, size_t i)
{
	const struct ga_trial_check *c = m->check;

	return (!c->jobs.n || ga_ints_have(m->jobs->v, m->jobs->n, (int64_t)i)) &&
	       (!c->queues.n || ga_texts_has(&c->queues, job_of(m, i)->form->queue));
}

/* ---- of the timeline ---- */

/* Seconds until the last of the jobs started: rounded up, so that a deadline is never met by
 * rounding. Unknown while one has not. */
static int64_t start_seconds(const struct measuring *m)
{
	int64_t longest = 0;
	size_t i;

	for (i = 0; i < m->walk->line->jobs.n; i++) {
		const struct ga_timeline_job *job = job_of(m, i);
		int64_t took;

		if (!is_meant(m, i))
			continue;
		if (job->started_ms == GA_UNKNOWN || job->submitted_ms == GA_UNKNOWN ||
		    job->started_ms > m->walk->ms)
			return GA_UNKNOWN;
		took = (job->started_ms - job->submitted_ms + 999) / 1000;
		longest = took > longest ? took : longest;
	}
	return longest;
}

/* Of those that started. */
static int64_t mean_wait_seconds(const struct measuring *m)
{
	__int128 sum = 0;
	int64_t n = 0;
	size_t i;

	for (i = 0; i < m->walk->line->jobs.n; i++) {
		const struct ga_timeline_job *job = job_of(m, i);

		if (!is_meant(m, i) || job->started_ms == GA_UNKNOWN ||
		    job->submitted_ms == GA_UNKNOWN || job->started_ms > m->walk->ms)
			continue;
		sum += job->started_ms - job->submitted_ms;
		n++;
	}
	return n ? (int64_t)((sum + n * 1000 - 1) / (n * 1000)) : GA_UNKNOWN;
}

static int64_t running_slots(const struct measuring *m)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < m->walk->line->jobs.n; i++)
		if (is_meant(m, i))
			sum += ga_walk_slots(m->walk, i);
	return sum;
}

/* The slots in use of one queue. */
static int64_t slots_of_queue(const struct measuring *m, const char *queue)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < m->walk->line->jobs.n; i++)
		if (!strcmp(job_of(m, i)->form->queue, queue))
			sum += ga_walk_slots(m->walk, i);
	return sum;
}

/* The greatest of a number over the queues of the check, less the least. */
static int64_t spread(const struct measuring *m,
		      int64_t (*number)(const struct measuring *m, const char *queue))
{
	int64_t least = INT64_MAX, most = 0, n;
	size_t i;

	for (i = 0; i < m->check->queues.n; i++) {
		n = number(m, m->check->queues.v[i]);
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	return m->check->queues.n ? most - least : GA_UNKNOWN;
}

static int64_t running_spread(const struct measuring *m)
{
	return spread(m, slots_of_queue);
}

/* The part of all slot time since the act that the jobs of the queues had, in percent, to the
 * nearest. */
static int64_t share_percent(const struct measuring *m)
{
	const struct ga_timeline *line = m->walk->line;
	ga_autowalk struct ga_walk walk = { 0 };
	__int128 mine = 0, all = 0;
	int64_t before = line->act_ms, mine_now = 0, all_now = 0;
	bool more;
	size_t i;

	ga_walk_begin(line, line->act_at, m->walk->ms, &walk);
	do {
		more = ga_walk_next(&walk);
		int64_t ms = more ? walk.ms : m->walk->ms;

		mine += (__int128)mine_now * (ms - before);
		all += (__int128)all_now * (ms - before);
		before = ms;
		for (mine_now = all_now = 0, i = 0; i < line->jobs.n; i++) {
			int64_t slots = ga_walk_slots(&walk, i);

			all_now += slots;
			mine_now += is_meant(m, i) ? slots : 0;
		}
	} while (more);
	return all ? (int64_t)((mine * 100 + all / 2) / all) : GA_UNKNOWN;
}

/* A resource of the cluster, and what a job has of it. */
static int64_t there_of(const struct ga_trial_node *node, int resource)
{
	return resource == 0 ? node->slots : resource == 1 ? node->vcpus : node->memory_mib;
}

static int64_t used_of(const struct measuring *m, size_t i, int resource)
{
	const struct ga_trial_job *form = job_of(m, i)->form;
	int64_t amount = resource == 1 ? form->vcpus : form->memory_mib;

	if (!resource)
		return ga_walk_slots(m->walk, i);
	if (!m->walk->states[i].report || strcmp(m->walk->states[i].report->state, "running") ||
	    amount == GA_UNKNOWN)
		return 0;
	return amount * (form->nodes == GA_UNKNOWN ? 1 : form->nodes);
}

/* The greatest of a queue's parts of GPUs, CPUs and memory, in percent (Ghodsi et al., Dominant
 * Resource Fairness, NSDI 2011, section 3). */
static int64_t dominant_percent(const struct measuring *m, const char *queue)
{
	const struct ga_scenario *scenario = m->walk->line->scenario;
	int64_t dominant = 0;
	int resource;
	size_t i;

	for (resource = 0; resource < 3; resource++) {
		__int128 used = 0;
		int64_t there = 0, n;

		for (i = 0; i < scenario->nodes.n; i++) {
			n = there_of(&scenario->nodes.v[i], resource);
			there += n == GA_UNKNOWN ? 0 : n;
		}
		for (i = 0; i < m->walk->line->jobs.n; i++)
			if (!strcmp(job_of(m, i)->form->queue, queue))
				used += used_of(m, i, resource);
		n = there ? (int64_t)(used * 100 / there) : 0;
		dominant = n > dominant ? n : dominant;
	}
	return dominant;
}

static int64_t dominant_spread(const struct measuring *m)
{
	return spread(m, dominant_percent);
}

static int64_t idle_slots(const struct measuring *m)
{
	const struct ga_timeline *line = m->walk->line;
	int64_t idle = 0;
	size_t i;

	for (i = 0; i < line->scenario->nodes.n; i++)
		idle += line->scenario->nodes.v[i].slots;
	for (i = 0; i < line->jobs.n; i++)
		idle -= ga_walk_slots(m->walk, i);
	return idle;
}

static int64_t evictions_of_a_job(const struct measuring *m)
{
	int64_t most = 0;
	size_t i;

	for (i = 0; i < m->walk->line->jobs.n; i++)
		if (is_meant(m, i) && m->walk->states[i].evictions > most)
			most = m->walk->states[i].evictions;
	return most;
}

/* The most evictions at one moment: on a virtual clock a moment is a round. */
static int64_t evictions_a_round(const struct measuring *m)
{
	const struct ga_timeline *line = m->walk->line;
	ga_autowalk struct ga_walk walk = { 0 };
	int64_t most = 0, before = 0;
	size_t i;

	ga_walk_begin(line, line->act_at, m->walk->ms, &walk);
	while (ga_walk_next(&walk)) {
		int64_t all = 0;

		for (i = 0; i < line->jobs.n; i++)
			all += is_meant(m, i) ? walk.states[i].evictions : 0;
		most = all - before > most ? all - before : most;
		before = all;
	}
	return most;
}

/* The part of the jobs that never started, in percent, rounded up. */
static int64_t refused_percent(const struct measuring *m)
{
	int64_t n = 0, refused = 0;
	size_t i;

	for (i = 0; i < m->walk->line->jobs.n; i++) {
		const struct ga_timeline_job *job = job_of(m, i);

		if (!is_meant(m, i))
			continue;
		n++;
		refused += job->started_ms == GA_UNKNOWN || job->started_ms > m->walk->ms;
	}
	return n ? (refused * 100 + n - 1) / n : GA_UNKNOWN;
}

/* ---- of answers ---- */

static const struct ga_trial_state *last_state(const struct ga_timeline *line)
{
	const struct ga_trial_state *last = NULL;
	size_t i;

	for (i = 0; i < line->seen.n; i++)
		if (line->seen.v[i]->state)
			last = line->seen.v[i]->state;
	return last;
}

/* The sum over the queues of the check, all where it names none; unknown when one does not show
 * it. */
static int64_t of_queues(const struct measuring *m, size_t offset)
{
	const struct ga_trial_state *state = last_state(m->walk->line);
	int64_t sum = 0, n = 0, value;
	size_t i;

	for (i = 0; state && i < state->queues.n; i++) {
		const struct ga_trial_queue_state *q = &state->queues.v[i];

		if (m->check->queues.n && !ga_texts_has(&m->check->queues, q->name))
			continue;
		memcpy(&value, (const char *)q + offset, sizeof(value));
		if (value == GA_UNKNOWN)
			return GA_UNKNOWN;
		sum += value;
		n++;
	}
	return n ? sum : GA_UNKNOWN;
}

static int64_t state_guaranteed(const struct measuring *m)
{
	return of_queues(m, offsetof(struct ga_trial_queue_state, guaranteed));
}

static int64_t state_used(const struct measuring *m)
{
	return of_queues(m, offsetof(struct ga_trial_queue_state, used));
}

static int64_t state_borrowed(const struct measuring *m)
{
	return of_queues(m, offsetof(struct ga_trial_queue_state, borrowed));
}

static int64_t state_pending(const struct measuring *m)
{
	return of_queues(m, offsetof(struct ga_trial_queue_state, pending));
}

/* Slots in use above the limit. */
static int64_t state_over(const struct measuring *m)
{
	int64_t used = state_used(m),
		limit = of_queues(m, offsetof(struct ga_trial_queue_state, limit));

	return used == GA_UNKNOWN || limit == GA_UNKNOWN ? GA_UNKNOWN :
	       used > limit				 ? used - limit :
							   0;
}

static int64_t free_slots(const struct measuring *m)
{
	const struct ga_trial_state *state = last_state(m->walk->line);
	int64_t sum = 0;
	size_t i;

	for (i = 0; state && i < state->pools.n; i++) {
		if (state->pools.v[i].free == GA_UNKNOWN)
			return GA_UNKNOWN;
		sum += state->pools.v[i].free;
	}
	return state && state->pools.n ? sum : GA_UNKNOWN;
}

static int64_t largest_free_block(const struct measuring *m)
{
	const struct ga_trial_state *state = last_state(m->walk->line);
	int64_t most = GA_UNKNOWN;
	size_t i;

	for (i = 0; state && i < state->pools.n; i++)
		if (state->pools.v[i].largest_block > most)
			most = state->pools.v[i].largest_block;
	return most;
}

static int64_t alerts(const struct measuring *m)
{
	const struct ga_trial_state *state = last_state(m->walk->line);

	return state ? (int64_t)state->alerts.n : GA_UNKNOWN;
}

static int64_t plan_victims(const struct measuring *m)
{
	const struct ga_timeline *line = m->walk->line;
	int64_t n = GA_UNKNOWN;
	size_t i;

	for (i = 0; i < line->seen.n; i++)
		if (line->seen.v[i]->plan)
			n = (int64_t)line->seen.v[i]->plan->victims.n;
	return n;
}

/* How many different decisions the snapshots and replays made. */
static int64_t decisions(const struct measuring *m)
{
	const struct ga_timeline *line = m->walk->line;
	size_t i, k;
	int64_t n = 0;

	for (i = 0; i < line->seen.n; i++) {
		const char *digest = line->seen.v[i]->digest;

		for (k = 0; digest && k < i && !ga_streq(line->seen.v[k]->digest, digest); k++)
			;
		n += digest && k == i;
	}
	return n ? n : GA_UNKNOWN;
}

/* By ga_value_words. */
static int64_t (*const values[])(const struct measuring *m) = {
	start_seconds,	 mean_wait_seconds, running_slots,    running_spread,	  share_percent,
	dominant_spread, idle_slots,	    running_slots,    evictions_of_a_job, evictions_a_round,
	refused_percent, plan_victims,	    state_guaranteed, state_used,	  state_borrowed,
	state_pending,	 state_over,	    free_slots,	      largest_free_block, decisions,
	alerts,
};

int64_t ga_value_at(const struct ga_trial_check *check, const struct ga_ints *jobs,
		    const struct ga_walk *walk)
{
	struct measuring m = { .check = check, .jobs = jobs, .walk = walk };
	size_t i;

	for (i = 0; strcmp(ga_value_words[i], check->value); i++)
		;
	return values[i](&m);
}

/* ---- what an answer has ---- */

/* Is the member there with something in it? A list of objects has it where each of them has. */
static bool has_field(json_t *json, const char *field)
{
	const json_t *value = json_object_get(json, field);
	const char *name;
	json_t *member;
	size_t i;

	if (value)
		return !json_is_null(value) && (!json_is_array(value) || json_array_size(value)) &&
		       (!json_is_string(value) || *json_string_value(value));
	json_object_foreach (json, name, member) {
		if (!json_is_array(member) || !json_array_size(member) ||
		    !json_is_object(json_array_get(member, 0)))
			continue;
		for (i = 0;
		     i < json_array_size(member) && has_field(json_array_get(member, i), field);
		     i++)
			;
		if (i == json_array_size(member))
			return true;
	}
	return false;
}

/* Looks at one answer; *why gets what is missing. */
static bool answer_is_right(const struct ga_trial_check *check, const char *about, json_t *json,
			    char **why)
{
	const char *code = json_string_value(json_object_get(json, "code"));
	ga_autofree char *text = json_dumps(json, JSON_COMPACT);
	size_t i;

	for (i = 0; i < check->fields.n; i++) {
		if (has_field(json, check->fields.v[i]))
			continue;
		*why = ga_xprintf("%s does not show %s", about, check->fields.v[i]);
		return false;
	}
	if (check->codes.n && (!code || !ga_texts_has(&check->codes, code))) {
		*why = ga_xprintf("%s has the code %s", about, code ? code : "none");
		return false;
	}
	for (i = 0; i < check->lacks.n; i++) {
		if (!text || !strstr(text, check->lacks.v[i]))
			continue;
		*why = ga_xprintf("%s shows '%s'", about, check->lacks.v[i]);
		return false;
	}
	return true;
}

/* The answer of an observation that the check reads, as JSON; NULL: it is another one. */
static json_t *answer_of(const struct ga_trial_seen *seen, const char *answer)
{
	if (!strcmp(answer, "explain"))
		return seen->explain ?
			       ga_schema_format(&ga_trial_explanation_schema, seen->explain) :
			       NULL;
	if (!strcmp(answer, "state"))
		return seen->state ? ga_schema_format(&ga_trial_state_schema, seen->state) : NULL;
	if (!strcmp(answer, "plan"))
		return seen->plan ? ga_schema_format(&ga_trial_plan_schema, seen->plan) : NULL;
	return seen->events ? ga_schema_format(&ga_trial_events_schema, seen->events) : NULL;
}

/* Of events only those of the job count. */
static void keep_events_of(json_t *json, const char *job)
{
	json_t *list = json_object_get(json, "events");
	size_t i = 0;

	while (i < json_array_size(list)) {
		const char *of = json_string_value(json_object_get(json_array_get(list, i), "job"));

		if (ga_streq(of, job))
			i++;
		else
			json_array_remove(list, i);
	}
}

/* The answer about the job (NULL: about the cluster) that the check reads, to be freed; NULL: there
 * is none. */
static json_t *read_answer(const struct ga_timeline *line, const struct ga_trial_check *check,
			   const char *job)
{
	const char *answer = check->answer;
	json_t *last = NULL;
	size_t i;

	for (i = 0; i < line->seen.n && !(last && check->first); i++) {
		const struct ga_trial_seen *seen = line->seen.v[i];
		json_t *json;

		if (seen->explain && job && strcmp(seen->explain->job, job))
			continue;
		json = answer_of(seen, answer);
		if (!json)
			continue;
		json_decref(last);
		last = json;
	}
	if (last && job && !strcmp(answer, "events"))
		keep_events_of(last, job);
	return last;
}

enum ga_answer_look ga_answer_look(const struct ga_timeline *line,
				   const struct ga_trial_check *check, const struct ga_ints *jobs,
				   char **why)
{
	size_t i, n = jobs->n ? jobs->n : 1;

	for (i = 0; i < n; i++) {
		const char *job = jobs->n ? line->jobs.v[jobs->v[i]].name : NULL;
		ga_autojson json_t *json = read_answer(line, check, job);
		ga_autofree char *about =
			job ? ga_xprintf("the answer to %s about '%s'", check->answer, job) :
			      ga_xprintf("the answer to %s", check->answer);

		if (!json) {
			*why = ga_xprintf("%s did not come", about);
			return GA_ANSWER_LACKS;
		}
		if (!answer_is_right(check, about, json, why))
			return GA_ANSWER_LACKS;
	}
	return GA_ANSWER_HAS;
}
