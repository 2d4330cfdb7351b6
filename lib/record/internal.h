/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that schema.c and schema_read.c share; private to schema*.c. */
#ifndef GA_RECORD_INTERNAL_H
#define GA_RECORD_INTERNAL_H

#include "record/schema.h"

/* Checks that the field accepts the text; the message of GA_BADREC names path and the error. */
GA_MUST_CHECK int ga_schema_check_text(const struct ga_field *f, const char *s, size_t len,
				       const char *path, struct ga_err *err);
#define GA_SCHEMA_DECIMAL_MAX INT64_C(1000000000000000)
/* Whether the value is a number: GA_F_INT, GA_F_DECIMAL or GA_F_TRI. */
bool ga_schema_is_number(const struct ga_field *f);
/* 10 to the power of the field's digits: the unit of a GA_F_DECIMAL. */
int64_t ga_schema_decimal_unit(const struct ga_field *f);

#endif
