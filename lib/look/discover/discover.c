/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the whole host. */
#include "look/discover/discover.h"

#include <inttypes.h>

#include "base/texts.h"
#include "look/discover/parts.h"
#include "look/host/host.h"
#include "look/host/prereq.h"
#include "look/sys.h"
#include "record/mac.h"
#include "record/time.h"

static const char *or(const char *value, const char *fallback)
{
	return value ? value : fallback;
}

static void release_look(struct ga_look *look)
{
	ga_pci_release(&look->pci);
	ga_block_devs_release(&look->disks);
	ga_block_table_free(look->table);
	ga_net_release(&look->net);
	ga_rdma_release(&look->rdma);
	ga_accels_close(look->accels);
	ga_nvfm_partitions_release(&look->partitions);
	free(look->uplink);
}

static bool has_nvidia(const struct ga_pci *pci)
{
	size_t i;

	for (i = 0; i < pci->n; i++)
		if (pci->v[i].vendor == 0x10de &&
		    (pci->v[i].sort == GA_PCI_GPU || pci->v[i].sort == GA_PCI_NVSWITCH))
			return true;
	return false;
}

/* Reads the partitions from Fabric Manager when the host has a GPU or switch of NVIDIA; the library
 * may be missing. */
static void ask_fabric_manager(const struct ga_discover_opts *opts, struct ga_look *look,
			       struct ga_host *host)
{
	ga_autonvfm struct ga_nvfm *fm = NULL;
	struct ga_err why = GA_ERR_INIT;
	size_t i, j;

	if (!has_nvidia(&look->pci)) {
		host->fabric_manager.state = ga_xstrdup("absent");
		host->fabric_manager.evidence = ga_xstrdup("no NVIDIA GPU or NVSwitch");
		return;
	}
	if (ga_nvfm_open(opts->libnvfm, opts->fabric_address, &fm, &why) < 0 ||
	    ga_nvfm_partitions(fm, &look->partitions, &why) < 0) {
		host->fabric_manager.state =
			ga_xstrdup(why.code == GA_NOTFOUND ? "absent" : "unknown");
		host->fabric_manager.evidence = ga_sys_tidy(ga_xstrdup(why.msg));
		return;
	}
	host->fabric_manager.state = ga_xstrdup("ok");
	host->fabric_manager.evidence = ga_xprintf("%zu supported partitions", look->partitions.n);
	for (i = 0; i < look->partitions.n; i++) {
		const struct ga_nvfm_partition *p = &look->partitions.v[i];
		struct ga_partition *to = ga_list_add(&host->fabric_manager.partitions);

		to->id = p->id;
		to->active = p->active;
		for (j = 0; j < p->gpus.n; j++)
			*ga_list_add(&to->module_ids) = p->gpus.v[j].module_id;
	}
}

/* A wrong setting is GA_USAGE, whatever code its parser gives. */
static int bad_setting(const char *name, struct ga_err *err)
{
	err->code = GA_USAGE;
	return ga_wrap(err, "%s", name);
}

static void add_warnings(const struct ga_discover_opts *opts, const struct ga_look *look,
			 struct ga_host *host)
{
	const char *clone = ga_host_clone_reason();

	if (clone && !opts->node)
		ga_reasons_add(&host->warnings, "node_id_clone", host->node, clone,
			       "run 'rm /etc/machine-id && systemd-machine-id-setup' and reboot, "
			       "or set GPUAAS_NODE: two hosts with one id would be one node");
	if (!opts->reserved_cpus && !ga_streq(opts->mode, "baremetal"))
		ga_reasons_add(&host->warnings, "no_reserved_cpus", "GPUAAS_RESERVED_CPUS",
			       "no CPU is kept for the host: suggestions use them all",
			       "set it to a CPU list such as 0-1,48-49 in /etc/gpuaas/gpuaas.conf");
	if (!ga_block_table_is_whole(look->table))
		ga_reasons_add(&host->warnings, "mounts_unknown", NULL,
			       "the mounts of some processes cannot be read",
			       "run it as root to see them; a wipe looks again in any case");
}

/* The thread siblings of each core, each core once. */
static void read_cores(const char *cpus, struct ga_texts *ret)
{
	ga_autofree struct ga_cpuset *all = ga_xcalloc(1, sizeof(*all));
	ga_autofree struct ga_cpuset *seen = ga_xcalloc(1, sizeof(*seen));
	ga_autofree struct ga_cpuset *core = ga_xcalloc(1, sizeof(*core));
	struct ga_err ignored = GA_ERR_INIT;
	size_t i;
	int cpu;

	if (!cpus || ga_cpuset_parse(cpus, all, &ignored) < 0)
		return;
	for (cpu = 0; cpu < GA_CPU_MAX; cpu++) {
		ga_autofree char *twins = NULL;

		if (!ga_cpuset_has(all, cpu) || ga_cpuset_has(seen, cpu))
			continue;
		twins = ga_host_cpu_siblings(cpu);
		if (!twins || ga_cpuset_parse(twins, core, &ignored) < 0) {
			ga_texts_release(ret); /* unknown for one CPU: unknown for all */
			return;
		}
		ga_texts_add(ret, twins);
		for (i = 0; i < GA_ARRAY_SIZE(seen->bits); i++)
			seen->bits[i] |= core->bits[i];
	}
}

/* The configured reserve, else an eighth of the memory, at most 32 GiB. */
static int64_t reserved_memory(const struct ga_discover_opts *opts, const struct ga_host *host)
{
	int64_t eighth = host->memory_mib == GA_UNKNOWN ? 0 : host->memory_mib / 8;

	if (opts->reserved_memory_mib > 0)
		return opts->reserved_memory_mib;
	return eighth < 32768 ? eighth : 32768;
}

/* Nothing binds the GPUs of a baremetal host to vfio-pci, where a wipe could reset them. */
static void warn_of_wipe(const struct ga_discover_opts *opts, const struct ga_candidates *list,
			 struct ga_host *host)
{
	const char *scrubs = or(opts->scrub_hooks, "/etc/gpuaas/gpu-scrub.d");

	for (size_t i = 0; i < list->n; i++) {
		const struct ga_gpu *gpu = list->v[i].gpu;
		ga_autofree char *why = NULL, *fix = NULL;

		if (gpu && ga_pci_wipe_unproven(gpu->pci_address, scrubs, &why, &fix))
			ga_reasons_add(&host->warnings, "gpu_wipe_unproven", gpu->pci_address,
				       why, fix);
	}
}

static int compose(const struct ga_discover_opts *opts, const struct ga_look *look,
		   uint32_t gateway, struct ga_discovery *ret, struct ga_err *err)
{
	ga_cleanup(ga_gpus_release) struct ga_gpus gpus = { 0 };
	ga_cleanup(ga_parts_release) struct ga_parts disks = { 0 };
	ga_cleanup(ga_parts_release) struct ga_parts vfs = { 0 };
	ga_autotexts struct ga_texts cores = { 0 };
	ga_autofree struct ga_cpuset *reserved = ga_xcalloc(1, sizeof(*reserved));
	struct ga_host *host = &ret->host;
	struct ga_bundle_host bundle = {
		.node = host->node,
		.fingerprint = host->fingerprint,
		.bridge = host->network.bridge,
		.gateway = gateway,
		.prefix_bits = host->network.prefix_bits,
		.numa = host->numa.v,
		.n_numa = host->numa.n,
		.reserved = reserved,
		.reserved_memory_mib = reserved_memory(opts, host),
		.baremetal = ga_streq(opts->mode, "baremetal"),
	};

	if (opts->reserved_cpus && ga_cpuset_parse(opts->reserved_cpus, reserved, err) < 0)
		return bad_setting("GPUAAS_RESERVED_CPUS", err);
	ga_look_gpus(look, host, &gpus);
	ga_look_disks(look, host, &disks);
	if (!bundle.baremetal)
		ga_look_fabric(look, host, &vfs);
	if (gpus.n)
		read_cores(host->cpus, &cores);
	bundle.cores = cores.v;
	bundle.n_cores = cores.n;
	ga_candidates_compose(&bundle, &gpus, &disks, &vfs, &ret->candidates);
	if (bundle.baremetal)
		warn_of_wipe(opts, &ret->candidates, host);
	ga_left_over_gpus(host, &gpus, ret->candidates.n);
	ga_left_over_parts(host, &disks);
	ga_left_over_parts(host, &vfs);
	return 0;
}

static int look_at_host(const struct ga_discover_opts *opts, struct ga_discovery *ret,
			struct ga_err *err)
{
	ga_cleanup(release_look) struct ga_look look = { 0 };
	ga_autofree char *cmdline = ga_host_cmdline();
	struct ga_host *host = &ret->host;
	struct ga_prereq_facts facts = {
		.pci = &look.pci,
		.net = &look.net,
		.rdma = &look.rdma,
		.disks = &look.disks,
		.cmdline = cmdline,
		.network = or(opts->network, "10.100.0.0/24"),
		.data_dir = or(opts->data_dir, "/var/lib/gpuaas"),
		.libvirt_uri = opts->libvirt_uri,
		.baremetal = ga_streq(opts->mode, "baremetal"),
	};
	struct ga_network *network = &host->network;
	char digest[GA_DIGEST_SIZE], text[GA_IP_SIZE];
	uint32_t net, gateway;
	int bits;

	if (ga_host_node_id(opts->node, &host->node, err) < 0 ||
	    ga_accels_open(opts->accelerators, &look.accels, err) < 0 ||
	    ga_pci_scan(&look.pci, err) < 0 || ga_block_scan(&look.disks, err) < 0 ||
	    ga_net_scan(&look.net, err) < 0 || ga_rdma_scan(&look.rdma, err) < 0)
		return -1;
	look.table = ga_block_table_read();
	look.uplink = opts->uplink ? ga_xstrdup(opts->uplink) : ga_net_default_uplink(&look.net);
	if (ga_ip_net_parse(facts.network, &net, &bits, err) < 0)
		return bad_setting("GPUAAS_NETWORK", err);
	gateway = net + 1;
	network->bridge = ga_xstrdup(or(opts->bridge, "ovsbr0"));
	network->uplink = ga_strdup0(look.uplink);
	network->gateway = ga_xstrdup(ga_ip_format(gateway, text));
	network->prefix_bits = bits;
	network->dhcp_hosts_dir =
		ga_xstrdup(or(opts->dhcp_hosts_dir, "/var/lib/gpuaas/dhcp-hosts"));
	network->lease_file =
		ga_xstrdup(or(opts->lease_file, "/var/lib/gpuaas/dnsmasq.leases"));
	host->mode = facts.baremetal ? ga_xstrdup("baremetal") : NULL;
	host->observed_at = ga_time_now();
	host->tool = ga_xstrdup(or(opts->tool, "gpuaas-discover " GA_VERSION));
	ga_host_fill(host);
	facts.bridge = network->bridge;
	facts.table = look.table;
	ga_prereqs_read(&facts, host);
	if (!facts.baremetal)
		ga_net_warn(network, &host->warnings);
	add_warnings(opts, &look, host);
	ask_fabric_manager(opts, &look, host);
	ga_host_fingerprint_of(&look.pci, &look.disks, digest);
	host->fingerprint = ga_xstrdup(digest);
	return compose(opts, &look, gateway, ret, err);
}

int ga_discover(const struct ga_discover_opts *opts, struct ga_discovery *ret, struct ga_err *err)
{
	*ret = (struct ga_discovery){ 0 };
	ga_schema_init(&ga_host_schema, &ret->host);
	if (look_at_host(opts, ret, err) < 0) {
		ga_discovery_release(ret);
		return -1;
	}
	return 0;
}

void ga_discovery_release(struct ga_discovery *d)
{
	size_t i;

	ga_schema_release(&ga_host_schema, &d->host);
	for (i = 0; i < d->candidates.n; i++)
		ga_schema_release(&ga_candidate_schema, &d->candidates.v[i]);
	ga_list_release(&d->candidates);
}
