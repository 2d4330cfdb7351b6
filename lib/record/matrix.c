/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of gpuaas.validation-requirements and gpuaas.matrix. */
#include "record/matrix.h"

#include "record/scenario.h"
#include "record/validation.h"

const char *const ga_support_words[] = { "supported",  "partially_supported", "not_supported",
					 "would_pass", "would_fail",	      "no_prediction",
					 NULL };
const char *const ga_result_words[] = { "fail",	       "inconclusive", "not_run",
					"unsupported", "workaround",   "pass", NULL };
const char *const ga_column_words[] = { "system", "recorded", "model", NULL };
const char *const ga_comparison_words[] = { "preemption", "fragmentation", "observability",
					    "complexity", NULL };


#define SIGNER(s) \
	GA_TEXT(s, signer, GA_NULLOK, GA_T_ANY, \
		"public key of the signature; null: it is not signed")
#define EVIDENCE(s) \
	GA_TEXT(s, bundle, GA_REQ, GA_T_ANY, "file of the bundle"), \
	GA_TEXT(s, file, GA_REQ, GA_T_ANY, "file inside the bundle")

#define S ga_asked
static const struct ga_schema asked_schema = {
	.doc = "a requirement",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, id, GA_REQ, GA_T_ANY, "id of the requirement"),
		GA_TEXT(S, title, GA_REQ, GA_T_ANY, "title"),
		GA_TEXT(S, behaviour, GA_OPT, GA_T_ANY, "required behaviour, in a sentence"),
		GA_TEXTS(S, covered_by, GA_OPT, GA_T_ANY,
			 "ids of scenarios, or of requirements that scenarios name; left out: the "
			 "scenarios that name the id"),
		GA_FIELDS_END },
};
#undef S

#define S ga_asked_list
const struct ga_schema ga_asked_list_schema = {
	.kind = "gpuaas.validation-requirements/1",
	.doc = "the requirements that a matrix is about",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, title, GA_REQ, GA_T_ANY, "title of the list"),
		GA_LISTOF(S, requirements, &asked_schema, "requirements, in the order to show"),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_approval
static const struct ga_schema approval_schema = {
	.doc = "the approval of the plan",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, by, GA_REQ, GA_T_PERSON, "person who approved the plan"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "time of the approval"),
		SIGNER(S),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_review
static const struct ga_schema review_schema = {
	.doc = "a review",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, by, GA_REQ, GA_T_PERSON, "reviewer"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "time of the review"),
		GA_ENUM(S, opinion, GA_REQ, ga_review_words, "opinion on the verdicts"),
		GA_TEXT(S, scenario, GA_NULLOK, GA_T_ANY, "scenario; null: the whole bundle"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_ANY, "reason of the reviewer"),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_bundle
static const struct ga_schema bundle_schema = {
	.doc = "a bundle that counts",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, file, GA_REQ, GA_T_ANY, "file of the bundle"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "digest of the file"),
		GA_TEXT(S, executed_by, GA_NULLOK, GA_T_ANY,
			"person who ran it; null: the bundle does not say"),
		GA_TEXT(S, started_at, GA_NULLOK, GA_T_TIME, "begin of the run"),
		GA_TEXT(S, ended_at, GA_NULLOK, GA_T_TIME, "end of the run"),
		SIGNER(S),
		GA_LISTOF(S, reviews, &review_schema, "reviews"),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_cell
static const struct ga_schema cell_schema = {
	.doc = "a requirement and the technology",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, requirement, GA_REQ, GA_T_ANY, "id of the requirement"),
		GA_ENUM(S, support, GA_REQ, ga_support_words,
			"result; of a model only a prediction"),
		GA_TEXT(S, why, GA_REQ, GA_T_ANY, "reason, with the scenarios"),
		GA_COUNT(S, must, GA_REQ, "scenarios of level must that cover it"),
		GA_COUNT(S, passed, GA_REQ, "scenarios of these that pass"),
		GA_TEXTS(S, contested, GA_REQ, GA_T_ANY, "scenarios that a reviewer contests"),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_shown
static const struct ga_schema shown_schema = {
	.doc = "a verdict of one bundle",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, outcome, GA_REQ, ga_result_words, "outcome that counts"),
		GA_TEXT(S, why, GA_REQ, GA_T_ANY, "reason of the outcome"),
		GA_COUNT(S, runs, GA_REQ, "runs that came to their end"),
		GA_COUNT(S, agreeing, GA_REQ, "runs that agree with the first one"),
		EVIDENCE(S),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_result
static const struct ga_schema result_schema = {
	.doc = "a scenario and the technology",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, scenario, GA_REQ, GA_T_ANY, "id of the scenario"),
		GA_ENUM(S, outcome, GA_REQ, ga_result_words,
			"outcome; of several bundles the least favourable one"),
		GA_TEXT(S, why, GA_REQ, GA_T_ANY, "reason of the outcome"),
		GA_BOOL(S, disagree, "true: bundles show different outcomes"),
		GA_LISTOF(S, shown, &shown_schema, "verdicts, one a bundle that has it"),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_number
static const struct ga_schema number_schema = {
	.doc = "a number of a comparison",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, comparison, GA_REQ, ga_comparison_words, "subject"),
		GA_TEXT(S, name, GA_REQ, GA_T_CODE, "name of the number"),
		GA_TEXT(S, scenario, GA_NULLOK, GA_T_ANY, "scenario; null: the whole bundle"),
		GA_INT_IN(S, value, GA_REQ, -GA_INT_MAX_SAFE, GA_INT_MAX_SAFE, "value"),
		EVIDENCE(S),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_remark
static const struct ga_schema remark_schema = {
	.doc = "a gap or risk that the bundle names",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, text, GA_REQ, GA_T_ANY, "sentence"),
		EVIDENCE(S),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_column
static const struct ga_schema column_schema = {
	.doc = "a technology, its version and its configuration",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, technology, GA_REQ, GA_T_NAME, "name of the technology"),
		GA_TEXT(S, version, GA_REQ, GA_T_ANY, "version"),
		GA_AS(S, technology_class, "class", GA_F_TEXT, GA_REQ, .values = ga_column_words,
		      .doc = "system; recorded: judged from a recording; model: it predicts, and "
			     "never counts"),
		GA_TEXT(S, configuration_digest, GA_NULLOK, GA_T_DIGEST,
			"digest of the configuration; null: none in the bundles"),
		GA_LISTOF(S, bundles, &bundle_schema, "bundles with the evidence"),
		GA_LISTOF(S, cells, &cell_schema, "requirements"),
		GA_LISTOF(S, results, &result_schema, "scenarios"),
		GA_LISTOF(S, numbers, &number_schema, "numbers of the comparisons"),
		GA_LISTOF(S, gaps, &remark_schema, "gaps"),
		GA_LISTOF(S, risks, &remark_schema, "risks"),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_scenario
static const struct ga_schema scenario_schema = {
	.doc = "a scenario of the plan",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, id, GA_REQ, GA_T_ANY, "id"),
		GA_TEXT(S, title, GA_REQ, GA_T_ANY, "title"),
		GA_ENUM(S, level, GA_REQ, ga_level_words, "level"),
		GA_BOOL(S, safety,
			"true: a technology that fails it does not support the requirement"),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_difference
static const struct ga_schema difference_schema = {
	.doc = "a scenario in which model and technology differ",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, scenario, GA_REQ, GA_T_ANY, "id of the scenario"),
		GA_TEXT(S, technology, GA_REQ, GA_T_NAME, "name of the technology"),
		GA_TEXT(S, version, GA_REQ, GA_T_ANY, "version of the technology"),
		GA_ENUM(S, predicted, GA_REQ, ga_result_words, "outcome of the model"),
		GA_ENUM(S, seen, GA_REQ, ga_result_words, "outcome of the technology"),
		GA_TEXT(S, model_bundle, GA_REQ, GA_T_ANY, "bundle of the model"),
		GA_TEXT(S, bundle, GA_REQ, GA_T_ANY, "bundle of the technology"),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix_apart
static const struct ga_schema apart_schema = {
	.doc = "a bundle that does not count",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, bundle, GA_REQ, GA_T_ANY, "file of the bundle"),
		GA_TEXT(S, technology, GA_NULLOK, GA_T_ANY, "technology; null: unknown"),
		GA_TEXT(S, version, GA_NULLOK, GA_T_ANY, "version; null: unknown"),
		GA_TEXT(S, why, GA_REQ, GA_T_ANY, "reason"),
		GA_FIELDS_END },
};
#undef S

#define S ga_matrix
const struct ga_schema ga_matrix_schema = {
	.kind = "gpuaas.matrix/1",
	.doc = "requirements, and how far each technology was seen to support them",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, title, GA_REQ, GA_T_ANY, "title of the requirements"),
		GA_TEXT(S, plan_digest, GA_REQ, GA_T_DIGEST, "digest of the plan"),
		GA_TEXT(S, draft, GA_NULLOK, GA_T_ANY,
			"why it is a draft; null: the plan is approved"),
		GA_OBJ(S, approval, GA_NULLOK, &approval_schema, "approval of the plan"),
		GA_LISTOF(S, requirements, &asked_schema, "requirements"),
		GA_LISTOF(S, scenarios, &scenario_schema, "scenarios of the plan"),
		GA_LISTOF(S, columns, &column_schema, "technologies; models stand last"),
		GA_LISTOF(S, differences, &difference_schema,
			  "scenarios in which models and technologies differ"),
		GA_LISTOF(S, apart, &apart_schema, "bundles that do not count"),
		GA_FIELDS_END },
};
#undef S
