/* SPDX-License-Identifier: Apache-2.0 */
/* The difference between an object of the state and what a record would make of it. */
#ifndef GA_CLI_FRAME_DIFF_H
#define GA_CLI_FRAME_DIFF_H

#include <jansson.h>

#include "record/state.h"

/* Fills change and members of ret, which begins zeroed, from two records of the schema; NULL: there
 * is none. The caller still owns both records, and releases ret by ga_change_schema. */
void ga_diff(const struct ga_schema *schema, json_t *before, json_t *after, struct ga_change *ret);
/* Prints the members that change on stderr, a line each ("price_micros  0 -> 2000000"), but for the
 * one named skip (NULL: all). */
void ga_diff_say(const struct ga_change *change, const char *skip);

#endif
