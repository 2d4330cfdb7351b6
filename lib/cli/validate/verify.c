/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-validate verify: bundles are checked, reviewed and run again. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/stop.h"
#include "base/str.h"
#include "cli/frame/cli.h"
#include "cli/validate/validate.h"
#include "validate/verify.h"

static int found(const struct ga_bundle_finding *finding, void *data, struct ga_err *err)
{
	(void)data;
	ga_cli_note_status(GA_NO);
	return ga_emit(&ga_bundle_finding_schema, finding, err);
}

/* ---- summary ---- */

static size_t count(const struct ga_verified *v, const char *outcome)
{
	size_t i, n = 0;

	for (i = 0; i < v->trials.n; i++)
		n += !strcmp(v->trials.v[i].verdict.outcome, outcome);
	return n;
}

static void say_reviews(const struct ga_verified *v)
{
	size_t i;

	for (i = 0; i < v->reviews.n; i++) {
		const struct ga_bundle_review *r = &v->reviews.v[i].review;

		ga_say("  %s %s %s: %s (key %s)", r->by,
		       strcmp(r->verdict, "agree") ? "contests" : "agrees with",
		       r->scenario ? r->scenario : "the bundle", r->reason,
		       v->reviews.v[i].signer);
	}
}

static void say_summary(const struct ga_verified *v, const char *key)
{
	const struct ga_validation_bundle *m = &v->manifest;

	if (!v->has_manifest) {
		ga_say("'%s': cannot be checked", v->bundle);
		return;
	}
	ga_say("'%s': %s, %zu finding%s", v->bundle, m->digest, v->findings,
	       v->findings == 1 ? "" : "s");
	ga_say("  %s %s (%s), run by %s from %s to %s, plan %s",
	       m->technology ? m->technology : "unknown technology", m->version ? m->version : "",
	       m->technology_class ? m->technology_class : "no class",
	       m->executed_by ? m->executed_by : "nobody named", m->started_at, m->ended_at,
	       m->plan_digest);
	ga_say("  %zu judged again: %zu pass, %zu workaround, %zu fail, %zu unsupported, "
	       "%zu inconclusive", v->trials.n, count(v, "pass"), count(v, "workaround"),
	       count(v, "fail"), count(v, "unsupported"), count(v, "inconclusive"));
	if (!v->signer)
		ga_say("  not signed: anybody can have made it");
	else
		ga_say("  signed with the key %s%s", v->signer,
		       key ? "" : ", which was not compared (--key)");
	say_reviews(v);
}

/* ---- reviews ---- */

static int check_review(const struct ga_validate_opts *opts, int bundles, struct ga_err *err)
{
	if (!opts->review)
		return opts->by || opts->verdict || opts->reason || opts->sign || opts->out ?
			       ga_fail(err, GA_USAGE, "--by, --verdict, --reason, --sign and --out "
				       "need --review") :
			       0;
	if (!opts->by || !opts->verdict || !opts->reason || !opts->sign || !opts->out)
		return ga_fail(err, GA_USAGE, "--review needs --by, --verdict, --reason, --sign "
			       "and --out");
	if (bundles != 1 || opts->only.n > 1 || opts->rerun)
		return ga_fail(err, GA_USAGE, "a review is of one bundle, and of one scenario or "
			       "all");
	return 0;
}

static bool has_trial(const struct ga_verified *v, const char *id)
{
	size_t i;

	for (i = 0; i < v->trials.n && strcmp(v->trials.v[i].scenario.id, id); i++)
		;
	return i < v->trials.n;
}

static int add_review(const struct ga_validate_opts *opts, const struct ga_verified *v,
		      struct ga_pack *pack, struct ga_err *err)
{
	const char *only = opts->only.n ? opts->only.v[0] : NULL;
	ga_autosign struct ga_sign_key *key = NULL;
	struct ga_bundle_review review;
	int r;

	if (v->findings)
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("'%s' has findings, so it gets no review", v->bundle),
				 ("ask for a bundle that is as it was written"));
	if (only && !has_trial(v, only))
		return ga_fail(err, GA_NOTFOUND, "'%s' has no scenario '%s'", v->bundle, only);
	if (ga_cli_read_sign_key(opts->sign, &key, err) < 0)
		return -1;
	review = (struct ga_bundle_review){
		.bundle_digest = ga_xstrdup(v->manifest.digest), .scenario = ga_strdup0(only),
		.by = ga_xstrdup(opts->by), .at = ga_time_now(),
		.verdict = ga_xstrdup(opts->verdict), .reason = ga_xstrdup(opts->reason),
	};
	r = ga_verify_add_review(pack, &review, key, err);
	ga_schema_release(&ga_bundle_review_schema, &review);
	if (!r)
		r = ga_pack_write(pack, opts->out, err);
	if (!r)
		ga_say("'%s' is written: '%s' with the review", opts->out, v->bundle);
	return r;
}

/* ---- running again ---- */

struct again {
	const struct ga_verify *verify;
	struct ga_verified *v;
	size_t equal;
};

static int judged(const struct ga_scenario *scenario, const struct ga_verdict *verdict, void *data,
		  struct ga_err *err)
{
	struct again *a = data;
	size_t i;

	for (i = 0; strcmp(a->v->trials.v[i].scenario.id, scenario->id); i++)
		;
	if (!strcmp(a->v->trials.v[i].verdict.outcome, verdict->outcome)) {
		a->equal++;
		return 0;
	}
	return ga_verify_found(a->verify, a->v, "outcome_differs", scenario->id, err,
			       "%s is now %s (%s), the bundle has %s (%s)", scenario->id,
			       verdict->outcome, verdict->why, a->v->trials.v[i].verdict.outcome,
			       a->v->trials.v[i].verdict.why);
}

/* Runs the scenarios of the bundle as they stand in it. */
static int run_again(const struct ga_validate_opts *opts, const struct ga_verify *verify,
		     struct ga_verified *v, struct ga_err *err)
{
	ga_autojson json_t *hello = json_pack("{s:s}", "plan", v->manifest.plan_digest);
	struct again again = { verify, v, 0 };
	struct ga_suite suite = { 0 };
	struct ga_suite_run run = { .only = &opts->only, .adapter = opts->adapter, .hello = hello,
				    .judged = judged, .data = &again };
	size_t i;
	int r;

	for (i = 0; i < opts->only.n; i++)
		if (!has_trial(v, opts->only.v[i]))
			return ga_fail(err, GA_NOTFOUND, "'%s' has no scenario '%s'", v->bundle,
				       opts->only.v[i]);
	if (v->manifest.seed != GA_UNKNOWN)
		json_object_set_new(hello, "seed", json_integer(v->manifest.seed));
	for (i = 0; i < v->trials.n; i++)
		*ga_list_add(&suite.scenarios) = v->trials.v[i].scenario;
	ga_stop_install();
	r = ga_suite_run(&suite, &run, err);
	ga_list_release(&suite.scenarios); /* the scenarios belong to v */
	if (!r)
		ga_say("'%s': %zu outcome%s the same again", v->bundle, again.equal,
		       again.equal == 1 ? " is" : "s are");
	return r;
}

static int verify_one(const struct ga_validate_opts *opts, const struct ga_verify *verify,
		      const char *bundle, struct ga_err *err)
{
	ga_autopack struct ga_pack pack = { 0 };
	ga_autoverified struct ga_verified v = { 0 };

	if (ga_verify_file(bundle, verify, &pack, &v, err) < 0)
		return -1;
	say_summary(&v, opts->key);
	if (opts->review)
		return add_review(opts, &v, &pack, err);
	return opts->rerun && v.has_manifest ? run_again(opts, verify, &v, err) : 0;
}

int ga_cli_validate_verify(const struct ga_validate_opts *opts, char *const *bundles, int n,
			   struct ga_err *err)
{
	ga_cleanup(ga_suite_release) struct ga_suite suite = { 0 };
	struct ga_test_plan plan = { 0 };
	struct ga_verify verify = { .key = opts->key, .found = found };
	int i, r;

	if (check_review(opts, n, err) < 0)
		return -1;
	if (opts->rerun != !!opts->adapter)
		return ga_fail(err, GA_USAGE, "--rerun and --adapter need each other");
	if (opts->only.n && !opts->rerun && !opts->review)
		return ga_fail(err, GA_USAGE, "--only needs --rerun or --review");
	if (opts->key && strlen(opts->key) != GA_SIGN_KEY_LEN)
		return ga_refuse(err, GA_USAGE, NULL, NULL, ("--key is no public key"),
				 ("it is %d characters of base64, as verify shows it",
				  GA_SIGN_KEY_LEN));
	if (opts->scenarios) {
		if (ga_cli_read_suite(opts->scenarios, NULL, &suite, err) < 0)
			return -1;
		ga_suite_plan(&suite, &plan);
		verify.plan = &plan;
	}
	for (i = r = 0; !r && i < n; i++)
		r = verify_one(opts, &verify, bundles[i], err);
	ga_schema_release(&ga_test_plan_schema, &plan);
	return r;
}
