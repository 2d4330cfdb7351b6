/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/runner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/stop.h"
#include "base/str.h"
#include "record/rec.h"
#include "validate/checks.h"
#include "validate/judge.h"

/* One trial while it goes on. */
struct running {
	const struct ga_scenario *scenario;
	struct ga_adapter *adapter;
	struct ga_trial *trial;
	int64_t run, began_micros, virtual_ms;
	int64_t scale_percent;
	bool virtual_clock;
	bool broken; /* the adapter broke: nothing more is done in this run but teardown */
	json_t *shown;	   /* by job: its last report as JSON */
	json_t *acknowledged; /* by job: true */
};

static int64_t now_ms(const struct running *r)
{
	return r->virtual_clock ? r->virtual_ms :
				  (ga_clock_mono_micros() - r->began_micros) / 1000;
}

static struct ga_trial_seen *see(struct running *r, const char *what)
{
	struct ga_trial_seen *seen = ga_list_add(&r->trial->seen);

	ga_schema_init(&ga_trial_seen_schema, seen);
	seen->run = r->run;
	seen->ms = now_ms(r);
	seen->what = ga_xstrdup(what);
	return seen;
}

static void see_phase(struct running *r, const char *phase)
{
	see(r, "phase")->phase = ga_xstrdup(phase);
}

/* The adapter gave no answer. Only a refusal lets the run go on. */
static void see_error(struct running *r, const char *verb, const struct ga_trial_error *error)
{
	struct ga_trial_seen *seen = see(r, "trouble");

	seen->verb = ga_xstrdup(verb);
	seen->error = ga_xcalloc(1, sizeof(*seen->error));
	ga_schema_copy(&ga_trial_error_schema, error, seen->error);
	if (strcmp(error->code, "refused"))
		r->broken = true;
}

static void see_broken(struct running *r, const char *verb, const char *sentence)
{
	char code[] = "failed";
	ga_autofree char *text = ga_xstrdup(sentence);
	struct ga_trial_error error = { .code = code, .sentence = text };

	see_error(r, verb, &error);
}

/*
 * Asks, and reads the result by the schema into *result (NULL schema: none is needed). 1: there is
 * an answer; 0: there is none, and that was written down; -1: err.
 */
static int ask(struct running *r, const char *verb, json_t *params, const struct ga_schema *schema,
	       void *result, struct ga_err *err)
{
	int64_t deadline = GA_RUNNER_DEADLINE_SECONDS * r->scale_percent / 100;
	struct ga_adapter_reply reply;
	struct ga_trial_error error;
	struct ga_err why = GA_ERR_INIT;
	int answer;

	/* A cluster that was set up is taken down all the same. */
	if (strcmp(verb, "teardown") && ga_stop_check("gpuaas-validate", err) < 0) {
		json_decref(params);
		return -1;
	}
	answer = ga_adapter_ask(r->adapter, verb, params, deadline > 0 ? deadline : 1, &reply,
				&error, err);
	if (answer < 0)
		return -1;
	if (answer) {
		see_error(r, verb, &error);
		ga_schema_release(&ga_trial_error_schema, &error);
		return 0;
	}
	answer = 1;
	if (schema && ga_adapter_read_result(&reply, schema, result, &why) < 0) {
		see_broken(r, verb, why.msg);
		answer = 0;
	}
	ga_schema_release(&ga_adapter_reply_schema, &reply);
	return answer;
}

/* ---- looking at the jobs ---- */

/* Writes down a job that changed. */
static void see_job(struct running *r, const struct ga_trial_report *report)
{
	ga_autojson json_t *json = ga_schema_format(&ga_trial_report_schema, report);
	struct ga_trial_seen *seen;

	if (json_equal(json, json_object_get(r->shown, report->name)))
		return;
	json_object_set(r->shown, report->name, json);
	seen = see(r, "job");
	seen->job = ga_xcalloc(1, sizeof(*seen->job));
	ga_schema_copy(&ga_trial_report_schema, report, seen->job);
}

/* Acknowledged jobs that the answer does not have. */
static void see_lost(struct running *r, const json_t *answered)
{
	const char *name;
	json_t *value;

	json_object_foreach(r->acknowledged, name, value) {
		char lost[] = "lost";
		ga_autofree char *copy = NULL;
		struct ga_trial_report report;

		if (json_object_get(answered, name))
			continue;
		copy = ga_xstrdup(name);
		ga_schema_init(&ga_trial_report_schema, &report);
		report.name = copy;
		report.state = lost;
		see_job(r, &report);
	}
}

static int poll_jobs(struct running *r, struct ga_err *err)
{
	ga_autojson json_t *answered = json_object();
	struct ga_adapter_jobs_result result;
	int answer;
	size_t i;

	if (r->virtual_clock) {
		answer = ask(r, "advance", json_pack("{s:i}", "seconds", 1), NULL, NULL, err);
		if (answer <= 0)
			return answer;
		r->virtual_ms += 1000;
	}
	answer = ask(r, "jobs", json_object(), &ga_adapter_jobs_schema, &result, err);
	if (answer <= 0)
		return answer;
	see(r, "poll");
	for (i = 0; i < result.jobs.n && !r->broken; i++) {
		const struct ga_trial_report *report = &result.jobs.v[i];

		if (!json_object_get(r->acknowledged, report->name) &&
		    !json_object_get(r->shown, report->name))
			see_broken(r, "jobs", "it shows a job that was never submitted");
		else if (json_object_get(answered, report->name))
			see_broken(r, "jobs", "it shows a job twice");
		else
			see_job(r, report);
		json_object_set_new(answered, report->name, json_true());
	}
	if (!r->broken)
		see_lost(r, answered);
	ga_schema_release(&ga_adapter_jobs_schema, &result);
	return 1;
}

/* Looks again when it is time, and until then waits. */
static int look(struct running *r, int64_t *next_micros, struct ga_err *err)
{
	while (!r->virtual_clock && ga_clock_wait(*next_micros, GA_SECOND / 10))
		if (ga_stop_check("gpuaas-validate", err) < 0)
			return -1;
	*next_micros = ga_clock_mono_micros() + GA_RUNNER_POLL_MS * 1000;
	return poll_jobs(r, err);
}

/* Can a check of the kind be decided before its deadline? */
static bool ends_early(const char *kind)
{
	return !strcmp(kind, "are") || !strcmp(kind, "order") || !strcmp(kind, "on_node");
}

/* Have all checks been watched for long enough, since begin_ms? *met: whether all are met. */
static bool watched(const struct running *r, const struct ga_trial_check *v, size_t n, bool given,
		    int64_t begin_ms, bool *met)
{
	struct ga_timeline line;
	bool enough = true;
	size_t i;

	*met = false;
	/* While one of them cannot be decided there is no need to judge any. */
	for (i = 0; i < n; i++)
		if (!given && !ends_early(v[i].check) &&
		    now_ms(r) < begin_ms + ga_check_deadline_ms(&v[i], r->scale_percent))
			return false;
	ga_timeline_read(r->scenario, r->trial, r->run, &line);
	*met = true;
	for (i = 0; i < n; i++) {
		struct ga_verdict_check check;
		bool is_met;

		ga_check_judge(&line, &line, &v[i], given, &check);
		is_met = !strcmp(check.result, "met") || !strcmp(check.result, "late");
		*met &= is_met;
		if (line.polled_ms == GA_UNKNOWN ||
		    (line.polled_ms < begin_ms + ga_check_deadline_ms(&v[i], r->scale_percent) &&
		     !(is_met && (given || ends_early(v[i].check)))))
			enough = false;
		free(check.id);
		free(check.result);
		free(check.why);
	}
	ga_timeline_release(&line);
	return enough;
}

/* Watches until all checks are decided. Returns 1 with *met, 0 when the adapter broke, or -1. */
static int watch(struct running *r, const struct ga_trial_check *v, size_t n, bool given, bool *met,
		 struct ga_err *err)
{
	int64_t next = 0, begin_ms = now_ms(r);

	do {
		if (look(r, &next, err) < 0)
			return -1;
		if (r->broken)
			return 0;
	} while (!watched(r, v, n, given, begin_ms, met));
	return 1;
}

static int watch_until(struct running *r, int64_t until_ms, struct ga_err *err)
{
	int64_t next = 0;

	while (!r->broken && now_ms(r) < until_ms)
		if (look(r, &next, err) < 0)
			return -1;
	return 0;
}

/* Watches for so many seconds of the scenario. */
static int watch_for(struct running *r, int64_t seconds, struct ga_err *err)
{
	return watch_until(r, now_ms(r) + seconds * 10 * r->scale_percent, err);
}

/* ---- steps ---- */

static struct ga_trial_seen *see_step(struct running *r, const char *verb)
{
	struct ga_trial_seen *seen = see(r, "step");

	seen->verb = ga_xstrdup(verb);
	return seen;
}

/* A job of the list as the adapter gets it: with its own name, and without what the runner does. */
static json_t *job_params(const struct ga_trial_job *form, const char *name)
{
	json_t *json = ga_schema_format(&ga_trial_job_schema, form);

	json_object_set_new(json, "name", json_string(name));
	json_object_del(json, "count");
	json_object_del(json, "every_seconds");
	json_object_del(json, "submitters");
	return json;
}

/* Writes down what was acknowledged and refused of one submit. */
static void see_submitted(struct running *r, const struct ga_texts *names, size_t from, size_t to,
			  const struct ga_adapter_submit_result *result)
{
	struct ga_trial_seen *seen;
	size_t i, k;

	for (i = from; i < to && !r->broken; i++) {
		for (k = 0; k < result->jobs.n && strcmp(result->jobs.v[k].name, names->v[i]); k++)
			;
		if (k == result->jobs.n)
			see_broken(r, "submit", "it says nothing of a job that was submitted");
		else if (result->jobs.v[k].id)
			json_object_set_new(r->acknowledged, names->v[i], json_true());
	}
	if (r->broken)
		return;
	seen = see_step(r, "submit");
	for (k = 0; k < result->jobs.n; k++)
		if (result->jobs.v[k].id &&
		    json_object_get(r->acknowledged, result->jobs.v[k].name))
			ga_texts_add(&seen->jobs, result->jobs.v[k].name);
	for (k = 0; k < result->jobs.n; k++) {
		const struct ga_adapter_submitted *job = &result->jobs.v[k];
		struct ga_trial_report report;
		char refused[] = "refused";

		if (job->id)
			continue;
		ga_schema_init(&ga_trial_report_schema, &report);
		report.name = job->name;
		report.state = refused;
		report.reason = job->reason;
		see_job(r, &report);
	}
}

static int submit_some(struct running *r, const struct ga_trial_job *form,
		       const struct ga_texts *names, size_t from, size_t to, struct ga_err *err)
{
	json_t *params = json_object(), *jobs = json_array();
	struct ga_adapter_submit_result result;
	int answer;
	size_t i;

	for (i = from; i < to; i++)
		json_array_append_new(jobs, job_params(form, names->v[i]));
	json_object_set_new(params, "jobs", jobs);
	if (form->submitters != GA_UNKNOWN)
		json_object_set_new(params, "submitters", json_integer(form->submitters));
	answer = ask(r, "submit", params, &ga_adapter_submit_schema, &result, err);
	if (answer <= 0)
		return answer;
	see_submitted(r, names, from, to, &result);
	ga_schema_release(&ga_adapter_submit_schema, &result);
	return 0;
}

static int submit(struct running *r, const struct ga_trial_job *form, struct ga_err *err)
{
	bool one_by_one = form->every_seconds != GA_UNKNOWN;
	ga_autotexts struct ga_texts names = { 0 };
	size_t from, to, step = one_by_one	 ? 1 :
				r->virtual_clock ? GA_RUNNER_JOBS :
						   GA_RUNNER_BATCH;
	int64_t begin_ms = now_ms(r), every_ms = form->every_seconds * 10 * r->scale_percent;
	int64_t next = 0;

	ga_trial_job_names(form, &names);
	for (from = 0; from < names.n && !r->broken; from = to) {
		to = from + step < names.n ? from + step : names.n;
		if (submit_some(r, form, &names, from, to, err) < 0)
			return -1;
		if (r->broken || to == names.n)
			break;
		/* Each at its own time: a look that takes longer delays none of the others. */
		if (one_by_one && watch_until(r, begin_ms + (int64_t)to * every_ms, err) < 0)
			return -1;
		/* Clients that take long must not keep it from looking. */
		if (!one_by_one && !r->virtual_clock && look(r, &next, err) < 0)
			return -1;
	}
	return 0;
}

/* The jobs that the patterns mean and that were taken, as a list of names. */
static json_t *names_of(const struct running *r, const struct ga_texts *patterns)
{
	json_t *names = json_array(), *value;
	const char *name;
	size_t i;

	json_object_foreach(r->acknowledged, name, value)
		for (i = 0; i < patterns->n; i++)
			if (ga_trial_means(patterns->v[i], name)) {
				json_array_append_new(names, json_string(name));
				break;
			}
	return names;
}

/* A request whose answer is only that it was done. */
static int do_request(struct running *r, const char *verb, json_t *params, struct ga_err *err)
{
	int answer = ask(r, verb, params, NULL, NULL, err);

	if (answer > 0)
		see_step(r, verb);
	return answer < 0 ? -1 : 0;
}

static int set_up(struct running *r, const char *verb, json_t *params, struct ga_err *err)
{
	struct ga_adapter_set_result result;
	struct ga_trial_seen *seen;
	int answer = ask(r, verb, params, &ga_adapter_set_schema, &result, err);

	if (answer <= 0)
		return answer;
	seen = see_step(r, verb);
	seen->ignored = result.ignored;
	seen->workarounds = result.workarounds;
	result.ignored = result.workarounds = (struct ga_texts){ 0 };
	ga_schema_release(&ga_adapter_set_schema, &result);
	return 0;
}

static json_t *list_of(const struct ga_schema *schema, const void *v, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(list,
				      ga_schema_format(schema, (const char *)v + i * schema->size));
	return list;
}

static int set_queues(struct running *r, const struct ga_trial_queue *v, size_t n,
		      struct ga_err *err)
{
	return set_up(r, "queues",
		      json_pack("{s:o}", "queues", list_of(&ga_trial_queue_schema, v, n)), err);
}

/* An answer of the technology: the member of the observation that has its name gets it. */
static int ask_question(struct running *r, const char *verb, json_t *params,
			const struct ga_schema *schema, struct ga_err *err)
{
	void *result = ga_xcalloc(1, schema->size);
	struct ga_trial_seen *seen;
	int answer = ask(r, verb, params, schema, result, err);

	if (answer <= 0) {
		free(result);
		return answer;
	}
	seen = see(r, "answer");
	seen->verb = ga_xstrdup(verb);
	if (schema == &ga_trial_explanation_schema)
		seen->explain = result;
	else if (schema == &ga_trial_state_schema)
		seen->state = result;
	else if (schema == &ga_trial_plan_schema)
		seen->plan = result;
	else
		seen->events = result;
	return 0;
}

static int explain(struct running *r, const struct ga_trial_question *q, struct ga_err *err)
{
	char *pattern[] = { q->job };
	struct ga_texts patterns = { .v = pattern, .n = 1 };
	ga_autojson json_t *names = names_of(r, &patterns);
	json_t *name;
	size_t i;

	json_array_foreach(names, i, name) {
		json_t *params = json_pack("{s:O, s:s}", "job", name, "as", q->as);

		if (r->broken)
			return 0;
		if (ask_question(r, "explain", params, &ga_trial_explanation_schema, err) < 0)
			return -1;
	}
	return 0;
}

static int snapshot(struct running *r, const char *what, struct ga_err *err)
{
	const char *verb = !strcmp(what, "take") ? "snapshot" : "replay";
	struct ga_adapter_digest_result result;
	struct ga_trial_seen *seen;
	int answer = ask(r, verb, json_object(), &ga_adapter_digest_schema, &result, err);

	if (answer <= 0)
		return answer;
	seen = see(r, "answer");
	seen->verb = ga_xstrdup(verb);
	seen->digest = GA_TAKE(result.digest);
	ga_schema_release(&ga_adapter_digest_schema, &result);
	return 0;
}

static int advance(struct running *r, int64_t seconds, struct ga_err *err)
{
	int answer = ask(r, "advance", json_pack("{s:I}", "seconds", (json_int_t)seconds), NULL,
			 NULL, err);

	if (answer > 0)
		r->virtual_ms += seconds * 1000;
	return answer < 0 ? -1 : 0;
}

static int do_step(struct running *r, const struct ga_trial_step *s, struct ga_err *err)
{
	json_t *json;

	if (s->submit)
		return submit(r, s->submit, err);
	if (s->plan)
		return ask_question(r, "plan",
				    json_pack("{s:o}", "job",
					      ga_schema_format(&ga_trial_job_schema, s->plan)),
				    &ga_trial_plan_schema, err);
	if (s->change) {
		json = ga_schema_format(&ga_trial_change_schema, s->change);
		json_object_set_new(json, "jobs", names_of(r, &s->change->jobs));
		return do_request(r, "change", json, err);
	}
	if (s->cancel.n)
		return do_request(r, "cancel", json_pack("{s:o}", "jobs", names_of(r, &s->cancel)),
				  err);
	if (s->queues.n)
		return set_queues(r, s->queues.v, s->queues.n, err);
	if (s->fault)
		return do_request(r, "fault", ga_schema_format(&ga_trial_fault_schema, s->fault),
				  err);
	if (s->pause_seconds != GA_UNKNOWN)
		return watch_for(r, s->pause_seconds, err);
	if (s->advance_seconds != GA_UNKNOWN)
		return advance(r, s->advance_seconds, err);
	if (s->explain)
		return explain(r, s->explain, err);
	if (s->client)
		return do_request(r, "client",
				  ga_schema_format(&ga_trial_client_schema, s->client), err);
	if (s->history.n)
		return do_request(r, "history",
				  json_pack("{s:o}", "usage",
					    list_of(&ga_trial_usage_schema, s->history.v,
						    s->history.n)),
				  err);
	if (s->ask)
		return ask_question(r, s->ask, json_object(),
				    !strcmp(s->ask, "state") ? &ga_trial_state_schema :
							       &ga_trial_events_schema,
				    err);
	if (s->snapshot)
		return snapshot(r, s->snapshot, err);
	see_broken(r, "submit", "a scenario with a trace cannot be run");
	return 0;
}

static int do_steps(struct running *r, const struct ga_trial_step *v, size_t n, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < n && !r->broken; i++)
		if (do_step(r, &v[i], err) < 0)
			return -1;
	return 0;
}

/* ---- a run ---- */

static int tear_down(struct running *r, struct ga_err *err)
{
	struct ga_adapter_teardown_result result;
	bool broken = r->broken;
	int answer = ask(r, "teardown", json_object(), &ga_adapter_teardown_schema, &result, err);

	r->broken = broken;
	if (answer <= 0)
		return answer;
	if (result.leftovers.n) {
		ga_autofree char *text = ga_xprintf("it left behind: %s%s", result.leftovers.v[0],
						    result.leftovers.n > 1 ? " and more" : "");

		see_broken(r, "teardown", text);
	}
	ga_schema_release(&ga_adapter_teardown_schema, &result);
	return 0;
}

/* The phases of one run; it stops where the adapter breaks or the situation does not come. */
static int run_phases(struct running *r, struct ga_err *err)
{
	const struct ga_scenario *s = r->scenario;
	bool met;

	see_phase(r, "arrange");
	if (set_up(r, "setup",
		   json_pack("{s:o}", "nodes",
			     list_of(&ga_trial_node_schema, s->nodes.v, s->nodes.n)),
		   err) < 0)
		return -1;
	if (!r->broken && set_queues(r, s->queues.v, s->queues.n, err) < 0)
		return -1;
	if (do_steps(r, s->arrange.v, s->arrange.n, err) < 0)
		return -1;
	if (r->broken)
		return 0;
	see_phase(r, "given");
	if (watch(r, s->given.v, s->given.n, true, &met, err) < 0)
		return -1;
	if (r->broken || !met)
		return 0;
	see_phase(r, "act");
	if (do_steps(r, s->act.v, s->act.n, err) < 0)
		return -1;
	if (r->broken)
		return 0;
	see_phase(r, "expect");
	if (watch(r, s->expect.v, s->expect.n, false, &met, err) < 0)
		return -1;
	if (r->broken)
		return 0;
	see_phase(r, "ask");
	return do_steps(r, s->ask.v, s->ask.n, err);
}

static int run_once(struct running *r, struct ga_err *err)
{
	struct ga_err ignored = GA_ERR_INIT;
	int result;

	r->broken = false;
	r->shown = json_object();
	r->acknowledged = json_object();
	result = run_phases(r, err);
	/* Also of a run that broke: the next one needs an empty cluster. */
	if (!result)
		result = tear_down(r, err);
	else if (ga_stop_asked() && tear_down(r, &ignored) < 0)
		ga_hint(err, "teardown failed too: %s", ignored.msg);
	/* The last request may have broken off because of it. */
	if (!result)
		result = ga_stop_check("gpuaas-validate", err);
	if (!result)
		see(r, "end");
	json_decref(r->shown);
	json_decref(r->acknowledged);
	return result;
}

static int say_hello(struct running *r, json_t *members, struct ga_err *err)
{
	struct ga_trial_hello *hello = ga_xcalloc(1, sizeof(*hello));
	json_t *params = json_pack("{s:s}", "suite", GA_VERSION);
	int answer;

	json_object_update(params, members);
	answer = ask(r, "hello", params, &ga_trial_hello_schema, hello, err);
	if (answer <= 0) {
		free(hello);
		return answer;
	}
	if (hello->time_scale_percent != GA_UNKNOWN)
		r->scale_percent = hello->time_scale_percent;
	r->virtual_clock = !strcmp(hello->clock, "virtual");
	see(r, "hello")->hello = hello;
	return 0;
}

int ga_runner_run(const struct ga_scenario *scenario, struct ga_adapter *adapter,
		  json_t *hello, struct ga_trial *trial, struct ga_err *err)
{
	int64_t runs = scenario->runs == GA_UNKNOWN ? 1 : scenario->runs;
	int64_t deaths = ga_adapter_deaths(adapter);
	struct running r = {
		.scenario = scenario, .adapter = adapter, .trial = trial, .run = 1,
		.began_micros = ga_clock_mono_micros(), .scale_percent = 100,
	};
	struct ga_verdict so_far;
	bool cannot;

	if (say_hello(&r, hello, err) < 0)
		return -1;
	/* Nothing is tried for which it has no notion. */
	ga_judge(scenario, "", trial, &so_far);
	cannot = !so_far.runs;
	ga_schema_release(&ga_verdict_schema, &so_far);
	for (; !cannot && r.run <= runs; r.run++) {
		if (run_once(&r, err) < 0)
			return -1;
		if (ga_adapter_deaths(adapter) - deaths >= GA_RUNNER_DEATHS)
			break;
	}
	return 0;
}
