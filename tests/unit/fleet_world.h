/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small fleets drawn as text: a node is "name:slots". A slot is f (free), u (in use), w (waiting
 * for its wipe), b (fabric trouble), c (cordoned), d (disabled by a person), k (both) or v (not
 * verified since a restore). Small letters are of type h200, capitals of type a100. "/" begins the
 * next NUMA node.
 */
#ifndef FLEET_WORLD_H
#define FLEET_WORLD_H

#include "decide/place/place.h"
#include "record/state.h"

#include <string.h>

struct scene {
	struct ga_fleet fleet;
	struct ga_profile profile;
	struct ga_request request;
};

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

static void add_slot(struct scene *s, struct ga_fleet_node *n, char what, int64_t numa)
{
	const char *why = what == 'u' || what == 'U' ? "in_use" :
			  what == 'w' || what == 'W' ? "waiting_for_wipe" :
			  what == 'b' ? "fabric_vf_shared" :
			  strchr("cdk", what) ? "cordoned" :
			  what == 'v' ? "unverified_since_restore" :
					NULL;
	int64_t index = (int64_t)n->slots.n;

	*ga_list_add(&n->slots) = (struct ga_fleet_slot){
		.id = ga_xprintf("%s-%lld", n->id, (long long)index),
		.slot_index = index,
		.generation = 1,
		.numa_node = numa,
		.module_id = index + 1,
		.type = ga_fleet_word(&s->fleet, strchr("FUW", what) ? "a100" : "h200"),
		.memory_mib = 1024,
		.cpus = 8,
		.available = strchr("fFcv", what) != NULL,
		.free = !why,
		.why = ga_fleet_word(&s->fleet, why),
		.cordon_reason = ga_streq(why, "cordoned") ?
					 ga_fleet_word(&s->fleet, "bad cable") : NULL,
		.cordon = what == 'c' || what == 'k' ?
				  ga_fleet_word(&s->fleet, "bad cable") : NULL,
	};
	n->clean = n->clean && what != 'u' && what != 'U';
}

static void add_node(struct scene *s, const char *text, size_t len)
{
	struct ga_fleet_node *n = ga_list_add(&s->fleet.nodes);
	size_t colon = strcspn(text, ":"), i;
	int64_t numa = 0;

	n->id = ga_xstrndup(text, colon);
	n->mode = ga_fleet_word(&s->fleet, "slice");
	n->clean = true;
	n->observed_micros = 1;
	*ga_list_add(&n->images) = ga_fleet_word(&s->fleet, "tiny");
	for (i = colon + 1; i < len; i++) {
		if (text[i] == '/')
			numa++;
		else
			add_slot(s, n, text[i], numa);
	}
}

static void scene(struct scene *s, const char *nodes)
{
	static const int64_t counts[] = { 1, 2, 4, 8 };
	size_t i;

	memset(s, 0, sizeof(*s));
	ga_schema_init(&ga_profile_schema, &s->profile);
	ga_schema_init(&ga_request_schema, &s->request);
	s->profile.name = word("p");
	s->profile.shape = word("slice");
	s->profile.image = word("tiny");
	for (i = 0; i < GA_ARRAY_SIZE(counts); i++)
		*ga_list_add(&s->profile.counts) = counts[i];
	while (*nodes) {
		size_t len = strcspn(nodes, " ");

		add_node(s, nodes, len);
		nodes += len + (nodes[len] == ' ');
	}
}

static void add_partition(struct ga_fleet_node *n, int64_t id, int64_t first, int64_t count)
{
	struct ga_partition *p = ga_list_add(&n->partitions);
	int64_t i;

	p->id = id;
	for (i = 0; i < count; i++)
		*ga_list_add(&p->module_ids) = first + i;
}

/* 1 of 8, 2 of 4, 4 of 2, 8 of 1, as an 8-GPU node lists them. */
static void partitioned(struct scene *s, const char *nodes)
{
	int64_t id = 0, size, i;
	size_t n;

	scene(s, nodes);
	for (n = 0; n < s->fleet.nodes.n; n++) {
		s->fleet.nodes.v[n].partitions_in_use = true;
		for (size = 8, id = 0; size; size /= 2)
			for (i = 0; i < 8 / size; i++)
				add_partition(&s->fleet.nodes.v[n], id++, 1 + i * size, size);
	}
}

static void end(struct scene *s)
{
	ga_fleet_release(&s->fleet);
	ga_list_release(&s->profile.counts);
}

#endif
