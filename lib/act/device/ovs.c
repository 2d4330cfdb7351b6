/* SPDX-License-Identifier: Apache-2.0 */
/* Ports and flows of slices. */
#include "act/device/ovs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/clock.h"
#include "base/proc.h"
#include "record/digest.h"
#include "record/mac.h"
#include "record/size.h"

#define PORT_MICROS (10 * GA_SECOND)

char *ga_ovs_cookie(const char *allocation, char out[GA_COOKIE_SIZE])
{
	unsigned char h[GA_SHA256_BYTES];

	ga_sha256(allocation, strlen(allocation), h);
	snprintf(out, GA_COOKIE_SIZE, "0x6761%02x%02x%02x%02x%02x%02x", h[0], h[1], h[2], h[3],
		 h[4], h[5]);
	return out;
}

/* ---- the flows ---- */

static void add(struct ga_str *out, const char *cookie, const char *fmt, ...) GA_PRINTF(3, 4);

static void add(struct ga_str *out, const char *cookie, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ga_str_addf(out, "cookie=%s,%s\n", cookie, text);
}

/* "own" below means: untagged (vlan_tci=0) and from the guest's own MAC. */
static void add_sends(const struct ga_ovs_port *p, const char *cookie, const char *own,
		      struct ga_str *out)
{
	add(out, cookie, "priority=230,%s,arp,arp_sha=%s,arp_spa=%s,actions=LOCAL", own, p->mac,
	    p->ip);
	add(out, cookie,
	    "priority=230,%s,udp,nw_src=0.0.0.0,nw_dst=255.255.255.255,tp_src=68,tp_dst=67,"
	    "actions=LOCAL", own);
	/* A client that renews late sends to everybody from its address (RFC 2131, rebinding). */
	add(out, cookie,
	    "priority=230,%s,udp,nw_src=%s,nw_dst=255.255.255.255,tp_src=68,tp_dst=67,"
	    "actions=LOCAL", own, p->ip);
	if (p->gateway)
		add(out, cookie, "priority=230,%s,ip,nw_src=%s,nw_dst=%s,actions=LOCAL", own, p->ip,
		    p->gateway);
	add(out, cookie, "priority=200,%s,ip,nw_src=%s,actions=LOCAL", own, p->ip);
}

static void add_drops(const struct ga_ovs_port *p, const char *cookie, int64_t ofport,
		      struct ga_str *out)
{
	static const char *const nowhere[] = { "169.254.0.0/16", "224.0.0.0/3" };

	if (p->network)
		add(out, cookie, "priority=220,in_port=%" PRId64 ",ip,nw_dst=%s,actions=drop",
		    ofport, p->network);
	for (size_t i = 0; i < GA_ARRAY_SIZE(nowhere); i++)
		add(out, cookie, "priority=220,in_port=%" PRId64 ",ip,nw_dst=%s,actions=drop",
		    ofport, nowhere[i]);
	add(out, cookie, "priority=100,in_port=%" PRId64 ",actions=drop", ofport);
}

static int64_t count(const char *text, const char *word)
{
	int64_t n = 0;

	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

int ga_ovs_flows(const struct ga_ovs_port *p, int64_t ofport, struct ga_str *out)
{
	ga_autofree char *own = ga_xprintf("in_port=%" PRId64 ",vlan_tci=0x0000,dl_src=%s", ofport,
					   p->mac);
	char cookie[GA_COOKIE_SIZE];

	ga_ovs_cookie(p->allocation, cookie);
	ga_str_clear(out);
	add_sends(p, cookie, own, out);
	add_drops(p, cookie, ofport, out);
	add(out, cookie, "priority=200,in_port=LOCAL,dl_dst=%s,actions=output:%" PRId64, p->mac,
	    ofport);
	add(out, cookie,
	    "priority=200,in_port=LOCAL,arp,dl_dst=ff:ff:ff:ff:ff:ff,arp_tpa=%s,"
	    "actions=output:%" PRId64, p->ip, ofport);
	return (int)count(out->buf, "\n");
}

/* How many flows of the dump have the cookie, and of these the word. */
static int64_t count_lines(const char *dump, const char *cookie, const char *word)
{
	ga_autofree char *copy = ga_xstrdup(dump), *mine = ga_xprintf("cookie=%s,", cookie);
	size_t len = word ? strlen(word) : 0;
	char *rest = copy, *line;
	int64_t n = 0;

	while ((line = strsep(&rest, "\n"))) {
		const char *at = strstr(line, mine);

		/* The word ends there: in_port=1 is not in_port=12. */
		while (at && word && (at = strstr(at, word)) && at[len] >= '0' && at[len] <= '9')
			at++;
		n += at != NULL;
	}
	return n;
}

bool ga_ovs_flows_stand(const struct ga_ovs_port *p, int64_t ofport, const char *dump)
{
	ga_autofree char *in = ga_xprintf("in_port=%" PRId64, ofport);
	ga_autofree char *out = ga_xprintf("output:%" PRId64, ofport);
	ga_autostr struct ga_str flows = GA_STR_INIT;
	char cookie[GA_COOKIE_SIZE];
	int n = ga_ovs_flows(p, ofport, &flows);

	ga_ovs_cookie(p->allocation, cookie);
	return ofport > 0 && count_lines(dump, cookie, NULL) == n &&
	       count_lines(dump, cookie, in) == count_lines(flows.buf, cookie, in) &&
	       count_lines(dump, cookie, out) == count_lines(flows.buf, cookie, out);
}

/* ---- the programs ---- */

int ga_ovs_has_bridge(const char *bridge, struct ga_err *err)
{
	const char *argv[] = { "ovs-vsctl", "--timeout=10", "br-exists", bridge, NULL };
	const struct ga_proc p = { .argv = argv, .timeout_micros = 15 * GA_SECOND };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	if (ga_proc_run(&p, &out, err) < 0)
		return -1;
	if (out.status == 0 || out.status == 2) /* 2: there is none (ovs-vsctl(8)) */
		return !out.status;
	return ga_fail_for(err, GA_EXTERNAL, "ovs", "Open vSwitch does not answer: %.200s",
			   out.err.buf);
}

/* The output of ovs-vsctl, without quotes and the newline. */
static int ask(const char *const *argv, struct ga_str *ret, struct ga_err *err)
{
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	const struct ga_proc p = { .argv = argv, .timeout_micros = 15 * GA_SECOND };

	if (ga_proc_check(&p, &out, err) < 0)
		return -1;
	ga_str_clear(ret);
	for (const char *c = out.out.buf; *c && *c != '\n'; c++)
		if (*c != '"')
			ga_str_addc(ret, *c);
	return 0;
}

static int ask_number(const char *port, struct ga_str *ret, struct ga_err *err)
{
	const char *argv[] = { "ovs-vsctl", "--timeout=10", "--if-exists", "get", "Interface", port,
			       "ofport", NULL };

	return ask(argv, ret, err);
}

int64_t ga_ovs_port_number(const char *port, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	int64_t n;

	if (ask_number(port, &text, err) < 0)
		return -1;
	return ga_int_parse(text.buf, "ofport", 1, 65279, &n, &ignored) < 0 ? 0 : n;
}

int ga_ovs_port_is_dead(const char *port, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;

	return ask_number(port, &text, err) < 0 ? -1 : ga_streq(text.buf, "-1");
}

/* Changes all flows or none. */
static int change_flows(const char *bridge, const struct ga_str *flows, struct ga_err *err)
{
	const char *argv[] = { "ovs-ofctl", "--bundle", "add-flows", bridge, "-", NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	return ga_proc_check(&(const struct ga_proc){ .argv = argv, .input = flows->buf,
						      .input_len = flows->len },
			     &out, err);
}

static int dump_flows(const char *bridge, const char *cookie, struct ga_proc_result *out,
		      struct ga_err *err)
{
	ga_autofree char *match = ga_xprintf("cookie=%s/-1", cookie);
	const char *argv[] = { "ovs-ofctl", "--no-names", "dump-flows", bridge, match, NULL };

	return ga_proc_check(&(const struct ga_proc){ .argv = argv }, out, err);
}

int64_t ga_ovs_count_flows(const char *bridge, const char *cookie, struct ga_err *err)
{
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	return dump_flows(bridge, cookie, &out, err) < 0 ? -1 : count(out.out.buf, "cookie=");
}

int ga_ovs_protect(const struct ga_ovs_port *p, struct ga_err *err)
{
	int64_t deadline = ga_clock_mono_micros() + PORT_MICROS, number;
	ga_autoproc struct ga_proc_result dump = GA_PROC_RESULT_INIT;
	ga_autostr struct ga_str flows = GA_STR_INIT, change = GA_STR_INIT;
	char cookie[GA_COOKIE_SIZE];

	while (!(number = ga_ovs_port_number(p->port, err)))
		if (!ga_clock_wait(deadline, 100000))
			return ga_fail_for(err, GA_EXTERNAL, "port_missing",
					   "port '%s' did not appear on bridge '%s'", p->port,
					   p->bridge);
	if (number < 0)
		return -1;
	ga_ovs_cookie(p->allocation, cookie);
	ga_ovs_flows(p, number, &flows);
	ga_str_addf(&change, "delete cookie=%s/-1\n%s", cookie, flows.buf);
	if (change_flows(p->bridge, &change, err) < 0 ||
	    dump_flows(p->bridge, cookie, &dump, err) < 0)
		return -1;
	return ga_ovs_flows_stand(p, number, dump.out.buf) ?
		       0 :
		       ga_fail_for(err, GA_EXTERNAL, "flows_missing",
				   "bridge '%s' lacks flows of port '%s' that it was given",
				   p->bridge, p->port);
}

int ga_ovs_remove_flows(const char *bridge, const char *cookie, struct ga_err *err)
{
	ga_autofree char *match = ga_xprintf("cookie=%s/-1", cookie);
	const char *argv[] = { "ovs-ofctl", "del-flows", bridge, match, NULL };
	const struct ga_proc p = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	return ga_proc_check(&p, &out, err);
}

int ga_ovs_add_port(const struct ga_ovs_port *p, const char *interface_id, struct ga_err *err)
{
	ga_autofree char *mac = ga_xprintf("external-ids:attached-mac=\"%s\"", p->mac);
	ga_autofree char *id = ga_xprintf("external-ids:iface-id=\"%s\"", interface_id);
	const char *argv[] = { "ovs-vsctl", "--timeout=10", "--may-exist", "add-port", p->bridge,
			       p->port, "--", "set", "Interface", p->port, mac, id,
			       "external-ids:iface-status=active", NULL };
	const struct ga_proc run = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	return ga_proc_check(&run, &out, err);
}

int ga_ovs_remove_port(const char *bridge, const char *port, struct ga_err *err)
{
	const char *argv[] = { "ovs-vsctl", "--timeout=10", "--if-exists", "del-port", bridge, port,
			       NULL };
	const struct ga_proc p = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	return ga_proc_check(&p, &out, err);
}

/* ---- the bridge ---- */

/* Fixes the bridge's MAC. Otherwise it is the lowest MAC of the ports, and a change makes the
 * guests' ARP caches wrong. */
static int pin_mac(const char *bridge, struct ga_err *err)
{
	const char *get[] = { "ovs-vsctl", "--timeout=10", "--if-exists", "get", "Bridge", bridge,
			      "other-config:hwaddr", NULL };
	const char *now[] = { "ovs-vsctl", "--timeout=10", "get", "Interface", bridge,
			      "mac_in_use", NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	ga_autostr struct ga_str mac = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	ga_autofree char *setting = NULL;
	char parsed[GA_MAC_SIZE];

	if (ask(get, &mac, err) < 0)
		return -1;
	if (mac.len)
		return 0;
	if (ask(now, &mac, err) < 0)
		return -1;
	if (ga_mac_parse(mac.buf, parsed, &ignored) < 0)
		return 0; /* it has none yet: nothing to keep */
	setting = ga_xprintf("other-config:hwaddr=\"%s\"", parsed);
	const char *set[] = { "ovs-vsctl", "--timeout=10", "set", "Bridge", bridge, setting, NULL };

	return ga_proc_check(&(const struct ga_proc){ .argv = set }, &out, err);
}

int ga_ovs_setup_bridge(const char *bridge, struct ga_err *err)
{
	const char *argv[] = { "ovs-vsctl", "--timeout=10", "set-fail-mode", bridge, "secure",
			       NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	ga_autostr struct ga_str flows = GA_STR_INIT;

	if (ga_proc_check(&(const struct ga_proc){ .argv = argv }, &out, err) < 0 ||
	    pin_mac(bridge, err) < 0)
		return -1;
	/* The only broadcast of the host: a DHCP answer to a client that has no address yet. */
	ga_str_add(&flows, "cookie=" GA_OVS_BRIDGE_COOKIE
			   ",priority=150,in_port=LOCAL,udp,dl_dst=ff:ff:ff:ff:ff:ff,tp_src=67,"
			   "tp_dst=68,actions=FLOOD\n");
	return change_flows(bridge, &flows, err);
}

int ga_ovs_is_closed(const char *bridge, struct ga_err *err)
{
	const char *argv[] = { "ovs-vsctl", "--timeout=10", "get-fail-mode", bridge, NULL };
	ga_autostr struct ga_str mode = GA_STR_INIT;
	int64_t n;

	if (ask(argv, &mode, err) < 0)
		return -1;
	if (!ga_streq(mode.buf, "secure"))
		return 0;
	n = ga_ovs_count_flows(bridge, GA_OVS_BRIDGE_COOKIE, err);
	return n < 0 ? -1 : n > 0;
}
