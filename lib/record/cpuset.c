/* SPDX-License-Identifier: Apache-2.0 */
/* CPU lists. */
#include "record/cpuset.h"

#include <ctype.h>

#include "base/str.h"

static bool number(const char **p, int *ret)
{
	int n = 0;

	if (!isdigit((unsigned char)**p))
		return false;
	for (; isdigit((unsigned char)**p) && n < GA_CPU_MAX; (*p)++)
		n = n * 10 + (**p - '0');
	*ret = n;
	return n < GA_CPU_MAX;
}

int ga_cpuset_parse(const char *text, struct ga_cpuset *ret, struct ga_err *err)
{
	const char *p = text;
	int first, last;

	memset(ret, 0, sizeof(*ret));
	while (*p) {
		bool good = number(&p, &first);

		last = first;
		if (good && *p == '-') {
			p++;
			good = number(&p, &last);
		}
		if (!good || last < first || (*p && *p != ',') || (*p == ',' && !p[1]))
			return ga_fail(err, GA_BADREC,
				       "'%.64s' is not a CPU list such as 0-7,16-23", text);
		for (; first <= last; first++)
			ga_cpuset_add(ret, first);
		if (*p)
			p++;
	}
	return 0;
}

bool ga_cpuset_has(const struct ga_cpuset *s, int cpu)
{
	return cpu >= 0 && cpu < GA_CPU_MAX && s->bits[cpu / 64] >> (cpu % 64) & 1;
}

void ga_cpuset_add(struct ga_cpuset *s, int cpu)
{
	s->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

char *ga_cpuset_format(const struct ga_cpuset *s)
{
	struct ga_str out = GA_STR_INIT;
	int cpu, last;

	for (cpu = 0; cpu < GA_CPU_MAX; cpu++) {
		if (!ga_cpuset_has(s, cpu))
			continue;
		for (last = cpu; ga_cpuset_has(s, last + 1); last++)
			;
		ga_str_addf(&out, "%s%d", out.len ? "," : "", cpu);
		if (last > cpu)
			ga_str_addf(&out, "-%d", last);
		cpu = last;
	}
	return ga_str_take(&out);
}

int ga_cpuset_count(const struct ga_cpuset *s)
{
	int n = 0;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(s->bits); i++)
		if (s->bits[i])
			n += __builtin_popcountll(s->bits[i]);
	return n;
}

void ga_cpuset_join(struct ga_cpuset *s, const struct ga_cpuset *more)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(s->bits); i++)
		s->bits[i] |= more->bits[i];
}

bool ga_cpuset_overlaps(const struct ga_cpuset *a, const struct ga_cpuset *b)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(a->bits); i++)
		if (a->bits[i] & b->bits[i])
			return true;
	return false;
}
