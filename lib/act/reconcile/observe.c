/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at a host for gpuaas-reconcile: the host as a whole, then area by area. */
#include "act/reconcile/observe_part.h"

#include "base/clock.h"
#include "look/discover/discover.h"
#include "look/host/host.h"

/* What discover says of the host: what it lacks, its hugepages, its fingerprint. */
static void look_host(const struct ga_look *l)
{
	const struct ga_network *n = &l->want->network;
	struct ga_discover_opts opts = l->opts->discover;
	ga_autodiscovery struct ga_discovery d = { 0 };
	struct ga_err err = GA_ERR_INIT;

	opts.node = l->want->node;
	opts.bridge = n->bridge ? n->bridge : opts.bridge;
	opts.uplink = n->uplink ? n->uplink : opts.uplink;
	opts.dhcp_hosts_dir = n->dhcp_hosts_dir ? n->dhcp_hosts_dir : opts.dhcp_hosts_dir;
	opts.lease_file = n->lease_file ? n->lease_file : opts.lease_file;
	opts.tool = "gpuaas-reconcile " GA_VERSION;
	if (ga_discover(&opts, &d, &err) < 0) {
		ga_seen_blind(l->seen, GA_A_HUGEPAGES, err.msg);
		return;
	}
	l->seen->fingerprint = GA_TAKE(d.host.fingerprint);
	l->seen->blockers = d.host.blockers;
	d.host.blockers = (struct ga_reasons){ 0 };
	l->seen->numa.v = d.host.numa.v;
	l->seen->numa.n = d.host.numa.n;
	d.host.numa.v = NULL;
	d.host.numa.n = 0;
}

void ga_observe(const struct ga_expectation *want, const struct ga_observe_opts *opts,
		struct ga_seen *ret)
{
	const struct ga_look look = { .want = want, .opts = opts, .seen = ret };

	ga_seen_init(ret);
	ret->node = ga_xstrdup(want->node);
	ret->boot_id = ga_host_boot_id();
	ret->booting = opts->booting;
	look_host(&look);
	ga_look_work(&look);
	ga_look_devices(&look);
	ga_look_domains(&look);
	ga_look_net(&look);
	ret->at_micros = ga_clock_micros();
}
