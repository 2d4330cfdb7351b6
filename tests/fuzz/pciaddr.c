/* SPDX-License-Identifier: Apache-2.0 */
/* PCI addresses: what is read is written and reads as the same. */
#include "fuzz.h"

#include "record/pciaddr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size);
	struct ga_err err = GA_ERR_INIT;
	char out[GA_PCIADDR_SIZE];
	struct ga_pciaddr a, b;

	if (ga_pciaddr_parse(text, &a, &err) < 0) {
		fuzz_check(err.code == GA_BADREC);
		return 0;
	}
	fuzz_check(a.device < 32 && a.function < 8 && strlen(text) <= 16);
	fuzz_check(!ga_pciaddr_parse(ga_pciaddr_format(&a, out), &b, &err));
	fuzz_check(!ga_pciaddr_cmp(&a, &b));
	return 0;
}
