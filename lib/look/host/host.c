/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the host itself. */
#include "look/host/host.h"

#include <ctype.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/file.h"
#include "base/texts.h"
#include "look/block/block.h"
#include "look/pci.h"
#include "look/sys.h"
#include "record/id.h"

#define SYS_NODE "/sys/devices/system/node"
#define SYS_CPU "/sys/devices/system/cpu"

char *ga_host_boot_id(void)
{
	return ga_sys_attr("/proc/sys/kernel/random", "boot_id");
}

/* Reads it by way of /proc/self/root, which is the same file. */
static char *machine_id(void)
{
	return ga_sys_attr("/proc/self/root/etc", "machine-id");
}

const char *ga_host_clone_reason(void)
{
	/* Machine ids that images are known to carry. */
	static const struct {
		const char *id, *why;
	} known[] = {
		{ "uninitialized", "systemd has not set it yet" },
		{ "00000000000000000000000000000000", "it is all zero" },
		{ "ffffffffffffffffffffffffffffffff", "it is all ones" },
		{ "b08dfa6083e7567a1921a715000001fb", "it is the one of a systemd example image" },
		{ "d41d8cd98f00b204e9800998ecf8427e", "it is the digest of nothing" },
	};
	ga_autofree char *id = machine_id();
	size_t i;

	if (!id)
		return "it is empty or missing";
	for (i = 0; i < GA_ARRAY_SIZE(known); i++)
		if (ga_streq(id, known[i].id))
			return known[i].why;
	return strspn(id, "0123456789abcdef") == 32 && strlen(id) == 32 ? NULL :
									  "it is no machine id";
}

int ga_host_node_id(const char *setting, char **ret, struct ga_err *err)
{
	ga_autofree char *id = NULL;
	size_t i;

	if (setting) {
		if (!ga_name_is_valid(setting))
			return ga_fail(err, GA_USAGE, "node id '%.64s' is not a name "
				       "([a-z0-9][a-z0-9._-]*, at most 63 characters)", setting);
		*ret = ga_xstrdup(setting);
		return 0;
	}
	id = machine_id();
	if (!id)
		return ga_refuse(err, GA_HOST, NULL, NULL,
				 ("this machine has no machine id, so it has no node id"),
				 ("run 'systemd-machine-id-setup', or set GPUAAS_NODE"));
	for (i = 0; id[i]; i++)
		id[i] = isalnum((unsigned char)id[i]) ? (char)tolower((unsigned char)id[i]) : '-';
	*ret = ga_xprintf("n-%.12s", id);
	return 0;
}

char *ga_host_node_if_known(const char *setting)
{
	struct ga_err ignored = GA_ERR_INIT;
	char *id = NULL;

	return ga_host_node_id(setting, &id, &ignored) < 0 ? NULL : id;
}

char *ga_host_cmdline(void)
{
	char *text = ga_sys_attr("/proc", "cmdline");

	return text ? text : ga_xstrdup("");
}

bool ga_host_cmdline_has(const char *cmdline, const char *key, const char *value)
{
	ga_autofree char *copy = ga_xstrdup(cmdline);
	char *rest = copy, *word, *one;
	size_t len = strlen(key);

	while ((word = strsep(&rest, " "))) {
		if (!value && ga_streq(word, key))
			return true;
		if (!value || strncmp(word, key, len) || word[len] != '=')
			continue;
		word += len + 1;
		while ((one = strsep(&word, ",")))
			if (ga_streq(one, value))
				return true;
	}
	return false;
}

char *ga_host_cpu_siblings(int cpu)
{
	ga_autofree char *dir = ga_xprintf(SYS_CPU "/cpu%d/topology", cpu);

	return ga_sys_attr(dir, "thread_siblings_list");
}

/* The number behind "MemTotal:" in a meminfo file, in MiB. */
static int64_t mem_total_mib(const char *dir)
{
	ga_autofree char *text = ga_sys_attr(dir, "meminfo");
	const char *p = text ? strstr(text, "MemTotal:") : NULL;

	return p ? (int64_t)(strtoll(p + strlen("MemTotal:"), NULL, 10) / 1024) : GA_UNKNOWN;
}

static void read_hugepages(const char *node_dir, struct ga_numa *numa)
{
	ga_autofree char *dir = ga_xprintf("%s/hugepages", node_dir);
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	ga_sys_list(dir, &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *one = ga_xprintf("%s/%s", dir, names.v[i]);
		int64_t total = ga_sys_attr_int(one, "nr_hugepages");
		int64_t unused = ga_sys_attr_int(one, "free_hugepages");
		long long kib;

		if (sscanf(names.v[i], "hugepages-%lldkB", &kib) != 1 || kib <= 0 ||
		    total == GA_UNKNOWN || unused == GA_UNKNOWN)
			continue;
		*ga_list_add(&numa->hugepages) =
			(struct ga_hugepages){ .size_kib = kib, .total = total, .free = unused };
	}
}

static void read_numa(struct ga_host *host)
{
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	ga_sys_list(SYS_NODE, &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *dir = NULL;
		struct ga_numa *numa;

		if (!ga_starts(names.v[i], "node") || ga_sys_number(names.v[i] + 4) == GA_UNKNOWN)
			continue;
		dir = ga_xprintf(SYS_NODE "/%s", names.v[i]);
		numa = ga_list_add(&host->numa);
		numa->numa_node = ga_sys_number(names.v[i] + 4);
		numa->cpus = ga_sys_attr(dir, "cpulist");
		/* A node's meminfo has "Node 0 MemTotal:", the one of /proc has "MemTotal:". */
		numa->memory_mib = mem_total_mib(dir);
		read_hugepages(dir, numa);
	}
}

/* The CPUs of all NUMA nodes, for a host without /sys/devices/system/cpu/online. */
static char *cpus_of_nodes(const struct ga_host *host)
{
	ga_autostr struct ga_str all = GA_STR_INIT;
	size_t i;

	for (i = 0; i < host->numa.n; i++)
		if (host->numa.v[i].cpus)
			ga_str_addf(&all, "%s%s", all.len ? "," : "", host->numa.v[i].cpus);
	return all.len ? ga_str_take(&all) : NULL;
}

void ga_host_fill(struct ga_host *host)
{
	char name[256] = "";

	if (!gethostname(name, sizeof(name) - 1) && name[0])
		host->hostname = ga_sys_tidy(ga_xstrdup(name));
	host->boot_id = ga_host_boot_id();
	host->kernel = ga_sys_attr("/proc/sys/kernel", "osrelease");
	host->vendor = ga_sys_attr("/sys/class/dmi/id", "sys_vendor");
	host->product = ga_sys_attr("/sys/class/dmi/id", "product_name");
	host->memory_mib = mem_total_mib("/proc");
	read_numa(host);
	host->cpus = ga_sys_attr(SYS_CPU, "online");
	if (!host->cpus)
		host->cpus = cpus_of_nodes(host);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void ga_host_fingerprint_of(const struct ga_pci *pci, const struct ga_block_devs *disks,
			    char digest[GA_DIGEST_SIZE])
{
	ga_autotexts struct ga_texts all = { 0 };
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i;

	for (i = 0; i < pci->n; i++) {
		const struct ga_pci_dev *d = &pci->v[i];
		ga_autofree char *identity = NULL, *line = NULL;

		if (d->pf || (d->sort != GA_PCI_GPU && d->sort != GA_PCI_NVSWITCH &&
			      d->sort != GA_PCI_NIC))
			continue;
		identity = ga_pci_identity(d);
		line = ga_xprintf("pci %s", identity);
		ga_texts_add(&all, line);
	}
	for (i = 0; i < disks->n; i++) {
		ga_autofree char *line = NULL;

		if (!disks->v[i].wwid)
			continue;
		line = ga_xprintf("nvme %s", disks->v[i].wwid);
		ga_texts_add(&all, line);
	}
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_bytes);
	for (i = 0; i < all.n; i++)
		ga_str_addf(&text, "%s\n", all.v[i]);
	ga_digest_of(text.buf, text.len, digest);
}

int ga_host_fingerprint(char digest[GA_DIGEST_SIZE], struct ga_err *err)
{
	ga_autopci struct ga_pci pci = { 0 };
	ga_autoblocks struct ga_block_devs disks = { 0 };

	if (ga_pci_scan(&pci, err) < 0 || ga_block_scan(&disks, err) < 0)
		return -1;
	ga_host_fingerprint_of(&pci, &disks, digest);
	return 0;
}
