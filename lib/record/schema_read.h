/* SPDX-License-Identifier: Apache-2.0 */
/* Fast reading of lines that schema_write.h wrote, for programs that read hundreds of records. */
#ifndef GA_RECORD_SCHEMA_READ_H
#define GA_RECORD_SCHEMA_READ_H

#include "record/schema.h"

/* Reads text in the form of ga_schema_write (compact, members in the order of the table), ASCII
 * only, with no escapes except those of quotes and backslashes. Overwrites the struct. False is no
 * refusal: the text may have another form, may have content that only jansson reads, or may be
 * wrong; call ga_schema_parse then. If it returns true, ga_schema_parse reads the same values (a
 * fuzz target compares both). If it returns false, the struct is zeroed and owns nothing. */
bool ga_schema_read(const struct ga_schema *schema, const char *text, size_t len, void *ret);

#endif
