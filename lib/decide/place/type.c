/* SPDX-License-Identifier: Apache-2.0 */
/* Why a placement is on another type than the first that was asked for. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "decide/place/score.h"

/* What the fleet has of one type. */
struct stock {
	bool any;     /* some node has it */
	int64_t free; /* most free slots of it on one node that may be used */
	const struct ga_fleet_node *near; /* that node; NULL: none has a free one */
	const struct ga_fleet_node *out;  /* one that has free ones and may not be used, or NULL */
	const char *why_out;
};

static bool is_of(const struct ga_fleet_slot *slot, const char *type)
{
	return slot->type == type || ga_streq(slot->type, type);
}

static void take_stock(const struct ga_place_ask *ask, const char *type, struct stock *ret)
{
	size_t i, j;

	*ret = (struct stock){ .any = false };
	for (i = 0; i < ask->fleet->nodes.n; i++) {
		const struct ga_fleet_node *node = &ask->fleet->nodes.v[i];
		const char *out = ga_place_node_reason(ask, node);
		int64_t free = 0;

		for (j = 0; j < node->slots.n; j++) {
			if (!is_of(&node->slots.v[j], type))
				continue;
			ret->any = true;
			free += !ga_place_slot_reason(ask, &node->slots.v[j]);
		}
		/* Whatever the order of the fleet, the same node is named. */
		if (out && free && (!ret->out || strcmp(node->id, ret->out->id) < 0)) {
			ret->out = node;
			ret->why_out = out;
		}
		if (out)
			continue;
		if (free > ret->free ||
		    (free && free == ret->free && strcmp(node->id, ret->near->id) < 0)) {
			ret->free = free;
			ret->near = node;
		}
	}
}

/* Why no node gave that type. */
static void add_why(const struct ga_place_ask *ask, const char *type, struct ga_str *out)
{
	struct ga_place_ask one = *ask;
	struct ga_place_option o;
	struct stock stock;
	int64_t rank;
	const char *why;

	one.types = &type;
	one.n_types = 1;
	if (!ga_place_wants_type(&one, type, &rank)) {
		ga_str_addf(out, "%s is not of profile '%s', or has too little memory", type,
			    ask->profile->name);
		return;
	}
	take_stock(&one, type, &stock);
	if (!stock.any) {
		ga_str_addf(out, "no node has %s", type);
	} else if (!stock.free && stock.out) {
		ga_str_addf(out, "%s was free on no node that may be used (%s on '%s')", type,
			    stock.why_out, stock.out->id);
	} else if (!stock.free) {
		ga_str_addf(out, "%s had no free slot on any node", type);
	} else if (ask->baremetal) {
		ga_str_addf(out, "no node of %s alone was free as a whole", type);
	} else if (stock.free < ask->count) {
		ga_str_addf(out, "%s had at most %lld free on one node, not %lld", type,
			    (long long)stock.free, (long long)ask->count);
	} else {
		why = ga_place_offer(&one, stock.near, &o);
		ga_str_addf(out, "%s could be given by no node (%s on '%s')", type,
			    why ? why : "not_ready", stock.near->id);
	}
}

char *ga_place_type_reason(const struct ga_place_ask *ask, const char *type, int64_t rank)
{
	struct ga_str out = GA_STR_INIT;
	size_t i;
	static const char *const words[] = { "first", "second", "third", "fourth", "fifth" };

	if (rank <= 0 || (size_t)rank >= ask->n_types)
		return NULL;
	for (i = 0; i < (size_t)rank && i < 4; i++) {
		ga_str_addf(&out, "%s", i ? "; " : "");
		add_why(ask, ask->types[i], &out);
	}
	if (i < (size_t)rank)
		ga_str_addf(&out, "; %lld more before it fitted no better",
			    (long long)rank - (long long)i);
	ga_str_addf(&out, ": %s is ", type ? type : ask->types[rank]);
	if (rank < (int64_t)GA_ARRAY_SIZE(words))
		ga_str_addf(&out, "%s", words[rank]);
	else
		ga_str_addf(&out, "number %lld", (long long)rank + 1);
	ga_str_add(&out, " in the order");
	return ga_str_take(&out);
}
