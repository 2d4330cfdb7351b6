/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at the whole host: the facts that gpuaas-discover prints, as a call, so that approve and
 * reconcile can look again on the host itself. Reads only.
 */
#ifndef GA_LOOK_DISCOVER_DISCOVER_H
#define GA_LOOK_DISCOVER_DISCOVER_H

#include "base/ga.h"
#include "look/discover/candidate.h"
#include "record/host.h"

/* Settings; NULL members have the defaults in parentheses. ga_cli_discover_opts fills them. */
struct ga_discover_opts {
	const char *node;	    /* node id (from the machine id) */
	const char *mode;	    /* baremetal: the needs of slices are left out (slice) */
	const char *bridge;	    /* Open vSwitch bridge (ovsbr0) */
	const char *network;	    /* private network (10.100.0.0/24); its .1 is the gateway */
	const char *uplink;	    /* interface by which NAT packets leave (of the default
				       route) */
	const char *dhcp_hosts_dir; /* (/var/lib/gpuaas/dhcp-hosts) */
	const char *lease_file;	    /* (/var/lib/gpuaas/dnsmasq.leases) */
	const char *reserved_cpus;  /* CPU list kept for the host (none) */
	int64_t reserved_memory_mib; /* kept for the host; 0: an eighth, at most 32 GiB */
	const char *accelerators;    /* catalogue file (the built-in one) */
	const char *libnvfm;	     /* (libnvfm.so.1) */
	const char *fabric_address;  /* of Fabric Manager (127.0.0.1) */
	const char *libvirt_uri;     /* its socket must exist (the system's) */
	const char *data_dir;	     /* its free space is checked (/var/lib/gpuaas) */
	const char *scrub_hooks;     /* executables that clear GPUs (/etc/gpuaas/gpu-scrub.d) */
	const char *tool;	     /* for the record ("gpuaas-discover VERSION") */
};

struct ga_discovery {
	struct ga_host host;
	struct ga_candidates candidates; /* by slot index */
};

/* Fills ret, which the caller releases; on failure it is empty. GA_USAGE for a wrong node id;
 * GA_HOST when the machine has no machine id. */
GA_MUST_CHECK int ga_discover(const struct ga_discover_opts *opts, struct ga_discovery *ret,
			      struct ga_err *err);
void ga_discovery_release(struct ga_discovery *d);
#define ga_autodiscovery ga_cleanup(ga_discovery_release)

#endif
