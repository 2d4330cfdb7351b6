/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of the private network: reservations, leases, ports, flows, bridge, NAT. */
#include "drift_part.h"

#include <string.h>

/* ---- DHCP ---- */

static void reservation_missing(const struct ga_comparison *c,
				const struct ga_expected_allocation *a,
				const struct ga_expected_slot *s)
{
	ga_autofree char *expected = ga_xprintf("%s %s", s->bundle.mac, s->bundle.private_ip);
	struct ga_deviation *d;

	for (size_t i = 0; i < c->seen->reservations.n; i++)
		if (ga_streq(c->seen->reservations.v[i].mac, s->bundle.mac) &&
		    ga_streq(c->seen->reservations.v[i].ip, s->bundle.private_ip))
			return;
	d = ga_deviation_add(c, GA_D_DHCP_MISSING, GA_WARN, a->allocation);
	ga_deviation_say(d, expected, "no reservation");
	d->slot = ga_xstrdup(s->bundle.slot);
	ga_deviation_repair(d, GA_R_WRITE_DHCP_HOST, a->allocation,
			    c->want->network.dhcp_hosts_dir);
}

static void reservation_stale(const struct ga_comparison *c, const struct ga_seen_reservation *r)
{
	struct ga_deviation *d;

	if (!ga_drift_is_over(c->want, c->seen, r->allocation))
		return;
	d = ga_deviation_add(c, GA_D_DHCP_STALE, GA_WARN, r->allocation);
	ga_deviation_say(d, "no reservation of an ended allocation", r->path);
	ga_deviation_repair(d, GA_R_REMOVE_DHCP_HOST, r->allocation, r->path);
}

static void lease(const struct ga_comparison *c, const struct ga_expected_allocation *a,
		  const struct ga_expected_slot *s)
{
	const char *ip = NULL;
	struct ga_deviation *d;

	for (size_t i = 0; i < c->seen->leases.n; i++)
		if (ga_streq(c->seen->leases.v[i].mac, s->bundle.mac))
			ip = c->seen->leases.v[i].ip;
	if (ga_streq(ip, s->bundle.private_ip))
		return;
	d = ga_deviation_add(c, ip ? GA_D_LEASE_MISMATCH : GA_D_LEASE_MISSING, GA_WARN,
			     a->allocation);
	ga_deviation_say(d, s->bundle.private_ip, ip ? ip : "no lease");
	ga_deviation_command(d, "grep %s %s", s->bundle.mac,
			     c->want->network.lease_file ? c->want->network.lease_file :
							   "/var/lib/misc/dnsmasq.leases");
}

/* ---- ports ---- */

static void port(const struct ga_comparison *c, const struct ga_expected_allocation *a,
		 const struct ga_expected_slot *s)
{
	const struct ga_seen_port *p = NULL;
	ga_autofree char *expected = NULL;
	struct ga_deviation *d;

	for (size_t i = 0; i < c->seen->ports.n && !p; i++)
		if (c->seen->ports.v[i].is_port &&
		    ga_streq(c->seen->ports.v[i].name, s->bundle.port))
			p = &c->seen->ports.v[i];
	expected = ga_xprintf("port %s on %s", s->bundle.port,
			      s->bundle.bridge ? s->bundle.bridge : "the bridge");
	if (!p || (s->bundle.bridge && !ga_streq(p->bridge, s->bundle.bridge))) {
		ga_autofree char *there = p ? ga_xprintf("on %s", p->bridge) : NULL;

		/* libvirt makes the port with the domain: only a restart of it brings it back. */
		d = ga_deviation_add(c, GA_D_OVS_PORT_MISSING, GA_BAD, a->allocation);
		ga_deviation_say(d, expected, there ? there : "no such port");
		ga_deviation_command(d, "virsh domiflist %s", a->domain);
	} else if (p->flows == 0) {
		/* Without them a guest may speak as another one. */
		d = ga_deviation_add(c, GA_D_OVS_FLOWS_MISSING, GA_BAD, a->allocation);
		ga_deviation_say(d, "flows against spoofing", "none with its cookie");
		d->slot = ga_xstrdup(s->bundle.slot);
		ga_deviation_repair(d, GA_R_ADD_FLOWS, a->allocation, s->bundle.port);
	} else if (p->flows == GA_UNKNOWN) {
		ga_deviation_unknown(c, a->allocation, "flows against spoofing", NULL);
	}
}

/* A port with the name of a slot that nobody has: whose it was is not known any more. */
static bool is_idle_port(const struct ga_comparison *c, const struct ga_seen_port *p)
{
	for (size_t i = 0; !p->allocation && p->is_port && i < c->want->slots.n; i++)
		if (ga_streq(c->want->slots.v[i].bundle.port, p->name))
			return !c->want->slots.v[i].allocation;
	return false;
}

static void port_orphan(const struct ga_comparison *c, const struct ga_seen_port *p)
{
	struct ga_deviation *d;

	if (is_idle_port(c, p)) {
		d = ga_deviation_add(c, GA_D_OVS_PORT_ORPHAN, GA_WARN, p->name);
		ga_deviation_say(d, "no port of an idle slot", p->name);
		ga_deviation_command(d, "ovs-vsctl --if-exists del-port %s %s", p->bridge, p->name);
		return;
	}
	if (!ga_drift_is_over(c->want, c->seen, p->allocation))
		return;
	d = ga_deviation_add(c, p->is_port ? GA_D_OVS_PORT_ORPHAN : GA_D_OVS_FLOWS_ORPHAN, GA_WARN,
			     p->allocation);
	ga_autofree char *observed = ga_xprintf("%s %s on %s", p->is_port ? "port" : "flows of",
						p->name ? p->name : p->allocation, p->bridge);

	ga_deviation_say(d, "nothing of an ended allocation", observed);
	ga_deviation_repair(d, p->is_port ? GA_R_REMOVE_PORT : GA_R_REMOVE_FLOWS, p->allocation,
			    p->name);
}

/* ---- the network itself ---- */

/* Missing is an error while guests depend on it, a warning on an empty node. */
static void network_fact(const struct ga_comparison *c, enum ga_drift_code code, int64_t fact,
			 const char *expected, const char *observed, const char *command)
{
	bool guests = false;
	struct ga_deviation *d;

	for (size_t i = 0; i < c->want->allocations.n; i++)
		guests |= ga_is_running(c, c->want->allocations.v[i].allocation);
	if (fact == 1)
		return;
	if (fact == GA_UNKNOWN) {
		ga_deviation_unknown(c, c->want->network.bridge, expected, NULL);
		return;
	}
	d = guests ? ga_deviation_add(c, code, GA_BAD, c->want->network.bridge) :
		     ga_deviation_add(c, code, GA_WARN, c->want->network.bridge);
	ga_deviation_say(d, expected, observed);
	ga_deviation_command(d, "%s", command);
}

static void network(const struct ga_comparison *c)
{
	const struct ga_network *n = &c->want->network;
	const char *uplink = n->uplink ? n->uplink : "UPLINK";
	ga_autofree char *bridge = NULL, *make = NULL, *nat = NULL;

	if (!n->bridge)
		return;
	bridge = ga_xprintf("bridge %s", n->bridge);
	make = ga_xprintf("ovs-vsctl --may-exist add-br %s", n->bridge);
	network_fact(c, GA_D_BRIDGE_MISSING, c->seen->bridge, bridge, "no such interface", make);
	if (!n->gateway || n->prefix_bits == GA_UNKNOWN)
		return;
	nat = ga_xprintf("iptables -t nat -A POSTROUTING -s %s/%lld -o %s -j MASQUERADE",
			 n->gateway, (long long)n->prefix_bits, uplink);
	network_fact(c, GA_D_NAT_MISSING, c->seen->nat, "private network masqueraded",
		     "no such rule in effect", nat);
	network_fact(c, GA_D_FORWARDING_OFF, c->seen->forwarding, "net.ipv4.ip_forward=1", "0",
		     "sysctl net.ipv4.ip_forward=1");
}

static void allocation(const struct ga_comparison *c, const struct ga_expected_allocation *a)
{
	const struct ga_expected_slot *s = ga_drift_first_slot(c->want, a->allocation);
	bool running = ga_is_running(c, a->allocation);

	if (!ga_wants_domain(a) || !s)
		return;
	if (s->bundle.mac && s->bundle.private_ip) {
		if (ga_comparison_sees(c, GA_A_DHCP) && c->want->network.dhcp_hosts_dir)
			reservation_missing(c, a, s);
		if (running && !c->want->lab && ga_comparison_sees(c, GA_A_LEASES))
			lease(c, a, s);
	}
	if (running && !c->want->lab && s->bundle.port && ga_comparison_sees(c, GA_A_PORTS))
		port(c, a, s);
}

void ga_drift_net(const struct ga_comparison *c)
{
	if (!c->want->lab && ga_streq(c->want->mode, "slice") &&
	    ga_comparison_sees(c, GA_A_NETWORK))
		network(c);
	for (size_t i = 0; i < c->want->allocations.n; i++)
		allocation(c, &c->want->allocations.v[i]);
	if (ga_comparison_sees(c, GA_A_DHCP))
		for (size_t i = 0; i < c->seen->reservations.n; i++)
			reservation_stale(c, &c->seen->reservations.v[i]);
	if (ga_comparison_sees(c, GA_A_PORTS))
		for (size_t i = 0; i < c->seen->ports.n; i++)
			port_orphan(c, &c->seen->ports.v[i]);
}
