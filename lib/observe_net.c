/* SPDX-License-Identifier: Apache-2.0 */
/* The private network as it is now: reservations, leases, ports and flows, bridge, NAT. */
#include "observe_part.h"

#include <dirent.h>
#include <errno.h>

#include "dhcp.h"
#include "file.h"
#include "id.h"
#include "mac.h"
#include "net.h"
#include "ovs.h"
#include "proc.h"
#include "sys.h"

/* ---- DHCP ---- */

/* "MAC,IP,NAME,infinite" as ga_dhcp_hosts_line writes it; another text has no MAC and address. */
static void read_reservation(const struct ga_look *l, const char *dir, const char *name)
{
	ga_autofree char *path = ga_xprintf("%s/%s", dir, name);
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	char mac[GA_MAC_SIZE], *rest, *word;
	struct ga_seen_reservation *r;
	uint32_t ip;

	if (!ga_starts(name, "gpuaas-") || !ga_id_is_valid(name + 7))
		return;
	r = ga_list_add(&l->seen->reservations);
	r->allocation = ga_xstrdup(name + 7);
	if (ga_file_read(path, 4096, &text, &ignored) == 0) {
		rest = text.buf;
		word = strsep(&rest, ",\n");
		if (word && ga_mac_parse(word, mac, &ignored) == 0)
			r->mac = ga_xstrdup(mac);
		word = strsep(&rest, ",\n");
		if (word && ga_ip_parse(word, &ip, &ignored) == 0)
			r->ip = ga_xstrdup(word);
	}
	r->path = GA_TAKE(path);
}

static void look_reservations(const struct ga_look *l)
{
	const char *dir = l->want->network.dhcp_hosts_dir;
	ga_autonames struct ga_names names = { 0 };
	ga_autodir DIR *d = dir ? opendir(dir) : NULL;
	ga_autofree char *why = NULL;

	if (!dir)
		return; /* nothing is expected of a node without DHCP */
	if (!d) {
		if (errno == ENOENT)
			return;
		why = ga_xprintf("cannot open '%s': %s", dir, strerror(errno));
		ga_seen_blind(l->seen, GA_A_DHCP, why);
		return;
	}
	ga_sys_list(dir, &names);
	for (size_t i = 0; i < names.n; i++)
		read_reservation(l, dir, names.v[i]);
}

static void look_leases(const struct ga_look *l)
{
	const char *file = l->want->network.lease_file;

	for (size_t i = 0; i < l->want->slots.n; i++) {
		const struct ga_bundle *b = &l->want->slots.v[i].bundle;
		struct ga_lease lease = { 0 };

		if (!b->mac || !l->want->slots.v[i].allocation)
			continue;
		ga_dhcp_lease(file, b->mac, b->private_ip, &lease);
		if (ga_streq(lease.lease_state, "unknown")) {
			ga_autofree char *why = ga_xprintf("cannot read the lease file '%s'",
							   file ? file : "(none set)");

			ga_seen_blind(l->seen, GA_A_LEASES, why);
		} else if (lease.actual_ip) {
			struct ga_seen_lease *s = ga_list_add(&l->seen->leases);

			s->mac = ga_xstrdup(b->mac);
			s->ip = ga_xstrdup(lease.actual_ip);
		}
		ga_shape_release(&ga_lease_shape, &lease);
	}
}

/* ---- Open vSwitch ---- */

/* Whose a port is: the allocation on its slot, else who entered it in the journal. */
static const char *owner_of(const struct ga_look *l, const char *port, bool *known)
{
	*known = false;
	for (size_t i = 0; i < l->want->slots.n; i++) {
		const struct ga_expected_slot *s = &l->want->slots.v[i];

		if (!ga_streq(s->bundle.port, port))
			continue;
		*known = true;
		if (s->allocation)
			return s->allocation;
	}
	for (size_t i = 0; i < l->seen->entries.n; i++) {
		const struct ga_seen_entry *e = &l->seen->entries.v[i];

		if (ga_streq(e->op, "ovs_port") && ga_streq(e->subject, port)) {
			*known = true;
			return e->object;
		}
	}
	return NULL;
}

static int look_ports(const struct ga_look *l, const char *bridge, struct ga_err *err)
{
	const char *argv[] = { "ovs-vsctl", "--timeout=10", "list-ports", bridge, NULL };
	const struct ga_proc p = { .argv = argv, .timeout_micros = INT64_C(15000000) };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	char *rest, *name;

	if (ga_proc_check(&p, &out, err) < 0)
		return -1;
	for (rest = out.out.buf; (name = strsep(&rest, "\n"));) {
		bool known = false;
		const char *owner = *name ? owner_of(l, name, &known) : NULL;
		struct ga_seen_port *s;

		if (!known)
			continue; /* a stranger's */
		s = ga_list_add(&l->seen->ports);
		s->name = ga_xstrdup(name);
		s->bridge = ga_xstrdup(bridge);
		s->allocation = ga_strdup0(owner);
		s->is_port = true;
		s->flows = GA_UNKNOWN;
	}
	return 0;
}

static int64_t count_of(const char *flows, const char *allocation)
{
	char cookie[GA_COOKIE_SIZE];
	ga_autofree char *word = ga_xprintf("cookie=%s,", ga_ovs_cookie(allocation, cookie));
	int64_t n = 0;

	for (const char *at = flows; (at = strstr(at, word)); at++)
		n++;
	return n;
}

/* The flows with our mark in the cookie ("ga", ovs.h), read once. */
static int look_flows(const struct ga_look *l, const char *bridge, struct ga_err *err)
{
	const char *argv[] = { "ovs-ofctl", "dump-flows", bridge,
			       "cookie=0x6761000000000000/0xffff000000000000", NULL };
	const struct ga_proc p = { .argv = argv, .output_max = 8 << 20 };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	if (ga_proc_check(&p, &out, err) < 0)
		return -1;
	for (size_t i = 0; i < l->seen->ports.n; i++) {
		struct ga_seen_port *s = &l->seen->ports.v[i];

		if (s->allocation)
			s->flows = count_of(out.out.buf, s->allocation) == GA_OVS_FLOWS;
	}
	for (size_t i = 0; i < l->seen->works.n; i++) {
		const char *object = l->seen->works.v[i].object;
		struct ga_seen_port *s;

		if (ga_drift_is_live(l->want, object) || !count_of(out.out.buf, object))
			continue;
		s = ga_list_add(&l->seen->ports);
		s->bridge = ga_xstrdup(bridge);
		s->allocation = ga_xstrdup(object);
		s->flows = 1;
	}
	return 0;
}

static void look_switch(const struct ga_look *l)
{
	const char *bridge = l->want->network.bridge;
	struct ga_err err = GA_ERR_INIT;
	int there;

	if (!bridge)
		return;
	there = ga_ovs_has_bridge(bridge, &err);
	if (there > 0 && (look_ports(l, bridge, &err) < 0 || look_flows(l, bridge, &err) < 0))
		there = -1;
	if (there < 0)
		ga_seen_blind(l->seen, GA_A_PORTS, err.msg);
	else
		l->seen->bridge = there;
}

/* ---- the network itself ---- */

static void look_nat(const struct ga_look *l)
{
	const struct ga_network *n = &l->want->network;
	ga_autostr struct ga_str evidence = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	ga_autofree char *network = NULL;
	char text[GA_IP_SIZE];
	uint32_t ip;
	int r = ga_net_ip_forward();

	l->seen->forwarding = r < 0 ? GA_UNKNOWN : r;
	if (!n->gateway || n->prefix_bits < 1 || n->prefix_bits > 32 ||
	    ga_ip_parse(n->gateway, &ip, &ignored) < 0)
		return;
	ip &= (uint32_t)(UINT64_C(0xffffffff) << (32 - n->prefix_bits));
	network = ga_xprintf("%s/%lld", ga_ip_format(ip, text), (long long)n->prefix_bits);
	r = ga_net_nat(network, &evidence);
	l->seen->nat = r < 0 ? GA_UNKNOWN : r;
}

void ga_look_net(const struct ga_look *l)
{
	look_reservations(l);
	if (l->want->lab)
		return; /* a lab has no bridge, leases or NAT to look at */
	look_leases(l);
	look_switch(l);
	look_nat(l);
}
