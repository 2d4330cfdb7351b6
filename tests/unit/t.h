/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A minimal test harness: checks as TAP lines, the plan at the end, the exit status.
 *
 * A test program calls t_ok, t_int, t_str and t_code in tables of cases, and ends with "return
 * t_done();". Random tests print their seed with t_seed; GA_SEED repeats a run.
 */
#ifndef T_H
#define T_H

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/ga.h"

static int t_count, t_failed;

static inline void t_report(bool ok, const char *file, int line, const char *name)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++t_count, name);
	if (ok)
		return;
	t_failed++;
	printf("# failed at %s:%d\n", file, line);
}

#define t_ok(cond, ...) \
	do { \
		ga_autofree char *_t_name = ga_xprintf(__VA_ARGS__); \
		t_report((cond), __FILE__, __LINE__, _t_name); \
	} while (0)

#define t_int(actual, expected, ...) \
	do { \
		int64_t _t_a = (actual), _t_e = (expected); \
		t_ok(_t_a == _t_e, __VA_ARGS__); \
		if (_t_a != _t_e) \
			printf("# %" PRId64 ", expected %" PRId64 "\n", _t_a, _t_e); \
	} while (0)

#define t_str(actual, expected, ...) \
	do { \
		const char *_t_a = (actual), *_t_e = (expected); \
		t_ok(ga_streq(_t_a, _t_e), __VA_ARGS__); \
		if (!ga_streq(_t_a, _t_e)) \
			printf("# '%s', expected '%s'\n", _t_a ? _t_a : "(null)", \
			       _t_e ? _t_e : "(null)"); \
	} while (0)

__attribute__((noinline, unused)) static bool t_is_error(int r, const struct ga_err *err,
							 enum ga_code want, const char *text)
{
	return r == -1 && err->code == want && (!text || strstr(err->msg, text));
}

/* The call failed (r is -1) with this code, and its message contains the text (or NULL). */
#define t_code(r, err, want, text, ...) \
	do { \
		bool _t_good = t_is_error((r), (err), (want), (text)); \
		t_ok(_t_good, __VA_ARGS__); \
		if (!_t_good) \
			printf("# code %d '%s', expected %d\n", (err)->code, (err)->msg, (want)); \
	} while (0)

/* A seed of its own each run, printed, or GA_SEED. */
static inline uint64_t t_seed(void)
{
	const char *given = getenv("GA_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)ga_clock_micros();

	printf("# GA_SEED=%" PRIu64 "\n", seed);
	return seed;
}

/* xorshift64*: enough for inputs. */
static inline uint64_t t_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

static inline int t_done(void)
{
	printf("1..%d\n", t_count);
	return t_failed || !t_count;
}

#endif
