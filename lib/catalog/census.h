/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The census of a node: each source (labels, resources, PCI ids, people) adds its evidence of the
 * node's accelerators. At the end all evidence is weighed into types (catalog/weigh.h).
 */
#ifndef GA_CATALOG_CENSUS_H
#define GA_CATALOG_CENSUS_H

#include "catalog/weigh.h"

/* A type that a person recorded for a node. */
struct ga_manual_type {
	char *node;    /* id of a node of the state, or name of a node of Kubernetes */
	bool of_state; /* true: node is an id of the state */
	char *name;    /* name of the node of the state, or NULL */
	char *type; /* slug; one that the catalogue no longer has counts as unknown */
	int64_t count; /* GA_UNKNOWN: not given */
	char *reason, *by, *at;
};
struct ga_manual_types {
	struct ga_manual_type *v;
	size_t n;
};
void ga_manual_types_release(struct ga_manual_types *list);
#define ga_automanual ga_cleanup(ga_manual_types_release)

/* A view under construction, with the known memory of each element of its types. */
struct ga_census {
	const struct ga_accels *list;
	struct ga_node_view *view;
	struct ga_ints memory_mib;
	GA_LIST(unsigned int) vendors; /* PCI vendors of which resources or labels report a GPU */
	bool full;
};
/* Adds an element to the view: count GPUs (GA_UNKNOWN: not known) with memory_mib of memory each
 * (GA_UNKNOWN: not known). The view owns it; valid until the next element is added. */
struct ga_node_type *ga_census_add(struct ga_census *g, int64_t count, int64_t memory_mib);
/* Whether the view is full: 64 types, parts or warnings. Further GPUs then count as of unknown type
 * and number, with the warning too_many. Check this before adding an item for each label, because a
 * node may have any number of labels. */
bool ga_census_is_full(struct ga_census *g);
/* Whether a source names this type for these GPUs, or no source names any type. */
bool ga_census_says(const struct ga_node_type *t, const char *slug);
/* Whether no source names any type for these GPUs. */
bool ga_census_says_nothing(const struct ga_node_type *t);
/* Warns that a member of an object is no number or is out of range (number_malformed). */
void ga_view_malformed(struct ga_node_view *v, json_t *object, const char *key);
/* Whether PCI ids leave exactly one type. */
bool ga_type_is_settled(const struct ga_node_type *t);
/* Adds the types that people recorded for the view's node. A person records the type of GPUs, not
 * their number, where the node reports that number. Where PCI ids leave several types, a part of
 * the element may get the recorded type. Recorded GPUs without a place are a contradiction
 * (count_mismatch, and type_conflict when the census is weighed). */
void ga_census_manual(struct ga_census *g, const struct ga_manual_types *manual);
/* Weighs the census, then releases its memory. */
void ga_census_done(struct ga_census *g);

#endif
