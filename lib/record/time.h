/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times in records: RFC 3339, UTC, always with six digits of fraction and "Z", so that text order
 * is time order ("2026-11-20T18:24:00.123456Z", 27 characters).
 */
#ifndef GA_RECORD_TIME_H
#define GA_RECORD_TIME_H

#include "base/ga.h"

#define GA_TIME_SIZE 32 /* bytes a formatted time needs, with its NUL */
#define GA_SECONDS_MAX (INT64_C(3660) * 86400) /* the longest duration that is accepted */
#define GA_TIME_MIN INT64_C(-62135596800000000) /* 0001-01-01T00:00:00.000000Z */
#define GA_TIME_MAX INT64_C(253402300799999999) /* 9999-12-31T23:59:59.999999Z */
/* The longest span between two times, in seconds. */
#define GA_TIME_SPAN_MAX ((GA_TIME_MAX - GA_TIME_MIN) / GA_SECOND + 1)

/* Writes micros (since 1970 UTC) to out; returns out. A time before GA_TIME_MIN is written as
 * GA_TIME_MIN, one after GA_TIME_MAX as GA_TIME_MAX: "for ever" must not look like a past time. */
char *ga_time_format(int64_t micros, char out[GA_TIME_SIZE]);
/* Adds seconds (may be negative) to micros, within the same limits. */
int64_t ga_time_after(int64_t micros, int64_t seconds);
/* The present time, allocated. */
char *ga_time_now(void);
/* Reads exactly "YYYY-MM-DDTHH:MM:SS[.f…]Z"; -1 with GA_BADREC for any other text. */
GA_MUST_CHECK int ga_time_parse(const char *text, int64_t *micros, struct ga_err *err);
/* The same for callers that need no message: returns whether text is a time; false for NULL. */
bool ga_time_read(const char *text, int64_t *micros);
/* The clock of a host may be this far ahead of the state's clock: the difference that Kerberos
 * allows (RFC 4120, 3.1.3). */
#define GA_TIME_AHEAD_SECONDS 300
/* Whether a host's time is more than GA_TIME_AHEAD_SECONDS after the present; true for a text that
 * is no time. */
bool ga_time_is_ahead(const char *text);
/* Reads a duration such as "90", "90s", "15m", "24h", "7d" to seconds (0 .. GA_SECONDS_MAX). */
GA_MUST_CHECK int ga_duration_parse(const char *text, int64_t *seconds, struct ga_err *err);

#endif
