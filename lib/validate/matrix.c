/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/matrix.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "record/digest.h"
#include "record/rec.h"

/* The indexes of ga_result_words. */
enum result { FAIL, INCONCLUSIVE, NOT_RUN, UNSUPPORTED, WORKAROUND, PASS, RESULTS };

static const char *const labels[] = {
	[FAIL] = "failed", [INCONCLUSIVE] = "inconclusive", [NOT_RUN] = "not run",
	[UNSUPPORTED] = "no such notion", [WORKAROUND] = "workaround", [PASS] = "passed",
};

void ga_matrix_source_init(struct ga_matrix_source *source)
{
	*source = (struct ga_matrix_source){ .components = GA_UNKNOWN,
					  .configuration_lines = GA_UNKNOWN };
}

void ga_matrix_source_release(struct ga_matrix_source *source)
{
	size_t i;

	for (i = 0; i < source->verdicts.n; i++)
		ga_schema_release(&ga_verdict_schema, &source->verdicts.v[i]);
	ga_list_release(&source->verdicts);
	for (i = 0; i < source->reviews.n; i++) {
		free(source->reviews.v[i].by);
		free(source->reviews.v[i].at);
		free(source->reviews.v[i].opinion);
		free(source->reviews.v[i].scenario);
		free(source->reviews.v[i].reason);
	}
	ga_list_release(&source->reviews);
	ga_texts_release(&source->gaps);
	ga_texts_release(&source->risks);
	free(source->file);
	free(source->digest);
	free(source->technology);
	free(source->version);
	free(source->technology_class);
	free(source->configuration_digest);
	free(source->plan_digest);
	free(source->executed_by);
	free(source->started_at);
	free(source->ended_at);
	free(source->signer);
	free(source->wrong);
	ga_matrix_source_init(source);
}

static enum result result_of(const char *word)
{
	size_t i;

	for (i = 0; i < PASS && strcmp(ga_result_words[i], word); i++)
		;
	return (enum result)i;
}

/* ---- coverage ---- */

enum coverage { NONE, PART, FULL };

static enum coverage named(const struct ga_scenario *scenario, const char *requirement)
{
	size_t i;

	for (i = 0; i < scenario->requirements.n; i++)
		if (!strcmp(scenario->requirements.v[i].id, requirement))
			return strcmp(scenario->requirements.v[i].coverage, "full") ? PART : FULL;
	return NONE;
}

static enum coverage covers(const struct ga_scenario *scenario, const struct ga_asked *asked)
{
	enum coverage best = asked->covered_by.n ? NONE : named(scenario, asked->id);
	size_t i;

	for (i = 0; i < asked->covered_by.n; i++) {
		const char *by = asked->covered_by.v[i];
		enum coverage one = !strcmp(by, scenario->id) ? FULL : named(scenario, by);

		best = one > best ? one : best;
	}
	return best;
}

int ga_asked_check(const struct ga_asked_list *asked, const struct ga_scenario *scenarios, size_t n,
		   struct ga_err *err)
{
	size_t i, k, s;

	if (!asked->requirements.n)
		return ga_fail(err, GA_BADREC, "the list has no requirement");
	for (i = 0; i < asked->requirements.n; i++) {
		const struct ga_asked *one = &asked->requirements.v[i];

		for (k = 0; k < i; k++)
			if (!strcmp(asked->requirements.v[k].id, one->id))
				return ga_fail(err, GA_BADREC, "requirement '%s' is there twice",
					       one->id);
		for (k = 0; k < one->covered_by.n; k++) {
			const char *by = one->covered_by.v[k];

			for (s = 0; s < n && strcmp(scenarios[s].id, by) &&
				    !named(&scenarios[s], by);
			     s++)
				;
			if (s == n)
				return ga_fail(err, GA_BADREC,
					       "requirement '%s': '%s' in covered_by is no "
					       "scenario, and no scenario names it as its "
					       "requirement", one->id, by);
		}
	}
	return 0;
}

/* ---- bundles that do not count ---- */

static size_t scenario_at(const struct ga_matrix_input *in, const char *id)
{
	size_t i;

	for (i = 0; i < in->scenarios_n && strcmp(in->scenarios[i].id, id); i++)
		;
	return i;
}

/* Why the bundle does not count, allocated; NULL: it does. before: those in front of it. */
static char *why_apart(const struct ga_matrix_input *in, const struct ga_matrix_source *e,
		       const struct ga_matrix_source *const *before, size_t n)
{
	size_t i;

	if (e->wrong)
		return ga_xstrdup(e->wrong);
	if (!ga_streq(e->plan_digest, in->plan_digest))
		return ga_xprintf("it is of another plan: %s",
				  e->plan_digest ? e->plan_digest : "it names none");
	for (i = 0; i < n; i++)
		if (!strcmp(before[i]->digest, e->digest))
			return ga_xprintf("it is a copy of '%s'", before[i]->file);
	for (i = 0; i < e->verdicts.n; i++) {
		const struct ga_verdict *v = &e->verdicts.v[i];
		size_t at = scenario_at(in, v->scenario), k;
		char digest[GA_DIGEST_SIZE];

		if (at == in->scenarios_n)
			return ga_xprintf("the plan has no scenario '%s'", v->scenario);
		ga_rec_digest(&ga_scenario_schema, &in->scenarios[at], NULL, digest);
		if (strcmp(digest, v->scenario_digest))
			return ga_xprintf("its scenario '%s' is not that of the plan",
					  v->scenario);
		for (k = 0; k < i && strcmp(e->verdicts.v[k].scenario, v->scenario); k++)
			;
		if (k < i)
			return ga_xprintf("it has two verdicts of scenario '%s'", v->scenario);
	}
	return NULL;
}

/* ---- the results of a column ---- */

/* The result that a verdict counts as. */
static enum result counts_as(const struct ga_scenario *scenario, const struct ga_verdict *v,
			     const char **why)
{
	enum result result = result_of(v->outcome);

	*why = v->why;
	if (result >= WORKAROUND && !strcmp(scenario->level, "must") && !v->contended) {
		*why = "nothing ever waited: it was not shown under contention";
		return INCONCLUSIVE;
	}
	if (result == INCONCLUSIVE && ga_starts(v->why, "not run"))
		return NOT_RUN;
	return result;
}

static void add_shown(const struct ga_scenario *scenario, const struct ga_verdict *v,
		      const char *bundle, struct ga_matrix_result *r)
{
	const char *why;
	enum result result = counts_as(scenario, v, &why);
	struct ga_matrix_shown *shown;

	if (r->shown.n && result_of(r->outcome) != result)
		r->disagree = true;
	if (!r->shown.n || result < result_of(r->outcome)) {
		free(r->outcome);
		free(r->why);
		r->outcome = ga_xstrdup(ga_result_words[result]);
		r->why = ga_xstrdup(why);
	}
	shown = ga_list_add(&r->shown);
	shown->outcome = ga_xstrdup(ga_result_words[result]);
	shown->why = ga_xstrdup(why);
	shown->runs = v->runs;
	shown->agreeing = v->agreeing;
	shown->bundle = ga_xstrdup(bundle);
	shown->file = ga_xprintf("results/%s/verdict.json", v->scenario);
}

/* ---- the numbers of a column ---- */

static void add_number(struct ga_matrix_column *c, const char *comparison, const char *name,
		       const char *scenario, int64_t value, const char *bundle, const char *file)
{
	struct ga_matrix_number *n;

	if (value == GA_UNKNOWN)
		return;
	n = ga_list_add(&c->numbers);
	n->comparison = ga_xstrdup(comparison);
	n->name = ga_xstrdup(name);
	n->scenario = ga_strdup0(scenario);
	n->value = value;
	n->bundle = ga_xstrdup(bundle);
	n->file = file ? ga_xstrdup(file) : ga_xprintf("results/%s/verdict.json", scenario);
}

static int64_t value_of(const struct ga_verdict *v, const char *name)
{
	size_t i;

	for (i = 0; i < v->values.n; i++)
		if (!strcmp(v->values.v[i].name, name))
			return v->values.v[i].value;
	return GA_UNKNOWN;
}

/* The evictions that the scenario cannot do without; GA_UNKNOWN: it does not say. */
static int64_t least_evictions(const struct ga_scenario *scenario)
{
	size_t i;

	for (i = 0; i < scenario->expect.n; i++) {
		const struct ga_trial_check *check = &scenario->expect.v[i];

		if (strcmp(check->check, "count") || !ga_streq(check->state, "evicted") ||
		    check->one_of)
			continue;
		return check->is != GA_UNKNOWN ? check->is : check->at_least;
	}
	return GA_UNKNOWN;
}

static void add_verdict_numbers(const struct ga_scenario *scenario, const struct ga_verdict *v,
				const char *bundle, struct ga_matrix_column *c)
{
	/* The last two speak of evictions, where there was one. */
	static const char *const preemption[] = { "start_ms", "evictions", "evictions_explained",
						  "lost_slot_seconds" };
	int64_t least = least_evictions(scenario), evictions = value_of(v, "evictions");
	int64_t met = 0;
	size_t i;

	if (named(scenario, "R-PREEMPTION")) {
		for (i = 0; i < (evictions > 0 ? 4 : 2); i++)
			add_number(c, "preemption", preemption[i], scenario->id,
				   value_of(v, preemption[i]), bundle, NULL);
		if (least != GA_UNKNOWN && evictions >= least)
			add_number(c, "preemption", "evictions_over_least", scenario->id,
				   evictions - least, bundle, NULL);
	}
	for (i = 0; i < v->checks.n; i++)
		met += !strcmp(v->checks.v[i].result, "met");
	if (named(scenario, "R-FRAGMENTATION") && v->checks.n) {
		add_number(c, "fragmentation", "checks", scenario->id, (int64_t)v->checks.n,
			   bundle, NULL);
		add_number(c, "fragmentation", "checks_met", scenario->id, met, bundle, NULL);
		add_number(c, "fragmentation", "start_ms", scenario->id, value_of(v, "start_ms"),
			   bundle, NULL);
	}
	add_number(c, "fragmentation", "largest_block_shown", scenario->id,
		   value_of(v, "largest_block_shown"), bundle, NULL);
	add_number(c, "observability", "explain_fields", scenario->id,
		   value_of(v, "explain_fields"), bundle, NULL);
}

static void add_complexity(const struct ga_matrix_source *e, struct ga_matrix_column *c)
{
	ga_autotexts struct ga_texts set = { 0 }, not_taken = { 0 };
	const struct ga_verdict *first = NULL;
	int64_t first_ms = GA_UNKNOWN;
	size_t i, k;

	for (i = 0; i < e->verdicts.n; i++) {
		const struct ga_verdict *v = &e->verdicts.v[i];
		int64_t ms = value_of(v, "first_job_ms");

		if (ms != GA_UNKNOWN && (!first || ms < first_ms)) {
			first = v;
			first_ms = ms;
		}
		for (k = 0; k < v->workarounds.n; k++) {
			const char *text = v->workarounds.v[k];
			struct ga_texts *list = ga_starts(text, "set: ")       ? &set :
						ga_starts(text, "not taken: ") ? &not_taken :
										 NULL;

			if (list && !ga_texts_has(list, text))
				ga_texts_add(list, text);
		}
	}
	add_number(c, "complexity", "components", NULL, e->components, e->file, "manifest.json");
	add_number(c, "complexity", "configuration_lines", NULL, e->configuration_lines, e->file,
		   "configuration/applied");
	if (e->verdicts.n) {
		add_number(c, "complexity", "settings_changed", NULL, (int64_t)set.n, e->file,
			   "workarounds.json");
		add_number(c, "complexity", "settings_not_taken", NULL, (int64_t)not_taken.n,
			   e->file, "workarounds.json");
	}
	if (first) {
		ga_autofree char *file = ga_xprintf("results/%s/verdict.json", first->scenario);

		add_number(c, "complexity", "first_job_ms", NULL, first_ms, e->file, file);
	}
}

/* ---- a column ---- */

static void add_bundle(const struct ga_matrix_source *e, struct ga_matrix_column *c)
{
	struct ga_matrix_bundle *b = ga_list_add(&c->bundles);
	const struct {
		const struct ga_texts *from;
		const char *file;
		bool risk;
	} remarks[] = { { &e->gaps, "gaps.md", false }, { &e->risks, "risks.md", true } };
	size_t i, k;

	b->file = ga_xstrdup(e->file);
	b->digest = ga_xstrdup(e->digest);
	b->executed_by = ga_strdup0(e->executed_by);
	b->started_at = ga_strdup0(e->started_at);
	b->ended_at = ga_strdup0(e->ended_at);
	b->signer = ga_strdup0(e->signer);
	for (i = 0; i < e->reviews.n; i++) {
		const struct ga_matrix_review *from = &e->reviews.v[i];

		*ga_list_add(&b->reviews) = (struct ga_matrix_review){
			.by = ga_strdup0(from->by), .at = ga_strdup0(from->at),
			.opinion = ga_strdup0(from->opinion),
			.scenario = ga_strdup0(from->scenario),
			.reason = ga_strdup0(from->reason),
		};
	}
	for (k = 0; k < GA_ARRAY_SIZE(remarks); k++) {
		for (i = 0; i < remarks[k].from->n; i++) {
			struct ga_matrix_remark *r = remarks[k].risk ? ga_list_add(&c->risks) :
								       ga_list_add(&c->gaps);

			r->text = ga_xstrdup(remarks[k].from->v[i]);
			r->bundle = ga_xstrdup(e->file);
			r->file = ga_xstrdup(remarks[k].file);
		}
	}
}

/* Adds a list of ids of one result to the second line. */
static void add_group(struct ga_str *why, const char *label, const struct ga_str *ids, bool all)
{
	if (!ids->len)
		return;
	if (all)
		ga_str_addf(why, "%s%s", why->len ? "; " : "", label);
	else
		ga_str_addf(why, "%s%s: %s", why->len ? "; " : "", label, ids->buf);
}

/* The scenarios of the cell that a reviewer contests. */
static void add_contested(const struct ga_matrix_input *in, const struct ga_asked *asked,
			  const struct ga_matrix_column *c, struct ga_matrix_cell *cell)
{
	size_t i, k;

	for (i = 0; i < c->bundles.n; i++) {
		for (k = 0; k < c->bundles.v[i].reviews.n; k++) {
			const struct ga_matrix_review *r = &c->bundles.v[i].reviews.v[k];
			size_t at = r->scenario ? scenario_at(in, r->scenario) : in->scenarios_n;
			ga_autofree char *text = NULL;

			if (strcmp(r->opinion, "contest") ||
			    (r->scenario && (at == in->scenarios_n ||
					     !covers(&in->scenarios[at], asked))))
				continue;
			text = ga_xprintf("%s by %s%s%s", r->scenario ? r->scenario : "all",
					  r->by, r->reason ? ": " : "",
					  r->reason ? r->reason : "");
			ga_texts_add(&cell->contested, text);
		}
	}
}

static void fold_cell(const struct ga_matrix_input *in, const struct ga_asked *asked,
		      const struct ga_matrix_column *c, struct ga_matrix_cell *cell)
{
	struct ga_str ids[RESULTS], why = GA_STR_INIT, disagree = GA_STR_INIT;
	int64_t counts[RESULTS] = { 0 }, full = 0, full_passed = 0, full_fine = 0;
	bool unsafe = false, model = !strcmp(c->technology_class, "model");
	size_t i;

	for (i = 0; i < RESULTS; i++)
		ids[i] = (struct ga_str)GA_STR_INIT;
	for (i = 0; i < in->scenarios_n; i++) {
		const struct ga_scenario *s = &in->scenarios[i];
		enum coverage coverage = covers(s, asked);
		enum result r = result_of(c->results.v[i].outcome);

		if (!coverage || strcmp(s->level, "must"))
			continue;
		counts[r]++;
		unsafe |= s->safety && r == FAIL;
		full += coverage == FULL;
		full_passed += coverage == FULL && r == PASS;
		full_fine += coverage == FULL && r >= WORKAROUND;
		ga_str_addf(&ids[r], "%s%s", ids[r].len ? ", " : "", s->id);
		if (c->results.v[i].disagree)
			ga_str_addf(&disagree, "%s%s", disagree.len ? ", " : "", s->id);
	}
	for (i = 0; i < RESULTS; i++)
		cell->must += counts[i];
	cell->passed = counts[PASS];

	if (model)
		cell->support = ga_xstrdup(counts[FAIL] || counts[UNSUPPORTED] ? "would_fail" :
					   full && full_fine == full	       ? "would_pass" :
										 "no_prediction");
	else if (full && full_passed == full && !unsafe)
		cell->support = ga_xstrdup("supported");
	else if ((counts[PASS] || counts[WORKAROUND]) && !unsafe)
		cell->support = ga_xstrdup("partially_supported");
	else
		cell->support = ga_xstrdup("not_supported");

	if (model)
		ga_str_add(&why, "model only");
	if (!cell->must)
		ga_str_addf(&why, "%sno MUST scenario covers it", why.len ? "; " : "");
	if (cell->must == 1 && counts[PASS])
		ga_str_addf(&why, "%sthe one MUST scenario passes", why.len ? "; " : "");
	else if (cell->must && counts[PASS] == cell->must)
		ga_str_addf(&why, "%sall %" PRId64 " MUST scenarios pass", why.len ? "; " : "",
			    cell->must);
	else if (counts[PASS])
		ga_str_addf(&why, "%s%" PRId64 " of %" PRId64 " MUST scenarios pass",
			    why.len ? "; " : "", counts[PASS], cell->must);
	for (i = 0; i < PASS; i++)
		add_group(&why, labels[i], &ids[i],
			  i != FAIL && i != WORKAROUND && counts[i] == cell->must);
	add_group(&why, "bundles disagree", &disagree, false);
	ga_str_release(&disagree);
	cell->requirement = ga_xstrdup(asked->id);
	cell->why = ga_str_take(&why);

	add_contested(in, asked, c, cell);
	for (i = 0; i < RESULTS; i++)
		ga_str_release(&ids[i]);
}

static bool same_column(const struct ga_matrix_source *a, const struct ga_matrix_source *b)
{
	return !strcmp(a->technology_class, b->technology_class) &&
	       !strcmp(a->technology, b->technology) && !strcmp(a->version, b->version) &&
	       ga_streq(a->configuration_digest, b->configuration_digest);
}

/* A column of the n bundles, which are of one technology, version and configuration. */
static void fold_column(const struct ga_matrix_input *in, const struct ga_matrix_source *const *e,
			size_t n, struct ga_matrix_column *c)
{
	size_t i, k;

	c->technology = ga_xstrdup(e[0]->technology);
	c->version = ga_xstrdup(e[0]->version);
	c->technology_class = ga_xstrdup(e[0]->technology_class);
	c->configuration_digest = ga_strdup0(e[0]->configuration_digest);
	for (i = 0; i < in->scenarios_n; i++) {
		struct ga_matrix_result *r = ga_list_add(&c->results);

		r->scenario = ga_xstrdup(in->scenarios[i].id);
		r->outcome = ga_xstrdup("not_run");
		r->why = ga_xstrdup("no bundle has it");
	}
	for (k = 0; k < n; k++) {
		add_bundle(e[k], c);
		for (i = 0; i < e[k]->verdicts.n; i++) {
			const struct ga_verdict *v = &e[k]->verdicts.v[i];
			size_t at = scenario_at(in, v->scenario);

			add_shown(&in->scenarios[at], v, e[k]->file, &c->results.v[at]);
			add_verdict_numbers(&in->scenarios[at], v, e[k]->file, c);
		}
		add_complexity(e[k], c);
	}
	for (i = 0; i < in->asked->requirements.n; i++)
		fold_cell(in, &in->asked->requirements.v[i], c, ga_list_add(&c->cells));
}

/* ---- where models and technologies differ ---- */

static bool is_model_of(const struct ga_matrix_column *model, const struct ga_matrix_column *c)
{
	const char *name = model->technology;

	if (ga_starts(name, "model-"))
		name += strlen("model-");
	return !strcmp(model->technology_class, "model") &&
	       strcmp(c->technology_class, "model") && !strcmp(name, c->technology);
}

static const struct ga_matrix_shown *shown_as(const struct ga_matrix_result *r)
{
	size_t i;

	for (i = 0; i < r->shown.n && strcmp(r->shown.v[i].outcome, r->outcome); i++)
		;
	return &r->shown.v[i];
}

static void add_differences(const struct ga_matrix_column *model, const struct ga_matrix_column *c,
			    struct ga_matrix *m)
{
	size_t i;

	for (i = 0; i < c->results.n; i++) {
		const struct ga_matrix_result *p = &model->results.v[i], *s = &c->results.v[i];
		enum result predicted = result_of(p->outcome), seen = result_of(s->outcome);

		if (predicted == seen || predicted == INCONCLUSIVE || predicted == NOT_RUN ||
		    seen == INCONCLUSIVE || seen == NOT_RUN)
			continue;
		*ga_list_add(&m->differences) = (struct ga_matrix_difference){
			.scenario = ga_xstrdup(s->scenario),
			.technology = ga_xstrdup(c->technology),
			.version = ga_xstrdup(c->version),
			.predicted = ga_xstrdup(p->outcome), .seen = ga_xstrdup(s->outcome),
			.model_bundle = ga_xstrdup(shown_as(p)->bundle),
			.bundle = ga_xstrdup(shown_as(s)->bundle),
		};
	}
}

/* ---- the whole ---- */

/* Columns by class, technology, version and configuration; their bundles by time and file. */
static int by_column(const void *a, const void *b)
{
	const struct ga_matrix_source *x = *(const struct ga_matrix_source *const *)a;
	const struct ga_matrix_source *y = *(const struct ga_matrix_source *const *)b;
	int model = ga_streq(x->technology_class, "model") - ga_streq(y->technology_class, "model");
	/* Of two copies the one with more reviews. */
	int reviews = x->reviews.n < y->reviews.n ? 1 : -(x->reviews.n > y->reviews.n);
	const char *const keys[][2] = {
		{ x->technology, y->technology }, { x->version, y->version },
		{ x->technology_class, y->technology_class },
		{ x->configuration_digest, y->configuration_digest },
		{ x->started_at, y->started_at }, { x->digest, y->digest },
	};
	int order = model;
	size_t i;

	for (i = 0; !order && i < GA_ARRAY_SIZE(keys); i++)
		order = strverscmp(keys[i][0] ? keys[i][0] : "", keys[i][1] ? keys[i][1] : "");
	return order ? order : reviews ? reviews : strverscmp(x->file, y->file);
}

static void add_head(const struct ga_matrix_input *in, struct ga_matrix *m)
{
	size_t i;

	m->title = ga_xstrdup(in->asked->title);
	m->plan_digest = ga_xstrdup(in->plan_digest);
	if (!in->approval) {
		m->draft = ga_xstrdup("no approval of the plan was given");
	} else if (strcmp(in->approval->plan_digest, in->plan_digest)) {
		m->draft = ga_xprintf("the approval is of another plan: %s",
				      in->approval->plan_digest);
	} else {
		m->approval = ga_xcalloc(1, sizeof(*m->approval));
		m->approval->by = ga_xstrdup(in->approval->by);
		m->approval->at = ga_xstrdup(in->approval->at);
		m->approval->signer = ga_strdup0(in->approver);
	}
	for (i = 0; i < in->asked->requirements.n; i++) {
		const struct ga_asked *from = &in->asked->requirements.v[i];
		struct ga_asked *to = ga_list_add(&m->requirements);
		size_t k;

		to->id = ga_xstrdup(from->id);
		to->title = ga_xstrdup(from->title);
		to->behaviour = ga_strdup0(from->behaviour);
		for (k = 0; k < in->scenarios_n; k++)
			if (covers(&in->scenarios[k], from))
				ga_texts_add(&to->covered_by, in->scenarios[k].id);
	}
	for (i = 0; i < in->scenarios_n; i++)
		*ga_list_add(&m->scenarios) = (struct ga_matrix_scenario){
			.id = ga_xstrdup(in->scenarios[i].id),
			.title = ga_xstrdup(in->scenarios[i].title),
			.level = ga_xstrdup(in->scenarios[i].level),
			.safety = in->scenarios[i].safety,
		};
}

void ga_matrix_fold(const struct ga_matrix_input *in, struct ga_matrix *ret)
{
	ga_autofree const struct ga_matrix_source **sorted =
		ga_xcalloc(in->sources_n + 1, sizeof(*sorted));
	size_t i, k, n = 0;

	ga_schema_init(&ga_matrix_schema, ret);
	add_head(in, ret);
	for (i = 0; i < in->sources_n; i++)
		sorted[i] = &in->sources[i];
	qsort(sorted, in->sources_n, sizeof(*sorted), by_column);
	for (i = 0; i < in->sources_n; i++) {
		const struct ga_matrix_source *e = sorted[i];
		ga_autofree char *why = why_apart(in, e, sorted, n);

		if (!why) {
			sorted[n++] = e;
			continue;
		}
		*ga_list_add(&ret->apart) = (struct ga_matrix_apart){
			.bundle = ga_xstrdup(e->file), .technology = ga_strdup0(e->technology),
			.version = ga_strdup0(e->version), .why = GA_TAKE(why),
		};
	}
	for (i = 0; i < n; i = k) {
		for (k = i + 1; k < n && same_column(sorted[i], sorted[k]); k++)
			;
		fold_column(in, &sorted[i], k - i, ga_list_add(&ret->columns));
	}
	for (i = 0; i < ret->columns.n; i++)
		for (k = 0; k < ret->columns.n; k++)
			if (is_model_of(&ret->columns.v[i], &ret->columns.v[k]))
				add_differences(&ret->columns.v[i], &ret->columns.v[k], ret);
}
