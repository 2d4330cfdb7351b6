/* SPDX-License-Identifier: Apache-2.0 */
/* One row of what needs a person (gpuaas.attention), written by whoever finds it. */
#ifndef GA_STATE_DB_ATTEND_H
#define GA_STATE_DB_ATTEND_H

#include "record/state.h"
#include "state/db/row.h"

/* A record of gpuaas.attention to be. */
struct ga_attend {
	const char *object, *object_kind, *state, *code, *since, *node, *project;
	char *sentence, *command; /* owned; consumed by ga_attention_emit; command NULL: check */
	bool from_here; /* the command is for this machine, wherever the node is */
};
/* Where the rows go, and the node that this machine is (NULL: not known, or none): what people are
 * to type for another node goes by gpuaas-on (decide/setup/remote.h). */
struct ga_attend_to {
	ga_store_each each;
	void *arg;
	const char *here;
	int64_t stale_seconds; /* nodes that nobody looked at for so long are rows; 0: none is */
};
GA_MUST_CHECK int ga_attention_emit(const struct ga_attend *f, const struct ga_attend_to *to,
				    struct ga_err *err);

#endif
