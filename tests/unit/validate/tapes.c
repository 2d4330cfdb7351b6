/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each scenario that comes with gpuaas and its two tapes, tests/tapes/ID.pass and ID.fail: what a
 * technology shows that keeps the rules, and the wrong behaviour that the scenario's negative
 * names. The judge passes the first, and fails the second by the check that it names, or with words
 * of the verdict where no check is about it ("# fails CHECK"). The jobs of a trace stand in the
 * tape too ("# trace JOB").
 *
 * Runs in the folder of the sources, as all unit tests do.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "record/rec.h"
#include "t.h"
#include "validate/judge.h"
#include "validate/suite.h"
#include "validate/tape.h"

#define DIGEST "sha256:0000000000000000000000000000000000000000000000000000000000000000"
#define TAPES "tests/tapes"

/* The rest of the first line from *at on that begins so, allocated; NULL: there is none. *at then
 * is behind it. */
static char *comment(const char **at, const char *begins)
{
	const char *found = strstr(*at, begins);

	if (!found)
		return NULL;
	found += strlen(begins);
	*at = strchrnul(found, '\n');
	return ga_xprintf("%.*s", (int)(*at - found), found);
}

/* Puts the jobs of the tape's trace in the place of the step. */
static int put_trace(struct ga_scenario *scenario, const char *tape, struct ga_err *err)
{
	struct ga_trial_step *step = &scenario->act.v[scenario->act.n - 1];
	char *json;

	free(GA_TAKE(step->trace));
	while ((json = comment(&tape, "\n# trace "))) {
		ga_autofree char *text = json;
		ga_autojson json_t *object = json_loads(text, 0, NULL);
		struct ga_trial_job *job = ga_xcalloc(1, sizeof(*job));

		if (!step) {
			step = ga_list_add(&scenario->act);
			step->pause_seconds = step->advance_seconds = GA_UNKNOWN;
		}
		if (ga_schema_parse(&ga_trial_job_schema, object, job, err) < 0)
			return -1;
		step->submit = job;
		step = NULL;
	}
	return ga_scenario_check(scenario, err);
}

/* The result of the check, "" where the scenario has none of the name. */
static const char *result_of(const struct ga_verdict *verdict, const char *id)
{
	size_t i;

	for (i = 0; i < verdict->checks.n; i++)
		if (!strcmp(verdict->checks.v[i].id, id))
			return verdict->checks.v[i].result;
	return "";
}

static void judge_tape(const struct ga_scenario *scenario, const char *outcome)
{
	ga_autofree char *path = ga_xprintf(TAPES "/%s.%s", scenario->id, outcome);
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autofree char *check = NULL;
	struct ga_err err = GA_ERR_INIT;
	struct ga_verdict verdict;
	struct ga_trial trial;
	const char *at;

	if (ga_file_read(path, 1 << 20, &text, &err) < 0 ||
	    tape_read(text.buf, &trial, &err) < 0) {
		t_ok(false, "%s: %s", path, err.msg);
		return;
	}
	ga_judge(scenario, DIGEST, &trial, &verdict);
	t_str(verdict.outcome, outcome, "%s: %s", path, verdict.why);
	at = text.buf;
	check = comment(&at, "\n# fails ");
	t_ok(!check == !strcmp(outcome, "pass"), "%s names the check that it fails", path);
	if (check)
		t_ok(!strcmp(result_of(&verdict, check), "missed") ||
			     strstr(verdict.why, check),
		     "%s fails %s: %s", path, check, verdict.why);
	ga_schema_release(&ga_verdict_schema, &verdict);
	ga_trial_release(&trial);
}

/* A scenario with a trace is not run without it, and judged with the one of the tape. */
static void judge_trace(struct ga_scenario *scenario)
{
	ga_autofree char *path = ga_xprintf(TAPES "/%s.pass", scenario->id);
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	struct ga_verdict verdict;
	struct ga_trial trial;

	if (ga_file_read(path, 1 << 20, &text, &err) < 0 ||
	    tape_read(text.buf, &trial, &err) < 0) {
		t_ok(false, "%s: %s", path, err.msg);
		return;
	}
	ga_judge(scenario, DIGEST, &trial, &verdict);
	t_str(verdict.why, "not run: the jobs of its trace 'trace' are not given",
	      "%s without its trace is %s", scenario->id, verdict.outcome);
	t_int(verdict.runs, 0, "and no run of it counts");
	t_ok(!put_trace(scenario, text.buf, &err), "%s with its trace: %s", scenario->id, err.msg);
	ga_schema_release(&ga_verdict_schema, &verdict);
	ga_trial_release(&trial);
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(void)
{
	ga_cleanup(ga_suite_release) struct ga_suite suite = { 0 };
	struct ga_borrowed_texts all = { 0 };
	struct ga_err err = GA_ERR_INIT;
	struct dirent **names = NULL;
	int n = scandir(TAPES, &names, is_file, NULL);
	size_t i;

	if (ga_suite_read("share/scenarios", &all, &suite, &err) < 0)
		t_ok(false, "share/scenarios: %s", err.msg);
	for (i = 0; i < suite.scenarios.n; i++) {
		struct ga_scenario *scenario = &suite.scenarios.v[i];

		if (scenario->act.n && scenario->act.v[scenario->act.n - 1].trace)
			judge_trace(scenario);
		judge_tape(scenario, "pass");
		judge_tape(scenario, "fail");
	}
	t_int(n, (int64_t)suite.scenarios.n * 2, "no tape is without its scenario");
	while (n > 0)
		free(names[--n]);
	free(names);
	return t_done();
}
