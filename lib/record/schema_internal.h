/* SPDX-License-Identifier: Apache-2.0 */
/* What schema.c and shape_read.c share; private to schema*.c. */
#ifndef GA_RECORD_SCHEMA_INTERNAL_H
#define GA_RECORD_SCHEMA_INTERNAL_H

#include "record/schema.h"

/* Whether the text may stand in the field; GA_BADREC names path and what is wrong. */
GA_MUST_CHECK int ga_schema_check_text(const struct ga_field *f, const char *s, size_t len,
				       const char *path, struct ga_err *err);
#define GA_SHAPE_DECIMAL_MAX INT64_C(1000000000000000)
bool ga_schema_is_number(const struct ga_field *f);
/* 10 to the digits of a decimal. */
int64_t ga_schema_decimal_unit(const struct ga_field *f);

#endif
