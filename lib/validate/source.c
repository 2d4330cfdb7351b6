/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "record/rec.h"
#include "record/sign.h"
#include "validate/verify.h"

/* The first finding of a bundle. */
static int keep_first(const struct ga_bundle_finding *finding, void *data, struct ga_err *err)
{
	char **first = data;

	(void)err;
	if (!*first)
		*first = ga_xstrdup(finding->sentence);
	return 0;
}

/* The items of a page of the bundle: lines that begin with "- ". */
static void read_items(const struct ga_pack *pack, const char *name, struct ga_texts *ret)
{
	const struct ga_pack_file *file = ga_pack_find(pack, name);
	const char *line = file ? file->data.buf : "";

	while (*line) {
		size_t len = strcspn(line, "\n");
		ga_autofree char *item = NULL;

		if (ga_starts(line, "- ") && len < GA_TEXT_MAX) {
			item = ga_printable(ga_xstrndup(line + 2, len - 2));
			ga_texts_add(ret, item);
		}
		line += len + (line[len] == '\n');
	}
}

static int64_t lines_of(const struct ga_pack_file *file)
{
	int64_t n = 0;
	size_t i;

	if (!file)
		return GA_UNKNOWN;
	for (i = 0; i < file->data.len; i++)
		n += file->data.buf[i] == '\n' || i + 1 == file->data.len;
	return n;
}

int ga_matrix_source_read(const char *path, struct ga_matrix_source *ret, struct ga_err *err)
{
	ga_autopack struct ga_pack pack = { 0 };
	ga_autoverified struct ga_verified v = { 0 };
	ga_autofree char *first = NULL;
	const struct ga_validation_bundle *m = &v.manifest;
	struct ga_verify verify = { .found = keep_first, .data = &first };
	size_t i;

	ga_matrix_source_init(ret);
	if (ga_verify_file(path, &verify, &pack, &v, err) < 0)
		return -1;
	ret->file = ga_xstrdup(path);
	ret->digest = ga_strdup0(m->digest);
	ret->technology = ga_strdup0(m->technology);
	ret->version = ga_strdup0(m->version);
	ret->technology_class = ga_strdup0(m->technology_class);
	ret->configuration_digest = ga_strdup0(m->configuration_digest);
	ret->plan_digest = ga_strdup0(m->plan_digest);
	ret->executed_by = ga_strdup0(m->executed_by);
	ret->started_at = ga_strdup0(m->started_at);
	ret->ended_at = ga_strdup0(m->ended_at);
	ret->signer = ga_strdup0(v.signer);
	if (v.findings)
		ret->wrong = ga_xprintf("'gpuaas-validate verify' finds %zu fault%s, the first: %s",
					v.findings, v.findings == 1 ? "" : "s",
					first ? first : "");
	else if (!m->technology || !m->version || !m->technology_class)
		ret->wrong = ga_xstrdup("the adapter never said what it is");
	if (ret->wrong)
		return 0;
	if (m->components.n)
		ret->components = (int64_t)m->components.n;
	ret->configuration_lines = lines_of(ga_pack_find(&pack, "configuration/applied"));
	read_items(&pack, "gaps.md", &ret->gaps);
	read_items(&pack, "risks.md", &ret->risks);
	for (i = 0; i < v.trials.n; i++)
		ga_schema_copy(&ga_verdict_schema, &v.trials.v[i].verdict,
			       ga_list_add(&ret->verdicts));
	for (i = 0; i < v.reviews.n; i++) {
		const struct ga_bundle_review *r = &v.reviews.v[i].review;

		*ga_list_add(&ret->reviews) = (struct ga_matrix_review){
			.by = ga_xstrdup(r->by), .at = ga_xstrdup(r->at),
			.opinion = ga_xstrdup(r->verdict), .scenario = ga_strdup0(r->scenario),
			.reason = ga_strdup0(r->reason),
		};
	}
	return 0;
}

/* Reads a record that a person may have written, over many lines. *signature: NULL: none. */
static int read_written(const char *path, const struct ga_schema *schema, void *ret,
			json_t **record, json_t **signature, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	json_error_t why;

	if (ga_file_read(path, GA_LINE_MAX, &text, err) < 0)
		return -1;
	*record = json_loadb(text.buf, text.len, JSON_REJECT_DUPLICATES, &why);
	if (!*record)
		return ga_fail(err, GA_BADREC, "'%s': line %d: %s", path, why.line, why.text);
	if (!ga_streq(json_string_value(json_object_get(*record, "kind")), schema->kind))
		return ga_fail(err, GA_BADREC, "'%s' is no %s", path, schema->kind);
	if (schema->is_signed) {
		*signature = json_incref(json_object_get(*record, "signature"));
		json_object_del(*record, "signature");
	}
	if (ga_schema_parse(schema, *record, ret, err) < 0)
		return ga_wrap(err, "'%s'", path);
	return 0;
}

int ga_asked_read(const char *path, const struct ga_scenario *scenarios, size_t n,
		  struct ga_asked_list *ret, struct ga_err *err)
{
	ga_autojson json_t *record = NULL, *signature = NULL;

	if (read_written(path, &ga_asked_list_schema, ret, &record, &signature, err) < 0)
		return -1;
	if (ga_asked_check(ret, scenarios, n, err) < 0) {
		ga_schema_release(&ga_asked_list_schema, ret);
		return ga_wrap(err, "'%s'", path);
	}
	return 0;
}

int ga_plan_approval_read(const char *path, struct ga_plan_approval *ret, char **signer,
			  struct ga_err *err)
{
	ga_autojson json_t *record = NULL, *signature = NULL;

	*signer = NULL;
	if (read_written(path, &ga_plan_approval_schema, ret, &record, &signature, err) < 0)
		return -1;
	if (!signature)
		return 0;
	if (!ga_sign_is_of(signature, record)) {
		ga_schema_release(&ga_plan_approval_schema, ret);
		return ga_fail(err, GA_BADREC, "'%s': its signature does not fit it", path);
	}
	*signer = ga_strdup0(json_string_value(json_object_get(signature, "key")));
	return 0;
}
