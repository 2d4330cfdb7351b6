/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placement: the fleet and a request in, a decision and its reasons out. Pure and deterministic:
 * the same fleet in any order and the same request give the same decision.
 */
#ifndef GA_DECIDE_PLACE_PLACE_H
#define GA_DECIDE_PLACE_PLACE_H

#include "base/texts.h"
#include "decide/slot/verdict.h"
#include "record/request.h"
#include "record/state.h"

struct ga_fleet_slot {
	char *id;
	int64_t slot_index, generation, numa_node, module_id;
	const char *type; /* interned in the fleet, or NULL */
	int64_t memory_mib;
	int64_t cpus;	  /* in its CPU set */
	bool free;	  /* state available, not cordoned, no stored blocker */
	const char *why;  /* interned: why it is not free ("in_use", "waiting_for_wipe", …) */
};

/* A window of maintenance that was not ended, wall clock in microseconds. */
struct ga_fleet_window {
	int64_t from, to;
	const char *reason; /* interned */
};

struct ga_fleet_node {
	char *id;
	const char *region, *pool, *mode; /* interned */
	int64_t generation;
	uint64_t change;  /* another number after each change (ga_fleet_touch); 0: not followed */
	const char *why;  /* interned: first reason the whole node is out, or NULL */
	const char *why_detail; /* interned: what an operator gave as the reason, or NULL */
	int64_t alike;	  /* in a fleet for counting, where slots have no ids: how many identical
			     nodes it stands for; 0: only itself */
	bool clean;	  /* no live claim at all: kept for baremetal where possible */
	bool partitions_in_use;
	int64_t observed_micros; /* last observation, or GA_UNKNOWN */
	GA_LIST(struct ga_partition) partitions; /* active: a live allocation has it */
	GA_LIST(struct ga_fleet_slot) slots; /* not retired; by index */
	GA_LIST(const char *) images;	     /* interned names of verified copies */
	GA_LIST(struct ga_fleet_window) windows; /* by their beginning */
};

/* What the accelerator catalogue says of a type; only needed where a request asks for memory. */
struct ga_fleet_type {
	const char *type; /* interned */
	int64_t memory_mib;
};

struct ga_fleet {
	GA_LIST(struct ga_fleet_node) nodes; /* by id */
	struct ga_texts words;		     /* the interned texts */
	GA_LIST(struct ga_fleet_type) types;
	int64_t version;	/* ga_db_version when last looked at */
#define GA_FLEET_UNREAD (-1)	/* version of a fleet that has to be read whole */
	int64_t seq, claim;	/* last audit row and last claim taken into account */
	uint64_t changes;	/* the last number given to a node */
	struct ga_place_memo *memo; /* what nodes offered to the last kind of request, or NULL */
	int64_t stale_micros;	/* nodes observed before are out; 0: none */
	int64_t now_micros;	/* for maintenance; 0: none counts */
	bool whole;		/* read whole since the last partial refresh */
	bool held_only;		/* nodes without a claim are left out */
	bool lab;
};

/* The fleet's own copy of a text, so that equal texts are equal pointers. NULL stays NULL. */
const char *ga_fleet_word(struct ga_fleet *f, const char *text);
void ga_fleet_node_release(struct ga_fleet_node *node);
/* To be called for a node that is new or was changed. From the first call on, what nodes offer is
 * remembered from one decision to the next; decisions stay the same. */
void ga_fleet_touch(struct ga_fleet *f, struct ga_fleet_node *node);
/* Whether a live allocation has the node's partition of that id; nothing where it has none such. */
void ga_fleet_set_active(struct ga_fleet_node *node, int64_t partition, bool active);
/* Whether two partitions of the node overlap and neither contains the other. Where none do, as in
 * Fabric Manager's tables, the choice among partitions of one size does not change what still
 * fits. */
bool ga_fleet_partitions_cross(const struct ga_fleet_node *node);

struct ga_decision {
	bool placed;
	const struct ga_fleet_node *node;
	GA_LIST(const struct ga_fleet_slot *) slots; /* by index */
	int64_t fabric_partition; /* GA_UNKNOWN: none needed */
	const char *type;
	char *type_reason; /* why it is not the first type of the order, or NULL; owned */
	bool beats_clean; /* no node without a claim could have been better */
	struct ga_refusal refusal;	   /* when not placed; owned */
	struct ga_explanation explanation; /* filled when asked for; owned */
};

void ga_fleet_release(struct ga_fleet *f);
/* The window of maintenance that is open now, or opens before work of run_seconds would end; NULL:
 * none. Work of unknown length (GA_UNKNOWN) runs into every window that is ahead. */
const struct ga_fleet_window *ga_fleet_window_in_way(const struct ga_fleet *fleet,
						     const struct ga_fleet_node *node,
						     int64_t run_seconds);
void ga_decision_release(struct ga_decision *d);

/* Decides. explain also fills every node's answer. Never fails: a refusal is a decision. The
 * decision points into fleet, request and profile. */
void ga_place(const struct ga_fleet *fleet, const struct ga_request *request,
	      const struct ga_profile *profile, bool explain, struct ga_decision *ret);
/* The fleet after a decision was committed; generations become those of the reserved slots. */
void ga_fleet_take(struct ga_fleet *fleet, const struct ga_decision *decision);
/* GPUs of the largest slice of the profile's counts that fits now on a node of the fleet; for list
 * pools. */
int64_t ga_place_largest(const struct ga_fleet *fleet, const struct ga_fleet_node *node,
			 const struct ga_profile *profile);
/* The GPUs asked for: 1 where the request does not say. */
int64_t ga_place_count(const struct ga_request *request);
bool ga_place_is_baremetal(const struct ga_request *request, const struct ga_profile *profile);

#endif
