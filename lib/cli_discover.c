/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that bear on looking at a host. */
#include "cli_discover.h"

#include "cli.h"
#include "size.h"

int ga_cli_discover_opts(struct ga_discover_opts *opts, struct ga_err *err)
{
	const char *memory = ga_cli_setting("GPUAAS_RESERVED_MEMORY", NULL);
	int64_t bytes = 0;

	if (memory && ga_size_parse(memory, &bytes, err) < 0)
		return ga_wrap(err, "GPUAAS_RESERVED_MEMORY");
	*opts = (struct ga_discover_opts){
		.node = ga_cli_setting("GPUAAS_NODE", NULL),
		.bridge = ga_cli_setting("GPUAAS_BRIDGE", NULL),
		.network = ga_cli_setting("GPUAAS_NETWORK", NULL),
		.uplink = ga_cli_setting("GPUAAS_UPLINK", NULL),
		.dhcp_hosts_dir = ga_cli_setting("GPUAAS_DHCP_HOSTS", NULL),
		.lease_file = ga_cli_setting("GPUAAS_LEASES", NULL),
		.reserved_cpus = ga_cli_setting("GPUAAS_RESERVED_CPUS", NULL),
		.reserved_memory_mib = bytes >> 20,
		.accelerators = ga_cli_setting("GPUAAS_ACCELERATORS", NULL),
		.libnvfm = ga_cli_setting("GPUAAS_LIBNVFM", NULL),
		.fabric_address = ga_cli_setting("GPUAAS_FABRIC_ADDRESS", NULL),
		.libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", NULL),
	};
	return 0;
}
