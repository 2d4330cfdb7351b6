/* SPDX-License-Identifier: Apache-2.0 */
/* A node of the fleet by its rows. Private to the files that read the fleet (fleet.c, grouped.c,
 * partial.c). */
#ifndef GA_STATE_CAPACITY_INTERNAL_H
#define GA_STATE_CAPACITY_INTERNAL_H

#include "base/texts.h"
#include "state/capacity/fleet.h"
#include "state/db/json.h"
#include "state/db/row.h"

/* The columns that ga_store_fleet_fill_node reads; append a condition and an order. */
#define GA_SQL_FLEET_NODES \
	"SELECT id, region, pool, mode, state, generation, cordon_reason, held_by, " \
	"epoch_verified, observed_at, fabric_mode, " \
	"CASE WHEN blockers <> '[]' THEN json_extract(" GA_SQL_REASONS("blockers") \
	", '$[0].code') END, " \
	"partitions FROM node "

/* Nodes and their partitions that live allocations use; append AND with a condition, and an order.
 * Its conditions are word for word those of the index allocation_partition. */
#define GA_SQL_ACTIVE_PARTITIONS \
	"SELECT node_id, fabric_partition FROM allocation INDEXED BY allocation_partition " \
	"WHERE node_id IS NOT NULL AND fabric_partition IS NOT NULL AND state IN ('placed', " \
	"'provisioning', 'active', 'held', 'preempting', 'releasing', 'release_failed', 'failed') "

/* On the table slot: the reason why a slot is not for sale, whatever its state, or NULL. A blocker
 * comes before a cordon, which a command ends. */
#define GA_SQL_SLOT_BLOCKER \
	"CASE WHEN health_state = 'failed' THEN 'health_failed' WHEN blockers <> '[]' " \
	"THEN json_extract(" GA_SQL_REASONS("blockers") ", '$[0].code') " \
	"WHEN cordon_reason IS NOT NULL THEN 'cordoned' " \
	"WHEN (SELECT epoch FROM meta) > 1 AND epoch_verified < (SELECT epoch FROM meta) " \
	"THEN 'unverified_since_restore' END "

/* node is zeroed; its texts are interned in the fleet. epoch is the state's. */
void ga_store_fleet_fill_node(struct ga_fleet *f, struct ga_fleet_node *node,
			      const struct ga_rows *rows, int64_t epoch);
/* Adds the node of that id with its slots, partitions and images: 1, 0 when there is none that is
 * not retired, -1. Add nodes in the order of their ids. */
GA_MUST_CHECK int ga_store_fleet_add(struct ga_db *db, struct ga_fleet *f, const char *id,
				     struct ga_err *err);

/* Adds the node ids in the first column of a query, in the query's order; ?1 is a time. */
GA_MUST_CHECK int ga_node_ids_read(struct ga_db *db, const char *sql, int64_t now_micros,
				   struct ga_texts *ret, struct ga_err *err);
/* Adds an entry for each of those nodes, with expired plans counted as freed: 1, -1; 0 when there
 * are so many nodes that reading all costs little more: nothing was added. */
GA_MUST_CHECK int ga_store_fleet_add_partial(struct ga_db *db, const struct ga_texts *ids,
					     struct ga_fleet *f, struct ga_err *err);
/* Loads the whole fleet with expired plans counted as freed. */
GA_MUST_CHECK int ga_store_fleet_load_expired(struct ga_db *db, struct ga_fleet *ret,
					      struct ga_err *err);

#endif
