/* SPDX-License-Identifier: Apache-2.0 */
/* A line that was written by shape_write.h back to its struct, for programs that read hundreds. */
#ifndef GA_RECORD_SCHEMA_READ_H
#define GA_RECORD_SCHEMA_READ_H

#include "record/schema.h"

/* Reads text as ga_schema_write writes it (compact, members in the order of the table), ASCII only
 * and with no escapes but of quotes and backslashes, into a struct, which it overwrites. False is
 * no refusal: the text may be written in another way, hold what only jansson reads, or be wrong;
 * ga_schema_parse tells. What is read here it reads as the same (a fuzz target compares). Nothing
 * is kept where it is false. */
bool ga_schema_read(const struct ga_schema *schema, const char *text, size_t len, void *ret);

#endif
