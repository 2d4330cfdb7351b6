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

struct ga_profile;

struct ga_fleet_slot {
	char *id;
	int64_t slot_index, generation, numa_node, module_id;
	const char *type; /* interned in the fleet, or NULL */
	int64_t memory_mib;
	int64_t cpus;	  /* number of CPUs in its CPU set */
	bool available;	  /* its state; when it is not free, only the reason in why prevents that */
	bool free;	  /* state available, not cordoned, no stored blocker */
	const char *why;  /* interned: why it is not free ("in_use", "waiting_for_wipe", …) */
	const char *cordon_reason; /* interned: the reason of the person who cordoned or disabled
				    * it, or NULL */
	const char *cordon; /* interned: the reason of its cordon, or NULL: only uncordon ends that,
			     * and enable is refused until then */
};

/* A window of maintenance that has not been ended; wall clock in microseconds. */
struct ga_fleet_window {
	int64_t from, to;
	const char *reason; /* interned */
};

struct ga_fleet_node {
	char *id;
	const char *region, *pool, *mode; /* interned */
	int64_t generation;
	uint64_t change;  /* a new number after each change (ga_fleet_touch); 0: changes are not
			   * tracked */
	const char *why;  /* interned: the first reason why the node is out, or NULL */
	const char *why_detail; /* interned: the operator's reason, or NULL */
	int64_t grouped;  /* in a fleet for counting or for codes of refusals: the number of
			   * identical nodes that it stands for; 0: only itself */
	bool clean;	  /* no live claim on any slot: preferably kept for baremetal */
	bool partitions_in_use;
	int64_t observed_micros; /* last observation, or GA_UNKNOWN */
	GA_LIST(struct ga_partition) partitions; /* active: a live allocation uses it */
	GA_LIST(struct ga_fleet_slot) slots; /* slots that are not retired, by index */
	struct ga_borrowed_texts images; /* interned names of verified copies */
	GA_LIST(struct ga_fleet_window) windows; /* by their start */
};

/* A region that an operator declared. */
struct ga_fleet_region {
	const char *name;   /* interned */
	bool open;	    /* false: its nodes take no placement */
	const char *reason; /* interned: why it is not open, or NULL */
};

/* The memory of a type in the accelerator catalogue; needed only if a request requires memory. */
struct ga_fleet_type {
	const char *type; /* interned */
	int64_t memory_mib;
};

struct ga_fleet {
	GA_LIST(struct ga_fleet_node) nodes; /* by id */
	struct ga_texts words;		     /* the interned texts */
	GA_LIST(struct ga_fleet_region) regions; /* those declared, by name */
	GA_LIST(struct ga_fleet_type) types;
	int64_t version;	/* ga_db_version at the last look */
#define GA_FLEET_UNREAD (-1)	/* version of a fleet that must be read in full */
	int64_t seq, claim;	/* the last audit row and the last claim that the fleet includes */
	uint64_t changes;	/* the last change number */
	struct ga_place_memo *memo; /* remembered offers for the last kinds of request, or NULL */
	int64_t stale_micros;	/* a node last observed before this time is out; 0: no limit */
	int64_t now_micros;	/* for maintenance; 0: windows do not count */
	bool whole;		/* read in full since the last partial refresh */
	bool held_only;		/* without the nodes that have no claim */
	bool lab;
};

/* The fleet's own copy of a text: equal texts become equal pointers. NULL stays NULL. */
const char *ga_fleet_word(struct ga_fleet *f, const char *text);
void ga_fleet_node_release(struct ga_fleet_node *node);
/* Call this for each new or changed node. From the first call on the fleet remembers the offers of
 * nodes between decisions; the decisions stay the same. */
void ga_fleet_touch(struct ga_fleet *f, struct ga_fleet_node *node);
/* Sets whether a live allocation uses the node's partition with that id. Does nothing when the node
 * has no such partition. */
void ga_fleet_set_active(struct ga_fleet_node *node, int64_t partition, bool active);
/* Whether two partitions of the node overlap without one containing the other. Where none do, as in
 * Fabric Manager's tables, the choice among partitions of one size does not change which requests
 * still fit. */
bool ga_fleet_partitions_cross(const struct ga_fleet_node *node);

/* The limits of an app, in addition to the profile and the request; all borrowed. */
struct ga_place_limits {
	const char *app; /* its name, for sentences */
	/* of the app: in one fleet, its limits differ only by the request */
	int64_t version;
	bool any_type;
	const char *const *types; /* the allowed types, if not any */
	size_t n_types;
	const int64_t *counts; /* numbers of GPUs that a baremetal node may have; n_counts 0: any */
	size_t n_counts;
};

struct ga_decision {
	bool placed;
	const struct ga_fleet_node *node;
	GA_LIST(const struct ga_fleet_slot *) slots; /* by index */
	int64_t fabric_partition; /* GA_UNKNOWN: none needed */
	const char *type;
	char *type_reason; /* why the type is not the first of the order, or NULL; owned */
	bool beats_clean; /* no node without a claim can give a better offer */
	struct ga_refusal refusal;	   /* when placed is false; owned */
	struct ga_explanation explanation; /* filled when explain is true; owned */
};

void ga_fleet_release(struct ga_fleet *f);
/* The declaration of a region that is not open; NULL: the region is open, not declared or NULL. */
const struct ga_fleet_region *ga_fleet_closed(const struct ga_fleet *fleet, const char *region);
/* Whether the region is declared, or a node of the fleet is in it. */
bool ga_fleet_has_region(const struct ga_fleet *fleet, const char *region);
/* The window of maintenance that is open now, or that opens before work of run_seconds ends; NULL:
 * none. Work of unknown length (GA_UNKNOWN) collides with every later window. */
const struct ga_fleet_window *ga_fleet_window_in_way(const struct ga_fleet *fleet,
						     const struct ga_fleet_node *node,
						     int64_t run_seconds);
void ga_decision_release(struct ga_decision *d);

/* Decides. explain: also fills the answer of every node. Never fails: a refusal is a decision. The
 * decision points into fleet, request and profile. */
void ga_place(const struct ga_fleet *fleet, const struct ga_request *request,
	      const struct ga_profile *profile, bool explain, struct ga_decision *ret);
/* The same, within the limits of an app; NULL: none. */
void ga_place_within(const struct ga_fleet *fleet, const struct ga_request *request,
		     const struct ga_profile *profile, const struct ga_place_limits *limits,
		     bool explain, struct ga_decision *ret);
/* Updates the fleet after a decision was committed; the reserved slots get their new
 * generations. */
void ga_fleet_take(struct ga_fleet *fleet, const struct ga_decision *decision);
/* GPUs of the largest slice, among the profile's counts, that fits on a node of the fleet now; for
 * list pools. */
int64_t ga_place_largest(const struct ga_fleet *fleet, const struct ga_fleet_node *node,
			 const struct ga_profile *profile);
/* The number of requested GPUs: 1 when the request has none. */
int64_t ga_place_count(const struct ga_request *request);
/* Whether the request, or else its profile, has the shape "baremetal". */
bool ga_place_is_baremetal(const struct ga_request *request, const struct ga_profile *profile);

#endif
