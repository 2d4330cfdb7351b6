/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The census of a node: each source (labels, resources, PCI ids, people) adds what it says of the
 * node's accelerators; at the end all of it is weighed into types (catalog/weigh.h).
 */
#ifndef GA_CATALOG_CENSUS_H
#define GA_CATALOG_CENSUS_H

#include "catalog/weigh.h"

/* A type that somebody recorded for a node. */
struct ga_manual_type {
	char *node;    /* id of a node of the state, or the name of one of Kubernetes */
	bool of_state; /* the former */
	char *name;    /* that the node of the state has, or NULL */
	char *type; /* slug; one that the catalogue no longer has counts as unknown */
	int64_t count; /* GA_UNKNOWN: not said */
	char *reason, *by, *at;
};
struct ga_manual_types {
	struct ga_manual_type *v;
	size_t n;
};
void ga_manual_types_release(struct ga_manual_types *list);
#define ga_automanual ga_cleanup(ga_manual_types_release)

/* A view in the making, with the memory that is known of each element of its types. */
struct ga_census {
	const struct ga_accels *list;
	struct ga_node_view *view;
	GA_LIST(int64_t) memory_mib;
	GA_LIST(unsigned int) vendors; /* by PCI, of what resources or labels tell of */
	bool full;
};
struct ga_node_type *ga_census_add(struct ga_census *g, int64_t count, int64_t memory_mib);
/* Whether there are as many types, parts or warnings as anybody would read (64): what is beyond is
 * GPUs of unknown type and number then, with the warning too_many. Ask before adding what labels
 * may have any number of. */
bool ga_census_is_full(struct ga_census *g);
/* Whether any source says so of these GPUs, or none says anything of their type. */
bool ga_census_says(const struct ga_node_type *t, const char *slug);
bool ga_census_says_nothing(const struct ga_node_type *t);
/* Warns of a member of an object that is no number, or none that can be (number_malformed). */
void ga_view_malformed(struct ga_node_view *v, json_t *object, const char *key);
/* Whether PCI ids leave no choice of what it is. */
bool ga_type_is_settled(const struct ga_node_type *t);
/* Adds what people recorded for the view's node to its types. A person tells what
 * GPUs are, not how many there are where the node tells that: of an element that PCI ids leave open
 * a part may be of a recorded type, and what has no place is a contradiction (count_mismatch, and
 * type_conflict as it is weighed). */
void ga_census_manual(struct ga_census *g, const struct ga_manual_types *manual);
/* Weighs, and releases what the gathering holds. */
void ga_census_done(struct ga_census *g);

#endif
