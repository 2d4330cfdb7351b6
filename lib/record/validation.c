/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of test plans, approvals, bundles and reviews of the validation suite. */
#include "record/validation.h"

#include "record/scenario.h"

const char *const ga_review_words[] = { "agree", "contest", NULL };
const char *const ga_bundle_finding_words[] = {
	"archive_refused",   "archive_differs",	   "manifest_invalid", "file_missing",
	"file_unlisted",     "digest_differs",	   "plan_differs",     "scenario_invalid",
	"trial_invalid",     "verdict_differs",	   "signature_wrong",  "signature_missing",
	"signer_differs",    "review_invalid",	   "outcome_differs",  NULL,
};

static const char *const classes[] = { "system", "model", NULL };
static const char *const clocks[] = { "real", "virtual", NULL };

#define S ga_planned_scenario
static const struct ga_schema planned_schema = {
	.doc = "a scenario of the plan",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, id, GA_REQ, GA_T_ANY, "id of the scenario"),
		GA_ENUM(S, level, GA_REQ, ga_level_words, "must, or should"),
		GA_TEXT(S, title, GA_REQ, GA_T_ANY, "title"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "digest of the scenario"),
		GA_FIELDS_END },
};
#undef S

#define S ga_test_plan
const struct ga_schema ga_test_plan_schema = {
	.kind = "gpuaas.test-plan/1",
	.doc = "the scenarios that a technology is run through",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST,
			"digest of the plan without this member and suite_version"),
		GA_TEXT(S, suite_version, GA_REQ, GA_T_ANY, "version of gpuaas"),
		GA_LISTOF(S, scenarios, &planned_schema, "scenarios, by id"),
		GA_FIELDS_END },
};
#undef S

#define S ga_plan_approval
const struct ga_schema ga_plan_approval_schema = {
	.kind = "gpuaas.approval/1",
	.doc = "a person approves a test plan",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, plan_digest, GA_REQ, GA_T_DIGEST, "digest of the plan"),
		GA_TEXT(S, by, GA_REQ, GA_T_PERSON, "person who approves it"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "time of the approval"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_PERSON, "reason"),
		GA_FIELDS_END },
};
#undef S

#define S ga_alignment
const struct ga_schema ga_alignment_schema = {
	.kind = "gpuaas.alignment/1",
	.doc = "people agreed on something about a test plan",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, plan_digest, GA_REQ, GA_T_DIGEST, "digest of the plan"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "time of the session"),
		GA_TEXTS(S, people, GA_REQ, GA_T_PERSON, "people who took part"),
		GA_TEXT(S, agreed, GA_REQ, GA_T_PERSON, "result that they agreed on"),
		GA_FIELDS_END },
};
#undef S

#define S ga_bundle_review
const struct ga_schema ga_bundle_review_schema = {
	.kind = "gpuaas.review/1",
	.doc = "a person reviewed a bundle of evidence",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, bundle_digest, GA_REQ, GA_T_DIGEST, "digest in the bundle's manifest"),
		GA_TEXT(S, scenario, GA_NULLOK, GA_T_ANY, "scenario; null: the whole bundle"),
		GA_TEXT(S, by, GA_REQ, GA_T_PERSON, "person who reviewed it"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "time of the review"),
		GA_ENUM(S, verdict, GA_REQ, ga_review_words, "opinion on the verdicts"),
		GA_TEXT(S, reason, GA_REQ, GA_T_PERSON, "reason"),
		GA_FIELDS_END },
};
#undef S

#define S ga_bundle_entry
static const struct ga_schema entry_schema = {
	.doc = "a file of the bundle",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "path in the archive"),
		GA_TEXT(S, sha256, GA_REQ, GA_T_DIGEST, "digest of its bytes"),
		GA_BYTES(S, bytes, GA_REQ, "size in bytes"),
		GA_FIELDS_END },
};
#undef S

#define S ga_validation_bundle
const struct ga_schema ga_validation_bundle_schema = {
	.kind = "gpuaas.validation-bundle/1",
	.doc = "manifest of a bundle of evidence",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST,
			"digest of the manifest without this member"),
		GA_TEXT(S, suite_version, GA_REQ, GA_T_ANY, "version of gpuaas"),
		GA_TEXT(S, plan_digest, GA_REQ, GA_T_DIGEST, "digest of the test plan"),
		GA_TEXT(S, technology, GA_NULLOK, GA_T_NAME, "technology, such as slurm"),
		GA_TEXT(S, version, GA_NULLOK, GA_T_ANY, "version of the technology"),
		GA_AS(S, technology_class, "class", GA_F_TEXT, GA_NULLOK, .values = classes,
		      .doc = "system, or model for one that only predicts"),
		GA_ENUM(S, clock, GA_NULLOK, clocks, "clock that its jobs ran by"),
		GA_INT_IN(S, time_scale_percent, GA_NULLOK, 1, 100000,
			  "deadlines were multiplied by it; null: 100"),
		GA_TEXT(S, configuration_digest, GA_NULLOK, GA_T_DIGEST,
			"digest of the configuration"),
		GA_LISTOF(S, components, &ga_trial_component_schema, "parts of the technology"),
		GA_INT_IN(S, seed, GA_NULLOK, 0, GA_INT_MAX_SAFE, "seed of the run"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "begin of the run"),
		GA_TEXT(S, ended_at, GA_REQ, GA_T_TIME, "end of the run"),
		GA_TEXT(S, executed_by, GA_NULLOK, GA_T_PERSON, "person who ran it"),
		GA_LISTOF(S, files, &entry_schema,
			  "files, by name; all but manifest.json, signature and reviews"),
		GA_FIELDS_END },
};
#undef S

#define S ga_bundle_finding
const struct ga_schema ga_bundle_finding_schema = {
	.kind = "gpuaas.bundle-finding/1",
	.doc = "something in a bundle of evidence that does not fit",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, bundle, GA_REQ, GA_T_ANY, "file of the bundle"),
		GA_ENUM(S, code, GA_REQ, ga_bundle_finding_words, "kind of finding"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY,
			"file in the bundle, scenario or key; null: the bundle"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "sentence: what differs"),
		GA_FIELDS_END },
};
#undef S
