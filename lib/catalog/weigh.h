/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weighs evidence: PCI ids, people, labels and clouds report on the GPUs of a node, and one answer
 * comes out. The better evidence wins, every source stays in the record, and a contradiction is a
 * warning. Pure: values in, answer out.
 */
#ifndef GA_CATALOG_WEIGH_H
#define GA_CATALOG_WEIGH_H

#include "catalog/accel.h"

/* Adds the evidence of a source. types: n slugs; n 0: the source names no known type. */
struct ga_type_evidence *ga_type_said(struct ga_node_type *t, const char *source,
					 const char *said, const char *const *types, size_t n);
/* Adds GPUs of some type to a view; count GA_UNKNOWN: no source gives their number. */
struct ga_node_type *ga_view_add(struct ga_node_view *v, int64_t count);
/* Adds a warning, unless the view has the same one. */
void ga_view_warn(struct ga_node_view *v, const char *code, const char *fmt, ...)
	GA_PRINTF(3, 4);

/*
 * Decides each element of view->types: sets rung, type, name, memory and may_be from its evidence;
 * adds warnings; merges elements of one known type; fills gpus, mixed and summary. Rank: pci, then
 * override and manual, then label, then instance. A source of lower rank narrows the set of types
 * that a higher one left. Where it shares no type with that set, it is a contradiction. After that
 * memory_mib of an element (by its index; GA_UNKNOWN, or NULL for all) narrows the sets.
 */
void ga_accels_weigh(const struct ga_accels *list, struct ga_node_view *view,
		     const int64_t *memory_mib);

/* The name to show for a GPU of unknown type: "GPU - type unknown (10de:293d)". Allocated. */
char *ga_unknown_name(const char *raw);

#endif
