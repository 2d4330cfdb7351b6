/* SPDX-License-Identifier: Apache-2.0 */
/* Byte sizes on command lines and in tables. */
#ifndef GA_RECORD_SIZE_H
#define GA_RECORD_SIZE_H

#include "base/ga.h"

#define GA_SIZE_SIZE 16
#define GA_INT_MAX_SAFE INT64_C(9007199254740991) /* 2^53 - 1: the largest integer in a record */

/* Reads "4096", "64K", "64KiB", "1G", "1GiB" (powers of 1024) to bytes, 0 .. 2^53 - 1. */
GA_MUST_CHECK int ga_size_parse(const char *text, int64_t *bytes, struct ga_err *err);
/* "3.5 TiB", for people. Returns out. */
char *ga_size_format(int64_t bytes, char out[GA_SIZE_SIZE]);
/* Reads "3.5 TiB" or "64 GiB", as ga_size_format writes it and with up to 3 digits after the point,
 * also without the blank: *begin <= n < *end for every size n that is written so. */
GA_MUST_CHECK bool ga_size_read_shown(const char *text, int64_t *begin, int64_t *end);
/* Reads a decimal integer within [min, max]; the argument "what" names it in the message. */
GA_MUST_CHECK int ga_int_parse(const char *text, const char *what, int64_t min, int64_t max,
			       int64_t *ret, struct ga_err *err);

#endif
