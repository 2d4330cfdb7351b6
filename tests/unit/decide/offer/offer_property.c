/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offers and placement agree, over random worlds from a printed seed: requests get exactly the
 * available GPUs, the largest requests first, and then the next request is refused. With an
 * expected time, placement accepts the first request at that time and at no earlier time. A world
 * knows which use ends when, and can draw the fleet of any time.
 */
#include <stdlib.h>
#include <string.h>

#include "decide/offer/offer.h"
#include "record/state.h"
#include "t.h"

#define WORLDS 4000
#define NOW INT64_C(1000000000000)
#define MINUTE INT64_C(60000000)
#define NEVER INT64_MAX
#define NODES 4
#define SLOTS 8

struct slot {
	const char *type, *why; /* why: whatever becomes of who has it */
	int64_t memory_mib, cpus;
	int hold;     /* 0: nobody has it */
	int64_t ends; /* when it is free again; NEVER; <= NOW: it is */
};

struct node {
	const char *mode, *why, *pool, *images[2];
	bool old, partitioned;
	size_t slots;
	struct slot slot[SLOTS];
	int64_t partition_of[SLOTS + 1]; /* of a hold, or GA_UNKNOWN */
	bool whole;			 /* one hold has all of it */
	struct ga_fleet_window windows[4];
	size_t n_windows;
};

struct world {
	struct node node[NODES];
	size_t nodes;
	struct ga_profile profile;
};

static uint64_t rnd;

static int64_t below(int64_t n)
{
	return (int64_t)(t_random(&rnd) % (uint64_t)n);
}

static bool once_in(int64_t n)
{
	return !below(n);
}

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

static const char *const types[] = { "h200", "a100", NULL };

/* The modules of partitions of eight, four, two and one; those of two are no neighbours. */
static const struct {
	int64_t id, modules[SLOTS];
} partitions[] = {
	{ 0, { 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ 1, { 1, 2, 3, 4 } },
	{ 2, { 5, 6, 7, 8 } },
	{ 3, { 1, 3 } },
	{ 4, { 2, 4 } },
	{ 5, { 5, 7 } },
	{ 6, { 6, 8 } },
	{ 7, { 1 } },
	{ 8, { 2 } },
	{ 9, { 3 } },
	{ 10, { 5 } },
	{ 11, { 8 } },
};

/* ---- a world ---- */

static int64_t some_end(void)
{
	return once_in(3) ? NEVER : NOW + (1 + below(9)) * 10 * MINUTE;
}

static void make_slot(struct slot *s)
{
	static const char *const whys[] = { "disabled", "cordoned", "quarantined",
					    "cleanup_blocked", "fabric_vf_shared",
					    "unverified_since_restore" };

	*s = (struct slot){
		.type = types[once_in(5) ? 1 + below(2) : 0],
		.why = once_in(8) ? whys[below(GA_ARRAY_SIZE(whys))] : NULL,
		.memory_mib = once_in(8) ? 512 : 1024,
		.cpus = once_in(8) ? 4 : 8,
	};
}

/* One end for all that a hold has, or a wipe of each, of which some are done. */
static void hold_slots(struct node *n, int hold, const bool *which)
{
	int64_t end = some_end();
	bool wiped = once_in(2);
	size_t i;

	for (i = 0; i < n->slots; i++)
		if (which[i]) {
			n->slot[i].hold = hold;
			n->slot[i].ends = wiped && once_in(4) ? NOW : wiped ? some_end() : end;
		}
}

static bool is_free_partition(const struct node *n, size_t p)
{
	size_t i;

	for (i = 0; i < SLOTS && partitions[p].modules[i]; i++)
		if (partitions[p].modules[i] > (int64_t)n->slots ||
		    n->slot[partitions[p].modules[i] - 1].hold)
			return false;
	return true;
}

static void make_holds(struct node *n)
{
	int hold, holds = (int)below(5);
	size_t i, p;

	n->whole = once_in(6);
	for (hold = 1; hold <= (n->whole ? 1 : holds); hold++) {
		bool which[SLOTS] = { false };

		n->partition_of[hold] = GA_UNKNOWN;
		p = (size_t)below(GA_ARRAY_SIZE(partitions));
		if (n->partitioned && !n->whole) {
			if (!is_free_partition(n, p))
				continue;
			/* Once released, the wipes go on without it. */
			n->partition_of[hold] = once_in(4) ? GA_UNKNOWN : partitions[p].id;
			for (i = 0; i < SLOTS && partitions[p].modules[i]; i++)
				which[partitions[p].modules[i] - 1] = true;
		}
		for (i = 0; i < n->slots && !(n->partitioned && !n->whole); i++)
			which[i] = n->whole || (!n->slot[i].hold && once_in(3));
		hold_slots(n, hold, which);
	}
}

static int by_from(const void *a, const void *b)
{
	const struct ga_fleet_window *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void make_node(struct node *n)
{
	static const char *const whys[] = { "cordoned", "node_draining", "node_quarantined",
					    "node_enrolled", "iommu_off" };
	size_t i;

	memset(n, 0, sizeof(*n));
	n->mode = once_in(4) ? "baremetal" : "slice";
	n->why = once_in(8) ? whys[below(GA_ARRAY_SIZE(whys))] : NULL;
	n->pool = once_in(4) ? "east" : "west";
	n->images[0] = once_in(6) ? NULL : "tiny";
	n->images[1] = once_in(2) ? NULL : "other";
	n->old = once_in(8);
	n->partitioned = once_in(3);
	n->slots = (size_t)below(SLOTS + 1);
	for (i = 0; i < n->slots; i++)
		make_slot(&n->slot[i]);
	make_holds(n);
	n->n_windows = once_in(2) ? (size_t)below(5) : 0;
	for (i = 0; i < n->n_windows; i++) {
		int64_t from = NOW + (below(12) - 4) * 10 * MINUTE;

		n->windows[i] = (struct ga_fleet_window){ from, from + (1 + below(5)) * 10 * MINUTE,
							  "fans" };
	}
	qsort(n->windows, n->n_windows, sizeof(*n->windows), by_from);
}

static void make_profile(struct ga_profile *p)
{
	static const int64_t counts[][5] = { { 1, 2, 4, 8 }, { 1 }, { 2 }, { 3 }, { 8, 2 },
					     { 4, 3 },	     { 0 }, { 5, 1 } };
	const int64_t *c = counts[below(GA_ARRAY_SIZE(counts))];
	size_t i, first = (size_t)below(2);

	ga_schema_init(&ga_profile_schema, p);
	p->name = word("p");
	p->shape = word(once_in(4) ? "baremetal" : "slice");
	p->image = once_in(4) ? NULL : word("tiny");
	p->pool = once_in(6) ? word("east") : NULL;
	for (; *c; c++)
		*ga_list_add(&p->counts) = *c;
	for (i = 0; i < (size_t)(once_in(2) ? below(3) : 0); i++)
		*ga_list_add(&p->types) = word(types[(first + i) % 2]);
	p->memory_mib_per_gpu = once_in(3) ? 1024 : GA_UNKNOWN;
	p->vcpus_per_gpu = once_in(3) ? 8 : GA_UNKNOWN;
}

static void make_world(struct world *w)
{
	size_t i;

	w->nodes = (size_t)(1 + below(NODES));
	for (i = 0; i < w->nodes; i++)
		if (i && once_in(3)) /* equal nodes */
			w->node[i] = w->node[below((int64_t)i)];
		else
			make_node(&w->node[i]);
	make_profile(&w->profile);
}

/* ---- the fleet at a time ---- */

/* The end of a broken slot is not expected, nor that of slots that are held with it. */
static bool has_ended(const struct node *n, int hold, int64_t at)
{
	size_t i;

	for (i = 0; i < n->slots; i++)
		if (n->slot[i].hold == hold && (n->slot[i].ends > at || n->slot[i].why))
			return false;
	return true;
}

static void draw_partitions(const struct node *n, int64_t at, struct ga_fleet_node *ret)
{
	size_t p, i;
	int hold;

	ret->partitions_in_use = n->partitioned;
	for (p = 0; n->partitioned && p < GA_ARRAY_SIZE(partitions); p++) {
		struct ga_partition *to = ga_list_add(&ret->partitions);

		to->id = partitions[p].id;
		to->active = 0;
		for (i = 0; i < SLOTS && partitions[p].modules[i]; i++)
			*ga_list_add(&to->module_ids) = partitions[p].modules[i];
		for (hold = 1; hold <= SLOTS; hold++)
			if (n->partition_of[hold] == to->id && !has_ended(n, hold, at))
				to->active = 1;
	}
}

/* A broken slot is broken when its wipe has ended, too. */
static const char *slot_why(const struct slot *s, int64_t at)
{
	if (s->hold && s->ends > at)
		return s->ends == NEVER ? "in_use" : "waiting_for_wipe";
	return s->why;
}

static void draw_node(struct ga_fleet *f, const struct node *n, int64_t at)
{
	struct ga_fleet_node *ret = ga_list_add(&f->nodes);
	size_t i;
	int hold;

	ret->id = ga_xprintf("n%zu", f->nodes.n);
	ret->mode = ga_fleet_word(f, n->mode);
	ret->pool = ga_fleet_word(f, n->pool);
	ret->clean = true;
	for (hold = 1; hold <= SLOTS; hold++)
		ret->clean = ret->clean && has_ended(n, hold, at);
	ret->why = ga_fleet_word(f, n->why ? n->why :
				    n->whole && !ret->clean ? "held_by_baremetal" : NULL);
	ret->observed_micros = n->old ? 1 : NOW;
	for (i = 0; i < 2; i++)
		if (n->images[i])
			*ga_list_add(&ret->images) = ga_fleet_word(f, n->images[i]);
	for (i = 0; i < n->slots; i++) {
		const char *why = slot_why(&n->slot[i], at);

		*ga_list_add(&ret->slots) = (struct ga_fleet_slot){
			.id = ga_xprintf("%s-%zu", ret->id, i),
			.slot_index = (int64_t)i,
			.numa_node = (int64_t)i / 4,
			.module_id = (int64_t)i + 1,
			.type = ga_fleet_word(f, n->slot[i].type),
			.memory_mib = n->slot[i].memory_mib,
			.cpus = n->slot[i].cpus,
			.free = !why,
			.why = ga_fleet_word(f, why),
		};
	}
	draw_partitions(n, at, ret);
	for (i = 0; i < n->n_windows; i++)
		*ga_list_add(&ret->windows) = n->windows[i];
}

static void draw(const struct world *w, int64_t at, struct ga_fleet *ret)
{
	size_t i;

	*ret = (struct ga_fleet){ .now_micros = at, .stale_micros = 2 };
	for (i = 0; i < w->nodes; i++)
		draw_node(ret, &w->node[i], at);
}

/* ---- what requests get ---- */

/* Places a request that names the profile and nothing else: the GPUs that it gets. Where the
 * profile has no image it names one, whichever helps. */
static int64_t get(struct ga_fleet *f, const struct ga_profile *p, int64_t count,
		   int64_t *by_type)
{
	static const char *const images[] = { "tiny", "other" };
	struct ga_request r;
	int64_t got = 0;
	size_t i, j, k;

	ga_schema_init(&ga_request_schema, &r);
	r.count = count;
	for (i = 0; !got && i < (p->image ? 1 : GA_ARRAY_SIZE(images)); i++) {
		struct ga_decision d;

		r.image = p->image ? NULL : word(images[i]);
		ga_place(f, &r, p, false, &d);
		got = (int64_t)d.slots.n;
		for (j = 0; j < d.slots.n; j++)
			for (k = 0; k < GA_ARRAY_SIZE(types); k++)
				by_type[k] += ga_streq(d.slots.v[j]->type, types[k]) ||
					      (!types[k] && !d.slots.v[j]->type);
		if (d.placed)
			ga_fleet_take(f, &d);
		ga_decision_release(&d);
	}
	return got;
}

static int by_number_down(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? 1 : *x > *y ? -1 : 0;
}

/* The counts that a request may have, largest first; a baremetal request has none. */
static size_t counts_of(const struct ga_profile *p, int64_t *ret)
{
	size_t i;

	if (ga_streq(p->shape, "baremetal")) {
		ret[0] = GA_UNKNOWN;
		return 1;
	}
	for (i = 0; i < p->counts.n; i++)
		ret[i] = p->counts.v[i];
	for (; !p->counts.n && i < SLOTS; i++)
		ret[i] = (int64_t)(SLOTS - i);
	qsort(ret, i, sizeof(*ret), by_number_down);
	return i;
}

static void drop(struct ga_fleet *f, struct world *w)
{
	ga_fleet_release(f);
	if (!w)
		return;
	ga_list_release(&w->profile.counts);
	ga_list_release(&w->profile.types);
}

/* "available largest: of each type" */
static char *said(const struct world *w, int64_t *available)
{
	ga_autooffer struct ga_offer_numbers n;
	int64_t of[GA_ARRAY_SIZE(types)] = { 0 };
	struct ga_fleet f;
	size_t i, k;
	char *text;

	draw(w, NOW, &f);
	ga_offer_count(&f, &w->profile, &n);
	for (i = 0; i < n.types.n; i++)
		for (k = 0; k < GA_ARRAY_SIZE(types); k++)
			if (ga_streq(n.types.v[i].type, types[k]) ||
			    (!types[k] && !n.types.v[i].type))
				of[k] += n.types.v[i].available;
	*available = n.available;
	text = ga_xprintf("%lld %lld: %lld %lld %lld", (long long)n.available,
			  (long long)n.largest, (long long)of[0], (long long)of[1],
			  (long long)of[2]);
	drop(&f, NULL);
	return text;
}

static char *given(const struct world *w)
{
	int64_t of[GA_ARRAY_SIZE(types)] = { 0 }, counts[SLOTS], got, all = 0, largest = 0;
	size_t n = counts_of(&w->profile, counts), i;
	struct ga_fleet f;

	draw(w, NOW, &f);
	for (i = 0; i < n; i++)
		while ((got = get(&f, &w->profile, counts[i], of)) > 0) {
			all += got;
			largest = got > largest ? got : largest;
		}
	drop(&f, NULL);
	return ga_xprintf("%lld %lld: %lld %lld %lld", (long long)all, (long long)largest,
			  (long long)of[0], (long long)of[1], (long long)of[2]);
}

/* ---- and when ---- */

static int by_slot(const void *a, const void *b)
{
	const struct ga_offer_soon *x = a, *y = b;

	return strcmp(x->slot, y->slot);
}

static int64_t expected(const struct world *w)
{
	struct ga_offer_soon soon[NODES * SLOTS];
	struct ga_offer_expected e;
	struct ga_fleet f;
	size_t i, j, n = 0;

	draw(w, NOW, &f);
	for (i = 0; i < w->nodes; i++)
		for (j = 0; j < w->node[i].slots; j++) {
			const struct slot *s = &w->node[i].slot[j];

			if (s->hold && !s->why && s->ends > NOW && s->ends != NEVER)
				soon[n++] = (struct ga_offer_soon){ f.nodes.v[i].slots.v[j].id,
								    s->ends, "wiping" };
		}
	qsort(soon, n, sizeof(*soon), by_slot);
	ga_offer_expect(&f, &w->profile, soon, n, &e);
	drop(&f, NULL);
	return e.at_micros;
}

/* All that ends does so at a full ten minutes. */
static int64_t first_placed(const struct world *w)
{
	int64_t counts[SLOTS], of[GA_ARRAY_SIZE(types)], at, got;
	size_t n = counts_of(&w->profile, counts);

	for (at = NOW; at <= NOW + 200 * MINUTE; at += 10 * MINUTE) {
		struct ga_fleet f;

		draw(w, at, &f);
		got = get(&f, &w->profile, counts[n - 1], of);
		drop(&f, NULL);
		if (got)
			return at;
	}
	return GA_UNKNOWN;
}

/* ---- and why not ---- */

/* The refusal that placement gives to the request; the one reason of all nodes says more than "not
 * ready". NULL: it places the request. */
static char *placed_code(const struct ga_fleet *f, const struct ga_profile *p, const char *type,
			 int64_t count)
{
	const struct ga_refusal *refusal;
	struct ga_decision d;
	struct ga_request r;
	char *code = NULL;
	size_t i;

	ga_schema_init(&ga_request_schema, &r);
	r.count = count;
	if (type)
		ga_texts_add(&r.types, type);
	ga_place(f, &r, p, false, &d);
	refusal = &d.refusal;
	for (i = 1; i < refusal->nodes.n; i++)
		if (!ga_streq(refusal->nodes.v[i].code, refusal->nodes.v[0].code))
			break;
	if (!d.placed)
		code = ga_xstrdup(ga_streq(refusal->code, "not_ready") && refusal->nodes.n &&
						  i >= refusal->nodes.n ?
					  refusal->nodes.v[0].code :
					  refusal->code);
	ga_decision_release(&d);
	ga_schema_release(&ga_request_schema, &r);
	return code;
}

/* Whether each number of GPUs that requests get has no reason against it, and each other number has
 * one; type NULL: of the profile. */
static bool has_reasons(struct ga_offer_refuser *r, const struct ga_profile *p, const char *type,
			const struct ga_ints *counts, int64_t largest)
{
	bool baremetal = ga_streq(p->shape, "baremetal"), right;
	ga_autofree char *smallest = NULL;
	int64_t count;

	smallest = ga_offer_refusal(r, p, type, GA_UNKNOWN);
	right = largest || smallest;
	for (count = 1; count <= SLOTS; count++) {
		ga_autofree char *code = ga_offer_refusal(r, p, type, count);

		if (p->image || baremetal) {
			ga_autofree char *placed = placed_code(r->fleet, p, type, count);

			right = right && ga_streq(code, placed);
		}
		right = right && (code == NULL) == (baremetal ? count <= largest :
						       ga_ints_have(counts->v, counts->n, count));
	}
	return right;
}

static bool why_not(const struct world *w)
{
	struct ga_offer_refuser r = { 0 };
	ga_autooffer struct ga_offer_numbers n;
	ga_autofree char *mixed = NULL;
	struct ga_fleet f;
	bool right;
	size_t i;

	draw(w, NOW, &f);
	r.fleet = &f;
	ga_offer_count(&f, &w->profile, &n);
	right = has_reasons(&r, &w->profile, NULL, &n.counts, n.largest);
	for (i = 0; i < n.types.n; i++)
		if (n.types.v[i].type)
			right = has_reasons(&r, &w->profile, n.types.v[i].type,
					    &n.types.v[i].counts, n.types.v[i].largest) && right;
	mixed = n.mixed.total ? ga_offer_mixed_refusal(&r, &w->profile, GA_UNKNOWN) : NULL;
	right = right && (mixed == NULL) == (!n.mixed.total || n.mixed.machines_now.n);
	ga_offer_refuser_release(&r);
	drop(&f, NULL);
	return right;
}

int main(void)
{
	int i, wrong = 0, when_wrong = 0, why_wrong = 0, some = 0, later = 0;

	rnd = t_seed() | 1;
	for (i = 0; i < WORLDS; i++) {
		ga_autofree char *a = NULL, *b = NULL;
		int64_t available, when = GA_UNKNOWN, first = GA_UNKNOWN;
		struct ga_fleet none = { 0 };
		struct world w;

		make_world(&w);
		a = said(&w, &available);
		b = given(&w);
		if (!ga_streq(a, b) && wrong++ < 3)
			t_str(a, b, "world %d: what is available is what requests get", i);
		some += available > 0;
		if (!available) {
			when = expected(&w);
			first = first_placed(&w);
		}
		why_wrong += !why_not(&w);
		later += when != GA_UNKNOWN;
		if (when != first && when_wrong++ < 3)
			t_int(when, first, "world %d: the first is placed when it is expected", i);
		drop(&none, &w);
	}
	t_ok(!wrong && some > WORLDS / 10, "%d worlds, in %d something is available", i, some);
	t_ok(!when_wrong && later > WORLDS / 20, "in %d worlds it is expected, and comes", later);
	t_ok(!why_wrong, "what requests do not get has a reason, and nothing else has (wrong: %d)",
	     why_wrong);
	return t_done();
}
