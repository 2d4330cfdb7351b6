/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers that people write, as integers: "7B", "1.5e9", "3.50". */
#ifndef GA_RECORD_DECIMAL_H
#define GA_RECORD_DECIMAL_H

#include "base/ga.h"

/*
 * Reads digits with an optional fraction, an optional exponent ("e9") and an optional suffix of
 * thousands (K, M, B or G, T), times 10^places, exactly, within [min, max]: "3.50" with places 6 is
 * 3500000. What does not come out whole, is negative or has anything else in it is GA_USAGE; what
 * names it in the message.
 */
GA_MUST_CHECK int ga_decimal_parse(const char *text, const char *what, int places, int64_t min,
				   int64_t max, int64_t *ret, struct ga_err *err);

/* Reads memory of a GPU as its maker prints it, "80GB", "80", "80GiB", "81920MiB", to MiB: the
 * gigabytes on the box are matched as 1024 MiB. */
GA_MUST_CHECK int ga_memory_parse(const char *text, const char *what, int64_t *mib,
				  struct ga_err *err);

#endif
