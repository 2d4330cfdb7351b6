/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of gpuaas-match: the built-in tables, offers, answers. */
#ifndef MATCH_WORLD_H
#define MATCH_WORLD_H

#include "decide/match/match.h"
#include "t.h"

static struct ga_throughput table;
static struct ga_accels *accels;

static inline struct ga_match_offer offer(const char *profile, const char *slug, int64_t price,
					  int64_t free)
{
	static const int64_t one[] = { 1 };
	const struct ga_accel_type *type = slug ? ga_accels_type(accels, slug) : NULL;
	int64_t memory = slug ? ga_accels_memory_mib(accels, slug) : 0;

	return (struct ga_match_offer){
		.profile = profile, .shape = "slice", .type = type, .slug = slug,
		.type_name = type ? type->name : NULL, .memory_mib = memory ? memory : GA_UNKNOWN,
		.counts = one, .n_counts = 1, .price_micros = price, .available = free,
		.largest = free, .pending = 0, .stale_seconds = 5, .team = true };
}

static inline struct ga_requirement nothing(void)
{
	struct ga_requirement r;

	ga_schema_init(&ga_requirement_schema, &r);
	return r;
}

static inline void run(const struct ga_requirement *need, const struct ga_match_offer *offers,
		       size_t n, const struct ga_measured *measured, size_t n_measured,
		       struct ga_matches *ret)
{
	const struct ga_match_tables tables = { accels, &table, measured, n_measured,
						NULL };

	ga_match(need, &tables, offers, n, ret);
	ga_match_rank(need, accels, ret);
}

static inline const char *reasons_of(const struct ga_matches *m, size_t at)
{
	static char text[256];
	size_t i, len = 0;

	text[0] = '\0';
	for (i = 0; i < m->v[at].reasons.n && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "",
					m->v[at].reasons.v[i].code);
	return text;
}

#endif
