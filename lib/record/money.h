/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Money and GPU hours. A price is in millionths of the currency for one hour of one GPU; use is in
 * GPU seconds, an integer. Sums of both are calculated in 128 bits and rounded half to even.
 */
#ifndef GA_RECORD_MONEY_H
#define GA_RECORD_MONEY_H

#include "base/ga.h"
#include "base/str.h"

/* The highest price of a GPU hour, in millionths: a million of the currency. */
#define GA_PRICE_MAX INT64_C(1000000000000)
/* The arithmetic is exact up to these numbers of GPUs, prices and seconds. */
#define GA_COST_COUNT_MAX 65536
#define GA_COST_PRICE_MAX INT64_C(9007199254740991)
#define GA_COST_SECONDS_MAX INT64_C(400000000000)

/* count * seconds * price_micros / 3600, half to even; all within the limits above. */
__int128 ga_cost_micros(int64_t count, int64_t seconds, int64_t price_micros);
/* GA_USAGE when the text is not three capital letters, as ISO 4217 has them. */
GA_MUST_CHECK int ga_currency_check(const char *text, struct ga_err *err);

/* Adds the amount to out: "16.80", "0.000001". It has at least two digits after the point and no
 * zeros at the end after those two. */
void ga_cost_format(__int128 micros, struct ga_str *out);
/* The amount in whole cents, as tables show costs; unchanged where that would be 0. */
__int128 ga_cost_round(__int128 micros);
/* Reads a price as people write it ("3.50", "3", "0.000001") to millionths. False for a text that
 * is no price: one with a sign or an exponent, with more than six digits after the point, or above
 * GA_PRICE_MAX. */
bool ga_price_parse(const char *text, int64_t *micros);
/* Adds GPU seconds as GPU hours to out, rounded half to even to "places" digits after the point
 * (0 .. 12), without zeros at the end: "4.2". */
void ga_cost_hours(__int128 gpu_seconds, int places, struct ga_str *out);

#endif
