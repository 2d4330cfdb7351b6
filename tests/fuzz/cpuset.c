/* SPDX-License-Identifier: Apache-2.0 */
/* CPU lists: what is read is written in its shortest form and reads as the same set. */
#include "fuzz.h"

#include "record/cpuset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size), *out = NULL;
	struct ga_err err = GA_ERR_INIT;
	struct ga_cpuset a, b;

	if (ga_cpuset_parse(text, &a, &err) < 0) {
		fuzz_check(err.code == GA_BADREC);
		return 0;
	}
	out = ga_cpuset_format(&a);
	fuzz_check(!ga_cpuset_parse(out, &b, &err) && !memcmp(&a, &b, sizeof(a)));
	fuzz_check(ga_cpuset_count(&a) <= GA_CPU_MAX && !ga_cpuset_has(&a, GA_CPU_MAX));
	return 0;
}
