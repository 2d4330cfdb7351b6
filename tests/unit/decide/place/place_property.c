/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placement over random fleets from a printed seed. It never gives a slot that is not free. It
 * keeps to one node, to legal partitions and to allowed counts. It takes its own decisions into
 * account until nothing fits. It refuses only when nothing fits, and reports a missing type only
 * when the type is missing. The order of the fleet does not change the answer. It never gives a
 * type that profile or request do not name, or a later type where an earlier one fits.
 */
#include <string.h>

#include "decide/place/place.h"
#include "record/state.h"
#include "t.h"

#define FLEETS 60
#define SHUFFLES 100

static uint64_t rnd;

static int64_t below(int64_t n)
{
	return (int64_t)(t_random(&rnd) % (uint64_t)n);
}

static const char *const type_words[] = { "h200", "b200", "a100" };

static void add_slot(struct ga_fleet *f, struct ga_fleet_node *n, int64_t index)
{
	static const char *const whys[] = { "in_use", "waiting_for_wipe", "fabric_vf_shared" };
	const char *why = below(3) ? NULL : whys[below(3)];

	*ga_list_add(&n->slots) = (struct ga_fleet_slot){
		.id = ga_xprintf("%s-%lld", n->id, (long long)index),
		.slot_index = index,
		.generation = 1,
		.numa_node = index / 4,
		.module_id = index + 1,
		.type = ga_fleet_word(f, below(9) ? type_words[below(4) ? 0 : 1 + below(2)] : NULL),
		.memory_mib = 1024,
		.cpus = 8,
		.free = !why,
		.why = ga_fleet_word(f, why),
	};
	n->clean = n->clean && !ga_streq(why, "in_use");
}

static void add_partitions(struct ga_fleet_node *n)
{
	int64_t size, i, j, id = 0;

	n->partitions_in_use = true;
	for (size = 8; size; size /= 2) {
		for (i = 0; i < 8 / size; i++) {
			struct ga_partition *p = ga_list_add(&n->partitions);

			p->id = id++;
			for (j = 0; j < size; j++)
				*ga_list_add(&p->module_ids) = 1 + i * size + j;
		}
	}
}

static void make_fleet(struct ga_fleet *f)
{
	int64_t nodes = 1 + below(8), i, j;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < nodes; i++) {
		struct ga_fleet_node *n = ga_list_add(&f->nodes);
		int64_t slots = 1 + below(8);

		n->id = ga_xprintf("n%lld", (long long)i);
		n->mode = ga_fleet_word(f, below(6) ? "slice" : "baremetal");
		n->why = below(8) ? NULL : "node_draining";
		n->clean = true;
		if (below(6))
			*ga_list_add(&n->images) = ga_fleet_word(f, "tiny");
		for (j = 0; j < slots; j++)
			add_slot(f, n, j);
		if (!below(3))
			add_partitions(n);
	}
}

/* None, or up to three in a row. */
static void some_types(char **v, size_t *n)
{
	size_t first = (size_t)below(3), i;

	*n = below(3) ? (size_t)below(4) : 0;
	for (i = 0; i < *n; i++)
		v[i] = (char *)(uintptr_t)type_words[(first + i) % 3];
}

static void make_request(struct ga_request *r, struct ga_profile *p)
{
	static char *named[3], *asked[3];
	static char word[] = "p", slice[] = "slice", bare[] = "baremetal", tiny[] = "tiny";

	ga_schema_init(&ga_request_schema, r);
	r->count = 1 << below(4);
	p->version++; /* what is remembered is remembered by it */
	p->types.v = named;
	r->types.v = asked;
	some_types(named, &p->types.n);
	some_types(asked, &r->types.n);
	p->name = word;
	p->image = tiny;
	p->shape = below(8) ? slice : bare;
}

/* ---- what must hold of a decision ---- */

static bool has(char *const *v, size_t n, const char *type)
{
	size_t i;

	for (i = 0; type && i < n; i++)
		if (ga_streq(v[i], type))
			return true;
	return !n;
}

/* By the lists of the profile and of the request, whichever of them there are. */
static bool is_allowed(const struct ga_request *r, const struct ga_profile *p, const char *type)
{
	return has(p->types.v, p->types.n, type) && has(r->types.v, r->types.n, type);
}

static bool is_partition(const struct ga_fleet_node *n, const struct ga_decision *d)
{
	size_t i, j, k;

	for (i = 0; i < n->partitions.n; i++) {
		const struct ga_partition *p = &n->partitions.v[i];
		size_t found = 0;

		if (p->id != d->fabric_partition || p->module_ids.n != d->slots.n)
			continue;
		for (j = 0; j < d->slots.n; j++)
			for (k = 0; k < p->module_ids.n; k++)
				found += p->module_ids.v[k] == d->slots.v[j]->module_id;
		return found == d->slots.n && p->active != 1;
	}
	return false;
}

static bool holds(const struct ga_request *r, const struct ga_profile *p,
		  const struct ga_decision *d)
{
	bool baremetal = ga_place_is_baremetal(r, p);
	size_t i;

	if (d->node->why || d->slots.n != (baremetal ? d->node->slots.n : (size_t)r->count))
		return false;
	for (i = 0; i < d->slots.n; i++) {
		const struct ga_fleet_slot *s = d->slots.v[i];

		if (!s->free || s < d->node->slots.v || s >= d->node->slots.v + d->node->slots.n ||
		    (i && d->slots.v[i - 1]->slot_index >= s->slot_index))
			return false;
		if ((!baremetal && s->type != d->type) || !is_allowed(r, p, s->type))
			return false;
	}
	return baremetal || !d->node->partitions_in_use || is_partition(d->node, d);
}

/* The plainest possible reader of the rules: could any node take a slice of this size and type? */
static bool fits_type(const struct ga_fleet *f, const struct ga_request *r, const char *type)
{
	size_t i, j;

	for (i = 0; i < f->nodes.n; i++) {
		const struct ga_fleet_node *n = &f->nodes.v[i];
		int64_t free = 0;

		if (n->why || !n->images.n || !ga_streq(n->mode, "slice") || n->partitions_in_use)
			continue;
		for (j = 0; j < n->slots.n; j++)
			free += n->slots.v[j].free && ga_streq(n->slots.v[j].type, type);
		if (free >= r->count)
			return true;
	}
	return false;
}

static bool fits_somewhere(const struct ga_fleet *f, const struct ga_request *r,
			   const struct ga_profile *p)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(type_words); i++)
		if (is_allowed(r, p, type_words[i]) && fits_type(f, r, type_words[i]))
			return true;
	return is_allowed(r, p, NULL) && fits_type(f, r, NULL);
}

/* A refusal says that a type is missing where it is, and nowhere else. */
static bool tells_missing(const struct ga_fleet *f, const struct ga_request *r,
			  const struct ga_profile *p, const struct ga_decision *d)
{
	size_t i, j;

	for (i = 0; i < f->nodes.n; i++)
		for (j = 0; j < f->nodes.v[i].slots.n; j++)
			if (is_allowed(r, p, f->nodes.v[i].slots.v[j].type))
				return !ga_streq(d->refusal.code, "type_missing");
	return ga_streq(d->refusal.code, "type_missing");
}

/* A slice is on no later type than the first that fits, and what is not the first says why. */
static bool is_preferred(const struct ga_fleet *f, const struct ga_request *r,
			 const struct ga_profile *p, const struct ga_decision *d)
{
	char *const *order = r->types.n ? r->types.v : p->types.v;
	size_t n = r->types.n ? r->types.n : p->types.n, i;

	if (ga_place_is_baremetal(r, p) || !n)
		return true;
	for (i = 0; i < n && !ga_streq(order[i], d->type); i++)
		if (is_allowed(r, p, order[i]) && fits_type(f, r, order[i]))
			return false;
	return i < n && (i > 0) == (d->type_reason != NULL);
}

static char *describe(const struct ga_decision *d)
{
	struct ga_str s = GA_STR_INIT;
	size_t i;

	if (!d->placed)
		ga_str_addf(&s, "%s %s", d->refusal.code, d->refusal.sentence);
	for (i = 0; d->placed && i < d->slots.n; i++)
		ga_str_addf(&s, "%s ", d->slots.v[i]->id);
	return ga_str_take(&s);
}

static void shuffle(struct ga_fleet *f)
{
	size_t i, j, k;

	for (i = f->nodes.n; i-- > 1;) {
		struct ga_fleet_node n = f->nodes.v[i];

		j = (size_t)below((int64_t)i + 1);
		f->nodes.v[i] = f->nodes.v[j];
		f->nodes.v[j] = n;
	}
	for (k = 0; k < f->nodes.n; k++) {
		struct ga_fleet_node *n = &f->nodes.v[k];

		for (i = n->slots.n; i-- > 1;) {
			struct ga_fleet_slot s = n->slots.v[i];

			j = (size_t)below((int64_t)i + 1);
			n->slots.v[i] = n->slots.v[j];
			n->slots.v[j] = s;
		}
	}
}

static bool same_when_shuffled(struct ga_fleet *f, const struct ga_request *r,
			       const struct ga_profile *p)
{
	ga_autofree char *first = NULL;
	bool same = true;
	int i;

	for (i = 0; i < SHUFFLES; i++) {
		ga_autofree char *text = NULL;
		struct ga_decision d;

		ga_place(f, r, p, false, &d);
		text = describe(&d);
		ga_decision_release(&d);
		same = same && (!first || ga_streq(first, text));
		if (!same)
			printf("# '%s' and '%s'\n", first, text);
		if (!first)
			first = ga_xstrdup(text);
		shuffle(f);
	}
	return same;
}

/* A decision on the nodes with claims that beats_clean is the decision on all. */
static bool held_suffice(struct ga_fleet *f, const struct ga_request *r,
			 const struct ga_profile *p, int *decided)
{
	const char *whys[8];
	ga_autofree char *some = NULL, *all = NULL;
	struct ga_decision d;
	bool enough;
	size_t i;

	for (i = 0; i < f->nodes.n; i++) {
		whys[i] = f->nodes.v[i].why;
		if (f->nodes.v[i].clean)
			f->nodes.v[i].why = "left_out";
	}
	ga_place(f, r, p, false, &d);
	enough = d.placed && d.beats_clean;
	some = describe(&d);
	ga_decision_release(&d);
	for (i = 0; i < f->nodes.n; i++)
		f->nodes.v[i].why = whys[i];
	if (!enough)
		return true;
	ga_place(f, r, p, false, &d);
	all = describe(&d);
	ga_decision_release(&d);
	(*decided)++;
	return ga_streq(some, all);
}

static void one_fleet(int number)
{
	struct ga_profile profile;
	struct ga_fleet f;
	int64_t counts[] = { 1, 2, 4, 8 };
	int i, placed = 0, refused = 0, decided = 0;
	bool good = true, right = true, held = true;

	ga_schema_init(&ga_profile_schema, &profile);
	for (i = 0; i < 4; i++)
		*ga_list_add(&profile.counts) = counts[i];
	make_fleet(&f);
	for (i = 0; i < 200 && refused < 40; i++) {
		struct ga_request r;
		struct ga_decision d;

		make_request(&r, &profile);
		if (i == 0)
			t_ok(same_when_shuffled(&f, &r, &profile),
			     "fleet %d: the same in any order", number);
		held = held && held_suffice(&f, &r, &profile, &decided);
		ga_place(&f, &r, &profile, false, &d);
		if (d.placed) {
			placed++;
			good = good && holds(&r, &profile, &d) &&
			       is_preferred(&f, &r, &profile, &d);
			ga_fleet_take(&f, &d);
		} else {
			refused++;
			if (!ga_place_is_baremetal(&r, &profile))
				right = right && !fits_somewhere(&f, &r, &profile) &&
					tells_missing(&f, &r, &profile, &d);
		}
		ga_decision_release(&d);
	}
	t_ok(good, "fleet %d: %d placements keep the rules", number, placed);
	t_ok(right, "fleet %d: %d refusals, and nothing would have fitted", number, refused);
	t_ok(held, "fleet %d: %d times the held nodes were enough to decide on", number, decided);
	ga_list_release(&profile.counts);
	ga_fleet_release(&f);
}

/* ---- what is remembered ---- */

/* One of more kinds of requests than are remembered. */
static void kind_of_request(struct ga_request *r, struct ga_profile *p)
{
	static char word[] = "p", slice[] = "slice", bare[] = "baremetal", tiny[] = "tiny",
		    other[] = "other";
	static char *h200[1], *any[2];

	h200[0] = (char *)(uintptr_t)type_words[0];
	any[0] = (char *)(uintptr_t)type_words[2];
	any[1] = h200[0];
	memset(p, 0, sizeof(*p));
	ga_schema_init(&ga_request_schema, r);
	r->count = 1 << below(4);
	r->image = below(12) ? NULL : other;
	r->shape = below(6) ? NULL : bare;
	p->memory_mib_per_gpu = p->vcpus_per_gpu = GA_UNKNOWN;
	p->name = word;
	p->image = tiny;
	p->version = below(2);
	p->shape = slice;
	p->types.v = p->version ? h200 : any;
	p->types.n = p->version ? 1 : 2;
}

static void free_some(struct ga_fleet *f)
{
	struct ga_fleet_node *n = &f->nodes.v[below((int64_t)f->nodes.n)];
	size_t i;

	for (i = 0; i < n->slots.n; i++)
		if (below(2)) {
			n->slots.v[i].free = true;
			n->slots.v[i].why = NULL;
		}
	for (i = 0; i < n->partitions.n; i++)
		n->partitions.v[i].active = 0;
	ga_fleet_touch(f, n);
}

static void remembered(void)
{
	struct ga_profile p = { 0 };
	struct ga_request r;
	struct ga_fleet f;
	int i, step, placed = 0, steps = 0;
	bool same = true;

	for (i = 0; i < FLEETS && same; i++) {
		make_fleet(&f);
		for (step = 0; step < (int)f.nodes.n; step++)
			ga_fleet_touch(&f, &f.nodes.v[step]);
		for (step = 0; step < 200 && same; step++, steps++) {
			struct ga_fleet forgetful = f; /* borrows all but what is remembered */
			struct ga_decision d, fresh;
			ga_autofree char *a = NULL, *b = NULL;

			forgetful.memo = NULL;
			kind_of_request(&r, &p);
			ga_place(&f, &r, &p, false, &d);
			ga_place(&forgetful, &r, &p, false, &fresh);
			a = describe(&d);
			b = describe(&fresh);
			same = ga_streq(a, b);
			if (!same)
				t_str(a, b, "fleet %d, step %d", i, step);
			placed += d.placed;
			if (d.placed && below(3))
				ga_fleet_take(&f, &d);
			if (!below(4))
				free_some(&f);
			ga_decision_release(&d);
			ga_decision_release(&fresh);
		}
		ga_fleet_release(&f);
	}
	t_ok(same && placed > steps / 10, "%d decisions, %d of them plans, remembered or not",
	     steps, placed);
}

int main(void)
{
	int i;

	rnd = t_seed() | 1;
	for (i = 0; i < FLEETS; i++)
		one_fleet(i);
	remembered();
	return t_done();
}
