/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted as slots move: how many of a node are free (node_capacity). */
#include "invariant.h"

/* What slots of one row have in common; it changes with the hardware, which is rare: then the rows
 * of the node are made anew. */
#define ALIKE(row) \
	"(" row ".accelerator_type, " row ".memory_mib, " row ".cpuset, " row ".epoch_verified, " \
	row ".retired)"

/* CPUs in a list such as "0-11,96-107". */
#define CPUS(row) \
	"coalesce((SELECT sum(CAST(substr(r.value, instr(r.value, '-') + 1) AS INTEGER) - " \
	"CAST(r.value AS INTEGER) + 1) FROM json_each('[\"' || replace(" row ".cpuset, ',', " \
	"'\",\"') || '\"]') r), 0)"

/* The column in which a slot is counted, beside slots. */
#define COUNTED_IN(row) \
	"CASE WHEN " row ".state IN ('releasing', 'wiping') THEN 'waiting' WHEN " \
	GA_SQL_SLOT_BLOCKED(row) " THEN '' ELSE " row ".state END"

/* which: a condition on the slots s. */
#define COUNT(which) \
	"INSERT INTO node_capacity SELECT n, t, m, c, e, count(*), sum(i = 'available'), " \
	"sum(i = 'waiting'), sum(i = 'disabled') FROM (SELECT s.node_id AS n, " \
	"coalesce(s.accelerator_type, '') AS t, coalesce(s.memory_mib, -1) AS m, " CPUS("s") \
	" AS c, s.epoch_verified AS e, " COUNTED_IN("s") " AS i FROM slot s WHERE " which \
	"s.retired = 0) GROUP BY n, t, m, c, e;"
#define COUNT_NODE \
	"DELETE FROM node_capacity WHERE node_id = NEW.node_id;\n" \
	COUNT("s.node_id = NEW.node_id AND ")

const char ga_sql_count_slots[] = "DELETE FROM node_capacity; " COUNT("");

const struct ga_rule ga_rules_counted[] = {
	{ "slot_counted_new", "AFTER INSERT ON slot", NULL, NULL, COUNT_NODE },
	{ "slot_counted_anew",
	  "AFTER UPDATE OF accelerator_type, memory_mib, cpuset, epoch_verified, retired ON slot",
	  ALIKE("NEW") " IS NOT " ALIKE("OLD"), NULL, COUNT_NODE },
	{ "slot_counted_moved",
	  "AFTER UPDATE OF state, cordon_reason, health_state, blockers ON slot",
	  "NEW.retired = 0 AND " ALIKE("NEW") " IS " ALIKE("OLD"), NULL,
	  "UPDATE node_capacity SET free = free + (i = 'available') - (w = 'available'), "
	  "waiting = waiting + (i = 'waiting') - (w = 'waiting'), "
	  "disabled = disabled + (i = 'disabled') - (w = 'disabled') FROM (SELECT "
	  COUNTED_IN("NEW") " AS i, " COUNTED_IN("OLD") " AS w) WHERE i <> w AND "
	  "node_id = NEW.node_id AND accelerator_type = coalesce(NEW.accelerator_type, '') AND "
	  "memory_mib = coalesce(NEW.memory_mib, -1) AND cpus = " CPUS("NEW")
	  " AND epoch_verified = NEW.epoch_verified;" },
	{ .name = NULL },
};
