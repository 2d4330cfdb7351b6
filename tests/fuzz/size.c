/* SPDX-License-Identifier: Apache-2.0 */
/* Byte sizes and whole numbers stay within their ranges. */
#include "fuzz.h"

#include "record/size.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size);
	struct ga_err err = GA_ERR_INIT;
	char out[GA_SIZE_SIZE];
	int64_t n;

	if (!ga_size_parse(text, &n, &err)) {
		fuzz_check(n >= 0 && n <= GA_INT_MAX_SAFE);
		fuzz_check(strlen(ga_size_format(n, out)) > 0);
	}
	if (!ga_int_parse(text, "--n", -100, 1000, &n, &err))
		fuzz_check(n >= -100 && n <= 1000);
	return 0;
}
