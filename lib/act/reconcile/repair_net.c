/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs of the private network: reservations, flows, bridge, NAT, published ports, leases. */
#include "act/device/lease.h"
#include "act/reconcile/internal.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "look/dhcp.h"
#include "look/domain.h"
#include "record/expectation.h"

#define LEASE_MICROS (10 * GA_SECOND)
#define IP_FORWARD "/proc/sys/net/ipv4/ip_forward"

int ga_repair_write_dhcp_host(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	const struct ga_expected_allocation *a = ga_drift_allocation(r->want, d->allocation);
	const struct ga_expected_slot *s = ga_drift_first_slot(r->want, d->allocation);
	ga_autofree char *path = ga_dhcp_hosts_path(r->want->network.dhcp_hosts_dir, d->allocation);
	ga_autostr struct ga_str line = GA_STR_INIT;

	ga_dhcp_hosts_line(s->bundle.mac, s->bundle.private_ip, a->domain, &line);
	return ga_change_file(&r->changes, path, line.buf, line.len, 0644, err);
}

/* ---- the switch ---- */

/* The port of the allocation. The caller has network and frees it after the port. */
static int port_of(const struct ga_repairer *r, const char *allocation, char **network,
		   struct ga_ovs_port *ret, struct ga_err *err)
{
	const struct ga_network *n = &r->want->network;
	const struct ga_expected_slot *s = ga_drift_first_slot(r->want, allocation);

	*network = ga_net_network(n->gateway, n->prefix_bits);
	*ret = (struct ga_ovs_port){
		.bridge = n->bridge,
		.port = s->bundle.port,
		.mac = s->bundle.mac,
		.ip = s->bundle.private_ip,
		.allocation = allocation,
		.gateway = n->gateway,
		.network = *network,
	};
	if (ret->bridge && ret->port && ret->mac && ret->ip)
		return 0;
	return ga_fail(err, GA_HOST, "slot '%s' lacks bridge, port or address", s->bundle.slot);
}

int ga_repair_protect(struct ga_repairer *r, const char *allocation, struct ga_err *err)
{
	ga_autofree char *network = NULL;
	struct ga_ovs_port port;

	if (port_of(r, allocation, &network, &port, err) < 0 ||
	    ga_change_network(&r->changes, &port, err) < 0)
		return -1;
	return ga_ovs_protect(&port, err);
}

/* An open bridge would forward the guest's packets before its flows are in effect. */
static int check_closed(const char *bridge, struct ga_err *err)
{
	int closed = ga_ovs_is_closed(bridge, err);

	if (closed)
		return closed < 0 ? -1 : 0;
	return ga_refuse(err, GA_CONFLICT, "bridge_open", NULL,
			 ("bridge '%s' forwards what no flow allows", bridge),
			 ("the port is added when the bridge is closed (bridge_open)"));
}

int ga_repair_add_port(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	ga_autofree char *network = NULL;
	struct ga_ovs_port port;
	char id[GA_UUID_SIZE];

	ga_domain_uuid("port", d->allocation, id);
	if (port_of(r, d->allocation, &network, &port, err) < 0 ||
	    check_closed(port.bridge, err) < 0 || ga_ovs_add_port(&port, id, err) < 0)
		return -1;
	return ga_repair_protect(r, d->allocation, err);
}

int ga_repair_add_flows(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	return ga_repair_protect(r, d->allocation, err);
}

static bool is_on_bridge(const struct ga_repairer *r, const char *allocation)
{
	for (size_t i = 0; i < r->seen->ports.n; i++) {
		const struct ga_seen_port *p = &r->seen->ports.v[i];

		if (p->is_port && ga_streq(p->allocation, allocation) &&
		    ga_streq(p->bridge, r->want->network.bridge))
			return true;
	}
	return false;
}

/* Protects every port of a live allocation, because another fail mode has deleted the flows. Locks
 * each allocation: the flows belong to it. */
static int protect_all(struct ga_repairer *r, struct ga_err *err)
{
	const char *object = r->changes.object;
	int result = 0;

	for (size_t i = 0; i < r->want->allocations.n; i++) {
		const char *allocation = r->want->allocations.v[i].allocation;
		ga_autofd int hold = -1;

		if (!ga_drift_is_live(r->want, allocation) || !is_on_bridge(r, allocation))
			continue;
		r->changes.object = allocation;
		if (ga_object_lock(r->opts->host_dir, allocation, r->opts->program, &hold,
				   err) < 0 ||
		    ga_repair_protect(r, allocation, err) < 0)
			result = -1; /* protect the other ports all the same */
	}
	r->changes.object = object;
	return result;
}

int ga_repair_setup_bridge(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	(void)d;
	return ga_ovs_setup_bridge(r->want->network.bridge, err) < 0 ? -1 : protect_all(r, err);
}

/* ---- NAT ---- */

int ga_repair_forward(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	ga_autofd int fd = open(IP_FORWARD, O_WRONLY | O_TRUNC | O_CLOEXEC);

	(void)r;
	(void)d;
	if (fd < 0 || ga_write_all(fd, "1\n", 2) < 0)
		return ga_fail_sys(err, "cannot write 1 to " IP_FORWARD);
	return 0;
}

int ga_repair_setup_nat(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	(void)d;
	return ga_nat_setup(&r->want->network, err);
}

/* ---- published ports ---- */

int ga_repair_publish(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };

	if (ga_journal_open_entries(&r->h, d->allocation, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++) {
		ga_autoingress struct ga_net_ingress in = { 0 };

		if (!ga_streq(j.v[i].op, "ingress") || !ga_streq(j.v[i].subject, d->subject))
			continue;
		return ga_change_ingress_of(&j.v[i], &in, err) < 0 ? -1 : ga_nat_publish(&in, err);
	}
	return ga_fail_for(err, GA_CONFLICT, "moved", "'%s' was unpublished since", d->subject);
}

/* For an allocation that has ended: it has no open work, so it may have no published port. */
int ga_repair_unpublish(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };

	if (ga_journal_open_entries(&r->h, d->allocation, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++)
		if (ga_streq(j.v[i].op, "ingress") && ga_streq(j.v[i].subject, d->subject))
			return ga_fail_for(err, GA_CONFLICT, "moved", "'%s' was published since",
					   d->subject);
	for (size_t i = 0; i < r->seen->ingress.n; i++) {
		const struct ga_seen_ingress *s = &r->seen->ingress.v[i];
		ga_autofree char *subject = ga_xprintf("%s/%lld", s->proto, (long long)s->port);
		const struct ga_net_ingress in = { .proto = s->proto, .port = s->port,
						   .allocation = s->allocation };

		if (ga_streq(s->allocation, d->allocation) && ga_streq(subject, d->subject))
			return ga_nat_unpublish(&in, err) < 0 ? -1 : 0;
	}
	return 0;
}

/* ---- leases ---- */

/* The tool only sends a packet: the lease is gone once dnsmasq has written that. */
static int wait_released(const char *lease_file, const char *mac, struct ga_err *err)
{
	int64_t deadline = ga_clock_mono_micros() + LEASE_MICROS;
	bool there;

	do {
		struct ga_lease lease = { 0 };

		ga_dhcp_lease(lease_file, mac, NULL, &lease);
		there = lease.actual_ip;
		ga_schema_release(&ga_lease_schema, &lease);
	} while (there && ga_clock_wait(deadline, 50000));
	if (!there)
		return 0;
	return ga_fail(err, GA_EXTERNAL, "dhcp_release ran, and dnsmasq keeps the lease of %s",
		       mac);
}

/* The slot is idle and nobody is about to use it: provision enters the lease before anything
 * else. */
int ga_repair_release_lease(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };
	const char *mac = NULL;
	int result;

	for (size_t i = 0; i < r->want->slots.n; i++)
		if (ga_streq(r->want->slots.v[i].bundle.slot, d->slot))
			mac = r->want->slots.v[i].bundle.mac;
	if (!mac || ga_journal_open_entries(&r->h, NULL, &j, err) < 0)
		return mac ? -1 : ga_fail(err, GA_NOTFOUND, "slot '%s' has no MAC", d->slot);
	for (size_t i = 0; i < j.n; i++)
		if (ga_streq(j.v[i].op, "lease") && ga_streq(j.v[i].subject, mac))
			return ga_fail_for(err, GA_CONFLICT, "moved", "'%s' uses the lease of %s",
					   j.v[i].object, mac);
	result = ga_dhcp_release_lease(r->want->network.bridge, d->subject, mac, err);
	if (result)
		return result < 0 ? -1 : wait_released(r->want->network.lease_file, mac, err);
	return ga_refuse(err, GA_HOST, NULL, NULL,
			 ("dhcp_release is not installed"),
			 ("apt install dnsmasq-utils"));
}
