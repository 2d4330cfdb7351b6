/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times in records: RFC 3339, UTC, always with six digits of fraction and "Z", so that text order
 * is time order ("2026-11-20T18:24:00.123456Z", 27 characters).
 */
#ifndef GA_TIME_H
#define GA_TIME_H

#include "ga.h"

#define GA_TIME_SIZE 32 /* bytes a formatted time needs, with its NUL */

/* Writes micros (since 1970 UTC, 0001-9999) to out and returns out. */
char *ga_time_format(int64_t micros, char out[GA_TIME_SIZE]);
/* The present moment, allocated. */
char *ga_time_now(void);
/* Reads "YYYY-MM-DDTHH:MM:SS[.f…]Z" exactly; -1 with GA_BADREC when it is anything else. */
int ga_time_parse(const char *text, int64_t *micros, struct ga_err *err);
/* The same for those who need no sentence: whether text is a time; NULL is none. */
bool ga_time_read(const char *text, int64_t *micros);
/* Reads a duration such as "90", "90s", "15m", "24h", "7d" to seconds (0 .. 3660 days). */
int ga_duration_parse(const char *text, int64_t *seconds, struct ga_err *err);

#endif
