/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Money and GPU hours: prices are millionths of the currency an hour and GPU, use is whole GPU
 * seconds. Sums of both are calculated in 128 bits, rounded half to even.
 */
#ifndef GA_RECORD_MONEY_H
#define GA_RECORD_MONEY_H

#include "base/ga.h"
#include "base/str.h"

/* The most that a GPU hour may cost, in millionths: a million of the currency. */
#define GA_PRICE_MAX INT64_C(1000000000000)
/* The most GPUs, the largest price and the latest second the arithmetic holds for. */
#define GA_COST_COUNT_MAX 65536
#define GA_COST_PRICE_MAX INT64_C(9007199254740991)
#define GA_COST_SECONDS_MAX INT64_C(400000000000)

/* count * seconds * price_micros / 3600, half to even; all within the limits above. */
__int128 ga_cost_micros(int64_t count, int64_t seconds, int64_t price_micros);
/* GA_USAGE when the text is not three capital letters, as ISO 4217 has them. */
GA_MUST_CHECK int ga_currency_check(const char *text, struct ga_err *err);

/* "16.80", "0.000001": at least two digits behind the point, no zeros behind those. Added to out.
 */
void ga_cost_format(__int128 micros, struct ga_str *out);
/* A price as people write it ("3.50", "3", "0.000001"), in millionths. False when it is none: with
 * a sign or an exponent, more than six digits behind the point, or more than GA_PRICE_MAX. */
bool ga_price_parse(const char *text, int64_t *micros);
/* GPU hours of GPU seconds to so many digits (0 .. 12), half to even, without zeros at the end:
 * "4.2". */
void ga_cost_hours(__int128 gpu_seconds, int places, struct ga_str *out);

#endif
