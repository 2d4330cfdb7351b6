/* SPDX-License-Identifier: Apache-2.0 */
/* The fleet that placing and counting decide on, read from the state. Rules as in state/db/db.h. */
#ifndef GA_STATE_CAPACITY_FLEET_H
#define GA_STATE_CAPACITY_FLEET_H

#include "catalog/accel.h"
#include "decide/place/place.h"
#include "state/db/db.h"

/*
 * Loads the whole fleet that decide/place/place.c decides on: every node with its slots, partitions
 * and images, ordered by node id, then index. ret is overwritten except for stale_micros; begin
 * with { .version = GA_FLEET_UNREAD }. refresh updates a fleet inside a transaction: it reads only
 * the nodes that the audit names since the last read. seen skips the caller's own rows, whose
 * changes the caller has already applied with ga_fleet_take. After a rollback set version to
 * GA_FLEET_UNREAD.
 */
GA_MUST_CHECK int ga_store_fleet_load(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err);
/* Loads only nodes that already run slices, if there are few of them. Enough when the decision
 * would not use an empty node anyway (beats_clean). 1 with held_only set, 0 when there are too many
 * and nothing was read. */
GA_MUST_CHECK int ga_store_fleet_load_held(struct ga_db *db, struct ga_fleet *ret,
					   struct ga_err *err);
GA_MUST_CHECK int ga_store_fleet_refresh(struct ga_db *db, struct ga_fleet *fleet,
					 struct ga_err *err);
GA_MUST_CHECK int ga_store_fleet_seen(struct ga_db *db, struct ga_fleet *fleet, struct ga_err *err);
/* Changes a fleet just loaded to its content after ga_store_expire_plans at fleet->now_micros. For
 * readers that only show the result of a placement: no placement is committed on this fleet. */
GA_MUST_CHECK int ga_store_fleet_expire(struct ga_db *db, struct ga_fleet *fleet,
					struct ga_err *err);

/*
 * Fleet for counting free GPUs only (decide/offer/offer.h). Identical nodes are merged into one
 * entry with a count, taken from the counters in node_capacity. Expired plans count as freed. Nodes
 * with maintenance windows or expired plans get an entry each; when there are many of them, all
 * nodes do.
 */
GA_MUST_CHECK int ga_store_fleet_load_grouped(struct ga_db *db, struct ga_fleet *ret,
					      struct ga_err *err);
/* The same, but only nodes where capacity becomes free by itself: nodes with maintenance windows,
 * wipes or holds, an entry each; when there are many of them, all nodes. */
GA_MUST_CHECK int ga_store_fleet_load_ending(struct ga_db *db, struct ga_fleet *ret,
					     struct ga_err *err);

/* Fills the fleet's types with the memory of each type that its slots have, for requests of a least
 * memory. Does nothing when they are filled. */
void ga_store_fleet_memory(struct ga_fleet *f, const struct ga_accels *accels);

/* NULL when there is none; the fleet's nodes are in the order of their ids. */
struct ga_fleet_node *ga_store_fleet_node(struct ga_fleet *f, const char *id);
struct ga_fleet_slot *ga_store_fleet_slot(struct ga_fleet_node *node, const char *id);

#endif
