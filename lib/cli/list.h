/* SPDX-License-Identifier: Apache-2.0 */
/* The options of gpuaas-list. */
#ifndef GA_CLI_LIST_H
#define GA_CLI_LIST_H

#include "base/texts.h"
#include "state/query/where.h"

/* As typed; texts point into argv. */
struct ga_list_ask {
	struct ga_borrowed_texts where;
	const char *since, *after, *app;
	bool follow, watch, newest, explain, all;
};

/* The words for KIND: the plurals, NULL-terminated. */
extern const char *const ga_list_kinds[];

/* Sets kind to the operand KIND, and checks that the options go with it and with each other;
 * GA_USAGE, also for a kind that is none. */
GA_MUST_CHECK int ga_list_check(const struct ga_list_ask *ask, const char **kind,
				struct ga_err *err);
/* For a list without a record, on a terminal: says so, with its conditions. */
void ga_list_say_none(const struct ga_list_ask *ask, const char *kind);
/* Says how many acknowledged entries were left out, below the table or else on stderr; nothing for
 * 0. */
void ga_list_tell_hidden(int64_t hidden);

#endif
