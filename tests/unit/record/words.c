/* SPDX-License-Identifier: Apache-2.0 */
/* The values inside records: PCI addresses, MACs, IPs, sizes, numbers, ids, digests. */
#include "t.h"

#include "record/digest.h"
#include "record/id.h"
#include "record/kind.h"
#include "record/mac.h"
#include "record/pciaddr.h"
#include "record/size.h"

/* One text and what its canonical spelling is; NULL: refused. */
struct word {
	const char *in, *out;
};

static void pci_addresses(void)
{
	static const struct word cases[] = {
		{ "0000:18:00.0", "0000:18:00.0" },
		{ "0000:AB:1F.7", "0000:ab:1f.7" },
		{ "10000:01:00.0", "10000:01:00.0" },
		{ "ffffffff:ff:1f.7", "ffffffff:ff:1f.7" },
		{ "00001:00:00.0", "0001:00:00.0" },
		{ "", NULL },
		{ "18:00.0", NULL },
		{ "000:18:00.0", NULL },
		{ "000000000:18:00.0", NULL },
		{ "0000:18:20.0", NULL },
		{ "0000:18:00.8", NULL },
		{ "0000:18:00.", NULL },
		{ "0000:18:00.0 ", NULL },
		{ " 0000:18:00.0", NULL },
		{ "0000:18:00.00", NULL },
		{ "0000:1:00.0", NULL },
		{ "0000:118:00.0", NULL },
		{ "0000:g8:00.0", NULL },
		{ "0000:18:00:0", NULL },
		{ "+000:18:00.0", NULL },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		char out[GA_PCIADDR_SIZE];
		struct ga_pciaddr a;
		int r = ga_pciaddr_parse(cases[i].in, &a, &err);

		if (cases[i].out)
			t_str(r ? err.msg : ga_pciaddr_format(&a, out), cases[i].out, "pci '%s'",
			      cases[i].in);
		else
			t_code(r, &err, GA_BADREC, cases[i].in, "pci '%s' is refused", cases[i].in);
	}
}

static void pci_order(void)
{
	static const char *const sorted[] = { "0000:00:00.0", "0000:00:00.1", "0000:00:01.0",
					      "0000:18:00.0", "0000:9a:00.0", "0001:00:00.0",
					      "10000:00:00.0", "ffffffff:00:00.0" };
	struct ga_err err = GA_ERR_INIT;
	struct ga_pciaddr a, b;
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(sorted); i++) {
		bool good = true;

		for (j = 0; j < GA_ARRAY_SIZE(sorted); j++) {
			int c;

			if (ga_pciaddr_parse(sorted[i], &a, &err) ||
			    ga_pciaddr_parse(sorted[j], &b, &err))
				good = false;
			c = ga_pciaddr_cmp(&a, &b);
			good = good && (c > 0) == (i > j) && (c < 0) == (i < j);
		}
		t_ok(good, "order of '%s' against all", sorted[i]);
	}
}

static void macs(void)
{
	static const struct word cases[] = {
		{ "52:54:00:aa:bb:cc", "52:54:00:aa:bb:cc" },
		{ "52:54:00:AA:BB:CC", "52:54:00:aa:bb:cc" },
		{ "02:00:00:00:00:00", "02:00:00:00:00:00" },
		{ "00:00:00:00:00:01", "00:00:00:00:00:01" },
		{ "00:00:00:00:00:00", NULL },
		{ "ff:ff:ff:ff:ff:ff", NULL },
		{ "01:00:5e:00:00:01", NULL },
		{ "53:54:00:aa:bb:cc", NULL },
		{ "5B:54:00:aa:bb:cc", NULL },
		{ "52-54-00-aa-bb-cc", NULL },
		{ "525400aabbcc", NULL },
		{ "52:54:00:aa:bb", NULL },
		{ "52:54:00:aa:bb:c", NULL },
		{ "52:54:00:aa:bb:cc:dd", NULL },
		{ "52:54:00:aa:bb:cg", NULL },
		{ "", NULL },
	};
	struct ga_err err;
	char out[GA_MAC_SIZE], again[GA_MAC_SIZE];
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		int r;

		err = (struct ga_err)GA_ERR_INIT;
		r = ga_mac_parse(cases[i].in, out, &err);
		if (cases[i].out)
			t_str(r ? err.msg : out, cases[i].out, "mac '%s'", cases[i].in);
		else
			t_code(r, &err, GA_BADREC, cases[i].in, "mac '%s' is refused", cases[i].in);
	}
	/* printf 'gpuaas-mac\0h1' | sha256sum: the rule stands in record/mac.h, and slots keep
	 * their MACs.
	 */
	ga_mac_suggest("h1", 7, out);
	t_str(out, "02:01:d1:e0:5a:07", "the suggested MAC of h1, slot 7");
	t_int(ga_mac_parse(out, again, &err), 0, "a suggested MAC reads back");
	t_str(again, out, "and is canonical");
}

static void ips(void)
{
	static const struct word cases[] = {
		{ "10.100.0.1", "10.100.0.1" },
		{ "0.0.0.0", "0.0.0.0" },
		{ "255.255.255.255", "255.255.255.255" },
		{ "256.0.0.1", NULL },
		{ "10.0.0", NULL },
		{ "10.0.0.0.0", NULL },
		{ "010.0.0.1", NULL },
		{ "10.0.0.1 ", NULL },
		{ "::1", NULL },
		{ "", NULL },
		{ "0x0a.0.0.1", NULL },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		char out[GA_IP_SIZE];
		uint32_t ip;
		int r = ga_ip_parse(cases[i].in, &ip, &err);

		if (cases[i].out)
			t_str(r ? err.msg : ga_ip_format(ip, out), cases[i].out, "ip '%s'",
			      cases[i].in);
		else
			t_code(r, &err, GA_BADREC, cases[i].in, "ip '%s' is refused", cases[i].in);
	}
}

static void nets(void)
{
	static const struct {
		const char *in;
		uint32_t net;
		int bits; /* 0: refused */
	} cases[] = {
		{ "10.100.0.0/24", 0x0a640000, 24 },
		{ "10.0.0.0/8", 0x0a000000, 8 },
		{ "192.168.1.4/30", 0xc0a80104, 30 },
		{ "10.100.0.1/24", 0, 0 },
		{ "10.0.0.0/7", 0, 0 },
		{ "10.0.0.0/31", 0, 0 },
		{ "10.0.0.0", 0, 0 },
		{ "10.0.0.0/", 0, 0 },
		{ "/24", 0, 0 },
		{ "10.0.0.0/ 24", 0, 0 },
		{ "10.0.0.0/+24", 0, 0 },
		{ "10.0.0.0/24x", 0, 0 },
		{ "10.0.0.0/024", 0, 0 },
		{ "10.0.0.0/24/24", 0, 0 },
		{ "10.0.0.0/000000000000000000000000000000000000000000000000000000024", 0, 0 },
		{ "10.0.0.0/99999999999999999999999", 0, 0 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		uint32_t net = 0;
		int bits = 0, r = ga_ip_net_parse(cases[i].in, &net, &bits, &err);

		if (cases[i].bits)
			t_ok(!r && net == cases[i].net && bits == cases[i].bits, "net '%s'",
			     cases[i].in);
		else
			t_code(r, &err, GA_BADREC, NULL, "net '%s' is refused", cases[i].in);
	}
}

static void sizes(void)
{
	static const struct {
		const char *in;
		int64_t bytes; /* -1: refused */
	} cases[] = {
		{ "0", 0 },
		{ "4096", 4096 },
		{ "64K", 65536 },
		{ "64KiB", 65536 },
		{ "1M", 1 << 20 },
		{ "1G", 1 << 30 },
		{ "3TiB", INT64_C(3) << 40 },
		{ "7P", INT64_C(7) << 50 },
		{ "9007199254740991", GA_INT_MAX_SAFE },
		{ "9007199254740992", -1 },
		{ "8P", -1 },
		{ "99999999999999999999999999", -1 },
		{ "99999999999999999G", -1 },
		{ "", -1 },
		{ "K", -1 },
		{ "1k", -1 },
		{ "1KB", -1 },
		{ "1Ki", -1 },
		{ "1.5G", -1 },
		{ "-1", -1 },
		{ "+1", -1 },
		{ " 1", -1 },
		{ "1 ", -1 },
		{ "0x10", -1 },
		{ "1E", -1 },
	};
	static const struct {
		int64_t bytes;
		const char *out;
	} shown[] = {
		{ 0, "0 B" },
		{ 1023, "1023 B" },
		{ 1024, "1.0 KiB" },
		{ INT64_C(3840755982336), "3.5 TiB" },
	};
	/* Texts of tables, and the sizes around those that each stands for. */
	static const struct {
		const char *in;
		int64_t begin, end;
	} read[] = {
		{ "512 B", 512, 513 },
		{ "1.0 KiB", 1024, 1076 }, /* 1.05 is 1075.2 */
		{ "8.0 MiB", 8336180, 8441037 },
		{ "8.0MiB", 8336180, 8441037 },
		{ "10 MiB", 10485760, 11010049 }, /* 9.9 MiB has a digit after the point */
		{ "64 GiB", INT64_C(68182605824), INT64_C(69256347648) + 1 },
		{ "2.25 KiB", 2299, 2310 },
		{ "64G", -1, 0 }, { "64", -1, 0 }, { "1.5", -1, 0 }, { "1. KiB", -1, 0 },
		{ "1.5 B", -1, 0 }, { "1 XiB", -1, 0 }, { "999999999999 PiB", -1, 0 },
		{ "", -1, 0 }, { ".5 KiB", -1, 0 }, { "1.23456 KiB", -1, 0 },
	};
	char out[GA_SIZE_SIZE];
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		int64_t bytes = -2;
		int r = ga_size_parse(cases[i].in, &bytes, &err);

		if (cases[i].bytes >= 0)
			t_int(r ? -1 : bytes, cases[i].bytes, "size '%s'", cases[i].in);
		else
			t_code(r, &err, GA_USAGE, NULL, "size '%s' is refused", cases[i].in);
	}
	for (i = 0; i < GA_ARRAY_SIZE(shown); i++)
		t_str(ga_size_format(shown[i].bytes, out), shown[i].out, "size %" PRId64,
		      shown[i].bytes);
	for (i = 0; i < GA_ARRAY_SIZE(read); i++) {
		int64_t begin = -1, end = 0;
		bool r = ga_size_read_shown(read[i].in, &begin, &end);

		t_int(r, read[i].begin >= 0, "'%s' is read or not", read[i].in);
		t_int(begin, read[i].begin, "first size shown as '%s'", read[i].in);
		t_int(end, read[i].end, "first size no longer shown as '%s'", read[i].in);
	}
	t_ok(strlen(ga_size_format(GA_INT_MAX_SAFE, out)) < GA_SIZE_SIZE, "the largest size fits");
}

static void numbers(void)
{
	static const struct {
		const char *in;
		bool good;
		int64_t n;
	} cases[] = {
		{ "1", true, 1 },    { "-5", true, -5 }, { "100", true, 100 },
		{ "101", false, 0 }, { "-6", false, 0 }, { "", false, 0 },
		{ "1x", false, 0 },  { " 1", false, 0 }, { "0x1", false, 0 },
		{ "1.0", false, 0 }, { "+1", false, 0 }, { "99999999999999999999", false, 0 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		int64_t n = 0;
		int r = ga_int_parse(cases[i].in, "--gpus", -5, 100, &n, &err);

		if (cases[i].good)
			t_int(r ? -99 : n, cases[i].n, "number '%s'", cases[i].in);
		else
			t_code(r, &err, GA_USAGE, "--gpus", "number '%s' is refused", cases[i].in);
	}
}

static void ids(void)
{
	static const char *const bad[] = { "", "0123456", "012345678", "0123456i", "0123456L",
					   "0123456u", "ABCDEFGH", "0123 567" };
	static const char *const bad_names[] = { "",  "-a",  ".a",  "_a",
						 "A", "a b", "a/b", "a\xc3\xa4" };
	static const char *const names[] = { "a", "0", "h7.rack-3_b", "a-" };
	ga_autofree char *long_name = ga_xcalloc(1, 65);
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(bad); i++)
		t_ok(!ga_id_is_valid(bad[i]), "id '%s' is refused", bad[i]);
	for (i = 0; i < 100; i++) {
		ga_autofree char *a = ga_id_new(), *b = ga_id_new();

		if (!ga_id_is_valid(a) || ga_streq(a, b))
			break;
	}
	t_int(i, 100, "new ids are valid and differ");
	for (i = 0; i < GA_ARRAY_SIZE(names); i++)
		t_ok(ga_name_is_valid(names[i]), "name '%s'", names[i]);
	for (i = 0; i < GA_ARRAY_SIZE(bad_names); i++)
		t_ok(!ga_name_is_valid(bad_names[i]), "name '%s' is refused", bad_names[i]);
	memset(long_name, 'a', 63);
	t_ok(ga_name_is_valid(long_name), "a name of 63 characters");
	long_name[63] = 'a';
	t_ok(!ga_name_is_valid(long_name), "a name of 64 is refused");
}

static void digests(void)
{
	static const char abc[] =
		"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f2"
		"0015ad";
	struct ga_digest *d = ga_digest_open();
	char out[GA_DIGEST_SIZE];

	t_str(ga_digest_of("abc", 3, out), abc, "FIPS 180-2, example 1");
	ga_digest_add(d, "a", 1);
	ga_digest_add(d, "", 0);
	ga_digest_add(d, "bc", 2);
	ga_digest_close(d, out);
	t_str(out, abc, "the same in pieces");
	t_ok(ga_digest_is_valid(abc), "a digest is valid");
	out[20] = 'A';
	t_ok(!ga_digest_is_valid(out), "not in capitals");
	t_ok(!ga_digest_is_valid(abc + 7) && !ga_digest_is_valid("sha256:"),
	     "not without its parts");
}

static void kinds(void)
{
	static const struct {
		const char *kind;
		int r;
		bool known;
	} cases[] = {
		{ "gpuaas.slot/1", 0, true },	 { "gpuaas.unheard/1", 0, false },
		{ "gpuaas.slot/2", -1, false },	 { "gpuaas.slot", -1, false },
		{ "gpuaas.slot/", -1, false },	 { "gpuaas.slot/x", -1, false },
		{ "gpuaas.slot/1x", -1, false }, { "other.slot/1", -1, false },
		{ "", -1, false },		 { "gpuaas.slot/01", -1, false },
	};
	const struct ga_schema *schema;
	bool unique = true;
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		int r = ga_kind_find(cases[i].kind, &schema, &err);

		t_ok(r == cases[i].r && (schema != NULL) == cases[i].known, "kind '%s'",
		     cases[i].kind);
	}
	for (i = 0; ga_kinds[i]; i++)
		for (j = 0; j < i; j++)
			unique = unique && strcmp(ga_kinds[i]->kind, ga_kinds[j]->kind);
	t_ok(unique, "every kind stands once in the list of %zu", i);
}

int main(void)
{
	pci_addresses();
	pci_order();
	macs();
	ips();
	nets();
	sizes();
	numbers();
	ids();
	digests();
	kinds();
	return t_done();
}
