/* SPDX-License-Identifier: Apache-2.0 */
/* The order of answers, the disadvantages of a fallback, and external times. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/name.h"
#include "record/money.h"
#include "decide/match/internal.h"

struct pair {
	struct ga_match m;
	struct ga_match_more more;
	bool by_time; /* the same for all: the requirement prefers time to cost */
};

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Smaller first, unknown last. */
static int order_known(int64_t a, int64_t b)
{
	if ((a == GA_UNKNOWN) != (b == GA_UNKNOWN))
		return a == GA_UNKNOWN ? 1 : -1;
	return order(a, b);
}

static int slo_rank(const char *slo)
{
	return !slo || !strcmp(slo, "met") ? 0 : !strcmp(slo, "unknown") ? 1 : 2;
}

static int availability_rank(const char *word)
{
	static const char *const words[] = { "now", "later", "unknown" };
	int i;

	for (i = 0; i < (int)GA_ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], word))
			return i;
	return i;
}

static int order_unsure(const struct pair *x, const struct pair *y)
{
	return order(x->more.unsure, y->more.unsure);
}

/* A training costs its full price, a service costs each hour. */
static int order_cost(const struct ga_match *a, const struct ga_match *b)
{
	int r = order_known(a->cost_micros, b->cost_micros);

	return r ? r : order_known(a->cost_per_hour_micros, b->cost_per_hour_micros);
}

/* Thousandths of a token a second of one GPU, or GA_UNKNOWN. */
static int64_t speed_of_gpu(const struct ga_match *m)
{
	if (m->tokens_per_second_milli == GA_UNKNOWN || m->count < 1)
		return GA_UNKNOWN;
	return m->tokens_per_second_milli / m->count;
}

/* The whole time or throughput if that is preferred. Else throughput of one GPU: ten GPUs are no
 * better type than one. */
static int order_time(const struct ga_match *a, const struct ga_match *b, bool preferred)
{
	int64_t x = preferred ? a->tokens_per_second_milli : speed_of_gpu(a);
	int64_t y = preferred ? b->tokens_per_second_milli : speed_of_gpu(b);
	int r = order_known(a->seconds, b->seconds);

	return r ? r : order(y, x);
}

static int compare_value(const struct pair *x, const struct pair *y)
{
	const struct ga_match *a = &x->m, *b = &y->m;
	int r = order((int64_t)x->more.preference, (int64_t)y->more.preference);

	if (!r && x->by_time)
		r = order_time(a, b, true);
	r = r ? r : order_cost(a, b);
	r = r ? r : order_time(a, b, false);
	r = r ? r : strcmp(a->profile, b->profile);
	return r ? r : order((int64_t)x->more.offer, (int64_t)y->more.offer);
}

static int compare(const void *x, const void *y)
{
	const struct ga_match *a = &((const struct pair *)x)->m;
	const struct ga_match *b = &((const struct pair *)y)->m;
	int r = order(match_fits_rank(a), match_fits_rank(b));

	r = r ? r : order_unsure(x, y);
	r = r ? r : order(slo_rank(a->slo), slo_rank(b->slo));
	r = r ? r : order(availability_rank(a->availability), availability_rank(b->availability));
	return r ? r : compare_value(x, y);
}

/* ---- disadvantages of a fallback ---- */

static char *name_of(const struct ga_accels *accels, const struct ga_match *m,
		     const struct ga_match *beside)
{
	const struct ga_accel_type *type =
		m->accelerator_type && !ga_streq(m->accelerator_type, beside->accelerator_type) ?
			ga_accels_type(accels, m->accelerator_type) : NULL;

	return type ? ga_accel_short_name(type) : ga_xstrdup(m->profile);
}

/* Adds "have instead of lost unit" where the two texts differ. */
static void add_change(const struct ga_str *have, const struct ga_str *lost, const char *unit,
		       struct ga_str *out)
{
	if (strcmp(have->buf, lost->buf))
		ga_str_addf(out, "%s%s instead of %s%s", out->len ? ", " : "", have->buf,
			    lost->buf, unit);
}

/* Adds a lower throughput, or else a longer time: of one GPU where the numbers of GPUs differ. */
static void add_speeds(const struct ga_match *m, const struct ga_match *best, struct ga_str *out)
{
	int64_t have = m->tokens_per_second_milli, lost = best->tokens_per_second_milli;
	ga_autostr struct ga_str a = GA_STR_INIT, b = GA_STR_INIT;
	bool each = m->count != best->count;

	if (have != GA_UNKNOWN && lost != GA_UNKNOWN) {
		have = each ? speed_of_gpu(m) : have;
		lost = each ? speed_of_gpu(best) : lost;
		if (have >= lost)
			return;
		ga_str_addf(&a, "%" PRId64, (have + 500) / 1000);
		ga_str_addf(&b, "%" PRId64, (lost + 500) / 1000);
		add_change(&a, &b, each ? " tokens/s a GPU" : " tokens/s", out);
	} else if (m->seconds != GA_UNKNOWN && best->seconds != GA_UNKNOWN) {
		__int128 x = (__int128)m->seconds * (each ? m->count : 1);
		__int128 y = (__int128)best->seconds * (each ? best->count : 1);

		if (x <= y)
			return;
		ga_cost_hours(x, 1, &a);
		ga_cost_hours(y, 1, &b);
		add_change(&a, &b, each ? " GPU hours" : " hours", out);
	}
}

/* Adds a higher cost: the full cost of a training, or else the cost of an hour, of one GPU where
 * the numbers of GPUs differ. Whole cents, as in the table. */
static void add_costs(const struct ga_match *m, const struct ga_match *best, struct ga_str *out)
{
	bool all = m->cost_micros != GA_UNKNOWN && best->cost_micros != GA_UNKNOWN;
	bool each = !all && m->count != best->count;
	int64_t have = all ? m->cost_micros : m->cost_per_hour_micros;
	int64_t lost = all ? best->cost_micros : best->cost_per_hour_micros;
	ga_autostr struct ga_str a = GA_STR_INIT, b = GA_STR_INIT, unit = GA_STR_INIT;

	if (have == GA_UNKNOWN || lost == GA_UNKNOWN || m->count < 1 || best->count < 1)
		return;
	have = each ? have / m->count : have;
	lost = each ? lost / best->count : lost;
	if (have <= lost)
		return;
	ga_cost_format(ga_cost_round(have), &a);
	ga_cost_format(ga_cost_round(lost), &b);
	ga_str_addf(&unit, "%s%s %s", m->currency ? " " : "", m->currency ? m->currency : "",
		    all ? "in all" : each ? "a GPU hour" : "an hour");
	add_change(&a, &b, unit.buf, out);
}

/* The best of the answers that fit, available now or not. One that may not fit is no ideal. */
static const struct pair *ideal_of(const struct pair *v, size_t n)
{
	const struct pair *best = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		int r = best ? order_unsure(&v[i], best) : -1;

		r = r ? r : order(slo_rank(v[i].m.slo), slo_rank(best->m.slo));
		if (v[i].m.fits != 0 && !v[i].more.unsure &&
		    (r < 0 || (!r && compare_value(&v[i], best) < 0)))
			best = &v[i];
	}
	return best;
}

static bool is_now(const struct ga_match *m)
{
	return !strcmp(m->availability, "now");
}

/* Only speed, price and latency may be missed: an answer that cannot run there is no fallback. */
static bool could_run(const struct ga_match *m)
{
	size_t i;

	for (i = 0; i < m->reasons.n; i++)
		if (!ga_starts(m->reasons.v[i].code, "slo_"))
			return false;
	return true;
}

/* Said only of answers that are worse: slower, dearer, or of an architecture that is less
 * preferred. */
static void say_fallbacks(const struct ga_accels *accels, struct pair *v, size_t n)
{
	const struct pair *ideal = ideal_of(v, n);
	size_t i;

	for (i = 0; ideal && !is_now(&ideal->m) && i < n; i++) {
		ga_autostr struct ga_str s = GA_STR_INIT, given = GA_STR_INIT;
		ga_autofree char *have = NULL, *lost = NULL;

		if (!is_now(&v[i].m) || !could_run(&v[i].m))
			continue;
		add_speeds(&v[i].m, &ideal->m, &given);
		add_costs(&v[i].m, &ideal->m, &given);
		if (!given.len && v[i].more.preference <= ideal->more.preference)
			continue;
		have = name_of(accels, &v[i].m, &ideal->m);
		lost = name_of(accels, &ideal->m, &v[i].m);
		ga_str_addf(&s, "%s instead of %s, which is not available now%s%s", have, lost,
			    given.len ? ": " : "", given.buf);
		v[i].m.fallback = ga_str_take(&s);
	}
}

void ga_match_rank(const struct ga_requirement *need, const struct ga_accels *accels,
		   struct ga_matches *list)
{
	ga_autofree struct pair *v = ga_xcalloc(list->n ? list->n : 1, sizeof(*v));
	size_t i;

	for (i = 0; i < list->n; i++) {
		v[i].m = list->v[i];
		v[i].more = list->more[i];
		v[i].by_time = ga_streq(need->prefer, "time");
		free(GA_TAKE(v[i].m.fallback));
	}
	if (list->n)
		qsort(v, list->n, sizeof(*v), compare);
	say_fallbacks(accels, v, list->n);
	for (i = 0; i < list->n; i++) {
		v[i].m.rank = (int64_t)i + 1;
		list->v[i] = v[i].m;
		list->more[i] = v[i].more;
	}
}

const struct ga_match *ga_match_best(const struct ga_matches *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->v[i].fits != 0 && !list->more[i].unsure && is_now(&list->v[i]))
			return &list->v[i];
	return NULL;
}

/* ---- external times ---- */

bool ga_match_is_too_small(const struct ga_match *m)
{
	return match_has_reason(m, "memory_too_small");
}

/* Without a time, the first no_basis is that of the time; that of the latency comes later. */
static void forget_no_time(struct ga_match_reasons *list)
{
	size_t i;

	for (i = 0; i < list->n && strcmp(list->v[i].code, "no_basis"); i++)
		;
	if (i == list->n)
		return;
	free(list->v[i].code);
	free(list->v[i].sentence);
	memmove(&list->v[i], &list->v[i + 1], (list->n - i - 1) * sizeof(*list->v));
	if (!--list->n)
		ga_list_release(list);
}

bool ga_match_external(struct ga_matches *list, const struct ga_external_time *time)
{
	bool known = false;
	size_t i;

	for (i = 0; i < list->n; i++) {
		struct ga_match *m = &list->v[i];

		if (strcmp(m->profile, time->profile) ||
		    (time->type && !ga_streq(m->accelerator_type, time->type)))
			continue;
		known = true;
		if (ga_match_is_too_small(m))
			continue;
		if (!m->estimator) {
			if (m->seconds == GA_UNKNOWN)
				forget_no_time(&m->unknown);
			free(m->basis);
			free(m->confidence);
			m->basis = ga_xstrdup(time->basis);
			m->confidence = ga_xstrdup("external");
			m->estimator = ga_xstrdup(time->estimator);
			m->seconds_low = time->time.low;
			m->seconds = time->time.seconds;
			m->seconds_high = time->time.high;
			match_costs(m);
		}
		break;
	}
	return known;
}
