/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/suite.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/str.h"
#include "record/closest.h"
#include "record/digest.h"
#include "record/rec.h"
#include "validate/judge.h"
#include "validate/runner.h"

void ga_suite_release(struct ga_suite *suite)
{
	size_t i;

	for (i = 0; i < suite->scenarios.n; i++)
		ga_schema_release(&ga_scenario_schema, &suite->scenarios.v[i]);
	ga_list_release(&suite->scenarios);
}

static int is_json(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && entry->d_name[0] != '.' && !strcmp(entry->d_name + len - 5, ".json");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int ga_suite_read_text(const char *text, size_t len, const char *name, struct ga_scenario *ret,
		       struct ga_err *err)
{
	json_error_t why;
	ga_autojson json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);

	if (!json)
		return ga_fail(err, GA_BADREC, "'%s': line %d: %s", name, why.line, why.text);
	if (!ga_streq(json_string_value(json_object_get(json, "kind")), ga_scenario_schema.kind))
		return ga_fail(err, GA_BADREC, "'%s' is no %s", name, ga_scenario_schema.kind);
	if (ga_schema_parse(&ga_scenario_schema, json, ret, err) < 0)
		return ga_wrap(err, "'%s'", name);
	if (!ga_scenario_check(ret, err))
		return 0;
	ga_schema_release(&ga_scenario_schema, ret);
	return ga_wrap(err, "'%s'", name);
}

/* A scenario is written by a person, over many lines. */
static int read_scenario(const char *path, const char *name, struct ga_scenario *ret,
			 struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct stat st;

	if (stat(path, &st) < 0)
		return ga_fail_sys(err, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return ga_fail(err, GA_BADREC, "'%s' is no regular file", path);
	if (st.st_size > GA_LINE_MAX)
		return ga_fail(err, GA_BADREC, "'%s' is longer than %d MiB", path,
			       GA_LINE_MAX >> 20);
	if (ga_file_read(path, GA_LINE_MAX, &text, err) < 0)
		return -1;
	if (ga_suite_read_text(text.buf, text.len, path, ret, err) < 0)
		return -1;
	if (strlen(ret->id) + 5 == strlen(name) && ga_starts(name, ret->id))
		return 0;
	ga_err_set(err, GA_BADREC, "'%s' is scenario '%s': its name must be %s.json", path, ret->id,
		   ret->id);
	ga_schema_release(&ga_scenario_schema, ret);
	return -1;
}

static bool is_wanted(const struct ga_borrowed_texts *only, const char *id)
{
	size_t i;

	for (i = 0; only && i < only->n; i++)
		if (!strcmp(only->v[i], id))
			return true;
	return !only || !only->n;
}

static int fail_unknown(const struct ga_suite *suite, const char *id, const char *folder,
			struct ga_err *err)
{
	ga_autofree char *hint = NULL;
	struct ga_closest_names near;
	size_t i;

	ga_closest_begin(&near, id);
	for (i = 0; i < suite->scenarios.n; i++)
		ga_closest_word(&near, suite->scenarios.v[i].id);
	hint = ga_closest_hint(&near);
	return ga_refuse(err, GA_NOTFOUND, NULL, id,
			 ("folder '%s' has no scenario '%s'", folder, id),
			 ("%s'gpuaas-validate list' shows the ids", hint));
}

static int check_only(const struct ga_suite *suite, const struct ga_borrowed_texts *only,
		      const char *folder, struct ga_err *err)
{
	size_t i, k;

	for (i = 0; only && i < only->n; i++) {
		for (k = 0; k < suite->scenarios.n &&
			    strcmp(suite->scenarios.v[k].id, only->v[i]);
		     k++)
			;
		if (k == suite->scenarios.n)
			return fail_unknown(suite, only->v[i], folder, err);
	}
	return 0;
}

int ga_suite_read(const char *folder, const struct ga_borrowed_texts *only, struct ga_suite *ret,
		  struct ga_err *err)
{
	struct dirent **names = NULL;
	int i, n = scandir(folder, &names, is_json, by_name), r = 0;

	*ret = (struct ga_suite){ 0 };
	if (n < 0)
		return errno == ENOENT ? ga_fail(err, GA_NOTFOUND, "there is no folder '%s'",
						 folder) :
					 ga_fail_sys(err, "cannot read folder '%s'", folder);
	for (i = 0; i < n; i++) {
		ga_autofree char *path = ga_xprintf("%s/%s", folder, names[i]->d_name);
		struct ga_scenario scenario = { 0 };

		if (!r)
			r = read_scenario(path, names[i]->d_name, &scenario, err);
		if (!r)
			*ga_list_add(&ret->scenarios) = scenario;
		free(names[i]);
	}
	free(names);
	if (!r && !n)
		r = ga_fail(err, GA_NOTFOUND, "folder '%s' has no scenario", folder);
	if (!r)
		r = check_only(ret, only, folder, err);
	if (r < 0)
		ga_suite_release(ret);
	return r;
}

void ga_suite_plan(const struct ga_suite *suite, struct ga_test_plan *ret)
{
	char digest[GA_DIGEST_SIZE];
	size_t i;

	ga_schema_init(&ga_test_plan_schema, ret);
	ret->suite_version = ga_xstrdup(GA_VERSION);
	for (i = 0; i < suite->scenarios.n; i++) {
		const struct ga_scenario *s = &suite->scenarios.v[i];

		ga_rec_digest(&ga_scenario_schema, s, NULL, digest);
		*ga_list_add(&ret->scenarios) = (struct ga_planned_scenario){
			.id = ga_xstrdup(s->id), .level = ga_xstrdup(s->level),
			.title = ga_xstrdup(s->title), .digest = ga_xstrdup(digest),
		};
	}
	ga_rec_digest(&ga_test_plan_schema, ret, "digest", digest);
	ret->digest = ga_xstrdup(digest);
}

static int remove_folder(const char *folder, struct ga_err *err)
{
	const char *argv[] = { "rm", "-rf", "--one-file-system", "--", folder, NULL };
	ga_autoproc struct ga_proc_result result = GA_PROC_RESULT_INIT;

	return ga_proc_check(&(struct ga_proc){ .argv = argv }, &result, err);
}

/* Runs one scenario and judges it. Secrets are taken out before that, so that everybody who has the
 * bundle can judge the same. */
static int run_scenario(const struct ga_scenario *scenario, const struct ga_suite_run *run,
			struct ga_adapter *adapter, struct ga_verdict *ret, struct ga_err *err)
{
	ga_cleanup(ga_trial_release) struct ga_trial trial = { 0 };
	char digest[GA_DIGEST_SIZE];
	ga_autofree char *said = NULL;
	int r = ga_runner_run(scenario, adapter, run->hello, &trial, err);

	said = ga_adapter_take_stderr(adapter);
	ga_rec_digest(&ga_scenario_schema, scenario, NULL, digest);
	if (!r)
		r = ga_evidence_clean(&trial, err);
	if (!r)
		ga_judge(scenario, digest, &trial, ret);
	if (!r && run->evidence &&
	    ga_evidence_scenario(run->evidence, scenario, &trial, ret, said, err) < 0) {
		ga_schema_release(&ga_verdict_schema, ret);
		r = -1;
	}
	return r;
}

/* Finds the adapter, and whether it can be run at all. Allocated; NULL: err. */
static char *find_adapter(const char *adapter, struct ga_err *err)
{
	ga_autofree char *program = realpath(adapter, NULL);
	struct stat st;

	if (!program || stat(program, &st) < 0) {
		ga_err_set(err, GA_NOTFOUND, "there is no adapter '%s'", adapter);
		ga_hint(err, "--adapter takes the file of a program: gpuaas-adapter(7)");
		return NULL;
	}
	if (!S_ISREG(st.st_mode) || access(program, X_OK) < 0) {
		ga_err_set(err, GA_DENIED, "adapter '%s' cannot be executed", adapter);
		ga_hint(err, S_ISREG(st.st_mode) ? "make it executable: chmod +x FILE" :
						   "it is no regular file");
		return NULL;
	}
	return GA_TAKE(program);
}

int ga_suite_run(const struct ga_suite *suite, const struct ga_suite_run *run, struct ga_err *err)
{
	const char *tmp = getenv("TMPDIR");
	ga_autofree char *work = ga_xprintf("%s/gpuaas-validate.XXXXXX", tmp ? tmp : "/tmp");
	ga_autofree char *program = find_adapter(run->adapter, err);
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_adapter *running;
	int r = 0;
	size_t i;

	if (!program)
		return -1;
	if (!mkdtemp(work))
		return ga_fail_sys(err, "cannot make a folder in '%s'", tmp ? tmp : "/tmp");
	running = ga_adapter_new(program, work,
				 run->evidence ? ga_evidence_protocol(run->evidence, work) : -1);
	for (i = 0; !r && i < suite->scenarios.n; i++) {
		const struct ga_scenario *scenario = &suite->scenarios.v[i];
		struct ga_verdict verdict;

		if (!is_wanted(run->only, scenario->id))
			continue;
		r = run_scenario(scenario, run, running, &verdict, err);
		if (r)
			break;
		r = run->judged(scenario, &verdict, run->data, err);
		ga_schema_release(&ga_verdict_schema, &verdict);
	}
	ga_adapter_close(running);
	/* With what the adapter left in it. */
	if (remove_folder(work, r ? &ignored : err) < 0)
		r = -1;
	return r;
}
