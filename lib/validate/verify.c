/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/verify.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "record/digest.h"
#include "record/rec.h"
#include "validate/judge.h"
#include "validate/suite.h"

#define SCENARIOS "scenarios/"
#define RESULTS "results/"
#define REVIEWS "reviews/"

void ga_verified_release(struct ga_verified *verified)
{
	size_t i;

	ga_schema_release(&ga_validation_bundle_schema, &verified->manifest);
	free(GA_TAKE(verified->signer));
	for (i = 0; i < verified->trials.n; i++) {
		ga_schema_release(&ga_scenario_schema, &verified->trials.v[i].scenario);
		ga_schema_release(&ga_verdict_schema, &verified->trials.v[i].verdict);
	}
	ga_list_release(&verified->trials);
	for (i = 0; i < verified->reviews.n; i++) {
		ga_schema_release(&ga_bundle_review_schema, &verified->reviews.v[i].review);
		free(verified->reviews.v[i].signer);
	}
	ga_list_release(&verified->reviews);
}

/* One check while it goes on. */
struct checking {
	const struct ga_pack *pack;
	const struct ga_verify *verify;
	struct ga_verified *ret;
	struct ga_test_plan plan;
	bool has_plan;
	struct ga_trial_hello hello; /* the first one in the observations */
	bool has_hello;
	struct ga_err *err;
};

int ga_verify_found(const struct ga_verify *verify, struct ga_verified *of, const char *code,
		    const char *object, struct ga_err *err, const char *fmt, ...)
{
	ga_autofree char *bundle = ga_xstrdup(of->bundle), *word = ga_xstrdup(code);
	ga_autofree char *about = ga_strdup0(object), *sentence = NULL;
	struct ga_bundle_finding finding;
	va_list ap;

	va_start(ap, fmt);
	sentence = ga_xvprintf(fmt, ap);
	va_end(ap);
	if (strlen(sentence) > 4000)
		sentence[4000] = '\0';
	finding = (struct ga_bundle_finding){ ga_printable(bundle), word, about,
					      ga_printable(sentence) };
	if (about)
		ga_printable(about);
	of->findings++;
	return verify->found(&finding, verify->data, err);
}

#define found(c, code, object, ...) \
	ga_verify_found((c)->verify, (c)->ret, code, object, (c)->err, __VA_ARGS__)

/* Reads the JSON of a file; NULL: it is none. */
static json_t *json_of(const struct ga_pack_file *file)
{
	return json_loadb(file->data.buf, file->data.len, JSON_REJECT_DUPLICATES, NULL);
}

/* Whether the file is exactly the line of the JSON. */
static bool is_line_of(const struct ga_pack_file *file, json_t *json)
{
	ga_autostr struct ga_str text = GA_STR_INIT;

	ga_rec_dump(json, &text);
	ga_str_addc(&text, '\n');
	return text.len == file->data.len && !memcmp(text.buf, file->data.buf, text.len);
}

/* Reads a file as one record of the schema, as this library writes it: each other form of the same
 * content is refused. *why gets the message. */
static bool read_line(const struct ga_pack_file *file, const struct ga_schema *schema, void *ret,
		      struct ga_err *why)
{
	ga_autojson json_t *json = json_of(file), *again = NULL;

	ga_err_clear(why);
	if (!json || !ga_streq(json_string_value(json_object_get(json, "kind")), schema->kind)) {
		ga_err_set(why, GA_BADREC, "it is no %s", schema->kind);
		return false;
	}
	if (ga_schema_parse(schema, json, ret, why) < 0)
		return false;
	again = ga_schema_format(schema, ret);
	if (is_line_of(file, again))
		return true;
	ga_err_set(why, GA_BADREC, "its text is not the one of its record");
	ga_schema_release(schema, ret);
	return false;
}

/* ---- manifest ---- */

/* 1: there is one to go on with. */
static int read_manifest(struct checking *c)
{
	const struct ga_pack_file *file = ga_pack_find(c->pack, "manifest.json");
	struct ga_validation_bundle *m = &c->ret->manifest;
	char digest[GA_DIGEST_SIZE];
	int64_t ended;
	struct ga_err why;

	if (!file)
		return found(c, "manifest_invalid", NULL, "there is no manifest.json");
	if (!read_line(file, &ga_validation_bundle_schema, m, &why))
		return found(c, "manifest_invalid", "manifest.json", "%s", why.msg);
	c->ret->has_manifest = true;
	ga_rec_digest(&ga_validation_bundle_schema, m, "digest", digest);
	if (strcmp(digest, m->digest) &&
	    found(c, "manifest_invalid", "manifest.json",
		  "its content has the digest %s, and it says %s", digest, m->digest) < 0)
		return -1;
	if ((!ga_time_read(m->ended_at, &ended) || ended / GA_SECOND != c->pack->seconds) &&
	    found(c, "archive_differs", NULL, "its entries are not of the time of the run, %s",
		  m->ended_at) < 0)
		return -1;
	return 1;
}

static bool is_beside(const char *name)
{
	return !strcmp(name, "manifest.json") || !strcmp(name, "signature") ||
	       ga_starts(name, REVIEWS);
}

static int check_files(struct checking *c)
{
	const struct ga_validation_bundle *m = &c->ret->manifest;
	size_t i, k;

	/* Both are in the order of names, so each has its place. */
	for (i = k = 0; i < m->files.n || k < c->pack->files.n;) {
		const struct ga_bundle_entry *entry = i < m->files.n ? &m->files.v[i] : NULL;
		const struct ga_pack_file *file =
			k < c->pack->files.n ? &c->pack->files.v[k] : NULL;
		int order = entry && file ? strcmp(entry->name, file->name) : 0;
		bool has_entry = true, has_file = true;
		char digest[GA_DIGEST_SIZE];
		int r = 0;

		if (entry && (!file || order < 0)) {
			has_file = false; /* it has its turn later */
			r = found(c, "file_missing", entry->name, "the manifest names '%s', which "
				  "is not there", entry->name);
		} else if (file && (!entry || order > 0)) {
			has_entry = false;
			if (!is_beside(file->name))
				r = found(c, "file_unlisted", file->name,
					  "the manifest does not name '%s'", file->name);
		} else if (file && is_beside(file->name)) {
			r = found(c, "manifest_invalid", "manifest.json", "it names '%s'",
				  file->name);
		} else if (file && entry) {
			ga_digest_of(file->data.buf, file->data.len, digest);
			if (strcmp(digest, entry->sha256) ||
			    (uint64_t)entry->bytes != file->data.len)
				r = found(c, "digest_differs", file->name,
					  "'%s' has %zu bytes with the digest %s, the manifest has "
					  "%" PRId64 " bytes with %s", file->name, file->data.len,
					  digest, entry->bytes, entry->sha256);
		}
		if (r < 0)
			return -1;
		i += has_entry;
		k += has_file;
	}
	return 0;
}

/* ---- signatures ---- */

/* The key of a signature of the record that fits, allocated; NULL: it does not. */
static char *signer_of(json_t *signature, json_t *record)
{
	if (!ga_sign_is_of(signature, record))
		return NULL;
	return ga_strdup0(json_string_value(json_object_get(signature, "key")));
}

static int check_signature(struct checking *c)
{
	const struct ga_pack_file *file = ga_pack_find(c->pack, "signature");
	const char *key = c->verify->key;
	ga_autojson json_t *record = NULL, *signature = NULL;

	if (!file)
		return key ? found(c, "signature_missing", NULL, "the bundle is not signed") : 0;
	record = ga_schema_format(&ga_validation_bundle_schema, &c->ret->manifest);
	signature = json_of(file);
	if (signature && json_object_size(signature) == 2 && is_line_of(file, signature))
		c->ret->signer = signer_of(signature, record);
	if (!c->ret->signer)
		return found(c, "signature_wrong", "signature",
			     "the signature is not one of the manifest");
	if (key && strcmp(key, c->ret->signer))
		return found(c, "signer_differs", c->ret->signer,
			     "the bundle is signed with the key %s", c->ret->signer);
	return 0;
}

static char *review_name(const struct ga_bundle_review *review);

/* Reads a review into ret; false: why. */
static bool read_review(struct checking *c, const struct ga_pack_file *file,
			struct ga_verified_review *ret, struct ga_err *why)
{
	ga_autojson json_t *json = json_of(file), *signature = NULL;
	ga_autofree char *name = NULL;
	bool is_line = json && is_line_of(file, json);

	signature = json_incref(json_object_get(json, "signature"));
	json_object_del(json, "signature");
	ga_err_set(why, GA_BADREC, "it is no %s", ga_bundle_review_schema.kind);
	if (!is_line || !ga_streq(json_string_value(json_object_get(json, "kind")),
				  ga_bundle_review_schema.kind) ||
	    ga_schema_parse(&ga_bundle_review_schema, json, &ret->review, why) < 0)
		return false;
	name = review_name(&ret->review);
	ret->signer = signer_of(signature, json);
	if (!ret->signer)
		ga_err_set(why, GA_BADREC, "its signature is missing or wrong");
	else if (strcmp(ret->review.bundle_digest, c->ret->manifest.digest))
		ga_err_set(why, GA_BADREC, "it is of another bundle");
	else if (!ga_streq(name, file->name))
		ga_err_set(why, GA_BADREC, "it is not by the person that its name has");
	else
		return true;
	ga_schema_release(&ga_bundle_review_schema, &ret->review);
	free(GA_TAKE(ret->signer));
	return false;
}

static int check_reviews(struct checking *c)
{
	size_t i;

	for (i = 0; i < c->pack->files.n; i++) {
		const struct ga_pack_file *file = &c->pack->files.v[i];
		struct ga_verified_review review = { 0 };
		struct ga_err why;

		if (!ga_starts(file->name, REVIEWS))
			continue;
		if (read_review(c, file, &review, &why))
			*ga_list_add(&c->ret->reviews) = review;
		else if (found(c, "review_invalid", file->name, "'%s': %s", file->name,
			       why.msg) < 0)
			return -1;
	}
	return 0;
}

/* ---- plan ---- */

static int read_plan(struct checking *c)
{
	const struct ga_pack_file *file = ga_pack_find(c->pack, "plan.json");
	const char *planned = c->ret->manifest.plan_digest;
	char digest[GA_DIGEST_SIZE];
	struct ga_err why;

	if (!file || !read_line(file, &ga_test_plan_schema, &c->plan, &why))
		return found(c, "plan_differs", "plan.json", "plan.json: %s",
			     file ? why.msg : "it is not there");
	c->has_plan = true;
	ga_rec_digest(&ga_test_plan_schema, &c->plan, "digest", digest);
	if (strcmp(digest, c->plan.digest) || strcmp(digest, planned))
		return found(c, "plan_differs", "plan.json",
			     "plan.json has the digest %s, the manifest is of plan %s", digest,
			     planned);
	if (c->verify->plan && strcmp(digest, c->verify->plan->digest))
		return found(c, "plan_differs", NULL,
			     "the bundle is of plan %s (gpuaas %s), not of %s", digest,
			     c->plan.suite_version, c->verify->plan->digest);
	return 0;
}

static bool is_planned(const struct checking *c, const char *id, const char *digest)
{
	size_t i;

	for (i = 0; i < c->plan.scenarios.n; i++)
		if (!strcmp(c->plan.scenarios.v[i].id, id))
			return !strcmp(c->plan.scenarios.v[i].digest, digest);
	return false;
}

/* ---- verdicts ---- */

/* Reads the observations of a scenario; false: why. */
static bool read_trial(const struct ga_pack_file *file, struct ga_trial *ret, struct ga_err *why)
{
	const char *line = file->data.buf, *end;
	size_t left = file->data.len, n = 1;

	for (; left; n++, line = end + 1) {
		ga_autojson json_t *json = NULL;
		struct ga_trial_seen seen;

		end = memchr(line, '\n', left);
		if (!end) {
			ga_err_set(why, GA_BADREC, "line %zu has no end", n);
			return false;
		}
		left -= (size_t)(end - line) + 1;
		json = json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL);
		if (!json || !ga_streq(json_string_value(json_object_get(json, "kind")),
				       ga_trial_seen_schema.kind)) {
			ga_err_set(why, GA_BADREC, "line %zu is no %s", n,
				   ga_trial_seen_schema.kind);
			return false;
		}
		if (ga_schema_parse(&ga_trial_seen_schema, json, &seen, why) < 0) {
			ga_wrap(why, "line %zu", n);
			return false;
		}
		*ga_list_add(&ret->seen) = seen;
	}
	return true;
}

/* Judges a scenario again and compares. Takes over what scenario has. */
static int judge_again(struct checking *c, const struct ga_scenario *scenario, const char *digest)
{
	ga_autofree char *seen = ga_xprintf(RESULTS "%s/observations.ndjson", scenario->id);
	ga_autofree char *said = ga_xprintf(RESULTS "%s/verdict.json", scenario->id);
	const struct ga_pack_file *file = ga_pack_find(c->pack, seen);
	const struct ga_pack_file *verdict = ga_pack_find(c->pack, said);
	struct ga_verified_trial *mine = ga_list_add(&c->ret->trials);
	ga_cleanup(ga_trial_release) struct ga_trial trial = { 0 };
	ga_autojson json_t *again = NULL, *json = NULL;
	struct ga_err why = GA_ERR_INIT;
	int r = 0;
	size_t i;

	mine->scenario = *scenario;
	if (!file || !read_trial(file, &trial, &why))
		r = found(c, "trial_invalid", seen, "'%s': %s", seen,
			  file ? why.msg : "it is not there");
	/* The part that could be read is judged. */
	ga_judge(&mine->scenario, digest, &trial, &mine->verdict);
	for (i = 0; i < trial.seen.n && !c->has_hello; i++)
		if (trial.seen.v[i].hello) {
			ga_schema_copy(&ga_trial_hello_schema, trial.seen.v[i].hello, &c->hello);
			c->has_hello = true;
		}
	again = ga_schema_format(&ga_verdict_schema, &mine->verdict);
	if (r < 0 || (verdict && is_line_of(verdict, again)))
		return r;
	json = verdict ? json_of(verdict) : NULL;
	return found(c, "verdict_differs", scenario->id,
		     "'%s' says %s, its observations give %s: %s", said,
		     json_is_string(json_object_get(json, "outcome")) ?
			     json_string_value(json_object_get(json, "outcome")) :
			     "nothing",
		     mine->verdict.outcome, mine->verdict.why);
}

static int check_scenario(struct checking *c, const struct ga_pack_file *file)
{
	struct ga_scenario scenario;
	char digest[GA_DIGEST_SIZE];
	struct ga_err why = GA_ERR_INIT;
	ga_autofree char *name = NULL;

	if (ga_suite_read_text(file->data.buf, file->data.len, file->name, &scenario, &why) < 0)
		return found(c, "scenario_invalid", file->name, "%s", why.msg);
	name = ga_xprintf(SCENARIOS "%s.json", scenario.id);
	if (strcmp(name, file->name)) {
		int r = found(c, "scenario_invalid", file->name, "'%s' is scenario '%s'",
			      file->name, scenario.id);

		ga_schema_release(&ga_scenario_schema, &scenario);
		return r;
	}
	ga_rec_digest(&ga_scenario_schema, &scenario, NULL, digest);
	if (c->has_plan && !is_planned(c, scenario.id, digest) &&
	    found(c, "plan_differs", scenario.id, "scenario '%s' is not that of the plan",
		  scenario.id) < 0) {
		ga_schema_release(&ga_scenario_schema, &scenario);
		return -1;
	}
	return judge_again(c, &scenario, digest);
}

/* Results without a scenario. */
static int check_results(struct checking *c, const struct ga_pack_file *file)
{
	const char *id = file->name + strlen(RESULTS), *end = strchr(id, '/');
	ga_autofree char *scenario = NULL;

	if (!end || strcmp(end, "/verdict.json"))
		return 0;
	scenario = ga_xprintf(SCENARIOS "%.*s.json", (int)(end - id), id);
	if (ga_pack_find(c->pack, scenario))
		return 0;
	return found(c, "scenario_invalid", scenario, "'%s' has no '%s'", file->name, scenario);
}

/* The technology of the manifest must be the one that the adapter named. */
static int check_technology(struct checking *c)
{
	const struct ga_validation_bundle *m = &c->ret->manifest;
	const struct ga_pack_file *applied = ga_pack_find(c->pack, "configuration/applied");
	char digest[GA_DIGEST_SIZE];

	if (!ga_streq(m->technology, c->hello.technology) ||
	    !ga_streq(m->version, c->hello.version) ||
	    !ga_streq(m->technology_class, c->hello.technology_class) ||
	    !ga_streq(m->clock, c->hello.clock))
		return found(c, "manifest_invalid", "manifest.json",
			     "its technology is %s %s (%s), the adapter said %s %s (%s)",
			     m->technology ? m->technology : "?", m->version ? m->version : "?",
			     m->technology_class ? m->technology_class : "?",
			     c->has_hello ? c->hello.technology : "nothing",
			     c->has_hello ? c->hello.version : "?",
			     c->has_hello ? c->hello.technology_class : "?");
	if (applied)
		ga_digest_of(applied->data.buf, applied->data.len, digest);
	if (!ga_streq(m->configuration_digest, applied ? digest : NULL))
		return found(c, "manifest_invalid", "manifest.json",
			     "its configuration_digest is not that of configuration/applied");
	return 0;
}

static int check(struct checking *c)
{
	int r = read_manifest(c);
	size_t i;

	if (r <= 0)
		return r;
	r = check_files(c);
	if (!r)
		r = check_signature(c);
	if (!r)
		r = read_plan(c);
	for (i = 0; !r && i < c->pack->files.n; i++) {
		const struct ga_pack_file *file = &c->pack->files.v[i];

		if (ga_starts(file->name, SCENARIOS))
			r = check_scenario(c, file);
		else if (ga_starts(file->name, RESULTS))
			r = check_results(c, file);
	}
	if (!r)
		r = check_technology(c);
	return r ? r : check_reviews(c);
}

int ga_verify_pack(const struct ga_pack *pack, bool exact, const char *name,
		   const struct ga_verify *verify, struct ga_verified *ret, struct ga_err *err)
{
	struct checking c = { .pack = pack, .verify = verify, .ret = ret, .err = err };
	int r = 0;

	*ret = (struct ga_verified){ .bundle = name };
	if (!exact)
		r = found(&c, "archive_differs", NULL,
			  "the archive is not the one that its files make");
	if (!r)
		r = check(&c);
	ga_schema_release(&ga_test_plan_schema, &c.plan);
	ga_schema_release(&ga_trial_hello_schema, &c.hello);
	return r;
}

int ga_verify_file(const char *path, const struct ga_verify *verify, struct ga_pack *pack,
		   struct ga_verified *ret, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	bool exact;

	*ret = (struct ga_verified){ .bundle = path };
	if (!ga_pack_read(path, pack, &exact, &why))
		return ga_verify_pack(pack, exact, path, verify, ret, err);
	if (why.code == GA_BADREC)
		return ga_verify_found(verify, ret, "archive_refused", NULL, err,
				       "the archive is refused: %s", why.msg);
	*err = why;
	return -1;
}

/* ---- reviews ---- */

/* reviews/ANNA-LEE.json, or reviews/ANNA-LEE.PRI-04.json; NULL: the name has no letter. */
static char *review_name(const struct ga_bundle_review *review)
{
	char slug[65];
	size_t n = 0;
	const char *p;

	for (p = review->by; *p && n < sizeof(slug) - 1; p++)
		if (isalnum((unsigned char)*p) && (unsigned char)*p < 0x80)
			slug[n++] = (char)tolower((unsigned char)*p);
		else if (n && slug[n - 1] != '-')
			slug[n++] = '-';
	while (n && slug[n - 1] == '-')
		n--;
	slug[n] = '\0';
	if (!n)
		return NULL;
	return review->scenario ? ga_xprintf(REVIEWS "%s.%s.json", slug, review->scenario) :
				  ga_xprintf(REVIEWS "%s.json", slug);
}

int ga_verify_add_review(struct ga_pack *pack, const struct ga_bundle_review *review,
			 const struct ga_sign_key *key, struct ga_err *err)
{
	ga_autofree char *name = review_name(review);
	ga_autojson json_t *json = ga_schema_format(&ga_bundle_review_schema, review);
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (!name || !ga_pack_name_is_valid(name))
		return ga_fail(err, GA_USAGE, "'%s' has no letter or digit for the file of the "
			       "review", review->by);
	if (ga_pack_find(pack, name))
		return ga_fail(err, GA_CONFLICT, "the bundle has a review '%s' already", name);
	if (ga_sign_record(key, json, err) < 0)
		return -1;
	ga_rec_dump(json, &text);
	ga_str_addc(&text, '\n');
	ga_pack_add(pack, name, text.buf, text.len);
	return 0;
}
