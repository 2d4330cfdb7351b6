/* SPDX-License-Identifier: Apache-2.0 */
/* The matching inside; private to decide/match. */
#ifndef GA_DECIDE_MATCH_INTERNAL_H
#define GA_DECIDE_MATCH_INTERNAL_H

#include "decide/match/match.h"

#define MATCH_COUNTS_MAX 64
#define MATCH_MOST INT64_C(9007199254740991) /* the largest integer of a record */

struct match_context {
	const struct ga_requirement *need;
	const struct ga_match_tables *tables;
};

/* One offer with one count, while its answer is made. */
struct try {
	const struct ga_requirement *need;
	const struct ga_match_tables *tables;
	const struct ga_match_offer *offer;
	struct ga_match *m;
	/* Of its memory: known to be too small; nobody knows; known to hold what was computed. */
	bool too_small, unsure, holds;
	const char *weights; /* the precision that its memory was judged in; NULL: it was not */
	bool apart; /* its throughput and its latency were measured apart */
	bool mixed; /* what is wanted of them, in another precision than its memory was judged in */
};

/* Whether what is needed fits its memory. */
void match_memory(struct try *t);
/* Whether what the site measured was on the type, of what is asked about, and in no other precision
 * as far as it says one. */
bool match_is_of(const struct ga_measured *r, const struct try *t);
/* What was published of the model there, in the precision that is asked; or NULL. */
const struct ga_inference_rate *match_run_published(const struct try *t);

/* Throughput and latency of inference, as far as somebody measured them. */
void match_speed(struct try *t);
/* Whether what was asked of throughput, latency and cost holds. */
void match_slos(const struct try *t);
/* The costs of the times of the answer. */
void match_costs(struct ga_match *m);
/* Whether a reason of this code is against it. */
bool match_has_reason(const struct ga_match *m, const char *code);

#endif
