/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placement: the fleet and a request in, a decision and its reasons out. Pure and deterministic:
 * the same fleet in any order and the same request give the same decision.
 */
#ifndef GA_PLACE_H
#define GA_PLACE_H

#include "kind_order.h"
#include "kind_state.h"
#include "verdict.h"

struct ga_fleet_slot {
	char *id;
	int64_t slot_index, generation, numa_node, module_id;
	const char *type; /* interned in the fleet, or NULL */
	int64_t memory_mib;
	bool free;	  /* state available, no blocker at GA_GATE_PLACE */
	const char *why;  /* interned: first reason code it is not free ("in_use", "tainted", …) */
};

struct ga_fleet_node {
	char *id;
	const char *region, *pool, *mode, *state; /* interned */
	int64_t generation;
	const char *why;  /* interned: first reason the whole node is out, or NULL */
	bool clean;	  /* no live claim at all: kept for baremetal where possible */
	bool partitions_in_use;
	GA_LIST(struct ga_partition) partitions;
	GA_LIST(struct ga_fleet_slot) slots; /* by index */
	GA_LIST(const char *) images;	     /* interned names of verified copies */
};

struct ga_fleet {
	GA_LIST(struct ga_fleet_node) nodes; /* by id */
	GA_LIST(char *) words;		     /* the interned texts, sorted */
	int64_t version;		     /* data_version it was read at */
	bool lab;
};

struct ga_decision {
	bool placed;
	const struct ga_fleet_node *node;
	GA_LIST(const struct ga_fleet_slot *) slots; /* by index */
	int64_t fabric_partition; /* GA_UNKNOWN: none needed */
	const char *type;
	struct ga_refusal refusal;	   /* when not placed; owned */
	struct ga_explanation explanation; /* filled when asked for; owned */
};

void ga_fleet_release(struct ga_fleet *f);
void ga_decision_release(struct ga_decision *d);

/* Decides. explain also fills every node's answer. Never fails: a refusal is a decision. */
void ga_place(const struct ga_fleet *fleet, const struct ga_request *request,
	      const struct ga_profile *profile, bool explain, struct ga_decision *ret);
/* GPUs of the largest slice of the profile's counts that fits now on a node; for list pools. */
int64_t ga_place_largest(const struct ga_fleet_node *node, const struct ga_profile *profile);

#endif
