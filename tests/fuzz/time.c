/* SPDX-License-Identifier: Apache-2.0 */
/* Times and durations: what is read is written in 27 characters and reads as the same moment. */
#include "fuzz.h"

#include "record/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size);
	struct ga_err err = GA_ERR_INIT;
	char out[GA_TIME_SIZE];
	struct ga_when w;
	int64_t a, b;

	if (!ga_time_parse(text, &a, &err)) {
		fuzz_check(strlen(ga_time_format(a, out)) == 27);
		fuzz_check(!ga_time_parse(out, &b, &err) && a == b);
	}
	if (!ga_duration_parse(text, &a, &err))
		fuzz_check(a >= 0 && a <= INT64_C(10) * 366 * 86400 &&
			   !ga_duration_parse(ga_duration_format(a, out), &b, &err) && a == b);
	if (!ga_when_parse(text, INT64_C(1795608000500000), size % 2, &w, &err))
		fuzz_check(w.begin <= w.end && w.since >= w.begin && w.since <= w.end &&
			   w.begin >= GA_TIME_MIN && w.end <= GA_TIME_MAX);
	return 0;
}
