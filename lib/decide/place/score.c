/* SPDX-License-Identifier: Apache-2.0 */
/* The offer of one node for a request: why a node is out, and the order of two offers. */
#include "decide/place/score.h"

#include "record/state.h"

#include <stdlib.h>
#include <string.h>

const char *const ga_place_term_names[GA_TERM_COUNT] = {
	[GA_TERM_TYPE] = "type_preference",
	[GA_TERM_PARTITIONS] = "larger_partitions_lost",
	[GA_TERM_NUMA] = "numa_span",
	[GA_TERM_CLEAN] = "clean_node_broken",
	[GA_TERM_LARGER] = "larger_requests_lost",
	[GA_TERM_NODE_LEFT] = "node_free_left",
	[GA_TERM_NUMA_LEFT] = "numa_free_left",
};

int64_t ga_place_count(const struct ga_request *request)
{
	return request->count == GA_UNKNOWN || request->count < 1 ? 1 : request->count;
}

bool ga_place_is_baremetal(const struct ga_request *request, const struct ga_profile *profile)
{
	return ga_streq(request->shape ? request->shape : profile->shape, "baremetal");
}

void ga_place_asked(const struct ga_fleet *fleet, const struct ga_request *request,
		    const struct ga_profile *profile, struct ga_place_ask *ret)
{
	const void *types = request->types.n ? request->types.v : profile->types.v;

	*ret = (struct ga_place_ask){
		.fleet = fleet,
		.request = request,
		.profile = profile,
		.count = ga_place_count(request),
		.baremetal = ga_place_is_baremetal(request, profile),
		.types = types,
		.n_types = request->types.n ? request->types.n : profile->types.n,
	};
	if (!ret->baremetal)
		ret->image = request->image ? request->image : profile->image;
}

static bool same(const char *a, const char *b)
{
	return a == b || ga_streq(a, b);
}

static bool profile_has_type(const struct ga_profile *profile, const char *type)
{
	size_t i;

	for (i = 0; i < profile->types.n; i++)
		if (same(profile->types.v[i], type))
			return true;
	return !profile->types.n;
}

static bool has_memory(const struct ga_place_ask *ask, const char *type)
{
	size_t i;

	if (ask->request->min_memory_mib == GA_UNKNOWN || ask->request->min_memory_mib <= 0)
		return true;
	for (i = 0; i < ask->fleet->types.n; i++)
		if (same(ask->fleet->types.v[i].type, type))
			return ask->fleet->types.v[i].memory_mib >= ask->request->min_memory_mib;
	return false; /* unknown blocks at a gate */
}

bool ga_place_allows_type(const struct ga_place_ask *ask, const char *type)
{
	const struct ga_place_limits *limits = ask->limits;
	size_t i = 0;

	if (!limits || limits->any_type)
		return true;
	while (i < limits->n_types && !same(limits->types[i], type))
		i++;
	return i < limits->n_types;
}

static bool allows_count(const struct ga_place_ask *ask, int64_t count)
{
	const struct ga_place_limits *limits = ask->limits;

	return !limits || !limits->n_counts ||
	       ga_ints_have(limits->counts, limits->n_counts, count);
}

bool ga_place_wants_type(const struct ga_place_ask *ask, const char *type, int64_t *rank)
{
	size_t i = 0;

	if (ask->n_types) {
		while (i < ask->n_types && !same(ask->types[i], type))
			i++;
		if (i == ask->n_types)
			return false;
	}
	*rank = (int64_t)i;
	return profile_has_type(ask->profile, type) && has_memory(ask, type) &&
	       ga_place_allows_type(ask, type);
}

/* Why a node with such a slot is out: the app does not allow its type, or the request does not want
 * it. */
static const char *type_missing(const struct ga_place_ask *ask, const struct ga_fleet_node *node)
{
	struct ga_place_ask any = *ask;
	int64_t rank;
	size_t i;

	any.limits = NULL;
	for (i = 0; ask->limits && i < node->slots.n; i++)
		if (!ga_place_allows_type(ask, node->slots.v[i].type) &&
		    ga_place_wants_type(&any, node->slots.v[i].type, &rank))
			return "app_type";
	return "type_missing";
}

const char *ga_place_slot_reason(const struct ga_place_ask *ask, const struct ga_fleet_slot *slot)
{
	const struct ga_profile *p = ask->profile;

	if (!slot->free)
		return slot->why ? slot->why : "not_ready";
	if (ask->baremetal)
		return NULL;
	if (p->memory_mib_per_gpu != GA_UNKNOWN && slot->memory_mib < p->memory_mib_per_gpu)
		return "slot_memory_small";
	if (p->vcpus_per_gpu != GA_UNKNOWN && slot->cpus < p->vcpus_per_gpu)
		return "slot_cpus_few";
	return NULL;
}

int64_t ga_place_slot_rank(const struct ga_fleet_slot *slot, const char *why)
{
	int64_t group = ga_streq(why, "in_use") ? 2 : slot->available || slot->free ? 0 : 1;

	return group * GA_PLACE_SLOTS + slot->slot_index;
}

const char *ga_place_slot_detail(const struct ga_fleet_slot *slot, const char *why)
{
	return ga_streq(why, "cordoned") ? slot->cordon_reason : NULL;
}

static bool has_image(const struct ga_fleet_node *node, const char *image)
{
	size_t i;

	for (i = 0; i < node->images.n; i++)
		if (same(node->images.v[i], image))
			return true;
	return false;
}

bool ga_place_has_image(const struct ga_place_ask *ask, const struct ga_fleet_node *node)
{
	return ask->baremetal || (ask->image && has_image(node, ask->image));
}

bool ga_place_is_stale(const struct ga_place_ask *ask, const struct ga_fleet_node *node)
{
	return ask->fleet->stale_micros && (node->observed_micros == GA_UNKNOWN ||
					    node->observed_micros < ask->fleet->stale_micros);
}

/* A window that is open or opens before the work ends. Without a run time only an open one
 * counts. */
static const struct ga_fleet_window *maintenance(const struct ga_place_ask *ask,
						 const struct ga_fleet_node *node)
{
	int64_t run = ask->request->run_seconds;

	return ga_fleet_window_in_way(ask->fleet, node, run == GA_UNKNOWN ? 0 : run);
}

const char *ga_place_node_detail(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
				 const char *why)
{
	const struct ga_fleet_window *w = ga_starts(why, "maintenance") ? maintenance(ask, node) :
									  NULL;
	const struct ga_fleet_slot *near = NULL;
	int64_t rank;
	size_t i;

	if (w)
		return w->reason;
	if (ga_streq(why, "region_closed"))
		return ga_fleet_closed(ask->fleet, node->region)->reason;
	if (ga_streq(why, node->why))
		return node->why_detail;
	if (!ga_streq(why, "cordoned")) /* the only reason of a slot with a person's words */
		return NULL;
	for (i = 0; i < node->slots.n; i++) {
		const struct ga_fleet_slot *s = &node->slots.v[i];

		if (ga_streq(ga_place_slot_reason(ask, s), why) &&
		    ga_place_wants_type(ask, s->type, &rank) &&
		    (!near || ga_place_slot_rank(s, why) < ga_place_slot_rank(near, why)))
			near = s;
	}
	return near ? ga_place_slot_detail(near, why) : NULL;
}

const char *ga_place_node_reason(const struct ga_place_ask *ask, const struct ga_fleet_node *node)
{
	const struct ga_request *r = ask->request;
	const struct ga_fleet_window *w;

	if (r->node && !ga_streq(r->node, node->id))
		return "other_node_wanted";
	if ((r->region && !ga_streq(r->region, node->region)) ||
	    (ask->profile->region && !ga_streq(ask->profile->region, node->region)))
		return "other_region_wanted";
	if ((r->pool && !ga_streq(r->pool, node->pool)) ||
	    (ask->profile->pool && !ga_streq(ask->profile->pool, node->pool)))
		return "other_pool_wanted";
	if (ga_fleet_closed(ask->fleet, node->region))
		return "region_closed";
	if (node->why)
		return node->why;
	if (ga_place_is_stale(ask, node))
		return "stale";
	w = maintenance(ask, node);
	if (w)
		return w->from <= ask->fleet->now_micros ? "maintenance" : "maintenance_ahead";
	if (ask->baremetal ? !ga_streq(node->mode, "baremetal") &&
				     !ga_streq(ask->profile->shape, "baremetal") :
			     !ga_streq(node->mode, "slice"))
		return "node_mode";
	return NULL;
}

static int by_index(const void *a, const void *b)
{
	const struct ga_fleet_slot *const *x = a, *const *y = b;

	return (*x)->slot_index < (*y)->slot_index ? -1 : (*x)->slot_index > (*y)->slot_index;
}

/* The usable slots of one type, by index. *first is the reason of the slot that is nearest to
 * use (ga_place_slot_rank) of those that are not usable. */
static size_t usable_of(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			const char *type, const struct ga_fleet_slot **ret, const char **first,
			size_t *waiting)
{
	int64_t first_rank = 0, rank;
	bool sorted = true;
	size_t i, n = 0;

	*first = NULL;
	*waiting = 0;
	for (i = 0; i < node->slots.n && n < GA_PLACE_SLOTS; i++) {
		const struct ga_fleet_slot *s = &node->slots.v[i];
		const char *why;

		if (!same(s->type, type))
			continue;
		why = ga_place_slot_reason(ask, s);
		if (!why) {
			sorted = sorted && (!n || ret[n - 1]->slot_index < s->slot_index);
			ret[n++] = s;
			continue;
		}
		*waiting += ga_streq(why, "waiting_for_wipe");
		rank = ga_place_slot_rank(s, why);
		if (!*first || rank < first_rank) {
			*first = why;
			first_rank = rank;
		}
	}
	if (!sorted)
		qsort(ret, n, sizeof(*ret), by_index);
	return n;
}

/* Why the fabric refuses the slots of the type once those that wait for their wipe are free, or
 * NULL. */
static const char *refused_once_wiped(const struct ga_place_ask *ask,
				      const struct ga_fleet_node *node, const char *type)
{
	const struct ga_fleet_slot *usable[GA_PLACE_SLOTS];
	struct ga_fleet_node then = *node; /* borrows all but slots and partitions */
	struct ga_place_option unused;
	const char *first, *why;
	size_t i, n, waiting;

	if (!node->partitions_in_use)
		return NULL;
	then.slots.v = ga_xcalloc(node->slots.n, sizeof(*then.slots.v));
	then.partitions.v = ga_xcalloc(node->partitions.n + 1, sizeof(*then.partitions.v));
	for (i = 0; i < node->slots.n; i++) {
		then.slots.v[i] = node->slots.v[i];
		if (ga_streq(then.slots.v[i].why, "waiting_for_wipe")) {
			then.slots.v[i].free = true;
			then.slots.v[i].why = NULL;
		}
	}
	for (i = 0; i < node->partitions.n; i++)
		then.partitions.v[i] = node->partitions.v[i];
	ga_place_end_partitions(node, &then);
	n = usable_of(ask, &then, type, usable, &first, &waiting);
	why = ga_place_choose(ask, &then, usable, n, &unused);
	free(then.slots.v);
	free(then.partitions.v);
	return why;
}

/* The best offer of one type on the node, or the reason why there is none. */
static const char *offer_type(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			      const char *type, struct ga_place_option *ret)
{
	const struct ga_fleet_slot *usable[GA_PLACE_SLOTS];
	const char *first;
	size_t waiting, n = usable_of(ask, node, type, usable, &first, &waiting);

	if ((int64_t)n < ask->count) {
		if ((int64_t)(n + waiting) >= ask->count) {
			const char *why = refused_once_wiped(ask, node, type);

			return why ? why : "waiting_for_wipe";
		}
		return first && !ga_streq(first, "waiting_for_wipe") ? first : "too_few_free";
	}
	if (!ga_place_has_image(ask, node))
		return "image_missing";
	ret->type = type;
	return ga_place_choose(ask, node, usable, n, ret);
}

/* Whether an earlier slot has the same type: each type is tried once. */
static bool seen_before(const struct ga_fleet_node *node, size_t i)
{
	size_t j;

	for (j = 0; j < i; j++)
		if (same(node->slots.v[j].type, node->slots.v[i].type))
			return true;
	return false;
}

/* When several types fail, reports the reason that is easiest to cure, independent of the order of
 * the slots. */
static const char *nearer(const char *a, const char *b)
{
	static const char *const far[] = { "topology_blocked", "fabric_partition_unknown",
					   "image_missing",    "waiting_for_wipe",
					   NULL,	       "too_few_free", "in_use" };
	size_t ra = 4, rb = 4, i;

	for (i = 0; i < GA_ARRAY_SIZE(far); i++) {
		ra = far[i] && ga_streq(a, far[i]) ? i : ra;
		rb = far[i] && ga_streq(b, far[i]) ? i : rb;
	}
	if (ra != rb)
		return ra < rb ? a : b;
	return strcmp(a, b) <= 0 ? a : b;
}

static const char *offer_slice(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			       struct ga_place_option *ret)
{
	const char *first = NULL;
	bool any = false;
	size_t i;

	for (i = 0; i < node->slots.n; i++) {
		struct ga_place_option o;
		const char *why;

		if ((i && seen_before(node, i)) ||
		    !ga_place_wants_type(ask, node->slots.v[i].type, &o.terms[GA_TERM_TYPE]))
			continue;
		why = offer_type(ask, node, node->slots.v[i].type, &o);
		if (why) {
			first = first ? nearer(first, why) : why;
		} else if (!any || ga_place_compare(&o, ret) < 0) {
			size_t j;

			ret->node = o.node;
			ret->type = o.type;
			ret->partition = o.partition;
			ret->n = o.n;
			memcpy(ret->terms, o.terms, sizeof(ret->terms));
			for (j = 0; j < o.n; j++)
				ret->slots[j] = o.slots[j];
			any = true;
		}
	}
	if (any)
		return NULL;
	return first ? first : type_missing(ask, node);
}

static const char *offer_node(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			      struct ga_place_option *ret)
{
	int64_t worst = 0, rank = 0, wanted = ask->request->count;
	bool mixed = false;
	size_t i;

	if (!node->slots.n)
		return "type_missing";
	for (i = 0; i < node->slots.n; i++) {
		if (!ga_place_wants_type(ask, node->slots.v[i].type, &rank))
			return type_missing(ask, node);
		worst = rank > worst ? rank : worst;
		mixed = mixed || !same(node->slots.v[i].type, node->slots.v[0].type);
	}
	if (!allows_count(ask, (int64_t)node->slots.n))
		return "app_count";
	if (!node->clean)
		return "held_by_slices";
	if (wanted != GA_UNKNOWN && wanted > (int64_t)node->slots.n)
		return "too_few_free";
	memset(ret->terms, 0, sizeof(ret->terms));
	for (i = 0; i < node->slots.n && i < GA_PLACE_SLOTS; i++) {
		const char *why = ga_place_slot_reason(ask, &node->slots.v[i]);

		if (why)
			return why;
		ret->slots[i] = &node->slots.v[i];
	}
	qsort(ret->slots, i, sizeof(*ret->slots), by_index);
	ret->n = i;
	ret->node = node;
	ret->type = mixed ? NULL : node->slots.v[0].type; /* NULL: its GPUs have several types */
	ret->partition = GA_UNKNOWN;
	ret->terms[GA_TERM_TYPE] = worst;
	ret->terms[GA_TERM_CLEAN] = 1;
	ret->terms[GA_TERM_NODE_LEFT] =
		wanted == GA_UNKNOWN ? (int64_t)i : (int64_t)i - wanted;
	return NULL;
}

const char *ga_place_offer(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			   struct ga_place_option *ret)
{
	const char *why = ga_place_node_reason(ask, node);

	if (why)
		return why;
	return ask->baremetal ? offer_node(ask, node, ret) : offer_slice(ask, node, ret);
}

bool ga_place_beats_clean(const struct ga_place_option *o)
{
	/* The terms before GA_TERM_CLEAN have their smallest possible values. */
	return !o->terms[GA_TERM_TYPE] && !o->terms[GA_TERM_PARTITIONS] &&
	       o->terms[GA_TERM_NUMA] == 1 && !o->terms[GA_TERM_CLEAN];
}

int ga_place_compare(const struct ga_place_option *a, const struct ga_place_option *b)
{
	int order;
	size_t i;

	for (i = 0; i < GA_TERM_COUNT; i++)
		if (a->terms[i] != b->terms[i])
			return a->terms[i] < b->terms[i] ? -1 : 1;
	order = a->node == b->node ? 0 : strcmp(a->node->id, b->node->id);
	for (i = 0; !order && i < a->n && i < b->n; i++)
		if (a->slots[i]->slot_index != b->slots[i]->slot_index)
			order = a->slots[i]->slot_index < b->slots[i]->slot_index ? -1 : 1;
	if (!order && a->partition != b->partition)
		order = a->partition < b->partition ? -1 : 1;
	return order;
}
