/* SPDX-License-Identifier: Apache-2.0 */
/* Composing candidates. */
#include "look/discover/candidate.h"

#include <inttypes.h>

#include "base/quote.h"
#include "decide/slot/verdict.h"
#include "record/mac.h"

/* The distance of a part from a GPU, best first. */
enum near { SAME_SWITCH, SAME_NUMA, ANYWHERE };

static bool is_near(const struct ga_gpu *gpu, const struct ga_part *part, enum near how)
{
	switch (how) {
	case SAME_SWITCH:
		return gpu->pcie_switch && ga_streq(gpu->pcie_switch, part->pcie_switch);
	case SAME_NUMA:
		return gpu->numa_node != GA_UNKNOWN && gpu->numa_node == part->numa_node;
	case ANYWHERE:
		return true;
	}
	return false;
}

/* Gives parts to the first n GPUs; choice[i] is the part of GPU i or SIZE_MAX. */
static void match(const struct ga_gpus *gpus, size_t n, struct ga_parts *parts, size_t *choice)
{
	size_t i, j;
	int how;

	for (i = 0; i < n; i++)
		choice[i] = SIZE_MAX;
	for (how = SAME_SWITCH; how <= ANYWHERE; how++) {
		for (i = 0; i < n; i++) {
			for (j = 0; j < parts->n && choice[i] == SIZE_MAX; j++) {
				if (parts->v[j].taken ||
				    !is_near(&gpus->v[i], &parts->v[j], (enum near)how))
					continue;
				parts->v[j].taken = true;
				choice[i] = j;
			}
		}
	}
}

static const struct ga_numa *numa_of(const struct ga_bundle_host *host, int64_t node)
{
	size_t i;

	if (node == GA_UNKNOWN) /* a machine with one node does not report it */
		return host->n_numa == 1 ? host->numa : NULL;
	for (i = 0; i < host->n_numa; i++)
		if (host->numa[i].numa_node == node)
			return &host->numa[i];
	return NULL;
}

static bool read_cpus(const char *text, struct ga_cpuset *ret)
{
	struct ga_err ignored = GA_ERR_INIT;

	return text && ga_cpuset_parse(text, ret, &ignored) == 0;
}

/* The cores of a NUMA node of which all CPUs are free, as indices into cores; allocated. */
static size_t *usable_cores(const struct ga_bundle_host *host, const struct ga_cpuset *node,
			    struct ga_cpuset **sets, size_t *n)
{
	size_t *found = ga_xcalloc(host->n_cores, sizeof(*found)), i;

	*sets = ga_xcalloc(host->n_cores, sizeof(**sets));
	*n = 0;
	for (i = 0; i < host->n_cores; i++) {
		struct ga_cpuset *s = &(*sets)[i];

		if (read_cpus(host->cores[i], s) && ga_cpuset_overlaps(s, node) &&
		    (!host->reserved || !ga_cpuset_overlaps(s, host->reserved)))
			found[(*n)++] = i;
	}
	return found;
}

char *ga_cpus_share(const struct ga_bundle_host *host, const struct ga_numa *numa, int share,
		    int shares)
{
	ga_autofree struct ga_cpuset *sets = NULL, *node = ga_xcalloc(1, sizeof(*node));
	ga_autofree struct ga_cpuset *out = ga_xcalloc(1, sizeof(*out));
	ga_autofree size_t *cores = NULL;
	size_t n = 0, each, i;
	int cpu, nth = 0;

	if (shares < 1 || !read_cpus(numa->cpus, node))
		return NULL;
	if (host->n_cores) {
		cores = usable_cores(host, node, &sets, &n);
		each = n / (size_t)shares;
		for (i = each * (size_t)share; i < each * (size_t)(share + 1); i++)
			for (cpu = 0; cpu < GA_CPU_MAX / 64; cpu++)
				out->bits[cpu] |= sets[cores[i]].bits[cpu];
	} else {
		for (cpu = 0; cpu < GA_CPU_MAX; cpu++)
			n += ga_cpuset_has(node, cpu) &&
			     (!host->reserved || !ga_cpuset_has(host->reserved, cpu));
		each = n / (size_t)shares;
		for (cpu = 0; cpu < GA_CPU_MAX; cpu++) {
			if (!ga_cpuset_has(node, cpu) ||
			    (host->reserved && ga_cpuset_has(host->reserved, cpu)))
				continue;
			if ((size_t)nth / (each ? each : 1) == (size_t)share && each)
				ga_cpuset_add(out, cpu);
			nth++;
		}
	}
	return ga_cpuset_count(out) ? ga_cpuset_format(out) : NULL;
}

int64_t ga_memory_share(const struct ga_bundle_host *host, const struct ga_numa *numa, int shares)
{
	int64_t mib = 0, gib;
	size_t i;

	for (i = 0; i < numa->hugepages.n; i++)
		mib += numa->hugepages.v[i].size_kib * numa->hugepages.v[i].total / 1024;
	if (!mib && numa->memory_mib != GA_UNKNOWN && host->n_numa)
		mib = numa->memory_mib - host->reserved_memory_mib / (int64_t)host->n_numa;
	gib = shares > 0 && mib > 0 ? mib / 1024 / shares : 0;
	return gib > 0 ? gib * 1024 : GA_UNKNOWN;
}

/* The address after the gateway for slot 0, and so on; NULL past the end of the network. */
static char *suggest_ip(const struct ga_bundle_host *host, int64_t index)
{
	uint32_t mask = host->prefix_bits > 0 ? UINT32_MAX >> host->prefix_bits : 0;
	uint32_t ip = host->gateway + 1 + (uint32_t)index;
	char text[GA_IP_SIZE];

	if (!host->gateway || (ip & ~mask) != (host->gateway & ~mask) || (ip & mask) == mask)
		return NULL;
	return ga_xstrdup(ga_ip_format(ip, text));
}

static void suggest(const struct ga_bundle_host *host, struct ga_candidate *c, int share,
		    int shares)
{
	const struct ga_numa *numa = numa_of(host, c->numa_node);
	struct ga_suggestion *s = &c->suggested;

	s->mac = ga_xcalloc(1, GA_MAC_SIZE);
	ga_mac_suggest(host->node, (int)c->slot_index, s->mac);
	s->private_ip = suggest_ip(host, c->slot_index);
	s->bridge = ga_strdup0(host->bridge);
	/* At most 15 characters: IFNAMSIZ. */
	s->port = ga_xprintf("gpuaas%d", (int)c->slot_index);
	s->memory_mib = GA_UNKNOWN;
	if (numa) {
		s->cpuset = ga_cpus_share(host, numa, share, shares);
		s->memory_mib = ga_memory_share(host, numa, shares);
	}
}

/* The reasons of a GPU that no VM can have. */
static void add_vm_reasons(struct ga_candidate *c)
{
	ga_slot_group_shared(c->gpu->pci_address, c->gpu->iommu_group,
			     &c->gpu->iommu_group_members, &c->reasons);
	if (c->gpu->can_reset == 0)
		ga_reasons_add(&c->reasons, "gpu_no_reset", c->gpu->pci_address,
			       c->gpu->reset_methods.n ?
				       "its only reset, of the bus, reaches other devices too" :
				       "its reset_method is empty",
			       "a newer kernel or firmware may bring one (echo default > "
			       "reset_method undoes a choice of your own); else sell the node as "
			       "baremetal, with a scrub method for its GPUs: gpuaas-wipe(1)");
	if (c->gpu->boot_display == 1)
		ga_reasons_add(&c->reasons, "gpu_is_boot_display", c->gpu->pci_address,
			       "its boot_vga is 1: the console is on it",
			       "make another display the primary one in the firmware, or start "
			       "with video=efifb:off; or sell the node as baremetal (--mode "
			       "baremetal), which does not need that");
}

static char *allow(const struct ga_candidate *c)
{
	ga_autofree char *command = ga_command("gpuaas-discover | gpuaas-approve --slot %" PRId64
					       " --destroy-data %s | gpuaas-wipe",
					       c->slot_index, c->nvme->wwid);

	return ga_xprintf("look at it; if nobody needs the data: %s", command);
}

static void add_reasons(struct ga_candidate *c, bool baremetal)
{
	size_t i;

	if (c->gpu->answers == 0)
		ga_reasons_add(&c->reasons, "gpu_not_answering", c->gpu->pci_address,
			       "its configuration space reads as ones",
			       "power the host off and on (see 'dmesg'); if that does not bring it "
			       "back, replace the GPU");
	if (!baremetal)
		add_vm_reasons(c);
	if (!c->nvme) {
		ga_reasons_add(&c->reasons, "missing_nvme", c->gpu->pci_address,
			       "no free NVMe namespace is left for this GPU",
			       "see left_out for what keeps each disk away");
	} else if (c->nvme->signatures.n) {
		ga_autostr struct ga_str found = GA_STR_INIT;
		ga_autofree char *hint = allow(c);

		for (i = 0; i < c->nvme->signatures.n; i++)
			ga_str_addf(&found, "%s%s", i ? ", " : "", c->nvme->signatures.v[i]);
		ga_reasons_add(&c->reasons, "nvme_signature", c->nvme->path, found.buf, hint);
	} else if (ga_streq(c->nvme->content, "unknown_content")) {
		ga_autofree char *hint = allow(c);

		ga_reasons_add(&c->reasons, "nvme_signature", c->nvme->path,
			       "unknown content: no known signature, and not empty", hint);
	}
	if (!c->fabric && !baremetal)
		ga_reasons_add(&c->reasons, "missing_fabric_vf", c->gpu->pci_address,
			       "no free virtual function of a fabric adapter is left for this GPU",
			       "see left_out for each adapter; make virtual functions with "
			       "sriov_numvfs and bind them to vfio-pci; sold as baremetal it needs "
			       "none");
}

/* The position among the slots of its NUMA node, and the number of those slots. */
static void share_of(const struct ga_candidates *all, size_t first, size_t at, int *share,
		     int *shares)
{
	size_t i;

	*share = *shares = 0;
	for (i = first; i < all->n; i++) {
		if (all->v[i].numa_node != all->v[at].numa_node)
			continue;
		*share += i < at;
		(*shares)++;
	}
}

static void *move(void *from, size_t size)
{
	void *to = ga_xcalloc(1, size);

	memcpy(to, from, size);
	memset(from, 0, size);
	return to;
}

void ga_candidates_compose(const struct ga_bundle_host *host, struct ga_gpus *gpus,
			   struct ga_parts *disks, struct ga_parts *vfs, struct ga_candidates *ret)
{
	ga_autofree size_t *disk = ga_xcalloc(gpus->n, sizeof(*disk));
	ga_autofree size_t *vf = ga_xcalloc(gpus->n, sizeof(*vf));
	size_t first = ret->n, room = GA_SLOTS_MAX - ret->n, i;
	size_t n = gpus->n < room ? gpus->n : room;

	match(gpus, n, disks, disk);
	match(gpus, n, vfs, vf);
	for (i = 0; i < n; i++) {
		struct ga_candidate *c = ga_list_add(ret);

		ga_schema_init(&ga_candidate_schema, c);
		c->node = ga_xstrdup(host->node);
		c->slot_index = (int64_t)(ret->n - 1);
		c->fingerprint = ga_xstrdup(host->fingerprint);
		c->gpu = move(&gpus->v[i], sizeof(gpus->v[i]));
		c->numa_node = c->gpu->numa_node;
		c->nvme = disk[i] == SIZE_MAX ? NULL : GA_TAKE(disks->v[disk[i]].nvme);
		c->fabric = vf[i] == SIZE_MAX ? NULL : GA_TAKE(vfs->v[vf[i]].fabric);
		add_reasons(c, host->baremetal);
	}
	for (i = first; i < ret->n && !host->baremetal; i++) {
		int share, shares;

		share_of(ret, first, i, &share, &shares);
		suggest(host, &ret->v[i], share, shares);
	}
}
