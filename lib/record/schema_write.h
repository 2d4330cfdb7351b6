/* SPDX-License-Identifier: Apache-2.0 */
/* Fast writing of a struct as a line, for programs that write thousands of records. */
#ifndef GA_RECORD_SCHEMA_WRITE_H
#define GA_RECORD_SCHEMA_WRITE_H

#include "record/schema.h"

/* Adds to out the same bytes as the compact text of ga_schema_format's value, without making that
 * value. */
void ga_schema_write(const struct ga_schema *schema, const void *obj, struct ga_str *out);
/* The same without one member of the outermost object, for its digest; member NULL: all members. */
void ga_schema_write_without(const struct ga_schema *schema, const void *obj, const char *member,
			     struct ga_str *out);

#endif
