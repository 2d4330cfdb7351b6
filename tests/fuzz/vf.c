/* SPDX-License-Identifier: Apache-2.0 */
/* The output of ip(8) about virtual functions: read, or refused as a bad record. */
#include "fuzz.h"

#include "act/device/vf.h"
#include "record/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size);
	ga_autovf struct ga_vf v = { .netdev = ga_xstrdup("ens1"), .index = 1,
				     .trust = GA_UNKNOWN, .spoofchk = GA_UNKNOWN };
	struct ga_err err = GA_ERR_INIT;

	if (ga_vf_parse(text, &v, &err) < 0) {
		fuzz_check(err.code == GA_BADREC);
		return 0;
	}
	fuzz_check(v.trust >= GA_UNKNOWN && v.trust <= 1);
	fuzz_check(v.spoofchk >= GA_UNKNOWN && v.spoofchk <= 1);
	return 0;
}
