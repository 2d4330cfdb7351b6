/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-validate run. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/str.h"
#include "cli/frame/cli.h"
#include "cli/validate/validate.h"
#include "record/digest.h"
#include "validate/bundle.h"

static int judged(const struct ga_scenario *scenario, const struct ga_verdict *verdict, void *data,
		  struct ga_err *err)
{
	(void)scenario;
	(void)data;
	if (strcmp(verdict->outcome, "pass"))
		ga_cli_note_status(GA_NO);
	return ga_emit(&ga_verdict_schema, verdict, err);
}

/* The members of hello. */
static json_t *hello_of(const struct ga_validate_opts *opts, const struct ga_test_plan *plan,
			struct ga_err *err)
{
	ga_autojson json_t *hello = json_pack("{s:s}", "plan", plan->digest);
	ga_autostr struct ga_str text = GA_STR_INIT;
	json_t *parameters;
	json_error_t why;

	if (opts->seed != GA_UNKNOWN)
		json_object_set_new(hello, "seed", json_integer(opts->seed));
	if (!opts->param)
		return GA_TAKE(hello);
	if (ga_file_read(opts->param, GA_LINE_MAX, &text, err) < 0)
		return NULL;
	parameters = json_loadb(text.buf, text.len, JSON_REJECT_DUPLICATES, &why);
	if (!json_is_object(parameters)) {
		json_decref(parameters);
		ga_err_set(err, GA_BADREC, "'%s' is no JSON object", opts->param);
		return NULL;
	}
	json_object_set_new(hello, "parameters", parameters);
	return GA_TAKE(hello);
}

/* Begins the bundle, before anything runs; NULL in *ret without --out. */
static int begin_bundle(const struct ga_validate_opts *opts, const struct ga_test_plan *plan,
			json_t *hello, struct ga_evidence **ret, struct ga_err *err)
{
	json_t *parameters = json_object_get(hello, "parameters");
	struct stat st;
	size_t i;

	if (!opts->out)
		return opts->by || opts->sign || opts->attach.n ?
			       ga_fail(err, GA_USAGE, "--by, --sign and --attach need --out") :
			       0;
	if (!lstat(opts->out, &st))
		return ga_refuse(err, GA_CONFLICT, "exists", NULL, ("'%s' exists", opts->out),
				 ("evidence is never replaced: name another file"));
	if (errno != ENOENT)
		return ga_fail_sys(err, "cannot look at '%s'", opts->out);
	*ret = ga_evidence_new(plan, opts->by, opts->seed);
	if (parameters)
		ga_evidence_parameters(*ret, parameters);
	for (i = 0; i < opts->attach.n; i++)
		if (ga_evidence_attach(*ret, opts->attach.v[i], err) < 0)
			return -1;
	return 0;
}

static void free_evidence(struct ga_evidence **evidence)
{
	ga_evidence_free(*evidence);
}

static int run_planned(const struct ga_validate_opts *opts, const struct ga_suite *suite,
		       const struct ga_test_plan *plan, struct ga_err *err)
{
	ga_autojson json_t *hello = hello_of(opts, plan, err);
	ga_autosign struct ga_sign_key *key = NULL;
	ga_cleanup(free_evidence) struct ga_evidence *evidence = NULL;
	struct ga_suite_run run = { .only = &opts->only, .adapter = opts->adapter, .hello = hello,
				    .judged = judged };
	char digest[GA_DIGEST_SIZE];

	if (!hello || ga_cli_read_sign_key(opts->sign, &key, err) < 0 ||
	    begin_bundle(opts, plan, hello, &evidence, err) < 0)
		return -1;
	run.evidence = evidence;
	ga_stop_install();
	if (ga_suite_run(suite, &run, err) < 0)
		return -1;
	if (!evidence)
		return 0;
	if (ga_evidence_write(evidence, key, opts->out, digest, err) < 0)
		return -1;
	ga_say("bundle '%s' is written: %s, %s", opts->out, digest,
	       key ? "signed" : "not signed");
	return 0;
}

/* The ids name files of the bundle. */
static int check_ids(const struct ga_suite *suite, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < suite->scenarios.n; i++) {
		const char *id = suite->scenarios.v[i].id;

		if (!ga_pack_name_is_valid(id) || strchr(id, '/') || strlen(id) > 64)
			return ga_refuse(err, GA_BADREC, NULL, id,
					 ("scenario '%s' cannot stand in a bundle under its id",
					  id),
					 ("up to 64 letters, digits and ._+- are allowed"));
	}
	return 0;
}

int ga_cli_validate_run(const struct ga_validate_opts *opts, struct ga_err *err)
{
	ga_cleanup(ga_suite_release) struct ga_suite suite = { 0 };
	struct ga_test_plan plan;
	int r;

	if (!opts->adapter)
		return ga_refuse(err, GA_USAGE, NULL, NULL, ("--adapter is missing"),
				 ("name the program that speaks for the technology: "
				  "gpuaas-adapter(7)"));
	if (ga_cli_read_suite(opts->scenarios, &opts->only, &suite, err) < 0 ||
	    (opts->out && check_ids(&suite, err) < 0))
		return -1;
	ga_suite_plan(&suite, &plan);
	r = run_planned(opts, &suite, &plan, err);
	ga_schema_release(&ga_test_plan_schema, &plan);
	return r;
}
