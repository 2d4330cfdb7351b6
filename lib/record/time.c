/* SPDX-License-Identifier: Apache-2.0 */
/* Times in records. */
#include "record/time.h"

#include <inttypes.h>

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

static const struct {
	char letter;
	int64_t seconds;
} units[] = { { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } };

/* Reads "90s" or "1h30m" at *p, the larger units first, and goes behind it. smallest is the last
 * unit, in seconds. "0" needs none. false: there is no such duration. */
static bool take_duration(const char **p, int64_t *seconds, int64_t *smallest)
{
	const char *at = *p;
	size_t unit = 0;

	*seconds = 0;
	*smallest = 1;
	do {
		int64_t n = 0;
		bool number = is_digit(*at);

		for (; is_digit(*at) && n <= GA_SECONDS_MAX; at++)
			n = n * 10 + (*at - '0');
		while (*at && unit < GA_ARRAY_SIZE(units) && units[unit].letter != *at)
			unit++;
		if (!number || n > GA_SECONDS_MAX)
			return false;
		if (!*at && !n && !unit) {
			*p = at;
			return true;
		}
		if (!*at || unit == GA_ARRAY_SIZE(units))
			return false;
		*smallest = units[unit].seconds;
		*seconds += n * units[unit++].seconds;
		at++;
		if (*seconds > GA_SECONDS_MAX)
			return false;
	} while (is_digit(*at));
	*p = at;
	return true;
}

int ga_duration_parse(const char *text, int64_t *seconds, struct ga_err *err)
{
	const char *p = text;
	int64_t n, smallest;

	if (take_duration(&p, &n, &smallest) && !*p) {
		*seconds = n;
		return 0;
	}
	/* "5" may mean minutes: the program must not guess the unit. */
	if (*text && strlen(text) < 10 && strspn(text, "0123456789") == strlen(text))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("'%.64s' has no unit", text),
				 ("give the unit: %.32ss, %.32sm, %.32sh", text, text, text));
	return ga_fail(err, GA_USAGE, "'%.64s' is not a duration such as 90s, 15m, 1h30m, 7d, at "
		       "most 3660d", text);
}

/* ---- times of people ---- */

/* A day or a month, with the first moment after it. */
static bool read_period(const char *text, struct ga_when *ret)
{
	size_t n = strlen(text);
	char first[GA_TIME_SIZE];
	int year, month;

	if (n != strlen("2026-11") && n != strlen("2026-11-25"))
		return false;
	snprintf(first, sizeof(first), "%s%sT00:00:00Z", text, n == 7 ? "-01" : "");
	if (!ga_time_read(first, &ret->begin))
		return false;
	year = two(text) * 100 + two(text + 2);
	month = two(text + 5);
	ret->end = ga_time_after(ret->begin, 86400 * (n == 7 ? days_in(year, month) : 1));
	ret->since = ret->begin;
	ret->is_month = n == 7;
	return true;
}

/* A time to the minute, the second or a fraction, with 'T' or a space before the hour. */
static bool read_moment(const char *text, struct ga_when *ret)
{
	char copy[48];
	size_t n = strlen(text);
	int64_t width = n == 17 ? 60 * GA_SECOND : n == 20 ? GA_SECOND : 1;

	if (n < 17 || n > 40)
		return false;
	if (n == 17) /* "2026-11-25 03:56Z" */
		snprintf(copy, sizeof(copy), "%.16s:00%s", text, text + 16);
	else
		snprintf(copy, sizeof(copy), "%s", text);
	if (copy[10] == ' ')
		copy[10] = 'T';
	if (!ga_time_read(copy, &ret->begin))
		return false;
	ret->since = ret->begin;
	ret->end = within(ret->begin + width);
	return true;
}

/* The unit, in seconds, to which people are shown a time so many seconds away. */
static int64_t shown_unit(int64_t seconds)
{
	return seconds < 60 ? 1 : seconds < 10 * 3600 ? 60 : seconds < 48 * 3600 ? 3600 : 86400;
}

/* Half of what a text of so many seconds stands for, in microseconds; unit: that of the text. */
static int64_t half_of(int64_t unit, int64_t shown)
{
	return (unit < shown ? unit : shown) * GA_SECOND / 2;
}

/* "5m ago", "in 2h", or a duration alone. */
static bool read_distance(const char *text, int64_t now, bool ahead, struct ga_when *ret)
{
	bool in = ga_starts(text, "in ");
	const char *p = text + (in ? 3 : 0);
	int64_t n, smallest;
	bool ago;

	if (!take_duration(&p, &n, &smallest))
		return false;
	ago = !in && !strcmp(p, " ago");
	if (*p && !ago)
		return false;
	if (in || (!ago && ahead)) {
		/* All times that ga_age_format() shows alike: it rounds to the nearest unit, and
		 * below the first time of a unit the one before it counts. */
		ret->since = ga_time_after(now, n);
		ret->begin = within(ret->since - half_of(smallest, shown_unit(n ? n - 1 : 0)));
		ret->end = within(ret->since + half_of(smallest, shown_unit(n)));
	} else {
		ret->since = ga_time_after(now, -n);
		ret->begin = within(ga_time_after(now, -n - smallest) + 1);
		ret->end = within(ret->since + 1);
	}
	return true;
}

int ga_when_parse(const char *text, int64_t now, bool ahead, struct ga_when *ret,
		  struct ga_err *err)
{
	struct ga_when w = { 0 };
	ga_autofree char *utc = NULL;

	if (!strcmp(text, "now")) {
		*ret = (struct ga_when){ .since = now, .begin = now, .end = now + GA_SECOND };
		return 0;
	}
	if (read_period(text, &w) || read_moment(text, &w) || read_distance(text, now, ahead, &w)) {
		*ret = w;
		return 0;
	}
	utc = strlen(text) < 40 ? ga_xprintf("%sZ", text) : NULL;
	if (utc && read_moment(utc, &w))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("'%.64s' does not say that it is UTC", text),
				 ("all times are UTC: %sZ", text));
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("'%.64s' is neither a time, a day, a month nor a duration of at most "
			  "3660d", text),
			 ("2026-11-25, 2026-11, 2026-11-25T03:56:13Z or '2026-11-25 03:56Z', all "
			  "UTC; '5m ago', 'in 2h', or 24h for so long %s",
			  ahead ? "from now" : "ago"));
}

char *ga_duration_format(int64_t seconds, char out[GA_SPAN_SIZE])
{
	int64_t left = seconds < 0 ? -(seconds + (seconds == INT64_MIN)) : seconds;
	size_t at = 0, i;

	out[0] = '\0';
	if (seconds < 0)
		at += (size_t)snprintf(out, GA_SPAN_SIZE, "-");
	for (i = 0; i < GA_ARRAY_SIZE(units); i++) {
		if (left >= units[i].seconds || (!left && !seconds && units[i].letter == 's'))
			at += (size_t)snprintf(out + at, GA_SPAN_SIZE - at, "%" PRId64 "%c",
					       left / units[i].seconds, units[i].letter);
		left %= units[i].seconds;
	}
	return out;
}

char *ga_span_format(int64_t micros, char out[GA_SPAN_SIZE])
{
	int64_t seconds = micros / GA_SECOND;

	if (micros > 0 && micros < 1000)
		snprintf(out, GA_SPAN_SIZE, "<1ms");
	else if (micros > 0 && !seconds)
		snprintf(out, GA_SPAN_SIZE, "%" PRId64 "ms", micros / 1000);
	else if (micros > 0 && seconds < 10)
		snprintf(out, GA_SPAN_SIZE, "%" PRId64 ".%" PRId64 "s", seconds,
			 micros / 100000 % 10);
	else
		ga_duration_format(seconds / 3600 == 0 ? seconds :
				   seconds / 86400 == 0 ? seconds / 60 * 60 :
							  seconds / 3600 * 3600, out);
	return out;
}

char *ga_age_format(int64_t micros, int64_t now, char out[GA_SPAN_SIZE])
{
	bool ahead = micros > now;
	int64_t away = ahead ? micros - now : now - micros, unit = shown_unit(away / GA_SECOND);
	int64_t seconds = (ahead ? away + unit * GA_SECOND / 2 : away) / GA_SECOND / unit * unit;
	char span[GA_SPAN_SIZE], date[GA_TIME_SIZE];

	if (seconds == 0 || away >= 31 * 86400 * GA_SECOND) {
		snprintf(out, GA_SPAN_SIZE, "%.10s",
			 seconds ? ga_time_format(micros, date) : "now");
		return out;
	}
	if (seconds >= 86400 && seconds < 48 * 3600)
		snprintf(span, sizeof(span), "%" PRId64 "h", seconds / 3600);
	else
		ga_duration_format(seconds, span);
	snprintf(out, GA_SPAN_SIZE, "%s%.20s%s", ahead ? "in " : "", span, ahead ? "" : " ago");
	return out;
}

char *ga_time_shorten(char *text)
{
	const size_t full = strlen("2026-11-25T03:56:13.000001Z");
	const size_t kept = strlen("2026-11-25T03:56:13");
	const char *in = text;
	char *out = text, time[GA_TIME_SIZE];
	int64_t micros;

	while (*in) {
		if (is_digit(*in) && strlen(in) >= full && in[full - 1] == 'Z') {
			snprintf(time, sizeof(time), "%.27s", in);
			if (ga_time_read(time, &micros)) {
				memmove(out, in, kept);
				out[10] = ' ';
				out[kept] = 'Z';
				out += kept + 1;
				in += full;
				continue;
			}
		}
		*out++ = *in++;
	}
	*out = '\0';
	return text;
}

bool ga_time_is_ahead(const char *text)
{
	int64_t micros;

	return !ga_time_read(text, &micros) ||
	       micros > ga_time_after(ga_clock_micros(), GA_TIME_AHEAD_SECONDS);
}
