/* SPDX-License-Identifier: Apache-2.0 */
/* Several objects of one command: those that operands name, or those that meet conditions. */
#ifndef GA_CLI_FRAME_SEVERAL_H
#define GA_CLI_FRAME_SEVERAL_H

#include "base/texts.h"
#include "base/vec.h"

/* The objects that a person names for a command. */
struct ga_several {
	const char *kind; /* node, slot, allocation: what the command takes */
	char *const *operands;
	size_t n;
	const char *const *where; /* conditions as of gpuaas-list */
	size_t n_where;
	bool ended; /* conditions match also objects that are retired, released or cancelled */
};

/*
 * Appends the ids, each once: those of the operands in their order, or those that meet all
 * conditions in the order of gpuaas-list. An operand that names no object is reported with its
 * status, and the others go on; a single one is the error. Where nothing meets the conditions, this
 * is reported, and ret stays empty. GA_USAGE: neither operands nor conditions, or both. Opens the
 * state to read it, and closes it.
 */
GA_MUST_CHECK int ga_cli_several(const struct ga_several *ask, struct ga_texts *ret,
				 struct ga_err *err);

#endif
