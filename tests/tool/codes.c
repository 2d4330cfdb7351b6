/* SPDX-License-Identifier: Apache-2.0 */
/* The codes of the tables in C, for tests/codes: section and code, by tabs. */
#include <stdio.h>

#include "decide/drift/drift.h"
#include "state/db/fsm.h"

static void states(const char *section, enum ga_machine m)
{
	const struct ga_fsm_state *s;

	for (s = ga_fsm_states(m); s->name; s++)
		printf("%s\t%s\n", section, s->name);
}

int main(void)
{
	size_t i;

	states("SLOTS", GA_M_SLOT);
	states("ALLOCATIONS", GA_M_ALLOCATION);
	states("NODES", GA_M_NODE);
	for (i = 0; i < GA_D_COUNT; i++)
		printf("DRIFT\t%s\n", ga_drift_word((enum ga_drift_code)i));
	return 0;
}
