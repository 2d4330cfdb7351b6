/* SPDX-License-Identifier: Apache-2.0 */
/* Drift of the private network: reservations, leases, ports, flows, bridge, NAT. */
#include "decide/drift/internal.h"
#include "record/expectation.h"

#include <string.h>

/* Whether domains and current work are known: without them nothing may be removed. */
static bool has_open_eyes(const struct ga_drift_ctx *c)
{
	return ga_drift_sees(c, GA_A_DOMAINS) && ga_drift_sees(c, GA_A_WORK);
}

/* ---- DHCP ---- */

static void reservation_missing(const struct ga_drift_ctx *c,
				const struct ga_expected_allocation *a,
				const struct ga_expected_slot *s)
{
	ga_autofree char *expected = ga_xprintf("%s %s", s->bundle.mac, s->bundle.private_ip);
	struct ga_drift_item *d;

	for (size_t i = 0; i < c->seen->reservations.n; i++)
		if (ga_streq(c->seen->reservations.v[i].mac, s->bundle.mac) &&
		    ga_streq(c->seen->reservations.v[i].ip, s->bundle.private_ip))
			return;
	d = ga_drift_add(c, GA_D_DHCP_MISSING, GA_DRIFT_WARNING, a->allocation);
	ga_drift_say(d, expected, "no reservation");
	d->slot = ga_xstrdup(s->bundle.slot);
	ga_drift_repair(d, GA_R_WRITE_DHCP_HOST, a->allocation,
			c->want->network.dhcp_hosts_dir);
}

static void reservation_stale(const struct ga_drift_ctx *c, const struct ga_seen_reservation *r)
{
	struct ga_drift_item *d;

	if (!ga_drift_is_over(c->want, c->seen, r->allocation))
		return;
	d = ga_drift_add(c, GA_D_DHCP_STALE, GA_DRIFT_WARNING, r->allocation);
	ga_drift_say(d, "no reservation of an ended allocation", r->path);
	ga_drift_repair(d, GA_R_REMOVE_DHCP_HOST, r->allocation, r->path);
}

static void lease(const struct ga_drift_ctx *c, const struct ga_expected_allocation *a,
		  const struct ga_expected_slot *s)
{
	const char *ip = NULL;
	struct ga_drift_item *d;

	for (size_t i = 0; i < c->seen->leases.n; i++)
		if (ga_streq(c->seen->leases.v[i].mac, s->bundle.mac))
			ip = c->seen->leases.v[i].ip;
	if (ga_streq(ip, s->bundle.private_ip))
		return;
	d = ga_drift_add(c, ip ? GA_D_LEASE_MISMATCH : GA_D_LEASE_MISSING, GA_DRIFT_WARNING,
			 a->allocation);
	ga_drift_say(d, s->bundle.private_ip, ip ? ip : "no lease");
	ga_drift_command(d, "grep %s %s", s->bundle.mac,
			 c->want->network.lease_file ? c->want->network.lease_file :
							   "/var/lib/misc/dnsmasq.leases");
}

/* A lease of an idle slot: its last guest left while dnsmasq did not answer. */
static void lease_stale(const struct ga_drift_ctx *c, const struct ga_expected_slot *s)
{
	ga_autofree char *observed = NULL;
	struct ga_drift_item *d;
	const char *ip = NULL;

	for (size_t i = 0; s->bundle.mac && i < c->seen->leases.n; i++)
		if (ga_streq(c->seen->leases.v[i].mac, s->bundle.mac))
			ip = c->seen->leases.v[i].ip;
	for (size_t i = 0; i < c->seen->entries.n; i++) /* the lease belongs to a guest that is
							 * starting or ending */
		if (ga_streq(c->seen->entries.v[i].op, "lease") &&
		    ga_streq(c->seen->entries.v[i].subject, s->bundle.mac))
			return;
	if (!ip || s->allocation || !has_open_eyes(c))
		return;
	observed = ga_xprintf("%s has %s", s->bundle.mac, ip);
	d = ga_drift_add(c, GA_D_LEASE_STALE, GA_DRIFT_WARNING, s->bundle.slot);
	ga_drift_say(d, "no lease of an idle slot", observed);
	d->slot = ga_xstrdup(s->bundle.slot);
	ga_drift_repair(d, GA_R_RELEASE_LEASE, NULL, ip);
}

/* ---- ports ---- */

/* The guest still has its interface, but the interface's bridge is gone. */
static bool is_loose(const struct ga_drift_ctx *c, const char *name)
{
	for (size_t i = 0; i < c->seen->ports.n; i++)
		if (c->seen->ports.v[i].loose && ga_streq(c->seen->ports.v[i].name, name))
			return true;
	return false;
}

static void port(const struct ga_drift_ctx *c, const struct ga_expected_allocation *a,
		 const struct ga_expected_slot *s)
{
	const struct ga_seen_port *p = NULL;
	ga_autofree char *expected = NULL;
	struct ga_drift_item *d;

	for (size_t i = 0; i < c->seen->ports.n && !p; i++)
		if (c->seen->ports.v[i].is_port &&
		    ga_streq(c->seen->ports.v[i].name, s->bundle.port))
			p = &c->seen->ports.v[i];
	expected = ga_xprintf("port %s on %s", s->bundle.port,
			      s->bundle.bridge ? s->bundle.bridge : "the bridge");
	if (!p || (s->bundle.bridge && !ga_streq(p->bridge, s->bundle.bridge))) {
		ga_autofree char *there = p ? ga_xprintf("on %s", p->bridge) : NULL;
		bool loose = !p && is_loose(c, s->bundle.port);

		d = ga_drift_add(c, GA_D_OVS_PORT_MISSING, GA_DRIFT_ERROR, a->allocation);
		ga_drift_say(d, expected,
			     there ? there : loose ? "on no bridge" : "no such port");
		d->slot = ga_xstrdup(s->bundle.slot);
		/* Without the interface only a restart of the domain helps. On another bridge than
		 * the plan's, a person must decide. */
		if (loose && c->seen->bridge == 1 &&
		    (!s->bundle.bridge || ga_streq(s->bundle.bridge, c->want->network.bridge)))
			ga_drift_repair(d, GA_R_ADD_PORT, a->allocation, s->bundle.port);
		else
			ga_drift_command(d, "virsh domiflist %s", a->domain);
	} else if (p->flows == 0) {
		/* Without flows a guest can send under another guest's address. */
		d = ga_drift_add(c, GA_D_OVS_FLOWS_MISSING, GA_DRIFT_ERROR, a->allocation);
		ga_drift_say(d, "flows against spoofing", "none with its cookie");
		d->slot = ga_xstrdup(s->bundle.slot);
		ga_drift_repair(d, GA_R_ADD_FLOWS, a->allocation, s->bundle.port);
	} else if (p->flows == GA_UNKNOWN) {
		ga_drift_unknown(c, a->allocation, "flows against spoofing", NULL);
	}
}

/* A port with the name of an idle slot: its last allocation is not known any more. */
static bool is_idle_port(const struct ga_drift_ctx *c, const struct ga_seen_port *p)
{
	for (size_t i = 0; !p->allocation && p->is_port && i < c->want->slots.n; i++)
		if (ga_streq(c->want->slots.v[i].bundle.port, p->name))
			return !c->want->slots.v[i].allocation;
	return false;
}

static void port_orphan(const struct ga_drift_ctx *c, const struct ga_seen_port *p)
{
	struct ga_drift_item *d;

	if (p->loose)
		return; /* it is on no bridge */
	if (is_idle_port(c, p)) {
		d = ga_drift_add(c, GA_D_OVS_PORT_ORPHAN, GA_DRIFT_WARNING, p->name);
		ga_drift_say(d, "no port of an idle slot", p->name);
		if (p->dead && has_open_eyes(c) && ga_streq(p->bridge, c->want->network.bridge))
			ga_drift_repair(d, GA_R_REMOVE_PORT, NULL, p->name);
		else
			ga_drift_command(d, "ovs-vsctl --if-exists del-port %s %s", p->bridge,
					 p->name);
		return;
	}
	if (!ga_drift_is_over(c->want, c->seen, p->allocation))
		return;
	d = ga_drift_add(c, p->is_port ? GA_D_OVS_PORT_ORPHAN : GA_D_OVS_FLOWS_ORPHAN,
			 GA_DRIFT_WARNING, p->allocation);
	ga_autofree char *observed = ga_xprintf("%s %s on %s", p->is_port ? "port" : "flows of",
						p->name ? p->name : p->allocation, p->bridge);

	ga_drift_say(d, "nothing of an ended allocation", observed);
	if (!ga_streq(p->bridge, c->want->network.bridge)) /* the owner of that bridge is unknown */
		ga_drift_command(d, "ovs-vsctl --if-exists del-port %s %s", p->bridge, p->name);
	else
		ga_drift_repair(d, p->is_port ? GA_R_REMOVE_PORT : GA_R_REMOVE_FLOWS,
				p->allocation, p->name);
}

/* ---- the network itself ---- */

/* A missing fact is an error while guests run, and a warning on a node without guests. */
static struct ga_drift_item *network_fact(const struct ga_drift_ctx *c, enum ga_drift_code code,
					  int64_t fact, const char *expected, const char *observed)
{
	bool guests = false;
	struct ga_drift_item *d;

	for (size_t i = 0; i < c->want->allocations.n; i++)
		guests |= ga_is_running(c, c->want->allocations.v[i].allocation);
	if (fact == 1)
		return NULL;
	if (fact == GA_UNKNOWN) {
		ga_drift_unknown(c, c->want->network.bridge, expected, NULL);
		return NULL;
	}
	d = ga_drift_add(c, code, guests ? GA_DRIFT_ERROR : GA_DRIFT_WARNING,
			 c->want->network.bridge);
	ga_drift_say(d, expected, observed);
	return d;
}

/* A missing bridge may have been renamed: a person or the settings must say which name is right. */
static void bridge(const struct ga_drift_ctx *c)
{
	const char *name = c->want->network.bridge, *others = c->seen->bridges;
	ga_autofree char *expected = ga_xprintf("bridge %s", name), *observed = NULL;
	struct ga_drift_item *d;

	observed = others && *others ? ga_xprintf("no such bridge; there is: %s", others) :
				       ga_xstrdup("no bridge of Open vSwitch");
	d = network_fact(c, GA_D_BRIDGE_MISSING, c->seen->bridge, expected, observed);
	if (d && others && *others)
		ga_drift_command(d, "set GPUAAS_BRIDGE and discover again, or: "
					"ovs-vsctl --may-exist add-br %s", name);
	else if (d)
		ga_drift_command(d, "ovs-vsctl --may-exist add-br %s", name);
	if (c->seen->bridge != 1)
		return;
	d = network_fact(c, GA_D_BRIDGE_OPEN, c->seen->closed,
			 "fail mode secure, and the bridge's own flow", "it forwards everything");
	/* The fail mode would cut off ports that belong to no slot: a person must decide. */
	if (d && c->seen->strangers)
		ga_drift_command(d, "ovs-vsctl set-fail-mode %s secure", name);
	else if (d)
		ga_drift_repair(d, GA_R_SETUP_BRIDGE, NULL, NULL);
}

static void network(const struct ga_drift_ctx *c)
{
	const struct ga_network *n = &c->want->network;
	struct ga_drift_item *d;

	if (!n->bridge)
		return;
	bridge(c);
	if (!n->gateway || n->prefix_bits == GA_UNKNOWN)
		return;
	d = network_fact(c, GA_D_NAT_MISSING, c->seen->nat, "private network masqueraded",
			 "no such rule in effect");
	if (d)
		ga_drift_repair(d, GA_R_SETUP_NAT, NULL, NULL);
	d = network_fact(c, GA_D_ISOLATION_MISSING, c->seen->isolated,
			 "the rules of table 'ip gpuaas'", c->seen->lacks);
	if (d)
		ga_drift_repair(d, GA_R_SETUP_NAT, NULL, NULL);
	d = network_fact(c, GA_D_FORWARDING_OFF, c->seen->forwarding, "net.ipv4.ip_forward=1", "0");
	if (d)
		ga_drift_repair(d, GA_R_FORWARD, NULL, NULL);
}

/* ---- published ports ---- */

static void ingress(const struct ga_drift_ctx *c, const struct ga_seen_ingress *i)
{
	ga_autofree char *subject = ga_xprintf("%s/%lld", i->proto, (long long)i->port);
	ga_autofree char *element = ga_xprintf("{ %s . %lld }", i->proto, (long long)i->port);
	ga_autofree char *to = ga_xprintf("%s to %s port %lld", subject, i->address,
					  (long long)i->to_port);
	struct ga_drift_item *d;

	if (i->entered && !i->there && i->done && ga_drift_is_live(c->want, i->allocation)) {
		d = ga_drift_add(c, GA_D_INGRESS_MISSING, GA_DRIFT_WARNING, i->allocation);
		ga_drift_say(d, to, i->elsewhere ? i->elsewhere : "closed");
		ga_drift_repair(d, GA_R_PUBLISH, i->allocation, subject);
	} else if (!i->entered && i->there) {
		d = ga_drift_add(c, GA_D_INGRESS_ORPHAN, GA_DRIFT_WARNING,
				 i->allocation ? i->allocation : subject);
		ga_drift_say(d, "no port that nobody has published", to);
		/* A live tenant may use the port, even one that gpuaas did not open: only a person
		 * closes it. */
		if (i->allocation && ga_drift_is_over(c->want, c->seen, i->allocation))
			ga_drift_repair(d, GA_R_UNPUBLISH, i->allocation, subject);
		else
			ga_drift_command(d, "nft delete element ip gpuaas ingress %s", element);
	}
}

static void allocation(const struct ga_drift_ctx *c, const struct ga_expected_allocation *a)
{
	const struct ga_expected_slot *s = ga_drift_first_slot(c->want, a->allocation);
	bool running = ga_is_running(c, a->allocation);

	if (!ga_wants_domain(a) || !s)
		return;
	if (s->bundle.mac && s->bundle.private_ip) {
		if (ga_drift_sees(c, GA_A_DHCP) && c->want->network.dhcp_hosts_dir)
			reservation_missing(c, a, s);
		if (running && !c->want->lab && ga_drift_sees(c, GA_A_LEASES))
			lease(c, a, s);
	}
	if (running && !c->want->lab && s->bundle.port && ga_drift_sees(c, GA_A_PORTS))
		port(c, a, s);
}

void ga_drift_net(const struct ga_drift_ctx *c)
{
	if (!c->want->lab && ga_streq(c->want->mode, "slice") &&
	    ga_drift_sees(c, GA_A_NETWORK))
		network(c);
	for (size_t i = 0; i < c->want->allocations.n; i++)
		allocation(c, &c->want->allocations.v[i]);
	if (ga_drift_sees(c, GA_A_DHCP))
		for (size_t i = 0; i < c->seen->reservations.n; i++)
			reservation_stale(c, &c->seen->reservations.v[i]);
	if (ga_drift_sees(c, GA_A_PORTS))
		for (size_t i = 0; i < c->seen->ports.n; i++)
			port_orphan(c, &c->seen->ports.v[i]);
	if (c->want->lab)
		return;
	if (ga_drift_sees(c, GA_A_LEASES))
		for (size_t i = 0; i < c->want->slots.n; i++)
			lease_stale(c, &c->want->slots.v[i]);
	/* host.db has the published ports: without it nothing counts as orphan or missing. */
	if (ga_drift_sees(c, GA_A_INGRESS) && ga_drift_sees(c, GA_A_WORK))
		for (size_t i = 0; i < c->seen->ingress.n; i++)
			ingress(c, &c->seen->ingress.v[i]);
}
