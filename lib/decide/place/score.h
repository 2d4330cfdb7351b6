/* SPDX-License-Identifier: Apache-2.0 */
/* Private to placement: the offer of a node for a request, and its score. */
#ifndef GA_DECIDE_PLACE_SCORE_H
#define GA_DECIDE_PLACE_SCORE_H

#include "decide/place/place.h"

#define GA_PLACE_SLOTS 256 /* slots of a node: slot_index is 0..255 */

/* The terms in their order: the first one that differs decides, smaller wins. */
enum ga_place_term {
	GA_TERM_TYPE,		/* position in the list of wanted types */
	GA_TERM_PARTITIONS,	/* larger fabric partitions that can no longer be activated */
	GA_TERM_NUMA,		/* NUMA nodes used */
	GA_TERM_CLEAN,		/* 1: a node without a claim gets one */
	GA_TERM_LARGER,		/* slices of larger allowed counts that no longer fit */
	GA_TERM_NODE_LEFT,	/* free slots left on the node */
	GA_TERM_NUMA_LEFT,	/* free slots left on the NUMA nodes used */
	GA_TERM_COUNT,
};

struct ga_place_ask {
	const struct ga_fleet *fleet;
	const struct ga_request *request;
	const struct ga_profile *profile;
	int64_t count;
	bool baremetal;
	const char *image; /* NULL for baremetal */
	const char *const *types; /* best first */
	size_t n_types;		  /* 0: any */
	const struct ga_place_limits *limits; /* of an app, or NULL */
};

struct ga_place_option {
	const struct ga_fleet_node *node;
	const char *type;
	int64_t partition;
	int64_t terms[GA_TERM_COUNT];
	size_t n;
	const struct ga_fleet_slot *slots[GA_PLACE_SLOTS]; /* by index */
};

extern const char *const ga_place_term_names[GA_TERM_COUNT];

/* Fills ret from the request, and from the profile where the request leaves something open. ret
 * points into the arguments and owns nothing. */
void ga_place_asked(const struct ga_fleet *fleet, const struct ga_request *request,
		    const struct ga_profile *profile, struct ga_place_ask *ret);
/* The best offer of a node. Returns NULL and fills ret, or returns the code of the first reason
 * against the node. */
const char *ga_place_offer(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			   struct ga_place_option *ret);
/* The operator's words for the reason against the node: of its maintenance or cordon, or of the
 * cordon of its slots; else NULL. */
const char *ga_place_node_detail(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
				 const char *why);
/* Whether the node has a verified copy of the request's image, or the request needs none. */
bool ga_place_has_image(const struct ga_place_ask *ask, const struct ga_fleet_node *node);
/* Chooses the best of the usable slots of one type (choose.c); returns NULL, or the reason why it
 * cannot. */
const char *ga_place_choose(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			    const struct ga_fleet_slot *const *usable, size_t n,
			    struct ga_place_option *ret);
/* Sets the active partitions of then, a copy of the node with slots and partitions of its own in
 * which some slots are free: where all slots of one are free then, and not now, its use ends. */
void ga_place_end_partitions(const struct ga_fleet_node *now, struct ga_fleet_node *then);
/* Below 0 when a wins; node ids and slot indices break ties. */
int ga_place_compare(const struct ga_place_option *a, const struct ga_place_option *b);
/* Whether the option is better than any offer of a node without a claim. */
bool ga_place_beats_clean(const struct ga_place_option *option);
/* The reason why the request cannot use the slot, or NULL. */
const char *ga_place_slot_reason(const struct ga_place_ask *ask, const struct ga_fleet_slot *slot);
/* Orders the slots that the request cannot use for that reason, nearest to use first: available
 * slots, then slots in other states, then slots in use; by index in each group. */
int64_t ga_place_slot_rank(const struct ga_fleet_slot *slot, const char *why);
/* The reason of the person who cordoned or disabled the slot, if that is why; else NULL. */
const char *ga_place_slot_detail(const struct ga_fleet_slot *slot, const char *why);
/* Whether the request may use the type; *rank is its position in the list. */
bool ga_place_wants_type(const struct ga_place_ask *ask, const char *type, int64_t *rank);
/* The last type that was checked, and the answer; begins zeroed. The slots of a node mostly have
 * one type, and equal types are one pointer in the fleet. */
struct ga_place_checked {
	const char *type;
	bool known, wanted;
};
/* The same for one slot after the other of one request; remembers the last answer. */
static inline bool ga_place_wants_next(const struct ga_place_ask *ask, const char *type,
				       struct ga_place_checked *last)
{
	int64_t rank;

	if (!last->known || last->type != type) {
		last->known = true;
		last->type = type;
		last->wanted = ga_place_wants_type(ask, type, &rank);
	}
	return last->wanted;
}
/* Whether the app of the request allows the type. */
bool ga_place_allows_type(const struct ga_place_ask *ask, const char *type);
/* Whether the node's last observation is too old. */
bool ga_place_is_stale(const struct ga_place_ask *ask, const struct ga_fleet_node *node);
/* Releases the remembered offers (memo.c); NULL is allowed. */
void ga_place_memo_release(struct ga_place_memo *memo);
/* The node with the best offer, from remembered offers that still hold; NULL when no node has one.
 * *knows becomes false when this kind of request is not remembered. */
const struct ga_fleet_node *ga_place_memo_best(const struct ga_place_ask *ask, bool *knows);
/* The reason why the node is out, or NULL. */
const char *ga_place_node_reason(const struct ga_place_ask *ask, const struct ga_fleet_node *node);
/* Fills the refusal of a request that no node can take (refuse.c). */
void ga_place_refuse(const struct ga_place_ask *ask, struct ga_refusal *ret);
/* The code of that refusal alone; in place of "not_ready" the reason against every node, where they
 * have one in common. NULL: a node can take the request. Allocated. */
char *ga_place_refusal_code(const struct ga_place_ask *ask);
/* Fills the refusal of a number of GPUs that the profile does not allow ("count_not_allowed"). */
void ga_place_refuse_count(const struct ga_place_ask *ask, struct ga_refusal *ret);
/* Fills the refusal of a slice without an image: neither the request nor the profile names one. */
void ga_place_refuse_image(const struct ga_place_ask *ask, struct ga_refusal *ret);

/* The hint for a region that cannot be had: the regions that are open, declared or of a node; if
 * none is, the nodes without a region. Allocated. */
char *ga_place_open_regions(const struct ga_place_ask *ask);

#endif
