/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the private network that discover can see without knowing the allocations. */
#include "look/net/net.h"

#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/texts.h"
#include "look/sys.h"
#include "record/mac.h"

#define FILE_MAX (4 << 20)

/* Runs a program of Open vSwitch; call it only where Open vSwitch runs. */
static int ask_switch(const char *const *argv, struct ga_proc_result *out)
{
	const struct ga_proc p = { .argv = argv, .timeout_micros = 5 * GA_SECOND };
	struct ga_err ignored = GA_ERR_INIT;

	return ga_proc_check(&p, out, &ignored);
}

static bool has_line(const char *text, const char *line)
{
	size_t n = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && (at[n] == '\n' || !at[n]))
			return true;
	return false;
}

static void look_bridges(const struct ga_network *n, struct ga_reasons *warnings)
{
	const char *bridges[] = { "ovs-vsctl", "--timeout=4", "list-br", NULL };
	const char *mode[] = { "ovs-vsctl", "--timeout=4", "get-fail-mode", n->bridge, NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT, one = GA_PROC_RESULT_INIT;
	ga_autofree char *evidence = NULL;

	if (ask_switch(bridges, &out) < 0)
		return;
	if (!has_line(out.out.buf, n->bridge) && out.out.len) {
		evidence = ga_xprintf("no bridge '%s'; Open vSwitch has: %.200s", n->bridge,
				      ga_sys_tidy(out.out.buf));
		ga_reasons_add(warnings, "bridge_renamed", n->bridge, evidence,
			       "set GPUAAS_BRIDGE in /etc/gpuaas/gpuaas.conf, or give the bridge "
			       "its name again");
	} else if (out.out.len && ask_switch(mode, &one) == 0 &&
		   !ga_streq(one.out.buf, "secure\n")) {
		ga_reasons_add(warnings, "bridge_open", n->bridge,
			       "its fail mode is not 'secure': it forwards what no flow allows",
			       "gpuaas-host-bootstrap --mode slice, or gpuaas-reconcile --repair");
	}
}

/* Ports of slots for which the switch finds no interface. */
static void look_ports(struct ga_reasons *warnings)
{
	static const char *const argv[] = { "ovs-vsctl", "--timeout=4", "--bare", "--columns=name",
					    "find", "Interface", "ofport=-1", NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	char *rest, *name;

	if (ask_switch(argv, &out) < 0)
		return;
	for (rest = out.out.buf; (name = strsep(&rest, "\n"));) {
		ga_autofree char *fix = ga_xprintf("gpuaas-reconcile --repair, or: ovs-vsctl "
						   "--if-exists del-port %.64s",
						   ga_sys_tidy(name));

		if (ga_starts(name, "gp-"))
			ga_reasons_add(warnings, "stale_port", name,
				       "Open vSwitch finds no interface of that name", fix);
	}
}

/* The MACs of all reservations, one a line. */
static void read_reserved(const char *dir, struct ga_str *macs)
{
	ga_autotexts struct ga_texts names = { 0 };

	ga_sys_list(dir, &names);
	for (size_t i = 0; i < names.n; i++) {
		ga_autofree char *path = ga_xprintf("%s/%s", dir, names.v[i]);
		ga_autostr struct ga_str text = GA_STR_INIT;
		struct ga_err ignored = GA_ERR_INIT;
		char mac[GA_MAC_SIZE];

		if (ga_file_read(path, FILE_MAX, &text, &ignored) < 0)
			continue;
		text.buf[strcspn(text.buf, ",\n")] = '\0';
		if (ga_mac_parse(text.buf, mac, &ignored) == 0)
			ga_str_addf(macs, "%s\n", mac);
	}
}

/* Rows "EXPIRY MAC IP NAME CLIENT-ID"; a lease without a reservation belongs to a guest that is
 * gone. */
static void look_leases(const struct ga_network *n, struct ga_reasons *warnings)
{
	ga_autostr struct ga_str text = GA_STR_INIT, macs = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	char *rest, *line;

	if (!n->lease_file || !n->dhcp_hosts_dir ||
	    ga_file_read(n->lease_file, FILE_MAX, &text, &ignored) < 0)
		return;
	read_reserved(n->dhcp_hosts_dir, &macs);
	for (rest = text.buf; (line = strsep(&rest, "\n"));) {
		char *expiry = strsep(&line, " "), *word = line ? strsep(&line, " ") : NULL;
		char *ip = line ? strsep(&line, " ") : NULL, mac[GA_MAC_SIZE];
		ga_autofree char *evidence = NULL;

		if (!*expiry || !ip || ga_mac_parse(word, mac, &ignored) < 0 ||
		    has_line(macs.buf, mac))
			continue;
		evidence = ga_xprintf("it has %.40s, and no reservation", ga_sys_tidy(ip));
		ga_reasons_add(warnings, "stale_lease", mac, evidence,
			       "gpuaas-reconcile --repair has dnsmasq forget it");
	}
}

static void look_rules(const struct ga_network *n, struct ga_reasons *warnings)
{
	ga_autofree char *network = ga_net_network(n->gateway, n->prefix_bits);
	ga_autorules struct ga_net_rules rules = { 0 };
	ga_autostr struct ga_str lacks = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;

	if (!network || ga_net_rules_read(n->bridge, network, &rules, &ignored) < 0 ||
	    ga_net_rules_stand(&rules))
		return;
	ga_net_rules_lack(&rules, &lacks);
	ga_reasons_add(warnings, "isolation_missing", n->bridge, lacks.buf,
		       "gpuaas-host-bootstrap --mode slice, or gpuaas-reconcile --repair");
}

/* Packets that our table accepts may still be dropped by another table: Docker's and ufw's do
 * so. */
static void look_firewall(struct ga_reasons *warnings)
{
	static const char *const argv[] = { "nft", "-j", "-t", "list", "ruleset", NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	const struct ga_proc p = { .argv = argv, .timeout_micros = 5 * GA_SECOND,
				   .output_max = 8 << 20 };
	ga_autostr struct ga_str evidence = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;

	if (ga_proc_check(&p, &out, &ignored) == 0 &&
	    ga_net_forward_parse(out.out.buf, out.out.len, &evidence, &ignored) > 0)
		ga_reasons_add(warnings, "forward_dropped", NULL, evidence.buf,
			       "let it accept what comes from and goes to the bridge (Docker: "
			       "chain DOCKER-USER; ufw: ufw route allow)");
}

void ga_net_warn(const struct ga_network *n, struct ga_reasons *warnings)
{
	look_leases(n, warnings);
	if (geteuid() || !n->bridge || !ga_sys_exists("/run/openvswitch/db.sock"))
		return;
	look_bridges(n, warnings);
	look_ports(warnings);
	look_rules(n, warnings);
	look_firewall(warnings);
}
