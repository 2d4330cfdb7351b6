/* SPDX-License-Identifier: Apache-2.0 */
/* Private to placement: what a node could offer for a request, and its score. */
#ifndef GA_DECIDE_PLACE_SCORE_H
#define GA_DECIDE_PLACE_SCORE_H

#include "decide/place/place.h"

#define GA_PLACE_SLOTS 256 /* slots of a node: slot_index is 0..255 */

/* The terms in their order: the first that differs decides, smaller wins. */
enum ga_place_term {
	GA_TERM_TYPE,		/* place in the list of types asked for */
	GA_TERM_PARTITIONS,	/* larger fabric partitions that could no longer be activated */
	GA_TERM_NUMA,		/* NUMA nodes spanned */
	GA_TERM_CLEAN,		/* 1: a wholly free node would be broken */
	GA_TERM_LARGER,		/* slices of larger allowed counts that would no longer fit */
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

void ga_place_asked(const struct ga_fleet *fleet, const struct ga_request *request,
		    const struct ga_profile *profile, struct ga_place_ask *ret);
/* The best a node offers: NULL with ret filled, else the code of the first reason against it. */
const char *ga_place_offer(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			   struct ga_place_option *ret);
/* What an operator said of a reason against the whole node, or NULL. */
const char *ga_place_node_detail(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
				 const char *why);
/* The best choice among usable slots of one type (choose.c), or the reason there is none. */
const char *ga_place_choose(const struct ga_place_ask *ask, const struct ga_fleet_node *node,
			    const struct ga_fleet_slot *const *usable, size_t n,
			    struct ga_place_option *ret);
/* < 0 when a wins; node ids and slot indices break ties. */
int ga_place_compare(const struct ga_place_option *a, const struct ga_place_option *b);
/* Whether it is better than whatever a node without a claim offers. */
bool ga_place_beats_clean(const struct ga_place_option *option);
/* Why a slot is of no use to the request, or NULL. */
const char *ga_place_slot_reason(const struct ga_place_ask *ask, const struct ga_fleet_slot *slot);
/* Whether the request may use the type, with its place in the list. */
bool ga_place_wants_type(const struct ga_place_ask *ask, const char *type, int64_t *rank);
/* Whether the node was last observed too long ago. */
bool ga_place_is_stale(const struct ga_place_ask *ask, const struct ga_fleet_node *node);
/* Releases the offers that are remembered (memo.c); NULL is allowed. */
void ga_place_memo_release(struct ga_place_memo *memo);
/* The node with the best offer, from offers that are remembered and still hold; NULL when no node
 * has one. *knows is false when this kind of request is not remembered. */
const struct ga_fleet_node *ga_place_memo_best(const struct ga_place_ask *ask, bool *knows);
/* Why the node as a whole is out, or NULL. */
const char *ga_place_node_reason(const struct ga_place_ask *ask, const struct ga_fleet_node *node);
/* Fills the refusal when nothing fits (refuse.c). */
void ga_place_refuse(const struct ga_place_ask *ask, struct ga_refusal *ret);
void ga_place_refuse_count(const struct ga_place_ask *ask, struct ga_refusal *ret);
/* A slice has an image, and neither the request nor the profile names one. */
void ga_place_refuse_image(const struct ga_place_ask *ask, struct ga_refusal *ret);

#endif
