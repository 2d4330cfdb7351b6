/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many GPUs of a profile could be had: the fleet and a profile in, numbers out. Pure. What is
 * free is what placement itself (decide/place/place.h) would give now to requests that name the
 * profile and nothing else but an image where it has none, so that nobody is told of a GPU that is
 * then refused.
 */
#ifndef GA_DECIDE_OFFER_OFFER_H
#define GA_DECIDE_OFFER_OFFER_H

#include "decide/place/place.h"

struct ga_offer_number {
	const char *type; /* interned in the fleet; NULL: not known */
	int64_t available, total;
	int64_t largest; /* GPUs of the largest request for the type alone that would be placed */
	GA_LIST(int64_t) counts; /* of all requests for slices that would be, least first */
	int64_t machine; /* of whole ones: GPUs of the largest of this type alone, free or not */
};

struct ga_offer_numbers {
	int64_t available; /* GPUs that requests would get, the largest counts first */
	int64_t largest;   /* GPUs of the largest request that would be placed */
	GA_LIST(int64_t) counts; /* of all requests for slices that would be, least first */
	int64_t total;	   /* GPUs that the profile may ever use */
	int64_t unknown;   /* of them: on nodes not observed since fleet->stale_micros */
	int64_t oldest_micros; /* oldest observation of a node that counts; GA_UNKNOWN: none */
	GA_LIST(struct ga_offer_number) types; /* by name, what is not known last */
};

/* ret is overwritten; GPUs that are not approved ("disabled") and those of nodes that are retired
 * or only enrolled count for nothing. */
void ga_offer_count(const struct ga_fleet *fleet, const struct ga_profile *profile,
		    struct ga_offer_numbers *ret);
void ga_offer_numbers_release(struct ga_offer_numbers *n);
#define ga_autooffer ga_cleanup(ga_offer_numbers_release)

/* A slot that is not free now and will be. */
struct ga_offer_soon {
	char *slot;
	int64_t at_micros;
	const char *basis; /* wiping, hold_ending */
};

struct ga_offer_expected {
	int64_t at_micros; /* GA_UNKNOWN: nobody knows */
	const char *basis; /* of the last thing waited for; or maintenance_ending; NULL: unknown */
};

/* When the smallest request of the profile would be placed, where none is now: placement is asked
 * of each node for each time at which something of it becomes free. soon is in the order of slot
 * ids. Never earlier than fleet->now_micros. */
void ga_offer_expect(const struct ga_fleet *fleet, const struct ga_profile *profile,
		     const struct ga_offer_soon *soon, size_t n, struct ga_offer_expected *ret);

/* The name of a profile for people: "premium-gpu" is "Premium GPU", "h200x2" is "H200X2". Words
 * are parted by - and _ and begin with a capital; those with a digit and the usual short ones (gpu,
 * ai, ...) are capitals throughout. Allocated. */
char *ga_offer_title(const char *name);

#endif
