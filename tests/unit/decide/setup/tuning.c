/* SPDX-License-Identifier: Apache-2.0 */
/* The tuning of a host: what counts as done, its settings, the middle run, and two records side by
 * side. */
#include "t.h"

#include "decide/setup/tuning.h"

static void left(void)
{
	static const char *const states[] = { "ok", "pending", "ok", "waiting", "manual",
					      "blocked" };
	ga_autosetupplan struct ga_setup_plan plan = { 0 };
	struct ga_setup_step steps[GA_ARRAY_SIZE(states)] = { 0 };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(states); i++)
		steps[i].say.state = (char *)(uintptr_t)states[i];
	plan.v = steps;
	plan.n = 1;
	t_int(ga_tuning_left(&plan), 0, "all is done");
	plan.n = GA_ARRAY_SIZE(states);
	t_int(ga_tuning_left(&plan), 4, "what waits, is for a person or is blocked counts too");
	steps[GA_ARRAY_SIZE(states) - 1].say.subject = (char *)(uintptr_t) "/x";
	ga_reasons_add(&plan.blockers, "file_in_the_way", "/x", "y", "z");
	t_int(ga_tuning_left(&plan), 4, "a blocker of a blocked step counts once");
	plan.n = 0;
	plan.v = NULL;
	t_int(ga_tuning_left(&plan), 1, "a blocker is left");
}

static const struct ga_tuning_setting *setting(const struct ga_tuning *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->settings.n; i++)
		if (ga_streq(t->settings.v[i].name, name))
			return &t->settings.v[i];
	return NULL;
}

static void is_setting(const struct ga_tuning *t, const char *name, const char *value,
		       const char *wanted, int64_t ok)
{
	const struct ga_tuning_setting *s = setting(t, name);

	t_ok(s && (value ? ga_streq(s->value, value) : !s->value), "%s is %s", name,
	     value ? value : "unknown");
	t_ok(s && (wanted ? ga_streq(s->wanted, wanted) : !s->wanted), "%s should be %s", name,
	     wanted ? wanted : "whatever it is");
	t_int(s ? s->ok : -1, ok, "%s: whether it is", name);
}

static void settings(void)
{
	ga_autosetupfacts struct ga_setup_facts f = {
		.cpu = ga_xstrdup("intel"),
		.cmdline = ga_xstrdup("root=/dev/x iommu=pt"),
		.iommu_groups = 0,
		.tuned = true,
		.tuned_profile = ga_xstrdup("balanced"),
		.governor = ga_xstrdup("powersave"),
	};
	struct ga_tuning t;

	ga_schema_init(&ga_tuning_schema, &t);
	*ga_list_add(&f.sysctls) = (struct ga_setup_value){ ga_xstrdup("vm.swappiness"),
							    ga_xstrdup("60") };
	*ga_list_add(&f.sysctls) = (struct ga_setup_value){ ga_xstrdup("net.ipv4.tcp_rmem"),
							    ga_xstrdup("4096 87380\t134217728") };
	*ga_list_add(&f.modules) = (struct ga_setup_value){ ga_xstrdup("vfio-pci"), NULL };
	*ga_list_add(&f.pages) = (struct ga_setup_pages){ 1 << 20, 512 };
	*ga_list_add(&f.devs) = (struct ga_setup_dev){ .driver = ga_xstrdup("vfio-pci") };
	*ga_list_add(&f.devs) = (struct ga_setup_dev){ .driver = ga_xstrdup("nvidia") };
	*ga_list_add(&f.devs) = (struct ga_setup_dev){ .code = ga_xstrdup("gpu_in_use") };
	ga_tuning_settings(&f, &t);
	is_setting(&t, "kernel arguments", "iommu=pt", "intel_iommu=on iommu=pt", 0);
	is_setting(&t, "IOMMU groups", "0", "1 or more", 0);
	is_setting(&t, "module vfio-pci", NULL, "loaded", 0);
	is_setting(&t, "devices bound to vfio-pci", "1", "2", 0);
	is_setting(&t, "hugepages of 1048576 KiB", "512", NULL, GA_UNKNOWN);
	is_setting(&t, "CPU governor", "powersave", NULL, GA_UNKNOWN);
	is_setting(&t, "transparent hugepages", NULL, NULL, GA_UNKNOWN);
	is_setting(&t, "tuned profile", "balanced", "gpuaas-slice", 0);
	is_setting(&t, "vm.swappiness", "60", "10", 0);
	is_setting(&t, "net.ipv4.tcp_rmem", "4096 87380\t134217728", "4096 87380 134217728", 1);
	is_setting(&t, "fs.aio-max-nr", NULL, NULL, GA_UNKNOWN); /* no such setting here */
	ga_schema_release(&ga_tuning_schema, &t);
}

static void median(void)
{
	static const struct {
		struct ga_tuning_run runs[4];
		size_t n;
		int64_t micros, tenths;
	} cases[] = {
		{ { { 1 << 20, 1000000 } }, 1, 1000000, 10 },
		{ { { 1 << 20, 100 }, { 1 << 20, 900000 }, { 1 << 20, 500000 } }, 3, 500000, 20 },
		{ { { 10 << 20, 500000 }, { 1 << 20, 500000 }, { 5 << 20, 400000 } }, 3, 400000,
		  125 },
		/* of an even number the slower one of the two in the middle */
		{ { { 1 << 20, 1 }, { 1 << 20, 200000 }, { 1 << 20, 400000 }, { 1 << 20, 800000 } },
		  4, 400000, 25 },
		/* no overflow: 4 PiB in a microsecond */
		{ { { INT64_C(1) << 52, 1 } }, 1, 1, INT64_C(42949672960000000) },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_tuning_run runs[4];
		struct ga_tuning_measure m = { 0 };

		memcpy(runs, cases[i].runs, sizeof(runs));
		ga_tuning_median(runs, cases[i].n, &m);
		t_int(m.micros, cases[i].micros, "the run in the middle");
		t_int(m.mib_s_tenths, cases[i].tenths, "its rate");
		t_int(m.runs, (int64_t)cases[i].n, "its runs");
	}
}

/* ---- side by side ---- */

static struct ga_tuning record(const char *target, int64_t clone, const char *swappiness,
			       const char *governor)
{
	struct ga_tuning t;
	struct ga_tuning_measure *m;

	ga_schema_init(&ga_tuning_schema, &t);
	m = ga_list_add(&t.measured);
	m->name = ga_xstrdup("clone");
	m->target = ga_strdup0(target);
	m->mib_s_tenths = clone;
	*ga_list_add(&t.settings) = (struct ga_tuning_setting){
		.name = ga_xstrdup("vm.swappiness"), .value = ga_strdup0(swappiness) };
	if (governor)
		*ga_list_add(&t.settings) = (struct ga_tuning_setting){
			.name = ga_xstrdup("CPU governor"), .value = ga_xstrdup(governor) };
	return t;
}

static void is_row(const struct ga_tuning *u, const struct ga_tuning *t, size_t i,
		   const char *line)
{
	ga_autotuningrows struct ga_tuning_rows rows = { 0 };
	ga_autofree char *found = NULL;

	ga_tuning_compare(u, t, &rows);
	found = i < rows.n ? ga_xprintf("%s|%s|%s|%s", rows.v[i].name, rows.v[i].untuned,
					rows.v[i].tuned, rows.v[i].difference) :
			     ga_xstrdup("no row");
	t_ok(ga_streq(found, line), "%s (found %s)", line, found);
}

static void compare(void)
{
	struct ga_tuning slow = record("ext4 on /dev/a", 10000, "60", NULL);
	struct ga_tuning fast = record("ext4 on /dev/a", 11255, "10", "performance");
	struct ga_tuning other = record("xfs on /dev/b", 9000, "10", NULL);
	struct ga_tuning none = record(NULL, GA_UNKNOWN, NULL, NULL);

	is_row(&slow, &fast, 0, "clone MiB/s|1000.0|1125.5|+12.5 %");
	is_row(&fast, &slow, 0, "clone MiB/s|1125.5|1000.0|-11.1 %");
	is_row(&slow, &slow, 0, "clone MiB/s|1000.0|1000.0|+0.0 %");
	is_row(&slow, &other, 0, "clone MiB/s|1000.0|900.0|other target");
	is_row(&slow, &none, 0, "clone MiB/s|1000.0|not measured|");
	is_row(&slow, &fast, 1, "vm.swappiness|60|10|changed");
	is_row(&slow, &slow, 1, "vm.swappiness|60|60|");
	is_row(&slow, &none, 1, "vm.swappiness|60|none|changed");
	is_row(&slow, &fast, 2, "CPU governor|-|performance|");
	is_row(&fast, &slow, 2, "CPU governor|performance|-|");
	is_row(&slow, NULL, 0, "clone MiB/s|1000.0|-|");
	is_row(NULL, &fast, 0, "clone MiB/s|-|1125.5|");
	is_row(NULL, &fast, 3, "no row");
	is_row(NULL, NULL, 0, "no row");
	ga_schema_release(&ga_tuning_schema, &slow);
	ga_schema_release(&ga_tuning_schema, &fast);
	ga_schema_release(&ga_tuning_schema, &other);
	ga_schema_release(&ga_tuning_schema, &none);
}

int main(void)
{
	left();
	settings();
	median();
	compare();
	return t_done();
}
