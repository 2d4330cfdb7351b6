/* SPDX-License-Identifier: Apache-2.0 */
/* The published view of profiles, which a program reads that may not read the state. */
#include "fuzz.h"

#include "decide/offer/published.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int64_t now = 1800000000000000;
	ga_autopublished struct ga_published p = { 0 };
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	if (ga_published_parse((const char *)data, size, now, &p, &err) < 0)
		fuzz_check(err.code == GA_BADREC && err.msg[0] && !p.profiles.n);
	for (i = 0; i < p.profiles.n; i++)
		fuzz_check(p.profiles.v[i].name && p.profiles.v[i].summary);
	return 0;
}
