/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted as slots move: how many of a node are free (node_capacity). */
#include "invariant.h"

#define COUNT_NODE \
	"DELETE FROM node_capacity WHERE node_id = NEW.node_id;\n" \
	"INSERT INTO node_capacity SELECT * FROM slot_capacity WHERE node_id = NEW.node_id;"

const struct ga_rule ga_rules_counted[] = {
	{ "slot_counted_new", "AFTER INSERT ON slot", NULL, NULL, COUNT_NODE },
	{ "slot_counted_moved",
	  "AFTER UPDATE OF state, cordon_reason, health_state, blockers, accelerator_type, "
	  "memory_mib, cpuset, epoch_verified, retired ON slot",
	  NULL, NULL, COUNT_NODE },
	{ .name = NULL },
};

const char ga_sql_count_slots[] =
	"DELETE FROM node_capacity; INSERT INTO node_capacity SELECT * FROM slot_capacity;";
