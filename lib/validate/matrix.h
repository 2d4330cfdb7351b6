/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matrix (record/matrix.h) of bundles: a pure function of the plan, of the requirements, and
 * of the evidence. It never says more than was seen:
 *
 * A scenario of one technology. A pass or workaround of level must without contention is
 * inconclusive. Where bundles show different outcomes, all are shown and the least favourable one
 * counts, in the order of ga_result_words. A scenario that no bundle has is not_run.
 *
 * A requirement of one technology, from the MUST scenarios that cover it (SHOULD never counts):
 *   supported            all that cover it in full pass, and there is one
 *   partially_supported  else, when at least one that covers it, in full or in part, passes or is
 *                        a workaround
 *   not_supported        else; and whenever a safety scenario fails
 * Of a model it is a prediction: would_pass when all that cover it in full pass or are workarounds,
 * would_fail when one that covers it fails or is unsupported, else no_prediction.
 *
 * A bundle of another plan, one that verification found wrong, one with another version of a
 * scenario, and a second copy of a bundle stand apart and do not count.
 */
#ifndef GA_VALIDATE_MATRIX_H
#define GA_VALIDATE_MATRIX_H

#include "record/matrix.h"
#include "record/scenario.h"
#include "record/trial.h"
#include "record/validation.h"

/* One bundle, as it was read. */
struct ga_matrix_source {
	char *file, *digest;
	char *technology, *version; /* NULL: not known, and then wrong says why */
	char *technology_class;	    /* ga_column_words */
	char *configuration_digest; /* NULL: none */
	char *plan_digest;
	char *executed_by;	     /* NULL: the bundle does not say */
	char *started_at, *ended_at; /* NULL: the bundle does not say */
	char *signer;		     /* public key; NULL: it is not signed */
	int64_t components;	     /* of the technology; GA_UNKNOWN: it names none */
	int64_t configuration_lines; /* GA_UNKNOWN: no configuration */
	GA_LIST(struct ga_verdict) verdicts;
	GA_LIST(struct ga_matrix_review) reviews;
	struct ga_texts gaps, risks; /* sentences of gaps.md and risks.md */
	char *wrong; /* why it must not count: what verification found; NULL: nothing */
};
void ga_matrix_source_init(struct ga_matrix_source *source);
void ga_matrix_source_release(struct ga_matrix_source *source);

struct ga_matrix_input {
	const struct ga_asked_list *asked;
	const struct ga_scenario *scenarios; /* of the plan, in the order of their ids */
	size_t scenarios_n;
	const char *plan_digest;
	const struct ga_plan_approval *approval; /* NULL: none was given */
	const char *approver; /* public key of its signature; NULL: it is not signed */
	const struct ga_matrix_source *sources;
	size_t sources_n;
};

/* Whether each requirement has an id of its own and each covered_by means something. GA_BADREC. */
GA_MUST_CHECK int ga_asked_check(const struct ga_asked_list *asked,
				 const struct ga_scenario *scenarios, size_t n,
				 struct ga_err *err);

/* Fills *ret, which the caller releases by ga_matrix_schema. The order of the bundles changes
 * nothing. */
void ga_matrix_fold(const struct ga_matrix_input *in, struct ga_matrix *ret);

#endif
