/* SPDX-License-Identifier: Apache-2.0 */
/* Composes candidates: the disk and function of each, and the suggestions. */
#include "t.h"

#include "base/texts.h"
#include "look/discover/candidate.h"
#include "record/pciaddr.h"

#define X GA_UNKNOWN
#define MOST 6

struct place {
	const char *at; /* PCIe switch, NULL: none */
	int64_t numa;
};

static struct ga_gpu new_gpu(size_t i, const struct place *p)
{
	struct ga_gpu g;

	ga_schema_init(&ga_gpu_schema, &g);
	g.pci_address = ga_xprintf("0000:%02zx:00.0", 0x18 + i);
	g.numa_node = p->numa;
	g.pcie_switch = ga_strdup0(p->at);
	return g;
}

static void add_disk(struct ga_parts *list, size_t i, const struct place *p)
{
	struct ga_part *part = ga_list_add(list);

	part->pcie_switch = ga_strdup0(p->at);
	part->numa_node = p->numa;
	part->nvme = ga_xcalloc(1, sizeof(*part->nvme));
	ga_schema_init(&ga_nvme_schema, part->nvme);
	part->nvme->wwid = ga_xprintf("eui.%zu", i);
	part->nvme->path = ga_xprintf("/dev/nvme%zun1", i);
}

static void drop(struct ga_candidates *c, struct ga_parts *disks)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		ga_schema_release(&ga_candidate_schema, &c->v[i]);
	ga_list_release(c);
	for (i = 0; i < disks->n; i++) {
		if (disks->v[i].nvme)
			ga_schema_release(&ga_nvme_schema, disks->v[i].nvme);
		free(disks->v[i].nvme);
		free(disks->v[i].pcie_switch);
	}
	ga_list_release(disks);
}

static const struct ga_bundle_host plain = { .node = "n1", .fingerprint = "f", .bridge = "br0" };

/* want[i] is the wwid's number of GPU i's disk, -1: none. */
static void matching(void)
{
	static const struct {
		const char *what;
		struct place gpus[MOST], disks[MOST];
		int n_gpus, n_disks, want[MOST];
	} cases[] = {
		{ "the same switch comes first", { { "a", 0 }, { "b", 0 } },
		  { { "b", 0 }, { "a", 0 } }, 2, 2, { 1, 0 } },
		{ "a later GPU's own disk is not taken by an earlier one's NUMA node",
		  { { "a", 0 }, { "b", 0 } }, { { "b", 0 } }, 2, 1, { -1, 0 } },
		{ "then the NUMA node", { { "a", 1 }, { "b", 0 } }, { { "x", 0 }, { "y", 1 } },
		  2, 2, { 1, 0 } },
		{ "then anything", { { "a", 1 } }, { { "x", 0 } }, 1, 1, { 0 } },
		{ "no switch is not a common switch", { { NULL, 0 }, { NULL, 1 } },
		  { { NULL, 1 }, { NULL, 0 } }, 2, 2, { 1, 0 } },
		{ "an unknown NUMA node is not a common one", { { NULL, X }, { NULL, 0 } },
		  { { NULL, 0 }, { NULL, X } }, 2, 2, { 1, 0 } },
		{ "in the given order", { { "a", 0 }, { "a", 0 }, { "a", 0 } },
		  { { "a", 0 }, { "a", 0 } }, 3, 2, { 0, 1, -1 } },
		{ "no disks", { { "a", 0 } }, { { NULL, 0 } }, 1, 0, { -1 } },
		{ "no GPUs", { { NULL, 0 } }, { { "a", 0 } }, 0, 1, { 0 } },
	};
	size_t i;
	int j;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_gpus gpus = { 0 };
		struct ga_parts disks = { 0 }, vfs = { 0 };
		struct ga_candidates c = { 0 };

		for (j = 0; j < cases[i].n_gpus; j++)
			*ga_list_add(&gpus) = new_gpu((size_t)j, &cases[i].gpus[j]);
		for (j = 0; j < cases[i].n_disks; j++)
			add_disk(&disks, (size_t)j, &cases[i].disks[j]);
		ga_candidates_compose(&plain, &gpus, &disks, &vfs, &c);
		t_int((int64_t)c.n, cases[i].n_gpus, "%s: a candidate a GPU", cases[i].what);
		for (j = 0; j < cases[i].n_gpus; j++) {
			ga_autofree char *want = ga_xprintf("eui.%d", cases[i].want[j]);
			const struct ga_nvme *got = c.v[j].nvme;

			t_int(c.v[j].slot_index, j, "%s: index", cases[i].what);
			t_str(got ? got->wwid : NULL, cases[i].want[j] < 0 ? NULL : want,
			      "%s: GPU %d", cases[i].what, j);
			t_int(ga_reasons_has(&c.v[j].reasons, "missing_nvme"), !got,
			      "%s: GPU %d says when it has no disk", cases[i].what, j);
			t_ok(ga_reasons_has(&c.v[j].reasons, "missing_fabric_vf"),
			     "%s: GPU %d says it has no function", cases[i].what, j);
		}
		ga_list_release(&gpus);
		drop(&c, &disks);
	}
}

/* Sold whole, a GPU needs a disk and an answer, and nothing that a VM needs. */
static void baremetal(void)
{
	static const struct {
		int64_t answers, can_reset, boot_display;
		const char *want;
	} cases[] = {
		{ 1, 0, 1, "" },
		{ 0, 0, 1, "gpu_not_answering" },
	};
	struct ga_bundle_host whole = plain;
	size_t i, j;

	whole.baremetal = true;
	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autostr struct ga_str got = GA_STR_INIT;
		struct ga_gpus gpus = { 0 };
		struct ga_parts disks = { 0 }, vfs = { 0 };
		struct ga_candidates c = { 0 };

		*ga_list_add(&gpus) = new_gpu(0, &(struct place){ "a", 0 });
		ga_texts_add(&gpus.v[0].iommu_group_members, "0000:99:00.0");
		gpus.v[0].answers = cases[i].answers;
		gpus.v[0].can_reset = cases[i].can_reset;
		gpus.v[0].boot_display = cases[i].boot_display;
		add_disk(&disks, 0, &(struct place){ "a", 0 });
		ga_candidates_compose(&whole, &gpus, &disks, &vfs, &c);
		for (j = 0; j < c.v[0].reasons.n; j++)
			ga_str_add(&got, c.v[0].reasons.v[j].code);
		t_str(got.len ? got.buf : "", cases[i].want, "case %zu", i);
		t_ok(!c.v[0].suggested.mac && !c.v[0].suggested.port, "no address of a VM");
		ga_list_release(&gpus);
		drop(&c, &disks);
	}
}

static void cpus(void)
{
	/* Cores as pairs (0,4) (1,5) (2,6) (3,7). */
	static char pairs[][4] = { "0,4", "1,5", "2,6", "3,7" };
	static char *const cores[] = { pairs[0], pairs[1], pairs[2], pairs[3] };
	static const struct {
		const char *node, *reserved;
		bool smt;
		int share, shares;
		const char *want;
	} cases[] = {
		{ "0-7", "", true, 0, 2, "0-1,4-5" },
		{ "0-7", "", true, 1, 2, "2-3,6-7" },
		{ "0-7", "0,4", true, 0, 1, "1-3,5-7" },
		/* One sibling kept for the host takes the whole core away from the slots. */
		{ "0-7", "0", true, 0, 1, "1-3,5-7" },
		{ "0-7", "0,4", true, 0, 2, "1,5" },
		{ "0-7", "0,4", true, 1, 2, "2,6" },
		{ "0-7", "", true, 0, 5, NULL },
		{ "0-7", "0-7", true, 0, 1, NULL },
		{ "0-7", "", false, 0, 2, "0-3" },
		{ "0-7", "", false, 1, 2, "4-7" },
		{ "0-7", "0-1", false, 0, 4, "2" },
		{ "0-7", "0-1", false, 3, 4, "5" },
		{ "0-2", "", false, 2, 3, "2" },
		{ "0-2", "", false, 3, 4, NULL },
		{ "", "", false, 0, 1, NULL },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		ga_autofree struct ga_cpuset *reserved = ga_xcalloc(1, sizeof(*reserved));
		ga_autofree char *node = ga_xstrdup(cases[i].node);
		struct ga_numa numa = { .cpus = node };
		struct ga_bundle_host host = { .reserved = reserved };
		ga_autofree char *got = NULL;

		t_int(ga_cpuset_parse(cases[i].reserved, reserved, &err), 0, "%zu: list", i);
		if (cases[i].smt) {
			host.cores = cores;
			host.n_cores = GA_ARRAY_SIZE(cores);
		}
		got = ga_cpus_share(&host, &numa, cases[i].share, cases[i].shares);
		t_str(got, cases[i].want, "%zu: share %d of %d of '%s'", i, cases[i].share,
		      cases[i].shares, cases[i].node);
	}
}

static void memory(void)
{
	static const struct {
		int64_t memory, pages, reserve;
		int numa_nodes, shares;
		int64_t want;
	} cases[] = {
		{ 65536, 0, 0, 1, 4, 16384 },
		{ 65536, 0, 8192, 1, 4, 14336 },
		{ 65536, 0, 8192, 2, 4, 15360 }, /* half of the reserve is this node's */
		{ 65536, 32, 8192, 1, 2, 16384 }, /* hugepages are set aside already */
		{ 65536, 0, 0, 1, 3, 21504 },	  /* whole GiB, rounded down */
		{ 65536, 0, 70000, 1, 1, X },
		{ 512, 0, 0, 1, 1, X },
		{ X, 0, 0, 1, 1, X },
		{ 65536, 0, 0, 1, 0, X },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_numa numa = { .memory_mib = cases[i].memory };
		struct ga_bundle_host host = { .n_numa = (size_t)cases[i].numa_nodes,
					       .reserved_memory_mib = cases[i].reserve };

		if (cases[i].pages)
			*ga_list_add(&numa.hugepages) = (struct ga_hugepages){
				.size_kib = 1 << 20, .total = cases[i].pages };
		t_int(ga_memory_share(&host, &numa, cases[i].shares), cases[i].want, "memory %zu",
		      i);
		ga_list_release(&numa.hugepages);
	}
}

/* The network 10.0.0.0/29 has room for the gateway .1 and five slots .2 to .6. */
static void addresses(void)
{
	struct ga_bundle_host host = plain;
	struct ga_gpus gpus = { 0 };
	struct ga_parts disks = { 0 }, vfs = { 0 };
	struct ga_candidates c = { 0 };
	size_t i;

	host.gateway = 0x0a000001;
	host.prefix_bits = 29;
	for (i = 0; i < MOST; i++)
		*ga_list_add(&gpus) = new_gpu(i, &(struct place){ NULL, X });
	ga_candidates_compose(&host, &gpus, &disks, &vfs, &c);
	t_str(c.v[0].suggested.private_ip, "10.0.0.2", "the first slot is after the gateway");
	t_str(c.v[4].suggested.private_ip, "10.0.0.6", "the last address");
	t_str(c.v[5].suggested.private_ip, NULL, "the broadcast address is nobody's");
	t_str(c.v[0].suggested.port, "gpuaas0", "port");
	t_str(c.v[0].suggested.bridge, "br0", "bridge");
	t_str(c.v[0].suggested.cpuset, NULL, "nothing is known of the CPUs");
	t_ok(c.v[0].suggested.mac && c.v[1].suggested.mac &&
	     strcmp(c.v[0].suggested.mac, c.v[1].suggested.mac), "each slot has its own MAC");
	ga_list_release(&gpus);
	drop(&c, &disks);
}

static void reasons(void)
{
	static const struct {
		const char *what, *member;
		int64_t boot;
		const char *shared; /* its hint begins so */
		bool display;
	} cases[] = {
		{ "alone in its group", NULL, 0, NULL, false },
		{ "with its own audio function", "0000:18:00.1", 0, "a VM gets only the GPU",
		  false },
		{ "with a function of another device", "0000:19:00.0", 0, "move the other device",
		  false },
		{ "with one in another domain", "0001:18:00.1", 0, "move the other device",
		  false },
		{ "as the boot display", NULL, 1, NULL, true },
		{ "when nothing is known of the display", NULL, X, NULL, false },
	};
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_gpus gpus = { 0 };
		struct ga_parts disks = { 0 }, vfs = { 0 };
		struct ga_candidates c = { 0 };
		struct ga_gpu *g = ga_list_add(&gpus);
		const char *wwid = "eui.$(id)";

		*g = new_gpu(0, &(struct place){ NULL, X });
		g->boot_display = cases[i].boot;
		if (cases[i].member)
			ga_texts_add(&g->iommu_group_members, cases[i].member);
		add_disk(&disks, 0, &(struct place){ NULL, X });
		ga_texts_add(&disks.v[0].nvme->signatures, "nvme0n1: ext4");
		free(disks.v[0].nvme->wwid);
		disks.v[0].nvme->wwid = ga_xstrdup(wwid);
		ga_candidates_compose(&plain, &gpus, &disks, &vfs, &c);
		t_int(ga_reasons_has(&c.v[0].reasons, "iommu_group_shared"), !!cases[i].shared,
		      "a GPU %s: group", cases[i].what);
		t_int(ga_reasons_has(&c.v[0].reasons, "gpu_is_boot_display"), cases[i].display,
		      "a GPU %s: display", cases[i].what);
		t_ok(ga_reasons_has(&c.v[0].reasons, "nvme_signature"), "a signature is reported");
		for (j = 0; j < c.v[0].reasons.n; j++) {
			const struct ga_reason *r = &c.v[0].reasons.v[j];

			if (ga_streq(r->code, "iommu_group_shared") ||
			    ga_streq(r->code, "gpu_is_boot_display"))
				t_ok(strstr(r->hint, "(--mode baremetal)"),
				     "the hint of %s names the other way to sell the node",
				     r->code);
			if (ga_streq(r->code, "nvme_signature"))
				t_ok(strstr(r->hint, "--destroy-data 'eui.$(id)' |"),
				     "a wwid is quoted in a command: %s", r->hint);
			if (cases[i].shared && ga_streq(r->code, "iommu_group_shared"))
				t_ok(ga_starts(r->hint, cases[i].shared), "a GPU %s: %s",
				     cases[i].what, r->hint);
		}
		ga_list_release(&gpus);
		drop(&c, &disks);
	}
}

/* Any input: no part is given twice, none is given while a nearer GPU goes without. */
static void random_hosts(void)
{
	static const char *const switches[] = { NULL, "a", "b", "c" };
	uint64_t seed = t_seed();
	int bad = 0, round;

	for (round = 0; round < 300; round++) {
		struct ga_gpus gpus = { 0 };
		struct ga_parts disks = { 0 }, vfs = { 0 };
		struct ga_candidates c = { 0 };
		size_t n_gpus = t_random(&seed) % 9, n_disks = t_random(&seed) % 9;
		size_t i, with = 0, left = 0;

		for (i = 0; i < n_gpus; i++)
			*ga_list_add(&gpus) = new_gpu(i, &(struct place){
				switches[t_random(&seed) % 4], (int64_t)(t_random(&seed) % 2) });
		for (i = 0; i < n_disks; i++)
			add_disk(&disks, i, &(struct place){ switches[t_random(&seed) % 4],
							     (int64_t)(t_random(&seed) % 2) });
		ga_candidates_compose(&plain, &gpus, &disks, &vfs, &c);
		for (i = 0; i < c.n; i++)
			with += c.v[i].nvme != NULL;
		for (i = 0; i < disks.n; i++) {
			left += disks.v[i].nvme != NULL;
			bad += disks.v[i].taken == (disks.v[i].nvme != NULL);
		}
		bad += c.n != n_gpus || with != (n_gpus < n_disks ? n_gpus : n_disks) ||
		       with + left != n_disks;
		ga_list_release(&gpus);
		drop(&c, &disks);
	}
	t_int(bad, 0, "300 random hosts: every disk is in one place");
}

int main(void)
{
	matching();
	baremetal();
	cpus();
	memory();
	addresses();
	reasons();
	random_hosts();
	return t_done();
}
