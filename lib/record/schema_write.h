/* SPDX-License-Identifier: Apache-2.0 */
/* A struct straight to its line, for programs that write thousands of them. */
#ifndef GA_RECORD_SCHEMA_WRITE_H
#define GA_RECORD_SCHEMA_WRITE_H

#include "record/schema.h"

/* Adds the compact text of ga_schema_format's value, byte for byte, without making the value. */
void ga_schema_write(const struct ga_schema *schema, const void *obj, struct ga_str *out);
/* The same with a member of the outermost object left out, as digests are taken; NULL: none. */
void ga_schema_write_without(const struct ga_schema *schema, const void *obj, const char *member,
			     struct ga_str *out);

#endif
