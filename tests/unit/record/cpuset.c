/* SPDX-License-Identifier: Apache-2.0 */
/* CPU lists. */
#include "t.h"

#include "record/cpuset.h"

static void lists(void)
{
	static const struct {
		const char *in, *out; /* NULL: refused */
		int count;
	} cases[] = {
		{ "", "", 0 },
		{ "0", "0", 1 },
		{ "0-7,16-23", "0-7,16-23", 16 },
		{ "3,1,2", "1-3", 3 },
		{ "0-5,3-9", "0-9", 10 },
		{ "8191", "8191", 1 },
		{ "0-8191", "0-8191", 8192 },
		{ "5-5", "5", 1 },
		{ "007", "7", 1 },
		{ "8192", NULL, 0 },
		{ "0-8192", NULL, 0 },
		{ "99999999999999999999", NULL, 0 },
		{ "7-0", NULL, 0 },
		{ "1,", NULL, 0 },
		{ ",1", NULL, 0 },
		{ "1,,2", NULL, 0 },
		{ "1-", NULL, 0 },
		{ "-1", NULL, 0 },
		{ "1-2-3", NULL, 0 },
		{ "a", NULL, 0 },
		{ "1 2", NULL, 0 },
		{ "1\n", NULL, 0 },
		{ "0-7:2/4", NULL, 0 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		ga_autofree char *out = NULL;
		struct ga_cpuset s;
		int r = ga_cpuset_parse(cases[i].in, &s, &err);

		if (!cases[i].out) {
			t_code(r, &err, GA_BADREC, NULL, "cpus '%s' are refused", cases[i].in);
			continue;
		}
		out = ga_cpuset_format(&s);
		t_str(r ? err.msg : out, cases[i].out, "cpus '%s'", cases[i].in);
		t_int(ga_cpuset_count(&s), cases[i].count, "and their number");
	}
}

/* A written set reads back as the same set; overlap is what a loop over the CPUs finds. */
static void random_sets(void)
{
	uint64_t seed = t_seed();
	int i, j, bad = 0;

	for (i = 0; i < 500; i++) {
		struct ga_cpuset a = { { 0 } }, b = { { 0 } }, back;
		struct ga_err err = GA_ERR_INIT;
		ga_autofree char *text = NULL;
		bool overlap = false;

		for (j = 0; j < 64; j++) {
			ga_cpuset_add(&a, (int)(t_random(&seed) % (i % 2 ? 128 : GA_CPU_MAX)));
			ga_cpuset_add(&b, (int)(t_random(&seed) % GA_CPU_MAX));
		}
		for (j = 0; j < GA_CPU_MAX; j++)
			overlap = overlap || (ga_cpuset_has(&a, j) && ga_cpuset_has(&b, j));
		text = ga_cpuset_format(&a);
		if (ga_cpuset_parse(text, &back, &err) || memcmp(&a, &back, sizeof(a)) ||
		    ga_cpuset_overlaps(&a, &b) != overlap)
			bad++;
	}
	t_int(bad, 0, "500 random sets read back, and overlap as their CPUs do");
}

int main(void)
{
	struct ga_cpuset s = { { 0 } };

	lists();
	random_sets();
	t_ok(!ga_cpuset_has(&s, -1) && !ga_cpuset_has(&s, GA_CPU_MAX), "no CPU outside the range");
	return t_done();
}
