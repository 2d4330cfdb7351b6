/* SPDX-License-Identifier: Apache-2.0 */
/* A row of gpuaas.attention, with its command made for the machine where people type it. */
#include "state/db/attend.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "decide/setup/remote.h"
#include "record/state.h"
#include "state/db/fsm.h"

/* Whether the object is in a state that it never leaves: no command helps there. */
static bool has_ended(const struct ga_attend *f)
{
	static const struct {
		const char *kind;
		enum ga_machine machine;
	} kinds[] = { { "slot", GA_M_SLOT }, { "allocation", GA_M_ALLOCATION },
		      { "plan", GA_M_ALLOCATION }, { "node", GA_M_NODE } };
	const struct ga_fsm_state *s;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].kind, f->object_kind))
			continue;
		s = ga_fsm_find(kinds[i].machine, f->state);
		return s && !s->to[0];
	}
	return false;
}

int ga_attention_emit(const struct ga_attend *f, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autofree char *sentence = f->sentence, *given = f->command;
	bool elsewhere = f->node && to->here && !f->from_here && strcmp(f->node, to->here) != 0;
	ga_autofree char *command = elsewhere ? ga_remote_command(given, f->node) : GA_TAKE(given);
	struct ga_attention a = {
		.object = (char *)(uintptr_t)f->object,
		.object_kind = (char *)(uintptr_t)f->object_kind,
		.state = (char *)(uintptr_t)f->state,
		.code = (char *)(uintptr_t)f->code,
		.since = (char *)(uintptr_t)f->since,
		.node = (char *)(uintptr_t)f->node,
		.project = (char *)(uintptr_t)f->project,
		.sentence = sentence,
		.command = command ? command : (char *)(uintptr_t) "gpuaas-state check",
	};

	return has_ended(f) ? 0 : to->each(&ga_attention_schema, &a, to->arg, err);
}
