/* SPDX-License-Identifier: Apache-2.0 */
/* What use costs, and how it adds up. */
#include "decide/match/cost.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/decimal.h"

const char *const ga_cost_by_words[] = { "team", "project",    "type", "profile",
					 "node", "allocation", NULL };
const char *const ga_cost_kind_words[] = { "active", "provisioning", "hold", "cleanup", NULL };

/* a / b rounded half to even; a >= 0, b > 0. */
static __int128 divide(__int128 a, __int128 b)
{
	__int128 whole = a / b, rest = a % b;

	return whole + (2 * rest > b || (2 * rest == b && (whole & 1)));
}

__int128 ga_cost_micros(int64_t count, int64_t seconds, int64_t price_micros)
{
	return divide((__int128)count * seconds * price_micros, 3600);
}

static __int128 cost_at(const struct ga_cost_line *line, int64_t price)
{
	return ga_cost_micros(line->count, line->to, price) -
	       ga_cost_micros(line->count, line->from, price);
}

__int128 ga_cost_of(const struct ga_cost_line *line)
{
	return line->kind == GA_COST_ACTIVE ? cost_at(line, line->price_micros) : 0;
}

/* ---- as text ---- */

/* n / 10^places, with at least so many of the places. */
static void add_decimal(__int128 n, int places, int least, struct ga_str *out)
{
	char digits[48], *p = digits + sizeof(digits) - 1;
	bool minus = n < 0;
	int i = 0, last = places;

	*p = '\0';
	for (n = minus ? -n : n; n || i <= places; n /= 10, i++) {
		if (i == places && places)
			*--p = '.';
		*--p = (char)('0' + (int)(n % 10));
	}
	if (minus)
		*--p = '-';
	i = (int)strlen(p);
	while (last > least && p[i - 1] == '0') {
		p[--i] = '\0';
		last--;
	}
	if (i && p[i - 1] == '.')
		p[i - 1] = '\0';
	ga_str_add(out, p);
}

int ga_currency_check(const char *text, struct ga_err *err)
{
	if (strlen(text) == 3 && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3)
		return 0;
	ga_err_set(err, GA_USAGE, "'%.32s' is no currency", text);
	return ga_hint(err, "three capital letters of ISO 4217, such as EUR or USD");
}

void ga_cost_format(__int128 micros, struct ga_str *out)
{
	add_decimal(micros, 6, 2, out);
}

void ga_cost_hours(__int128 gpu_seconds, int places, struct ga_str *out)
{
	__int128 unit = 1;
	int i;

	for (i = 0; i < places; i++)
		unit *= 10;
	add_decimal(divide(gpu_seconds * unit, 3600), places, 0, out);
}

bool ga_price_parse(const char *text, int64_t *micros)
{
	const char *point = strchr(text, '.');
	struct ga_err ignored = GA_ERR_INIT;

	if (text[strspn(text, "0123456789.")] || (point && strlen(point) > 7))
		return false;
	return ga_decimal_parse(text, "price", 6, 0, GA_PRICE_MAX, micros, &ignored) == 0;
}

/* ---- sums ---- */

void ga_cost_sums_init(struct ga_cost_sums *s, const bool by[GA_BY_N], int64_t what_if_price)
{
	*s = (struct ga_cost_sums){ .what_if_price = what_if_price };
	memcpy(s->by, by, sizeof(s->by));
}

static uint32_t hash_of(const struct ga_cost_sums *s, const char *const *by)
{
	uint32_t h = 2166136261u; /* FNV-1a */
	size_t i;

	for (i = 0; i < GA_BY_N; i++) {
		const char *p = s->by[i] ? by[i] : NULL;

		for (; p && *p; p++)
			h = (h ^ (unsigned char)*p) * 16777619u;
		h = (h ^ (s->by[i] && by[i] ? 0x100u : 0x101u)) * 16777619u;
	}
	return h;
}

static bool is_group(const struct ga_cost_sums *s, const struct ga_cost_group *g,
		     const char *const *by)
{
	size_t i;

	for (i = 0; i < GA_BY_N; i++)
		if (s->by[i] && !ga_streq(g->by[i], by[i]))
			return false;
	return true;
}

static void rehash(struct ga_cost_sums *s)
{
	size_t i, k;

	s->n_slots = s->n_slots ? s->n_slots * 2 : 64;
	free(s->slots);
	s->slots = ga_xcalloc(s->n_slots, sizeof(*s->slots));
	for (i = 0; i < s->groups.n; i++) {
		const char *const *by = (const char *const *)s->groups.v[i].by;

		for (k = hash_of(s, by) % s->n_slots; s->slots[k]; k = (k + 1) % s->n_slots)
			;
		s->slots[k] = (uint32_t)(i + 1);
	}
}

static struct ga_cost_group *group_of(struct ga_cost_sums *s, const char *const *by)
{
	struct ga_cost_group *g;
	size_t i, k;

	if (s->groups.n * 2 >= s->n_slots)
		rehash(s);
	for (k = hash_of(s, by) % s->n_slots; s->slots[k]; k = (k + 1) % s->n_slots)
		if (is_group(s, &s->groups.v[s->slots[k] - 1], by))
			return &s->groups.v[s->slots[k] - 1];
	g = ga_list_add(&s->groups);
	s->slots[k] = (uint32_t)s->groups.n;
	for (i = 0; i < GA_BY_N; i++)
		g->by[i] = s->by[i] ? ga_strdup0(by[i]) : NULL;
	g->price_min = INT64_MAX;
	g->price_max = -1;
	return g;
}

void ga_cost_sums_add(struct ga_cost_sums *s, const struct ga_cost_line *line)
{
	struct ga_cost_group *g = group_of(s, line->by);

	g->gpu_seconds[line->kind] += (__int128)line->count * (line->to - line->from);
	g->spans++;
	g->open += line->open;
	if (!g->seen.n || g->seen.v[g->seen.n - 1] != line->allocation)
		*ga_list_add(&g->seen) = line->allocation;
	if (line->kind != GA_COST_ACTIVE)
		return;
	g->cost += ga_cost_of(line);
	if (s->what_if_price >= 0)
		g->what_if += cost_at(line, s->what_if_price);
	if (line->price_micros < g->price_min)
		g->price_min = line->price_micros;
	if (line->price_micros > g->price_max)
		g->price_max = line->price_micros;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void count_allocations(struct ga_cost_group *g)
{
	size_t i;

	if (g->seen.n)
		qsort(g->seen.v, g->seen.n, sizeof(*g->seen.v), by_number);
	for (i = 0; i < g->seen.n; i++)
		g->allocations += !i || g->seen.v[i] != g->seen.v[i - 1];
	ga_list_release(&g->seen);
}

static int by_members(const void *a, const void *b)
{
	const struct ga_cost_group *x = a, *y = b;
	size_t i;

	for (i = 0; i < GA_BY_N; i++) {
		int r = !x->by[i] || !y->by[i] ? !x->by[i] - !y->by[i] :
						 strcmp(x->by[i], y->by[i]);

		if (r)
			return r;
	}
	return 0;
}

void ga_cost_sums_finish(struct ga_cost_sums *s)
{
	static const char *const none[GA_BY_N];
	bool any = false;
	size_t i;

	for (i = 0; i < GA_BY_N; i++)
		any = any || s->by[i];
	if (!any)
		(void)group_of(s, none);
	for (i = 0; i < s->groups.n; i++)
		count_allocations(&s->groups.v[i]);
	if (s->groups.n)
		qsort(s->groups.v, s->groups.n, sizeof(*s->groups.v), by_members);
}

void ga_cost_sums_release(struct ga_cost_sums *s)
{
	size_t i, k;

	for (i = 0; i < s->groups.n; i++) {
		for (k = 0; k < GA_BY_N; k++)
			free(s->groups.v[i].by[k]);
		ga_list_release(&s->groups.v[i].seen);
	}
	ga_list_release(&s->groups);
	free(s->slots);
	s->slots = NULL;
	s->n_slots = 0;
}
