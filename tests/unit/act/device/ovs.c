/* SPDX-License-Identifier: Apache-2.0 */
/* The flows of a port as text, and the check that a dump of the switch has all of them. */
#include <stdlib.h>
#include <string.h>

#include "act/device/ovs.h"
#include "t.h"

static const struct ga_ovs_port port = {
	.bridge = "ovsbr0",
	.port = "gp-0",
	.mac = "02:00:00:00:00:01",
	.ip = "10.100.0.11",
	.allocation = "a110c000",
	.gateway = "10.100.0.1",
	.network = "10.100.0.0/24",
};

/* As ovs-ofctl prints what it was given: the flows with statistics, one a line. */
static void dump_of(const struct ga_str *flows, struct ga_str *out)
{
	ga_autofree char *copy = ga_xstrdup(flows->buf);
	char *rest = copy, *line;

	ga_str_clear(out);
	ga_str_add(out, "NXST_FLOW reply (xid=0x4):\n");
	while ((line = strsep(&rest, "\n")))
		if (*line)
			ga_str_addf(out, " %.*s, duration=1.2s, table=0, n_packets=0, %s\n",
				    (int)strcspn(line, ","), line, strchr(line, ',') + 1);
}

static void text(void)
{
	ga_autostr struct ga_str out = GA_STR_INIT, less = GA_STR_INIT;
	struct ga_ovs_port alone = port;
	char *rest, *line, cookie[GA_COOKIE_SIZE];
	int n = ga_ovs_flows(&port, 7, &out), lines = 0, mine = 0, from = 0, own = 0;

	alone.gateway = alone.network = NULL;
	t_int(n - ga_ovs_flows(&alone, 7, &less), 2, "without a gateway two flows less");
	t_ok(!strstr(less.buf, "(null)"), "and no NULL in the text");
	t_ok(strstr(out.buf, "ip,nw_dst=10.100.0.0/24,actions=drop"), "no slice but the gateway");
	ga_ovs_cookie("a110c000", cookie);
	for (rest = out.buf; (line = strsep(&rest, "\n"));) {
		ga_autofree char *head = ga_xprintf("cookie=%s,priority=", cookie);
		bool sends = strstr(line, "in_port=7,") && strstr(line, "actions=LOCAL");

		lines += *line != '\0';
		mine += ga_starts(line, head);
		from += sends;
		own += sends && strstr(line, "vlan_tci=0x0000,dl_src=02:00:00:00:00:01,") &&
		       (strstr(line, "nw_src=10.100.0.11,") || strstr(line, "nw_src=0.0.0.0,") ||
			strstr(line, "arp_spa=10.100.0.11,"));
	}
	t_int(lines, n, "as many lines as it says");
	t_int(mine, n, "each with the cookie of its allocation");
	t_ok(from && own == from, "what it may send is untagged, of its own MAC and address");
}

static void stand(void)
{
	ga_autostr struct ga_str flows = GA_STR_INIT, dump = GA_STR_INIT, other = GA_STR_INIT;
	struct ga_ovs_port neighbour = port;
	char *line;

	neighbour.allocation = "b220c000";
	ga_ovs_flows(&port, 1, &flows);
	dump_of(&flows, &dump);
	t_ok(ga_ovs_flows_stand(&port, 1, dump.buf), "all flows stand");
	t_ok(!ga_ovs_flows_stand(&port, 2, dump.buf), "not for another number");
	t_ok(!ga_ovs_flows_stand(&port, 0, dump.buf), "not for a port without number");
	t_ok(!ga_ovs_flows_stand(&neighbour, 1, dump.buf), "not for another allocation");
	t_ok(!ga_ovs_flows_stand(&port, 1, ""), "an empty switch has none");
	ga_ovs_flows(&port, 12, &flows);
	dump_of(&flows, &other);
	t_ok(!ga_ovs_flows_stand(&port, 1, other.buf), "port 12 is not port 1");
	ga_str_add(&other, dump.buf);
	t_ok(!ga_ovs_flows_stand(&port, 1, other.buf), "flows of an older number are too many");
	ga_ovs_flows(&neighbour, 2, &flows);
	dump_of(&flows, &other);
	ga_str_add(&other, dump.buf);
	t_ok(ga_ovs_flows_stand(&port, 1, other.buf), "a neighbour's flows do not count");
	line = strstr(dump.buf, "priority=100");
	line[-2] = '\0'; /* cut off from the last drop on */
	t_ok(!ga_ovs_flows_stand(&port, 1, dump.buf), "some flows are not all");
}

int main(void)
{
	text();
	stand();
	return t_done();
}
