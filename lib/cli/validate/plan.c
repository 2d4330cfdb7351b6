/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-validate list and plan: the scenarios, and what people say about all of them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/frame/cli.h"
#include "cli/validate/validate.h"
#include "record/person.h"

int ga_cli_read_suite(const char *folder, const struct ga_borrowed_texts *only,
		      struct ga_suite *ret, struct ga_err *err)
{
	ga_autofree char *own = folder ? NULL : ga_cli_own_share("scenarios");

	return ga_suite_read(folder ? folder : own, only, ret, err);
}

int ga_cli_read_sign_key(const char *path, struct ga_sign_key **ret, struct ga_err *err)
{
	ga_autostr struct ga_str pem = GA_STR_INIT;
	int r;

	*ret = NULL;
	if (!path)
		return 0;
	if (ga_file_read(path, 4096, &pem, err) < 0)
		return -1;
	r = ga_sign_open(pem.buf, ret, err);
	explicit_bzero(pem.buf, pem.len);
	if (r < 0) {
		ga_wrap(err, "'%s'", path);
		ga_hint(err, "make one: openssl genpkey -algorithm ed25519 -out FILE");
	}
	return r;
}

int ga_cli_validate_list(const struct ga_validate_opts *opts, struct ga_err *err)
{
	ga_cleanup(ga_suite_release) struct ga_suite suite = { 0 };
	size_t i;
	int r = ga_cli_read_suite(opts->scenarios, NULL, &suite, err);

	for (i = 0; !r && i < suite.scenarios.n; i++)
		r = ga_emit(&ga_scenario_schema, &suite.scenarios.v[i], err);
	return r;
}

static int approve(const struct ga_validate_opts *opts, const struct ga_test_plan *plan,
		   const struct ga_sign_key *key, struct ga_err *err)
{
	struct ga_plan_approval approval = {
		.plan_digest = ga_xstrdup(plan->digest), .by = ga_xstrdup(opts->by),
		.at = ga_time_now(), .reason = ga_strdup0(opts->reason),
	};
	int r = ga_emit_signed(&ga_plan_approval_schema, &approval, key, err);

	ga_schema_release(&ga_plan_approval_schema, &approval);
	return r;
}

static int align(const struct ga_validate_opts *opts, const struct ga_test_plan *plan,
		 const struct ga_sign_key *key, struct ga_err *err)
{
	struct ga_alignment alignment = {
		.plan_digest = ga_xstrdup(plan->digest), .at = ga_time_now(),
		.agreed = ga_xstrdup(opts->agreed),
	};
	size_t i;
	int r = 0;

	ga_texts_add(&alignment.people, opts->by);
	for (i = 0; !r && i < opts->with.n; i++) {
		r = ga_person_check("--with", opts->with.v[i], GA_USAGE, err);
		if (!r)
			ga_texts_add(&alignment.people, opts->with.v[i]);
	}
	if (!r)
		r = ga_emit_signed(&ga_alignment_schema, &alignment, key, err);
	ga_schema_release(&ga_alignment_schema, &alignment);
	return r;
}

/* For people: the scenarios below the plan. */
static void print_scenarios(const struct ga_test_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->scenarios.n; i++)
		ga_print("%s  %-6s  %.19s  %s", plan->scenarios.v[i].id,
			 plan->scenarios.v[i].level, plan->scenarios.v[i].digest,
			 plan->scenarios.v[i].title);
}

int ga_cli_validate_plan(const struct ga_validate_opts *opts, struct ga_err *err)
{
	ga_cleanup(ga_suite_release) struct ga_suite suite = { 0 };
	ga_autosign struct ga_sign_key *key = NULL;
	struct ga_test_plan plan;
	int r;

	if (opts->approve && opts->agreed)
		return ga_fail(err, GA_USAGE, "--approve and --agreed print one record each: give "
			       "one of them");
	if ((opts->approve || opts->agreed) && !opts->by)
		return ga_refuse(err, GA_USAGE, NULL, NULL, ("--by is missing"),
				 ("--by NAME is the person who speaks"));
	if (opts->agreed && !opts->with.n)
		return ga_refuse(err, GA_USAGE, NULL, NULL, ("--with is missing"),
				 ("--with NAME is another person who agreed; it may repeat"));
	if (!opts->approve && !opts->agreed && (opts->by || opts->with.n || opts->reason ||
						opts->sign))
		return ga_fail(err, GA_USAGE, "--by, --with, --reason and --sign need --approve or "
			       "--agreed");
	if (ga_cli_read_sign_key(opts->sign, &key, err) < 0 ||
	    ga_cli_read_suite(opts->scenarios, NULL, &suite, err) < 0)
		return -1;
	ga_suite_plan(&suite, &plan);
	r = opts->approve ? approve(opts, &plan, key, err) :
	    opts->agreed ? align(opts, &plan, key, err) :
			   ga_emit(&ga_test_plan_schema, &plan, err);
	if (!r && !opts->approve && !opts->agreed)
		print_scenarios(&plan);
	ga_schema_release(&ga_test_plan_schema, &plan);
	return r;
}
