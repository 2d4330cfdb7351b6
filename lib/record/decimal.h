/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers that people write, as integers: "7B", "1.5e9", "3.50". */
#ifndef GA_RECORD_DECIMAL_H
#define GA_RECORD_DECIMAL_H

#include "base/ga.h"

/*
 * Reads digits with an optional fraction, an optional exponent ("e9") and an optional suffix of
 * thousands (K, M, B or G, T). *ret is the number times 10^places, exactly, within [min, max]:
 * "3.50" with places 6 is 3500000. GA_USAGE when the result is no integer, is negative, or the text
 * has anything else in it; the argument "what" names the number in the message.
 */
GA_MUST_CHECK int ga_decimal_parse(const char *text, const char *what, int places, int64_t min,
				   int64_t max, int64_t *ret, struct ga_err *err);

/* Reads the memory of a GPU as its vendor prints it ("80GB", "80", "80GiB", "81920MiB") to MiB: a
 * vendor's gigabyte counts as 1024 MiB. */
GA_MUST_CHECK int ga_memory_parse(const char *text, const char *what, int64_t *mib,
				  struct ga_err *err);

#endif
