/* SPDX-License-Identifier: Apache-2.0 */
/* Domain XML: NUMA and pinning, hostile texts, refusals; the MMIO budget. */
#include "t.h"

#include "base/vec.h"
#include "look/domain.h"
#include "record/bundle.h"
#include "record/plan.h"
#include "record/schema.h"

static char *dup(const char *s)
{
	return ga_xstrdup(s);
}

static void add_bundle(struct ga_plan *p, int64_t node, const char *cpus, const char *gpu)
{
	struct ga_bundle *b = ga_list_add(&p->bundles);

	ga_schema_init(&ga_bundle_schema, b);
	b->slot = dup("s0000000");
	b->numa_node = node;
	b->cpuset = dup(cpus);
	b->gpu_pci_address = dup(gpu);
}

static void make_plan(struct ga_plan *p)
{
	ga_schema_init(&ga_plan_schema, p);
	p->allocation = dup("a110c000");
	p->attempt = dup("attempt0");
	p->node = dup("n-1");
	p->domain = dup("gpuaas-a110c000");
	p->domain_type = dup("kvm");
	p->generation = 7;
	p->mac = dup("02:00:00:00:00:01");
	p->port = dup("gp-0");
	p->network.bridge = dup("ovsbr0");
	p->image = ga_xcalloc(1, sizeof(*p->image));
	p->image->firmware = dup("efi");
	p->image->probe = dup("ssh");
}

static int format(const struct ga_plan *p, struct ga_str *xml, struct ga_err *err)
{
	static const char *const disks[] = { "/dev/disk/by-id/nvme-a", NULL, NULL, NULL };
	const struct ga_domain_env env = { .seed = "/s/<seed>'&\".iso", .console_log = "/s/log",
					   .disks = disks };

	return ga_domain_xml(p, &env, xml, err);
}

#define HAS(text) t_ok(strstr(xml.buf, text) != NULL, "has %s", text)
#define HAS_NOT(text) t_ok(strstr(xml.buf, text) == NULL, "has no %s", text)

static void one_slot(void)
{
	ga_autostr struct ga_str xml = GA_STR_INIT, again = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	struct ga_plan p;

	make_plan(&p);
	p.vcpus = 2;
	p.memory_mib = 4096;
	p.hugepage_kib = 1048576;
	add_bundle(&p, 1, "8-11", "0000:9a:00.0");
	p.bundles.v[0].fabric_vf_pci_address = dup("10000:1a:01.7");
	t_int(format(&p, &xml, &err), 0, "one slot");
	HAS("<vcpupin vcpu='0' cpuset='8'/>");
	HAS("<vcpupin vcpu='1' cpuset='9'/>");
	HAS_NOT("cpuset='10'");
	HAS("<emulatorpin cpuset='8-11'/>");
	HAS("<memory mode='strict' nodeset='1'/>");
	HAS("<page size='1048576' unit='KiB'/>");
	HAS("<address domain='0x0000' bus='0x9a' slot='0x00' function='0x0'/>");
	HAS("<address domain='0x10000' bus='0x1a' slot='0x01' function='0x7'/>");
	HAS("id='a110c000' generation='7' attempt='attempt0'");
	HAS("file='/s/&lt;seed&gt;");
	HAS("<target dev='sdz' bus='scsi'/>"); /* not SATA, which cloud kernels lack */
	HAS_NOT("<seed>");
	HAS("managed='no'");
	HAS("<feature enabled='no' name='secure-boot'/>");
	HAS("mode='host-passthrough'");
	HAS("cache='none' io='native' discard='unmap'");
	HAS("<memballoon model='none'/>");
	HAS_NOT("graphics");
	HAS_NOT("<numa>");
	HAS_NOT("guest_agent");
	t_int(format(&p, &again, &err), 0, "again");
	t_ok(ga_streq(xml.buf, again.buf), "the same plan gives the same bytes");
	ga_schema_release(&ga_plan_schema, &p);
}

static void two_nodes(void)
{
	ga_autostr struct ga_str xml = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	struct ga_plan p;

	make_plan(&p);
	p.vcpus = 7;
	p.memory_mib = 9 * 1024;
	p.hugepage_kib = 1048576;
	/* Out of order on purpose: cells gather the slots of a node. */
	add_bundle(&p, 0, "0-3", "0000:18:00.0");
	add_bundle(&p, 1, "8-11", "0000:9a:00.0");
	add_bundle(&p, 0, "4-7", "0000:2a:00.0");
	t_int(format(&p, &xml, &err), 0, "three slots on two nodes");
	HAS("<memory mode='strict' nodeset='0,1'/>");
	HAS("<memnode cellid='1' mode='strict' nodeset='1'/>");
	HAS("<cell id='0' cpus='0-3' memory='6144' unit='MiB'/>");
	HAS("<cell id='1' cpus='4-6' memory='3072' unit='MiB'/>");
	HAS("<vcpupin vcpu='4' cpuset='8'/>");
	HAS("pcie-expander-bus");
	ga_schema_release(&ga_plan_schema, &p);
}

static void refused(void)
{
	static const struct {
		const char *what, *a, *b;
		int64_t vcpus, memory_mib;
	} cases[] = {
		{ "a CPU in two slots", "0-3", "3-6", 8, 1024 },
		{ "more virtual CPUs than CPUs", "0-3", "4-7", 9, 1024 },
		{ "no CPUs", "", "", 2, 1024 },
		{ "fewer virtual CPUs than slots", "0-3", "4-7", 1, 1024 },
		{ "no memory", "0-3", "4-7", 8, 0 },
		{ "a cpuset that is none", "0-", "4-7", 8, 1024 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autostr struct ga_str xml = GA_STR_INIT;
		struct ga_err err = GA_ERR_INIT;
		struct ga_plan p;

		make_plan(&p);
		p.vcpus = cases[i].vcpus;
		p.memory_mib = cases[i].memory_mib;
		add_bundle(&p, 0, cases[i].a, "0000:18:00.0");
		add_bundle(&p, 0, cases[i].b, "0000:2a:00.0");
		t_int(format(&p, &xml, &err), -1, "refused: %s", cases[i].what);
		t_int(err.code, GA_BADREC, "as a bad record: %s", cases[i].what);
		ga_schema_release(&ga_plan_schema, &p);
	}
}

static void unknown_numa(void)
{
	ga_autostr struct ga_str xml = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	struct ga_plan p;

	make_plan(&p);
	p.vcpus = 4;
	p.memory_mib = 1024;
	add_bundle(&p, GA_UNKNOWN, "0-3", "0000:18:00.0");
	t_int(format(&p, &xml, &err), 0, "NUMA unknown");
	HAS_NOT("numatune");
	HAS_NOT("hugepages");
	ga_schema_release(&ga_plan_schema, &p);
}

#define GIB INT64_C(1073741824)

static void mmio(void)
{
	static const int64_t h200[] = { 16 * 1048576, 256 * GIB, 32 * 1048576 };
	static const int64_t odd[] = { 96 * GIB, 1 };
	static const struct {
		const int64_t *bars;
		size_t n_bars, devices;
		int bits;
		bool fits;
	} cases[] = {
		/* 40 bits: 128 GiB for devices. */
		{ h200, 3, 1, 40, false },
		/* 46 bits: 8 TiB; a device takes 512 GiB, because its window is aligned. */
		{ h200, 3, 8, 46, true },
		{ h200, 3, 15, 46, true },
		{ h200, 3, 16, 46, false },
		/* 96 GiB count as 128. */
		{ odd, 1, 1, 40, false },
		{ odd, 1, 1, 41, true },
		{ odd, 0, 4, 40, true },
	};
	size_t i, k;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_domain_bars devices[16];
		int64_t need, have;

		for (k = 0; k < cases[i].devices; k++)
			devices[k] = (struct ga_domain_bars){ cases[i].bars, cases[i].n_bars };
		t_int(ga_domain_mmio_fits(devices, cases[i].devices, cases[i].bits, &need, &have),
		      cases[i].fits, "budget %zu: need %" PRId64 " of %" PRId64 " GiB", i,
		      need / GIB, have / GIB);
	}
}

static void uuids(void)
{
	char a[GA_UUID_SIZE], b[GA_UUID_SIZE], c[GA_UUID_SIZE];

	ga_domain_uuid("domain", "a110c000", a);
	ga_domain_uuid("port", "a110c000", b);
	ga_domain_uuid("domain", "a110c000", c);
	t_ok(strlen(a) == 36 && a[14] == '8', "a UUID of version 8: %s", a);
	t_ok(strcmp(a, b) != 0, "another purpose, another UUID");
	t_ok(!strcmp(a, c), "the same each time");
}

int main(void)
{
	one_slot();
	two_nodes();
	refused();
	unknown_numa();
	mmio();
	uuids();
	return t_done();
}
