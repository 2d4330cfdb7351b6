/* SPDX-License-Identifier: Apache-2.0 */
/* The machines' table for tests: machine, state and the command that leaves it, by tabs. */
#include <stdio.h>

#include "state/db/fsm.h"

static void print(enum ga_machine m, const char *name)
{
	const struct ga_fsm_state *s;

	for (s = ga_fsm_states(m); s->name; s++)
		printf("%s\t%s\t%s\n", name, s->name, s->exit_command ? s->exit_command : "");
}

int main(void)
{
	print(GA_M_SLOT, "slot");
	print(GA_M_ALLOCATION, "allocation");
	print(GA_M_NODE, "node");
	return 0;
}
