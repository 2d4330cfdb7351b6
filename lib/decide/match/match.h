/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matches requirements to hardware profiles: values in, ranked answers with their reasons out.
 * Pure.
 *
 * An answer is one profile with one of its accelerator types and one count: the smallest count of
 * the profile that meets the requirement, a count available now before others; or the count that
 * comes nearest. A known fault makes the answer not fit. A required fact that is not known makes it
 * neither fit nor not; other unknown facts are listed only. The order: answers that fit; then those
 * whose type is known to meet the requirement; then SLOs met before SLOs partly unknown; then
 * available now, later, unknown, none; then the preferred architectures; then the cheapest (the
 * full training, or the hour) and the fastest, or the other way round; then names.
 */
#ifndef GA_DECIDE_MATCH_MATCH_H
#define GA_DECIDE_MATCH_MATCH_H

#include "catalog/measured.h"
#include "decide/app/app.h"
#include "decide/match/estimate.h"
#include "record/offer.h"

/* A profile with one of its types, as an offer; all borrowed. */
struct ga_match_offer {
	const char *profile, *shape;
	const struct ga_accel_type *type; /* NULL: generic, or not in the catalogue */
	const char *slug, *type_name;	  /* slug, type_name; NULL: generic */
	int64_t memory_mib;		  /* nominal, of one GPU; GA_UNKNOWN */
	const int64_t *counts;		  /* allowed; n_counts 0: any */
	size_t n_counts;
	int64_t price_micros; /* of a GPU hour */
	const char *currency; /* or NULL */
	/* GPUs of the type; GA_UNKNOWN: not known. uncertain: nodes that were not observed for too
	 * long may have more. */
	int64_t available, largest, pending;
	const int64_t *counts_now; /* the counts that one request would get; n_counts_now 0: all
				    * up to largest. Baremetal: the GPUs of the free nodes */
	size_t n_counts_now;
	const int64_t *machines; /* baremetal: the GPUs of the nodes, free or not, smallest first;
				  * n_machines 0: there is none */
	size_t n_machines;
	const struct ga_offer_mix *mixed; /* the nodes have GPUs of these types; NULL: of one */
	const char *unavailable_code; /* of the refusal that the smallest request for the type gets;
				       * NULL: it is placed, or unknown */
	bool uncertain;
	bool team; /* the requester may use the profile */
	const char *expected_at; /* time for the smallest count of the type, or for a baremetal
				  * node; or NULL */
	int64_t stale_seconds;
	/* Of a request for the profile; NULL: none is named, or its record is not known. */
	const char *image_name;
	const struct ga_image *image;
};

struct ga_match_tables {
	const struct ga_accels *accels;
	const struct ga_throughput *throughput;
	const struct ga_measured *measured;
	size_t n_measured;
	const struct ga_app *app; /* each answer must meet its manifest; NULL: none is required */
};

/* The answer of an external estimator for a profile. */
struct ga_external_time {
	const char *profile;
	const char *type; /* NULL: not given; then the first type of the profile in the request
			   * counts */
	struct ga_training_time time;
	const char *basis, *estimator;
};

struct ga_matches {
	struct ga_match *v; /* ga_match_schema */
	size_t n;
	struct ga_match_more { /* for each answer: values only for ranking */
		size_t preference, offer;
		bool unsure; /* it is unknown whether the type meets the requirement */
	} *more;
};
#define ga_automatches ga_cleanup(ga_matches_release)

/* One answer for each offer, in the order of the offers; not ranked. */
void ga_match(const struct ga_requirement *need, const struct ga_match_tables *tables,
	      const struct ga_match_offer *offers, size_t n, struct ga_matches *ret);
/* Whether the model does not fit the memory: then there is no time, and estimators skip it. */
bool ga_match_is_too_small(const struct ga_match *m);
/* Replaces the time of the answer, known or not, by an external one, unless it has an external one
 * already. An answer whose memory is too small gets none. False: no answer has this profile and
 * type. */
bool ga_match_external(struct ga_matches *list, const struct ga_external_time *time);
/* Ranks and numbers the answers, by the requirement's member prefer. When the answer that would be
 * best is not available now, each available answer that is worse gets a sentence with what is worse
 * (fallback): of one GPU, where the numbers of GPUs differ. */
void ga_match_rank(const struct ga_requirement *need, const struct ga_accels *accels,
		   struct ga_matches *list);
/* The best answer that fits and is available now, or NULL. Of what is required only a throughput or
 * latency may be unknown (slo). Call ga_match_rank first. */
const struct ga_match *ga_match_best(const struct ga_matches *list);
void ga_matches_release(struct ga_matches *list);

/* "8.9" < "9.0" < "10.0": whether have is at least want; -1: one of them is no such number. */
GA_MUST_CHECK int ga_capability_meets(const char *have, const char *want);

#endif
