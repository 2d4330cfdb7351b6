/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The approval predicate: a slot that nothing stands against, one fact changed a row, and the one
 * reason that has to come of it; unknown blocks at a gate; what each gate leaves out.
 */
#include "verdict.h"

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
		.nvme_wwid = "eui.1",
		.nvme_is_block = 1,
		.nvme_signatures_known = true,
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

#define ONE(name, what, want) \
	static void name(struct ga_slot_facts *f) \
	{ \
		what; \
	}
#define CASES \
	ONE(no_gpu, f->gpu_pci_address = NULL, "missing_gpu") \
	ONE(no_identity, f->gpu_identity = NULL, "missing_gpu") \
	ONE(group_shared, f->iommu_group_members = 1, "iommu_group_shared") \
	ONE(group_unknown, f->iommu_group = GA_UNKNOWN, "iommu_group_shared") \
	ONE(display, f->gpu_boot_display = 1, "gpu_is_boot_display") \
	ONE(display_unknown, f->gpu_boot_display = GA_UNKNOWN, "gpu_is_boot_display") \
	ONE(no_disk, f->nvme_wwid = NULL, "missing_nvme") \
	ONE(a_file, f->nvme_is_block = 0, "nvme_not_block") \
	ONE(medium_unknown, f->nvme_is_block = GA_UNKNOWN, "nvme_not_block") \
	ONE(lab_block, f->lab = true, "lab_block_device") \
	ONE(mounted, f->nvme_mounts = 1, "nvme_mounted") \
	ONE(held, f->nvme_holders = 1, "nvme_in_use") \
	ONE(unseen, f->nvme_reported = false, "nvme_in_use") \
	ONE(content, f->nvme_signatures = 1, "nvme_signature") \
	ONE(content_unknown, f->nvme_signatures_known = false, "nvme_signature") \
	ONE(other_leave, (f->nvme_signatures = 1, f->destroy_data = "eui.2"), "nvme_signature") \
	ONE(not_ours, f->storage_ownership = "host", "storage_not_owned") \
	ONE(wakes_up, f->disk_autoactivation = true, "disk_autoactivation") \
	ONE(no_policy, f->wipe = NULL, "no_wipe_policy") \
	ONE(no_way, f->wipe_possible = false, "wipe_not_possible") \
	ONE(way_unknown, f->wipe_possible_known = false, "wipe_not_possible") \
	ONE(no_mac, f->mac = NULL, "missing_mac") \
	ONE(no_ip, f->private_ip = NULL, "missing_ip") \
	ONE(no_vf, f->fabric_vf_pci_address = NULL, "missing_fabric_vf") \
	ONE(mode, f->fabric_claim_mode = "shared_pf", "fabric_not_per_slot_vf") \
	ONE(vf_twice, f->fabric_vf_shared = true, "fabric_vf_shared") \
	ONE(pf_too, f->pf_vf_conflict = true, "pf_vf_conflict") \
	ONE(no_cpus, f->cpuset = NULL, "missing_cpuset") \
	ONE(cpus_twice, f->cpuset_taken = true, "cpuset_taken") \
	ONE(no_memory, f->memory_mib = GA_UNKNOWN, "missing_memory") \
	ONE(memory_twice, f->memory_overcommitted = true, "memory_overcommitted") \
	ONE(twin, f->duplicate_identity = true, "duplicate_identity") \
	ONE(unsaleable, f->has_profile = false, "no_profile") \
	ONE(host_bad, (f->host_ready = false, f->host_blocker = "no_iommu"), "not_ready") \
	ONE(changed, (f->fingerprint = "a", f->fingerprint_approved = "b"), "fingerprint_changed") \
	ONE(no_partition, f->partitions_in_use = true, "fabric_partition_unknown") \
	ONE(broken, f->health = "failed", "health_failed") \
	ONE(dirty, f->tainted = true, "tainted")

CASES
#undef ONE
#define ONE(name, what, want) { #name, name, want },
static const struct {
	const char *name;
	void (*change)(struct ga_slot_facts *f);
	const char *want;
} cases[] = { CASES };

static void release(struct ga_reasons *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		ga_shape_release(&ga_reason_shape, &r->v[i]);
	ga_list_release(r);
}

static void one_reason_each(void)
{
	struct ga_slot_facts f;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_reasons r = { 0 };

		good(&f);
		cases[i].change(&f);
		ga_slot_blockers(&f, GA_GATE_PLACE, &r);
		t_ok(r.n == 1 && ga_streq(r.v[0].code, cases[i].want), "%s gives %s alone",
		     cases[i].name, cases[i].want);
		t_ok(ga_verdict_decides(cases[i].want), "%s is one of its codes", cases[i].want);
		release(&r);
	}
}

static void allowed(void)
{
	struct ga_reasons r = { 0 };
	struct ga_slot_facts f;

	good(&f);
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_PLACE, &r), 0, "nothing against a good slot");
	f.nvme_signatures = 2;
	f.destroy_data = "eui.1";
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_PLACE, &r), 0,
	      "leave for this very disk counts");
	good(&f);
	f.lab = true;
	f.nvme_is_block = 0;
	f.nvme_signatures_known = false;
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_PLACE, &r), 0, "a lab takes a file");
	good(&f);
	f.fingerprint = "a";
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_APPROVE, &r), 0,
	      "a first approval changes nothing");
	f.image_missing = true;
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_APPROVE, &r), 0, "approval needs no image");
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_PLACE, &r), 1, "placement does");
	release(&r);
	good(&f);
	f.tainted = true;
	t_int((int64_t)ga_slot_blockers(&f, GA_GATE_PROVISION, &r), 0,
	      "provisioning goes on with what it dirtied itself");
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
	allowed();
	wipe_possible();
	return t_done();
}
