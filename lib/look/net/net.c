/* SPDX-License-Identifier: Apache-2.0 */
/* Network interfaces, forwarding and NAT. */
#include "look/net/net.h"

#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/texts.h"
#include "look/sys.h"
#include "record/mac.h"
#include "record/pciaddr.h"

#define OUTPUT_MAX (8 << 20)

/* A port has a "master" link, or before a driver sets that, "upper_NAME". */
static char *master_of(const char *dir)
{
	char *master = ga_sys_link(dir, "master");
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	if (master)
		return master;
	ga_sys_list(dir, &names);
	for (i = 0; i < names.n; i++)
		if (ga_starts(names.v[i], "upper_"))
			return ga_xstrdup(names.v[i] + strlen("upper_"));
	return NULL;
}

int ga_net_scan(struct ga_net *ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts dirs = { 0 };
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_pciaddr a;
	size_t i;

	*ret = (struct ga_net){ 0 };
	if (ga_sys_devices("net", &dirs, err) < 0)
		return -1;
	for (i = 0; i < dirs.n; i++) {
		const char *name = strrchr(dirs.v[i], '/') + 1;
		ga_autofree char *parent = ga_xstrndup(dirs.v[i], strlen(dirs.v[i]) - strlen(name) -
									  strlen("/net/"));
		char *base = strrchr(parent, '/');
		struct ga_net_dev *d = ga_list_add(ret);

		d->name = ga_xstrdup(name);
		d->master = master_of(dirs.v[i]);
		d->mtu = ga_sys_attr_int(dirs.v[i], "mtu");
		if (base && ga_pciaddr_parse(base + 1, &a, &ignored) == 0)
			d->pci_address = ga_xstrdup(base + 1);
	}
	return 0;
}

void ga_net_release(struct ga_net *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].name);
		free(list->v[i].pci_address);
		free(list->v[i].master);
	}
	ga_list_release(list);
}

const struct ga_net_dev *ga_net_find(const struct ga_net *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (ga_streq(list->v[i].name, name))
			return &list->v[i];
	return NULL;
}

bool ga_net_is_management(const struct ga_net *list, const char *pci_address, const char *uplink)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		const struct ga_net_dev *d = &list->v[i];

		if (pci_address && ga_streq(d->pci_address, pci_address) &&
		    (d->master || (uplink && ga_streq(d->name, uplink))))
			return true;
	}
	return false;
}

/* Rows of /proc/net/route: interface, destination, gateway …, in hex; 0 is the default route. */
char *ga_net_default_uplink(const struct ga_net *list)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	char *rest, *line;

	if (ga_file_read("/proc/net/route", 1 << 20, &text, &ignored) < 0)
		return NULL; /* no IPv4: no default route */
	rest = text.buf;
	while ((line = strsep(&rest, "\n"))) {
		char *name = strsep(&line, "\t"), *to = line ? strsep(&line, "\t") : NULL;

		if (ga_streq(to, "00000000") && ga_net_find(list, name))
			return ga_xstrdup(name);
	}
	return NULL;
}

int ga_net_ip_forward(void)
{
	int64_t n = ga_sys_attr_int("/proc/sys/net/ipv4", "ip_forward");

	return n < 0 ? -1 : n > 0;
}

char *ga_net_network(const char *gateway, int64_t prefix_bits)
{
	struct ga_err ignored = GA_ERR_INIT;
	char text[GA_IP_SIZE];
	uint32_t ip;

	if (!gateway || prefix_bits < 1 || prefix_bits > 32 ||
	    ga_ip_parse(gateway, &ip, &ignored) < 0)
		return NULL;
	ip &= (uint32_t)(UINT64_C(0xffffffff) << (32 - prefix_bits));
	return ga_xprintf("%s/%d", ga_ip_format(ip, text), (int)prefix_bits);
}

/* ---- source NAT of any table ---- */

/* Whether an iptables rule rewrites the source of leaving packets, for the network or for all. */
static bool is_nat_rule(const char *line, const char *network)
{
	if (!strstr(line, "-j MASQUERADE") && !strstr(line, "-j SNAT"))
		return false;
	return strstr(line, network) || !strstr(line, " -s ");
}

static int run(const char *const *argv, struct ga_proc_result *out, struct ga_str *evidence)
{
	const struct ga_proc p = { .argv = argv, .timeout_micros = 5 * GA_SECOND,
				   .output_max = OUTPUT_MAX };
	struct ga_err why = GA_ERR_INIT;

	if (ga_proc_check(&p, out, &why) == 0)
		return 0;
	ga_str_addf(evidence, "%s%s", evidence->len ? "; " : "", why.msg);
	return -1;
}

static int ask_nft(const char *network, struct ga_str *evidence)
{
	static const char *const argv[] = { "nft", "-j", "-t", "list", "ruleset", NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	struct ga_err why = GA_ERR_INIT;
	int r;

	if (run(argv, &out, evidence) < 0)
		return -1;
	r = ga_net_nat_parse(out.out.buf, out.out.len, network, evidence, &why);
	if (r < 0)
		ga_str_addf(evidence, "%s%s", evidence->len ? "; " : "", why.msg);
	return r;
}

/* Whether iptables-legacy has a NAT table. Check this first: iptables-legacy itself would load its
 * kernel modules. */
static bool has_legacy_nat(void)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;

	return ga_file_read("/proc/net/ip_tables_names", 4096, &text, &ignored) == 0 &&
	       (ga_starts(text.buf, "nat\n") || strstr(text.buf, "\nnat\n"));
}

static int ask_iptables(const char *network, struct ga_str *evidence)
{
	const char *argv[] = { has_legacy_nat() ? "iptables-legacy" : "iptables", "-t", "nat", "-S",
			       "POSTROUTING", NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	char *rest, *line;

	if (run(argv, &out, evidence) < 0)
		return -1;
	for (rest = out.out.buf; (line = strsep(&rest, "\n"));) {
		if (!is_nat_rule(line, network))
			continue;
		ga_str_clear(evidence);
		ga_str_addf(evidence, "%s: %.200s", argv[0], ga_sys_tidy(line));
		return 1;
	}
	return 0;
}

int ga_net_nat(const char *network, struct ga_str *evidence)
{
	int nft, iptables;

	if (geteuid()) {
		ga_str_add(evidence, "only root may read the rules");
		return -1;
	}
	nft = ask_nft(network, evidence);
	if (nft > 0)
		return 1;
	iptables = ask_iptables(network, evidence);
	if (iptables > 0)
		return 1;
	if (nft < 0 && iptables < 0)
		return -1;
	ga_str_clear(evidence);
	ga_str_addf(evidence, "%s no source NAT for %s",
		    nft < 0	 ? "iptables shows" :
		    iptables < 0 ? "nft shows" :
				   "nft and iptables show",
		    network);
	return 0;
}
