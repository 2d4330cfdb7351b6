/* SPDX-License-Identifier: Apache-2.0 */
/* A struct straight to its line, for programs that write thousands of them. */
#ifndef GA_SHAPE_WRITE_H
#define GA_SHAPE_WRITE_H

#include "shape.h"

/* Adds what ga_rec_format_text gives, byte for byte, without making JSON values in between. */
void ga_shape_write(const struct ga_shape *shape, const void *obj, struct ga_str *out);

#endif
