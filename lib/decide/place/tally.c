/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the slots of the nodes for a request, and finds the node that comes nearest to it. */
#include "decide/place/tally.h"

#include <stdlib.h>
#include <string.h>

#include "record/state.h"

struct node_tally {
	int64_t slots, free, waiting, used, blocked;
	int64_t cordoned; /* of the blocked ones */
	const char *blocked_why;	     /* of the blocked slot that is nearest to use */
	const struct ga_fleet_slot *blocker; /* that slot */
};

/* Counts the slots of one type (NULL: of every wanted type). out: why the node is out, or NULL. */
static void count_slots(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			const char *out, const char *type, struct node_tally *t)
{
	bool unverified = ga_streq(out, "unverified_since_restore");
	struct ga_place_checked checked = { 0 };
	size_t i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < node->slots.n; i++) {
		const struct ga_fleet_slot *s = &node->slots.v[i];
		const char *why;

		if (!ga_place_wants_next(ask, s->type, &checked) ||
		    (type && !ga_streq(type, s->type)))
			continue;
		t->slots++;
		why = ga_place_slot_reason(ask, s);
		/* The same observation verifies the node and its slots. */
		if (unverified && ga_streq(why, "unverified_since_restore"))
			why = NULL;
		t->free += !why;
		t->waiting += ga_streq(why, "waiting_for_wipe");
		t->used += ga_streq(why, "in_use");
		if (!why || ga_streq(why, "waiting_for_wipe") || ga_streq(why, "in_use"))
			continue;
		t->blocked++;
		t->cordoned += ga_streq(why, "cordoned");
		if (!t->blocker ||
		    ga_place_slot_rank(s, why) < ga_place_slot_rank(t->blocker, t->blocked_why)) {
			t->blocked_why = why;
			t->blocker = s;
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

/* A slice has one type: the type that comes nearest counts, not the sum of all types. */
static void tally_slots(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			const char *out, struct node_tally *t)
{
	struct node_tally one;
	size_t i, j;

	count_slots(ask, node, out, NULL, t);
	/* A baremetal node is placed with all its slots or not at all. */
	if (ask->baremetal && t->slots < (int64_t)node->slots.n)
		memset(t, 0, sizeof(*t));
	if (ask->baremetal || !t->slots)
		return;
	memset(t, 0, sizeof(*t));
	for (i = 0; i < node->slots.n; i++) {
		const char *type = node->slots.v[i].type;

		for (j = 0; j < i && !ga_streq(node->slots.v[j].type, type); j++)
			;
		if (j < i || !type)
			continue;
		count_slots(ask, node, out, type, &one);
		if (one.slots && (!t->slots || is_nearer(&one, t)))
			*t = one;
	}
	if (!t->slots) /* the type of all slots is unknown */
		count_slots(ask, node, out, NULL, t);
}

/* ---- a node with some of its slots free ---- */

/* How far slots of a node are freed; each step includes the one before. */
enum lift {
	WIPES,	  /* slots that wait for a wipe */
	COMMANDS, /* cordoned ones: uncordon or enable puts them back on sale */
	ALL,	  /* all that nobody uses: no command does that */
};

struct freed {
	const struct ga_fleet_node *now;
	struct ga_fleet_node then; /* borrows all but slots and partitions; has the image */
	/* The slots that were freed, by their rank: commands first. */
	struct freed_slot {
		size_t at;
		int64_t rank;
	} slots[GA_PLACE_SLOTS];
	size_t n;
};

static enum lift lift_of(const struct ga_fleet_slot *s)
{
	return ga_streq(s->why, "waiting_for_wipe") ? WIPES :
	       ga_streq(s->why, "cordoned")	    ? COMMANDS :
						      ALL;
}

static int by_rank(const void *a, const void *b)
{
	const struct freed_slot *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void set_free(struct freed *f, const struct freed_slot *slot, bool free)
{
	struct ga_fleet_slot *s = &f->then.slots.v[slot->at];

	*s = f->now->slots.v[slot->at];
	if (!free)
		return;
	s->free = true;
	s->why = NULL;
}

/* Why placement refuses the node with the slots that are free then, or NULL. */
static const char *refused_then(const struct ga_place_ask *ask, struct freed *f)
{
	struct ga_place_option o;
	bool whole = true;
	size_t i;

	for (i = 0; i < f->then.slots.n; i++)
		whole = whole && f->then.slots.v[i].free;
	f->then.clean = f->now->clean || whole;
	ga_place_end_partitions(f->now, &f->then);
	return ga_place_offer(ask, &f->then, &o);
}

/* The same with all slots free that the step frees. */
static const char *refused_after(const struct ga_place_ask *ask, struct freed *f, enum lift step)
{
	size_t i;

	f->n = 0;
	for (i = 0; i < f->now->slots.n; i++) {
		const struct ga_fleet_slot *s = &f->now->slots.v[i];
		enum lift its = lift_of(s);
		struct freed_slot slot = { .at = i };

		if (s->free || ga_streq(s->why, "in_use") || its > step)
			continue;
		/* Slots that need a wipe alone after those that need a person's decision: the hint
		 * names the latter. */
		slot.rank = ga_place_slot_rank(s, s->why) +
			    (its == COMMANDS ? 0 : its == WIPES ? 3 : 6) * GA_PLACE_SLOTS;
		set_free(f, &slot, true);
		f->slots[f->n++] = slot;
	}
	if (f->n)
		qsort(f->slots, f->n, sizeof(*f->slots), by_rank);
	return refused_then(ask, f);
}

static void set_all(struct freed *f, bool free)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		set_free(f, &f->slots[i], free);
}

/* Placement takes the node: keeps of the freed slots only those that it needs for that. One slot
 * that suffices by itself is best; else as many of the last ones as possible are left out. */
static void keep_needed(const struct ga_place_ask *ask, struct freed *f)
{
	size_t i, kept = 0;

	for (i = 0; i < f->n; i++) {
		set_all(f, false);
		set_free(f, &f->slots[i], true);
		if (refused_then(ask, f))
			continue;
		f->slots[0] = f->slots[i];
		f->n = 1;
		return;
	}
	set_all(f, true);
	for (i = f->n; i-- > 0;) {
		set_free(f, &f->slots[i], false);
		if (refused_then(ask, f))
			set_free(f, &f->slots[i], true);
	}
	for (i = 0; i < f->n; i++)
		if (f->then.slots.v[f->slots[i].at].free)
			f->slots[kept++] = f->slots[i];
	f->n = kept;
}

/* The node takes the request after a step: takes the slots that must be freed, and the reason of
 * the first of those that are hardest to free. */
static void take_blocked(const struct ga_place_ask *ask, struct freed *f, struct nearest near,
			 struct tally *t)
{
	enum lift step = WIPES;
	size_t i;

	keep_needed(ask, f);
	near.slot = NULL;
	for (i = 0; i < f->n; i++) {
		const struct ga_fleet_slot *s = &f->now->slots.v[f->slots[i].at];

		if (lift_of(s) > step) {
			step = lift_of(s);
			near.slot = s;
		}
	}
	if (!near.slot) {
		/* Wipes suffice: the node has enough of another type than the counted one. */
		t->enough_waiting = f->now->id;
		t->waiting_no_image = near.no_image;
		return;
	}
	t->n_lift = 0;
	t->lift_wipe = false;
	for (i = 0; i < f->n; i++) {
		const struct ga_fleet_slot *s = &f->now->slots.v[f->slots[i].at];
		enum lift its = lift_of(s);

		t->lift_wipe = t->lift_wipe || (step == COMMANDS && its == WIPES);
		if (step == COMMANDS && its == COMMANDS)
			t->lift[t->n_lift++] = s;
	}
	near.why = near.slot->why;
	near.detail = ga_place_slot_detail(near.slot, near.why);
	t->blocked = near;
}

/* Nobody uses enough slots of the node, and too few of them are free: finds what frees them. */
static void tally_idle(const struct ga_place_ask *ask, const struct node_tally *n, int64_t need,
		       const struct nearest *near, struct tally *t)
{
	const struct ga_fleet_node *node = near->node;
	struct freed f = { .now = node, .then = *node };
	bool no_image = !ga_place_has_image(ask, node);
	const char *why = NULL, *image = ask->image;
	struct nearest blocked = *near;
	size_t i;

	/* A node that has the image comes before one that lacks it. */
	if ((t->enough_waiting && (no_image || !t->waiting_no_image)) ||
	    node->slots.n > GA_PLACE_SLOTS)
		return;
	f.then.slots.v = ga_xcalloc(node->slots.n, sizeof(*f.then.slots.v));
	f.then.partitions.v = ga_xcalloc(node->partitions.n + 1, sizeof(*f.then.partitions.v));
	for (i = 0; i < node->slots.n; i++)
		f.then.slots.v[i] = node->slots.v[i];
	for (i = 0; i < node->partitions.n; i++)
		f.then.partitions.v[i] = node->partitions.v[i];
	if (ga_streq(node->why, "node_enrolled")) { /* its mode is not decided */
		f.then.why = NULL;
		f.then.mode = ask->baremetal ? "baremetal" : "slice";
	}
	if (no_image && image) {
		f.then.images.v = &image;
		f.then.images.n = 1;
	}
	blocked.no_image = no_image;
	if (n->free + n->waiting >= need && !refused_after(ask, &f, WIPES)) {
		t->enough_waiting = node->id;
		t->waiting_no_image = no_image;
	} else if (n->cordoned && n->free + n->waiting + n->cordoned >= need &&
		   (!t->n_lift || (t->blocked.no_image && !no_image)) &&
		   !refused_after(ask, &f, COMMANDS)) {
		take_blocked(ask, &f, blocked, t);
	} else if (!t->blocked.node) {
		why = refused_after(ask, &f, ALL);
		if (!why)
			take_blocked(ask, &f, blocked, t);
	}
	if (!t->idle && (ga_streq(why, "topology_blocked") ||
			 ga_streq(why, "fabric_partition_unknown"))) {
		t->idle = node->id;
		t->idle_why = why;
	}
	free(f.then.slots.v);
	free(f.then.partitions.v);
}

static void tally_node(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
		       const char *code, struct tally *t)
{
	struct node_tally n;
	int64_t all = (int64_t)node->slots.n, wanted = ask->request->count;
	int64_t need = !ask->baremetal ? ask->count : wanted > all ? wanted : all;
	int64_t times = node->grouped ? node->grouped : 1;
	const char *reason = ga_place_node_reason(ask, node);
	bool out = reason != NULL;
	/* Such a node is out because another tenant uses it. */
	bool taken = ga_streq(code, "held_by_baremetal");
	struct nearest near = { .node = node };
	struct ga_place_checked checked = { 0 };
	size_t i;

	tally_slots(ask, node, reason, &n);
	/* The node has slots, and none was ever complete: what they lack is the reason. */
	out = out && !(ga_streq(code, "node_enrolled") && n.blocked);
	t->slots += n.slots * times;
	if (!out || taken)
		t->used += (n.used + n.waiting) * times;
	near.why = out ? code : n.blocked_why;
	near.detail = out	? ga_place_node_detail(ask, node, code) :
		      n.blocker ? ga_place_slot_detail(n.blocker, near.why) :
				  NULL;
	near.slot = out ? NULL : n.blocker;
	near.idle = n.free + n.waiting + n.blocked;
	if ((out ? !taken : n.blocked > 0) && near.idle > t->most.idle)
		t->most = near;
	if (out) {
		if (n.free >= need && n.free && !t->out.node)
			t->out = near;
		return;
	}
	if (ga_streq(code, "held_by_slices") && need == all &&
	    (!t->held || n.used < t->held_used)) {
		t->held = node->id;
		t->held_used = n.used;
	}
	t->free += n.free * times;
	for (i = 0; !ask->baremetal && i < node->slots.n; i++)
		if (node->slots.v[i].free &&
		    !ga_place_wants_next(ask, node->slots.v[i].type, &checked))
			t->other += times;
	t->waiting += n.waiting * times;
	if (n.free > t->most_free) {
		t->most_free = n.free;
		t->most_node = node->id;
	}
	if (ga_streq(code, "image_missing")) {
		t->enough_image = t->enough_image ? t->enough_image : node->id;
	} else if (n.free >= need && n.slots && !ask->baremetal) {
		if (!t->enough_topology)
			t->topology_why = code;
		t->enough_topology = t->enough_topology ? t->enough_topology : node->id;
	} else if ((n.waiting || n.blocked) && near.idle >= need) {
		tally_idle(ask, &n, need, &near, t);
	}
}

static int by_id(const void *a, const void *b)
{
	const struct ga_fleet_node *const *x = a, *const *y = b;

	return strcmp((*x)->id, (*y)->id);
}

static void add_answer(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
		       const char *code, struct ga_refusal *ret)
{
	*ga_list_add(&ret->nodes) = (struct ga_node_answer){
		.node = ga_xstrdup(node->id), .code = ga_xstrdup(code),
		.detail = ga_strdup0(ga_place_node_detail(ask, node, code)),
	};
}

void ga_place_tally(const struct ga_place_ask *ask, struct tally *t, struct ga_refusal *refusal)
{
	size_t i, n = ask->fleet->nodes.n;
	const struct ga_fleet_node **nodes = ga_xcalloc(n + 1, sizeof(*nodes));
	bool sorted = true;

	*t = (struct tally){ 0 };
	for (i = 0; i < n; i++) {
		nodes[i] = &ask->fleet->nodes.v[i];
		sorted = sorted && (!i || by_id(&nodes[i - 1], &nodes[i]) <= 0);
	}
	if (!sorted)
		qsort(nodes, n, sizeof(*nodes), by_id);
	for (i = 0; i < n && !t->taken; i++) {
		const struct ga_fleet_node *node = nodes[i];
		struct ga_place_option o;
		const char *code = ga_place_offer(ask, node, &o);

		t->common = !i || ga_streq(t->common, code) ? code : NULL;
		t->taken = !code;
		if (!code)
			continue;
		if (refusal)
			add_answer(ask, node, code, refusal);
		t->in_region = t->in_region || ga_streq(code, "other_pool_wanted");
		if (ga_starts(code, "other_"))
			continue;
		t->here = true;
		if (ga_starts(code, "app_"))
			t->app_why = t->app_why ? t->app_why : code;
		else
			tally_node(ask, node, code, t);
	}
	free(nodes);
}
