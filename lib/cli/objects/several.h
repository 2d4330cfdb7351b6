/* SPDX-License-Identifier: Apache-2.0 */
/* Several objects of one command: those that operands name, or those that meet conditions. */
#ifndef GA_CLI_OBJECTS_SEVERAL_H
#define GA_CLI_OBJECTS_SEVERAL_H

#include "base/texts.h"
#include "base/vec.h"
#include "cli/objects/where.h"
#include "state/query/still.h"

/* The objects that a person names for a command. */
struct ga_several {
	const char *kind; /* node, slot, allocation: what the command takes */
	char *const *operands;
	size_t n;
	const char *const *where; /* conditions as of gpuaas-list */
	size_t n_where;
	bool shows; /* the command only shows: conditions match also objects that are retired,
		     * released or cancelled, and a name that no object has is only a warning */
	/* Of ga_cli_several: the conditions with ids for names, and what the transaction that
	 * changes an object checks again, NULL without conditions. */
	struct ga_cli_where names;
	struct ga_still meant;
	const struct ga_still *still;
};
void ga_cli_several_release(struct ga_several *ask);

/*
 * Appends the ids, each once: those of the operands in their order, or those that meet all
 * conditions in the order of gpuaas-list. An operand that names no object is reported with its
 * status, and the others go on; a single one is the error. Where nothing meets the conditions, this
 * is reported, and ret stays empty. GA_USAGE: neither operands nor conditions, or both. GA_NOTFOUND
 * with near names (GA_USAGE of a type): a condition names something that is not there; "node!=h77"
 * would match every object. Opens the state to read it, and closes it. ask keeps the conditions:
 * release it.
 */
GA_MUST_CHECK int ga_cli_several(struct ga_several *ask, struct ga_texts *ret,
				 struct ga_err *err);
/* After one of n objects, with r of it: whether the command goes on with the next. Then a refusal
 * of this one is reported with its status, and err is empty. A single object is the end, with r. A
 * mistake that is the same for every object is refused before the first. */
GA_MUST_CHECK bool ga_cli_several_goes_on(size_t n, int r, struct ga_err *err);
/* Reports that an object that was picked is not changed, because it does not meet the conditions
 * any more (ga_store_still gave 0). This is no error, and has no status: conditions mean the
 * objects that meet them. */
void ga_cli_several_left(const char *kind, const char *id);

#endif
