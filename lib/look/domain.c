/* SPDX-License-Identifier: Apache-2.0 */
/* Domain XML from a plan. */
#include "look/domain.h"

#include <inttypes.h>

#include "record/bundle.h"
#include "record/cpuset.h"
#include "record/digest.h"
#include "record/pciaddr.h"
#include "record/plan.h"
#include "record/schema.h"

#define CELLS_MAX 16
#define BUNDLES_MAX 64

/* A guest NUMA node: the bundles of one host node and the vCPUs that belong to them. */
struct cell {
	int64_t host_node;
	int bundles;
	int64_t vcpu_first, vcpus, memory_mib;
};

struct layout {
	struct cell cells[CELLS_MAX];
	size_t n; /* 0: the NUMA nodes are unknown, so nothing is bound */
	int order[BUNDLES_MAX]; /* bundles sorted by cell */
	int *cpus; /* of each vCPU, the CPU it is pinned to */
	char *all; /* every CPU of the allocation as a list */
};

char *ga_domain_uuid(const char *purpose, const char *id, char out[GA_UUID_SIZE])
{
	ga_autofree char *text = ga_xprintf("gpuaas-%s %s", purpose, id);
	unsigned char h[GA_SHA256_BYTES];

	ga_sha256(text, strlen(text), h);
	h[6] = (unsigned char)((h[6] & 0x0f) | 0x80); /* version 8, RFC 9562 */
	h[8] = (unsigned char)((h[8] & 0x3f) | 0x80);
	snprintf(out, GA_UUID_SIZE,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", h[0], h[1],
		 h[2], h[3], h[4], h[5], h[6], h[7], h[8], h[9], h[10], h[11], h[12], h[13], h[14],
		 h[15]);
	return out;
}

/* ---- layout: NUMA cells and pinning ---- */

static struct cell *cell_of(struct layout *l, int64_t node)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->cells[i].host_node == node)
			return &l->cells[i];
	if (l->n == CELLS_MAX)
		return NULL;
	l->cells[l->n] = (struct cell){ .host_node = node };
	return &l->cells[l->n++];
}

/* Makes one cell for each host node; false when a bundle's node is unknown, or there are too many
 * nodes. */
static bool find_cells(const struct ga_plan *plan, struct layout *l)
{
	size_t i, c;
	int at = 0;

	for (i = 0; i < plan->bundles.n; i++) {
		struct cell *cell = plan->bundles.v[i].numa_node == GA_UNKNOWN ?
					    NULL :
					    cell_of(l, plan->bundles.v[i].numa_node);

		if (!cell)
			return false;
		cell->bundles++;
	}
	for (c = 0; c < l->n; c++)
		for (i = 0; i < plan->bundles.n; i++)
			if (plan->bundles.v[i].numa_node == l->cells[c].host_node)
				l->order[at++] = (int)i;
	return true;
}

/* Splits n over `all` bundles in whole units; returns the sum of the first `upto` bundles. */
static int64_t share(int64_t n, int64_t upto, int64_t all, int64_t unit)
{
	return n / unit * upto / all * unit;
}

static void share_out(const struct ga_plan *plan, struct layout *l)
{
	int64_t all = (int64_t)plan->bundles.n, before = 0;
	int64_t page_mib = plan->hugepage_kib > 1024 ? plan->hugepage_kib / 1024 : 1;
	size_t c;

	for (c = 0; c < l->n; c++) {
		struct cell *cell = &l->cells[c];
		int64_t upto = before + cell->bundles;
		bool last = c + 1 == l->n;

		cell->vcpu_first = share(plan->vcpus, before, all, 1);
		cell->vcpus = share(plan->vcpus, upto, all, 1) - cell->vcpu_first;
		cell->memory_mib = (last ? plan->memory_mib :
					   share(plan->memory_mib, upto, all, page_mib)) -
				   share(plan->memory_mib, before, all, page_mib);
		before = upto;
	}
}

/* Pins vCPU first + i to the i-th CPU of the bundle. */
static int pin_bundle(const struct ga_bundle *b, int *cpus, int64_t n, struct ga_cpuset *all,
		      struct ga_err *err)
{
	struct ga_cpuset set = { { 0 } };
	int64_t i = 0;
	int cpu;

	if (ga_cpuset_parse(b->cpuset ? b->cpuset : "", &set, err) < 0)
		return -1;
	if (ga_cpuset_overlaps(&set, all))
		return ga_fail_for(err, GA_BADREC, "cpuset_taken",
				   "CPUs '%s' of slot '%s' are another slot's too", b->cpuset,
				   b->slot);
	for (cpu = 0; cpu < GA_CPU_MAX; cpu++) {
		if (!ga_cpuset_has(&set, cpu))
			continue;
		if (i < n)
			cpus[i++] = cpu;
		ga_cpuset_add(all, cpu);
	}
	if (i < n)
		return ga_fail_for(err, GA_BADREC, "cpuset_taken",
				   "slot '%s' has %" PRId64 " CPUs for %" PRId64 " virtual CPUs",
				   b->slot, i, n);
	return 0;
}

static int make_layout(const struct ga_plan *plan, struct layout *l, struct ga_err *err)
{
	int64_t all = (int64_t)plan->bundles.n;
	struct ga_cpuset set = { { 0 } };
	size_t i;

	if (!plan->bundles.n || plan->bundles.n > BUNDLES_MAX || plan->vcpus < all ||
	    plan->vcpus > 4096 || plan->memory_mib < 1)
		return ga_fail(err, GA_BADREC,
			       "plan of '%s' cannot be a VM: %zu slots, %" PRId64 " virtual CPUs, "
			       "%" PRId64 " MiB",
			       plan->allocation, plan->bundles.n, plan->vcpus, plan->memory_mib);
	if (!find_cells(plan, l)) {
		l->n = 0;
		for (i = 0; i < plan->bundles.n; i++)
			l->order[i] = (int)i;
	}
	share_out(plan, l);
	l->cpus = ga_xcalloc((size_t)plan->vcpus, sizeof(*l->cpus));
	for (i = 0; i < plan->bundles.n; i++) {
		int64_t first = share(plan->vcpus, (int64_t)i, all, 1);

		if (pin_bundle(&plan->bundles.v[l->order[i]], l->cpus + first,
			       share(plan->vcpus, (int64_t)i + 1, all, 1) - first, &set, err) < 0)
			return -1;
	}
	l->all = ga_cpuset_format(&set);
	return 0;
}

static void layout_release(struct layout *l)
{
	free(l->cpus);
	free(l->all);
}

/* ---- the parts ---- */

/* Adds name='text', escaped. */
static void attr(struct ga_str *out, const char *name, const char *text)
{
	ga_str_addf(out, " %s='", name);
	ga_str_add_xml(out, text);
	ga_str_addc(out, '\'');
}

static void add_head(const struct ga_plan *plan, struct ga_str *out)
{
	char uuid[GA_UUID_SIZE];

	ga_str_add(out, "<domain");
	attr(out, "type", plan->domain_type);
	ga_str_add(out, ">\n  <name>");
	ga_str_add_xml(out, plan->domain);
	ga_str_addf(out, "</name>\n  <uuid>%s</uuid>\n  <metadata>\n    <gpuaas:allocation",
		    ga_domain_uuid("domain", plan->allocation, uuid));
	attr(out, "xmlns:gpuaas", GA_DOMAIN_NS);
	attr(out, "id", plan->allocation);
	ga_str_addf(out, " generation='%" PRId64 "'", plan->generation);
	attr(out, "attempt", plan->attempt);
	attr(out, "node", plan->node);
	ga_str_add(out, "/>\n  </metadata>\n");
}

static void add_memory(const struct ga_plan *plan, const struct layout *l, struct ga_str *out)
{
	/* The limit of locked memory: VFIO pins all guest memory; QEMU itself and each device's
	 * tables need more on top (libvirt's own default leaves 1 GiB). */
	int64_t limit_mib = plan->memory_mib + 2048 + 1024 * (int64_t)plan->bundles.n;
	size_t c;

	ga_str_addf(out, "  <memory unit='MiB'>%" PRId64 "</memory>\n", plan->memory_mib);
	ga_str_addf(out, "  <memtune>\n    <hard_limit unit='MiB'>%" PRId64 "</hard_limit>\n"
			 "  </memtune>\n",
		    limit_mib);
	ga_str_add(out, "  <memoryBacking>\n");
	if (plan->hugepage_kib != GA_UNKNOWN)
		ga_str_addf(out,
			    "    <hugepages>\n      <page size='%" PRId64 "' unit='KiB'/>\n"
			    "    </hugepages>\n",
			    plan->hugepage_kib);
	ga_str_addf(out, "    <allocation mode='immediate' threads='%" PRId64 "'/>\n",
		    plan->vcpus < 16 ? plan->vcpus : 16);
	ga_str_add(out, "  </memoryBacking>\n");
	if (!l->n)
		return;
	ga_str_add(out, "  <numatune>\n    <memory mode='strict' nodeset='");
	for (c = 0; c < l->n; c++)
		ga_str_addf(out, "%s%" PRId64, c ? "," : "", l->cells[c].host_node);
	ga_str_add(out, "'/>\n");
	for (c = 0; l->n > 1 && c < l->n; c++)
		ga_str_addf(out,
			    "    <memnode cellid='%zu' mode='strict' nodeset='%" PRId64 "'/>\n", c,
			    l->cells[c].host_node);
	ga_str_add(out, "  </numatune>\n");
}

static void add_cpus(const struct ga_plan *plan, const struct layout *l, struct ga_str *out)
{
	int64_t i;

	ga_str_addf(out, "  <vcpu placement='static'>%" PRId64 "</vcpu>\n  <cputune>\n",
		    plan->vcpus);
	for (i = 0; i < plan->vcpus; i++)
		ga_str_addf(out, "    <vcpupin vcpu='%" PRId64 "' cpuset='%d'/>\n", i, l->cpus[i]);
	ga_str_add(out, "    <emulatorpin");
	attr(out, "cpuset", l->all);
	ga_str_add(out, "/>\n  </cputune>\n");
}

static void add_cpu_model(const struct ga_plan *plan, const struct layout *l, struct ga_str *out)
{
	size_t c;

	/* Without host-passthrough the guest has 40 address bits, and large BARs do not fit. */
	if (ga_streq(plan->domain_type, "kvm"))
		ga_str_add(out, "  <cpu mode='host-passthrough' check='none' migratable='off'>\n"
				"    <maxphysaddr mode='passthrough'/>\n");
	else
		ga_str_add(out, "  <cpu mode='maximum' check='none'>\n");
	if (l->n > 1) {
		ga_str_add(out, "    <numa>\n");
		for (c = 0; c < l->n; c++)
			ga_str_addf(out,
				    "      <cell id='%zu' cpus='%" PRId64 "-%" PRId64 "' "
				    "memory='%" PRId64 "' unit='MiB'/>\n",
				    c, l->cells[c].vcpu_first,
				    l->cells[c].vcpu_first + l->cells[c].vcpus - 1,
				    l->cells[c].memory_mib);
		ga_str_add(out, "    </numa>\n");
	}
	ga_str_add(out, "  </cpu>\n");
}

static void add_os(const struct ga_plan *plan, struct ga_str *out)
{
	bool efi = plan->image && ga_streq(plan->image->firmware, "efi");

	ga_str_addf(out, "  <os%s>\n    <type arch='x86_64' machine='q35'>hvm</type>\n",
		    efi ? " firmware='efi'" : "");
	if (efi)
		ga_str_add(out, "    <firmware>\n"
				"      <feature enabled='no' name='enrolled-keys'/>\n"
				"      <feature enabled='no' name='secure-boot'/>\n"
				"    </firmware>\n");
	ga_str_add(out, "    <bootmenu enable='no'/>\n  </os>\n"
			"  <features>\n    <acpi/>\n    <apic/>\n  </features>\n"
			"  <clock offset='utc'/>\n"
			"  <on_poweroff>destroy</on_poweroff>\n"
			"  <on_reboot>restart</on_reboot>\n"
			"  <on_crash>destroy</on_crash>\n");
}

static void add_disk(const char *path, bool file, size_t i, struct ga_str *out)
{
	ga_str_addf(out,
		    "    <disk type='%s' device='disk'>\n"
		    "      <driver name='qemu' type='raw' cache='none' io='native' "
		    "discard='unmap'/>\n      <source",
		    file ? "file" : "block");
	attr(out, file ? "file" : "dev", path);
	ga_str_addf(out, "/>\n      <target dev='sd%c' bus='scsi'/>\n", (char)('a' + i));
	if (!i)
		ga_str_add(out, "      <boot order='1'/>\n");
	ga_str_addf(out, "      <alias name='ua-disk%zu'/>\n    </disk>\n", i);
}

static int add_disks(const struct ga_plan *plan, const struct ga_domain_env *env,
		     struct ga_str *out, struct ga_err *err)
{
	size_t i, n = 0;

	ga_str_add(out, "    <controller type='scsi' index='0' model='virtio-scsi'/>\n");
	for (i = 0; i < plan->bundles.n; i++) {
		if (!env->disks[i])
			continue;
		if (n == 25)
			return ga_fail(err, GA_BADREC, "plan of '%s' has more than 25 disks",
				       plan->allocation);
		add_disk(env->disks[i], env->disks_are_files, n++, out);
	}
	if (env->seed) {
		ga_str_add(out, "    <disk type='file' device='cdrom'>\n"
				"      <driver name='qemu' type='raw'/>\n      <source");
		attr(out, "file", env->seed);
		/* The seed is on the controller of the disks, because the kernels of cloud images
		 * (Debian's cloud flavour) have no driver for q35's SATA. No disk uses unit 15. */
		ga_str_add(out, "/>\n      <target dev='sdz' bus='scsi'/>\n      <readonly/>\n"
				"      <alias name='ua-seed'/>\n"
				"      <address type='drive' controller='0' bus='0' target='0' "
				"unit='15'/>\n    </disk>\n");
	}
	return 0;
}

/* ---- PCI ---- */

/* Root ports stand on pcie-root, or with several NUMA cells on an expander bus of the cell, so that
 * the guest sees the NUMA node of each GPU. Index 1.. are the ports of the devices. */
struct ports {
	int next;		  /* index of the next controller */
	int slot[CELLS_MAX];	  /* next slot on the cell's expander bus */
	int expander[CELLS_MAX];  /* its controller index, 0: none */
};

static void add_expanders(const struct layout *l, struct ports *p, struct ga_str *out)
{
	size_t c;

	ga_str_add(out, "    <controller type='pci' index='0' model='pcie-root'/>\n");
	p->next = 1;
	for (c = 0; l->n > 1 && c < l->n; c++) {
		p->expander[c] = p->next++;
		ga_str_addf(out,
			    "    <controller type='pci' index='%d' model='pcie-expander-bus'>\n"
			    "      <target busNr='%d'>\n        <node>%zu</node>\n"
			    "      </target>\n    </controller>\n",
			    p->expander[c], (int)(64 + 180 / l->n * c), c);
	}
}

/* Adds a root port in the cell of a host node and returns its index, which is its bus. */
static int add_port(const struct layout *l, struct ports *p, int64_t host_node,
		    struct ga_str *out)
{
	int index = p->next++;
	size_t c = 0;

	while (c < l->n && l->cells[c].host_node != host_node)
		c++;
	ga_str_addf(out, "    <controller type='pci' index='%d' model='pcie-root-port'", index);
	if (l->n > 1 && c < l->n)
		ga_str_addf(out,
			    ">\n      <address type='pci' domain='0x0000' bus='0x%02x' "
			    "slot='0x%02x' function='0x0'/>\n    </controller>\n",
			    (unsigned int)p->expander[c], (unsigned int)p->slot[c]++);
	else
		ga_str_add(out, "/>\n");
	return index;
}

static int add_hostdev(const char *address, const char *alias, size_t i, int bus,
		       struct ga_str *out, struct ga_err *err)
{
	struct ga_pciaddr a;

	if (ga_pciaddr_parse(address, &a, err) < 0)
		return -1;
	ga_str_addf(
		out,
		"    <hostdev mode='subsystem' type='pci' managed='no'>\n"
		"      <driver name='vfio'/>\n      <source>\n"
		"        <address domain='0x%04x' bus='0x%02x' slot='0x%02x' function='0x%x'/>\n"
		"      </source>\n      <alias name='ua-%s%zu'/>\n"
		"      <address type='pci' domain='0x0000' bus='0x%02x' slot='0x00' "
		"function='0x0'/>\n    </hostdev>\n",
		a.domain, (unsigned int)a.bus, (unsigned int)a.device, (unsigned int)a.function,
		alias, i, (unsigned int)bus);
	return 0;
}

static int add_hostdevs(const struct ga_plan *plan, const struct layout *l, struct ga_str *out,
			struct ga_err *err)
{
	struct ports ports = { 0 };
	ga_autostr struct ga_str devices = GA_STR_INIT;
	size_t i;

	add_expanders(l, &ports, out);
	for (i = 0; i < plan->bundles.n; i++) {
		const struct ga_bundle *b = &plan->bundles.v[i];

		if (b->gpu_pci_address &&
		    add_hostdev(b->gpu_pci_address, "gpu", i,
				add_port(l, &ports, b->numa_node, out), &devices, err) < 0)
			return -1;
		if (b->fabric_vf_pci_address &&
		    add_hostdev(b->fabric_vf_pci_address, "fabric", i,
				add_port(l, &ports, b->numa_node, out), &devices, err) < 0)
			return -1;
	}
	ga_str_add(out, devices.buf);
	return 0;
}

static void add_interface(const struct ga_plan *plan, struct ga_str *out)
{
	char uuid[GA_UUID_SIZE];

	if (!plan->network.bridge || !plan->mac)
		return;
	ga_str_add(out, "    <interface type='bridge'>\n      <mac");
	attr(out, "address", plan->mac);
	ga_str_add(out, "/>\n      <source");
	attr(out, "bridge", plan->network.bridge);
	ga_str_addf(out,
		    "/>\n      <virtualport type='openvswitch'>\n"
		    "        <parameters interfaceid='%s'/>\n      </virtualport>\n",
		    ga_domain_uuid("port", plan->allocation, uuid));
	if (plan->port) {
		ga_str_add(out, "      <target");
		attr(out, "dev", plan->port);
		ga_str_add(out, "/>\n");
	}
	ga_str_add(out, "      <model type='virtio'/>\n      <alias name='ua-net0'/>\n"
			"    </interface>\n");
}

static void add_console(const struct ga_plan *plan, const struct ga_domain_env *env,
			struct ga_str *out)
{
	ga_str_add(out, "    <serial type='pty'>\n");
	if (env->console_log) {
		ga_str_add(out, "      <log");
		attr(out, "file", env->console_log);
		ga_str_add(out, " append='on'/>\n");
	}
	ga_str_add(out, "      <target port='0'/>\n    </serial>\n");
	if (plan->image && ga_streq(plan->image->probe, "agent"))
		ga_str_add(out, "    <channel type='unix'>\n      <target type='virtio' "
				"name='org.qemu.guest_agent.0'/>\n    </channel>\n");
	ga_str_add(out, "    <rng model='virtio'>\n"
			"      <backend model='random'>/dev/urandom</backend>\n    </rng>\n"
			"    <controller type='usb' model='none'/>\n"
			"    <memballoon model='none'/>\n");
}

int ga_domain_xml(const struct ga_plan *plan, const struct ga_domain_env *env, struct ga_str *out,
		  struct ga_err *err)
{
	ga_cleanup(layout_release) struct layout l = { 0 };

	ga_str_clear(out);
	if (make_layout(plan, &l, err) < 0)
		return -1;
	add_head(plan, out);
	add_memory(plan, &l, out);
	add_cpus(plan, &l, out);
	add_os(plan, out);
	add_cpu_model(plan, &l, out);
	ga_str_add(out, "  <devices>\n");
	if (add_hostdevs(plan, &l, out, err) < 0 || add_disks(plan, env, out, err) < 0)
		return -1;
	add_interface(plan, out);
	add_console(plan, env, out);
	ga_str_add(out, "  </devices>\n</domain>\n");
	return 0;
}

/* ---- MMIO ---- */

static uint64_t pow2_up(uint64_t n)
{
	uint64_t p = 1;

	while (p < n && p < UINT64_C(1) << 62)
		p <<= 1;
	return p;
}

bool ga_domain_mmio_fits(const struct ga_domain_bars *devices, size_t n, int phys_bits,
			 int64_t *need_bytes, int64_t *have_bytes)
{
	uint64_t need = UINT64_C(2) << 30; /* bridges, virtio and the rest */
	size_t i, k;

	for (i = 0; i < n; i++) {
		uint64_t sum = 0, largest = 1;

		for (k = 0; k < devices[i].n; k++) {
			uint64_t size = pow2_up((uint64_t)devices[i].size_bytes[k]);

			sum += size;
			largest = size > largest ? size : largest;
		}
		need += (sum + largest - 1) / largest * largest;
	}
	*need_bytes = (int64_t)need;
	*have_bytes = INT64_C(1) << (phys_bits - 3);
	return *need_bytes <= *have_bytes;
}
