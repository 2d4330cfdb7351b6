/* SPDX-License-Identifier: Apache-2.0 */
/* The counters that change as slots move: the number of free slots of a node (node_capacity). */
#include "state/db/invariant.h"

/* The columns that the slots of one row have in common. They change rarely: then the node is
 * counted again. */
#define ALIKE(row) \
	"(" row ".accelerator_type, " row ".memory_mib, " row ".cpuset, " row ".epoch_verified, " \
	row ".retired, " row ".module_id)"
#define COUNT_NODE \
	"DELETE FROM node_capacity WHERE node_id = NEW.node_id;\n" \
	"INSERT INTO node_capacity SELECT * FROM slot_capacity WHERE node_id = NEW.node_id;"

/* 1 when the slot came into this state, -1 when it left it; the counter changes by that. */
#define CAME(so) "(NEW.counted = '" so "') - (OLD.counted = '" so "')"
#define MOVE(column, so) column " = " column " + " CAME(so)

const struct ga_rule ga_rules_counted[] = {
	{ "slot_counted_new", "AFTER INSERT ON slot", NULL, NULL, COUNT_NODE },
	{ "slot_counted_anew",
	  "AFTER UPDATE OF accelerator_type, memory_mib, cpuset, epoch_verified, retired, "
	  "module_id ON slot",
	  ALIKE("NEW") " IS NOT " ALIKE("OLD"), NULL, COUNT_NODE },
	{ "slot_counted_moved",
	  "AFTER UPDATE OF state, cordon, disabled_reason, health_state, blockers ON slot",
	  "NEW.retired = 0 AND " ALIKE("NEW") " IS " ALIKE("OLD"), NULL,
	  /* Not FROM a subquery, which would make a table at each move. OR IGNORE: when somebody
	   * changed the counters by hand, the checks of the table stop no slot from moving. */
	  "UPDATE OR IGNORE node_capacity SET "
	  MOVE("free", "available") ", " MOVE("waiting", "waiting") ", "
	  MOVE("disabled", "disabled") ", "
	  "free_modules = free_modules + (" CAME("available") ") * NEW.module_bit "
	  "WHERE node_id = NEW.node_id AND "
	  "accelerator_type = coalesce(NEW.accelerator_type, '') AND "
	  "memory_mib = coalesce(NEW.memory_mib, -1) AND "
	  "cpus = coalesce(" GA_SQL_CPUS_NAMED("NEW") ", 0) AND "
	  "epoch_verified = NEW.epoch_verified;" },
	{ .name = NULL },
};

const char ga_sql_count_slots[] =
	"DELETE FROM node_capacity; INSERT INTO node_capacity SELECT * FROM slot_capacity;";
