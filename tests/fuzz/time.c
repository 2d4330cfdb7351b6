/* SPDX-License-Identifier: Apache-2.0 */
/* Times and durations: what is read is written in 27 characters and reads as the same moment. */
#include "fuzz.h"

#include "record/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size);
	struct ga_err err = GA_ERR_INIT;
	char out[GA_TIME_SIZE];
	int64_t a, b;

	if (!ga_time_parse(text, &a, &err)) {
		fuzz_check(strlen(ga_time_format(a, out)) == 27);
		fuzz_check(!ga_time_parse(out, &b, &err) && a == b);
	}
	if (!ga_duration_parse(text, &a, &err))
		fuzz_check(a >= 0 && a <= INT64_C(10) * 366 * 86400);
	return 0;
}
