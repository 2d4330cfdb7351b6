/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the GPUs that requests of a profile could get, by the rules of placement
 * (decide/place/score.h). */
#include "decide/offer/offer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "decide/place/equal.h"
#include "decide/place/score.h"
#include "record/state.h"

struct counting {
	struct ga_request request; /* names the profile, and what ga_offer_count_within counts */
	struct ga_profile profile; /* borrows every member; its counts are largest first */
	int64_t times;		   /* number of identical nodes that the current node stands for */
	struct ga_fleet nothing;   /* a fleet without nodes, time and limit of staleness, to judge
				    * a node by itself; borrows regions and types */
	struct ga_place_ask ask, timeless;
	struct ga_ints counts; /* the profile's counts, largest first */
	bool any_image;
	struct ga_place_checked checked;
	struct ga_offer_numbers *ret;
};

static struct ga_offer_number *find_number(struct ga_offer_numbers *ret, const char *type)
{
	size_t i;

	for (i = 0; i < ret->types.n; i++)
		if (ret->types.v[i].type == type || ga_streq(ret->types.v[i].type, type))
			return &ret->types.v[i];
	return NULL;
}

static struct ga_offer_number *number_of(struct ga_offer_numbers *ret, const char *type)
{
	struct ga_offer_number *n = find_number(ret, type);

	if (n)
		return n;
	n = ga_list_add(&ret->types);
	*n = (struct ga_offer_number){ .type = type };
	return n;
}

static bool wants_type(struct counting *c, const char *type)
{
	return ga_place_wants_next(&c->ask, type, &c->checked);
}

/* Whether the profile may ever use the slot. */
static bool may_use(struct counting *c, const struct ga_fleet_slot *slot)
{
	struct ga_fleet_slot free_one;

	if (!wants_type(c, slot->type) || ga_streq(slot->why, "disabled"))
		return false;
	free_one = *slot;
	free_one.free = true;
	free_one.why = NULL;
	return !ga_place_slot_reason(&c->ask, &free_one);
}

/* Whether the profile may ever use the node: checks place and mode, not the node's state. For
 * baremetal it must allow all types of the node. */
static bool in_reach(struct counting *c, const struct ga_fleet_node *node)
{
	struct ga_fleet_node plain = *node;
	size_t i;

	for (i = 0; c->ask.baremetal && i < node->slots.n; i++)
		if (!wants_type(c, node->slots.v[i].type))
			return false;
	if (ga_streq(node->why, "node_retired") || ga_streq(node->why, "node_enrolled"))
		return false;
	plain.why = NULL;
	return !ga_place_node_reason(&c->timeless, &plain);
}

/* ---- free GPUs ---- */

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Adds free GPUs; largest: GPUs of one request that names the type. */
static void add_free(struct counting *c, const char *type, int64_t gpus, int64_t largest)
{
	struct ga_offer_number *n = number_of(c->ret, type);

	n->available += gpus * c->times;
	n->largest = larger(n->largest, largest);
	c->ret->available += gpus * c->times;
	c->ret->largest = larger(c->ret->largest, largest);
}

/* How many of n GPUs go to requests of the allowed counts, the largest first. Without counts: n. */
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

static bool is_allowed(const struct counting *c, int64_t count)
{
	return !c->profile.counts.n ||
	       ga_ints_have(c->profile.counts.v, c->profile.counts.n, count);
}

static void add_once(struct ga_ints *list, int64_t number)
{
	if (!ga_ints_have(list->v, list->n, number))
		*ga_list_add(list) = number;
}

/* Without fabric partitions, any usable slots of one type make a slice. */
static void free_slots(struct counting *c, const struct ga_fleet_node *node)
{
	bool done[GA_PLACE_SLOTS] = { false };
	size_t i, j;

	for (i = 0; i < node->slots.n && i < GA_PLACE_SLOTS; i++) {
		const char *type = node->slots.v[i].type;
		int64_t n = 0, gpus, largest, count;

		if (done[i] || !wants_type(c, type))
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
		for (count = 1; count <= n; count++)
			if (is_allowed(c, count))
				add_once(&number_of(c->ret, type)->counts, count);
	}
}

/* Adds the counts for which the node has a partition of the type now. */
static void ask_counts(struct counting *c, const struct ga_fleet_node *node, const char *type)
{
	struct ga_offer_number *number = find_number(c->ret, type);
	struct ga_place_ask ask = c->ask;
	struct ga_place_option o;

	if (!number) /* the profile may use no slot of the type */
		return;
	if (type) {
		ask.types = &type;
		ask.n_types = 1;
	}
	for (ask.count = 1; ask.count <= (int64_t)node->slots.n; ask.count++)
		if (is_allowed(c, ask.count) &&
		    !ga_ints_have(number->counts.v, number->counts.n, ask.count) &&
		    !ga_place_offer(&ask, node, &o) && ga_streq(o.type, type))
			add_once(&number->counts, ask.count);
}

/* Takes the slots and partition of one slice of the count in the copy; false when it does not
 * fit. */
static bool take_one(struct counting *c, struct ga_fleet_node *copy, int64_t count)
{
	struct ga_place_option o;
	size_t i;

	c->ask.count = count;
	if (ga_place_offer(&c->ask, copy, &o))
		return false;
	for (i = 0; i < o.n; i++)
		copy->slots.v[o.slots[i] - copy->slots.v].free = false;
	ga_fleet_set_active(copy, o.partition, true);
	add_free(c, o.type, (int64_t)o.n, (int64_t)o.n);
	return true;
}

/* With fabric partitions: lets placement choose one slice after the other. */
static void free_partitions(struct counting *c, const struct ga_fleet_node *node)
{
	struct ga_fleet_node copy = *node; /* borrows all but slots and partitions */
	size_t i, j;

	if (!node->slots.n || !node->partitions.n)
		return;
	for (i = 0; i < node->slots.n; i++) {
		const char *type = node->slots.v[i].type;

		for (j = 0; j < i && node->slots.v[j].type != type; j++)
			;
		if (j == i && wants_type(c, type))
			ask_counts(c, node, type);
	}
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

static char any[] = "any";
static const char *any_list[] = { any };

/* The node, borrowed. Where the profile names no image, the request will name an image of the
 * node. */
static struct ga_fleet_node with_image(const struct counting *c, const struct ga_fleet_node *node)
{
	struct ga_fleet_node here = *node;

	if (c->any_image && node->images.n) {
		here.images.v = any_list;
		here.images.n = 1;
	}
	return here;
}

static void count_free(struct counting *c, const struct ga_fleet_node *node)
{
	struct ga_fleet_node here = with_image(c, node);
	struct ga_place_option o;
	size_t i;

	if (c->ask.baremetal) {
		if (ga_place_offer(&c->ask, &here, &o))
			return;
		/* A node with several types counts for no type: only a request without a type gets
		 * it. */
		for (i = 0; i < o.n; i++)
			add_free(c, o.slots[i]->type, 1, o.type ? (int64_t)o.n : 0);
		c->ret->largest = larger(c->ret->largest, (int64_t)o.n);
		if (o.type)
			add_once(&number_of(c->ret, o.type)->machines_now, (int64_t)o.n);
		else
			add_once(&c->ret->mixed.machines_now, (int64_t)o.n);
		c->ret->mixed.available += o.type ? 0 : (int64_t)o.n * c->times;
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

/* Whether the GPUs of a node with slots have several types, or one that is not known. */
static bool is_mixed(const struct ga_fleet_node *node)
{
	const char *type = node->slots.v[0].type;
	size_t i;

	for (i = 0; type && i < node->slots.n && ga_streq(node->slots.v[i].type, type); i++)
		;
	return i < node->slots.n;
}

/* Counts a baremetal node: when free, it gives all its GPUs. */
static void count_machine(struct counting *c, const struct ga_fleet_node *node)
{
	const char *type = node->slots.v[0].type;
	struct ga_offer_mixed *mixed = &c->ret->mixed;
	int64_t size = (int64_t)node->slots.n;
	size_t i, j;

	if (!is_mixed(node)) {
		add_once(&number_of(c->ret, type)->machines, size);
		return;
	}
	add_once(&mixed->machines, size);
	mixed->total += size * c->times;
	for (i = 0; i < node->slots.n; i++) {
		type = node->slots.v[i].type;
		for (j = 0; j < mixed->types.n && mixed->types.v[j] != type; j++)
			;
		if (j == mixed->types.n)
			*ga_list_add(&mixed->types) = type;
	}
}

static void count_node(struct counting *c, const struct ga_fleet_node *node)
{
	struct ga_offer_numbers *ret = c->ret;
	int64_t usable = 0;
	const char *why;
	size_t i;

	if (!in_reach(c, node))
		return;
	c->times = node->grouped ? node->grouped : 1;
	for (i = 0; i < node->slots.n; i++)
		if (may_use(c, &node->slots.v[i])) {
			number_of(ret, node->slots.v[i].type)->total += c->times;
			usable += c->times;
		}
	ret->total += usable;
	if (!usable)
		return;
	if (c->ask.baremetal)
		count_machine(c, node);
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

static int by_number(const void *a, const void *b)
{
	return by_number_down(b, a);
}

static void sort_numbers(const struct ga_ints *list)
{
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), by_number);
}

static int by_type(const void *a, const void *b)
{
	const struct ga_offer_number *x = a, *y = b;

	if (!x->type || !y->type)
		return !x->type - !y->type;
	return strcmp(x->type, y->type);
}

/* c is zeroed except for ret. It must not move before end(). */
static void begin(struct counting *c, const struct ga_fleet *fleet,
		  const struct ga_profile *profile, const struct ga_request *request,
		  const struct ga_place_limits *limits)
{
	size_t n_only = limits && !ga_streq(profile->shape, "baremetal") ? limits->n_counts : 0;
	const int64_t *only = n_only ? limits->counts : NULL;
	bool of_app = only && !profile->counts.n;
	const int64_t *counts = of_app ? only : profile->counts.v;
	size_t i, n = of_app ? n_only : profile->counts.n;

	c->profile = *profile;
	for (i = 0; i < n; i++)
		if (!only || ga_ints_have(only, n_only, counts[i]))
			*ga_list_add(&c->counts) = counts[i];
	if (only && !c->counts.n)
		*ga_list_add(&c->counts) = GA_PLACE_SLOTS + 1; /* none: an empty list is any */
	if (c->counts.n)
		qsort(c->counts.v, c->counts.n, sizeof(*c->counts.v), by_number_down);
	c->profile.counts.v = c->counts.v;
	c->profile.counts.n = c->counts.n;
	c->any_image = !profile->image;
	if (c->any_image)
		c->profile.image = any;
	ga_schema_init(&ga_request_schema, &c->request);
	if (request) { /* borrows */
		c->request.node = request->node;
		c->request.region = request->region;
		c->request.pool = request->pool;
		c->request.types = request->types;
		c->request.min_memory_mib = request->min_memory_mib;
		c->request.run_seconds = request->run_seconds;
	}
	c->nothing.types.v = fleet->types.v;
	c->nothing.types.n = fleet->types.n;
	/* A region that is not open is not in reach, whatever changes there. */
	c->nothing.regions.v = fleet->regions.v;
	c->nothing.regions.n = fleet->regions.n;
	ga_place_asked(fleet, &c->request, &c->profile, &c->ask);
	ga_place_asked(&c->nothing, &c->request, &c->profile, &c->timeless);
	c->ask.limits = c->timeless.limits = limits;
}

static void end(struct counting *c)
{
	ga_list_release(&c->counts);
}

void ga_offer_count(const struct ga_fleet *fleet, const struct ga_profile *profile,
		    struct ga_offer_numbers *ret)
{
	ga_offer_count_within(fleet, profile, NULL, NULL, ret);
}

void ga_offer_count_within(const struct ga_fleet *fleet, const struct ga_profile *profile,
			   const struct ga_request *request, const struct ga_place_limits *limits,
			   struct ga_offer_numbers *ret)
{
	struct counting c = { .ret = ret };
	size_t i, j;

	*ret = (struct ga_offer_numbers){ .oldest_micros = GA_UNKNOWN };
	if (profile->retired)
		return;
	begin(&c, fleet, profile, request, limits);
	for (i = 0; i < fleet->nodes.n; i++)
		count_node(&c, &fleet->nodes.v[i]);
	/* Sorts the results. The counts for any type are the counts of all types. */
	for (i = 0; i < ret->types.n; i++) {
		const struct ga_offer_number *n = &ret->types.v[i];

		sort_numbers(&n->counts);
		sort_numbers(&n->machines);
		sort_numbers(&n->machines_now);
		for (j = 0; j < n->counts.n; j++)
			if (!ga_ints_have(ret->counts.v, ret->counts.n, n->counts.v[j]))
				*ga_list_add(&ret->counts) = n->counts.v[j];
	}
	sort_numbers(&ret->counts);
	sort_numbers(&ret->mixed.machines);
	sort_numbers(&ret->mixed.machines_now);
	if (ret->types.n)
		qsort(ret->types.v, ret->types.n, sizeof(*ret->types.v), by_type);
	end(&c);
}

void ga_offer_numbers_release(struct ga_offer_numbers *n)
{
	size_t i;

	for (i = 0; i < n->types.n; i++) {
		ga_list_release(&n->types.v[i].counts);
		ga_list_release(&n->types.v[i].machines);
		ga_list_release(&n->types.v[i].machines_now);
	}
	ga_list_release(&n->mixed.types);
	ga_list_release(&n->mixed.machines);
	ga_list_release(&n->mixed.machines_now);
	ga_list_release(&n->types);
	ga_list_release(&n->counts);
	*n = (struct ga_offer_numbers){ .oldest_micros = GA_UNKNOWN };
}

/* ---- why none is available ---- */

/* The fleet for requests of the profile, with one node for all that are equal. */
static const struct ga_fleet *fleet_for(struct ga_offer_refuser *r, const struct counting *c)
{
	struct ga_fleet *ret = c->any_image ? &r->any_image : &r->named_image, all = *r->fleet;
	size_t i;

	if (ret->nodes.v || !all.nodes.n)
		return ret->nodes.v ? ret : r->fleet;
	all.nodes.v = ga_xcalloc(all.nodes.n, sizeof(*all.nodes.v));
	for (i = 0; i < all.nodes.n; i++)
		all.nodes.v[i] = with_image(c, &r->fleet->nodes.v[i]);
	ga_fleet_merge_equal(&all, ret);
	free(all.nodes.v);
	return ret;
}

char *ga_offer_refusal(struct ga_offer_refuser *r, const struct ga_profile *profile,
		       const char *type, int64_t count)
{
	char *wanted[] = { (char *)(uintptr_t)type }, *code;
	struct counting c = { 0 };
	struct ga_place_ask ask;

	if (profile->retired)
		return ga_xstrdup("profile_retired");
	begin(&c, r->fleet, profile, NULL, NULL);
	c.request.count = count;
	if (count == GA_UNKNOWN && c.counts.n && !c.ask.baremetal) /* largest first */
		c.request.count = c.counts.v[c.counts.n - 1];
	if (type) {
		c.request.types.v = wanted;
		c.request.types.n = 1;
	}
	ga_place_asked(fleet_for(r, &c), &c.request, &c.profile, &ask);
	code = !ask.baremetal && !is_allowed(&c, ask.count) ? ga_xstrdup("count_not_allowed") :
							      ga_place_refusal_code(&ask);
	end(&c);
	return code;
}

char *ga_offer_mixed_refusal(struct ga_offer_refuser *r, const struct ga_profile *profile,
			     int64_t count)
{
	const struct ga_fleet *f;
	struct counting c = { 0 };
	struct ga_fleet mixed;
	struct ga_place_ask ask;
	char *code;
	size_t i;

	begin(&c, r->fleet, profile, NULL, NULL);
	f = fleet_for(r, &c);
	mixed = *f; /* borrows all but the array of nodes */
	mixed.nodes.v = NULL;
	mixed.nodes.n = 0;
	for (i = 0; i < f->nodes.n; i++)
		if (f->nodes.v[i].slots.n && is_mixed(&f->nodes.v[i]) &&
		    in_reach(&c, &f->nodes.v[i]))
			*ga_list_add(&mixed.nodes) = f->nodes.v[i];
	c.request.count = count;
	ga_place_asked(&mixed, &c.request, &c.profile, &ask);
	code = ga_place_refusal_code(&ask);
	ga_list_release(&mixed.nodes);
	end(&c);
	return code;
}

void ga_offer_refuser_release(struct ga_offer_refuser *r)
{
	ga_list_release(&r->named_image.nodes);
	ga_list_release(&r->any_image.nodes);
	*r = (struct ga_offer_refuser){ 0 };
}

/* ---- when GPUs become available ---- */

struct expecting {
	struct counting c;
	const struct ga_offer_soon *soon;
	size_t n_soon;
	struct ga_fleet_node copy; /* borrows all but slots and partitions */
	const struct ga_offer_soon *of[GA_PLACE_SLOTS]; /* the expected change of each slot, or
							 * NULL */
	struct ga_offer_expected *ret;
};

static int by_slot(const void *key, const void *item)
{
	const struct ga_offer_soon *s = item;

	return strcmp(key, s->slot);
}

/* The first time without an open window, for a request without a run time: at the end of one window
 * another may be open. */
static int64_t window_over(const struct ga_fleet_node *node, int64_t at)
{
	struct ga_fleet then = { .now_micros = at };
	const struct ga_fleet_window *open;

	while ((open = ga_fleet_window_in_way(&then, node, 0)) != NULL)
		then.now_micros = open->to;
	return then.now_micros;
}

/* Whether the smallest request fits on the node with all slots free that become free until then. */
static bool fits_at(struct expecting *e, const struct ga_fleet_node *node, int64_t at)
{
	struct ga_place_option o;
	bool whole = true;
	size_t i;

	for (i = 0; i < node->slots.n; i++) {
		struct ga_fleet_slot *s = &e->copy.slots.v[i];

		*s = node->slots.v[i];
		if (e->of[i] && e->of[i]->at_micros <= at) {
			s->free = true;
			s->why = NULL;
		}
		whole = whole && s->free;
	}
	ga_place_end_partitions(node, &e->copy);
	e->copy.clean = node->clean || whole;
	e->copy.why = whole ? NULL : node->why;
	return !ga_place_offer(&e->c.timeless, &e->copy, &o);
}

/* Tries a time at which a slot becomes free: keeps it if the request fits and no earlier time
 * does. */
static void try_time(struct expecting *e, const struct ga_fleet_node *node, int64_t at,
		     const char *basis)
{
	int64_t now = e->c.ask.fleet->now_micros, over;

	if (at < now)
		at = now;
	over = window_over(node, at);
	if (over > at)
		basis = "maintenance_ending";
	if (!basis || (e->ret->at_micros != GA_UNKNOWN && e->ret->at_micros <= over) ||
	    !fits_at(e, node, at))
		return;
	e->ret->at_micros = over;
	e->ret->basis = basis;
}

static void expect_node(struct expecting *e, const struct ga_fleet_node *node)
{
	size_t i;

	if (!e->n_soon && !node->windows.n)
		return; /* no slot becomes free, and the node has no window */
	/* A baremetal tenant holds the node until the last slot is wiped. */
	if ((node->why && !ga_streq(node->why, "held_by_baremetal")) || !node->slots.n ||
	    node->slots.n > GA_PLACE_SLOTS || !in_reach(&e->c, node) ||
	    ga_place_is_stale(&e->c.ask, node))
		return;
	e->copy = with_image(&e->c, node);
	e->copy.windows.n = 0;
	e->copy.slots.v = ga_xcalloc(node->slots.n, sizeof(*e->copy.slots.v));
	e->copy.partitions.v = ga_xcalloc(node->partitions.n + 1, sizeof(*e->copy.partitions.v));
	for (i = 0; i < node->partitions.n; i++)
		e->copy.partitions.v[i] = node->partitions.v[i];
	for (i = 0; i < node->slots.n; i++)
		e->of[i] = e->n_soon ? bsearch(node->slots.v[i].id, e->soon, e->n_soon,
					       sizeof(*e->soon), by_slot) :
				       NULL;
	try_time(e, node, e->c.ask.fleet->now_micros, NULL);
	for (i = 0; i < node->slots.n; i++)
		if (e->of[i])
			try_time(e, node, e->of[i]->at_micros, e->of[i]->basis);
	free(e->copy.slots.v);
	free(e->copy.partitions.v);
}

void ga_offer_expect(const struct ga_fleet *fleet, const struct ga_profile *profile,
		     const struct ga_offer_soon *soon, size_t n, struct ga_offer_expected *ret)
{
	struct expecting e = { .soon = soon, .n_soon = n, .ret = ret };
	size_t i;

	*ret = (struct ga_offer_expected){ .at_micros = GA_UNKNOWN };
	if (profile->retired)
		return;
	begin(&e.c, fleet, profile, NULL, NULL);
	if (e.c.counts.n) /* counts are largest first: the last is the smallest */
		e.c.timeless.count = e.c.counts.v[e.c.counts.n - 1];
	for (i = 0; i < fleet->nodes.n; i++)
		expect_node(&e, &fleet->nodes.v[i]);
	end(&e.c);
}

/* ---- the title of a profile ---- */

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
