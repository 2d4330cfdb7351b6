/* SPDX-License-Identifier: Apache-2.0 */
/* The private network as it is now: reservations, leases, ports and flows, bridge, NAT. */
#include "act/reconcile/internal.h"

#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <unistd.h>

#include "act/device/ovs.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/texts.h"
#include "look/dhcp.h"
#include "look/net/net.h"
#include "look/sys.h"
#include "record/expectation.h"
#include "record/id.h"
#include "record/mac.h"

/* ---- DHCP ---- */

/* "MAC,IP,NAME,infinite" as ga_dhcp_hosts_line writes it; any other text gives no MAC and
 * address. */
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
	ga_autotexts struct ga_texts names = { 0 };
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

/* Looks at the lease of every slot: the lease of an idle slot is stale. */
static void look_leases(const struct ga_look *l)
{
	const char *file = l->want->network.lease_file;

	for (size_t i = 0; i < l->want->slots.n; i++) {
		const struct ga_bundle *b = &l->want->slots.v[i].bundle;
		bool idle = !l->want->slots.v[i].allocation;
		struct ga_lease lease = { 0 };

		if (!b->mac || (idle && !file))
			continue;
		ga_dhcp_lease(file, b->mac, b->private_ip, &lease);
		if (ga_streq(lease.lease_state, "unknown")) {
			ga_autofree char *why = ga_xprintf("cannot read the lease file '%s'",
							   file ? file : "(none set)");

			if (!idle)
				ga_seen_blind(l->seen, GA_A_LEASES, why);
		} else if (lease.actual_ip) {
			struct ga_seen_lease *s = ga_list_add(&l->seen->leases);

			s->mac = ga_xstrdup(b->mac);
			s->ip = ga_xstrdup(lease.actual_ip);
		}
		ga_schema_release(&ga_lease_schema, &lease);
	}
}

/* ---- Open vSwitch ---- */

/* The owner of a port: the allocation on its slot, else the allocation that entered it in the
 * journal. */
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

static int list(const char *what, const char *of, struct ga_proc_result *out, struct ga_err *err)
{
	const char *argv[] = { "ovs-vsctl", "--timeout=10", what, of, NULL };

	return ga_proc_check(&(const struct ga_proc){ .argv = argv,
						      .timeout_micros = 15 * GA_SECOND },
			     out, err);
}

static int look_ports(const struct ga_look *l, const char *bridge, bool ours, struct ga_err *err)
{
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	char *rest, *name;

	if (list("list-ports", bridge, &out, err) < 0)
		return -1;
	for (rest = out.out.buf; (name = strsep(&rest, "\n"));) {
		bool known = false;
		const char *owner = *name ? owner_of(l, name, &known) : NULL;
		struct ga_seen_port *s;

		l->seen->strangers |= ours && *name && !known;
		if (!known)
			continue; /* not one of ours */
		s = ga_list_add(&l->seen->ports);
		s->name = ga_xstrdup(name);
		s->bridge = ga_xstrdup(bridge);
		s->allocation = ga_strdup0(owner);
		s->is_port = true;
		s->dead = !owner && ga_ovs_port_is_dead(name, err) > 0;
		s->flows = GA_UNKNOWN;
	}
	return 0;
}

/* Finds the interface of a slot in use that is on no bridge, neither of Open vSwitch nor of the
 * kernel: ports of the kernel's datapath have a master too. */
static void look_loose(const struct ga_look *l, const struct ga_expected_slot *slot)
{
	ga_autofree char *master = ga_xprintf("/sys/class/net/%s/master", slot->bundle.port);
	struct ga_seen_port *s;

	for (size_t i = 0; i < l->seen->ports.n; i++)
		if (ga_streq(l->seen->ports.v[i].name, slot->bundle.port))
			return;
	if (!if_nametoindex(slot->bundle.port) || !access(master, F_OK))
		return;
	s = ga_list_add(&l->seen->ports);
	s->name = ga_xstrdup(slot->bundle.port);
	s->allocation = ga_xstrdup(slot->allocation);
	s->loose = true;
	s->flows = GA_UNKNOWN;
}

/* Looks at all bridges: so it finds a port on a wrong bridge, and a bridge under a wrong name. */
static int look_bridges(const struct ga_look *l, const char *bridge, struct ga_err *err)
{
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	ga_autostr struct ga_str names = GA_STR_INIT;
	char *rest, *name;

	if (list("list-br", NULL, &out, err) < 0)
		return -1;
	for (rest = out.out.buf; (name = strsep(&rest, "\n"));) {
		bool ours = ga_streq(name, bridge);

		if (!*name)
			continue;
		ga_str_addf(&names, "%s%.64s", names.len ? " " : "", ga_sys_tidy(name));
		if (ours)
			l->seen->bridge = 1;
		if (look_ports(l, name, ours, err) < 0)
			return -1;
	}
	l->seen->bridges = ga_xstrdup(names.buf);
	if (l->seen->bridge != 1)
		l->seen->bridge = 0;
	for (size_t i = 0; i < l->want->slots.n; i++)
		if (l->want->slots.v[i].bundle.port && l->want->slots.v[i].allocation)
			look_loose(l, &l->want->slots.v[i]);
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

static int64_t flows_stand(const struct ga_look *l, const struct ga_seen_port *s, const char *dump)
{
	const struct ga_network *n = &l->want->network;
	const struct ga_expected_slot *slot = ga_drift_first_slot(l->want, s->allocation);
	ga_autofree char *network = ga_net_network(n->gateway, n->prefix_bits);
	struct ga_err ignored = GA_ERR_INIT;
	int64_t number;

	if (!slot || !slot->bundle.mac || !slot->bundle.private_ip)
		return GA_UNKNOWN;
	number = ga_ovs_port_number(s->name, &ignored);
	return number < 0 ? GA_UNKNOWN :
			    ga_ovs_flows_stand(&(const struct ga_ovs_port){
						       .bridge = s->bridge,
						       .port = s->name,
						       .mac = slot->bundle.mac,
						       .ip = slot->bundle.private_ip,
						       .allocation = s->allocation,
						       .gateway = n->gateway,
						       .network = network,
					       },
					       number, dump);
}

/* The flows with our mark in the cookie ("ga", act/device/ovs.h), read once. */
static int look_flows(const struct ga_look *l, const char *bridge, struct ga_err *err)
{
	const char *argv[] = { "ovs-ofctl",  "--no-names",
			       "dump-flows", bridge,
			       "cookie=0x6761000000000000/0xffff000000000000", NULL };
	const struct ga_proc p = { .argv = argv, .output_max = 8 << 20 };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	if (ga_proc_check(&p, &out, err) < 0)
		return -1;
	for (size_t i = 0; i < l->seen->ports.n; i++) {
		struct ga_seen_port *s = &l->seen->ports.v[i];

		if (s->allocation && ga_streq(s->bridge, bridge))
			s->flows = flows_stand(l, s, out.out.buf);
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
	int r;

	if (!bridge)
		return;
	r = look_bridges(l, bridge, &err);
	if (!r && l->seen->bridge == 1) {
		r = look_flows(l, bridge, &err);
		l->seen->closed = r < 0 ? -1 : ga_ovs_is_closed(bridge, &err);
		r = l->seen->closed < 0 ? -1 : 0;
	}
	if (r < 0) {
		l->seen->bridge = l->seen->closed = GA_UNKNOWN;
		ga_seen_blind(l->seen, GA_A_PORTS, err.msg);
	}
}

/* ---- the network itself ---- */

/* The journal's entry for the port, or a new one. */
static struct ga_seen_ingress *seen_ingress(const struct ga_look *l, const struct ga_net_ingress *i)
{
	struct ga_seen_ingress *s;

	for (size_t k = 0; k < l->seen->ingress.n; k++) {
		s = &l->seen->ingress.v[k];
		if (ga_streq(s->proto, i->proto) && s->port == i->port &&
		    ga_streq(s->allocation, i->allocation))
			return s;
	}
	s = ga_list_add(&l->seen->ingress);
	s->allocation = ga_strdup0(i->allocation);
	s->proto = ga_xstrdup(i->proto);
	s->address = ga_xstrdup(i->address);
	s->port = i->port;
	s->to_port = i->to_port;
	return s;
}

static void look_rules(const struct ga_look *l, const char *network)
{
	ga_autorules struct ga_net_rules rules = { 0 };
	ga_autostr struct ga_str lacks = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;

	if (ga_net_rules_read(l->want->network.bridge, network, &rules, &err) < 0) {
		ga_seen_blind(l->seen, GA_A_INGRESS, err.msg);
		return;
	}
	ga_net_rules_lack(&rules, &lacks);
	l->seen->isolated = ga_net_rules_stand(&rules);
	l->seen->lacks = ga_xstrdup(lacks.buf);
	for (size_t k = 0; k < rules.ingress.n; k++) {
		const struct ga_net_ingress *i = &rules.ingress.v[k];
		struct ga_seen_ingress *s = seen_ingress(l, i);

		s->there = i->passes || !s->entered;
		if (s->to_port == i->to_port && ga_streq(s->address, i->address))
			continue;
		s->there = false;
		s->elsewhere = ga_xprintf("%s port %lld", i->address, (long long)i->to_port);
	}
}

static void look_nat(const struct ga_look *l)
{
	const struct ga_network *n = &l->want->network;
	ga_autofree char *network = ga_net_network(n->gateway, n->prefix_bits);
	ga_autostr struct ga_str evidence = GA_STR_INIT;
	int r = ga_net_ip_forward();

	l->seen->forwarding = r < 0 ? GA_UNKNOWN : r;
	if (!network || !n->bridge)
		return;
	look_rules(l, network);
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
