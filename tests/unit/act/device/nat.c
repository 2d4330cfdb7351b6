/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table "ip gpuaas": its text; the parser of nft's JSON, on output of nft 1.0.6 and on changed
 * rules; and, as root with nft, the kernel's answer in a network namespace of its own.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/device/nat.h"
#include "base/file.h"
#include "base/proc.h"
#include "t.h"

static char bridge[] = "ovsbr0", gateway[] = "10.100.0.1", tcp[] = "tcp", address[] = "10.100.0.10";
static char allocation[] = "aaaaaaaa";
static struct ga_network network = { .bridge = bridge, .gateway = gateway, .prefix_bits = 24 };
static const struct ga_net_ingress web = { .proto = tcp, .port = 8080, .address = address,
					   .to_port = 80, .allocation = allocation };

/* ---- the text ---- */

static void ruleset(void)
{
	static const struct {
		const char *name;
		const char *bridge, *gateway;
		int64_t bits;
		bool good;
	} rows[] = {
		{ "a network", "ovsbr0", "10.100.0.1", 24, true },
		{ "no bridge", NULL, "10.100.0.1", 24, false },
		{ "an empty name", "", "10.100.0.1", 24, false },
		{ "a pattern is no interface", "ovs*", "10.100.0.1", 24, false },
		{ "a quote is no interface", "o\" drop; #", "10.100.0.1", 24, false },
		{ "a name of 16", "abcdefghijklmnop", "10.100.0.1", 24, false },
		{ "no gateway", "ovsbr0", NULL, 24, false },
		{ "no address", "ovsbr0", "10.100.0.1; drop", 24, false },
		{ "no prefix", "ovsbr0", "10.100.0.1", GA_UNKNOWN, false },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autofree char *b = ga_strdup0(rows[i].bridge), *g = ga_strdup0(rows[i].gateway);
		const struct ga_network n = { .bridge = b, .gateway = g,
					      .prefix_bits = rows[i].bits };
		ga_autostr struct ga_str out = GA_STR_INIT;
		struct ga_err err = GA_ERR_INIT;
		int r = ga_nat_ruleset(&n, &out, &err);

		t_ok(rows[i].good ? r == 0 : r < 0 && err.code == GA_HOST && !out.len,
		     "ruleset: %s", rows[i].name);
		if (rows[i].good)
			t_ok(strstr(out.buf, "saddr 10.100.0.0/24 oifname != \"ovsbr0\" masq") &&
				     strstr(out.buf, "map @ingress\n") && !strstr(out.buf, "@@"),
			     "ruleset: network and bridge are in it");
	}
}

static void texts(void)
{
	ga_autostr struct ga_str out = GA_STR_INIT;

	ga_nat_publish_text(&web, &out);
	t_str(out.buf,
	      "add element ip gpuaas ingress { tcp . 8080 comment \"aaaaaaaa\" : "
	      "10.100.0.10 . 80 }\n"
	      "add element ip gpuaas published { tcp . 10.100.0.10 . 80 }\n",
	      "publish");
	ga_nat_unpublish_text(&web, false, &out);
	t_str(out.buf, "delete element ip gpuaas ingress { tcp . 8080 }\n",
	      "unpublish one of two ports of a target");
	ga_nat_unpublish_text(&web, true, &out);
	t_ok(strstr(out.buf, "delete element ip gpuaas published { tcp . 10.100.0.10 . 80 }\n"),
	     "unpublish the last port of a target");
}

static void refusals(void)
{
	static char sctp[] = "sctp", bad[] = "a\" drop", name[] = "host";
	static const struct {
		const char *name;
		struct ga_net_ingress i;
	} rows[] = {
		{ "another protocol", { sctp, 80, address, 80, allocation, false } },
		{ "port 0", { tcp, 0, address, 80, allocation, false } },
		{ "port 65536", { tcp, 65536, address, 80, allocation, false } },
		{ "target port 0", { tcp, 80, address, 0, allocation, false } },
		{ "a name for an address", { tcp, 80, name, 80, allocation, false } },
		{ "no address", { tcp, 80, NULL, 80, allocation, false } },
		{ "no allocation", { tcp, 80, address, 80, NULL, false } },
		{ "an allocation with nft in it", { tcp, 80, address, 80, bad, false } },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_err err = GA_ERR_INIT;

		t_ok(ga_nat_publish(&rows[i].i, &err) < 0 && err.code != GA_OK &&
			     err.code != GA_DENIED && err.code != GA_EXTERNAL,
		     "refused before nft runs: %s", rows[i].name);
	}
}

static void sockets(void)
{
	static const char text[] =
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n"
		"   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000\n"
		"   1: 0100007F:1F90 0200007F:D431 01 00000000:00000000 00:00000000 00000000\n"
		"  12: 0000000000000000FFFF00000100007F:0050 00000000000000000000000000000000:0000 "
		"0A 0 0\n";

	t_ok(ga_nat_is_listening(text, true, 22), "port 22 listens");
	t_ok(!ga_nat_is_listening(text, true, 8080), "a connection from port 8080 does not listen");
	t_ok(ga_nat_is_listening(text, true, 80), "an IPv6 socket listens");
	t_ok(!ga_nat_is_listening(text, true, 2), "port 2 does not");
	t_ok(!ga_nat_is_listening(text, false, 8080), "UDP with a peer takes from it alone");
	t_ok(!ga_nat_is_listening("", true, 22), "no sockets at all");
}

/* ---- what nft says ---- */

#define IIF(op, name) \
	"{\"match\":{\"op\":\"" op \
	"\",\"left\":{\"meta\":{\"key\":\"iifname\"}},\"right\":\"" name "\"}}"
#define OIF(op, name) \
	"{\"match\":{\"op\":\"" op \
	"\",\"left\":{\"meta\":{\"key\":\"oifname\"}},\"right\":\"" name "\"}}"
#define SADDR(op, addr, len) \
	"{\"match\":{\"op\":\"" op "\",\"left\":{\"payload\":{\"protocol\":\"ip\"," \
	"\"field\":\"saddr\"}},\"right\":{\"prefix\":{\"addr\":\"" addr "\",\"len\":" #len "}}}}"
#define STATE \
	"{\"match\":{\"op\":\"in\",\"left\":{\"ct\":{\"key\":\"state\"}}," \
	"\"right\":[\"established\",\"related\"]}}"
#define DROP "{\"drop\":null}"
#define ACCEPT "{\"accept\":null}"
#define MASQ "{\"masquerade\":null}"
#define DNAT \
	"{\"dnat\":{\"family\":\"ip\",\"addr\":{\"map\":{\"key\":{\"concat\":[]}," \
	"\"data\":\"@ingress\"}}}}"
#define RULE(chain, expr) \
	",{\"rule\":{\"family\":\"ip\",\"table\":\"gpuaas\",\"chain\":\"" chain \
	"\",\"handle\":7,\"expr\":[" expr "]}}"
#define CHAIN(name) \
	",{\"chain\":{\"family\":\"ip\",\"table\":\"gpuaas\",\"name\":\"" name \
	"\",\"handle\":3,\"type\":\"x\",\"hook\":\"" name "\",\"prio\":0,\"policy\":\"accept\"}}"
#define HEAD \
	"{\"nftables\":[{\"metainfo\":{\"version\":\"1.0.6\",\"json_schema_version\":1}}," \
	"{\"table\":{\"family\":\"ip\",\"name\":\"gpuaas\",\"handle\":1}}" CHAIN("prerouting") \
		CHAIN("postrouting") CHAIN("forward") CHAIN("input")
#define TAIL "]}"

#define NAT_RULE \
	RULE("postrouting", SADDR("==", "10.100.0.0", 24) "," OIF("!=", "ovsbr0") "," MASQ)
#define DNAT_RULE RULE("prerouting", IIF("!=", "ovsbr0") "," DNAT)
#define ISOLATE RULE("forward", IIF("==", "ovsbr0") "," OIF("==", "ovsbr0") "," DROP)
#define LEAVE RULE("forward", IIF("==", "ovsbr0") "," ACCEPT)
#define REPLIES RULE("forward", OIF("==", "ovsbr0") "," STATE "," ACCEPT)
#define CLOSE RULE("forward", OIF("==", "ovsbr0") "," DROP)
#define GUARD RULE("input", IIF("==", "ovsbr0") "," DROP)

enum { NAT = 1, ISOLATED = 2, CLOSED = 4, GUARDED = 8, PUBLISHING = 16, ALL = 31 };

static void rules(void)
{
	static const struct {
		const char *name, *text;
		int stands;
	} rows[] = {
		{ "as set up",
		  HEAD NAT_RULE DNAT_RULE ISOLATE LEAVE REPLIES CLOSE GUARD TAIL, ALL },
		{ "an empty table", HEAD TAIL, 0 },
		{ "no source NAT", HEAD DNAT_RULE ISOLATE LEAVE REPLIES CLOSE GUARD TAIL,
		  ALL & ~NAT },
		{ "another network's NAT",
		  HEAD RULE("postrouting",
			    SADDR("==", "10.101.0.0", 24) "," OIF("!=", "ovsbr0") "," MASQ)
			  DNAT_RULE ISOLATE LEAVE CLOSE GUARD TAIL,
		  ALL & ~NAT },
		{ "half of the network's NAT",
		  HEAD RULE("postrouting",
			    SADDR("==", "10.100.0.0", 25) "," OIF("!=", "ovsbr0") "," MASQ)
			  DNAT_RULE ISOLATE LEAVE CLOSE GUARD TAIL,
		  ALL & ~NAT },
		{ "the bridge was renamed",
		  HEAD NAT_RULE DNAT_RULE RULE("forward", IIF("==", "br1") "," OIF("==", "br1")
							  "," DROP) TAIL,
		  NAT | PUBLISHING },
		{ "accepted before it is dropped", HEAD NAT_RULE LEAVE ISOLATE CLOSE GUARD TAIL,
		  NAT | CLOSED | GUARDED },
		{ "everything accepted first",
		  HEAD RULE("forward", ACCEPT) RULE("input", ACCEPT) ISOLATE CLOSE GUARD TAIL, 0 },
		{ "the drops count some only",
		  HEAD RULE("forward",
			    IIF("==", "ovsbr0") "," OIF("==", "ovsbr0") "," STATE "," DROP)
			  RULE("forward", OIF("==", "ovsbr0") "," SADDR("==", "10.100.0.0", 24) ","
				  DROP) RULE("input", STATE "," IIF("==", "ovsbr0") "," DROP) TAIL,
		  0 },
		{ "no published ports", HEAD NAT_RULE ISOLATE LEAVE CLOSE GUARD TAIL,
		  ALL & ~PUBLISHING },
		{ "a chain that no packet sees",
		  "{\"nftables\":[{\"chain\":{\"family\":\"ip\",\"table\":\"gpuaas\",\"name\":"
		  "\"forward\",\"handle\":3}}" ISOLATE CLOSE TAIL, 0 },
		{ "a chain of another table",
		  "{\"nftables\":[{\"chain\":{\"family\":\"ip6\",\"table\":\"gpuaas\",\"name\":"
		  "\"forward\",\"hook\":\"forward\"}}" ISOLATE CLOSE TAIL, 0 },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autorules struct ga_net_rules r = { 0 };
		struct ga_err err = GA_ERR_INIT;
		int stands;

		t_int(ga_net_rules_parse(rows[i].text, strlen(rows[i].text), "ovsbr0",
					 "10.100.0.0/24", &r, &err),
		      0, "rules: %s: read", rows[i].name);
		stands = (r.nat ? NAT : 0) | (r.isolated ? ISOLATED : 0) | (r.closed ? CLOSED : 0) |
			 (r.guarded ? GUARDED : 0) | (r.publishing ? PUBLISHING : 0);
		t_int(stands, rows[i].stands, "rules: %s", rows[i].name);
		t_ok(ga_net_rules_stand(&r) == (rows[i].stands == ALL), "rules: %s: all of it",
		     rows[i].name);
	}
}

#define ELEMENT(key, to) "[" key "," to "]"
#define KEY(proto, port) \
	"{\"elem\":{\"val\":{\"concat\":[" proto "," port "]},\"comment\":\"aaaaaaaa\"}}"
#define TO "{\"concat\":[\"10.100.0.10\",80]}"
#define MAP(elements) \
	",{\"map\":{\"family\":\"ip\",\"name\":\"ingress\",\"table\":\"gpuaas\",\"elem\":[" \
	elements "]}}"
#define SET \
	",{\"set\":{\"family\":\"ip\",\"name\":\"published\",\"table\":\"gpuaas\",\"elem\":[" \
	"{\"concat\":[\"tcp\",\"10.100.0.10\",80]}]}}"

static void elements(void)
{
	static const struct {
		const char *name, *text;
		size_t n;
		bool passes;
		const char *allocation;
	} rows[] = {
		{ "one", HEAD MAP(ELEMENT(KEY("\"tcp\"", "8080"), TO)) SET TAIL, 1, true,
		  "aaaaaaaa" },
		{ "led and not let through", HEAD MAP(ELEMENT(KEY("\"tcp\"", "8080"), TO)) TAIL, 1,
		  false, "aaaaaaaa" },
		{ "without a comment",
		  HEAD MAP(ELEMENT("{\"concat\":[\"tcp\",8080]}", TO)) SET TAIL, 1, true, NULL },
		{ "two",
		  HEAD MAP(ELEMENT(KEY("\"tcp\"", "8080"), TO) ","
			   ELEMENT(KEY("\"udp\"", "1"), TO)) SET TAIL,
		  2, true, "aaaaaaaa" },
		{ "another protocol", HEAD MAP(ELEMENT(KEY("\"sctp\"", "8080"), TO)) TAIL, 0, false,
		  NULL },
		{ "a port too large", HEAD MAP(ELEMENT(KEY("\"tcp\"", "65536"), TO)) TAIL, 0, false,
		  NULL },
		{ "a port that is text", HEAD MAP(ELEMENT(KEY("\"tcp\"", "\"http\""), TO)) TAIL, 0,
		  false, NULL },
		{ "no target", HEAD MAP("[" KEY("\"tcp\"", "8080") "]") TAIL, 0, false, NULL },
		{ "a target that is a name",
		  HEAD MAP(ELEMENT(KEY("\"tcp\"", "8080"), "{\"concat\":[\"host\",80]}")) TAIL, 0,
		  false, NULL },
		{ "elements that are none", HEAD MAP("1,null,\"x\",[],{},[[],[]]") TAIL, 0, false,
		  NULL },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autorules struct ga_net_rules r = { 0 };
		struct ga_err err = GA_ERR_INIT;

		t_int(ga_net_rules_parse(rows[i].text, strlen(rows[i].text), NULL, NULL, &r, &err),
		      0, "elements: %s: read", rows[i].name);
		t_int((int64_t)r.ingress.n, (int64_t)rows[i].n, "elements: %s", rows[i].name);
		if (!rows[i].n || !r.ingress.n)
			continue;
		t_ok(r.ingress.v[0].passes == rows[i].passes, "elements: %s: passes", rows[i].name);
		t_str(r.ingress.v[0].allocation, rows[i].allocation, "elements: %s: whose",
		      rows[i].name);
		t_str(r.ingress.v[0].address, "10.100.0.10", "elements: %s: where", rows[i].name);
	}
}

/* Rules of other tools for the question "is this network masqueraded?". */
static void source_nat(void)
{
	static const struct {
		const char *name, *text;
		int nat;
	} rows[] = {
		{ "ours", HEAD NAT_RULE TAIL, 1 },
		{ "none", HEAD ISOLATE TAIL, 0 },
		{ "everything", HEAD RULE("post", OIF("==", "eth0") "," MASQ) TAIL, 1 },
		{ "of iptables-nft",
		  HEAD RULE("POSTROUTING", OIF("==", "eth0") "," SADDR("==", "10.100.0.0", 24)
			    ",{\"counter\":{\"packets\":0,\"bytes\":0}},"
			    "{\"xt\":{\"type\":\"target\",\"name\":\"MASQUERADE\"}}") TAIL,
		  1 },
		{ "a larger network", HEAD RULE("post", SADDR("==", "10.0.0.0", 8) "," MASQ) TAIL,
		  1 },
		{ "all but this network",
		  HEAD RULE("post", SADDR("!=", "10.100.0.0", 24) "," MASQ) TAIL, 0 },
		{ "libvirt's, for another network",
		  HEAD RULE("post", SADDR("==", "192.168.122.0", 24)
			    ",{\"match\":{\"op\":\"!=\",\"left\":{\"payload\":{\"protocol\":\"ip\","
			    "\"field\":\"daddr\"}},\"right\":{\"prefix\":{\"addr\":"
			    "\"192.168.122.0\",\"len\":24}}}}," MASQ) TAIL,
		  0 },
		{ "TCP only",
		  HEAD RULE("post", "{\"match\":{\"op\":\"==\",\"left\":{\"meta\":{\"key\":"
			    "\"l4proto\"}},\"right\":\"tcp\"}}," MASQ) TAIL,
		  0 },
		{ "a set of networks",
		  HEAD RULE("post", "{\"match\":{\"op\":\"==\",\"left\":{\"payload\":{\"protocol\":"
			    "\"ip\",\"field\":\"saddr\"}},\"right\":{\"set\":[\"10.1.1.1\","
			    "{\"prefix\":{\"addr\":\"10.100.0.0\",\"len\":16}}]}}}," MASQ) TAIL,
		  1 },
		{ "a named set is not looked into",
		  HEAD RULE("post", "{\"match\":{\"op\":\"==\",\"left\":{\"payload\":{\"protocol\":"
			    "\"ip\",\"field\":\"saddr\"}},\"right\":\"@nets\"}}," MASQ) TAIL,
		  0 },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autostr struct ga_str evidence = GA_STR_INIT;
		struct ga_err err = GA_ERR_INIT;

		t_int(ga_net_nat_parse(rows[i].text, strlen(rows[i].text), "10.100.0.0/24",
				       &evidence, &err),
		      rows[i].nat, "source NAT: %s", rows[i].name);
	}
}

#define POLICY(family, table, hook, policy) \
	"{\"nftables\":[{\"chain\":{\"family\":\"" family "\",\"table\":\"" table \
	"\",\"name\":\"F\",\"hook\":\"" hook "\",\"policy\":\"" policy "\"}}]}"

/* Firewalls of the host that are in the way. */
static void firewalls(void)
{
	static const struct {
		const char *name, *text;
		int dropped;
	} rows[] = {
		{ "Docker's", POLICY("ip", "filter", "forward", "drop"), 1 },
		{ "of both families", POLICY("inet", "fw", "forward", "drop"), 1 },
		{ "of IPv6 alone", POLICY("ip6", "filter", "forward", "drop"), 0 },
		{ "accepts", POLICY("ip", "filter", "forward", "accept"), 0 },
		{ "of the host's own ports", POLICY("ip", "filter", "input", "drop"), 0 },
		{ "ours", HEAD CLOSE TAIL, 0 },
		{ "nothing", "{\"nftables\":[]}", 0 },
		{ "no JSON", "table ip filter", -1 },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autostr struct ga_str evidence = GA_STR_INIT;
		struct ga_err err = GA_ERR_INIT;

		t_int(ga_net_forward_parse(rows[i].text, strlen(rows[i].text), &evidence, &err),
		      rows[i].dropped, "firewall: %s", rows[i].name);
	}
}

/* Cut off anywhere, or with any byte another: read or refused, never a crash. */
static void hostile(void)
{
	static const char good[] = HEAD NAT_RULE DNAT_RULE ISOLATE LEAVE CLOSE GUARD MAP(
		ELEMENT(KEY("\"tcp\"", "8080"), TO)) SET TAIL;
	static const char *const rows[] = { "", "[]", "{}", "null", "{\"nftables\":{}}",
					    "{\"nftables\":1}", "\xff\xfe" };
	uint64_t seed = t_seed();
	int bad = 0;

	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_err err = GA_ERR_INIT;
		struct ga_net_rules r;
		int result = ga_net_rules_parse(rows[i], strlen(rows[i]), "ovsbr0",
						"10.100.0.0/24", &r, &err);

		t_code(result, &err, GA_BADREC, NULL, "hostile: row %zu is refused", i);
	}
	for (size_t n = 0; n < sizeof(good) - 1; n++) {
		ga_autorules struct ga_net_rules r = { 0 };
		struct ga_err err = GA_ERR_INIT;

		bad += ga_net_rules_parse(good, n, "ovsbr0", "10.100.0.0/24", &r, &err) == 0;
	}
	t_int(bad, 0, "hostile: no part of the text passes for the whole");
	for (int k = 0; k < 3000; k++) {
		ga_autofree char *text = ga_xstrdup(good);
		ga_autorules struct ga_net_rules r = { 0 };
		ga_autostr struct ga_str evidence = GA_STR_INIT;
		struct ga_err err = GA_ERR_INIT;

		text[t_random(&seed) % (sizeof(good) - 1)] = (char)(t_random(&seed) % 255 + 1);
		(void)ga_net_rules_parse(text, sizeof(good) - 1, "ovsbr0", "10.100.0.0/24", &r,
					 &err);
		(void)ga_net_nat_parse(text, sizeof(good) - 1, "10.100.0.0/24", &evidence, &err);
	}
	t_ok(true, "hostile: 3000 changed texts");
}

/* ---- connections ---- */

static char dir[64];

static void write_file(const char *name, unsigned int mode, const char *text)
{
	ga_autofree char *path = ga_xprintf("%s/%s", dir, name);
	struct ga_err err = GA_ERR_INIT;

	if (ga_file_replace(path, text, strlen(text), mode, &err) < 0) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
}

/* A conntrack whose runs answer with the words of the file answers, one after another; the last
 * goes on. Its output is that of conntrack 1.4.7. */
static void fake_conntrack(void)
{
	ga_autofree char *text = ga_xprintf(
		"#!/bin/sh\n"
		"cd '%s' || exit 3\n"
		"echo \"$*\" >> runs\n"
		"read -r answer rest < answers\n"
		"[ -z \"$rest\" ] || echo \"$rest\" > answers\n"
		"say() { echo \"conntrack v1.4.7 (conntrack-tools): $*\" >&2; }\n"
		"case $answer in\n"
		"some) say '2 flow entries have been deleted.' ;;\n"
		"none) say '0 flow entries have been deleted.'; exit 1 ;;\n"
		"gone) say \"Operation failed: such conntrack doesn't exist\"; exit 1 ;;\n"
		"*) say 'Operation failed: Operation not permitted'; exit 1 ;;\n"
		"esac\n",
		dir);

	write_file("conntrack", 0755, text);
}

static int runs_of(const char *side)
{
	ga_autofree char *path = ga_xprintf("%s/runs", dir);
	ga_autofree char *line = ga_xprintf("-D %s 10.100.0.10\n", side);
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	int n = 0;

	if (ga_file_read(path, 1 << 20, &text, &err) < 0)
		return -1;
	for (const char *at = text.buf; (at = strstr(at, line)); at++)
		n++;
	return n;
}

static void forgetting(void)
{
	static const struct {
		const char *name, *answers;
		int r, from, to; /* the result, the runs for each side */
	} rows[] = {
		{ "no connections", "none", 0, 1, 1 },
		{ "some from it", "some none", 1, 1, 1 },
		{ "some to it", "none some", 1, 1, 1 },
		{ "one expired while it ran, and was the last", "gone none none", 1, 2, 1 },
		{ "two expired, the rest is removed", "gone gone some none", 1, 3, 1 },
		{ "one expired, to it", "none gone none", 1, 1, 2 },
		{ "not permitted", "denied", -1, 1, 0 },
		{ "not permitted, after one expired", "gone denied", -1, 2, 0 },
		{ "a host whose entries never end", "gone", -1, 100, 0 },
	};
	ga_autofree char *path = NULL;
	struct ga_err err = GA_ERR_INIT;

	snprintf(dir, sizeof(dir), "/tmp/gpuaas-unit-XXXXXX");
	if (!mkdtemp(dir))
		exit(1);
	path = ga_xprintf("%s:/usr/bin:/bin", dir);
	fake_conntrack();
	t_int(ga_proc_set_path(path, &err), 0, "forget: conntrack is a fake");
	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		write_file("answers", 0600, rows[i].answers);
		write_file("runs", 0600, "");
		ga_err_clear(&err);
		t_int(ga_nat_forget(address, &err), rows[i].r, "forget: %s: %s", rows[i].name,
		      err.msg);
		if (rows[i].r < 0)
			t_ok(err.code == GA_EXTERNAL && strstr(err.msg, "conntrack v1.4.7"),
			     "forget: %s: it says what conntrack said", rows[i].name);
		t_int(runs_of("--orig-src"), rows[i].from, "forget: %s: runs from", rows[i].name);
		t_int(runs_of("--reply-src"), rows[i].to, "forget: %s: runs to", rows[i].name);
	}
	ga_err_clear(&err);
	t_int(ga_proc_set_path("/nonexistent:/proc", &err), 0, "forget: a path without it");
	t_code(ga_nat_forget(address, &err), &err, GA_HOST, "not installed",
	       "forget: no conntrack");
	t_str(err.reason, "conntrack_missing", "forget: and the reason says so");
	ga_err_clear(&err);
	t_int(ga_proc_set_path(GA_PROC_PATH, &err), 0, "forget: the usual path again");
	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = { "conntrack", "answers", "runs" };
		ga_autofree char *file = ga_xprintf("%s/%s", dir, names[i]);

		unlink(file);
	}
	rmdir(dir);
}

/* ---- the kernel's own answer ---- */

static size_t listed(struct ga_net_rules *r)
{
	struct ga_err err = GA_ERR_INIT;

	ga_net_rules_release(r);
	return ga_net_rules_read("ovsbr0", "10.100.0.0/24", r, &err) < 0 ? SIZE_MAX : r->ingress.n;
}

static void live_ports(void)
{
	static char other[] = "bbbbbbbb", elsewhere[] = "10.100.0.11";
	struct ga_net_ingress second = web, stolen = web, again = web;
	ga_autorules struct ga_net_rules r = { 0 };
	struct ga_err err = GA_ERR_INIT;

	second.port = 9090;
	stolen.allocation = other;
	again.address = elsewhere;
	t_int(ga_nat_publish(&web, &err), 0, "live: publish");
	t_int(ga_nat_publish(&web, &err), 0, "live: publish again");
	t_int(ga_nat_publish(&second, &err), 0, "live: a second port of the same target");
	t_int((int64_t)listed(&r), 2, "live: two are listed");
	t_code(ga_nat_publish(&stolen, &err), &err, GA_CONFLICT, "already",
	       "live: another allocation does not get the port");
	t_code(ga_nat_publish(&again, &err), &err, GA_CONFLICT, "already",
	       "live: the port does not move");
	t_int(ga_nat_setup(&network, &err), 0, "live: set up again");
	t_int((int64_t)listed(&r), 2, "live: what is published stays");
	t_int(ga_nat_unpublish(&stolen, &err), 0, "live: another allocation closes nothing");
	t_int(ga_nat_unpublish(&web, &err), 1, "live: unpublish");
	t_int((int64_t)listed(&r), 1, "live: one is left");
	t_ok(r.ingress.n && r.ingress.v[0].passes, "live: and its target passes still");
	t_int(ga_nat_unpublish(&web, &err), 0, "live: unpublish again");
	t_int(ga_nat_unpublish(&second, &err), 1, "live: unpublish the other");
	t_int((int64_t)listed(&r), 0, "live: none is left");
}

static void live(void)
{
	ga_autorules struct ga_net_rules r = { 0 };
	ga_autostr struct ga_str evidence = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;

	if (geteuid() || unshare(CLONE_NEWNET) < 0 || access("/usr/sbin/nft", X_OK) < 0) {
		printf("# not as root with nft: the kernel is not asked\n");
		return;
	}
	t_int(ga_net_rules_read("ovsbr0", "10.100.0.0/24", &r, &err), 0, "live: no table yet");
	t_ok(!r.table, "live: and that is no error");
	t_code(ga_nat_publish(&web, &err), &err, GA_HOST, "no table",
	       "live: nothing to publish in");
	t_int(ga_net_nat("10.100.0.0/24", &evidence), 0, "live: no source NAT");
	t_ok(strstr(evidence.buf, " no source NAT for 10.100.0.0/24") &&
	     !strstr(evidence.buf, "neither"), "live: and said once: %s", evidence.buf);
	t_int(ga_nat_unpublish(&web, &err), 0, "live: nothing to unpublish");
	t_int(ga_nat_setup(&network, &err), 0, "live: set up: %s", err.msg);
	t_int((int64_t)listed(&r), 0, "live: nothing is published");
	t_ok(ga_net_rules_stand(&r), "live: all rules stand");
	t_int(ga_net_nat("10.100.0.0/24", &evidence), 1, "live: source NAT: %s", evidence.buf);
	t_int(ga_net_nat("10.99.0.0/24", &evidence), 0, "live: not for another network");
	live_ports();
	t_int(ga_nat_remove(&err), 0, "live: remove");
	t_int(ga_nat_remove(&err), 0, "live: remove again");
	t_int((int64_t)listed(&r), 0, "live: nothing is left");
	t_ok(!r.table, "live: no table");
}

int main(void)
{
	ruleset();
	texts();
	refusals();
	sockets();
	rules();
	elements();
	source_nat();
	firewalls();
	hostile();
	forgetting();
	live();
	return t_done();
}
