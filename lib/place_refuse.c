/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals: which of the ways a request can fail this one is, in words, with what would fit. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "place_score.h"
#include "str.h"

/* What the whole fleet has for the request. */
struct tally {
	int64_t slots;	    /* of a type wanted, on nodes that may be used at all */
	int64_t free;	    /* of them on nodes that are not out */
	int64_t waiting;    /* waiting for a wipe */
	int64_t most;	    /* free on one node */
	const char *most_node;
	const char *enough_waiting; /* node that has enough once its wipes are done */
	const char *enough_topology, *enough_image, *enough_out, *enough_blocked;
	const char *out_why, *out_detail, *topology_why, *blocked_why;
};

static bool is_elsewhere(const char *code)
{
	return code && ga_starts(code, "other_");
}

/* A slot's reason as the refusal that it would be. */
static const char *class_of(const char *why)
{
	if (ga_starts(why, "nvme_") || ga_starts(why, "storage_") || ga_starts(why, "wipe_") ||
	    ga_streq(why, "missing_nvme") || ga_streq(why, "no_wipe_policy") ||
	    ga_streq(why, "disk_autoactivation"))
		return "storage_blocked";
	if (ga_starts(why, "fabric_") || ga_streq(why, "missing_fabric_vf") ||
	    ga_streq(why, "pf_vf_conflict"))
		return "fabric_blocked";
	return "not_ready";
}

struct node_tally {
	int64_t slots, free, waiting, blocked;
	const char *blocked_why;
};

/* Counts the slots of one type (NULL: of every type wanted). */
static void count_slots(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			const char *type, struct node_tally *t)
{
	int64_t rank, first = GA_PLACE_SLOTS;
	size_t i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < node->slots.n; i++) {
		const struct ga_fleet_slot *s = &node->slots.v[i];
		const char *why;

		if (!ga_place_wants_type(ask, s->type, &rank) || (type && !ga_streq(type, s->type)))
			continue;
		t->slots++;
		why = ga_place_slot_reason(ask, s);
		t->free += !why;
		t->waiting += ga_streq(why, "waiting_for_wipe");
		if (!why || ga_streq(why, "waiting_for_wipe") || ga_streq(why, "in_use"))
			continue;
		t->blocked++;
		if (s->slot_index < first) {
			t->blocked_why = why;
			first = s->slot_index;
		}
	}
}

static bool is_nearer(const struct node_tally *a, const struct node_tally *b)
{
	if (a->free != b->free)
		return a->free > b->free;
	if (a->waiting != b->waiting)
		return a->waiting > b->waiting;
	if (a->blocked != b->blocked || !a->blocked)
		return a->blocked > b->blocked;
	return strcmp(a->blocked_why, b->blocked_why) < 0;
}

/* A slice is of one type: what counts is the type that comes nearest, not the sum of all. */
static void tally_slots(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			struct node_tally *t)
{
	struct node_tally one;
	size_t i, j;

	count_slots(ask, node, NULL, t);
	if (ask->baremetal || !t->slots)
		return;
	memset(t, 0, sizeof(*t));
	for (i = 0; i < node->slots.n; i++) {
		const char *type = node->slots.v[i].type;

		for (j = 0; j < i && !ga_streq(node->slots.v[j].type, type); j++)
			;
		if (j < i || !type)
			continue;
		count_slots(ask, node, type, &one);
		if (one.slots && (!t->slots || is_nearer(&one, t)))
			*t = one;
	}
	if (!t->slots) /* only slots whose type nobody knows */
		count_slots(ask, node, NULL, t);
}

static int64_t needed(const struct ga_place_ask *ask, const struct ga_fleet_node *node)
{
	int64_t all = (int64_t)node->slots.n, wanted = ask->request->count;

	if (!ask->baremetal)
		return ask->count;
	return wanted > all ? wanted : all;
}

static void tally_node(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
		       const char *code, struct tally *t)
{
	struct node_tally n;
	int64_t need = needed(ask, node);
	bool out = ga_place_node_reason(ask, node) != NULL;

	tally_slots(ask, node, &n);
	t->slots += n.slots;
	if (out) {
		if (n.free >= need && n.free && !t->enough_out) {
			t->enough_out = node->id;
			t->out_why = code;
			t->out_detail = ga_place_node_detail(ask, node, code);
		}
		return;
	}
	t->free += n.free;
	t->waiting += n.waiting;
	if (n.free > t->most) {
		t->most = n.free;
		t->most_node = node->id;
	}
	if (ga_streq(code, "image_missing")) {
		t->enough_image = t->enough_image ? t->enough_image : node->id;
	} else if (n.free >= need && n.slots && !ask->baremetal) {
		if (!t->enough_topology)
			t->topology_why = code;
		t->enough_topology = t->enough_topology ? t->enough_topology : node->id;
	} else if (n.waiting && n.free + n.waiting >= need) {
		t->enough_waiting = t->enough_waiting ? t->enough_waiting : node->id;
	} else if (n.blocked && n.free + n.waiting + n.blocked >= need && !t->enough_blocked) {
		t->enough_blocked = node->id;
		t->blocked_why = n.blocked_why;
	}
}

static void add_answer(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
		       const char *code, struct ga_refusal *ret)
{
	struct ga_node_answer *answer = ga_list_add(&ret->nodes);

	answer->node = ga_xstrdup(node->id);
	answer->code = ga_xstrdup(code);
	answer->detail = ga_strdup0(ga_place_node_detail(ask, node, code));
}

static int by_id(const void *a, const void *b)
{
	const struct ga_fleet_node *const *x = a, *const *y = b;

	return strcmp((*x)->id, (*y)->id);
}

static void say(struct ga_refusal *ret, const char *code, char *sentence, char *hint)
{
	ret->code = ga_xstrdup(code);
	ret->sentence = sentence;
	ret->hint = hint;
}

/* What was asked for, in words: "4 GPUs", "a whole node" or "a whole node of 4 GPUs or more". */
static char *asked_for(const struct ga_place_ask *ask)
{
	if (ask->baremetal && ask->request->count == GA_UNKNOWN)
		return ga_xstrdup("a whole node");
	if (ask->baremetal)
		return ga_xprintf("a whole node of %" PRId64 " GPU%s or more", ask->count,
				  ask->count == 1 ? "" : "s");
	return ga_xprintf("%" PRId64 " GPU%s", ask->count, ask->count == 1 ? "" : "s");
}

static bool refuse_in_the_way(const struct tally *t, const char *what, struct ga_refusal *ret)
{
	if (t->enough_topology && ga_streq(t->topology_why, "fabric_partition_unknown")) {
		say(ret, "fabric_blocked",
		    ga_xprintf("%s are free on node '%s', but no fabric partition of that size is "
			       "known there", what, t->enough_topology),
		    ga_xstrdup("gpuaas-discover on the host shows the partitions; then approve"));
	} else if (t->enough_topology) {
		say(ret, "topology_blocked",
		    ga_xprintf("%s are free on node '%s', but not as one fabric partition (%s)",
			       what, t->enough_topology, t->topology_why),
		    ga_xstrdup("another count, or wait until a larger partition is whole again"));
	} else if (t->enough_image) {
		say(ret, "image_missing",
		    ga_xprintf(
			    "%s would fit on node '%s', but it has no verified copy of the image",
			    what, t->enough_image),
		    ga_xstrdup(
			    "bring the image to the node (gpuaas-image prewarm), or name another"));
	} else if (t->enough_waiting) {
		say(ret, "waiting_for_wipe",
		    ga_xprintf("%s would fit on node '%s' once its slots are wiped", what,
			       t->enough_waiting),
		    ga_xstrdup("gpuaas-wipe --pending on that host"));
	} else {
		return false;
	}
	return true;
}

static void refuse_rest(const struct ga_place_ask *ask, const struct tally *t, const char *what,
			struct ga_refusal *ret)
{
	if (!ask->baremetal && t->free >= ask->count)
		say(ret, "no_single_node",
		    ga_xprintf("%" PRId64 " GPUs are free, but not %s on one node: node '%s' has "
			       "%" PRId64, t->free, what, t->most_node, t->most),
		    ga_xstrdup("a slice never spans nodes; ask for fewer GPUs a slice"));
	else if (t->enough_out)
		say(ret, "not_ready",
		    ga_xprintf("%s %s free on node '%s', but the node is out (%s%s%s)", what,
			       ask->baremetal || ask->count == 1 ? "is" : "are", t->enough_out,
			       t->out_why, t->out_detail ? ": " : "",
			       t->out_detail ? t->out_detail : ""),
		    ga_xprintf("gpuaas-node show %s", t->enough_out));
	else if (t->enough_blocked)
		say(ret, class_of(t->blocked_why),
		    ga_xprintf("%s would fit on node '%s', but slots of it are not available (%s)",
			       what, t->enough_blocked, t->blocked_why),
		    ga_xstrdup("gpuaas-list slot shows each slot's blockers and their fix"));
	else
		say(ret, "no_capacity",
		    t->free ? ga_xprintf("%s wanted, and %" PRId64 " GPUs are free in all", what,
					 t->free) :
			      ga_xprintf("%s wanted, and nothing is free", what),
		    t->slots ? ga_xstrdup("gpuaas-list allocation shows who holds what") :
			       ga_xstrdup("gpuaas-discover | gpuaas-approve makes capacity"));
}

/* Only a retired one is known and not among the fleet's. */
static bool is_missing(const struct ga_place_ask *ask)
{
	size_t i;

	if (!ask->request->node)
		return false;
	for (i = 0; i < ask->fleet->nodes.n; i++)
		if (ga_streq(ask->fleet->nodes.v[i].id, ask->request->node))
			return false;
	return true;
}

static bool wants_memory(const struct ga_place_ask *ask)
{
	return ask->request->min_memory_mib != GA_UNKNOWN;
}

/* "type a, b with 80000 MiB or more" */
static char *type_list(const struct ga_place_ask *ask)
{
	struct ga_str s = GA_STR_INIT;
	size_t i;

	ga_str_add(&s, ask->n_types ? "type " : "any type");
	for (i = 0; i < ask->n_types; i++)
		ga_str_addf(&s, "%s%s", i ? ", " : "", ask->types[i]);
	if (wants_memory(ask))
		ga_str_addf(&s, " with %" PRId64 " MiB or more", ask->request->min_memory_mib);
	return ga_str_take(&s);
}

/* A smaller allowed count that fits now, the largest first. */
static void alternative_count(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	struct ga_place_ask smaller = *ask;
	const struct ga_fleet_node *where = NULL;
	int64_t best = 0;
	size_t i, j;

	for (i = 0; !ask->baremetal && i < ask->profile->counts.n; i++) {
		smaller.count = ask->profile->counts.v[i];
		if (smaller.count >= ask->count || smaller.count <= best)
			continue;
		for (j = 0; j < ask->fleet->nodes.n; j++) {
			const struct ga_fleet_node *node = &ask->fleet->nodes.v[j];
			struct ga_place_option o;

			if (ga_place_offer(&smaller, node, &o))
				continue;
			if (!where || smaller.count > best || strcmp(node->id, where->id) < 0)
				where = node;
			best = smaller.count;
		}
	}
	if (where)
		*ga_list_add(&ret->alternatives) =
			ga_xprintf("%" PRId64 " GPU%s on node %s now", best, best == 1 ? "" : "s",
				   where->id);
}

/* The same without the constraints that a request may drop. */
static void alternative_place(const struct ga_place_ask *ask, const char *what,
			      struct ga_refusal *ret)
{
	struct ga_request anywhere = *ask->request;
	struct ga_place_ask wider = *ask;
	const struct ga_fleet_node *where = NULL;
	struct ga_place_option o;
	size_t i;

	anywhere.node = anywhere.region = anywhere.pool = NULL;
	wider.request = &anywhere;
	if (ask->request->types.n) {
		wider.types = (const void *)ask->profile->types.v;
		wider.n_types = ask->profile->types.n;
	}
	for (i = 0; i < ask->fleet->nodes.n; i++) {
		const struct ga_fleet_node *node = &ask->fleet->nodes.v[i];

		if ((!where || strcmp(node->id, where->id) < 0) &&
		    !ga_place_offer(&wider, node, &o))
			where = node;
	}
	if (where && !ga_place_offer(&wider, where, &o))
		*ga_list_add(&ret->alternatives) =
			ga_xprintf("%s of type %s on node %s now", what,
				   o.type ? o.type : "unknown", where->id);
}

static void begin(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	ret->status = GA_NO;
	ret->request_id = ga_strdup0(ask->request->request_id);
	ret->project = ga_strdup0(ask->request->project);
	ret->profile = ga_xstrdup(ask->profile->name);
	ret->shape = ga_xstrdup(ask->baremetal ? "baremetal" : "slice");
	ret->count = ask->baremetal ? ask->request->count : ask->count;
}

void ga_place_refuse(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	ga_autofree char *what = asked_for(ask);
	GA_LIST(const struct ga_fleet_node *) nodes = { 0 };
	struct tally t = { 0 };
	size_t i;

	begin(ask, ret);
	for (i = 0; i < ask->fleet->nodes.n; i++)
		*ga_list_add(&nodes) = &ask->fleet->nodes.v[i];
	if (nodes.n)
		qsort(nodes.v, nodes.n, sizeof(*nodes.v), by_id);
	for (i = 0; i < nodes.n; i++) {
		const struct ga_fleet_node *node = nodes.v[i];
		struct ga_place_option o;
		const char *code = ga_place_offer(ask, node, &o);

		add_answer(ask, node, code, ret);
		if (!is_elsewhere(code))
			tally_node(ask, node, code, &t);
	}
	ga_list_release(&nodes);
	if (is_missing(ask)) {
		say(ret, "node_missing",
		    ga_xprintf("node '%s' is retired, or was never there", ask->request->node),
		    ga_xstrdup("'gpuaas-list nodes' shows them"));
	} else if (!t.slots && ask->fleet->nodes.n && (ask->n_types || wants_memory(ask))) {
		ga_autofree char *types = type_list(ask);

		say(ret, "type_missing", ga_xprintf("no slot of %s is there", types),
		    ga_xstrdup("gpuaas-list slot shows the types there are"));
	} else if (!refuse_in_the_way(&t, what, ret)) {
		refuse_rest(ask, &t, what, ret);
	}
	alternative_count(ask, ret);
	alternative_place(ask, what, ret);
}

void ga_place_refuse_count(const struct ga_place_ask *ask, struct ga_refusal *ret)
{
	size_t i;

	begin(ask, ret);
	say(ret, "count_not_allowed",
	    ga_xprintf("profile '%s' does not allow %" PRId64 " GPUs", ask->profile->name,
		       ask->count),
	    ga_xstrdup("ask for one of the counts it allows"));
	for (i = 0; i < ask->profile->counts.n; i++)
		*ga_list_add(&ret->alternatives) =
			ga_xprintf("%" PRId64 " GPU%s", ask->profile->counts.v[i],
				   ask->profile->counts.v[i] == 1 ? "" : "s");
}
