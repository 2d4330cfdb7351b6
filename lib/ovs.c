/* SPDX-License-Identifier: Apache-2.0 */
/* Ports and flows of slices. */
#include "ovs.h"

#include <inttypes.h>

#include "clock.h"
#include "digest.h"
#include "proc.h"
#include "size.h"

#define PORT_MICROS INT64_C(10000000)

char *ga_ovs_cookie(const char *allocation, char out[GA_COOKIE_SIZE])
{
	unsigned char h[GA_SHA256_BYTES];

	ga_sha256(allocation, strlen(allocation), h);
	snprintf(out, GA_COOKIE_SIZE, "0x6761%02x%02x%02x%02x%02x%02x", h[0], h[1], h[2], h[3],
		 h[4], h[5]);
	return out;
}

void ga_ovs_flows(const struct ga_ovs_port *p, int64_t ofport, struct ga_str *out)
{
	char cookie[GA_COOKIE_SIZE];

	ga_ovs_cookie(p->allocation, cookie);
	ga_str_clear(out);
	ga_str_addf(out,
		    "cookie=%s,priority=200,in_port=%" PRId64
		    ",arp,dl_src=%s,arp_sha=%s,arp_spa=%s,"
		    "actions=LOCAL\n",
		    cookie, ofport, p->mac, p->mac, p->ip);
	ga_str_addf(out,
		    "cookie=%s,priority=200,in_port=%" PRId64 ",udp,dl_src=%s,nw_src=0.0.0.0,"
		    "tp_src=68,tp_dst=67,actions=LOCAL\n",
		    cookie, ofport, p->mac);
	ga_str_addf(out,
		    "cookie=%s,priority=200,in_port=%" PRId64 ",ip,dl_src=%s,nw_src=%s,"
		    "actions=LOCAL\n",
		    cookie, ofport, p->mac, p->ip);
	ga_str_addf(out, "cookie=%s,priority=100,in_port=%" PRId64 ",actions=drop\n", cookie,
		    ofport);
	ga_str_addf(out,
		    "cookie=%s,priority=200,in_port=LOCAL,dl_dst=%s,actions=output:%" PRId64 "\n",
		    cookie, p->mac, ofport);
}

static int vsctl(const char *const *argv, struct ga_proc_result *out, struct ga_err *err)
{
	const struct ga_proc p = { .argv = argv, .timeout_micros = INT64_C(15000000) };

	return ga_proc_run(&p, out, err);
}

int ga_ovs_has_bridge(const char *bridge, struct ga_err *err)
{
	const char *argv[] = { "ovs-vsctl", "--timeout=10", "br-exists", bridge, NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	if (vsctl(argv, &out, err) < 0)
		return -1;
	if (out.status == 0 || out.status == 2) /* 2: there is none (ovs-vsctl(8)) */
		return !out.status;
	return ga_fail_for(err, GA_EXTERNAL, "ovs", "Open vSwitch does not answer: %.200s",
			   out.err.buf);
}

/* The port's number; 0 while it has none. */
static int64_t ofport(const char *port, struct ga_err *err)
{
	const char *argv[] = { "ovs-vsctl", "--timeout=10", "--if-exists", "get", "Interface", port,
			       "ofport", NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	int64_t n;

	if (vsctl(argv, &out, err) < 0)
		return -1;
	while (out.out.len && out.out.buf[out.out.len - 1] == '\n')
		out.out.buf[--out.out.len] = '\0';
	return ga_int_parse(out.out.buf, "ofport", 1, 65279, &n, &ignored) < 0 ? 0 : n;
}

static int add_flows(const struct ga_ovs_port *p, int64_t number, struct ga_err *err)
{
	const char *argv[] = { "ovs-ofctl", "--bundle", "add-flows", p->bridge, "-", NULL };
	ga_autostr struct ga_str flows = GA_STR_INIT;
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	ga_ovs_flows(p, number, &flows);
	return ga_proc_check(&(const struct ga_proc){ .argv = argv, .input = flows.buf,
						      .input_len = flows.len },
			     &out, err);
}

int64_t ga_ovs_count_flows(const char *bridge, const char *cookie, struct ga_err *err)
{
	ga_autofree char *match = ga_xprintf("cookie=%s/-1", cookie);
	const char *argv[] = { "ovs-ofctl", "dump-flows", bridge, match, NULL };
	const struct ga_proc p = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	const char *at;
	int64_t n = 0;

	if (ga_proc_check(&p, &out, err) < 0)
		return -1;
	for (at = out.out.buf; (at = strstr(at, "cookie=")); at++)
		n++;
	return n;
}

int ga_ovs_protect(const struct ga_ovs_port *p, struct ga_err *err)
{
	int64_t deadline = ga_clock_mono_micros() + PORT_MICROS, number, n;
	char cookie[GA_COOKIE_SIZE];

	while (!(number = ofport(p->port, err)))
		if (!ga_clock_wait(deadline, 100000))
			return ga_fail_for(err, GA_EXTERNAL, "port_missing",
					   "port '%s' did not appear on bridge '%s'", p->port,
					   p->bridge);
	ga_ovs_cookie(p->allocation, cookie);
	if (number < 0 || ga_ovs_remove_flows(p->bridge, cookie, err) < 0 ||
	    add_flows(p, number, err) < 0)
		return -1;
	n = ga_ovs_count_flows(p->bridge, cookie, err);
	if (n < 0)
		return -1;
	return n == GA_OVS_FLOWS
		       ? 0
		       : ga_fail_for(err, GA_EXTERNAL, "flows_missing",
				     "bridge '%s' has %" PRId64 " of %d flows of port '%s'",
				     p->bridge, n, GA_OVS_FLOWS, p->port);
}

int ga_ovs_remove_flows(const char *bridge, const char *cookie, struct ga_err *err)
{
	ga_autofree char *match = ga_xprintf("cookie=%s/-1", cookie);
	const char *argv[] = { "ovs-ofctl", "del-flows", bridge, match, NULL };
	const struct ga_proc p = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	return ga_proc_check(&p, &out, err);
}

int ga_ovs_remove_port(const char *bridge, const char *port, struct ga_err *err)
{
	const char *argv[] = { "ovs-vsctl", "--timeout=10", "--if-exists", "del-port", bridge, port,
			       NULL };
	const struct ga_proc p = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	return ga_proc_check(&p, &out, err);
}
