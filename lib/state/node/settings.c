/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a node, applied idempotently. */
#include "record/host.h"
#include "record/mac.h"
#include "record/rec.h"
#include "record/state.h"
#include "record/time.h"
#include "state/allocation/move.h"
#include "state/db/audit.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/node/observe.h"
#include "state/node/settings.h"

/* The memory reserved for the host is taken evenly from its NUMA nodes; row -1 is the whole
 * host. */
static int spread_reserve(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	if (s->reserved_memory_mib == GA_UNKNOWN)
		return 0;
	return ga_db_change(db, err,
			    "UPDATE node_memory SET "
			    "reserve_mib = iif(numa_node < 0, ?2, (?2 + k - 1) / k) FROM (SELECT "
			    "max(sum(numa_node >= 0), 1) AS k FROM node_memory "
			    "WHERE node_id = ?1) n WHERE node_id = ?1 "
			    "AND reserve_mib <> iif(numa_node < 0, ?2, (?2 + k - 1) / k)",
			    "si", s->node, s->reserved_memory_mib);
}

/* The slots of a node in mode baremetal were approved for that: the needs of a VM were not checked
 * (decide/slot/verdict.h). They must be approved again before they are sold as slices. A trigger
 * holds the same (node_mode_slots). */
static int refuse_slices(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	int64_t slots;
	int r;

	if (!ga_streq(s->mode, "slice"))
		return 0;
	r = ga_db_one(db, err,
		      "SELECT count(*) FROM node n JOIN slot s ON s.node_id = n.id WHERE n.id = ?1 "
		      "AND n.mode = 'baremetal' AND s.retired = 0 "
		      "AND s.state NOT IN ('disabled', 'quarantined') HAVING count(*) > 0",
		      "sI", s->node, &slots);
	if (r <= 0)
		return r;
	return ga_refuse(err, GA_CONFLICT, "node_in_use", NULL,
			 ("node '%s' has %lld slots that were approved for baremetal: its mode "
			  "cannot become slice", s->node,
			  (long long)slots),
			 ("disable them first ('gpuaas-list slots --where node=%s'; gpuaas-approve "
			  "disable SLOT --reason TEXT); then 'gpuaas-discover | gpuaas-approve "
			  "--all-ready --mode slice' judges them as slices, and 'gpuaas-approve "
			  "enable SLOT | gpuaas-wipe' sells each", s->node));
}

static int refuse_mode(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	int r;

	if (!s->mode)
		return 0;
	r = ga_db_one(db, err,
		      "SELECT held_by FROM node WHERE id = ?1 AND mode <> ?2 "
		      "AND held_by IS NOT NULL",
		      "ss", s->node, s->mode);
	if (r <= 0)
		return r;
	return ga_refuse(err, GA_CONFLICT, "node_in_use", NULL,
			 ("node '%s' is in use: its mode cannot become %s", s->node, s->mode),
			 ("'gpuaas-node drain %s --reason TEXT' first; 'gpuaas-list claims --where "
			  "node=%s --where live=true' shows what is on it", s->node, s->node));
}

/* The slots of a node that was baremetal are out of sale (refuse_slices), and stay there until an
 * approval has judged them as slices: also a repair, which only wipes them, does not sell them. */
static int block_slices(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	return ga_db_change(
		db, err,
		"UPDATE slot SET blockers = json_insert(" GA_SQL_REASONS("blockers") ", '$[#]', "
		"json_object('code', 'node_mode', 'subject', node_id, 'evidence', "
		"'it was approved for baremetal, and its node now sells slices', 'hint', "
		"replace('gpuaas-discover | gpuaas-approve --slot INDEX | gpuaas-wipe', 'INDEX', "
		"slot_index))), "
		"generation = generation + 1 WHERE node_id = ?1 AND retired = 0 AND EXISTS "
		"(SELECT 1 FROM node WHERE id = ?1 AND mode = 'baremetal' AND ?2 = 'slice')",
		"ss", s->node, s->mode);
}

/* 1 when a column changed. Each setting has its own condition, so that nothing else moves. */
static int update_settings(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	ga_autofree char *network =
		s->network ? ga_rec_format_text(&ga_network_schema, s->network) : NULL;

	return ga_db_exec(
		db, err,
		"UPDATE node SET name = nullif(coalesce(?2, name), ''), "
		"address = nullif(coalesce(?3, address), ''), "
		"region = nullif(coalesce(?4, region), ''), "
		"pool = nullif(coalesce(?5, pool), ''), "
		"mode = coalesce(?6, mode), network = coalesce(?7, network), "
		"network_set = network_set OR ?7 IS NOT NULL, "
		"reserved_memory_mib = coalesce(?8, reserved_memory_mib), "
		"reserved_cpus = nullif(coalesce(?9, reserved_cpus), ''), "
		"fabric_mode = coalesce(?10, fabric_mode), generation = generation + 1 "
		"WHERE id = ?1 AND (name IS NOT nullif(coalesce(?2, name), '') OR "
		"address IS NOT nullif(coalesce(?3, address), '') OR "
		"region IS NOT nullif(coalesce(?4, region), '') OR "
		"pool IS NOT nullif(coalesce(?5, pool), '') OR mode IS NOT coalesce(?6, mode) OR "
		"network IS NOT coalesce(?7, network) OR "
		"network_set IS NOT (network_set OR ?7 IS NOT NULL) OR "
		"reserved_memory_mib IS NOT coalesce(?8, reserved_memory_mib) OR "
		"reserved_cpus IS NOT nullif(coalesce(?9, reserved_cpus), '') OR "
		"fabric_mode IS NOT coalesce(?10, fabric_mode))",
		"sssssssiss", s->node, s->name, s->address, s->region, s->pool, s->mode, network,
		s->reserved_memory_mib, s->reserved_cpus, s->fabric_mode);
}

/* The settings as in the record; a cleared setting is null. */
static json_t *settings_detail(const struct ga_node_settings *s)
{
	json_t *detail = ga_schema_format(&ga_node_settings_schema, s), *value;
	const char *name;

	json_object_foreach(detail, name, value)
		if (json_is_string(value) && !*json_string_value(value))
			json_object_set_new(detail, name, json_null());
	return detail;
}

/* A slot keeps its address for its whole life: the network may not use it for itself. */
static int refuse_address(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (!s->network)
		return 0;
	if (ga_db_query(db, &rows, err,
			"SELECT id, private_ip FROM slot WHERE node_id = ?1 AND retired = 0 AND "
			"private_ip IS NOT NULL ORDER BY slot_index", "s", s->node) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *ip = ga_rows_text(rows, 1);

		if (!ga_ip_is_of_network(ip, s->network->gateway, s->network->prefix_bits))
			continue;
		return ga_refuse(err, GA_CONFLICT, "duplicate_identity", s->node,
				 ("slot '%s' of node '%s' has the address %s, which would be the "
				  "network's own: its gateway %s, or the first or last address of "
				  "it", ga_rows_text(rows, 0), s->node, ip, s->network->gateway),
				 ("give the gateway another address, or retire the slot first"));
	}
	return r;
}

/* Finds an object besides the node that answers to the word: its kind and id, allocated. 1: found.
 * names: names of allocations count too. */
static int find_holder(struct ga_db *db, const char *word, const char *node, bool names,
		       char **kind, char **id, struct ga_err *err)
{
	return ga_db_one(db, err,
			 "SELECT 'node', id FROM node WHERE (id = ?1 OR name = ?1) AND id <> ?2 "
			 "UNION ALL SELECT 'slot', id FROM slot WHERE id = ?1 "
			 "UNION ALL SELECT 'allocation', id FROM allocation WHERE id = ?1 OR "
			 "(?3 AND name = ?1 AND state NOT IN " GA_SQL_ENDED ") LIMIT 1",
			 "ssiSS", word, node, (int64_t)names, kind, id);
}

int ga_store_node_id_is_free(struct ga_db *db, const char *node, bool names, struct ga_err *err)
{
	ga_autofree char *kind = NULL, *id = NULL;
	int r = find_holder(db, node, node, names, &kind, &id, err);

	return r <= 0 ? r :
			ga_refuse(err, GA_CONFLICT, "name_taken", id,
				  ("a new node cannot have the id '%s': it means %s %s", node, kind,
				   id),
				  ("give the id of the node that is meant, or another one to the "
				   "new node (GPUAAS_NODE)"));
}

/* A name that another object answers to would mean the one in one command and the other in
 * another. */
static int refuse_name(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	ga_autofree char *kind = NULL, *id = NULL;
	int r = s->name && *s->name ?
			find_holder(db, s->name, s->node, true, &kind, &id, err) : 0;

	return r <= 0 ? r :
			ga_refuse(err, GA_CONFLICT, "name_taken", id,
				  ("node '%s' cannot have the name '%s': %s %s has it", s->node,
				   s->name, kind, id),
				  ("give another name; 'gpuaas-show %s' shows what has it", id));
}

int ga_store_apply_node_settings(struct ga_db *db, const struct ga_node_settings *s,
				 struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	int known = ga_db_one(db, err, "SELECT 1 FROM node WHERE id = ?1", "s", s->node), changed;

	if (known < 0 || refuse_name(db, s, err) < 0 ||
	    refuse_mode(db, s, err) < 0 || refuse_slices(db, s, err) < 0 ||
	    refuse_address(db, s, err) < 0)
		return -1;
	if (!known && ga_store_node_id_is_free(db, s->node, true, err) < 0)
		return -1;
	if (!known && ga_db_change(db, err, "INSERT INTO node (id, since) VALUES (?1, ?2)", "ss",
				   s->node, now) < 0)
		return -1;
	if (known && block_slices(db, s, err) < 0)
		return -1;
	changed = update_settings(db, s, err);
	if (changed < 0 || spread_reserve(db, s, err) < 0 ||
	    (changed && s->mode && ga_store_judge_host(db, s->node, err) < 0))
		return -1;
	if (known && !changed)
		return 0;
	if (ga_audit_add(db, "node_settings_applied", s->node, settings_detail(s), err) < 0)
		return -1;
	return 1;
}
