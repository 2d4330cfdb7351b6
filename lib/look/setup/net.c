/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the private network: the bridge, its address and flow, the rules. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include "base/proc.h"
#include "look/net/net.h"
#include "look/setup/internal.h"
#include "look/sys.h"
#include "record/mac.h"

/* The status of a program, its output in out; -1 when it could not be run. */
static int ask(const char *const *argv, struct ga_proc_result *out)
{
	const struct ga_proc p = { .argv = argv, .timeout_micros = 15 * GA_SECOND };
	struct ga_err ignored = GA_ERR_INIT;

	return ga_proc_run(&p, out, &ignored) < 0 ? -1 : out->status;
}

/* Whether slices have ports (look/discover/candidate.c names theirs "gpuaas0" and up), and the
 * first other. */
static void look_ports(struct ga_setup_facts *f)
{
	const char *ports[] = { "ovs-vsctl", "--timeout=5", "list-ports", f->bridge, NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	char *rest, *line;

	if (ask(ports, &out) != 0)
		return;
	rest = out.out.buf;
	while ((line = strsep(&rest, "\n")))
		if (ga_starts(line, "gpuaas"))
			f->bridge_guests = true;
		else if (*line && !f->bridge_foreign)
			f->bridge_foreign = ga_sys_tidy(ga_xstrdup(line));
}

static void look_switch(struct ga_setup_facts *f)
{
	const char *exists[] = { "ovs-vsctl", "--timeout=5", "br-exists", f->bridge, NULL };
	const char *mode[] = { "ovs-vsctl", "--timeout=5", "get-fail-mode", f->bridge, NULL };
	ga_autoproc struct ga_proc_result one = GA_PROC_RESULT_INIT;
	ga_autoproc struct ga_proc_result two = GA_PROC_RESULT_INIT;
	int r = f->ovs ? ask(exists, &one) : -1;

	if (r != 0 && r != 2) /* 2: there is none (ovs-vsctl(8)) */
		return;
	f->bridge_there = r == 0;
	if (r)
		return;
	look_ports(f);
	if (ask(mode, &two) == 0 && two.out.len)
		f->bridge_mode = ga_sys_tidy(ga_xstrdup(two.out.buf));
}

static int64_t bits_of(const struct sockaddr *mask)
{
	struct sockaddr_in in;

	if (!mask)
		return 0;
	memcpy(&in, mask, sizeof(in));
	return __builtin_popcount(in.sin_addr.s_addr);
}

static void look_address(struct ga_setup_facts *f)
{
	struct ifaddrs *list = NULL, *i;
	struct ga_err ignored = GA_ERR_INIT;
	uint32_t gateway = 0;

	if (ga_ip_parse(f->gateway, &gateway, &ignored) < 0 || getifaddrs(&list) < 0)
		return;
	f->bridge_up = f->bridge_address = 0;
	for (i = list; i; i = i->ifa_next) {
		struct sockaddr_in in;

		if (!ga_streq(i->ifa_name, f->bridge))
			continue;
		f->bridge_up = (i->ifa_flags & IFF_UP) != 0;
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
			continue;
		memcpy(&in, i->ifa_addr, sizeof(in));
		if (ntohl(in.sin_addr.s_addr) == gateway &&
		    bits_of(i->ifa_netmask) == f->prefix_bits)
			f->bridge_address = 1;
	}
	freeifaddrs(list);
}

void ga_setup_look_network(struct ga_setup_facts *f)
{
	ga_autorules struct ga_net_rules rules = { 0 };
	struct ga_err ignored = GA_ERR_INIT;

	look_switch(f);
	look_address(f);
	if (f->nft && !geteuid() &&
	    ga_net_rules_read(f->bridge, f->network, &rules, &ignored) == 0)
		f->nat = ga_net_rules_stand(&rules);
}
