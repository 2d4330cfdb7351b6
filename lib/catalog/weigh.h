/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence weighed: what PCI ids, people, labels and clouds say of the GPUs of a node becomes one
 * answer. The better evidence wins, every source stays in the record, and a contradiction is a
 * warning. Pure: values in, answer out.
 */
#ifndef GA_CATALOG_WEIGH_H
#define GA_CATALOG_WEIGH_H

#include "catalog/accel.h"

/* Adds what a source says. types: slugs (n of them; none: the source names nothing known). */
struct ga_type_evidence *ga_type_said(struct ga_node_type *t, const char *source,
					 const char *said, const char *const *types, size_t n);
/* Adds GPUs of some type to a view; count GA_UNKNOWN where nothing tells how many. */
struct ga_node_type *ga_view_add(struct ga_node_view *v, int64_t count);
/* Once of all that would be the same. */
void ga_view_warn(struct ga_node_view *v, const char *code, const char *fmt, ...)
	GA_PRINTF(3, 4);

/*
 * Decides each element of view->types: rung, type, name, memory and may_be, from its evidence;
 * adds warnings; merges elements of one known type; fills gpus, mixed and summary.
 * Rank: pci, then override and manual, then label, then instance. A source of lower rank narrows a
 * set that a higher one left open, and is contradicted where it fits nothing of it. memory_mib of
 * an element (by its index; GA_UNKNOWN, or NULL for all) settles sets after that.
 */
void ga_accels_weigh(const struct ga_accels *list, struct ga_node_view *view,
		     const int64_t *memory_mib);

/* How a GPU without type is shown: "GPU - type unknown (10de:293d)". Allocated. */
char *ga_unknown_name(const char *raw);

#endif
