/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the stores that read the fleet (fleet.c, alike.c, some.c): a node by
 * its rows. */
#ifndef GA_STATE_CAPACITY_FLEET_H
#define GA_STATE_CAPACITY_FLEET_H

#include "base/texts.h"
#include "state/allocation/place.h"
#include "state/db/json.h"

/* What ga_store_fleet_fill_node reads; a condition and an order follow. */
#define GA_SQL_FLEET_NODES \
	"SELECT id, region, pool, mode, state, generation, cordon_reason, held_by, " \
	"epoch_verified, observed_at, fabric_mode, " \
	"CASE WHEN blockers <> '[]' THEN json_extract(" GA_SQL_REASONS("blockers") \
	", '$[0].code') END, " \
	"partitions FROM node "

/* Nodes and the partitions of them that live allocations have; AND with a condition, and an order
 * follow. In the words of the index allocation_partition. */
#define GA_SQL_ACTIVE_PARTITIONS \
	"SELECT node_id, fabric_partition FROM allocation INDEXED BY allocation_partition " \
	"WHERE node_id IS NOT NULL AND fabric_partition IS NOT NULL AND state IN ('placed', " \
	"'provisioning', 'active', 'held', 'preempting', 'releasing', 'release_failed', 'failed') "

/* Of the table slot: why one is out, whatever its state, or NULL. */
#define GA_SQL_SLOT_BLOCKER \
	"CASE WHEN cordon_reason IS NOT NULL THEN 'cordoned' " \
	"WHEN health_state = 'failed' THEN 'health_failed' WHEN blockers <> '[]' " \
	"THEN json_extract(" GA_SQL_REASONS("blockers") ", '$[0].code') " \
	"WHEN (SELECT epoch FROM meta) > 1 AND epoch_verified < (SELECT epoch FROM meta) " \
	"THEN 'unverified_since_restore' END "

/* node is zeroed; its texts are the fleet's words. epoch is the state's. */
void ga_store_fleet_fill_node(struct ga_fleet *f, struct ga_fleet_node *node,
			      const struct ga_rows *rows, int64_t epoch);
/* Adds a node of that id with all that belongs to it: 1, 0 when there is none that is not retired,
 * -1. Nodes are to be added in the order of their ids. */
GA_MUST_CHECK int ga_store_fleet_add(struct ga_db *db, struct ga_fleet *f, const char *id,
				     struct ga_err *err);

/* Adds the ids of nodes that a query has in its first column, in their order; ?1 is a moment. */
GA_MUST_CHECK int ga_node_ids_read(struct ga_db *db, const char *sql, int64_t now_micros,
				   struct ga_texts *ret, struct ga_err *err);
/* Adds those nodes, each for itself, as they are once expired plans are freed: 1, 0 where they are
 * so many that reading all is not much dearer and nothing was added, -1. */
GA_MUST_CHECK int ga_store_fleet_add_partial(struct ga_db *db, const struct ga_texts *ids,
					     struct ga_fleet *f, struct ga_err *err);
/* The whole fleet so. */
GA_MUST_CHECK int ga_store_fleet_load_expired(struct ga_db *db, struct ga_fleet *ret,
					      struct ga_err *err);

/* NULL when there is none; the nodes are in the order of their ids. */
struct ga_fleet_node *ga_store_fleet_node(struct ga_fleet *f, const char *id);
struct ga_fleet_slot *ga_store_fleet_slot(struct ga_fleet_node *node, const char *id);

#endif
