/* SPDX-License-Identifier: Apache-2.0 */
/* The plan that prepares a host: facts in, steps out; each row of the table is one host. */
#include "t.h"

#include "decide/setup/bootstrap.h"

/* A bare slice host: everything installed, nothing set. */
static void bare(struct ga_setup_facts *f)
{
	static const char *const keys[] = { "vm.swappiness", NULL };
	size_t i;

	*f = (struct ga_setup_facts){
		.node = "n1",
		.bridge = "ovsbr0",
		.gateway = "10.100.0.1",
		.network = "10.100.0.0/24",
		.dhcp_hosts = "/var/lib/gpuaas/dhcp-hosts",
		.leases = "/var/lib/gpuaas/dnsmasq.leases",
		.prefix_bits = 24,
		.vfs_wanted = GA_UNKNOWN,
		.cpu = ga_xstrdup("intel"),
		.cmdline = ga_xstrdup("root=/dev/x quiet"),
		.iommu_groups = 10,
		.memory_mib = 65536,
		.systemd = true,
		.grub = true,
		.ovs = true,
		.dnsmasq = true,
		.nft = true,
		.conntrack = true,
		.grub_has = GA_UNKNOWN,
		.data_mode = 0711,
		.hosts_mode = GA_UNKNOWN,
	};
	for (i = 0; ga_setup_paths[i]; i++)
		*ga_list_add(&f->files) = (struct ga_setup_file){
			.path = ga_xstrdup(ga_setup_paths[i]),
			.text = ga_xstrdup(""),
		};
	for (i = 0; keys[i]; i++)
		*ga_list_add(&f->sysctls) = (struct ga_setup_value){ ga_xstrdup(keys[i]),
								    ga_xstrdup("60") };
	for (i = 0; ga_setup_modules[i]; i++)
		*ga_list_add(&f->modules) =
			(struct ga_setup_value){ ga_xstrdup(ga_setup_modules[i]),
						ga_xstrdup("loaded") };
}

static struct ga_setup_file *file(struct ga_setup_facts *f, const char *path)
{
	size_t i;

	for (i = 0; i < f->files.n; i++)
		if (ga_streq(f->files.v[i].path, path))
			return &f->files.v[i];
	return NULL;
}

static void write_file(struct ga_setup_facts *f, const char *path, const char *text, size_t len,
		       int64_t mode)
{
	struct ga_setup_file *to = file(f, path);

	free(to->text);
	to->text = ga_xstrndup(text, len);
	to->len = len;
	to->state = GA_SETUP_REGULAR;
	to->mode = mode;
}

static const struct ga_setup_step *find(const struct ga_setup_plan *p, const char *step,
					const char *subject)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (ga_streq(p->v[i].say.step, step) &&
		    (!subject || ga_streq(p->v[i].say.subject, subject)))
			return &p->v[i];
	return NULL;
}

static const char *state(const struct ga_setup_facts *f, const char *step, const char *subject)
{
	static char out[16];
	ga_autosetupplan struct ga_setup_plan p = { 0 };
	const struct ga_setup_step *s;

	ga_setup_plan_make(f, &p);
	s = find(&p, step, subject);
	snprintf(out, sizeof(out), "%s", s ? s->say.state : "none");
	return out;
}

static struct ga_setup_dev *add_gpu(struct ga_setup_facts *f, const char *address,
				    const char *driver)
{
	struct ga_setup_dev *d = ga_list_add(&f->devs);

	d->sort = ga_xstrdup("gpu");
	d->address = ga_xstrdup(address);
	d->identity = ga_xprintf("slot:%s", address);
	d->driver = ga_strdup0(driver);
	return d;
}

static struct ga_setup_pf *add_pf(struct ga_setup_facts *f, const char *address, int64_t vfs)
{
	struct ga_setup_pf *p = ga_list_add(&f->pfs);

	p->address = ga_xstrdup(address);
	p->identity = ga_xprintf("slot:%s", address);
	p->total_vfs = 8;
	p->vfs = vfs;
	return p;
}

/* The facts after a step is carried out. */
static void carry_out(struct ga_setup_facts *f, const struct ga_setup_step *s)
{
	size_t i;

	switch (s->op) {
	case GA_SETUP_DO_FILE:
		write_file(f, s->say.subject, s->text, s->len, s->number);
		break;
	case GA_SETUP_DO_FOLDER:
		f->hosts_mode = s->number;
		break;
	case GA_SETUP_DO_VALUE:
		free(f->sysctls.v[0].value);
		f->sysctls.v[0].value = ga_xstrdup(s->text);
		break;
	case GA_SETUP_DO_VFS:
		for (i = 0; i < f->pfs.n; i++)
			if (ga_streq(f->pfs.v[i].address, s->say.subject))
				f->pfs.v[i].vfs = s->number;
		break;
	case GA_SETUP_DO_BIND:
		for (i = 0; i < f->devs.n; i++)
			if (ga_streq(f->devs.v[i].address, s->say.subject)) {
				free(f->devs.v[i].driver);
				f->devs.v[i].driver = ga_xstrdup("vfio-pci");
				f->devs.v[i].override = ga_xstrdup("vfio-pci");
			}
		break;
	case GA_SETUP_DO_BRIDGE:
		f->bridge_there = 1;
		f->bridge_mode = ga_xstrdup("secure");
		break;
	case GA_SETUP_DO_FLOWS:
		f->bridge_flows = 1;
		break;
	case GA_SETUP_DO_ADDRESS:
		f->bridge_address = f->bridge_up = 1;
		break;
	case GA_SETUP_DO_NAT:
		f->nat = 1;
		break;
	case GA_SETUP_DO_NOTE:
	case GA_SETUP_DO_UNLINK:
	case GA_SETUP_DO_MODULE:
	case GA_SETUP_DO_TUNED:
	case GA_SETUP_DO_ENABLE:
	case GA_SETUP_DO_DISABLE:
	case GA_SETUP_DO_START:
	case GA_SETUP_DO_RUN:
		break;
	}
}

static size_t changes(const struct ga_setup_plan *p)
{
	size_t i, n = 0;

	for (i = 0; i < p->n; i++)
		n += ga_setup_step_is_change(&p->v[i]);
	return n;
}

/* Everything carried out once leaves nothing to do, and every step has its words. */
static void once_is_enough(void)
{
	ga_autosetupfacts struct ga_setup_facts f;
	ga_autosetupplan struct ga_setup_plan p = { 0 }, again = { 0 };
	struct ga_err err = GA_ERR_INIT;
	size_t i;
	bool words = true;

	bare(&f);
	add_gpu(&f, "0000:18:00.0", "nvidia");
	add_pf(&f, "0000:1a:00.0", 0);
	*ga_list_add(&f.disks) = (struct ga_setup_disk){ .wwid = ga_xstrdup("eui.0025a") };
	ga_setup_plan_make(&f, &p);
	t_ok(changes(&p) > 10, "a bare host needs much");
	t_ok(p.reboot_required, "its kernel was started without the arguments");
	for (i = 0; i < p.n; i++) {
		const struct ga_setup_step *s = &p.v[i];

		words = words && s->say.reason && (!ga_setup_step_is_change(s) ||
						   (s->say.change && s->say.inverse));
		if (ga_setup_step_is_change(s))
			carry_out(&f, s);
	}
	t_ok(words, "every change says why, what, and how it is undone");
	t_int(ga_setup_devices_parse(file(&f, GA_SETUP_DEVICES)->text, &f.listed, &err), 0,
	      "the devices file can be read back");
	t_int((int64_t)f.listed.n, 3, "a GPU, a physical function, its virtual one");
	ga_setup_plan_make(&f, &again);
	t_int((int64_t)changes(&again), 0, "then nothing is left to do");
	t_ok(again.reboot_required, "but the reboot");
}

/* Rows: what is different from a bare host, and what becomes of one step. */
static void rows(void)
{
	static const struct {
		const char *what, *driver, *code, *hint;
		int64_t groups;
		const char *state;
	} gpus[] = {
		{ "a GPU of another driver is bound", "nvidia", NULL, NULL, 9, "pending" },
		{ "without an IOMMU it waits", "nvidia", NULL, NULL, 0, "waiting" },
		{ "one in use is a person's", "nvidia", "in_use", "end it", 9, "manual" },
		{ "the console is left alone", "nouveau", "boot_display", NULL, 9, "ok" },
		{ "one without a driver is bound", NULL, NULL, NULL, 9, "pending" },
	};
	static const struct {
		const char *what;
		int64_t vfs, wanted;
		bool assigned;
		const char *state;
	} pfs[] = {
		{ "none become one a GPU", 0, GA_UNKNOWN, false, "pending" },
		{ "those there stay", 5, GA_UNKNOWN, false, "ok" },
		{ "another number when asked for", 5, 2, false, "pending" },
		{ "but not from under a guest", 5, 2, true, "manual" },
		{ "more than there can be is all", 8, 99, false, "ok" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(gpus); i++) {
		ga_autosetupfacts struct ga_setup_facts f;
		struct ga_setup_dev *d;

		bare(&f);
		f.iommu_groups = gpus[i].groups;
		d = add_gpu(&f, "0000:18:00.0", gpus[i].driver);
		d->code = ga_strdup0(gpus[i].code);
		d->why = ga_strdup0(gpus[i].code);
		d->hint = ga_strdup0(gpus[i].hint);
		t_str(state(&f, "bind", NULL), gpus[i].state, "%s", gpus[i].what);
	}
	for (i = 0; i < GA_ARRAY_SIZE(pfs); i++) {
		ga_autosetupfacts struct ga_setup_facts f;

		bare(&f);
		add_gpu(&f, "0000:18:00.0", "vfio-pci");
		f.vfs_wanted = pfs[i].wanted;
		add_pf(&f, "0000:1a:00.0", pfs[i].vfs)->assigned =
			pfs[i].assigned ? ga_xstrdup("process 7") : NULL;
		t_str(state(&f, "vfs", NULL), pfs[i].state, "%s", pfs[i].what);
	}
}

static void network_rows(void)
{
	ga_autosetupfacts struct ga_setup_facts f;

	bare(&f);
	t_str(state(&f, "bridge", NULL), "pending", "no bridge");
	f.bridge_there = 1;
	f.bridge_mode = ga_xstrdup("standalone");
	t_str(state(&f, "bridge", NULL), "pending", "a bridge that lets everything pass");
	f.bridge_guests = true;
	t_str(state(&f, "bridge", NULL), "manual", "one that slices have ports on");
	f.bridge_foreign = ga_xstrdup("eno1");
	t_str(state(&f, "bridge", NULL), "manual", "one that others have ports on");
	t_str(state(&f, "bridge_flows", NULL), "none", "keeps its flows");
	f.bridge_there = GA_UNKNOWN;
	t_str(state(&f, "bridge", NULL), "manual", "a switch that does not answer");
	f.ovs = false;
	t_str(state(&f, "bridge", NULL), "manual", "no switch");
	f.conntrack = false;
	t_str(state(&f, "conntrack", NULL), "manual", "no conntrack: a release would stop");
	f.nft = false;
	t_str(state(&f, "nat", NULL), "manual", "no nftables");
	f.grub = false;
	t_str(state(&f, "kernel_arguments", NULL), "manual", "no GRUB");
	free(f.cmdline);
	f.cmdline = ga_xstrdup("quiet iommu=pt intel_iommu=on");
	t_str(state(&f, "kernel_arguments", NULL), "none", "started with them all the same");
	t_str(state(&f, "kernel_running", NULL), "ok", "in any order");
	f.baremetal = true;
	*ga_list_add(&f.disks) = (struct ga_setup_disk){ .wwid = ga_xstrdup("eui.0025a") };
	t_str(state(&f, "disks_udev", NULL), "pending", "the wipe of a whole machine needs its "
	      "disks, too");
	t_str(state(&f, "bridge", NULL), "none", "a whole machine gets no bridge");
	t_str(state(&f, "configuration", NULL), "pending", "but its settings");
}

static void lvm_rows(void)
{
	ga_autosetupfacts struct ga_setup_facts f;

	bare(&f);
	f.lvm = true;
	*ga_list_add(&f.disks) = (struct ga_setup_disk){ .wwid = ga_xstrdup("eui.0025a") };
	t_str(state(&f, "disks_lvm", NULL), "pending", "no filter yet");
	f.lvm_filter = ga_xstrdup("\"r|/dev/sdz|\"");
	t_str(state(&f, "disks_lvm", NULL), "pending", "a filter that rejects");
	free(f.lvm_filter);
	f.lvm_filter = ga_xstrdup("\"a|.*|\"");
	t_str(state(&f, "disks_lvm", NULL), "manual", "a filter that accepts by pattern");
	t_str(state(&f, "disks_lvm", "/etc/lvm/lvm.conf"), "manual", "is named");
}

/* ---- texts ---- */

static void blocks(void)
{
	static const struct {
		const char *what, *before, *block, *after;
		int r;
	} rows[] = {
		{ "into an empty file", "", "x\n", "# B\nx\n# E\n", 0 },
		{ "after what is there", "a\n", "x\n", "a\n# B\nx\n# E\n", 0 },
		{ "after a last line without newline", "a", "x\n", "a\n# B\nx\n# E\n", 0 },
		{ "in its place", "a\n# B\ny\n# E\nb\n", "x\n", "a\n# B\nx\n# E\nb\n", 0 },
		{ "taken out", "a\n# B\ny\n# E\nb\n", NULL, "a\nb\n", 0 },
		{ "taken out of the end", "a\n# B\ny\n# E", NULL, "a\n", 0 },
		{ "nothing to take out", "a\n", NULL, "a\n", 0 },
		{ "no end", "a\n# B\ny\n", "x\n", NULL, -1 },
		{ "no begin", "a\n# E\ny\n", "x\n", NULL, -1 },
		{ "the wrong way round", "# E\n# B\n", "x\n", NULL, -1 },
		{ "two begins", "# B\n# B\n# E\n", "x\n", NULL, -1 },
		{ "only like one", "## B\n# B \n", "x\n", "## B\n# B \n# B\nx\n# E\n", 0 },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autostr struct ga_str before = GA_STR_INIT, after = GA_STR_INIT;
		ga_autostr struct ga_str got = GA_STR_INIT;
		const char *in[] = { rows[i].before, rows[i].after ? rows[i].after : "" };
		struct ga_str *to[] = { &before, &after };
		size_t j;

		/* "# B" and "# E" stand for the marks. */
		for (j = 0; j < 2; j++) {
			ga_autofree char *copy = ga_xstrdup(in[j]);
			char *rest = copy, *line;

			while ((line = strsep(&rest, "\n")))
				ga_str_addf(to[j], "%s%s",
					    ga_streq(line, "# B") ? GA_SETUP_BEGIN :
					    ga_streq(line, "# E") ? GA_SETUP_END : line,
					    rest ? "\n" : "");
		}
		t_int(ga_setup_text_block(before.buf, before.len, rows[i].block, &got), rows[i].r,
		      "%s", rows[i].what);
		if (!rows[i].r)
			t_str(got.buf, after.buf, "%s", rows[i].what);
	}
}

static void words(void)
{
	struct ga_setup_pages pages;
	ga_autosetuplist struct ga_setup_list list = { 0 };
	struct ga_err err = GA_ERR_INIT;

	t_ok(ga_setup_has_words("a iommu=pt b", "b iommu=pt"), "words in any order");
	t_ok(!ga_setup_has_words("a iommu=ptx", "iommu=pt"), "whole words");
	t_ok(ga_setup_same_value("4096\t87380\t1", "4096 87380 1"), "tabs and blanks");
	t_ok(!ga_setup_same_value("40 96", "4096"), "a blank is no nothing");
	t_ok(!ga_setup_same_value("1", "10"), "a prefix is another value");
	t_int(ga_setup_pages_parse("1G:512", &pages, &err), 0, "pages of 1 GiB");
	t_int(pages.size_kib * pages.count, INT64_C(512) << 20, "as many");
	t_int(ga_setup_pages_parse("1G", &pages, &err), -1, "no number");
	t_int(ga_setup_pages_parse("1G:0", &pages, &err), -1, "none");
	t_int(ga_setup_pages_parse("4K:9", &pages, &err), -1, "no such pages");
	t_ok(ga_setup_wwid_is_plain("eui.0025a-1_b:c"), "a wwid");
	t_ok(!ga_setup_wwid_is_plain("x\", RUN+=\"y"), "a wwid that would end its string");
	t_ok(!ga_setup_wwid_is_plain(""), "no wwid");
	t_int(ga_setup_devices_parse("# c\n\ngpu a b\npf c d 4\nvf - d/0\n", &list, &err), 0,
	      "a devices file");
	t_int((int64_t)list.n, 3, "its lines");
	t_int(ga_setup_devices_parse("gpu a\n", &list, &err), -1, "a line too short");
	t_int(ga_setup_devices_parse("pf a b\n", &list, &err), -1, "no number of functions");
	t_int(ga_setup_devices_parse("gpu a b c\n", &list, &err), -1, "a line too long");
	t_int(ga_setup_devices_parse("disk a b\n", &list, &err), -1, "an unknown sort");
}

int main(void)
{
	once_is_enough();
	rows();
	network_rows();
	lvm_rows();
	blocks();
	words();
	return t_done();
}
