/* SPDX-License-Identifier: Apache-2.0 */
/* The settings for the discovery of a host, for every program that calls ga_discover. */
#ifndef GA_CLI_DISCOVER_H
#define GA_CLI_DISCOVER_H

#include "look/discover/discover.h"

/*
 * Fills opts (overwritten) from GPUAAS_NODE, GPUAAS_BRIDGE, GPUAAS_NETWORK, GPUAAS_UPLINK,
 * GPUAAS_DHCP_HOSTS, GPUAAS_LEASES, GPUAAS_RESERVED_CPUS, GPUAAS_RESERVED_MEMORY,
 * GPUAAS_ACCELERATORS, GPUAAS_LIBNVFM, GPUAAS_FABRIC_ADDRESS and GPUAAS_LIBVIRT_URI. The texts live
 * as long as the program. GA_USAGE for an invalid size.
 */
GA_MUST_CHECK int ga_cli_discover_opts(struct ga_discover_opts *opts, struct ga_err *err);
/* Puts the public half of this host's key into the record, if this user may read the key. */
GA_MUST_CHECK int ga_cli_discover_key(struct ga_host *host, struct ga_err *err);

/*
 * If GPUAAS_ACCELERATORS names a catalogue, its PCI functions count as accelerators from now on
 * (ga_pci_know). For programs that read PCI without ga_cli_discover_opts, which does the same.
 */
GA_MUST_CHECK int ga_cli_accelerators(struct ga_err *err);

#endif
