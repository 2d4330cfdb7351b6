/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state machines: states and edges of slot, allocation and node in one table. The checks in C,
 * the triggers in the database, the drawings of gpuaas-state(5) and the tests that walk every path
 * come from this table. Beside each state stands the command that leaves it (gpuaas-operations(7)).
 */
#ifndef GA_STATE_DB_FSM_H
#define GA_STATE_DB_FSM_H

#include "base/ga.h"
#include "base/str.h"

enum ga_machine { GA_M_SLOT, GA_M_ALLOCATION, GA_M_NODE };

struct ga_fsm_state {
	const char *name;
	const char *to[8];   /* the states that its edges lead to, NULL-terminated */
	/* The command that leaves the state; NULL: final. %s stands for the id, or for the id of
	 * the allocation while an allocation holds the slot (reserved, provisioning, active,
	 * releasing). */
	const char *exit_command;
	/* The same for a baremetal allocation and its slots: the release runs where its executables
	 * are, the wipe on the node itself. NULL: the same command as above. */
	const char *exit_command_baremetal;
	int64_t limit_seconds; /* stuck after that long; 0: no limit */
};

/* The states of an allocation that has ended, as a list of SQL; of a record:
 * ga_allocation_has_ended(). */
#define GA_SQL_ENDED "('released', 'cancelled', 'refused')"

/* The states of a machine, first the state in which rows are born; the end has no name. */
const struct ga_fsm_state *ga_fsm_states(enum ga_machine m);
/* The state with this name, or NULL. */
const struct ga_fsm_state *ga_fsm_find(enum ga_machine m, const char *state);
/* Whether the machine may go from one state to the other; false for an unknown state. */
bool ga_fsm_is_edge(enum ga_machine m, const char *from, const char *to);
/* The command that leaves the state, with "%s" in it; NULL: final, or no such state. */
const char *ga_fsm_exit_command(enum ga_machine m, const char *state, bool baremetal);
/* Adds the DDL of the machine's triggers (birth and edges) for SQLite. */
void ga_fsm_ddl(enum ga_machine m, struct ga_str *sql);

#endif
