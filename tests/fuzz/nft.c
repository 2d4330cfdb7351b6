/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON that nft prints: tables are anybody's, and values of ours go back into commands
 * for nft. Beside it the kernel's lists of sockets.
 */
#include "fuzz.h"

#include <string.h>

#include "act/device/nat.h"
#include "record/id.h"
#include "record/mac.h"

static void check_ingress(const struct ga_net_ingress *i)
{
	struct ga_err err = GA_ERR_INIT;
	uint32_t ip;

	fuzz_check(ga_streq(i->proto, "tcp") || ga_streq(i->proto, "udp"));
	fuzz_check(i->port >= 1 && i->port <= 65535 && i->to_port >= 1 && i->to_port <= 65535);
	fuzz_check(ga_ip_parse(i->address, &ip, &err) == 0);
	fuzz_check(!i->allocation || ga_id_is_valid(i->allocation));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = ga_xstrndup((const char *)data, size);
	ga_autorules struct ga_net_rules r = { 0 };
	ga_autostr struct ga_str out = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	int found;

	if (ga_net_rules_parse((const char *)data, size, "ovsbr0", "10.100.0.0/24", &r, &err) < 0)
		fuzz_check(err.code == GA_BADREC && err.msg[0]);
	for (size_t i = 0; i < r.ingress.n; i++)
		check_ingress(&r.ingress.v[i]);
	ga_net_rules_lack(&r, &out);
	fuzz_check(ga_net_rules_stand(&r) == !out.len);
	found = ga_net_nat_parse((const char *)data, size, "10.100.0.0/24", &out, &err);
	fuzz_check(found >= -1 && found <= 1);
	found = ga_net_forward_parse((const char *)data, size, &out, &err);
	fuzz_check(found >= -1 && found <= 1);
	(void)ga_nat_is_listening(text, true, 22);
	(void)ga_nat_is_listening(text, false, 22);
	return 0;
}
