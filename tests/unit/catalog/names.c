/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Golden: every PCI id, subsystem, label, alias and machine of the catalogue means its type or its
 * set of types, in every valid spelling. Mistakes of other projects and invalid spellings mean
 * nothing.
 */
#include "t.h"

#include <ctype.h>

#include "catalog/name.h"
#include "exchange/kube/view.h"

static struct ga_accels *list;

static bool among(const struct ga_accel_named *n, const char *slug)
{
	size_t i;

	for (i = 0; i < n->types.n; i++)
		if (ga_streq(n->types.v[i], slug))
			return true;
	return false;
}

static bool may_be(const struct ga_accel *a, const char *slug)
{
	size_t i;

	for (i = 0; i < a->may_be.n; i++)
		if (ga_streq(a->may_be.v[i], slug))
			return true;
	return false;
}

static unsigned int hex(const char *text)
{
	return (unsigned int)strtoul(text, NULL, 16);
}

/* ---- PCI ids ---- */

static void board(const struct ga_accel_type *t, const struct ga_accel_pci *p, const char *id,
		  const char *want, bool part)
{
	ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };

	ga_accels_find(list, hex(t->vendor_id), hex(p->device_id), hex(id), hex(id + 5), &a);
	t_ok(ga_streq(a.slug, want) && !!a.part == part, "%s:%s subsystem %s is %s%s",
	     t->vendor_id, p->device_id, id, want ? want : "nothing", part ? ", a part" : "");
}

static void ids_of(const struct ga_accel_type *t)
{
	size_t i, j;

	for (i = 0; i < t->pci.n; i++) {
		const struct ga_accel_pci *p = &t->pci.v[i];
		ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };

		ga_accels_find(list, hex(t->vendor_id), hex(p->device_id), -1, -1, &a);
		t_ok(ga_streq(a.slug, t->slug) || (p->ambiguous && may_be(&a, t->slug)),
		     "%s:%s is %s, or may be", t->vendor_id, p->device_id, t->slug);
		for (j = 0; j < p->subsystems.n; j++)
			board(t, p, p->subsystems.v[j].id, t->slug, false);
		for (j = 0; j < p->vgpu_subsystems.n; j++)
			board(t, p, p->vgpu_subsystems.v[j].id, t->slug, true);
		for (j = 0; j < p->other_subsystems.n; j++)
			board(t, p, p->other_subsystems.v[j].id, NULL, false);
	}
}

static void clues(void)
{
#define NO GA_UNKNOWN
	static const struct {
		unsigned int vendor, device;
		int64_t sub_vendor, sub_device, revision, memory_mib, units;
		const char *slug, *rung;
	} cases[] = {
		{ 0x1002, 0x66a1, NO, NO, 2, 16368, 60, "amd-mi50-16gb", "memory" },
		{ 0x1002, 0x66a1, NO, NO, 2, 32752, 60, "amd-mi50-32gb", "memory" },
		{ 0x1002, 0x66a1, NO, NO, 2, 32752, 64, "amd-mi60-32gb", "memory" },
		{ 0x1002, 0x66a1, NO, NO, 2, 32752, NO, NULL, "none" },
		/* One of the two GPUs of a card, or the card. */
		{ 0x1002, 0x740c, NO, NO, 1, 65520, 104, "amd-mi250-128gb", "memory" },
		{ 0x1002, 0x740c, NO, NO, 1, NO, 220, "amd-mi250x-128gb", "memory" },
		{ 0x1002, 0x740c, NO, NO, 1, 65520, NO, NULL, "none" },
		/* The revision tells a MI25 from its relatives, and the board a Radeon. */
		{ 0x1002, 0x6860, NO, NO, 1, NO, NO, "amd-mi25-16gb", "pci" },
		{ 0x1002, 0x6860, NO, NO, 3, NO, NO, NULL, "none" },
		{ 0x1002, 0x6860, 0x1002, 0x0c35, 0, NO, NO, NULL, "none" },
		{ 0x8086, 0x0bd6, NO, NO, NO, NO, NO, NULL, "none" },
		/* Peers' inventions: go-nvml's mocks of a H200 and a B200. */
		{ 0x10de, 0x2333, NO, NO, NO, NO, NO, NULL, "none" },
		{ 0x10de, 0x2b00, NO, NO, NO, NO, NO, NULL, "none" },
		/* Memory that fits none of the set says nothing. */
		{ 0x10de, 0x25b6, NO, NO, NO, 81559, NO, NULL, "none" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_accel_clue c = { cases[i].vendor,	cases[i].device,
					   cases[i].sub_vendor, cases[i].sub_device,
					   cases[i].revision,	NO,
					   cases[i].memory_mib, cases[i].units };
		ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };

		ga_accels_detect(list, &c, &a);
		t_str(a.slug, cases[i].slug, "clue %zu", i);
		t_str(a.rung, cases[i].rung, "clue %zu: rung", i);
		t_ok(a.name && *a.name, "clue %zu has a name: %s", i, a.name);
	}
}

static void functions(void)
{
	static const struct {
		unsigned int device;
		int64_t is_virtual;
		const char *function;
	} cases[] = {
		{ 0x74a1, NO, "physical" }, { 0x74b5, NO, "virtual" }, { 0x74b5, 0, "physical" },
		{ 0x74bd, NO, NULL },	    { 0x74bd, 1, "virtual" },  { 0x74b6, NO, NULL },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_accel_clue c = { 0x1002, cases[i].device, NO, NO, NO,
					   cases[i].is_virtual, NO, NO };
		ga_autoaccel struct ga_accel a = { .match = GA_ACCEL_UNKNOWN };

		ga_accels_detect(list, &c, &a);
		t_str(a.function, cases[i].function, "function of 1002:%04x", cases[i].device);
	}
}

/* ---- names ---- */

static void name(enum ga_name_family family, const char *text, const char *slug, bool alone)
{
	ga_autonamed struct ga_accel_named n = { 0 };

	ga_accels_named(list, family, text, &n);
	t_ok(among(&n, slug) && (!alone || n.types.n == 1), "'%s' means %s%s", text, slug,
	     alone ? " alone" : "");
}

static void no_name(enum ga_name_family family, const char *text)
{
	ga_autonamed struct ga_accel_named n = { 0 };

	ga_accels_named(list, family, text, &n);
	t_int((int64_t)n.types.n, 0, "'%s' means nothing%s%s", text, n.types.n ? ", not " : "",
	      n.types.n ? n.types.v[0] : "");
}

/* A suffix that GFD may add changes the parts, not the type. */
static void suffixes_of(const char *label, const char *slug)
{
	static const struct {
		const char *suffix, *part;
		bool shared;
	} cases[] = {
		{ "-SHARED", NULL, true },
		{ "-PRIVATE", NULL, true },
		{ "-MIG-INVALID", "MIG INVALID", false },
		{ "-MIG-1g.5gb", "MIG 1g.5gb", false },
		{ "-MIG-1g.10gb+me", "MIG 1g.10gb+me", false },
		{ "-MIG-2g.35gb+me.all", "MIG 2g.35gb+me.all", false },
		{ "-MIG-1g.12gb+gfx", "MIG 1g.12gb+gfx", false },
		{ "-MIG-1c.3g.20gb-me", "MIG 1c.3g.20gb-me", false },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofree char *text = ga_xprintf("%s%s", label, cases[i].suffix);
		ga_autonamed struct ga_accel_named n = { 0 };

		ga_accels_named(list, GA_NAME_NVIDIA, text, &n);
		t_ok(among(&n, slug) && ga_streq(n.part, cases[i].part) &&
			     n.shared == cases[i].shared,
		     "'%s' means %s", text, slug);
	}
}

/* A printed name of a type can be typed, with its memory or without, and is no label by that. */
static void products_of(const struct ga_accel_type *t)
{
	ga_autofree char *bare = ga_accel_short_name(t);
	char *p;

	name(GA_NAME_PEOPLE, t->name, t->slug, false);
	name(GA_NAME_PEOPLE, bare, t->slug, false);
	for (p = bare; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	name(GA_NAME_PEOPLE, bare, t->slug, false);
	no_name(GA_NAME_NVIDIA, bare);
	no_name(GA_NAME_AMD, bare);
	no_name(GA_NAME_INTEL, bare);
}

static void names_of(const struct ga_accel_type *t)
{
	const struct ga_accel_labels *l = &t->labels;
	ga_autofree char *upper = ga_xstrdup(t->slug);
	char *p;
	size_t i;

	for (p = upper; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	name(GA_NAME_PEOPLE, upper, t->slug, true);
	/* An alias that is the bare name of a product means every form of it. */
	for (i = 0; i < t->aliases.n; i++)
		name(GA_NAME_PEOPLE, t->aliases.v[i], t->slug,
		     strcmp(t->aliases.v[i], "H100") != 0);
	products_of(t);
	for (i = 0; i < l->nvidia_product.n; i++) {
		bool alone = strcmp(l->nvidia_product.v[i], "NVIDIA-H100") != 0;

		name(GA_NAME_NVIDIA, l->nvidia_product.v[i], t->slug, alone);
		suffixes_of(l->nvidia_product.v[i], t->slug);
	}
	for (i = 0; ga_streq(t->vendor_id, "10de") && i < l->driver_names.n; i++)
		name(GA_NAME_NVIDIA, l->driver_names.v[i], t->slug, false);
	for (i = 0; i < l->amd_product_name.n; i++)
		name(GA_NAME_AMD, l->amd_product_name.v[i], t->slug, true);
	for (i = 0; i < l->intel_product.n; i++)
		name(GA_NAME_INTEL, l->intel_product.v[i], t->slug, true);
}

/* The bare name of a product means all its forms, and no other product's. */
static void families(void)
{
	static const struct {
		const char *text, *types;
	} cases[] = {
		{ "a100", "nvidia-a100-pcie-40gb nvidia-a100-pcie-80gb nvidia-a100-sxm-64gb "
			  "nvidia-a100-sxm4-40gb nvidia-a100-sxm4-80gb" },
		{ "A100-80GB", "nvidia-a100-pcie-80gb nvidia-a100-sxm4-80gb" },
		{ "NVIDIA A100 80GB", "nvidia-a100-pcie-80gb nvidia-a100-sxm4-80gb" },
		{ "NVIDIA A100 64GB", "nvidia-a100-sxm-64gb" },
		{ "V100", "nvidia-v100-pcie-16gb nvidia-v100-pcie-32gb nvidia-v100-sxm2-16gb "
			  "nvidia-v100-sxm2-32gb nvidia-v100-sxm3-32gb" },
		{ "v100s", "nvidia-v100s-pcie-32gb" },
		{ "h100", "nvidia-h100-pcie-80gb nvidia-h100-sxm5-64gb nvidia-h100-sxm5-80gb "
			  "nvidia-h100-sxm5-94gb nvidia-h100-sxm5-96gb" },
		{ "h100 nvl", "nvidia-h100-nvl-94gb" },
		{ "h100-sxm", "nvidia-h100-sxm5-80gb" },
		{ "H200", "nvidia-h200-141gb" },
		{ "h200 nvl", "nvidia-h200-nvl-141gb" },
		{ "h20", "nvidia-h20-96gb" },
		{ "mi50", "amd-mi50-16gb amd-mi50-32gb" },
		{ "AMD Instinct MI300X 192GB", "amd-mi300x-192gb" },
		{ "a100-sxm-mig-1g.5gb", "" },
	};
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autonamed struct ga_accel_named n = { 0 };
		ga_autostr struct ga_str types = GA_STR_INIT;

		ga_accels_named(list, GA_NAME_PEOPLE, cases[i].text, &n);
		for (j = 0; j < n.types.n; j++)
			ga_str_addf(&types, "%s%s", j ? " " : "", n.types.v[j]);
		t_str(types.buf ? types.buf : "", cases[i].types, "'%s' for people", cases[i].text);
	}
}

/* The name that a guest's driver gives its share of a GPU: a part of it, never all of it. */
static void guests(void)
{
	static const struct {
		const char *text, *type, *part;
	} cases[] = {
		{ "GRID-T4-1B4", "nvidia-t4-16gb", "GRID T4-1B4" },
		{ "GRID-T4-1B", "nvidia-t4-16gb", "GRID T4-1B" },
		{ "GRID-A100X-1-5C", "nvidia-a100-sxm4-40gb", "GRID A100X-1-5C" },
		{ "NVIDIA-H200X-141C", "nvidia-h200-141gb", "NVIDIA H200X-141C" },
		{ "NVIDIA-H200X-141C-MIG-1g.18gb", NULL, NULL },
		{ "GRID-T4-1B5", NULL, NULL },
		{ "NVIDIA-GeForce-RTX-3050", NULL, NULL },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autonamed struct ga_accel_named n = { 0 };

		ga_accels_named(list, GA_NAME_NVIDIA, cases[i].text, &n);
		t_str(n.types.n == 1 ? n.types.v[0] : NULL, cases[i].type, "%s is of %s",
		      cases[i].text, cases[i].type ? cases[i].type : "nothing");
		t_ok(cases[i].type || !n.types.n, "%s: nothing more", cases[i].text);
		if (cases[i].type)
			t_str(n.part, cases[i].part, "%s is a part", cases[i].text);
		t_ok(!n.by_hand && !n.old_name && !n.shared, "%s: a driver writes it",
		     cases[i].text);
	}
}

/* Machines as their sources have them: "COUNT TYPE…". */
static void machines(void)
{
	static const struct {
		const char *name, *has;
	} cases[] = {
		{ "p3.2xlarge", "1 nvidia-v100-sxm2-16gb nvidia-v100-pcie-16gb" },
		{ "p3.16xlarge", "8 nvidia-v100-sxm2-16gb" },
		{ "p2.8xlarge", "8 nvidia-k80-12gb" },
		{ "dl1.24xlarge", "8 intel-gaudi-32gb" },
		{ "ml.p3.8xlarge", "4 nvidia-v100-sxm2-16gb" },
		{ "a3-edgegpu-8g", "8 nvidia-h100-sxm5-80gb" },
		{ "ct5lp-hightpu-4t", "4 google-tpu-v5e" },
		{ "ct6e-standard-8t", "8 google-tpu-v6e" },
		{ "tpu7x-standard-4t", "4 google-tpu-v7x" },
		{ "Standard_NC24rs_v3", "4 nvidia-v100-sxm2-16gb nvidia-v100-pcie-16gb" },
		{ "Standard_NV36ads_A10_v5", "1 nvidia-a10-24gb" },
		{ "BM.GPU.H100.8", "8 nvidia-h100-sxm5-80gb nvidia-h100-pcie-80gb" },
		{ "BM.GPU.H200.8", "8 nvidia-h200-141gb nvidia-h200-nvl-141gb" },
		{ "BM.GPU.B200.8", "8 nvidia-b200-180gb" },
		{ "BM.GPU4.8", "8 nvidia-a100-sxm4-40gb nvidia-a100-pcie-40gb" },
		{ "BM.GPU.A100-v2.8", "8 nvidia-a100-sxm4-80gb nvidia-a100-pcie-80gb" },
		{ "BM.GPU.A10.4", "4 nvidia-a10-24gb" },
		{ "VM.GPU.A10.2", "2 nvidia-a10-24gb" },
		{ "BM.GPU.L40S.4", "4 nvidia-l40s-48gb" },
		{ "BM.GPU.MI300X.8", "8 amd-mi300x-192gb" },
		/* A part of a GPU is none. */
		{ "Standard_NV18ads_A10_v5", "none" },
	};
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		const struct ga_accel_instance *m = ga_accels_instance(list, cases[i].name);
		ga_autostr struct ga_str has = GA_STR_INIT;

		if (!m)
			ga_str_add(&has, "none");
		else
			ga_str_addf(&has, "%lld", (long long)m->count);
		for (j = 0; m && j < m->types.n; j++)
			ga_str_addf(&has, " %s", m->types.v[j]);
		t_str(has.buf, cases[i].has, "machine %s", cases[i].name);
	}
}

static void rest(void)
{
	const struct ga_accel_rest *r = ga_accels_rest(list);
	size_t i, j;

	for (i = 0; i < r->groups.n; i++)
		for (j = 0; j < r->groups.v[i].types.n; j++)
			name(GA_NAME_PEOPLE, r->groups.v[i].name, r->groups.v[i].types.v[j], false);
	for (i = 0; i < r->instances.n; i++)
		t_ok(ga_accels_instance(list, r->instances.v[i].name) == &r->instances.v[i],
		     "machine %s", r->instances.v[i].name);
	t_ok(ga_accels_instance(list, "ml.p4d.24xlarge") != NULL, "SageMaker's name of a machine");
	t_ok(ga_accels_instance(list, "standard_nc24ads_a100_v4") != NULL, "a machine in any case");
	t_ok(!ga_accels_instance(list, "g6f.large"), "a machine with a part of a GPU is none");
}

/* Texts that are no spelling of a label, and those that peers write or look for. */
static void wrong(void)
{
	static const char *const nvidia[] = {
		"H200", "nvidia-h200", "NVIDIA_H200", "NVIDIA-H200 ", "NVIDIA-A100",
		"NVIDIA-H100-80GB", "NVIDIA-H200-480GB", "NVIDIA-GH200", "NVIDIA-H200-141GB-HBM3e",
		"NVIDIA-H200-MIG-", "NVIDIA-H200-MIG-1g.18gbx", "NVIDIA-H200-MIG-g.18gb",
		"NVIDIA-H200-SHARED-SHARED", "NVIDIA-H200-SHARED-MIG-1g.18gb", "-SHARED",
		"a10-pcie-28gb", "AMD Instinct MI100", "Max_1550", "MI300X", "",
	};
	static const char *const amd[] = { "AMD Instinct MI300X OAM", "AMD_Instinct_MI300X_oam",
					   "AMD-Instinct-MI300X-OAM", "MI300X", "NVIDIA-H200" };
	static const char *const intel[] = { "Max 1550", "max_1550", "Max_1450", "Flex-170" };
	static const char *const people[] = { "h9000", "gpu", "141gb", "nvidia", "H20", "" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(nvidia); i++)
		no_name(GA_NAME_NVIDIA, nvidia[i]);
	for (i = 0; i < GA_ARRAY_SIZE(amd); i++)
		no_name(GA_NAME_AMD, amd[i]);
	for (i = 0; i < GA_ARRAY_SIZE(intel); i++)
		no_name(GA_NAME_INTEL, intel[i]);
	for (i = 0; i < GA_ARRAY_SIZE(people); i++)
		if (strcmp(people[i], "H20") != 0) /* which is one */
			no_name(GA_NAME_PEOPLE, people[i]);
}

static void spellings(void)
{
	static const struct {
		const char *text;
		bool old, by_hand;
	} cases[] = {
		{ "NVIDIA-A100-SXM4-80GB", false, false }, { "A100-SXM4-80GB", true, false },
		{ "Tesla-T4", false, false },		   { "NVIDIA-H200-SXM", false, true },
		{ "NVIDIA-GB200-NVL72", false, true },	   { "NVIDIA-B300", false, true },
		{ "NVIDIA-H200-SHARED", false, false },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autonamed struct ga_accel_named n = { 0 };

		ga_accels_named(list, GA_NAME_NVIDIA, cases[i].text, &n);
		t_int((int64_t)n.types.n, 1, "%s means one type", cases[i].text);
		t_int(n.old_name, cases[i].old, "%s: an old spelling", cases[i].text);
		t_int(n.by_hand, cases[i].by_hand, "%s: by hand", cases[i].text);
	}
}

/* ---- facts that peers have wrong ---- */

static void of_others(const struct ga_accel_type *t)
{
	size_t i;

	for (i = 0; !ga_streq(t->vendor, "NVIDIA") && i < t->partitioning.sources.n; i++)
		t_ok(!ga_streq(t->partitioning.sources.v[i], "nvmig"), "%s: its own source",
		     t->slug);
}

static void facts(void)
{
	static const struct {
		const char *slug;
		int64_t nominal_gb, gpu_gb, memory_mib;
		const char *cc;
	} cases[] = {
		{ "nvidia-b200-180gb", 180, 180, 184320, "10.0" },	/* SkyPilot: 80 */
		{ "nvidia-gh200-96gb", 96, 96, 98304, "9.0" },		/* label: 480 */
		{ "nvidia-h200-141gb", 141, 141, 144384, "9.0" },	/* SkyPilot: 80 */
		{ "amd-mi325x-256gb", 256, 256, 262144, NULL },		/* gpuhunt: 288 */
		{ "nvidia-b300-288gb", 288, 288, 294912, "10.3" },	/* gpuhunt: cc 10.0 */
		{ "nvidia-v100-sxm2-16gb", 16, 16, 16384, "7.0" },	/* llm-analysis: 32 */
		{ "nvidia-h100-sxm5-80gb", 80, 80, 81920, "9.0" },	/* reports 81559 MiB */
		{ "nvidia-t4-16gb", 16, 16, 16384, "7.5" },		/* reports 15360 MiB */
		{ "amd-mi250x-128gb", 128, 64, 65536, NULL },		/* two GPUs a card */
		{ "nvidia-k80-12gb", 12, 12, 12288, "3.7" },
		{ "nvidia-gb300-288gb", GA_UNKNOWN, GA_UNKNOWN, 284208, "10.3" },
		{ "amd-mi308x-128gb", GA_UNKNOWN, GA_UNKNOWN, 0, NULL },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		const struct ga_accel_type *t = ga_accels_type(list, cases[i].slug);

		t_ok(t != NULL, "%s is there", cases[i].slug);
		if (!t)
			continue;
		t_int(t->memory.nominal_gb, cases[i].nominal_gb, "%s: GB", t->slug);
		t_int(t->memory.gpu_gb, cases[i].gpu_gb, "%s: GB of one GPU", t->slug);
		t_int(ga_accels_memory_mib(list, t->slug), cases[i].memory_mib, "%s: MiB", t->slug);
		t_str(t->architecture.compute_capability, cases[i].cc, "%s: cc", t->slug);
	}
	/* Wikipedia's are with sparsity, or of another part. */
	t_int(ga_accels_type(list, "nvidia-l40-48gb")->dense.fp16_gflops, 181000, "L40 dense");
	t_int(ga_accels_type(list, "nvidia-h200-141gb")->memory.bandwidth_mb_s, 4800000, "H200");
	/* Lightning has A10's 125 TFLOPS, gpu.blog 133 of the vector units. */
	t_int(ga_accels_type(list, "nvidia-a10g-24gb")->dense.fp16_gflops, 70000, "A10G");
	t_int(ga_accels_type(list, "nvidia-a10-24gb")->dense.fp16_gflops, 125000, "A10");
	t_int(ga_accels_type(list, "nvidia-h100-nvl-94gb")->dense.fp16_gflops, 835500, "H100 NVL");
	/* NVIDIA's list of GPUs with MIG says nothing of others. */
	t_int(ga_accels_type(list, "intel-max-1550-128gb")->partitioning.mig, GA_UNKNOWN, "Max");
	t_int(ga_accels_type(list, "nvidia-l4-24gb")->partitioning.mig, false, "L4");
	for (i = 0; i < ga_accels_count(list); i++)
		of_others(ga_accels_at(list, i));
	t_ok(!ga_accels_type(list, "nvidia-h9000"), "no type of that slug");
}

static void memory(void)
{
	static const struct {
		const char *slug;
		int64_t mib;
		bool fits;
	} cases[] = {
		{ "nvidia-h100-sxm5-80gb", 81559, true }, { "nvidia-h100-sxm5-80gb", 95830, false },
		{ "nvidia-h100-sxm5-94gb", 95830, true }, { "nvidia-t4-16gb", 15360, true },
		{ "nvidia-t4-16gb", 16384, true },	  { "nvidia-b200-180gb", 183359, true },
		{ "nvidia-b300-288gb", 275040, true },	  { "nvidia-gb300-288gb", 284208, true },
		{ "nvidia-gb300-288gb", 143771, false },  { "amd-mi250-128gb", 65520, true },
		{ "amd-mi250-128gb", 131040, false },	  { "nvidia-a100-sxm4-40gb", 39538, true },
		/* AWS reports the same for both: memory alone does not tell them apart. */
		{ "nvidia-l4-24gb", 22888, true },	  { "nvidia-a10g-24gb", 22888, true },
		{ "amd-mi308x-128gb", 1, true },
	};
	bool is_bytes;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		t_int(ga_accel_memory_fits(ga_accels_type(list, cases[i].slug), cases[i].mib),
		      cases[i].fits, "%s: %lld MiB", cases[i].slug, (long long)cases[i].mib);
	t_int(ga_kube_nvidia_memory(16106127360, &is_bytes), 15360, "a T4 in bytes");
	t_ok(is_bytes, "which is reported");
	t_int(ga_kube_nvidia_memory(81559, &is_bytes), 81559, "a H100 in MiB");
	t_ok(!is_bytes, "which is not bytes");
}

static int tell(const char *object, const char *check, const char *sentence, void *arg)
{
	(void)arg;
	printf("# %s %s: %s\n", object, check, sentence);
	return 0;
}

int main(void)
{
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	ga_accels_drop_ins(NULL);
	if (ga_accels_open(NULL, &list, &err) < 0)
		return 1;
	t_int((int64_t)ga_accels_count(list), 112, "types");
	t_int(ga_accels_check(list, tell, NULL), 0, "the catalogue contradicts itself nowhere");
	for (i = 0; i < ga_accels_count(list); i++) {
		ids_of(ga_accels_at(list, i));
		names_of(ga_accels_at(list, i));
	}
	clues();
	functions();
	families();
	guests();
	machines();
	rest();
	wrong();
	spellings();
	facts();
	memory();
	ga_accels_close(list);
	return t_done();
}
