/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the output of kubectl with "-o json": one document, a List of items or one object. Reads it
 * one item at a time, so that memory is bounded for any input. Refuses an item of more than
 * GA_KUBE_ITEM_MAX bytes, more than GA_KUBE_REST_MAX bytes outside the items, more than GA_KUBE_MAX
 * bytes or GA_KUBE_ITEMS items in all.
 */
#ifndef GA_EXCHANGE_KUBE_KUBE_H
#define GA_EXCHANGE_KUBE_KUBE_H

#include <jansson.h>

#include "base/ga.h"

#define GA_KUBE_MAX (256 << 20)
#define GA_KUBE_ITEM_MAX (4 << 20)
#define GA_KUBE_REST_MAX (4 << 20)
#define GA_KUBE_ITEMS 100000

/* Called for each item; number counts from 1; ga_kube_items() frees the item. A result below 0 ends
 * the reading with the error. */
typedef int (*ga_kube_each)(json_t *item, size_t number, void *arg, struct ga_err *err);

/* Reads a descriptor to its end; name is for messages. GA_BADREC names the fault and the number of
 * the item. After an error the effects of each() for earlier items remain: use them only after
 * success. */
GA_MUST_CHECK int ga_kube_items(int fd, const char *name, ga_kube_each each, void *arg,
				struct ga_err *err);

/* A node. Every member borrows from the item; an object that is missing is NULL. */
struct ga_kube_node {
	const char *name;
	json_t *labels, *annotations, *capacity, *allocatable;
	const char *ready; /* status of its condition Ready, or NULL */
	const char *heartbeat_at;
	bool cordoned;
};
/* GA_BADREC when the item is no node. */
GA_MUST_CHECK int ga_kube_node(json_t *item, struct ga_kube_node *ret, struct ga_err *err);

/* A label's text; NULL when the label is missing or no text. */
const char *ga_kube_label(const struct ga_kube_node *node, const char *key);
/* Reads the whole number of a label or resource: 1, 0 when it is missing, -1 when it is no number
 * (a quantity of Kubernetes such as "8" or "1k" counts, within 0 .. 2^53 - 1). */
GA_MUST_CHECK int ga_kube_number(json_t *object, const char *key, int64_t *ret);
/* A quantity of memory ("2113000000Ki", "64Gi", "1.5e9") in MiB, or GA_UNKNOWN. */
int64_t ga_kube_memory_mib(json_t *object, const char *key);

#endif
