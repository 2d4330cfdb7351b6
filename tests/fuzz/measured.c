/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of inference that a site brings. */
#include "fuzz.h"

#include "catalog/measured.h"
#include "record/schema.h"

static struct ga_accels *list;

static bool is_known_or_positive(int64_t n)
{
	return n == GA_UNKNOWN || n >= 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_automeasured struct ga_measured_list m = { 0 };
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	ga_accels_drop_ins(NULL);
	if (!list && ga_accels_open(NULL, &list, &err) < 0)
		abort();
	if (ga_measured_parse((const char *)data, size, list, &m, &err) < 0)
		fuzz_check(err.code == GA_BADREC && err.msg[0]);
	for (i = 0; i < m.n; i++) {
		fuzz_check(m.v[i].types.n && m.v[i].count >= 1 && m.v[i].count <= 1024);
		fuzz_check(is_known_or_positive(m.v[i].tokens_per_second_milli) &&
			   is_known_or_positive(m.v[i].ttft_p99_ms) &&
			   is_known_or_positive(m.v[i].e2e_p99_ms) &&
			   is_known_or_positive(m.v[i].itl_p99_ms));
	}
	return 0;
}
