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
/* Reads a duration such as "90s", "15m", "1h30m", "7d" to seconds (0 .. GA_SECONDS_MAX); GA_USAGE
 * for any other text, also for a number without unit other than 0. */
GA_MUST_CHECK int ga_duration_parse(const char *text, int64_t *seconds, struct ga_err *err);

/* ---- times of people ---- */

/* The meaning of a time that a person gives, in microseconds since 1970 UTC. A time that a table
 * shows stands for all times that it shows alike: a day for 24 hours, "2026-11-25 03:56:13Z" for a
 * second, "5m ago" for the minute before, "in 5m" for 30 seconds before and after. */
struct ga_when {
	int64_t since;	    /* for --since, --from, --until and the like: the time itself, of a day
			     * or month the first moment */
	int64_t begin, end; /* for comparing: t equals it when begin <= t < end, is before it when
			     * t < begin, and after it when t >= end */
	bool is_month;	    /* "2026-11", the period of a bill */
};

/* Reads every time that a program prints or takes:
 *
 *	2026-11-25T03:56:13.000001Z  2026-11-25 03:56:13Z  2026-11-25 03:56Z  2026-11-25  2026-11
 *	now  5m ago  in 2h  24h
 *
 * now is the present time. A duration alone is a time ahead when ahead is true (the end of a
 * maintenance), else one that has passed (the begin of a report). GA_USAGE with the forms as a
 * hint; a time of day without Z is refused, since all times are UTC. A caller that compares stored
 * texts writes the microseconds with ga_time_format(): the order of these texts is that of time. */
GA_MUST_CHECK int ga_when_parse(const char *text, int64_t now, bool ahead, struct ga_when *ret,
				struct ga_err *err);

#define GA_SPAN_SIZE 32 /* bytes that the texts below need, with their NUL */
/* Writes seconds exactly, as ga_duration_parse() reads them: "1h30m", "90s" as "1m30s", "0s".
 * Returns out. */
char *ga_duration_format(int64_t seconds, char out[GA_SPAN_SIZE]);
/* Writes how long something took or takes, rounded down to what people need: "105ms", "3.2s",
 * "12m30s", "1h30m", "3d4h". */
char *ga_span_format(int64_t micros, char out[GA_SPAN_SIZE]);
/* Writes a time as people speak of it at the time now: "42s ago", "3h12m ago", "12d ago", "in 2h",
 * "now"; as a day ("2026-10-03") what is more than a month away. A time that has passed is rounded
 * down, one ahead to the nearest: a deadline of 24h is not "in 23h" at once. ga_when_parse() reads
 * each of them. */
char *ga_age_format(int64_t micros, int64_t now, char out[GA_SPAN_SIZE]);

/* Shortens the times of records in a sentence, in place: "2026-11-25T03:56:13.000001Z" becomes
 * "2026-11-25 03:56:13Z". Returns text. */
char *ga_time_shorten(char *text);

#endif
