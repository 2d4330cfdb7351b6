/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of use: rounding, parts that add up, money and hours as text, sums by group. */
#include "decide/match/cost.h"
#include "t.h"

#include <stdlib.h>

static void rounding(void)
{
	static const struct {
		int64_t count, seconds, price, micros;
	} cases[] = {
		{ 0, 3600, 5000000, 0 },
		{ 1, 0, 5000000, 0 },
		{ 1, 3600, 0, 0 },
		{ 1, 3600, 5000000, 5000000 },
		{ 2, 7560, 5000000, 21000000 },
		{ 1, 1, 1799, 0 },
		{ 1, 1, 1800, 0 },  /* a half: to the even 0 */
		{ 1, 1, 1801, 1 },
		{ 1, 3, 1800, 2 },  /* one and a half: to the even 2 */
		{ 1, 5, 1800, 2 },  /* two and a half */
		{ 1, 7, 1800, 4 },
		{ 3, 1, 600, 0 },
		{ GA_COST_COUNT_MAX, 3600, 1, GA_COST_COUNT_MAX },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		t_int((int64_t)ga_cost_micros(cases[i].count, cases[i].seconds, cases[i].price),
		      cases[i].micros, "%" PRId64 " GPUs, %" PRId64 " s at %" PRId64,
		      cases[i].count, cases[i].seconds, cases[i].price);
	/* At the limits nothing overflows: count * seconds * price / 3600. */
	t_ok(ga_cost_micros(GA_COST_COUNT_MAX, GA_COST_SECONDS_MAX, GA_COST_PRICE_MAX) / 65536 /
			     GA_COST_PRICE_MAX == GA_COST_SECONDS_MAX / 3600,
	     "the largest of all");
}

static const char *money(__int128 micros)
{
	static char out[64];
	ga_autostr struct ga_str s = GA_STR_INIT;

	ga_cost_format(micros, &s);
	snprintf(out, sizeof(out), "%s", s.buf);
	return out;
}

static const char *hours(__int128 seconds, int places)
{
	static char out[64];
	ga_autostr struct ga_str s = GA_STR_INIT;

	ga_cost_hours(seconds, places, &s);
	snprintf(out, sizeof(out), "%s", s.buf);
	return out;
}

static void texts(void)
{
	t_str(money(0), "0.00", "nothing");
	t_str(money(1), "0.000001", "a millionth");
	t_str(money(16800000), "16.80", "two digits at least");
	t_str(money(16000000), "16.00", "also of a whole");
	t_str(money(16123400), "16.1234", "no zeros behind them");
	t_str(money(-8400000), "-8.40", "less than nothing");
	t_str(money(-1), "-0.000001", "a little less");
	t_str(money((__int128)INT64_MAX * 1000), "9223372036854775.807", "beyond 64 bits");
	t_str(hours(0, 3), "0", "no hours");
	t_str(hours(15120, 12), "4.2", "without zeros at the end");
	t_str(hours(1, 12), "0.000277777778", "rounded");
	t_str(hours(1, 3), "0", "to the given digits");
	t_str(hours(36000, 12), "10", "a whole number keeps its zero");
	t_str(hours(9, 2), "0", "a half to the even");
	t_str(hours(27, 2), "0.01", "below a half");
	t_str(hours(54, 2), "0.02", "another half to the even");
}

static int64_t below(int64_t n)
{
	return (int64_t)(((uint64_t)random() << 31 | (uint64_t)random()) % (uint64_t)n);
}

/* However a span is cut, its parts cost what it costs. */
static void parts(void)
{
	unsigned int seed = getenv("GA_SEED") ? (unsigned int)strtoul(getenv("GA_SEED"), NULL, 10) :
						(unsigned int)ga_clock_micros();
	int i, wrong = 0;

	printf("# seed %u\n", seed);
	srandom(seed);
	for (i = 0; i < 20000; i++) {
		struct ga_cost_line line = { .kind = GA_COST_ACTIVE, .count = below(9),
					     .price_micros = below(GA_PRICE_MAX) };
		int64_t end = below(40000000), at = 0;
		__int128 sum = 0;

		while (at < end) {
			line.from = at;
			at += 1 + below(end);
			line.to = at < end ? at : end;
			sum += ga_cost_of(&line);
		}
		wrong += sum != ga_cost_micros(line.count, end, line.price_micros);
	}
	t_int(wrong, 0, "parts of 20000 random spans add up to them");
}

static void add(struct ga_cost_sums *s, const char *project, const char *type,
		enum ga_cost_kind kind, int64_t allocation, int64_t seconds)
{
	struct ga_cost_line line = {
		.by = { [GA_BY_PROJECT] = project, [GA_BY_TYPE] = type },
		.kind = kind, .allocation = allocation, .count = 2, .price_micros = 3600,
		.to = seconds, .open = kind == GA_COST_HOLD,
	};

	ga_cost_sums_add(s, &line);
}

static void sums(void)
{
	static const bool by[GA_BY_N] = { [GA_BY_PROJECT] = true, [GA_BY_TYPE] = true };
	static const bool all[GA_BY_N];
	ga_autosums struct ga_cost_sums s, none;
	int i;

	ga_cost_sums_init(&s, by, 7200);
	add(&s, "b", "h200", GA_COST_ACTIVE, 1, 10);
	add(&s, "a", NULL, GA_COST_ACTIVE, 2, 1);
	add(&s, "b", "h200", GA_COST_CLEANUP, 1, 5);
	add(&s, "a", "h200", GA_COST_HOLD, 3, 7);
	add(&s, "b", "h200", GA_COST_ACTIVE, 4, 1);
	add(&s, "b", "h200", GA_COST_ACTIVE, 1, 1);
	ga_cost_sums_finish(&s);
	t_int((int64_t)s.groups.n, 3, "groups");
	t_str(s.groups.v[0].by[GA_BY_TYPE], "h200", "in order");
	t_str(s.groups.v[1].by[GA_BY_TYPE], NULL, "what is unknown last");
	t_str(s.groups.v[2].by[GA_BY_PROJECT], "b", "then the next");
	t_int((int64_t)s.groups.v[2].gpu_seconds[GA_COST_ACTIVE], 24, "GPU seconds in use");
	t_int((int64_t)s.groups.v[2].gpu_seconds[GA_COST_CLEANUP], 10, "and of cleanup");
	t_int((int64_t)s.groups.v[2].cost, 24, "only use is billed");
	t_int((int64_t)s.groups.v[2].what_if, 48, "at the other price twice that");
	t_int(s.groups.v[2].allocations, 2, "each allocation counts once");
	t_int(s.groups.v[2].spans, 4, "each span too");
	t_ok(s.groups.v[0].price_min > s.groups.v[0].price_max, "nothing billed has no price");
	t_int(s.groups.v[0].open, 1, "what is open");
	ga_cost_sums_init(&none, all, -1);
	ga_cost_sums_finish(&none);
	t_int((int64_t)none.groups.n, 1, "the sum of nothing is a group");
	ga_cost_sums_release(&s);
	ga_cost_sums_init(&s, by, -1);
	for (i = 0; i < 5000; i++) {
		ga_autofree char *project = ga_xprintf("p%d", i % 1000);

		add(&s, project, i % 2 ? "x" : "y", GA_COST_ACTIVE, i, 3600);
	}
	ga_cost_sums_finish(&s);
	t_int((int64_t)s.groups.n, 1000, "many groups");
	t_int((int64_t)s.groups.v[999].cost, 5 * 2 * 3600, "each with its own");
}

static void prices(void)
{
	static const struct {
		const char *text;
		int64_t want; /* -1: none */
	} rows[] = {
		{ "0", 0 }, { "3", 3000000 }, { "3.50", 3500000 }, { "0.000001", 1 },
		{ "10.123456", 10123456 }, { "1000000", GA_PRICE_MAX },
		{ "1000000.000001", -1 }, { "1000001", -1 }, { "99999999999999999999", -1 },
		{ "", -1 }, { ".5", -1 }, { "3.", -1 }, { "-1", -1 }, { "+1", -1 },
		{ "1e3", -1 }, { "3,50", -1 }, { " 3", -1 }, { "3 ", -1 }, { "3.1234567", -1 },
		{ "0x10", -1 }, { "nan", -1 }, { "3.5.0", -1 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		int64_t got = -1;

		if (!ga_price_parse(rows[i].text, &got))
			got = -1;
		t_int(got, rows[i].want, "the price '%s'", rows[i].text);
	}
}

int main(void)
{
	rounding();
	texts();
	prices();
	parts();
	sums();
	return t_done();
}
