/* SPDX-License-Identifier: Apache-2.0 */
/* Times in records. */
#include "record/time.h"

#include <ctype.h>

#include "base/clock.h"

static int64_t within(int64_t micros)
{
	if (micros < GA_TIME_MIN)
		return GA_TIME_MIN;
	return micros > GA_TIME_MAX ? GA_TIME_MAX : micros;
}

int64_t ga_time_after(int64_t micros, int64_t seconds)
{
	int64_t distance, ret;

	if (__builtin_mul_overflow(seconds, GA_SECOND, &distance) ||
	    __builtin_add_overflow(micros, distance, &ret))
		return seconds < 0 ? GA_TIME_MIN : GA_TIME_MAX;
	return within(ret);
}

char *ga_time_format(int64_t micros, char out[GA_TIME_SIZE])
{
	int64_t frac = (micros = within(micros)) % GA_SECOND;
	time_t seconds;
	struct tm tm;

	if (frac < 0)
		frac += GA_SECOND;
	seconds = (time_t)((micros - frac) / GA_SECOND);
	gmtime_r(&seconds, &tm);
	/* Not strftime: its %Y has no leading zeros, and text order must be time order. */
	snprintf(out, GA_TIME_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
		 (tm.tm_year + 1900) % 10000, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
		 tm.tm_sec, (int)frac);
	return out;
}

char *ga_time_now(void)
{
	char out[GA_TIME_SIZE];

	return ga_xstrdup(ga_time_format(ga_clock_micros(), out));
}

/* Replaces isdigit(3), which looks up the locale: lists read thousands of times. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of two digits, or -1. */
static inline int two(const char *p)
{
	return is_digit(p[0]) && is_digit(p[1]) ? (p[0] - '0') * 10 + (p[1] - '0') : -1;
}

/* The same for two digits that the character end follows. */
static inline int two_and(const char *p, char end)
{
	int value = two(p);

	return value >= 0 && p[2] == end ? value : -1;
}

static bool fraction(const char **p, int64_t *micros)
{
	int missing = 6;

	*micros = 0;
	if (**p != '.')
		return true;
	(*p)++;
	if (!is_digit(**p))
		return false;
	for (; is_digit(**p); (*p)++)
		if (missing > 0) {
			*micros = *micros * 10 + (**p - '0');
			missing--;
		}
	for (; missing > 0; missing--)
		*micros *= 10;
	return true;
}

static int days_in(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* Days from 1970 to a date of the Gregorian calendar. Not timegm(3): it takes locks, and reports
 * read hundreds of thousands of times. A year begins in March here, so that the leap day is its
 * last day. */
static int64_t days_since_1970(int year, int month, int day)
{
	int64_t y = year - (month <= 2), m = month + (month <= 2 ? 9 : -3);

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

bool ga_time_read(const char *text, int64_t *micros)
{
	int century, year, month, day, hour, minute, second;
	const char *p;
	int64_t frac;

	/* Each check reads only bytes that exist if the check before it succeeded. */
	if (!text || (century = two(text)) < 0 || (year = two_and(text + 2, '-')) < 0 ||
	    (month = two_and(text + 5, '-')) < 1 || month > 12 ||
	    (day = two_and(text + 8, 'T')) < 1 || (hour = two_and(text + 11, ':')) < 0 ||
	    (minute = two_and(text + 14, ':')) < 0 || (second = two(text + 17)) < 0)
		return false;
	p = text + 19;
	year += 100 * century;
	if (!fraction(&p, &frac) || strcmp(p, "Z") || year < 1 || day > days_in(year, month) ||
	    hour > 23 || minute > 59 || second > 59)
		return false;
	*micros = (((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) *
			  GA_SECOND + frac;
	return true;
}

int ga_time_parse(const char *text, int64_t *micros, struct ga_err *err)
{
	if (!ga_time_read(text, micros))
		return ga_fail(err, GA_BADREC, "'%.64s' is not a time such as 2026-01-31T08:15:00Z",
			       text);
	return 0;
}

int ga_duration_parse(const char *text, int64_t *seconds, struct ga_err *err)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	const char *p = text;
	int64_t n = 0, unit = 1;
	size_t i;

	for (; isdigit((unsigned char)*p) && n <= GA_SECONDS_MAX; p++)
		n = n * 10 + (*p - '0');
	for (i = 0; *p && !p[1] && i < GA_ARRAY_SIZE(units); i++) {
		if (*p == units[i].unit) {
			unit = units[i].seconds;
			p++;
			break;
		}
	}
	if (!isdigit((unsigned char)*text) || *p || n > GA_SECONDS_MAX ||
	    n * unit > GA_SECONDS_MAX)
		return ga_fail(err, GA_USAGE, "'%.64s' is not a duration such as 90s, 15m, 24h, "
					      "7d, at most 3660d", text);
	/* "5" may mean minutes: the program must not guess the unit. */
	if (n && isdigit((unsigned char)p[-1]))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("'%.64s' has no unit", text),
				 ("give the unit: %.32ss, %.32sm, %.32sh", text, text, text));
	*seconds = n * unit;
	return 0;
}

bool ga_time_is_ahead(const char *text)
{
	int64_t micros;

	return !ga_time_read(text, &micros) ||
	       micros > ga_time_after(ga_clock_micros(), GA_TIME_AHEAD_SECONDS);
}
