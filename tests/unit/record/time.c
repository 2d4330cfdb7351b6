/* SPDX-License-Identifier: Apache-2.0 */
/* Times and durations of records, and the clocks. */
#include "t.h"

#include "record/time.h"

static void parse(void)
{
	static const struct {
		const char *in;
		const char *out; /* NULL: refused */
		int64_t micros;
	} cases[] = {
		{ "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z", 0 },
		{ "1970-01-01T00:00:00.000001Z", "1970-01-01T00:00:00.000001Z", 1 },
		{ "1970-01-01T00:00:00.5Z", "1970-01-01T00:00:00.500000Z", 500000 },
		{ "1970-01-01T00:00:00.1234567Z", "1970-01-01T00:00:00.123456Z", 123456 },
		{ "1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z", -1 },
		{ "2026-11-20T18:24:00Z", "2026-11-20T18:24:00.000000Z", 1795199040000000 },
		{ "2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z", 1709164800000000 },
		{ "2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000Z", 951782400000000 },
		{ "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z", -62135596800000000 },
		{ "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z",
		  253402300799999999 },
		{ "0000-01-01T00:00:00Z", NULL, 0 },
		{ "2023-02-29T00:00:00Z", NULL, 0 },
		{ "1900-02-29T00:00:00Z", NULL, 0 },
		{ "2026-00-01T00:00:00Z", NULL, 0 },
		{ "2026-13-01T00:00:00Z", NULL, 0 },
		{ "2026-01-00T00:00:00Z", NULL, 0 },
		{ "2026-04-31T00:00:00Z", NULL, 0 },
		{ "2026-01-01T24:00:00Z", NULL, 0 },
		{ "2026-01-01T00:60:00Z", NULL, 0 },
		{ "2026-01-01T00:00:60Z", NULL, 0 },
		{ "2026-01-01T00:00:00", NULL, 0 },
		{ "2026-01-01T00:00:00+00:00", NULL, 0 },
		{ "2026-01-01T00:00:00z", NULL, 0 },
		{ "2026-01-01t00:00:00Z", NULL, 0 },
		{ "2026-01-01 00:00:00Z", NULL, 0 },
		{ "2026-01-01T00:00:00.Z", NULL, 0 },
		{ "2026-01-01T00:00:00Z ", NULL, 0 },
		{ "26-01-01T00:00:00Z", NULL, 0 },
		{ "12026-01-01T00:00:00Z", NULL, 0 },
		{ "2026-1-01T00:00:00Z", NULL, 0 },
		{ "-026-01-01T00:00:00Z", NULL, 0 },
		{ "", NULL, 0 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		char out[GA_TIME_SIZE];
		int64_t micros = -99;
		int r = ga_time_parse(cases[i].in, &micros, &err);

		if (!cases[i].out) {
			t_code(r, &err, GA_BADREC, cases[i].in, "time '%s' is refused",
			       cases[i].in);
			continue;
		}
		t_int(r ? -99 : micros, cases[i].micros, "time '%s'", cases[i].in);
		t_str(ga_time_format(micros, out), cases[i].out, "and written");
	}
}

/* Text order is time order, and what is written reads back. */
static void order(void)
{
	const int64_t first = -62135596800000000, span = 253402300800000000 + 62135596800000000;
	uint64_t seed = t_seed();
	int i, bad = 0;

	for (i = 0; i < 20000; i++) {
		int64_t a = first + (int64_t)(t_random(&seed) % (uint64_t)span), back;
		int64_t b = i % 2 ? a + (int64_t)(t_random(&seed) % 3) - 1 :
				    first + (int64_t)(t_random(&seed) % (uint64_t)span);
		char at[GA_TIME_SIZE], bt[GA_TIME_SIZE];
		struct ga_err err = GA_ERR_INIT;
		int c;

		if (b < first || b >= first + span)
			continue;
		c = strcmp(ga_time_format(a, at), ga_time_format(b, bt));
		if ((c > 0) != (a > b) || (c < 0) != (a < b) || strlen(at) != 27 ||
		    ga_time_parse(at, &back, &err) || back != a)
			bad++;
	}
	t_int(bad, 0, "20000 random times: text order is time order and they read back");
}

static void far(void)
{
	static const struct {
		int64_t micros, seconds, after;
	} cases[] = {
		{ 0, 0, 0 },
		{ 1795199040000001, 90, 1795199130000001 },
		{ 1795199040000001, -90, 1795198950000001 },
		{ 1795199040000000, GA_SECONDS_MAX, 2111423040000000 },
		{ 1795199040000000, 300000000000, GA_TIME_MAX },
		{ 1795199040000000, -300000000000, GA_TIME_MIN },
		{ 1795199040000000, 9300000000000, GA_TIME_MAX }, /* overflows in the product */
		{ 1795199040000000, 9223372036854, GA_TIME_MAX }, /* in the sum */
		{ 1795199040000000, INT64_MAX, GA_TIME_MAX },
		{ 1795199040000000, INT64_MIN, GA_TIME_MIN },
		{ GA_TIME_MAX, 1, GA_TIME_MAX },
		{ GA_TIME_MIN, -1, GA_TIME_MIN },
		{ GA_TIME_MIN, 1, GA_TIME_MIN + 1000000 },
	};
	char out[GA_TIME_SIZE];
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		t_int(ga_time_after(cases[i].micros, cases[i].seconds), cases[i].after,
		      "%" PRId64 " s after %" PRId64, cases[i].seconds, cases[i].micros);
	t_str(ga_time_format(GA_TIME_MAX + 1, out), "9999-12-31T23:59:59.999999Z", "the last");
	t_str(ga_time_format(INT64_MAX, out), "9999-12-31T23:59:59.999999Z", "and no later");
	t_str(ga_time_format(GA_TIME_MIN - 1, out), "0001-01-01T00:00:00.000000Z", "the first");
	t_str(ga_time_format(INT64_MIN, out), "0001-01-01T00:00:00.000000Z", "and no earlier");
}

static void durations(void)
{
	static const struct {
		const char *in;
		int64_t seconds; /* -1: refused */
	} cases[] = {
		{ "0", 0 },	 { "90", -1 },	 { "90s", 90 },	 { "15m", 900 },
		{ "24h", 86400 }, { "7d", 604800 }, { "3660d", 316224000 },
		{ "3661d", -1 }, { "", -1 },	 { "s", -1 },	 { "1w", -1 },
		{ "1hs", -1 },	 { "-1", -1 },	 { "1.5h", -1 }, { " 1", -1 },
		{ "00", 0 },	 { "0s", 0 },	 { "1 ", -1 },	 { "99999999999999999999d", -1 },
		{ "1h30m", 5400 }, { "1d1m1s", 86461 }, { "3659d24h", 316224000 },
		{ "3660d1s", -1 }, { "30m1h", -1 }, { "1h1h", -1 }, { "1h30", -1 }, { "1h0", -1 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		int64_t seconds = -2;
		int r = ga_duration_parse(cases[i].in, &seconds, &err);

		if (cases[i].seconds >= 0)
			t_int(r ? -1 : seconds, cases[i].seconds, "duration '%s'", cases[i].in);
		else
			t_code(r, &err, GA_USAGE, NULL, "duration '%s' is refused", cases[i].in);
	}
}

/* The present time of the cases below: 2026-11-25T12:00:00.5Z */
#define NOW INT64_C(1795608000500000)

static void whens(void)
{
	static const struct {
		const char *in;
		bool ahead, refused;
		int64_t since, begin, end; /* microseconds after NOW */
	} cases[] = {
		{ "now", false, false, 0, 0, 1000000 },
		{ "2026-11-25T12:00:01Z", false, false, 500000, 500000, 1500000 },
		{ "2026-11-25 12:00:01Z", false, false, 500000, 500000, 1500000 },
		{ "2026-11-25 12:00:01.5Z", false, false, 1000000, 1000000, 1000001 },
		{ "2026-11-25 12:01Z", true, false, 59500000, 59500000, 119500000 },
		{ "2026-11-25", false, false, -43200500000, -43200500000, 43199500000 },
		{ "2026-11", false, false, -2116800500000, -2116800500000, 475199500000 },
		{ "5m ago", true, false, -300000000, -359999999, -299999999 },
		{ "1h1m ago", false, false, -3660000000, -3719999999, -3659999999 },
		{ "in 2h", false, false, 7200000000, 7170000000, 7230000000 },
		{ "24h", false, false, -86400000000, -89999999999, -86399999999 },
		{ "24h", true, false, 86400000000, 84600000000, 88200000000 },
		{ "in 2d", false, false, 172800000000, 171000000000, 216000000000 },
		{ .in = "2026-11-25 12:00", .refused = true },
		{ .in = "2026-11-25 12:00:01", .refused = true },
		{ .in = "2026-13", .refused = true }, { .in = "2026-11-31", .refused = true },
		{ .in = "2026", .refused = true }, { .in = "", .refused = true },
		{ .in = "5 m ago", .refused = true }, { .in = "in 5m ago", .refused = true },
		{ .in = "5mago", .refused = true }, { .in = "in ", .refused = true },
		{ .in = "5", .refused = true }, { .in = "3661d ago", .refused = true },
		{ .in = "2026-11-25T12:00:01Z ago", .refused = true },
		{ .in = "2026-11-25 12:00:01.00000000000000000000000000Z", .refused = true },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		struct ga_when w = { 0 };
		int r = ga_when_parse(cases[i].in, NOW, cases[i].ahead, &w, &err);

		if (cases[i].refused) {
			t_code(r, &err, GA_USAGE, NULL, "'%s' is refused", cases[i].in);
			continue;
		}
		t_int(r, 0, "'%s' is a time", cases[i].in);
		t_int(w.since - NOW, cases[i].since, "since '%s'", cases[i].in);
		t_int(w.begin - NOW, cases[i].begin, "begin of '%s'", cases[i].in);
		t_int(w.end - NOW, cases[i].end, "end of '%s'", cases[i].in);
	}
}

static void spoken(void)
{
	static const struct {
		int64_t micros; /* of a span; after NOW */
		const char *span, *age;
	} cases[] = {
		{ 0, "0s", "now" }, { 900, "<1ms", "now" }, { 105064, "105ms", "now" },
		{ 3250000, "3.2s", "in 3s" }, { 59999999, "59s", "in 1m" },
		{ 5400000000, "1h30m", "in 1h30m" }, { 3600000000, "1h", "in 1h" },
		{ 750000000, "12m30s", "in 13m" }, { 36059000000, "10h", "in 10h" },
		{ 86399900000, "23h59m", "in 24h" }, { 899900000, "14m59s", "in 15m" },
		{ 2591999900000, "29d23h", "in 30d" }, { 172799000000, "1d23h", "in 2d" },
		{ 400000, "400ms", "now" }, { -86399900000, "-23h59m", "23h ago" },
		{ 93784000000, "1d2h", "in 26h" }, { 1296000000000, "15d", "in 15d" },
		{ 31536000000000, "365d", "2027-11-25" }, { -42000000, "-42s", "42s ago" },
		{ -11520000000, "-3h12m", "3h12m ago" },
		{ -7776000000000, "-90d", "2026-08-27" },
	};
	uint64_t seed = t_seed();
	char out[GA_SPAN_SIZE];
	int bad = 0;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		t_str(ga_span_format(cases[i].micros, out), cases[i].span, "a span");
		t_str(ga_age_format(NOW + cases[i].micros, NOW, out), cases[i].age, "a time");
	}
	for (i = 0; i < 20000; i++) {
		int64_t n = (int64_t)(t_random(&seed) % (uint64_t)(GA_SECONDS_MAX + 1)), back = -1;
		int64_t at = NOW + (i % 2 ? n % 5000000 * 900001 : -n % 5000000 * 900001);
		struct ga_err err = GA_ERR_INIT;
		struct ga_when w = { 0 };

		if (ga_duration_parse(ga_duration_format(n, out), &back, &err) || back != n)
			bad++;
		if (ga_when_parse(ga_age_format(at, NOW, out), NOW, false, &w, &err) ||
		    at < w.begin || at >= w.end)
			bad++;
	}
	t_int(bad, 0, "20000 durations and times are read back as they are written");
	t_str(ga_duration_format(INT64_MIN / GA_SECOND, out), "-106751991d4h54s", "the longest");
}

static void sentences(void)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "", "" },
		{ "held until 2026-11-25T03:56:13.000001Z", "held until 2026-11-25 03:56:13Z" },
		{ "2026-11-25T03:56:13.000001Z,2026-11-26T03:56:13.999999Z: 2",
		  "2026-11-25 03:56:13Z,2026-11-26 03:56:13Z: 2" },
		{ "2026-11-25T03:56:13.000001 2026-13-25T03:56:13.000001Z 12026-11-25T03:56:13Z",
		  "2026-11-25T03:56:13.000001 2026-13-25T03:56:13.000001Z 12026-11-25T03:56:13Z" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofree char *text = ga_xstrdup(cases[i].in);

		t_str(ga_time_shorten(text), cases[i].out, "times in a sentence");
	}
}

static void clocks(void)
{
	int64_t start = ga_clock_mono_micros();

	t_ok(ga_clock_wait(start + 60000000, 2000), "a wait before the deadline");
	t_ok(ga_clock_mono_micros() - start >= 2000, "lasts as long as asked");
	t_ok(!ga_clock_wait(start, 60000000), "after the deadline there is no wait");
	t_ok(ga_clock_micros() > 1700000000000000,
	     "the wall clock counts from 1970 in microseconds");
}

int main(void)
{
	parse();
	order();
	far();
	durations();
	whens();
	spoken();
	sentences();
	clocks();
	return t_done();
}
