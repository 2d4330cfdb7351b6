/* SPDX-License-Identifier: Apache-2.0 */
/* What the label families of the makers share; private to family.c and amd.c. */
#ifndef GA_EXCHANGE_KUBE_FAMILY_H
#define GA_EXCHANGE_KUBE_FAMILY_H

#include "catalog/name.h"
#include "exchange/kube/view.h"

/* How many GPUs, or parts or units of one, a member of an object says; GA_UNKNOWN where there is
 * none or, with a warning, none that can be: nothing has a million, and their products fit. */
int64_t ga_family_count(struct ga_gather *g, json_t *object, const char *key);
/* Whether the node offers any: a number that cannot be is no reason to say that there is none. */
bool ga_family_offers(const struct ga_kube_node *node, const char *key);
int64_t ga_or_zero(int64_t n);
void ga_family_part(struct ga_gather *g, const char *profile, int64_t count);

/* The elements of a maker that PCI ids made. */
struct ga_devices {
	size_t first, n;
	bool all; /* no other GPU of the maker is there */
};
/* A product goes to its device. One that is of none is a GPU of its own, unless all are there: then
 * a known one contradicts them, and an unknown one tells nothing but its warning, label_unknown. */
void ga_family_product(struct ga_gather *g, const struct ga_devices *d, enum ga_name_family family,
		       const char *key, const char *text, int64_t count);
/* How many GPUs the elements from first on are, of those that are counted; how many are not. */
int64_t ga_family_sum(const struct ga_gather *g, size_t first);
size_t ga_family_uncounted(const struct ga_gather *g, size_t first);

#endif
