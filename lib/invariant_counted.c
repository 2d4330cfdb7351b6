/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted as slots move: how many of a node are free (node_capacity). */
#include "invariant.h"

/* What the slots of one row have in common. It changes rarely: then the node is counted anew. */
#define ALIKE(row) \
	"(" row ".accelerator_type, " row ".memory_mib, " row ".cpuset, " row ".epoch_verified, " \
	row ".retired)"
#define COUNT_NODE \
	"DELETE FROM node_capacity WHERE node_id = NEW.node_id;\n" \
	"INSERT INTO node_capacity SELECT * FROM slot_capacity WHERE node_id = NEW.node_id;"

/* Whether a slot is counted so, as the view slot_capacity has it. */
#define OPEN_AND(row, state) "(" row ".state = '" state "' AND NOT " GA_SQL_SLOT_BLOCKED(row) ")"
#define WAITS(row) "(" row ".state IN ('releasing', 'wiping'))"

const struct ga_rule ga_rules_counted[] = {
	{ "slot_counted_new", "AFTER INSERT ON slot", NULL, NULL, COUNT_NODE },
	{ "slot_counted_anew",
	  "AFTER UPDATE OF accelerator_type, memory_mib, cpuset, epoch_verified, retired ON slot",
	  ALIKE("NEW") " IS NOT " ALIKE("OLD"), NULL, COUNT_NODE },
	{ "slot_counted_moved",
	  "AFTER UPDATE OF state, cordon_reason, health_state, blockers ON slot",
	  "NEW.retired = 0 AND " ALIKE("NEW") " IS " ALIKE("OLD"), NULL,
	  /* Not FROM a subquery, which would make a table of it at each move. OR IGNORE: where
	   * somebody wrote other numbers the checks of the table keep no slot from moving. */
	  "UPDATE OR IGNORE node_capacity SET "
	  "free = free + " OPEN_AND("NEW", "available") " - " OPEN_AND("OLD", "available") ", "
	  "waiting = waiting + " WAITS("NEW") " - " WAITS("OLD") ", "
	  "disabled = disabled + " OPEN_AND("NEW", "disabled") " - " OPEN_AND("OLD", "disabled")
	  " WHERE node_id = NEW.node_id AND "
	  "accelerator_type = coalesce(NEW.accelerator_type, '') AND "
	  "memory_mib = coalesce(NEW.memory_mib, -1) AND "
	  "cpus = coalesce(" GA_SQL_CPUS_NAMED("NEW") ", 0) AND "
	  "epoch_verified = NEW.epoch_verified;" },
	{ .name = NULL },
};

const char ga_sql_count_slots[] =
	"DELETE FROM node_capacity; INSERT INTO node_capacity SELECT * FROM slot_capacity;";
