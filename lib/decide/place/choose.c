/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses slots of one node: a legal fabric partition if the node uses partitions, otherwise the
 * fewest NUMA nodes. Counts candidates by class (NUMA node, partition), never by subset of slots,
 * so that the work is bounded for any node.
 */
#include <stdlib.h>
#include <string.h>

#include "decide/place/score.h"
#include "record/state.h"

#define NUMA_MAX 12 /* most NUMA nodes with a search over all subsets; of more, the fullest */

struct numa_class {
	int64_t numa_node;
	size_t free, first; /* first: position of its lowest slot */
};

static uint64_t module_bit(int64_t module_id)
{
	return module_id >= 0 && module_id < 64 ? UINT64_C(1) << module_id : 0;
}

/* The modules of a partition as bits; 0 when a module id is out of range. */
static uint64_t partition_mask(const struct ga_partition *p)
{
	uint64_t mask = 0;
	size_t i;

	for (i = 0; i < p->module_ids.n; i++) {
		if (!module_bit(p->module_ids.v[i]))
			return 0;
		mask |= module_bit(p->module_ids.v[i]);
	}
	return mask;
}

bool ga_fleet_partitions_cross(const struct ga_fleet_node *node)
{
	size_t i, j;

	for (i = 0; i < node->partitions.n; i++) {
		uint64_t a = partition_mask(&node->partitions.v[i]);

		for (j = 0; j < i; j++) {
			uint64_t b = partition_mask(&node->partitions.v[j]);

			if ((a & b) && (a & ~b) && (b & ~a))
				return true;
		}
	}
	return false;
}

static bool overlaps_active(const struct ga_fleet_node *node, uint64_t mask)
{
	size_t i;

	for (i = 0; i < node->partitions.n; i++)
		if (node->partitions.v[i].active == 1 &&
		    (partition_mask(&node->partitions.v[i]) & mask))
			return true;
	return false;
}

static bool has_module(const struct ga_partition *p, int64_t module_id)
{
	size_t i;

	for (i = 0; i < p->module_ids.n; i++)
		if (p->module_ids.v[i] == module_id)
			return true;
	return false;
}

/* Whether the use of the partition has ended by then: all of its slots are free, and at least one
 * is not free now. */
static bool is_given_back(const struct ga_fleet_node *now, const struct ga_fleet_node *then,
			  const struct ga_partition *p)
{
	bool ended = false;
	size_t i;

	for (i = 0; i < now->slots.n; i++) {
		if (!has_module(p, now->slots.v[i].module_id))
			continue;
		if (!then->slots.v[i].free)
			return false;
		ended = ended || !now->slots.v[i].free;
	}
	return ended;
}

void ga_place_end_partitions(const struct ga_fleet_node *now, struct ga_fleet_node *then)
{
	size_t i;

	for (i = 0; i < now->partitions.n; i++)
		if (now->partitions.v[i].active == 1)
			then->partitions.v[i].active =
				!is_given_back(now, then, &now->partitions.v[i]);
}

/* Counts partitions larger than count that were free and no longer are. */
static int64_t partitions_lost(const struct ga_fleet_node *node, int64_t count, int64_t exactly,
			       uint64_t before, uint64_t taken)
{
	int64_t lost = 0;
	size_t i;

	for (i = 0; i < node->partitions.n; i++) {
		const struct ga_partition *p = &node->partitions.v[i];
		uint64_t mask = partition_mask(p);

		if ((int64_t)p->module_ids.n <= count || !mask || (mask & ~before))
			continue;
		if ((exactly == GA_UNKNOWN || (int64_t)p->module_ids.n == exactly) &&
		    (mask & taken) && !overlaps_active(node, mask))
			lost++;
	}
	return lost;
}

/* Counts slices of larger allowed counts that no longer fit. */
static int64_t larger_lost(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			   size_t n, uint64_t free, uint64_t taken)
{
	int64_t lost = 0;
	size_t i;

	for (i = 0; i < ask->profile->counts.n; i++) {
		int64_t c = ask->profile->counts.v[i];

		if (c <= ask->count)
			continue;
		lost += node->partitions_in_use ?
				partitions_lost(node, ask->count, c, free, taken) :
				(int64_t)n / c - ((int64_t)n - ask->count) / c;
	}
	return lost;
}

/* Counts the NUMA nodes of the chosen slots and the free slots left on them. */
static void numa_terms(const struct ga_fleet_slot *const *usable, size_t n,
		       struct ga_place_option *o)
{
	int64_t span = 0, left = 0;
	size_t i, j;

	for (i = 0; i < o->n; i++) {
		for (j = 0; j < i && o->slots[j]->numa_node != o->slots[i]->numa_node; j++)
			;
		if (j < i)
			continue;
		span++;
		for (j = 0; j < n; j++)
			left += usable[j]->numa_node == o->slots[i]->numa_node;
	}
	o->terms[GA_TERM_NUMA] = span;
	o->terms[GA_TERM_NUMA_LEFT] = left - (int64_t)o->n;
}

static void score(const struct ga_place_ask *ask, const struct ga_fleet_slot *const *usable,
		  size_t n, struct ga_place_option *o)
{
	uint64_t free = 0, taken = 0;
	size_t i;

	for (i = 0; i < n; i++)
		free |= module_bit(usable[i]->module_id);
	for (i = 0; i < o->n; i++)
		taken |= module_bit(o->slots[i]->module_id);
	numa_terms(usable, n, o);
	o->terms[GA_TERM_PARTITIONS] =
		o->node->partitions_in_use ?
			partitions_lost(o->node, ask->count, GA_UNKNOWN, free, taken) :
			0;
	o->terms[GA_TERM_CLEAN] = o->node->clean;
	o->terms[GA_TERM_LARGER] = larger_lost(ask, o->node, n, free, taken);
	o->terms[GA_TERM_NODE_LEFT] = (int64_t)(n - o->n);
}

static void keep_better(struct ga_place_option *best, bool *any, const struct ga_place_option *o)
{
	size_t i;

	if (*any && ga_place_compare(o, best) >= 0)
		return;
	*any = true;
	best->partition = o->partition;
	best->n = o->n;
	for (i = 0; i < GA_TERM_COUNT; i++)
		best->terms[i] = o->terms[i];
	for (i = 0; i < o->n; i++)
		best->slots[i] = o->slots[i];
}

/* ---- by fabric partition ---- */

static bool fill_partition(const struct ga_partition *p, const struct ga_fleet_slot *const *usable,
			   size_t n, struct ga_place_option *o)
{
	uint64_t mask = partition_mask(p);
	size_t i;

	o->n = 0;
	o->partition = p->id;
	for (i = 0; i < n && o->n < p->module_ids.n; i++)
		if (module_bit(usable[i]->module_id) & mask)
			o->slots[o->n++] = usable[i];
	return mask && o->n == p->module_ids.n;
}

static const char *choose_partition(const struct ga_place_ask *ask,
				    const struct ga_fleet_slot *const *usable, size_t n,
				    struct ga_place_option *ret)
{
	struct ga_place_option o;
	bool any = false, of_size = false;
	size_t i;

	o.node = ret->node;
	o.type = ret->type;
	o.terms[GA_TERM_TYPE] = ret->terms[GA_TERM_TYPE];
	for (i = 0; i < ret->node->partitions.n; i++) {
		const struct ga_partition *p = &ret->node->partitions.v[i];

		if ((int64_t)p->module_ids.n != ask->count)
			continue;
		of_size = true;
		if (!fill_partition(p, usable, n, &o) ||
		    overlaps_active(ret->node, partition_mask(p)))
			continue;
		score(ask, usable, n, &o);
		keep_better(ret, &any, &o);
	}
	if (any)
		return NULL;
	return of_size ? "topology_blocked" : "fabric_partition_unknown";
}

/* ---- by NUMA node ---- */

static int by_free(const void *a, const void *b)
{
	const struct numa_class *x = a, *y = b;

	if (x->free != y->free)
		return x->free < y->free ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Groups the usable slots by NUMA node: fewest free slots first, then lowest slot. */
static size_t classify(const struct ga_fleet_slot *const *usable, size_t n,
		       struct numa_class *classes)
{
	size_t i, j, m = 0;

	for (i = 0; i < n; i++) {
		for (j = 0; j < m && classes[j].numa_node != usable[i]->numa_node; j++)
			;
		if (j == m)
			classes[m++] = (struct numa_class){ .numa_node = usable[i]->numa_node,
							    .first = i };
		classes[j].free++;
	}
	qsort(classes, m, sizeof(*classes), by_free);
	return m;
}

/* The smallest number of NUMA nodes that hold count slots together. */
static size_t least_span(const struct numa_class *classes, size_t m, size_t count)
{
	size_t span = 0, sum = 0;

	while (sum < count && span < m)
		sum += classes[m - ++span].free;
	return span;
}

static int by_index(const void *a, const void *b)
{
	const struct ga_fleet_slot *const *x = a, *const *y = b;

	return (*x)->slot_index < (*y)->slot_index ? -1 : (*x)->slot_index > (*y)->slot_index;
}

/* Takes count slots from the chosen NUMA nodes. Uses up the smaller nodes first, so that the free
 * slots that are left stay together. */
static bool fill_numa(const struct numa_class *classes, size_t m, uint32_t chosen, size_t count,
		      const struct ga_fleet_slot *const *usable, size_t n,
		      struct ga_place_option *o)
{
	size_t i, j;

	o->n = 0;
	o->partition = GA_UNKNOWN;
	for (i = 0; i < m && o->n < count; i++)
		for (j = 0; (chosen & (UINT32_C(1) << i)) && j < n && o->n < count; j++)
			if (usable[j]->numa_node == classes[i].numa_node)
				o->slots[o->n++] = usable[j];
	qsort(o->slots, o->n, sizeof(*o->slots), by_index);
	return o->n == count;
}

static const char *choose_numa(const struct ga_place_ask *ask,
			       const struct ga_fleet_slot *const *usable, size_t n,
			       struct ga_place_option *ret)
{
	struct numa_class classes[GA_PLACE_SLOTS], *from = classes;
	struct ga_place_option o;
	size_t m = classify(usable, n, classes), span;
	bool any = false;
	uint32_t chosen;

	span = least_span(classes, m, (size_t)ask->count);
	if (m > NUMA_MAX) {
		size_t keep = span > NUMA_MAX ? span : NUMA_MAX;

		/* More NUMA nodes than any machine of today has: tries only the fullest. */
		from += m - keep;
		m = keep;
	}
	o.node = ret->node;
	o.type = ret->type;
	o.terms[GA_TERM_TYPE] = ret->terms[GA_TERM_TYPE];
	if (span > NUMA_MAX) {
		memcpy(o.slots, usable, (size_t)ask->count * sizeof(*usable));
		o.n = (size_t)ask->count;
		o.partition = GA_UNKNOWN;
		score(ask, usable, n, &o);
		keep_better(ret, &any, &o);
		return NULL;
	}
	for (chosen = 1; chosen < (UINT32_C(1) << m); chosen++) {
		if ((size_t)__builtin_popcount(chosen) != span ||
		    !fill_numa(from, m, chosen, (size_t)ask->count, usable, n, &o))
			continue;
		score(ask, usable, n, &o);
		keep_better(ret, &any, &o);
	}
	return any ? NULL : "too_few_free";
}

const char *ga_place_choose(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			    const struct ga_fleet_slot *const *usable, size_t n,
			    struct ga_place_option *ret)
{
	ret->node = node;
	if ((int64_t)n < ask->count)
		return "too_few_free";
	return node->partitions_in_use ? choose_partition(ask, usable, n, ret) :
					 choose_numa(ask, usable, n, ret);
}
