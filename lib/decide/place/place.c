/* SPDX-License-Identifier: Apache-2.0 */
/* Placement: the best offer of all nodes by a lexicographic score, or a refusal with its reason. */
#include "decide/place/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "decide/place/score.h"
#include "record/state.h"

const char *ga_fleet_word(struct ga_fleet *f, const char *text)
{
	size_t i;

	if (!text)
		return NULL;
	/* A fleet has few different words; the latest are the likeliest. */
	for (i = f->words.n; i-- > 0;)
		if (!strcmp(f->words.v[i], text))
			return f->words.v[i];
	return *ga_list_add(&f->words) = ga_xstrdup(text);
}

void ga_fleet_node_release(struct ga_fleet_node *node)
{
	size_t i;

	for (i = 0; i < node->slots.n; i++)
		free(node->slots.v[i].id);
	for (i = 0; i < node->partitions.n; i++)
		ga_list_release(&node->partitions.v[i].module_ids);
	ga_list_release(&node->slots);
	ga_list_release(&node->partitions);
	ga_list_release(&node->images);
	ga_list_release(&node->windows);
	free(node->id);
	memset(node, 0, sizeof(*node));
}

void ga_fleet_release(struct ga_fleet *f)
{
	size_t i;

	for (i = 0; i < f->nodes.n; i++)
		ga_fleet_node_release(&f->nodes.v[i]);
	for (i = 0; i < f->words.n; i++)
		free(f->words.v[i]);
	ga_list_release(&f->nodes);
	ga_list_release(&f->words);
	ga_list_release(&f->types);
	ga_list_release(&f->regions);
	ga_place_memo_release(f->memo);
	memset(f, 0, sizeof(*f));
}

void ga_decision_release(struct ga_decision *d)
{
	ga_list_release(&d->slots);
	free(d->type_reason);
	ga_schema_release(&ga_refusal_schema, &d->refusal);
	ga_schema_release(&ga_explanation_schema, &d->explanation);
	memset(d, 0, sizeof(*d));
}

const struct ga_fleet_region *ga_fleet_closed(const struct ga_fleet *fleet, const char *region)
{
	size_t i;

	for (i = 0; region && i < fleet->regions.n; i++) {
		const struct ga_fleet_region *r = &fleet->regions.v[i];

		/* Equal texts of a fleet are mostly one pointer. */
		if (!r->open && (r->name == region || ga_streq(r->name, region)))
			return r;
	}
	return NULL;
}

bool ga_fleet_has_region(const struct ga_fleet *fleet, const char *region)
{
	size_t i;

	for (i = 0; i < fleet->regions.n; i++)
		if (ga_streq(fleet->regions.v[i].name, region))
			return true;
	for (i = 0; i < fleet->nodes.n; i++)
		if (ga_streq(fleet->nodes.v[i].region, region))
			return true;
	return false;
}

const struct ga_fleet_window *ga_fleet_window_in_way(const struct ga_fleet *fleet,
						     const struct ga_fleet_node *node,
						     int64_t run_seconds)
{
	int64_t now = fleet->now_micros;
	size_t i;

	for (i = 0; now && i < node->windows.n; i++) {
		const struct ga_fleet_window *w = &node->windows.v[i];

		if (w->to > now && (run_seconds == GA_UNKNOWN || w->from <= now ||
				    (w->from - now) / GA_SECOND < run_seconds))
			return w;
	}
	return NULL;
}

/* ---- explanations ---- */

static void add_term(struct ga_node_answer *answer, const char *name, int64_t value)
{
	*ga_list_add(&answer->terms) =
		(struct ga_term){ .name = ga_xstrdup(name), .value = value };
}

static void explain_node(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			 const struct ga_fleet_node *taken, struct ga_explanation *ret)
{
	struct ga_node_answer *answer = ga_list_add(&ret->nodes);
	struct ga_place_option o;
	const char *why = ga_place_offer(ask, node, &o);
	size_t i;

	answer->node = ga_xstrdup(node->id);
	answer->taken = node == taken;
	if (why) {
		answer->code = ga_xstrdup(why);
		answer->detail = ga_strdup0(ga_place_node_detail(ask, node, why));
		return;
	}
	for (i = 0; i < GA_TERM_COUNT; i++)
		add_term(answer, ga_place_term_names[i], o.terms[i]);
	add_term(answer, "lowest_index", o.slots[0]->slot_index);
	if (node != taken) {
		answer->code = ga_xstrdup("worse_score");
		answer->detail = ga_xprintf("node '%s' comes first", taken->id);
	}
}

static int by_node(const void *a, const void *b)
{
	const struct ga_node_answer *x = a, *y = b;

	return strcmp(x->node, y->node);
}

/* ---- why the placement is on a type other than the first ---- */

/* The slots of one type in the fleet. */
struct stock {
	bool any;     /* some node has the type */
	int64_t free; /* most free slots of the type on one node that is not out */
	const struct ga_fleet_node *near; /* that node; NULL: no node has a free slot */
	const struct ga_fleet_node *out;  /* a node with free slots that is out, or NULL */
	const char *why_out;
};

static void take_stock(const struct ga_place_ask *ask, const char *type, struct stock *ret)
{
	size_t i, j;

	*ret = (struct stock){ .any = false };
	for (i = 0; i < ask->fleet->nodes.n; i++) {
		const struct ga_fleet_node *node = &ask->fleet->nodes.v[i];
		const char *out = ga_place_node_reason(ask, node);
		int64_t free = 0;

		for (j = 0; j < node->slots.n; j++) {
			const char *its = node->slots.v[j].type;

			if (its != type && !ga_streq(its, type))
				continue;
			ret->any = true;
			free += !ga_place_slot_reason(ask, &node->slots.v[j]);
		}
		/* The lowest id wins, so that the order of the fleet does not change the
		 * sentence. */
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

/* Adds why no node gave that type. */
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
		if (!ga_place_allows_type(ask, type))
			ga_str_addf(out, "app '%s' does not run on %s", ask->limits->app, type);
		else
			ga_str_addf(out, "%s is not of profile '%s', or has too little memory",
				    type, ask->profile->name);
		return;
	}
	take_stock(&one, type, &stock);
	if (!stock.any) {
		ga_str_addf(out, "no node has %s", type);
	} else if (!stock.free && stock.out) {
		ga_str_addf(out, "%s was free on no usable node (%s on '%s')", type,
			    stock.why_out, stock.out->id);
	} else if (!stock.free) {
		ga_str_addf(out, "%s had no free slot on any node", type);
	} else if (ask->baremetal) {
		ga_str_addf(out, "no node with only %s was free for baremetal", type);
	} else if (stock.free < ask->count) {
		ga_str_addf(out, "%s had at most %lld free on one node, not %lld", type,
			    (long long)stock.free, (long long)ask->count);
	} else {
		why = ga_place_offer(&one, stock.near, &o);
		ga_str_addf(out, "no node could provide %s (%s on '%s')", type,
			    why ? why : "not_ready", stock.near->id);
	}
}

/* The sentence why a placement is on the type at position rank of the order; allocated. NULL for
 * the first position, and when the order is empty. type: that of the devices; NULL: several. */
static char *type_reason(const struct ga_place_ask *ask, const char *type, int64_t rank)
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
		ga_str_addf(&out, "; %lld more types before it did not fit either",
			    (long long)rank - (long long)i);
	ga_str_addf(&out, ": %s is ", type ? type : ask->types[rank]);
	if (rank < (int64_t)GA_ARRAY_SIZE(words))
		ga_str_addf(&out, "%s", words[rank]);
	else
		ga_str_addf(&out, "number %lld", (long long)rank + 1);
	ga_str_add(&out, " in the order");
	return ga_str_take(&out);
}

/* ---- the decision ---- */

static bool count_is_allowed(const struct ga_place_ask *ask)
{
	size_t i;

	if (ask->baremetal || !ask->profile->counts.n)
		return true;
	for (i = 0; i < ask->profile->counts.n; i++)
		if (ask->profile->counts.v[i] == ask->count)
			return true;
	return false;
}

/* Finds the best option. o holds two: the best so far and the current one. */
static bool best_offer(const struct ga_place_ask *ask, struct ga_place_option o[2], size_t *best)
{
	const struct ga_fleet_node *node;
	bool any = false, knows;
	size_t i;

	*best = 0;
	node = ga_place_memo_best(ask, &knows);
	if (knows)
		return node && !ga_place_offer(ask, node, &o[0]);
	for (i = 0; i < ask->fleet->nodes.n; i++) {
		size_t other = any ? !*best : 0;

		if (ga_place_offer(ask, &ask->fleet->nodes.v[i], &o[other]))
			continue;
		if (!any || ga_place_compare(&o[other], &o[*best]) < 0)
			*best = other;
		any = true;
	}
	return any;
}

void ga_place(const struct ga_fleet *fleet, const struct ga_request *request,
	      const struct ga_profile *profile, bool explain, struct ga_decision *ret)
{
	ga_place_within(fleet, request, profile, NULL, explain, ret);
}

void ga_place_within(const struct ga_fleet *fleet, const struct ga_request *request,
		     const struct ga_profile *profile, const struct ga_place_limits *limits,
		     bool explain, struct ga_decision *ret)
{
	struct ga_place_option o[2];
	struct ga_place_ask ask;
	size_t best, i;

	memset(ret, 0, sizeof(*ret));
	ga_schema_init(&ga_refusal_schema, &ret->refusal);
	ga_schema_init(&ga_explanation_schema, &ret->explanation);
	ret->fabric_partition = GA_UNKNOWN;
	ga_place_asked(fleet, request, profile, &ask);
	ask.limits = limits;
	if (!count_is_allowed(&ask)) {
		ga_place_refuse_count(&ask, &ret->refusal);
		return;
	}
	if (!ask.baremetal && !ask.image) {
		ga_place_refuse_image(&ask, &ret->refusal);
		return;
	}
	ret->placed = best_offer(&ask, o, &best);
	if (ret->placed) {
		ret->node = o[best].node;
		ret->type = o[best].type;
		ret->fabric_partition = o[best].partition;
		ret->beats_clean = ga_place_beats_clean(&o[best]);
		ret->type_reason = type_reason(&ask, o[best].type,
							o[best].terms[GA_TERM_TYPE]);
		for (i = 0; i < o[best].n; i++)
			*ga_list_add(&ret->slots) = o[best].slots[i];
	} else {
		ga_place_refuse(&ask, &ret->refusal);
	}
	if (!explain)
		return;
	for (i = 0; i < fleet->nodes.n; i++)
		explain_node(&ask, &fleet->nodes.v[i], ret->node, &ret->explanation);
	if (ret->explanation.nodes.n)
		qsort(ret->explanation.nodes.v, ret->explanation.nodes.n,
		      sizeof(*ret->explanation.nodes.v), by_node);
	ret->explanation.request_id = ga_strdup0(request->request_id);
	ret->explanation.node = ret->node ? ga_xstrdup(ret->node->id) : NULL;
}

void ga_fleet_set_active(struct ga_fleet_node *node, int64_t partition, bool active)
{
	size_t i;

	for (i = 0; i < node->partitions.n; i++)
		if (node->partitions.v[i].id == partition)
			node->partitions.v[i].active = active;
}

void ga_fleet_take(struct ga_fleet *fleet, const struct ga_decision *decision)
{
	size_t i, at = (size_t)(decision->node - fleet->nodes.v);
	struct ga_fleet_node *node;

	if (at >= fleet->nodes.n)
		return;
	node = &fleet->nodes.v[at];
	ga_fleet_touch(fleet, node);
	node->clean = false;
	for (i = 0; i < decision->slots.n; i++) {
		struct ga_fleet_slot *s = &node->slots.v[decision->slots.v[i] - node->slots.v];

		s->free = s->available = false;
		s->why = ga_fleet_word(fleet, "in_use");
		s->generation++;
	}
	ga_fleet_set_active(node, decision->fabric_partition, true);
}

int64_t ga_place_largest(const struct ga_fleet *fleet, const struct ga_fleet_node *node,
			 const struct ga_profile *profile)
{
	struct ga_request request;
	struct ga_place_option o;
	struct ga_place_ask ask;
	int64_t largest = 0;
	size_t i;

	ga_schema_init(&ga_request_schema, &request);
	ga_place_asked(fleet, &request, profile, &ask);
	if (ask.baremetal)
		return ga_place_offer(&ask, node, &o) ? 0 : (int64_t)o.n;
	for (i = 0; i < profile->counts.n; i++) {
		ask.count = profile->counts.v[i];
		if (ask.count > largest && !ga_place_offer(&ask, node, &o))
			largest = ask.count;
	}
	return largest;
}
