/* SPDX-License-Identifier: Apache-2.0 */
/* MAC addresses: what is read is unicast, in lower case, and reads as itself. */
#include "fuzz.h"

#include <strings.h>

#include "record/mac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size);
	char out[GA_MAC_SIZE], again[GA_MAC_SIZE];
	struct ga_err err = GA_ERR_INIT;

	if (ga_mac_parse(text, out, &err) < 0) {
		fuzz_check(err.code == GA_BADREC);
		return 0;
	}
	fuzz_check(strlen(text) == 17 && !strcasecmp(text, out));
	fuzz_check(!(strtoul(out, NULL, 16) & 1));
	fuzz_check(!ga_mac_parse(out, again, &err) && ga_streq(out, again));
	return 0;
}
