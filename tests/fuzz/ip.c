/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 addresses and networks: only the canonical spelling is read. */
#include "fuzz.h"

#include "record/mac.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size);
	struct ga_err err = GA_ERR_INIT;
	char out[GA_IP_SIZE];
	uint32_t ip;
	int bits;

	if (!ga_ip_parse(text, &ip, &err))
		fuzz_check(ga_streq(ga_ip_format(ip, out), text));
	if (!ga_ip_net_parse(text, &ip, &bits, &err)) {
		ga_autofree char *again = ga_xprintf("%s/%d", ga_ip_format(ip, out), bits);

		fuzz_check(ga_streq(again, text) && bits >= 8 && bits <= 30);
		fuzz_check(!(ip & (UINT32_MAX >> bits)));
	}
	return 0;
}
