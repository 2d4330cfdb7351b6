/* SPDX-License-Identifier: Apache-2.0 */
/* The fold of bundles into the matrix: a table of bundles and the cells that come of them. */
#include "validate/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "record/digest.h"
#include "record/rec.h"
#include "t.h"

#define PLAN "sha256:1111111111111111111111111111111111111111111111111111111111111111"
#define OTHER "sha256:2222222222222222222222222222222222222222222222222222222222222222"

#define SCENARIO(id, level, safety, requirements, expect) \
	"{\"kind\":\"gpuaas.scenario/1\",\"id\":\"" id "\",\"level\":\"" level "\"," \
	"\"title\":\"t\",\"safety\":" safety ",\"requirements\":[" requirements "]," \
	"\"needs\":[],\"clock\":\"any\",\"nodes\":[],\"queues\":[],\"arrange\":[]," \
	"\"given\":[],\"act\":[],\"expect\":[" expect "],\"negative\":\"x\"}"
#define BY(id, coverage) "{\"id\":\"" id "\",\"coverage\":\"" coverage "\"}"
#define EVICTS \
	"{\"id\":\"only\",\"check\":\"count\",\"jobs\":[\"o*\"],\"state\":\"evicted\",\"is\":2}"

static const char *const texts[] = {
	SCENARIO("A-1", "must", "false", BY("R-PREEMPTION", "full"), EVICTS),
	SCENARIO("A-2", "must", "true", BY("R-PREEMPTION", "full"), ""),
	SCENARIO("A-3", "must", "false", BY("R-PREEMPTION", "partial"), ""),
	SCENARIO("A-4", "should", "true", BY("R-PREEMPTION", "full"), ""),
	SCENARIO("A-5", "must", "true", BY("R-SAFE", "partial") "," BY("R-PART", "partial"), ""),
	SCENARIO("A-6", "must", "false", BY("R-SAFE", "full"), ""),
	SCENARIO("A-7", "should", "false", BY("R-SHOULD", "full"), ""),
};
#define SCENARIOS GA_ARRAY_SIZE(texts)

static const char asked_text[] =
	"{\"kind\":\"gpuaas.validation-requirements/1\",\"title\":\"T\",\"requirements\":["
	"{\"id\":\"R-PREEMPTION\",\"title\":\"p\"},{\"id\":\"R-SAFE\",\"title\":\"s\"},"
	"{\"id\":\"R-PART\",\"title\":\"q\"},{\"id\":\"R-SHOULD\",\"title\":\"h\"},"
	"{\"id\":\"PRD 7\",\"title\":\"own\",\"covered_by\":[\"A-1\",\"R-SHOULD\"]},"
	"{\"id\":\"PRD 8\",\"title\":\"own\",\"covered_by\":[\"R-PREEMPTION\",\"R-SAFE\"]}]}";

static struct ga_scenario scenarios[SCENARIOS];
static struct ga_asked_list asked;

/* One bundle a line: "FILE TECHNOLOGY VERSION CLASS [plan=OTHER|wrong|ID=OUTCOME|ID=OUTCOME!]…".
 * "!": nothing ever waited. The digest of a bundle is made of its file's name. */
static void read_bundle(const char *line, size_t len, struct ga_matrix_source *ret)
{
	ga_autofree char *text = ga_xstrndup(line, len);
	char *save = NULL, *word, *at;
	char digest[GA_DIGEST_SIZE];
	size_t i;

	ga_matrix_source_init(ret);
	ret->file = ga_xstrdup(strtok_r(text, " ", &save));
	ga_digest_of(ret->file, strlen(ret->file), digest);
	ret->digest = ga_xstrdup(digest);
	ret->technology = ga_xstrdup(strtok_r(NULL, " ", &save));
	ret->version = ga_xstrdup(strtok_r(NULL, " ", &save));
	ret->technology_class = ga_xstrdup(strtok_r(NULL, " ", &save));
	ret->plan_digest = ga_xstrdup(PLAN);
	while ((word = strtok_r(NULL, " ", &save))) {
		struct ga_verdict *v;

		if (!strcmp(word, "wrong")) {
			ret->wrong = ga_xstrdup("3 findings of verify");
			continue;
		}
		if (!strcmp(word, "plan=other")) {
			free(ret->plan_digest);
			ret->plan_digest = ga_xstrdup(OTHER);
			continue;
		}
		if (ga_starts(word, "digest=")) {
			ga_digest_of(word + 7, strlen(word + 7), ret->digest);
			continue;
		}
		if (ga_starts(word, "configuration=")) {
			ga_digest_of(word, strlen(word), digest);
			ret->configuration_digest = ga_xstrdup(digest);
			continue;
		}
		if (ga_starts(word, "contest=")) {
			*ga_list_add(&ret->reviews) = (struct ga_matrix_review){
				.by = ga_xstrdup("Ann"),
				.at = ga_xstrdup("2026-11-20T18:24:00.000000Z"),
				.opinion = ga_xstrdup("contest"),
				.scenario = ga_xstrdup(word + 8),
				.reason = ga_xstrdup("wrong map"),
			};
			continue;
		}
		at = strchr(word, '=');
		*at++ = '\0';
		v = ga_list_add(&ret->verdicts);
		ga_schema_init(&ga_verdict_schema, v);
		v->scenario = ga_xstrdup(word);
		v->contended = !strchr(at, '!');
		v->runs = v->agreeing = 1;
		at[strcspn(at, "!")] = '\0';
		v->why = ga_xstrdup(!strcmp(at, "skipped") ? "not run: it needs a virtual clock" :
							     "because");
		v->outcome = ga_xstrdup(!strcmp(at, "skipped") ? "inconclusive" : at);
		v->scenario_digest = ga_xstrdup(OTHER);
		for (i = 0; i < SCENARIOS && strcmp(scenarios[i].id, word); i++)
			;
		if (i < SCENARIOS && !strstr(line, "stale")) {
			ga_rec_digest(&ga_scenario_schema, &scenarios[i], NULL, digest);
			free(v->scenario_digest);
			v->scenario_digest = ga_xstrdup(digest);
		}
	}
}

static void fold(const char *bundles, const char *approved, struct ga_matrix *ret)
{
	GA_LIST(struct ga_matrix_source) list = { 0 };
	struct ga_err err = GA_ERR_INIT;
	struct ga_matrix_input in = { .asked = &asked, .scenarios = scenarios,
				      .scenarios_n = SCENARIOS, .plan_digest = PLAN };
	char plan[GA_DIGEST_SIZE] = "", by[] = "Bea", at[] = "2026-11-20T18:24:00.000000Z";
	struct ga_plan_approval approval = { .plan_digest = plan, .by = by, .at = at };
	size_t i;

	if (approved) {
		snprintf(plan, sizeof(plan), "%s", approved);
		in.approval = &approval;
	}
	while (*bundles) {
		size_t len = strcspn(bundles, "\n");

		read_bundle(bundles, len, ga_list_add(&list));
		bundles += len + (bundles[len] == '\n');
	}
	in.sources = list.v;
	in.sources_n = list.n;
	ga_matrix_fold(&in, ret);
	t_int(ga_schema_check(&ga_matrix_schema, ret, &err), 0, "it is a %s%s%s",
	      ga_matrix_schema.kind, err.msg[0] ? ": " : "", err.msg);
	for (i = 0; i < list.n; i++)
		ga_matrix_source_release(&list.v[i]);
	ga_list_release(&list);
}

#define ALL "b x 1 system A-1=pass A-2=pass A-3=pass A-4=pass A-5=pass A-6=pass A-7=pass"

static const struct {
	const char *name, *bundles, *requirement, *support, *why;
} cells[] = {
	{ "all pass", ALL, "R-PREEMPTION", "supported", "all 3 MUST scenarios pass" },
	{ "in full pass, in part fails", "b x 1 system A-1=pass A-2=pass A-3=fail", "R-PREEMPTION",
	  "supported", "2 of 3 MUST scenarios pass; failed: A-3" },
	{ "a SHOULD that fails changes nothing",
	  "b x 1 system A-1=pass A-2=pass A-3=pass A-4=fail", "R-PREEMPTION", "supported",
	  "all 3 MUST scenarios pass" },
	{ "a workaround is not in full", "b x 1 system A-1=workaround A-2=pass A-3=pass",
	  "R-PREEMPTION", "partially_supported", "2 of 3 MUST scenarios pass; workaround: A-1" },
	{ "workarounds alone", "b x 1 system A-1=workaround A-2=workaround A-3=workaround",
	  "R-PREEMPTION", "partially_supported", "workaround: A-1, A-2, A-3" },
	{ "one fails", "b x 1 system A-1=fail A-2=pass A-3=pass", "R-PREEMPTION",
	  "partially_supported", "2 of 3 MUST scenarios pass; failed: A-1" },
	{ "a safety scenario fails", "b x 1 system A-1=pass A-2=fail A-3=pass", "R-PREEMPTION",
	  "not_supported", "2 of 3 MUST scenarios pass; failed: A-2" },
	{ "one that covers it in part too", "b x 1 system A-5=fail A-6=pass", "R-SAFE",
	  "not_supported", "1 of 2 MUST scenarios pass; failed: A-5" },
	{ "a safety scenario of level should", "b x 1 system A-1=pass A-2=pass A-3=pass A-4=fail",
	  "R-PREEMPTION", "supported", "all 3 MUST scenarios pass" },
	{ "one was not run", "b x 1 system A-1=pass A-3=pass", "R-PREEMPTION",
	  "partially_supported", "2 of 3 MUST scenarios pass; not run: A-2" },
	{ "one could not be run", "b x 1 system A-1=pass A-2=skipped A-3=pass", "R-PREEMPTION",
	  "partially_supported", "2 of 3 MUST scenarios pass; not run: A-2" },
	{ "one is inconclusive", "b x 1 system A-1=pass A-2=inconclusive A-3=pass",
	  "R-PREEMPTION", "partially_supported",
	  "2 of 3 MUST scenarios pass; inconclusive: A-2" },
	{ "nothing was run", "b x 1 system A-6=pass", "R-PREEMPTION", "not_supported", "not run" },
	{ "no such notion", "b x 1 system A-1=unsupported A-2=unsupported A-3=unsupported",
	  "R-PREEMPTION", "not_supported", "no such notion" },
	{ "no such notion in one", "b x 1 system A-1=unsupported A-2=pass A-3=pass",
	  "R-PREEMPTION", "partially_supported",
	  "2 of 3 MUST scenarios pass; no such notion: A-1" },
	{ "inconclusive", "b x 1 system A-1=inconclusive A-2=inconclusive A-3=inconclusive",
	  "R-PREEMPTION", "not_supported", "inconclusive" },
	{ "all kinds", "b x 1 system A-1=fail A-2=unsupported A-3=inconclusive", "R-PREEMPTION",
	  "not_supported", "failed: A-1; inconclusive: A-3; no such notion: A-2" },
	{ "without contention nothing was shown", "b x 1 system A-1=pass! A-2=pass A-3=pass",
	  "R-PREEMPTION", "partially_supported",
	  "2 of 3 MUST scenarios pass; inconclusive: A-1" },
	{ "no workaround without contention", "b x 1 system A-1=workaround! A-2=pass A-3=pass",
	  "R-PREEMPTION", "partially_supported",
	  "2 of 3 MUST scenarios pass; inconclusive: A-1" },
	{ "a failure counts without contention", "b x 1 system A-2=fail! A-1=pass A-3=pass",
	  "R-PREEMPTION", "not_supported", "2 of 3 MUST scenarios pass; failed: A-2" },
	{ "covered in part alone it is never in full", "b x 1 system A-5=pass", "R-PART",
	  "partially_supported", "the one MUST scenario passes" },
	{ "SHOULD alone supports nothing", "b x 1 system A-7=pass", "R-SHOULD", "not_supported",
	  "no MUST scenario covers it" },
	{ "two bundles have a half each",
	  "b x 1 system A-1=pass\nc x 1 system A-2=pass A-3=pass", "R-PREEMPTION", "supported",
	  "all 3 MUST scenarios pass" },
	{ "two bundles disagree, and the pass does not win",
	  "b x 1 system A-1=pass A-2=pass A-3=pass\nc x 1 system A-1=fail", "R-PREEMPTION",
	  "partially_supported",
	  "2 of 3 MUST scenarios pass; failed: A-1; bundles disagree: A-1" },
	{ "in either order",
	  "c x 1 system A-1=pass A-2=pass A-3=pass\nb x 1 system A-1=fail", "R-PREEMPTION",
	  "partially_supported",
	  "2 of 3 MUST scenarios pass; failed: A-1; bundles disagree: A-1" },
	{ "also where safety is concerned",
	  "b x 1 system A-1=pass A-2=pass A-3=pass\nc x 1 system A-2=fail", "R-PREEMPTION",
	  "not_supported", "2 of 3 MUST scenarios pass; failed: A-2; bundles disagree: A-2" },
	{ "two bundles agree", "b x 1 system A-1=pass A-2=pass A-3=pass\nc x 1 system A-1=pass",
	  "R-PREEMPTION", "supported", "all 3 MUST scenarios pass" },
	{ "another version is another technology",
	  "b x 1 system A-1=pass A-2=pass\nc x 2 system A-3=pass", "R-PREEMPTION", "supported",
	  "2 of 3 MUST scenarios pass; not run: A-3" },
	{ "so is another configuration",
	  "b x 1 system A-1=pass A-2=pass\nc x 1 system configuration=2 A-3=fail",
	  "R-PREEMPTION", "supported", "2 of 3 MUST scenarios pass; not run: A-3" },
	{ "a recording counts", "b x 1 recorded A-1=pass A-2=pass A-3=pass", "R-PREEMPTION",
	  "supported", "all 3 MUST scenarios pass" },
	{ "a model predicts", "b x 1 model A-1=pass A-2=workaround A-3=pass", "R-PREEMPTION",
	  "would_pass", "model only; 2 of 3 MUST scenarios pass; workaround: A-2" },
	{ "a model predicts a failure", "b x 1 model A-1=fail A-2=pass A-3=pass", "R-PREEMPTION",
	  "would_fail", "model only; 2 of 3 MUST scenarios pass; failed: A-1" },
	{ "a model without the notion", "b x 1 model A-1=unsupported A-2=pass A-3=pass",
	  "R-PREEMPTION", "would_fail",
	  "model only; 2 of 3 MUST scenarios pass; no such notion: A-1" },
	{ "a model that was not asked", "b x 1 model A-6=pass", "R-PREEMPTION", "no_prediction",
	  "model only; not run" },
	{ "own id of a scenario in full and of an area", "b x 1 system A-1=pass A-7=fail",
	  "PRD 7", "supported", "the one MUST scenario passes" },
	{ "own id of two areas", "b x 1 system A-1=pass A-2=pass A-3=pass A-5=pass", "PRD 8",
	  "partially_supported", "4 of 5 MUST scenarios pass; not run: A-6" },
};

static const struct ga_matrix_cell *cell_of(const struct ga_matrix *m, const char *requirement)
{
	size_t i;

	for (i = 0; i < m->columns.v[0].cells.n; i++)
		if (!strcmp(m->columns.v[0].cells.v[i].requirement, requirement))
			return &m->columns.v[0].cells.v[i];
	return NULL;
}

static void fold_cells(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cells); i++) {
		struct ga_matrix m;
		const struct ga_matrix_cell *cell;

		fold(cells[i].bundles, NULL, &m);
		cell = cell_of(&m, cells[i].requirement);
		t_str(cell->support, cells[i].support, "%s: %s", cells[i].name, cells[i].support);
		t_str(cell->why, cells[i].why, "%s: %s", cells[i].name, cells[i].why);
		ga_schema_release(&ga_matrix_schema, &m);
	}
}

/* Bundles that do not count, and why. */
static const struct {
	const char *name, *bundles, *why;
} apart[] = {
	{ "another plan", "b x 1 system plan=other A-1=pass",
	  "it is of another plan: " OTHER },
	{ "verify found something", "b x 1 system wrong A-1=pass", "3 findings of verify" },
	{ "a scenario that the plan does not have", "b x 1 system Z-1=pass",
	  "the plan has no scenario 'Z-1'" },
	{ "an older version of a scenario", "b x 1-stale system A-1=pass",
	  "its scenario 'A-1' is not that of the plan" },
	{ "two verdicts of one scenario", "b x 1 system A-1=pass A-1=fail",
	  "it has two verdicts of scenario 'A-1'" },
};

static void fold_apart(void)
{
	struct ga_matrix m;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(apart); i++) {
		fold(apart[i].bundles, NULL, &m);
		t_int((int64_t)m.columns.n, 0, "%s: no column", apart[i].name);
		t_str(m.apart.n ? m.apart.v[0].why : NULL, apart[i].why, "%s: %s", apart[i].name,
		      apart[i].why);
		ga_schema_release(&ga_matrix_schema, &m);
	}
	fold("b x 1 system digest=same A-1=pass\nc x 1 system digest=same A-1=pass", NULL, &m);
	t_str(m.apart.n == 1 ? m.apart.v[0].why : NULL, "it is a copy of 'b'",
	      "a copy counts once");
	t_int((int64_t)m.columns.v[0].results.v[0].shown.n, 1, "and is shown once");
	ga_schema_release(&ga_matrix_schema, &m);
}

static void fold_rest(void)
{
	struct ga_matrix m;
	ga_autofree char *one = NULL, *other = NULL;

	fold(ALL, NULL, &m);
	t_str(m.draft, "no approval of the plan was given", "without an approval it is a draft");
	ga_schema_release(&ga_matrix_schema, &m);
	fold(ALL, OTHER, &m);
	t_str(m.draft, "the approval is of another plan: " OTHER, "and with that of another plan");
	t_ok(!m.approval, "which is not shown as one");
	ga_schema_release(&ga_matrix_schema, &m);
	fold(ALL, PLAN, &m);
	t_str(m.draft, NULL, "with an approval of its plan it is none");
	t_str(m.approval ? m.approval->by : NULL, "Bea", "and names who approved");
	ga_schema_release(&ga_matrix_schema, &m);

	fold("m kueue 1 model A-1=pass\ns kueue 0.9 system A-1=fail A-2=pass\n"
	     "a volcano 1 system A-1=fail", NULL, &m);
	t_str(m.columns.n == 3 ? m.columns.v[2].technology_class : NULL, "model",
	      "models stand last");
	t_int((int64_t)m.differences.n, 1, "one difference of a model and its technology");
	t_str(m.differences.v[0].predicted, "pass", "the model predicts a pass");
	t_str(m.differences.v[0].seen, "fail", "and it fails");
	t_str(m.differences.v[0].bundle, "s", "in this bundle");
	ga_schema_release(&ga_matrix_schema, &m);

	fold("b x 1 system A-1=pass contest=A-1 contest=A-6", NULL, &m);
	t_int((int64_t)cell_of(&m, "R-PREEMPTION")->contested.n, 1, "a contested cell says so");
	t_str(cell_of(&m, "R-PREEMPTION")->contested.v[0], "A-1 by Ann: wrong map", "and why");
	t_int((int64_t)cell_of(&m, "R-PART")->contested.n, 0, "others do not");
	ga_schema_release(&ga_matrix_schema, &m);

	fold("b x 1 system A-1=pass\nc x 1 system A-1=fail\nd y 1 system A-1=pass", NULL, &m);
	t_ok(m.columns.v[0].results.v[0].disagree, "bundles that disagree are marked");
	t_int((int64_t)m.columns.v[0].results.v[0].shown.n, 2, "and both are shown");
	one = ga_rec_format_text(&ga_matrix_schema, &m);
	ga_schema_release(&ga_matrix_schema, &m);
	fold("d y 1 system A-1=pass\nc x 1 system A-1=fail\nb x 1 system A-1=pass", NULL, &m);
	other = ga_rec_format_text(&ga_matrix_schema, &m);
	t_str(other, one, "the order of the bundles changes nothing");
	ga_schema_release(&ga_matrix_schema, &m);
}

/* The numbers: each with its bundle and file. */
static void fold_numbers(void)
{
	static const struct {
		const char *comparison, *name, *file;
		int64_t value;
	} want[] = {
		{ "preemption", "start_ms", "results/A-1/verdict.json", 3000 },
		{ "preemption", "evictions", "results/A-1/verdict.json", 5 },
		{ "preemption", "evictions_over_least", "results/A-1/verdict.json", 3 },
		{ "observability", "explain_fields", "results/A-1/verdict.json", 4 },
		{ "complexity", "components", "manifest.json", 3 },
		{ "complexity", "settings_changed", "workarounds.json", 1 },
		{ "complexity", "settings_not_taken", "workarounds.json", 0 },
	};
	struct ga_matrix_source e;
	struct ga_matrix_input in = { .asked = &asked, .scenarios = scenarios,
				      .scenarios_n = SCENARIOS, .plan_digest = PLAN,
				      .sources = &e, .sources_n = 1 };
	struct ga_verdict *v;
	struct ga_matrix m;
	size_t i, k;

	read_bundle("b x 1 system A-1=workaround A-2=pass",
		    strlen("b x 1 system A-1=workaround A-2=pass"), &e);
	e.components = 3;
	v = &e.verdicts.v[0];
	*ga_list_add(&v->values) = (struct ga_verdict_value){ ga_xstrdup("start_ms"), 3000 };
	*ga_list_add(&v->values) = (struct ga_verdict_value){ ga_xstrdup("evictions"), 5 };
	*ga_list_add(&v->values) = (struct ga_verdict_value){ ga_xstrdup("explain_fields"), 4 };
	ga_texts_add(&v->workarounds, "set: PreemptMode=REQUEUE");
	ga_texts_add(&v->workarounds, "set: PreemptMode=REQUEUE");
	ga_texts_add(&e.gaps, "no real GPUs");
	ga_matrix_fold(&in, &m);
	for (i = 0; i < GA_ARRAY_SIZE(want); i++) {
		const struct ga_matrix_number *n = NULL;

		for (k = 0; k < m.columns.v[0].numbers.n && !n; k++)
			if (!strcmp(m.columns.v[0].numbers.v[k].name, want[i].name))
				n = &m.columns.v[0].numbers.v[k];
		t_int(n ? n->value : GA_UNKNOWN, want[i].value, "%s is there", want[i].name);
		t_str(n ? n->comparison : NULL, want[i].comparison, "in its comparison");
		t_str(n ? n->file : NULL, want[i].file, "with its file");
		t_str(n ? n->bundle : NULL, "b", "and its bundle");
	}
	t_str(m.columns.v[0].gaps.n ? m.columns.v[0].gaps.v[0].text : NULL, "no real GPUs",
	      "gaps of the bundle are there");
	ga_schema_release(&ga_matrix_schema, &m);
	ga_matrix_source_release(&e);
}

static void check_asked(void)
{
	static const struct {
		const char *list, *message;
	} wrong[] = {
		{ "[]", "the list has no requirement" },
		{ "[{\"id\":\"a\",\"title\":\"a\"},{\"id\":\"a\",\"title\":\"b\"}]",
		  "requirement 'a' is there twice" },
		{ "[{\"id\":\"a\",\"title\":\"a\",\"covered_by\":[\"A-1\",\"R-NONE\"]}]",
		  "requirement 'a': 'R-NONE' in covered_by is no scenario" },
	};
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	t_int(ga_asked_check(&asked, scenarios, SCENARIOS, &err), 0, "the list is right");
	for (i = 0; i < GA_ARRAY_SIZE(wrong); i++) {
		struct ga_err why = GA_ERR_INIT;
		struct ga_asked_list list;
		ga_autofree char *text = ga_xprintf(
			"{\"kind\":\"gpuaas.validation-requirements/1\",\"title\":\"T\","
			"\"requirements\":%s}", wrong[i].list);

		t_int(ga_rec_parse_text(text, &ga_asked_list_schema, &list, &err), 0, "it reads");
		t_code(ga_asked_check(&list, scenarios, SCENARIOS, &why), &why, GA_BADREC,
		       wrong[i].message, "%s", wrong[i].message);
		ga_schema_release(&ga_asked_list_schema, &list);
	}
}

int main(void)
{
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	for (i = 0; i < SCENARIOS; i++)
		t_int(ga_rec_parse_text(texts[i], &ga_scenario_schema, &scenarios[i], &err), 0,
		      "scenario %zu reads %s", i, err.msg);
	t_int(ga_rec_parse_text(asked_text, &ga_asked_list_schema, &asked, &err), 0,
	      "the requirements read");
	check_asked();
	fold_cells();
	fold_apart();
	fold_rest();
	fold_numbers();
	for (i = 0; i < SCENARIOS; i++)
		ga_schema_release(&ga_scenario_schema, &scenarios[i]);
	ga_schema_release(&ga_asked_list_schema, &asked);
	return t_done();
}
