/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of matching; private to decide/match. */
#ifndef GA_DECIDE_MATCH_INTERNAL_H
#define GA_DECIDE_MATCH_INTERNAL_H

#include "decide/match/match.h"

#define MATCH_COUNTS_MAX 64
#define MATCH_MOST INT64_C(9007199254740991) /* the largest integer of a record */

struct match_context {
	const struct ga_requirement *need;
	const struct ga_match_tables *tables;
};

/* One offer with one count, while its answer is built. */
struct try {
	const struct ga_requirement *need;
	const struct ga_match_tables *tables;
	const struct ga_match_offer *offer;
	struct ga_match *m;
	/* Memory: known to be too small; known to hold the computed need. */
	bool too_small, holds;
	bool unsure; /* it is unknown whether the type meets the requirement: its memory, vendor,
		      * architecture, capability, precision or number of GPUs */
	const char *weights; /* the precision of the memory check; NULL: there was no check */
	bool apart; /* throughput and latency come from different measurements */
	bool mixed; /* a required throughput or latency has another precision than the memory
		     * check */
};

/* Checks whether the requirement fits the offer's memory. */
void match_memory(struct try *t);
/* Whether a measurement of the site is on the offer's type and for the required model, and its
 * precision, where given, is the required one. */
bool match_is_of(const struct ga_measured *r, const struct try *t);
/* The published rate of the model on the type in the required precision; NULL: none, or only on
 * more GPUs. */
const struct ga_inference_rate *match_run_published(const struct try *t);

/* Throughput and latency of inference, where a measurement exists. */
void match_speed(struct try *t);
/* Checks the required throughput, latency and cost. */
void match_slos(const struct try *t);
/* Sets the costs that follow from the times of the answer. */
void match_costs(struct ga_match *m);
/* 0: fits, 1: unknown, 2: does not fit. */
int match_fits_rank(const struct ga_match *m);
/* Whether the answer has a reason with this code. */
bool match_has_reason(const struct ga_match *m, const char *code);

#endif
