/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as records, and the loss of a node. */
#include <jansson.h>

#include "base/texts.h"
#include "record/state.h"
#include "record/time.h"
#include "state/allocation/move.h"
#include "state/db/audit.h"
#include "state/db/invariant.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/node/node.h"

/* In the order of ga_node_schema. */
#define NODES \
	"SELECT n.id, n.name, n.address, n.region, n.pool, n.mode, n.state, n.since, " \
	"n.generation, n.cordon_reason, n.drain_deadline, n.held_by, n.epoch_verified, " \
	"n.fingerprint, n.boot_id, n.observed_at, n.observation_digest, k.key, k.registered_at, " \
	GA_SQL_REASONS("n.blockers") ", n.network, " \
	"n.reserved_memory_mib, n.reserved_cpus, n.fabric_mode, " \
	"(SELECT count(*) FROM slot s WHERE s.node_id = n.id AND s.retired = 0), " \
	"(SELECT count(*) FROM slot s WHERE s.node_id = n.id AND s.retired = 0 AND " \
	GA_SQL_SLOT_AVAILABLE("s") "), " \
	"(SELECT lab FROM meta) FROM node n " \
	"LEFT JOIN node_key k ON k.node_id = n.id AND k.revoked_at IS NULL "

int ga_query_nodes(struct ga_db *db, const char *id, struct ga_rows **ret, struct ga_err *err)
{
	if (id)
		return ga_db_query(db, ret, err, NODES "WHERE n.id = ?1", "s", id);
	return ga_db_query(db, ret, err, NODES "ORDER BY n.id", "");
}

int ga_store_node(struct ga_db *db, const char *id, struct ga_node *ret, struct ga_err *err)
{
	struct ga_rows *rows = NULL;
	int r;

	if (ga_query_nodes(db, id, &rows, err) < 0)
		return -1;
	r = ga_row_first(rows, &ga_node_schema, ret, err);
	if (!r)
		return ga_refuse(err, GA_NOTFOUND, NULL, id,
				 ("there is no node '%s'", id),
				 ("'gpuaas-list nodes' shows them; a node is made by "
				  "'gpuaas-discover | gpuaas-approve'"));
	return r < 0 ? -1 : 0;
}

/* ---- a lost node ---- */

/* One allocation of a lost node: billing ends, its slots wait for a person, taints stay. */
static int lose_allocation(struct ga_db *db, const char *id, const char *reason, const char *at,
			   struct ga_err *err)
{
	ga_autofree char *sentence = ga_xprintf("host_lost: %s", reason);
	ga_autoallocation struct ga_allocation_row h = { 0 };

	if (ga_store_allocation_row(db, id, &h, err) < 0)
		return -1;
	if (!strcmp(h.state, "placed")) {
		if (ga_store_move_claimed(db, id, "reserved", "available", at, err) < 0 ||
		    ga_store_move_allocation(db, &h, "cancelled", at, sentence, err) < 0)
			return -1;
		return ga_store_end_allocation(db, id, at, err);
	}
	if (!strcmp(h.state, "provisioning") &&
	    ga_store_move_allocation(db, &h, "failed", at, sentence, err) < 0)
		return -1;
	if (strcmp(h.state, "releasing") && strcmp(h.state, "release_failed") &&
	    ga_store_move_allocation(db, &h, "releasing", at, sentence, err) < 0)
		return -1;
	if (strcmp(h.state, "release_failed") &&
	    ga_store_move_allocation(db, &h, "release_failed", at, sentence, err) < 0)
		return -1;
	return ga_store_usage_close(db, id, at, err);
}

int ga_store_node_lost(struct ga_db *db, const char *node, const char *reason, struct ga_err *err)
{
	ga_autotexts struct ga_texts allocations = { 0 }, slots = { 0 };
	ga_autofree char *at = ga_time_now(), *cordon = NULL;
	struct ga_node found;
	size_t i;

	if (ga_store_node(db, node, &found, err) < 0)
		return -1;
	cordon = ga_node_reason(found.cordon_reason, reason);
	ga_schema_release(&ga_node_schema, &found);
	if (ga_db_texts(db, &allocations, err,
			"SELECT id FROM allocation WHERE node_id = ?1 AND state IN ('placed', "
			"'provisioning', 'active', 'held', 'preempting', 'failed', 'releasing', "
			"'release_failed') ORDER BY id",
			"s", node) < 0)
		return -1;
	for (i = 0; i < allocations.n; i++)
		if (lose_allocation(db, allocations.v[i], reason, at, err) < 0)
			return -1;
	/* Slots in use go to cleanup_blocked over the edges of the state machine. */
	if (ga_db_texts(db, &slots, err,
			"SELECT id FROM slot WHERE node_id = ?1 AND state IN ('provisioning', "
			"'active', 'releasing', 'wiping') ORDER BY slot_index",
			"s", node) < 0)
		return -1;
	for (i = 0; i < slots.n; i++)
		if (ga_store_move_slot(db, slots.v[i], "active", "releasing", at, err) < 0 ||
		    ga_store_block_slot(db, slots.v[i], "host_lost", reason, at, err) < 0)
			return -1;
	/* A lost node takes no more placements. */
	if (ga_db_change(db, err,
			 "UPDATE node SET state = 'quarantined', "
			 "since = CASE state WHEN 'quarantined' THEN since ELSE ?2 END, "
			 "cordon_reason = ?3, generation = generation + 1 "
			 "WHERE id = ?1 AND state IN ('active', 'draining', 'quarantined')",
			 "sss", node, at, cordon) < 0)
		return -1;
	return ga_audit_add(db, "node_lost", node,
			    json_pack("{s:s, s:i, s:i}", "reason", reason, "allocations",
				      (int)allocations.n, "slots", (int)slots.n),
			    err);
}
