/* SPDX-License-Identifier: Apache-2.0 */
/* The table "ip gpuaas": written by nft -f -, read back by look/net/rules.c. */
#include "act/device/nat.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/proc.h"
#include "look/sys.h"
#include "record/id.h"
#include "record/mac.h"

#define SOCKETS_MAX (16 << 20)

/* ---- the table ---- */

/* Whether the name is a valid name of one interface, which nft cannot read as several (a trailing
 * "*"). */
static bool is_interface(const char *name)
{
	size_t n = name ? strlen(name) : 0;

	return n && n < 16 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
		       n;
}

/*
 * Rules are flushed, sets are kept. B is the bridge, N the network, G the gateway. Errors that
 * belong to a connection (related) pass, so that path MTU discovery works; a connection from
 * outside passes only as long as its port is published.
 */
static const char ruleset[] =
	"add table ip gpuaas\n"
	"add map ip gpuaas ingress "
	"{ type inet_proto . inet_service : ipv4_addr . inet_service; }\n"
	"add set ip gpuaas published { type inet_proto . ipv4_addr . inet_service; }\n"
	"add chain ip gpuaas prerouting "
	"{ type nat hook prerouting priority -100; policy accept; }\n"
	"add chain ip gpuaas postrouting "
	"{ type nat hook postrouting priority 100; policy accept; }\n"
	"add chain ip gpuaas forward { type filter hook forward priority 0; policy accept; }\n"
	"add chain ip gpuaas input { type filter hook input priority 0; policy accept; }\n"
	"flush table ip gpuaas\n"
	"add rule ip gpuaas prerouting iifname != @B fib daddr type local "
	"dnat ip to meta l4proto . th dport map @@ingress\n"
	"add rule ip gpuaas postrouting ip saddr @N oifname != @B masquerade\n"
	"add rule ip gpuaas forward iifname @B oifname @B counter drop\n"
	"add rule ip gpuaas forward iifname @B ip saddr != @N counter drop\n"
	"add rule ip gpuaas forward iifname @B ip daddr 169.254.0.0/16 counter drop\n"
	"add rule ip gpuaas forward iifname @B accept\n"
	"add rule ip gpuaas forward oifname @B ct state related accept\n"
	"add rule ip gpuaas forward oifname @B ct direction original ct status dnat "
	"meta l4proto . ip daddr . th dport @@published accept\n"
	"add rule ip gpuaas forward oifname @B ct direction reply ct state established accept\n"
	"add rule ip gpuaas forward oifname @B counter drop\n"
	"add rule ip gpuaas input iifname @B ct state established,related accept\n"
	"add rule ip gpuaas input iifname @B udp sport 68 udp dport 67 accept\n"
	"add rule ip gpuaas input iifname @B ip daddr @G meta l4proto { tcp, udp } th dport 53 "
	"accept\n"
	"add rule ip gpuaas input iifname @B icmp type echo-request accept\n"
	"add rule ip gpuaas input iifname @B counter drop\n";

int ga_nat_ruleset(const struct ga_network *n, struct ga_str *out, struct ga_err *err)
{
	ga_autofree char *network = ga_net_network(n->gateway, n->prefix_bits);

	ga_str_clear(out);
	if (!is_interface(n->bridge) || !network)
		return ga_fail(err, GA_HOST, "the private network lacks bridge, gateway or prefix");
	for (const char *p = ruleset; *p; p++) {
		if (*p != '@') {
			ga_str_addc(out, *p);
			continue;
		}
		switch (*++p) {
		case 'B':
			ga_str_addf(out, "\"%s\"", n->bridge);
			break;
		case 'N':
			ga_str_add(out, network);
			break;
		case 'G':
			ga_str_add(out, n->gateway);
			break;
		default: /* "@@" */
			ga_str_addc(out, '@');
		}
	}
	return 0;
}

/* what: the end of "nft could not …". */
static int run_nft(const struct ga_str *text, const char *what, struct ga_err *err)
{
	static const char *const argv[] = { "nft", "-f", "-", NULL };
	const struct ga_proc p = { .argv = argv, .input = text->buf, .input_len = text->len };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	if (ga_proc_run(&p, &out, err) < 0)
		return ga_hint(err, "apt install nftables");
	if (!out.status)
		return 0;
	return ga_refuse(err, GA_EXTERNAL, "nft", NULL,
			 ("nft could not %s: %.*s", what, (int)strcspn(out.err.buf, "\n"),
			  out.err.buf),
			 ("look at it with 'nft list table ip gpuaas'; the table is gpuaas's "
			  "alone: 'nft delete table ip gpuaas', then run this again"));
}

int ga_nat_setup(const struct ga_network *n, struct ga_err *err)
{
	ga_autofree char *network = ga_net_network(n->gateway, n->prefix_bits);
	ga_autorules struct ga_net_rules rules = { 0 };
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (ga_nat_ruleset(n, &text, err) < 0 ||
	    run_nft(&text, "set the table 'ip gpuaas' up", err) < 0 ||
	    ga_net_rules_read(n->bridge, network, &rules, err) < 0)
		return -1;
	if (ga_net_rules_stand(&rules))
		return 0;
	ga_net_rules_lack(&rules, &text);
	return ga_fail_for(err, GA_EXTERNAL, "nft", "the table was set up and is not complete: %s",
			   text.buf);
}

/* "add" first: then deleting is no error in any version of nft. */
int ga_nat_remove(struct ga_err *err)
{
	static char text[] = "add table ip gpuaas\ndelete table ip gpuaas\n";
	const struct ga_str input = { .buf = text, .len = sizeof(text) - 1 };

	return run_nft(&input, "remove the table 'ip gpuaas'", err);
}

/* ---- published ports ---- */

void ga_nat_publish_text(const struct ga_net_ingress *i, struct ga_str *out)
{
	ga_str_clear(out);
	ga_str_addf(out,
		    "add element ip gpuaas ingress "
		    "{ %s . %" PRId64 " comment \"%s\" : %s . %" PRId64 " }\n",
		    i->proto, i->port, i->allocation, i->address, i->to_port);
	ga_str_addf(out, "add element ip gpuaas published { %s . %s . %" PRId64 " }\n", i->proto,
		    i->address, i->to_port);
}

void ga_nat_unpublish_text(const struct ga_net_ingress *i, bool with_target, struct ga_str *out)
{
	ga_str_clear(out);
	ga_str_addf(out, "delete element ip gpuaas ingress { %s . %" PRId64 " }\n", i->proto,
		    i->port);
	if (!with_target)
		return;
	/* Add it first: otherwise a missing element would be an error, and the port would stay
	 * open. */
	ga_str_addf(out, "add element ip gpuaas published { %s . %s . %" PRId64 " }\n", i->proto,
		    i->address, i->to_port);
	ga_str_addf(out, "delete element ip gpuaas published { %s . %s . %" PRId64 " }\n", i->proto,
		    i->address, i->to_port);
}

/* Rows of /proc/net/tcp: "0: 0100007F:0016 00000000:0000 0A …": address:port in hex, the peer's,
 * the state; 0A is LISTEN. A UDP socket without a peer receives from everybody. */
bool ga_nat_is_listening(const char *sockets, bool tcp, int64_t port)
{
	for (const char *line = sockets; line && *line; line = strchr(line, '\n')) {
		unsigned int local, peer, state;

		line += *line == '\n';
		if (sscanf(line, " %*u: %*32[0-9A-F]:%4x %*32[0-9A-F]:%4x %2x", &local, &peer,
			   &state) == 3 &&
		    local == (unsigned int)port && (tcp ? state == 0x0a : peer == 0))
			return true;
	}
	return false;
}

static int refuse_if_listening(const struct ga_net_ingress *i, struct ga_err *err)
{
	bool tcp = ga_streq(i->proto, "tcp");
	const char *paths[] = { tcp ? "/proc/net/tcp" : "/proc/net/udp",
				tcp ? "/proc/net/tcp6" : "/proc/net/udp6" };

	for (size_t k = 0; k < GA_ARRAY_SIZE(paths); k++) {
		ga_autostr struct ga_str text = GA_STR_INIT;
		struct ga_err why = GA_ERR_INIT;

		if (ga_file_read(paths[k], SOCKETS_MAX, &text, &why) < 0) {
			if (k) /* a kernel without IPv6 has no such file */
				continue;
			return ga_fail(err, why.code, "%s", why.msg);
		}
		if (!ga_nat_is_listening(text.buf, tcp, i->port))
			continue;
		return ga_refuse(err, GA_CONFLICT, "port_taken", NULL,
				 ("the host itself listens on %s/%" PRId64, i->proto, i->port),
				 ("use another port, or stop what 'ss -ln%cp sport = :%" PRId64 "' "
				  "shows", tcp ? 't' : 'u', i->port));
	}
	return 0;
}

static bool is_port(int64_t port)
{
	return port >= 1 && port <= 65535;
}

/* Checks each part that goes into nft's text. */
static int check_whole(const struct ga_net_ingress *i, bool with_target, struct ga_err *err)
{
	uint32_t ip;

	if ((!ga_streq(i->proto, "tcp") && !ga_streq(i->proto, "udp")) || !is_port(i->port))
		return ga_fail(err, GA_USAGE, "a published port is tcp or udp, 1 to 65535");
	if (!i->allocation || !ga_id_is_valid(i->allocation))
		return ga_fail(err, GA_USAGE, "a published port belongs to an allocation");
	if (!with_target)
		return 0;
	if (!is_port(i->to_port))
		return ga_fail(err, GA_USAGE, "port %" PRId64 " of a slice is not 1 to 65535",
			       i->to_port);
	return i->address ? ga_ip_parse(i->address, &ip, err) :
			    ga_fail(err, GA_USAGE, "a published port leads to an address");
}

static const struct ga_net_ingress *find(const struct ga_net_rules *r, const char *proto,
					 int64_t port)
{
	for (size_t k = 0; k < r->ingress.n; k++)
		if (ga_streq(r->ingress.v[k].proto, proto) && r->ingress.v[k].port == port)
			return &r->ingress.v[k];
	return NULL;
}

static bool leads_to(const struct ga_net_ingress *a, const struct ga_net_ingress *b)
{
	return ga_streq(a->proto, b->proto) && ga_streq(a->address, b->address) &&
	       a->to_port == b->to_port;
}

static int change(const struct ga_str *text, const struct ga_net_ingress *i, const char *what,
		  struct ga_err *err)
{
	ga_autofree char *words = ga_xprintf("%s %s/%" PRId64, what, i->proto, i->port);

	return run_nft(text, words, err);
}

int ga_nat_publish(const struct ga_net_ingress *i, struct ga_err *err)
{
	ga_autorules struct ga_net_rules rules = { 0 };
	ga_autostr struct ga_str text = GA_STR_INIT;
	const struct ga_net_ingress *old;

	if (check_whole(i, true, err) < 0 || ga_net_rules_read(NULL, NULL, &rules, err) < 0)
		return -1;
	if (!rules.table)
		return ga_refuse(err, GA_HOST, "nat_missing", NULL,
				 ("there is no table 'ip gpuaas'"),
				 ("gpuaas-reconcile --repair sets it up"));
	old = find(&rules, i->proto, i->port);
	if (old && (!leads_to(old, i) || !ga_streq(old->allocation, i->allocation)))
		return ga_fail_for(err, GA_CONFLICT, "port_taken",
				   "port %s/%" PRId64 " leads to %s port %" PRId64
				   " of allocation '%s' already",
				   i->proto, i->port, old->address, old->to_port,
				   old->allocation ? old->allocation : "(unknown)");
	if (old && old->passes)
		return 0;
	if (refuse_if_listening(i, err) < 0)
		return -1;
	ga_nat_publish_text(i, &text);
	return change(&text, i, "publish", err);
}

int ga_nat_unpublish(const struct ga_net_ingress *i, struct ga_err *err)
{
	ga_autorules struct ga_net_rules rules = { 0 };
	ga_autostr struct ga_str text = GA_STR_INIT;
	const struct ga_net_ingress *old;
	bool last = true;

	if (check_whole(i, false, err) < 0 || ga_net_rules_read(NULL, NULL, &rules, err) < 0)
		return -1;
	old = find(&rules, i->proto, i->port);
	if (!old || !ga_streq(old->allocation, i->allocation))
		return 0;
	for (size_t k = 0; k < rules.ingress.n; k++)
		last &= &rules.ingress.v[k] == old || !leads_to(&rules.ingress.v[k], old);
	ga_nat_unpublish_text(old, last, &text);
	return change(&text, i, "close", err) < 0 ? -1 : 1;
}

/* ---- connections ---- */

#define FORGET_RUNS 100

/*
 * Removes the connections of one side of the address: 1 there were some, 0 none.
 *
 * conntrack -D lists the entries first and then removes them one by one. When an entry has expired
 * in between, conntrack prints "such conntrack doesn't exist", ends with status 1 and leaves the
 * other entries: then it runs again, and finds fewer entries each time. It also ends with status 1
 * when there was nothing to remove; then it prints "0 flow entries".
 */
static int forget(const char *side, const char *ip, struct ga_err *err)
{
	const char *argv[] = { "conntrack", "-D", side, ip, NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	int had_some = 0;

	for (int left = FORGET_RUNS; left > 0; left--) {
		ga_proc_result_release(&out);
		if (ga_proc_run(&(const struct ga_proc){ .argv = argv }, &out, err) < 0)
			return -1;
		if (out.status == 0)
			return 1;
		if (strstr(out.err.buf, ": 0 flow entries"))
			return had_some;
		if (!strstr(out.err.buf, "such conntrack doesn't exist"))
			break;
		had_some = 1;
	}
	return ga_fail(err, GA_EXTERNAL, "the connections of %s cannot be removed: %.*s", ip,
		       (int)strcspn(out.err.buf, "\n"), out.err.buf);
}

int ga_nat_forget(const char *ip, struct ga_err *err)
{
	int from, to;

	if (!ga_sys_has_program("conntrack"))
		return ga_refuse(err, GA_HOST, "conntrack_missing", NULL,
				 ("the connections of %s cannot be removed: conntrack is not "
				  "installed", ip),
				 ("apt install conntrack"));
	from = forget("--orig-src", ip, err);
	to = from < 0 ? -1 : forget("--reply-src", ip, err);
	return to < 0 ? -1 : from || to;
}
