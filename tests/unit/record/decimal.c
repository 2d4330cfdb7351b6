/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that people write: read exactly, or refused. */
#include "record/decimal.h"
#include "t.h"

static void numbers(void)
{
	static const struct {
		const char *text;
		int places;
		int64_t n; /* -1: refused */
	} cases[] = {
		{ "7B", 0, 7000000000 },
		{ "7b", 0, 7000000000 },
		{ "1.5e9", 0, 1500000000 },
		{ "1.5B", 0, 1500000000 },
		{ "350M", 0, 350000000 },
		{ "1e15", 0, INT64_C(1000000000000000) },
		{ "1e16", 0, -1 },
		{ "1e30", 0, -1 },
		{ "9e99999999999", 0, -1 },
		{ "1.5", 0, -1 },
		{ "1.50", 1, 15 },
		{ "3.50", 6, 3500000 },
		{ "0", 6, 0 },
		{ "0.000001", 6, 1 },
		{ "0.0000001", 6, -1 },
		{ "0.0000010", 6, 1 },
		{ "000007", 0, 7 },
		{ "10", 0, 10 },
		{ "100.0", 0, 100 },
		{ "", 0, -1 },
		{ ".", 0, -1 },
		{ ".5", 6, -1 },
		{ "5.", 6, -1 },
		{ "1..5", 6, -1 },
		{ "-1", 0, -1 },
		{ "+1", 0, -1 },
		{ "1e", 0, -1 },
		{ "1e-3", 6, -1 },
		{ "7BB", 0, -1 },
		{ "7 B", 0, -1 },
		{ "0x10", 0, -1 },
		{ "nan", 0, -1 },
		{ "1234567890123456789012345678901234567890", 0, -1 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		int64_t n = -1;
		int r = ga_decimal_parse(cases[i].text, "it", cases[i].places, 0,
					 INT64_C(1000000000000000), &n, &err);

		t_ok((r == 0) == (cases[i].n >= 0) && n == cases[i].n, "'%s' to %d places",
		     cases[i].text, cases[i].places);
	}
}

static void memory(void)
{
	static const struct {
		const char *text;
		int64_t mib; /* 0: refused */
	} cases[] = { { "80GB", 81920 }, { "80", 81920 },     { "80gib", 81920 },
		      { "81920MiB", 81920 }, { "1T", 1048576 }, { "0", 0 },
		      { "GB", 0 },	 { "80EB", 0 },	      { "-80GB", 0 },
		      { "1.5GB", 0 },	 { "99999999999GB", 0 }, { "999999999T", 0 } };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		int64_t mib = 0;

		t_ok((ga_memory_parse(cases[i].text, "it", &mib, &err) == 0) ==
			     (cases[i].mib > 0) && mib == cases[i].mib, "'%s'", cases[i].text);
	}
}

int main(void)
{
	numbers();
	memory();
	return t_done();
}
