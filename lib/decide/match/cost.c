/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of use and its sums. */
#include "decide/match/cost.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const ga_cost_by_words[] = { "team", "project",    "type", "profile",
					 "node", "allocation", "user", NULL };
const char *const ga_cost_kind_words[] = { "active", "provisioning", "hold", "cleanup", NULL };

static __int128 cost_at(const struct ga_cost_line *line, int64_t price)
{
	return ga_cost_micros(line->count, line->to, price) -
	       ga_cost_micros(line->count, line->from, price);
}

__int128 ga_cost_of(const struct ga_cost_line *line)
{
	return line->kind == GA_COST_ACTIVE ? cost_at(line, line->price_micros) : 0;
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
	for (i = 0; i < s->groups.n; i++) {
		struct ga_cost_group *g = &s->groups.v[i];
		size_t j;

		if (g->seen.n)
			qsort(g->seen.v, g->seen.n, sizeof(*g->seen.v), by_number);
		for (j = 0; j < g->seen.n; j++)
			g->allocations += !j || g->seen.v[j] != g->seen.v[j - 1];
		ga_list_release(&g->seen);
	}
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
