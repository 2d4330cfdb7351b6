/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that bear on looking at a host, for every program that calls ga_discover. */
#ifndef GA_CLI_DISCOVER_H
#define GA_CLI_DISCOVER_H

#include "look/discover/discover.h"

/*
 * Fills opts (overwritten) from GPUAAS_NODE, GPUAAS_BRIDGE, GPUAAS_NETWORK, GPUAAS_UPLINK,
 * GPUAAS_DHCP_HOSTS, GPUAAS_LEASES, GPUAAS_RESERVED_CPUS, GPUAAS_RESERVED_MEMORY,
 * GPUAAS_ACCELERATORS, GPUAAS_LIBNVFM, GPUAAS_FABRIC_ADDRESS and GPUAAS_LIBVIRT_URI. The texts live
 * as long as the program. GA_USAGE for a size that is none.
 */
GA_MUST_CHECK int ga_cli_discover_opts(struct ga_discover_opts *opts, struct ga_err *err);
/* Puts the public half of this host's key into the record, where this user may read the key. */
GA_MUST_CHECK int ga_cli_discover_key(struct ga_host *host, struct ga_err *err);

/*
 * Where GPUAAS_ACCELERATORS names a catalogue, its functions count as accelerators from now on
 * (ga_pci_know). For programs that look at PCI without ga_cli_discover_opts, which does it too.
 */
GA_MUST_CHECK int ga_cli_accelerators(struct ga_err *err);

#endif
