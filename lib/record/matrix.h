/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrix of the validation suite: what is required, and what each technology was seen to do
 * (gpuaas-validate(1)). lib/validate/matrix.h makes it from bundles; the renderings read nothing
 * but this record.
 */
#ifndef GA_RECORD_MATRIX_H
#define GA_RECORD_MATRIX_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/schema.h"

/* ---- requirements ---- */

struct ga_asked {
	char *id, *title;
	char *behaviour;	    /* a sentence; NULL: the title says it */
	struct ga_texts covered_by; /* ids of scenarios, or of requirements that scenarios name;
				     * empty: the scenarios that name its own id */
};

/* gpuaas.validation-requirements/1 */
struct ga_asked_list {
	char *title;
	GA_LIST(struct ga_asked) requirements;
};

/* ---- the matrix ---- */

/* The approval of the plan. */
struct ga_matrix_approval {
	char *by, *at;
	char *signer; /* public key of its signature; NULL: it is not signed */
};

/* A review of a scenario of a bundle. */
struct ga_matrix_review {
	char *by, *at;
	char *opinion;	/* ga_review_words */
	char *scenario; /* NULL: all of the bundle */
	char *reason;	/* NULL: none given */
};

struct ga_matrix_bundle {
	char *file, *digest;
	char *executed_by; /* NULL: the bundle does not say */
	char *started_at, *ended_at;
	char *signer; /* public key of its signature; NULL: it is not signed */
	GA_LIST(struct ga_matrix_review) reviews;
};

/* One requirement of one technology. */
struct ga_matrix_cell {
	char *requirement;
	char *support; /* ga_support_words */
	char *why;     /* the second line: "failed: PRI-02; not run: PRI-05" */
	int64_t must, passed; /* MUST scenarios that cover it; those that pass */
	struct ga_texts contested; /* "REC-01 by Ann: the map of the reason is wrong" */
};

/* A verdict of one bundle. */
struct ga_matrix_shown {
	char *outcome, *why;
	int64_t runs, agreeing;
	char *bundle, *file;
};

/* One scenario of one technology. */
struct ga_matrix_result {
	char *scenario;
	char *outcome;	/* ga_result_words: the least favourable one that was shown */
	char *why;
	bool disagree; /* bundles show different outcomes */
	GA_LIST(struct ga_matrix_shown) shown;
};

/* A number of a comparison, and where it stands. */
struct ga_matrix_number {
	char *comparison; /* ga_comparison_words */
	char *name;	  /* such as start_ms */
	char *scenario;	  /* NULL: of the whole bundle */
	int64_t value;
	char *bundle, *file;
};

/* A gap or risk that the people of a bundle wrote down. */
struct ga_matrix_remark {
	char *text;
	char *bundle, *file;
};

/* One technology, version and configuration. */
struct ga_matrix_column {
	char *technology, *version;
	char *technology_class; /* "class": ga_column_words */
	char *configuration_digest; /* NULL: the bundles have no configuration */
	GA_LIST(struct ga_matrix_bundle) bundles;
	GA_LIST(struct ga_matrix_cell) cells; /* in the order of the requirements */
	GA_LIST(struct ga_matrix_result) results; /* in the order of the scenarios */
	GA_LIST(struct ga_matrix_number) numbers;
	GA_LIST(struct ga_matrix_remark) gaps, risks;
};

struct ga_matrix_scenario {
	char *id, *title;
	char *level; /* must, should */
	bool safety;
};

/* A scenario in which a model and the technology that it is a model of differ. */
struct ga_matrix_difference {
	char *scenario, *technology, *version;
	char *predicted, *seen; /* outcomes */
	char *model_bundle, *bundle;
};

/* A bundle that does not count. */
struct ga_matrix_apart {
	char *bundle;
	char *technology, *version; /* NULL: not known */
	char *why;
};

/* gpuaas.matrix/1 */
struct ga_matrix {
	char *title;	   /* of the requirements */
	char *plan_digest; /* of the scenarios */
	char *draft;	   /* why it is a draft; NULL: the plan is approved */
	struct ga_matrix_approval *approval; /* of this plan; NULL: none */
	GA_LIST(struct ga_asked) requirements;
	GA_LIST(struct ga_matrix_scenario) scenarios;
	GA_LIST(struct ga_matrix_column) columns; /* models stand last */
	GA_LIST(struct ga_matrix_difference) differences;
	GA_LIST(struct ga_matrix_apart) apart;
};

/* supported, partially_supported, not_supported; of models would_pass, would_fail, no_prediction */
extern const char *const ga_support_words[];
/* The outcomes of a verdict, from the least favourable to the best, and not_run. */
extern const char *const ga_result_words[];
extern const char *const ga_column_words[];	/* system, recorded, model */
extern const char *const ga_comparison_words[]; /* preemption, fragmentation, observability,
						 * complexity */

extern const struct ga_schema ga_asked_list_schema, ga_matrix_schema;

#endif
