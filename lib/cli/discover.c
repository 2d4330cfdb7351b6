/* SPDX-License-Identifier: Apache-2.0 */
/* The settings for the discovery of a host. */
#include "cli/discover.h"

#include <errno.h>
#include <unistd.h>

#include "catalog/accel.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "look/pci.h"
#include "record/size.h"
#include "state/host/hostdb.h"

int ga_cli_accelerators(struct ga_err *err)
{
	static struct ga_accels *own; /* lives to the end of the program */
	const char *file = ga_cli_catalogue_file();

	if (!file || own)
		return 0;
	if (ga_accels_open(file, &own, err) < 0)
		return -1;
	ga_pci_know(own);
	return 0;
}

int ga_cli_discover_key(struct ga_host *host, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/node.key", ga_cli_host_dir());
	ga_autosign struct ga_sign_key *key = NULL;
	int r = access(path, R_OK) < 0 && errno == EACCES ?
			0 :
			ga_hostdb_key(ga_cli_host_dir(), &key, err);

	if (r > 0)
		host->node_key = ga_xstrdup(ga_sign_public(key));
	return r < 0 ? -1 : 0;
}

int ga_cli_discover_opts(struct ga_discover_opts *opts, struct ga_err *err)
{
	const char *memory = ga_cli_setting("GPUAAS_RESERVED_MEMORY", NULL);
	const char *mode = ga_cli_setting("GPUAAS_MODE", NULL);
	int64_t bytes = 0;

	if (mode && !ga_streq(mode, "slice") && !ga_streq(mode, "baremetal"))
		return ga_fail(err, GA_USAGE, "GPUAAS_MODE is '%.64s', not slice or baremetal",
			       mode);
	if (memory && ga_size_parse(memory, &bytes, err) < 0)
		return ga_wrap(err, "GPUAAS_RESERVED_MEMORY");
	if (ga_cli_accelerators(err) < 0)
		return -1;
	*opts = (struct ga_discover_opts){
		.node = ga_cli_setting("GPUAAS_NODE", NULL),
		.mode = mode,
		.bridge = ga_cli_setting("GPUAAS_BRIDGE", NULL),
		.network = ga_cli_setting("GPUAAS_NETWORK", NULL),
		.uplink = ga_cli_setting("GPUAAS_UPLINK", NULL),
		.dhcp_hosts_dir = ga_cli_setting("GPUAAS_DHCP_HOSTS", NULL),
		.lease_file = ga_cli_setting("GPUAAS_LEASES", NULL),
		.reserved_cpus = ga_cli_setting("GPUAAS_RESERVED_CPUS", NULL),
		.reserved_memory_mib = bytes >> 20,
		.accelerators = ga_cli_catalogue_file(),
		.libnvfm = ga_cli_setting("GPUAAS_LIBNVFM", NULL),
		.fabric_address = ga_cli_setting("GPUAAS_FABRIC_ADDRESS", NULL),
		.libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", NULL),
		.scrub_hooks = ga_cli_setting("GPUAAS_GPU_SCRUB_DIR", NULL),
	};
	return 0;
}
