/* SPDX-License-Identifier: Apache-2.0 */
/* A struct straight to its line, for programs that write thousands of them. */
#ifndef GA_RECORD_SHAPE_WRITE_H
#define GA_RECORD_SHAPE_WRITE_H

#include "record/shape.h"

/* Adds the compact text of ga_shape_format's value, byte for byte, without making the value. */
void ga_shape_write(const struct ga_shape *shape, const void *obj, struct ga_str *out);
/* The same with a member of the outermost object left out, as digests are taken; NULL: none. */
void ga_shape_write_without(const struct ga_shape *shape, const void *obj, const char *member,
			    struct ga_str *out);

#endif
