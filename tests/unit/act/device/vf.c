/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual functions: ip(8)'s output, the expected values, the differences. */
#include "t.h"

#include "act/device/vf.h"
#include "record/schema.h"

static const char ether[] =
	"[{\"ifindex\":3,\"ifname\":\"ens1\",\"vfinfo_list\":["
	"{\"vf\":0,\"link_type\":\"ether\",\"address\":\"00:00:00:00:00:00\",\"spoofchk\":false,"
	"\"link_state\":\"auto\",\"trust\":true,\"query_rss_en\":false},"
	"{\"vf\":1,\"link_type\":\"ether\",\"address\":\"06:11:22:33:44:01\",\"spoofchk\":true,"
	"\"trust\":false}]}]";
static const char old[] = "[{},{\"ifname\":\"ens1\",\"vfinfo_list\":["
			  "{\"vf\":1,\"mac\":\"06:11:22:33:44:01\"}]}]";
static const char ib[] = "[{\"ifname\":\"ib0\",\"vfinfo_list\":[{\"vf\":0,"
			 "\"link_type\":\"infiniband\",\"address\":\"00:00:0a:2d:fe:80\","
			 "\"spoofchk\":false,\"node guid\":\"22:44:33:00:33:11:00:33\","
			 "\"port guid\":\"10:21:33:12:00:11:22:10\",\"trust\":false}]}]";

static struct ga_vf parsed(const char *text, const char *netdev, int64_t index, int want)
{
	struct ga_vf v = { .netdev = ga_xstrdup(netdev), .index = index, .trust = GA_UNKNOWN,
			   .spoofchk = GA_UNKNOWN, .infiniband = ga_streq(netdev, "ib0") };
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_vf_parse(text, &v, &err), want, "%s %d of: %.40s", netdev, (int)index, text);
	if (want < 0)
		t_int(err.code, GA_BADREC, "with its code");
	return v;
}

static void reading(void)
{
	static const char *const bad[] = {
		"", "{}", "[]", "[1]", "[{\"ifname\":\"ens1\"}]", "[{\"ifname\":7}]",
		"[{\"ifname\":\"ens1\",\"vfinfo_list\":{}}]",
		"[{\"ifname\":\"ens1\",\"vfinfo_list\":[{\"vf\":\"1\"},3,null]}]",
		"[{\"ifname\":\"eth9\",\"vfinfo_list\":[{\"vf\":1}]}]",
	};
	ga_autovf struct ga_vf a = parsed(ether, "ens1", 0, 0), b = parsed(ether, "ens1", 1, 0),
			       c = parsed(old, "ens1", 1, 0), d = parsed(ib, "ib0", 0, 0);
	size_t i;

	t_str(a.mac, "00:00:00:00:00:00", "MAC of the first");
	t_int(a.trust, 1, "trusted");
	t_int(a.spoofchk, 0, "not checked");
	t_str(b.mac, "06:11:22:33:44:01", "MAC of the second");
	t_int(b.trust, 0, "not trusted");
	t_str(c.mac, "06:11:22:33:44:01", "as older programs name it");
	t_int(c.trust, GA_UNKNOWN, "what is not said is unknown");
	t_str(d.node_guid, "22:44:33:00:33:11:00:33", "node GUID");
	t_str(d.port_guid, "10:21:33:12:00:11:22:10", "port GUID");
	for (i = 0; i < GA_ARRAY_SIZE(bad); i++) {
		ga_autovf struct ga_vf v = parsed(bad[i], "ens1", 1, -1);

		t_ok(!v.mac && !v.node_guid, "nothing is left of what is refused");
	}
}

static void deciding(void)
{
	ga_autovf struct ga_vf now = parsed(ether, "ens1", 0, 0), want = { 0 }, other = { 0 },
			       again = { 0 }, guids = { 0 }, silent = parsed(ib, "ib0", 0, 0);

	ga_vf_want(&now, "n1", 3, &want);
	ga_vf_want(&now, "n1", 3, &again);
	ga_vf_want(&now, "n2", 3, &other);
	t_str(want.mac, again.mac, "the same slot has the same MAC each time");
	t_ok(!ga_streq(want.mac, other.mac), "another node another one");
	t_ok(ga_starts(want.mac, "06:") && ga_streq(want.mac + 15, "03"),
	     "local, ends in the slot");
	t_str(ga_vf_differs(&now, &want), "mac", "the address differs first");
	free(now.mac);
	now.mac = ga_xstrdup(want.mac);
	t_str(ga_vf_differs(&now, &want), "trust", "then trust");
	now.trust = 0;
	t_str(ga_vf_differs(&now, &want), "spoofchk", "then the check of addresses");
	now.spoofchk = GA_UNKNOWN;
	t_ok(!ga_vf_differs(&now, &want), "what the kernel does not tell is not held against it");
	ga_vf_want(&silent, "n1", 3, &guids);
	t_ok(!guids.mac && strlen(guids.node_guid) == 23 && ga_starts(guids.node_guid, "02:"),
	     "InfiniBand has GUIDs");
	t_ok(!ga_streq(guids.node_guid, guids.port_guid), "two of them");
	t_str(ga_vf_differs(&silent, &guids), "node_guid", "and they differ");
}

int main(void)
{
	reading();
	deciding();
	return t_done();
}
