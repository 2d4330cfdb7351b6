/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers and memory sizes of people. */
#include "fuzz.h"

#include "record/decimal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size);
	struct ga_err err = GA_ERR_INIT;
	int64_t n;

	if (ga_decimal_parse(text, "it", 6, 0, INT64_C(1000000000000), &n, &err) == 0)
		fuzz_check(n >= 0 && n <= INT64_C(1000000000000));
	else
		fuzz_check(err.code == GA_USAGE);
	if (ga_memory_parse(text, "it", &n, &err) == 0)
		fuzz_check(n >= 1 && n <= INT64_C(1024000000));
	return 0;
}
