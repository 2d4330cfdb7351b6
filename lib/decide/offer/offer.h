/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many GPUs of a profile are available: the fleet and a profile in, numbers out. Pure. A GPU
 * counts as free if placement itself (decide/place/place.h) would give it now to a request that
 * names the profile, an image where the profile has none, and nothing else. So nobody sees a free
 * GPU and then gets a refusal.
 */
#ifndef GA_DECIDE_OFFER_OFFER_H
#define GA_DECIDE_OFFER_OFFER_H

#include "decide/place/place.h"

struct ga_offer_number {
	const char *type; /* interned in the fleet; NULL: not known */
	int64_t available, total;
	int64_t largest; /* GPUs of the largest request for this type alone that placement would
			  * accept */
	struct ga_ints counts; /* of all requests for slices that placement would accept,
				  * smallest first */
	/* Baremetal: the GPUs of the nodes with this type alone, each number once, smallest first:
	 * of all, and of those that placement would give. */
	struct ga_ints machines, machines_now;
};

/* Baremetal: the nodes whose GPUs have several types, or one that is not known. Only a request
 * without a type gets one. */
struct ga_offer_mixed {
	struct ga_borrowed_texts types; /* interned in the fleet; NULL among them: not known */
	int64_t available, total;
	struct ga_ints machines, machines_now; /* as of ga_offer_number */
};

struct ga_offer_numbers {
	int64_t available; /* GPUs that requests would get, largest counts first */
	int64_t largest;   /* GPUs of the largest request that placement would accept */
	struct ga_ints counts; /* of all requests for slices that placement would accept,
				  * smallest first */
	int64_t total;	   /* GPUs that the profile may ever use */
	int64_t unknown;   /* part of total: on nodes not observed since fleet->stale_micros */
	int64_t oldest_micros; /* oldest observation of the counted nodes; GA_UNKNOWN: none */
	GA_LIST(struct ga_offer_number) types; /* by name, unknown type last */
	struct ga_offer_mixed mixed;
};

/* ret is overwritten. GPUs that are not approved ("disabled") do not count, nor do GPUs of nodes
 * that are retired or only enrolled. */
void ga_offer_count(const struct ga_fleet *fleet, const struct ga_profile *profile,
		    struct ga_offer_numbers *ret);
/* The same for what a request leaves: its node, region, pool, types, least memory (by
 * fleet->types) and run time; its other members do not count. limits: of an app; its counts also
 * hold for slices. NULL, both: as ga_offer_count. */
void ga_offer_count_within(const struct ga_fleet *fleet, const struct ga_profile *profile,
			   const struct ga_request *request, const struct ga_place_limits *limits,
			   struct ga_offer_numbers *ret);
void ga_offer_numbers_release(struct ga_offer_numbers *n);
#define ga_autooffer ga_cleanup(ga_offer_numbers_release)

/* For the refusals of many profiles: name the fleet, which has every node by itself, and leave the
 * rest zero. The fleet must not change or end before the release. */
struct ga_offer_refuser {
	const struct ga_fleet *fleet;
	/* Made at the first need, with one node for all that are equal: for profiles with an image,
	 * and for those without, whose requests can name any. */
	struct ga_fleet named_image, any_image;
};

/* The code of the refusal that placement gives now to a request of the profile for so many GPUs
 * (GA_UNKNOWN: the smallest request), for one type (NULL: for the types of the profile), with an
 * image where the profile has none; where no node is ready for one reason, that reason. NULL:
 * placement accepts it. Allocated. */
char *ga_offer_refusal(struct ga_offer_refuser *r, const struct ga_profile *profile,
		       const char *type, int64_t count);
/* The same for a profile for baremetal and a request without a type, if the fleet had only the
 * nodes that ga_offer_mixed counts. */
char *ga_offer_mixed_refusal(struct ga_offer_refuser *r, const struct ga_profile *profile,
			     int64_t count);
void ga_offer_refuser_release(struct ga_offer_refuser *r);

/* A slot that is not free now, with the time at which it becomes free. */
struct ga_offer_soon {
	char *slot;
	int64_t at_micros;
	const char *basis; /* wiping, hold_ending */
};

struct ga_offer_expected {
	int64_t at_micros; /* GA_UNKNOWN: not known */
	const char *basis; /* basis of the last slot that becomes free, or maintenance_ending;
			    * NULL: unknown */
};

/* The time at which placement would accept the smallest request of the profile, where it accepts
 * none now. For each node it tries each time at which a slot becomes free. soon is sorted by slot
 * id. The time is never before fleet->now_micros. */
void ga_offer_expect(const struct ga_fleet *fleet, const struct ga_profile *profile,
		     const struct ga_offer_soon *soon, size_t n, struct ga_offer_expected *ret);

/* The title of a profile for people: "premium-gpu" is "Premium GPU", "h200x2" is "H200X2". - and _
 * separate words; each word begins with a capital. Words with a digit and the usual short ones
 * (gpu, ai, ...) are all capitals. Allocated. */
char *ga_offer_title(const char *name);

#endif
