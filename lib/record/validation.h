/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records around the runs of the validation suite (gpuaas-validate(1)): the test plan and its
 * approval, the manifest of a bundle of evidence, the review of a bundle, a session in which people
 * agreed, and what `gpuaas-validate verify` finds. Scenarios are in scenario.h, observations and
 * verdicts in trial.h.
 */
#ifndef GA_RECORD_VALIDATION_H
#define GA_RECORD_VALIDATION_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/schema.h"
#include "record/trial.h"

struct ga_planned_scenario {
	char *id, *level, *title;
	char *digest; /* of the scenario's record */
};

/* gpuaas.test-plan/1 */
struct ga_test_plan {
	char *digest; /* of the record without this member and without suite_version */
	char *suite_version;
	GA_LIST(struct ga_planned_scenario) scenarios; /* in the order of their ids */
};

/* gpuaas.approval/1: a person approves a plan. May be signed. */
struct ga_plan_approval {
	char *plan_digest, *by, *at;
	char *reason; /* NULL: none given */
};

/* gpuaas.alignment/1: people agreed on a plan. May be signed. */
struct ga_alignment {
	char *plan_digest, *at;
	struct ga_texts people;
	char *agreed; /* what they agreed on */
};

/* gpuaas.review/1: a person looked at a bundle. Signed. */
struct ga_bundle_review {
	char *bundle_digest;
	char *scenario; /* NULL: the whole bundle */
	char *by, *at;
	char *verdict; /* ga_review_words */
	char *reason;
};

struct ga_bundle_entry {
	char *name;   /* path in the archive */
	char *sha256; /* digest of its bytes */
	int64_t bytes;
};

/* gpuaas.validation-bundle/1: the manifest of a bundle. */
struct ga_validation_bundle {
	char *digest; /* of the record without this member: it names the bundle */
	char *suite_version, *plan_digest;
	char *technology, *version;	   /* NULL: the adapter never said what it is */
	char *technology_class, *clock;	   /* likewise; "class": system, model */
	int64_t time_scale_percent;	   /* GA_UNKNOWN: 100 */
	char *configuration_digest;	   /* of configuration/applied; NULL: there is none */
	GA_LIST(struct ga_trial_component) components;
	int64_t seed; /* GA_UNKNOWN: none was given */
	char *started_at, *ended_at;
	char *executed_by; /* NULL: not said */
	GA_LIST(struct ga_bundle_entry) files; /* by name; all but manifest, signature, reviews */
};

/* gpuaas.bundle-finding/1: something of a bundle that does not fit. */
struct ga_bundle_finding {
	char *bundle;	/* file */
	char *code;	/* ga_bundle_finding_words */
	char *object;	/* file in the bundle, scenario or key; NULL: the bundle */
	char *sentence;
};

extern const char *const ga_review_words[]; /* agree, contest */
extern const char *const ga_bundle_finding_words[];

extern const struct ga_schema ga_test_plan_schema, ga_plan_approval_schema, ga_alignment_schema,
	ga_bundle_review_schema, ga_validation_bundle_schema, ga_bundle_finding_schema;

#endif
