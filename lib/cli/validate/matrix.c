/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-validate matrix: what bundles show of the requirements, technology by technology. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "cli/frame/cli.h"
#include "cli/validate/validate.h"
#include "validate/render.h"
#include "validate/source.h"

/* For people on a terminal: a line a cell. */
static void say_cells(const struct ga_matrix *m)
{
	size_t i, k;

	for (i = 0; i < m->columns.n; i++) {
		const struct ga_matrix_column *c = &m->columns.v[i];

		ga_print("%s %s%s", c->technology, c->version,
			 strcmp(c->technology_class, "model") ? "" : ", a model, which predicts");
		for (k = 0; k < c->cells.n; k++)
			ga_print_item("  %s: %s: %s", c->cells.v[k].requirement,
				      ga_matrix_word(c->cells.v[k].support), c->cells.v[k].why);
	}
}

static int show(const struct ga_validate_opts *opts, const struct ga_matrix *m, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i;

	for (i = 0; i < m->apart.n; i++) {
		ga_cli_note_status(GA_NO);
		ga_say("'%s' does not count: %s", m->apart.v[i].bundle, m->apart.v[i].why);
	}
	if (m->draft)
		ga_say("the matrix is a draft: %s", m->draft);
	if (opts->html)
		ga_matrix_html(m, &text);
	else if (opts->markdown)
		ga_matrix_markdown(m, &text);
	if (text.len) {
		ga_print_text(text.buf);
		return 0;
	}
	if (!ga_emit_is_table())
		return ga_emit(&ga_matrix_schema, m, err);
	say_cells(m);
	return 0;
}

int ga_cli_validate_matrix(const struct ga_validate_opts *opts, char *const *bundles, int n,
			   struct ga_err *err)
{
	ga_cleanup(ga_suite_release) struct ga_suite suite = { 0 };
	ga_autofree char *own = ga_cli_own_share("requirements.json"), *signer = NULL;
	struct ga_plan_approval approval = { 0 };
	struct ga_asked_list asked = { 0 };
	struct ga_test_plan plan = { 0 };
	struct ga_matrix m = { 0 };
	GA_LIST(struct ga_matrix_source) sources = { 0 };
	struct ga_matrix_input in = { .asked = &asked };
	size_t i;
	int r;

	if (opts->html && opts->markdown)
		return ga_fail(err, GA_USAGE, "--html and --markdown exclude each other");
	if (ga_cli_read_suite(opts->scenarios, NULL, &suite, err) < 0)
		return -1;
	ga_suite_plan(&suite, &plan);
	in.scenarios = suite.scenarios.v;
	in.scenarios_n = suite.scenarios.n;
	in.plan_digest = plan.digest;
	r = ga_asked_read(opts->requirements ? opts->requirements : own, in.scenarios,
			  in.scenarios_n, &asked, err);
	if (!r && opts->approval) {
		r = ga_plan_approval_read(opts->approval, &approval, &signer, err);
		in.approval = &approval;
		in.approver = signer;
	}
	for (i = 0; !r && i < (size_t)n; i++)
		r = ga_matrix_source_read(bundles[i], ga_list_add(&sources), err);
	if (!r) {
		in.sources = sources.v;
		in.sources_n = sources.n;
		ga_matrix_fold(&in, &m);
		r = show(opts, &m, err);
	}
	ga_schema_release(&ga_matrix_schema, &m);
	for (i = 0; i < sources.n; i++)
		ga_matrix_source_release(&sources.v[i]);
	ga_list_release(&sources);
	ga_schema_release(&ga_plan_approval_schema, &approval);
	ga_schema_release(&ga_asked_list_schema, &asked);
	ga_schema_release(&ga_test_plan_schema, &plan);
	return r;
}
