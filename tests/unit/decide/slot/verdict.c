/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The predicate of the gates: a slot without a reason against it, one changed fact a row, and the
 * one reason that must follow. Unknown blocks at a gate. Also the checks that each gate skips.
 */
#include "decide/slot/verdict.h"

#include "t.h"

static struct ga_wipe_policy policy = { (char *)(uintptr_t) "purge", (char *)(uintptr_t) "full",
					(char *)(uintptr_t) "if_supported" };

static void good(struct ga_slot_facts *f)
{
	*f = (struct ga_slot_facts){
		.node = "h1",
		.gpu_pci_address = "0000:18:00.0",
		.gpu_identity = "serial:1",
		.iommu_group = 7,
		.gpu_can_reset = 1,
		.nvme_wwid = "eui.1",
		.nvme_is_block = 1,
		.nvme_uses_known = true,
		.nvme_signatures_known = true,
		.nvme_content = "empty",
		.nvme_reported = true,
		.storage_ownership = "tenant_slice",
		.wipe = &policy,
		.wipe_possible_known = true,
		.wipe_possible = true,
		.mac = "02:00:00:00:00:01",
		.private_ip = "10.100.0.10",
		.fabric_claim_mode = "per_slot_vf",
		.fabric_vf_pci_address = "0000:1a:00.2",
		.fabric_pf_pci_address = "0000:1a:00.0",
		.cpuset = "0-3",
		.memory_mib = 4096,
		.has_profile = true,
		.host_ready = true,
		.health = "ok",
	};
}

static char *other_functions[] = { (char *)(uintptr_t) "0000:99:00.0" };
static const struct ga_texts others = { other_functions, 1 };

/* gates: a approve, p place, v provision; m: asked of a machine that is sold whole, too */
#define ONE(name, gates, what, want) \
	static void name(struct ga_slot_facts *f) \
	{ \
		what; \
	}
#define CASES \
	ONE(no_gpu, "apvm", f->gpu_pci_address = NULL, "missing_gpu") \
	ONE(no_identity, "apvm", f->gpu_identity = NULL, "missing_gpu") \
	ONE(group_shared, "av", f->iommu_group_members = &others, "iommu_group_shared") \
	ONE(group_unknown, "av", f->iommu_group = GA_UNKNOWN, "iommu_group_shared") \
	ONE(display, "av", f->gpu_boot_display = 1, "gpu_is_boot_display") \
	ONE(display_unknown, "av", f->gpu_boot_display = GA_UNKNOWN, "gpu_is_boot_display") \
	ONE(no_disk, "apvm", f->nvme_wwid = NULL, "missing_nvme") \
	ONE(a_file, "am", f->nvme_is_block = 0, "nvme_not_block") \
	ONE(medium_unknown, "am", f->nvme_is_block = GA_UNKNOWN, "nvme_not_block") \
	ONE(lab_block, "am", f->lab = true, "lab_block_device") \
	ONE(mounted, "am", f->nvme_mounts = 1, "nvme_mounted") \
	ONE(held, "am", f->nvme_holders = 1, "nvme_in_use") \
	ONE(unseen, "am", f->nvme_reported = false, "nvme_in_use") \
	ONE(content, "am", f->nvme_signatures = 1, "nvme_signature") \
	ONE(content_unknown, "am", f->nvme_signatures_known = false, "nvme_signature") \
	ONE(other_leave, "am", (f->nvme_signatures = 1, f->destroy_data = "eui.2"), \
	    "nvme_signature") \
	ONE(not_ours, "apm", f->storage_ownership = "host", "storage_not_owned") \
	ONE(wakes_up, "am", f->disk_autoactivation = true, "disk_autoactivation") \
	ONE(no_policy, "apvm", f->wipe = NULL, "no_wipe_policy") \
	ONE(no_way, "am", f->wipe_possible = false, "wipe_not_possible") \
	ONE(way_unknown, "am", f->wipe_possible_known = false, "wipe_not_possible") \
	ONE(no_mac, "apv", f->mac = NULL, "missing_mac") \
	ONE(bad_mac, "apv", f->mac = "zz", "missing_mac") \
	ONE(bad_ip, "apv", f->private_ip = "10.0.0.1/zz", "missing_ip") \
	ONE(bad_gpu, "apvm", f->gpu_pci_address = "../../../x", "missing_gpu") \
	ONE(bad_vf, "apv", f->fabric_vf_pci_address = "; rm", "missing_fabric_vf") \
	ONE(damaged, "pm", f->damaged = "its blockers are not a list of reasons", "row_damaged") \
	ONE(bad_cpus, "apv", f->cpuset = "7-2", "missing_cpuset") \
	ONE(empty_cpus, "apv", f->cpuset = "", "missing_cpuset") \
	ONE(claimed, "apvm", f->claimed_by = "a1", "claimed") \
	ONE(no_ip, "apv", f->private_ip = NULL, "missing_ip") \
	ONE(no_vf, "apv", f->fabric_vf_pci_address = NULL, "missing_fabric_vf") \
	ONE(mode, "ap", f->fabric_claim_mode = "shared_pf", "fabric_not_per_slot_vf") \
	ONE(vf_twice, "apv", f->fabric_vf_shared = true, "fabric_vf_shared") \
	ONE(pf_too, "apv", f->pf_vf_conflict = true, "pf_vf_conflict") \
	ONE(no_cpus, "apv", f->cpuset = NULL, "missing_cpuset") \
	ONE(cpus_twice, "apv", f->cpuset_taken = true, "cpuset_taken") \
	ONE(no_memory, "apv", f->memory_mib = GA_UNKNOWN, "missing_memory") \
	ONE(memory_twice, "apv", f->memory_overcommitted = true, "memory_overcommitted") \
	ONE(twin, "apvm", f->duplicate_identity = "a GPU", "duplicate_identity") \
	ONE(unsaleable, "am", f->has_profile = false, "no_profile") \
	ONE(host_bad, "am", (f->host_ready = false, f->host_blocker = "no_iommu"), "not_ready") \
	ONE(changed, "apvm", (f->fingerprint = "a", f->fingerprint_approved = "b"), \
	    "fingerprint_changed") \
	ONE(no_partition, "a", f->partitions_in_use = true, "fabric_partition_unknown") \
	ONE(broken, "apvm", f->health = "failed", "health_failed") \
	ONE(dirty, "apm", f->tainted = true, "tainted")

CASES
#undef ONE
#define ONE(name, gates, what, want) { #name, gates, name, want },
static const struct {
	const char *name, *gates;
	void (*change)(struct ga_slot_facts *f);
	const char *want;
} cases[] = { CASES };

static void asked(size_t i, enum ga_gate gate, char letter, bool baremetal)
{
	const char *gates = cases[i].gates;
	bool wanted = strchr(gates, letter) && (!baremetal || strchr(gates, 'm'));
	struct ga_reasons r = { 0 };
	struct ga_slot_facts f;

	good(&f);
	f.baremetal = baremetal;
	cases[i].change(&f);
	ga_slot_blockers(&f, gate, &r);
	if (wanted)
		t_ok(r.n == 1 && ga_streq(r.v[0].code, cases[i].want), "%s gives %s alone at %c%s",
		     cases[i].name, cases[i].want, letter, baremetal ? ", whole" : "");
	else
		t_ok(!r.n, "%s is not asked at %c%s", cases[i].name, letter,
		     baremetal ? ", whole" : "");
	ga_reasons_release(&r);
}

static void one_reason_each(void)
{
	size_t i;
	int baremetal;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		for (baremetal = 0; baremetal < 2; baremetal++) {
			asked(i, GA_GATE_APPROVE, 'a', baremetal);
			asked(i, GA_GATE_PLACE, 'p', baremetal);
			asked(i, GA_GATE_PROVISION, 'v', baremetal);
		}
		t_ok(ga_verdict_decides(cases[i].want), "%s is one of its codes", cases[i].want);
		t_ok(ga_verdict_is_of_vms(cases[i].want) == !strchr(cases[i].gates, 'm'),
		     "%s is known to concern %s", cases[i].want,
		     strchr(cases[i].gates, 'm') ? "every machine" : "VMs alone");
	}
}

/* The fix of a taint is one that works: with other blockers, a repair wipes only what a tenant of
 * this state left. */
static void taint_fix(void)
{
	static const struct {
		bool other, ours, left_out;
		const char *fix;
	} rows[] = {
		{ false, false, false, "gpuaas-approve repair s1 --reason TEXT | gpuaas-wipe" },
		{ false, true, false, "gpuaas-approve repair s1 --reason TEXT | gpuaas-wipe" },
		{ true, true, false, "gpuaas-approve repair s1 --reason TEXT | gpuaas-wipe" },
		{ true, false, false, "after the fix of the other blockers: gpuaas-discover | "
				      "gpuaas-approve --slot 3 | gpuaas-wipe" },
		{ false, false, true, "after the fix of the other blockers: gpuaas-discover | "
				      "gpuaas-approve --slot 3 | gpuaas-wipe" },
	};
	struct ga_slot_facts f;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_reasons r = { 0 };
		const struct ga_reason *last;

		good(&f);
		f.slot = "s1";
		f.slot_index = 3;
		f.tainted = true;
		f.nvme_ours = rows[i].ours;
		f.iommu_group_members = rows[i].other ? &others : NULL;
		f.left_out = rows[i].left_out;
		ga_slot_blockers(&f, GA_GATE_APPROVE, &r);
		t_int((int64_t)r.n, 1 + rows[i].other, "%s, %s", rows[i].other ? "two blockers" :
		      "tainted alone", rows[i].ours ? "ours" : "not ours");
		last = r.n ? &r.v[r.n - 1] : NULL;
		t_str(last ? last->code : NULL, "tainted", "the taint comes last");
		t_str(last ? last->hint : NULL, rows[i].fix, "with its fix");
		ga_reasons_release(&r);
	}
}

/* The content of a disk without a known signature, at approval. */
static void content_rows(void)
{
	static const struct {
		const char *content, *allowed;
		bool lab, ours, wants;
	} rows[] = {
		{ "empty", NULL, false, false, false },
		{ "pattern", NULL, false, false, false },
		{ "unknown_content", NULL, false, false, true },
		{ "unknown_content", NULL, true, false, true },
		{ "unknown_content", "eui.1", false, false, false },
		{ "unknown_content", "eui.2", false, false, true },
		{ "unknown_content", NULL, false, true, false },
		{ "unread", NULL, false, false, true },
		{ "unread", NULL, false, true, true },
		{ "unread", NULL, true, false, false },
		{ NULL, NULL, false, false, true },
		{ NULL, NULL, true, false, false },
	};
	struct ga_slot_facts f;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_reasons r = { 0 };

		good(&f);
		f.lab = rows[i].lab;
		f.nvme_is_block = !rows[i].lab;
		f.nvme_content = rows[i].content;
		f.nvme_ours = rows[i].ours;
		f.destroy_data = rows[i].allowed;
		ga_slot_blockers(&f, GA_GATE_APPROVE, &r);
		t_int((int64_t)r.n, rows[i].wants, "content %s%s%s%s%s",
		      rows[i].content ? rows[i].content : "not told", rows[i].lab ? ", lab" : "",
		      rows[i].ours ? ", ours" : "", rows[i].allowed ? ", leave for " : "",
		      rows[i].allowed ? rows[i].allowed : "");
		if (rows[i].wants)
			t_str(r.n ? r.v[0].code : NULL, "nvme_signature", "its code");
		ga_reasons_release(&r);
		/* A placed slot's disk is proved empty: the candidate is older than the proof. */
		ga_slot_blockers(&f, GA_GATE_PLACE, &r);
		t_int((int64_t)r.n, 0, "and nothing at placement");
		ga_reasons_release(&r);
	}
}

/* Only slices have these blockers: the hint names the other way to sell the node. */
static void other_way(void)
{
	struct ga_slot_facts f;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		const char *code = cases[i].want;
		bool named = ga_streq(code, "iommu_group_shared") ||
			     ga_streq(code, "gpu_is_boot_display") ||
			     ga_streq(code, "missing_fabric_vf");
		struct ga_reasons r = { 0 };

		if (!strchr(cases[i].gates, 'a'))
			continue;
		good(&f);
		cases[i].change(&f);
		ga_slot_blockers(&f, GA_GATE_APPROVE, &r);
		t_ok(r.n == 1 && (r.v[0].hint && strstr(r.v[0].hint, "--mode baremetal")) == named,
		     "%s: its hint %s baremetal", cases[i].name, named ? "names" : "is without");
		ga_reasons_release(&r);
	}
}

/* Approval requires a reset; the host checks it for a slot that was approved. */
static void resets(void)
{
	static const int64_t cannot[] = { 0, GA_UNKNOWN };
	struct ga_slot_facts f;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cannot); i++) {
		struct ga_reasons r = { 0 };

		good(&f);
		f.gpu_can_reset = cannot[i];
		t_int((int64_t)ga_slot_blockers(&f, GA_GATE_APPROVE, &r), 1, "no reset blocks");
		t_str(r.n ? r.v[0].code : NULL, "gpu_no_reset", "by its code");
		t_ok(r.n && r.v[0].hint, "with what to do");
		ga_reasons_release(&r);
		t_int((int64_t)ga_slot_blockers(&f, GA_GATE_PLACE, &r), 0, "not at placement");
		ga_reasons_release(&r);
	}
	t_ok(ga_verdict_decides("gpu_no_reset"), "a candidate's own reason is a forecast");
}

static void uses_unknown(void)
{
	struct ga_reasons r = { 0 };
	struct ga_slot_facts f;

	good(&f);
	f.nvme_uses_known = false;
	ga_slot_blockers(&f, GA_GATE_APPROVE, &r);
	t_int((int64_t)r.n, 1, "uses that could not all be looked at block");
	t_str(r.v[0].code, "nvme_in_use", "as a use does");
	ga_reasons_release(&r);
	f.lab = true;
	f.nvme_is_block = 0;
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_APPROVE, &r), 0, "not in a lab");
	good(&f);
	f.nvme_holders = 1;
	f.nvme_user = "loop7 (/dev/nvme2n1)";
	ga_slot_blockers(&f, GA_GATE_APPROVE, &r);
	t_str(r.v[0].evidence, "in use: loop7 (/dev/nvme2n1)", "who uses it is named");
	ga_reasons_release(&r);
}

static void allowed(void)
{
	struct ga_reasons r = { 0 };
	struct ga_slot_facts f;

	good(&f);
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_APPROVE, &r), 0, "nothing against a good slot");
	f.nvme_signatures = 2;
	f.destroy_data = "eui.1";
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_APPROVE, &r), 0,
	      "leave for this very disk counts");
	good(&f);
	f.lab = true;
	f.nvme_is_block = 0;
	f.nvme_signatures_known = false;
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_APPROVE, &r), 0, "a lab takes a file");
	good(&f);
	f.fingerprint = "a";
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_APPROVE, &r), 0,
	      "a first approval changes nothing");
}

/* A state of an older version may have any text as wwid, and people paste the hint's command. */
static void hostile_wwid(void)
{
	struct ga_reasons r = { 0 };
	struct ga_slot_facts f;

	good(&f);
	f.nvme_wwid = "eui.$(id); x";
	f.nvme_signatures = 1;
	ga_slot_blockers(&f, GA_GATE_APPROVE, &r);
	t_int((int64_t)r.n, 1, "data on a disk");
	t_ok(strstr(r.v[0].hint, " --destroy-data 'eui.$(id); x' | gpuaas-wipe"),
	     "its wwid is quoted: %s", r.v[0].hint);
	ga_reasons_release(&r);
}

static void wipe_possible(void)
{
	static const struct {
		const char *name, *class;
		int64_t sanicap, oacs, fna, namespaces;
		bool lab;
		int64_t want;
	} rows[] = {
		{ "clear needs nothing", "clear", GA_UNKNOWN, GA_UNKNOWN, GA_UNKNOWN, GA_UNKNOWN,
		  false, 1 },
		{ "a file never purges", "purge", 3, 2, 4, 1, true, 0 },
		{ "sanitize by crypto erase", "purge", 1, 0, 0, 1, false, 1 },
		{ "overwrite alone is no purge here", "purge", 4, 0, 0, 1, false, 0 },
		{ "format of a lone namespace", "purge", 0, 2, 0, 1, false, 1 },
		{ "format that reaches others", "purge", 0, 2, 1, 2, false, 0 },
		{ "format that does not", "purge", 0, 2, 0, 2, false, 1 },
		{ "sanitize beside others", "purge", 3, 0, 0, 2, false, 0 },
		{ "nothing known", "purge", GA_UNKNOWN, GA_UNKNOWN, GA_UNKNOWN, 1, false,
		  GA_UNKNOWN },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_nvme d = { .namespaces = rows[i].namespaces,
				     .capabilities = { .sanicap = rows[i].sanicap,
						       .oacs = rows[i].oacs,
						       .fna = rows[i].fna } };

		t_int(ga_wipe_possible(&d, rows[i].class, rows[i].lab), rows[i].want, "%s",
		      rows[i].name);
	}
}

int main(void)
{
	one_reason_each();
	taint_fix();
	content_rows();
	other_way();
	resets();
	uses_unknown();
	allowed();
	hostile_wwid();
	wipe_possible();
	return t_done();
}
