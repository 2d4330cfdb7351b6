/* SPDX-License-Identifier: Apache-2.0 */
/* One node for all that are equal to a request. */
#include "decide/place/equal.h"

#include <stdlib.h>
#include <string.h>

#include "decide/place/score.h"
#include "record/host.h"

/* Equal nodes, by their facts. */
struct kind {
	struct ga_ints facts;
	uint64_t hash;
};

static void add_facts(struct ga_ints *to, const int64_t *facts, size_t n)
{
	while (n--)
		*ga_list_add(to) = *facts++;
}

/* Equal texts of a fleet are one pointer; where they are not, equal nodes stay apart. */
static int64_t fact_of(const char *text)
{
	return (int64_t)(uintptr_t)text;
}

/* All of a node that its answer to a request depends on, but for words and identities. */
static void facts_of(const struct ga_fleet *f, const struct ga_fleet_node *n, struct ga_ints *ret)
{
	const struct ga_place_ask ask = { .fleet = f };
	const int64_t own[] = {
		fact_of(n->region), fact_of(n->pool), fact_of(n->mode), fact_of(n->why), n->clean,
		n->partitions_in_use, ga_place_is_stale(&ask, n), (int64_t)n->images.n,
		(int64_t)n->windows.n, (int64_t)n->slots.n,
	};
	size_t i;

	add_facts(ret, own, GA_ARRAY_SIZE(own));
	for (i = 0; i < n->images.n; i++)
		*ga_list_add(ret) = fact_of(n->images.v[i]);
	for (i = 0; i < n->windows.n; i++) {
		const int64_t window[] = { n->windows.v[i].from, n->windows.v[i].to };

		add_facts(ret, window, GA_ARRAY_SIZE(window));
	}
	for (i = 0; i < n->slots.n; i++) {
		const struct ga_fleet_slot *s = &n->slots.v[i];
		const int64_t slot[] = { s->slot_index, s->numa_node, s->module_id,
					 fact_of(s->type), s->memory_mib, s->cpus, s->available,
					 s->free, fact_of(s->why) };

		add_facts(ret, slot, GA_ARRAY_SIZE(slot));
	}
	for (i = 0; i < n->partitions.n; i++) {
		const struct ga_partition *p = &n->partitions.v[i];
		const int64_t partition[] = { p->id, p->active, (int64_t)p->module_ids.n };

		add_facts(ret, partition, GA_ARRAY_SIZE(partition));
		add_facts(ret, p->module_ids.v, p->module_ids.n);
	}
}

static uint64_t hash_of(const struct ga_ints *facts)
{
	uint64_t hash = 14695981039346656037U; /* FNV-1a, one number at a time */
	size_t i;

	for (i = 0; i < facts->n; i++)
		hash = (hash ^ (uint64_t)facts->v[i]) * 1099511628211U;
	return hash;
}

void ga_fleet_merge_equal(const struct ga_fleet *f, struct ga_fleet *ret)
{
	GA_LIST(struct kind) kinds = { 0 };
	size_t i, k;

	*ret = *f;
	ret->memo = NULL;
	ret->nodes.v = NULL;
	ret->nodes.n = 0;
	for (i = 0; i < f->nodes.n; i++) {
		struct kind it = { 0 };

		facts_of(f, &f->nodes.v[i], &it.facts);
		it.hash = hash_of(&it.facts);
		for (k = 0; k < kinds.n; k++)
			if (kinds.v[k].hash == it.hash && kinds.v[k].facts.n == it.facts.n &&
			    !memcmp(kinds.v[k].facts.v, it.facts.v,
				    it.facts.n * sizeof(*it.facts.v)))
				break;
		if (k == kinds.n) {
			*ga_list_add(&kinds) = it;
			*ga_list_add(&ret->nodes) = f->nodes.v[i];
		} else {
			ga_list_release(&it.facts);
		}
		ret->nodes.v[k].grouped++;
	}
	for (k = 0; k < kinds.n; k++)
		ga_list_release(&kinds.v[k].facts);
	ga_list_release(&kinds);
}
