/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile could get of the fleet, by placement's own rules (place_score.h). */
#include "offer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "place_score.h"

struct counting {
	struct ga_request request; /* that names the profile and nothing else */
	struct ga_profile profile; /* borrows every member; its counts are largest first */
	struct ga_fleet nothing;   /* no time and no staleness, for what a node is by itself */
	struct ga_place_ask ask, timeless;
	bool any_image;
	struct ga_offer_numbers *ret;
};

static struct ga_offer_number *number_of(struct ga_offer_numbers *ret, const char *type)
{
	struct ga_offer_number *n;
	size_t i;

	for (i = 0; i < ret->types.n; i++)
		if (ret->types.v[i].type == type || ga_streq(ret->types.v[i].type, type))
			return &ret->types.v[i];
	n = ga_list_add(&ret->types);
	*n = (struct ga_offer_number){ .type = type };
	return n;
}

/* Whether the profile may use the slot at some time. */
static bool may_use(const struct counting *c, const struct ga_fleet_slot *slot)
{
	struct ga_fleet_slot free_one = *slot;
	int64_t rank;

	if (ga_streq(slot->why, "disabled") || !ga_place_wants_type(&c->ask, slot->type, &rank))
		return false;
	free_one.free = true;
	free_one.why = NULL;
	return !ga_place_slot_reason(&c->ask, &free_one);
}

/* Whether the profile may use the node at some time: its place and mode, not its state. */
static bool in_reach(const struct counting *c, const struct ga_fleet_node *node)
{
	struct ga_fleet_node plain = *node;

	if (ga_streq(node->why, "node_retired") || ga_streq(node->why, "node_enrolled"))
		return false;
	plain.why = NULL;
	return !ga_place_node_reason(&c->timeless, &plain);
}

/* ---- what is free ---- */

static void add_free(struct counting *c, const char *type, int64_t gpus, int64_t largest)
{
	number_of(c->ret, type)->available += gpus;
	c->ret->available += gpus;
	if (largest > c->ret->largest)
		c->ret->largest = largest;
}

/* GPUs that requests of the allowed counts, largest first, get out of n; any number without
 * counts. */
static int64_t fill(const struct counting *c, int64_t n, int64_t *largest)
{
	int64_t left = n;
	size_t i;

	*largest = c->profile.counts.n ? 0 : n;
	for (i = 0; i < c->profile.counts.n; i++) {
		int64_t count = c->profile.counts.v[i];

		if (count <= 0 || count > left)
			continue;
		if (!*largest)
			*largest = count;
		left %= count;
	}
	return c->profile.counts.n ? n - left : n;
}

/* Without fabric partitions any usable slots of one type make a slice. */
static void free_slots(struct counting *c, const struct ga_fleet_node *node)
{
	bool done[GA_PLACE_SLOTS] = { false };
	size_t i, j;

	for (i = 0; i < node->slots.n && i < GA_PLACE_SLOTS; i++) {
		const char *type = node->slots.v[i].type;
		int64_t n = 0, gpus, largest, rank;

		if (done[i] || !ga_place_wants_type(&c->ask, type, &rank))
			continue;
		for (j = i; j < node->slots.n && j < GA_PLACE_SLOTS; j++) {
			if (node->slots.v[j].type != type &&
			    !ga_streq(node->slots.v[j].type, type))
				continue;
			done[j] = true;
			n += !ga_place_slot_reason(&c->ask, &node->slots.v[j]);
		}
		gpus = fill(c, n, &largest);
		if (gpus)
			add_free(c, type, gpus, largest);
	}
}

/* One slice of the count, if it fits: its slots and its partition are taken in the copy. */
static bool take_one(struct counting *c, struct ga_fleet_node *copy, int64_t count)
{
	struct ga_place_option o;
	size_t i;

	c->ask.count = count;
	if (ga_place_offer(&c->ask, copy, &o))
		return false;
	for (i = 0; i < o.n; i++)
		copy->slots.v[o.slots[i] - copy->slots.v].free = false;
	for (i = 0; i < copy->partitions.n; i++)
		if (copy->partitions.v[i].id == o.partition)
			copy->partitions.v[i].active = 1;
	add_free(c, o.type, (int64_t)o.n, (int64_t)o.n);
	return true;
}

/* With fabric partitions placement is asked for one slice after the other. */
static void free_partitions(struct counting *c, const struct ga_fleet_node *node)
{
	struct ga_fleet_node copy = *node; /* borrows all but slots and partitions */
	size_t i;

	if (!node->slots.n || !node->partitions.n)
		return;
	copy.slots.v = ga_xcalloc(node->slots.n, sizeof(*copy.slots.v));
	memcpy(copy.slots.v, node->slots.v, node->slots.n * sizeof(*copy.slots.v));
	copy.partitions.v = ga_xcalloc(node->partitions.n, sizeof(*copy.partitions.v));
	memcpy(copy.partitions.v, node->partitions.v,
	       node->partitions.n * sizeof(*copy.partitions.v));
	for (i = 0; i < c->profile.counts.n; i++)
		while (take_one(c, &copy, c->profile.counts.v[i]))
			;
	for (i = GA_PLACE_SLOTS; !c->profile.counts.n && i > 0; i--)
		while (take_one(c, &copy, (int64_t)i))
			;
	free(copy.slots.v);
	free(copy.partitions.v);
}

static void count_free(struct counting *c, const struct ga_fleet_node *node)
{
	struct ga_fleet_node here = *node; /* borrows every member */
	static const char any[] = "any";
	const char *image = any;
	struct ga_place_option o;
	size_t i;

	if (c->any_image) { /* the request will name one */
		here.images.v = &image;
		here.images.n = 1;
	}
	if (c->ask.baremetal) {
		if (ga_place_offer(&c->ask, &here, &o))
			return;
		for (i = 0; i < o.n; i++)
			add_free(c, o.slots[i]->type, 1, (int64_t)o.n);
		return;
	}
	for (i = 0; i < here.images.n && !ga_streq(here.images.v[i], c->ask.image); i++)
		;
	if (i == here.images.n)
		return;
	if (here.partitions_in_use)
		free_partitions(c, &here);
	else
		free_slots(c, &here);
}

/* ---- the fleet ---- */

static void count_node(struct counting *c, const struct ga_fleet_node *node)
{
	struct ga_offer_numbers *ret = c->ret;
	int64_t usable = 0;
	const char *why;
	size_t i;

	if (!in_reach(c, node))
		return;
	for (i = 0; i < node->slots.n; i++)
		if (may_use(c, &node->slots.v[i])) {
			number_of(ret, node->slots.v[i].type)->total++;
			usable++;
		}
	ret->total += usable;
	if (!usable)
		return;
	if (ga_place_is_stale(&c->ask, node)) {
		ret->unknown += usable;
		return;
	}
	if (node->observed_micros != GA_UNKNOWN &&
	    (ret->oldest_micros == GA_UNKNOWN || node->observed_micros < ret->oldest_micros))
		ret->oldest_micros = node->observed_micros;
	why = ga_place_node_reason(&c->ask, node);
	if (!why)
		count_free(c, node);
}

static int by_number_down(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? 1 : *x > *y ? -1 : 0;
}

void ga_offer_count(const struct ga_fleet *fleet, const struct ga_profile *profile,
		    struct ga_offer_numbers *ret)
{
	struct counting c = { .profile = *profile, .ret = ret };
	GA_LIST(int64_t) counts = { 0 };
	char any[] = "any";
	size_t i;

	*ret = (struct ga_offer_numbers){ .oldest_micros = GA_UNKNOWN };
	if (profile->retired)
		return;
	for (i = 0; i < profile->counts.n; i++)
		*ga_list_add(&counts) = profile->counts.v[i];
	if (counts.n)
		qsort(counts.v, counts.n, sizeof(*counts.v), by_number_down);
	c.profile.counts.v = counts.v;
	c.any_image = !profile->image;
	if (c.any_image)
		c.profile.image = any;
	ga_shape_init(&ga_request_shape, &c.request);
	ga_place_asked(fleet, &c.request, &c.profile, &c.ask);
	ga_place_asked(&c.nothing, &c.request, &c.profile, &c.timeless);
	for (i = 0; i < fleet->nodes.n; i++)
		count_node(&c, &fleet->nodes.v[i]);
	ga_list_release(&counts);
}

void ga_offer_numbers_release(struct ga_offer_numbers *n)
{
	ga_list_release(&n->types);
	*n = (struct ga_offer_numbers){ .oldest_micros = GA_UNKNOWN };
}

/* ---- names ---- */

static bool is_capitals(const char *word, size_t len)
{
	static const char *const short_ones[] = { "ai", "amd", "cpu", "gpu", "hpc", "llm", "ml",
						  "nlp", "pcie", "sxm", "vm", "xl" };
	size_t i;

	for (i = 0; i < len; i++)
		if (isdigit((unsigned char)word[i]))
			return true;
	for (i = 0; i < GA_ARRAY_SIZE(short_ones); i++)
		if (strlen(short_ones[i]) == len && !strncmp(short_ones[i], word, len))
			return true;
	return false;
}

char *ga_offer_title(const char *name)
{
	char *title = ga_xstrdup(name), *word = title;

	while (*word) {
		size_t len = strcspn(word, "-_"), i;
		bool capitals = is_capitals(word, len);

		for (i = 0; i < len; i++)
			if (!i || capitals)
				word[i] = (char)toupper((unsigned char)word[i]);
		if (word[len])
			word[len++] = ' ';
		word += len;
	}
	return title;
}
