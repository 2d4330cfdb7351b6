/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requirements matched to hardware profiles: values in, ranked answers with their reasons out.
 * Pure.
 *
 * An answer is one profile with one of its accelerator types, and the least of the profile's counts
 * that does, of those that can be had now where there are any, or the one that comes nearest. What
 * is known to be against it makes it not fit; what nobody knows is told apart, and never stands for
 * yes or no. The order: what fits; then what is known to fit its memory; then SLOs met before those
 * of which not all is known; then what is to be had now, later, unknown, not; then architectures as
 * preferred; then the cheapest (the whole training, or the hour); then the fastest; then names.
 */
#ifndef GA_DECIDE_MATCH_MATCH_H
#define GA_DECIDE_MATCH_MATCH_H

#include "catalog/measured.h"
#include "decide/match/estimate.h"

/* A profile with one of its types, as it is offered; all borrowed. */
struct ga_match_offer {
	const char *profile, *shape;
	const struct ga_accel_type *type; /* NULL: generic, or not in the catalogue */
	const char *slug, *type_name;	  /* NULL: generic */
	int64_t memory_mib;		  /* nominal, of one GPU; GA_UNKNOWN */
	const int64_t *counts;		  /* allowed; n_counts 0: any */
	size_t n_counts;
	int64_t price_micros; /* of a GPU hour */
	const char *currency; /* or NULL */
	/* GPUs of the type; GA_UNKNOWN: not known. uncertain: more may be on nodes not seen for too
	 * long. */
	int64_t available, largest, pending;
	const int64_t *counts_now; /* that one request would get; n_counts_now 0: all to largest */
	size_t n_counts_now;
	int64_t machine; /* of whole ones: GPUs of the largest there is; 0 or less: not known */
	bool uncertain;
	bool team; /* whether who asks may use it */
	const char *expected_at; /* of the least count of the type, of a machine; or NULL */
	int64_t stale_seconds;
};

struct ga_match_tables {
	const struct ga_accels *accels;
	const struct ga_throughput *throughput;
	const struct ga_measured *measured;
	size_t n_measured;
};

/* What an external estimator said of a profile. */
struct ga_external_time {
	const char *profile;
	const char *type; /* NULL: not said, the first type of the profile that was asked about */
	struct ga_training_time time;
	const char *basis, *estimator;
};

struct ga_matches {
	struct ga_match *v; /* ga_match_schema */
	size_t n;
	struct ga_match_more { /* of each, what only the ranking needs */
		size_t preference, offer;
		bool unsure; /* nobody knows whether it fits its memory */
	} *more;
};
#define ga_automatches ga_cleanup(ga_matches_release)

/* An answer for each offer, in their order; unranked. */
void ga_match(const struct ga_requirement *need, const struct ga_match_tables *tables,
	      const struct ga_match_offer *offers, size_t n, struct ga_matches *ret);
/* Whether the model does not fit the memory: then there is no time, and no estimator is asked. */
bool ga_match_is_too_small(const struct ga_match *m);
/* Puts an external time in the place of what was known or not known, unless another external one is
 * there. What is too small stays without one. False: no answer is of that profile and type. */
bool ga_match_external(struct ga_matches *list, const struct ga_external_time *time);
/* Orders the answers, numbers them, and says what is given up with those that can be had now while
 * a better one cannot. */
void ga_match_rank(const struct ga_accels *accels, struct ga_matches *list);
/* The best answer that fits, is known to fit its memory, and can be had now, or NULL. After
 * ga_match_rank. */
const struct ga_match *ga_match_best(const struct ga_matches *list);
void ga_matches_release(struct ga_matches *list);

/* Whether a vendor's name is the one that is wanted, in any case: "Intel Habana" is Intel's. */
bool ga_match_is_vendor(const char *have, const char *want);
/* "8.9" < "9.0" < "10.0": whether have is want or more; -1: one of them is no such number. */
GA_MUST_CHECK int ga_capability_meets(const char *have, const char *want);

#endif
