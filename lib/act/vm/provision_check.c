/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks between a plan and its first write: whether order, devices, image, disks and host are
 * as the plan says. Changes nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/device/disk.h"
#include "act/device/gpuuse.h"
#include "act/device/guard.h"
#include "act/device/nvme.h"
#include "act/device/vfio.h"
#include "act/image/store.h"
#include "act/vm/internal.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/texts.h"
#include "decide/slot/verdict.h"
#include "look/domain.h"
#include "look/iommu.h"
#include "look/pci.h"
#include "record/fault.h"
#include "record/plan.h"
#include "record/size.h"
#include "record/time.h"
#include "state/host/list.h"

#define NOTHING_WRITTEN \
	"nothing was written; gpuaas-release frees the plan, 'gpuaas-list attention' shows what " \
	"to do about the slot"

#define NOTHING_CHANGED \
	"nothing was written, and the slot is as it was: settle that, then provision again; or " \
	"gpuaas-release frees the plan, and the slot is sold again: gpuaas-approve cordon keeps it"

/* The hint for a slot that cannot be used: the state takes it out of sale for some codes only. */
static const char *hint_for(const char *code)
{
	static const char *const taken_out[] = { GA_FAULTS_OF_FAILURES, GA_FAULT_NOT_WIPED,
						 GA_FAULT_NVME_SIGNATURE };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(taken_out); i++)
		if (ga_streq(code, taken_out[i]))
			return NOTHING_WRITTEN;
	return NOTHING_CHANGED;
}

int ga_provision_refuse(struct ga_err *err, const char *reason, const char *object,
			const char *hint)
{
	ga_err_about(err, reason, object);
	return hint ? ga_hint(err, "%s", hint) : -1;
}

/* ---- the order ---- */

bool ga_provision_is_here(const struct ga_provision *p)
{
	return ga_streq(p->plan->node, p->opts->node);
}

int ga_provision_check_twice(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	const struct ga_bundle *b = ga_bundle_twice(plan->bundles.v, plan->bundles.n,
						    plan->allocation);

	return !b ? 0 :
		    REFUSE(p, "duplicate_identity", "place again",
			   "plan of '%s' has slot '%s', or a device of it, twice",
			   plan->allocation, b->slot);
}

int ga_provision_check_order(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	bool baremetal = ga_streq(plan->shape, "baremetal");
	char digest[GA_DIGEST_SIZE];
	int64_t expires;

	if (plan->dry_run && !p->opts->dry_run)
		return REFUSE(p, "dry_run", "place without --dry-run",
			      "plan of '%s' is of a dry run: nothing is claimed for it",
			      plan->allocation);
	ga_rec_digest(&ga_plan_schema, plan, "digest", digest);
	if (!ga_streq(digest, plan->digest))
		return REFUSE(p, "old_digest",
			      "take the plan as it was placed: 'gpuaas-list plan' prints it",
			      "plan of '%s' does not have the digest it names", plan->allocation);
	if (!baremetal && !ga_provision_is_here(p))
		return REFUSE(p, "wrong_node",
			      "hand it to its node, as in 'ssh HOST gpuaas-provision < plan | "
			      "gpuaas-state fold -'",
			      "plan of '%s' is for node '%s', and this is '%s'", plan->allocation,
			      plan->node, p->opts->node);
	if (!plan->bundles.n)
		return REFUSE(p, GA_FAULT_MISSING_GPU, NULL, "plan of '%s' has no slots",
			      plan->allocation);
	if (baremetal && p->opts->holds_state && ga_provision_is_here(p))
		return REFUSE(p, "holds_state",
			      "bare-metal nodes are provisioned from another machine",
			      "this machine has the state and cannot be handed out as baremetal");
	if (ga_streq(plan->shape, "slice") && !plan->image)
		return REFUSE(p, "image_missing", NULL, "plan of '%s' names no image",
			      plan->allocation);
	if (!plan->lab && ((plan->image && ga_streq(plan->image->probe, "running")) ||
			   ga_streq(plan->domain_type, "test")))
		return REFUSE(p, "not_lab",
			      "an image of a real node names the probe ssh, serial or agent",
			      "plan of '%s' proves nothing about readiness, which only a lab may",
			      plan->allocation);
	/* An order that was begun in time may be finished at any time. */
	if (p->known)
		return 0;
	if (ga_time_parse(plan->expires_at, &expires, err) < 0)
		return -1;
	if (ga_clock_micros() < expires)
		return 0;
	return REFUSE(p, "expired", "place again; what the plan had claimed is free again",
		      "plan of '%s' expired at %s", plan->allocation, plan->expires_at);
}

/* ---- the devices ---- */

static int missing_gpu(struct ga_provision *p, const struct ga_bundle *b, struct ga_err *err)
{
	return REFUSE(p, GA_FAULT_MISSING_GPU, "gpuaas-reconcile shows what changed",
		      GA_SAID_NOT_THERE "'%s' is not at '%s'", b->slot,
		      b->gpu_pci_address ? b->gpu_pci_address : "(no address)");
}

int ga_provision_find_devices(struct ga_provision *p, struct ga_err *err)
{
	ga_autopci struct ga_pci pci = { 0 };

	if (ga_pci_scan(&pci, err) < 0)
		return -1;
	for (size_t i = 0; i < p->plan->bundles.n; i++) {
		const struct ga_bundle *b = &p->plan->bundles.v[i];
		ga_autodisk struct ga_disk disk = GA_DISK_INIT;

		if (b->gpu_pci_address && !ga_pci_find(&pci, b->gpu_pci_address))
			return missing_gpu(p, b, err);
		if (!b->nvme_wwid || ga_disk_find(b->nvme_wwid, &disk, err) >= 0)
			continue;
		if (err->code == GA_NOTFOUND)
			ga_err_about(err, GA_FAULT_MISSING_NVME, NULL);
		return ga_wrap(err, "disk of slot '%s'", b->slot);
	}
	return 0;
}

static int check_gpu(struct ga_provision *p, const struct ga_pci *pci, const struct ga_bundle *b,
		     struct ga_err *err)
{
	const struct ga_pci_dev *d =
		b->gpu_pci_address ? ga_pci_find(pci, b->gpu_pci_address) : NULL;
	bool baremetal = ga_streq(p->plan->shape, "baremetal");
	ga_autofree char *ids = NULL, *identity = NULL;

	if (!d)
		return missing_gpu(p, b, err);
	if (ga_pci_answers(d->address) != 1)
		return REFUSE(p, GA_FAULT_NOT_ANSWERING,
			      "see 'dmesg'; power the host off and on, then discover and approve "
			      "again",
			      "GPU '%s' of slot '%s'" GA_SAID_NO_ANSWER "in configuration space",
			      d->address, b->slot);
	/* A baremetal node is cleaned between its tenants by its release and the scrub of its wipe:
	 * it needs no reset here. */
	if (!baremetal && !ga_pci_can_reset(d->address))
		return ga_vfio_no_reset(d->address, NULL, err);
	ids = ga_xprintf("%04x:%04x", d->vendor, d->device);
	identity = ga_pci_identity(d);
	if ((b->gpu_device && !ga_streq(ids, b->gpu_device)) ||
	    (b->gpu_identity && !ga_streq(identity, b->gpu_identity)))
		return REFUSE(p, "gpu_changed",
			      "gpuaas-discover | gpuaas-approve; then place again",
			      "'%s' is '%s' and not the GPU of slot '%s'", b->gpu_pci_address,
			      identity ? identity : ids, b->slot);
	if (!baremetal && b->fabric_vf_pci_address && !ga_pci_find(pci, b->fabric_vf_pci_address))
		return REFUSE(p, GA_FAULT_MISSING_FABRIC_VF, "gpuaas-reconcile shows what changed",
			      "fabric function of slot '%s' is not at '%s'", b->slot,
			      b->fabric_vf_pci_address);
	return 0;
}

/* Applies the common rule (decide/slot/verdict.h) to the values of the plan and of this host. A
 * blocker here means that the state sold a slot that it should not have sold, or that the host has
 * changed since; nothing was written yet. */
int ga_provision_check_bundle(struct ga_provision *p, const struct ga_bundle *b,
			      const struct ga_pci_dev *gpu, const char *fault, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	struct ga_texts members = { 0 };
	struct ga_reasons why = { 0 };
	struct ga_slot_facts f = {
		.node = plan->node,
		.slot_index = b->slot_index,
		.lab = plan->lab,
		.baremetal = ga_streq(plan->shape, "baremetal"),
		.gpu_pci_address = b->gpu_pci_address,
		.gpu_identity = b->gpu_identity,
		.iommu_group = gpu ? gpu->iommu_group : GA_UNKNOWN,
		.gpu_boot_display = gpu ? gpu->boot_display : GA_UNKNOWN,
		.nvme_wwid = b->nvme_wwid,
		.wipe = &plan->wipe,
		.mac = b->mac,
		.private_ip = b->private_ip,
		.fabric_vf_pci_address = b->fabric_vf_pci_address,
		.fabric_pf_pci_address = b->fabric_pf_pci_address,
		.cpuset = b->cpuset,
		.memory_mib = b->memory_mib,
		/* A GPU that does not answer, or cannot be checked, must not run a tenant. */
		.health = fault || (gpu && ga_pci_answers(gpu->address) != 1) ? "failed" : NULL,
		.health_why = fault,
	};
	int r = 0;

	if (gpu)
		ga_iommu_members(gpu->iommu_group, gpu->address, &members);
	f.iommu_group_members = &members;
	if (ga_slot_blockers(&f, GA_GATE_PROVISION, &why))
		r = REFUSE(p, why.v[0].code, hint_for(why.v[0].code),
			   "slot '%s' cannot be used: %s%s%s", b->slot, why.v[0].code,
			   why.v[0].evidence ? ": " : "",
			   why.v[0].evidence ? why.v[0].evidence : "");
	ga_texts_release(&members);
	ga_reasons_release(&why);
	return r;
}

/* Finds fatal errors of the GPU that the bus has counted and that no reconcile has reported: the
 * state does not know of them, so no slot failed because of them and nobody has repaired the GPU.
 * ret: the sentence, to be freed; NULL: none. */
static int find_fault(struct ga_provision *p, const struct ga_pci_dev *gpu, char **ret,
		      struct ga_err *err)
{
	int64_t fatal = ga_pci_aer(gpu->address, "aer_dev_fatal", "TOTAL_ERR_FATAL"), reported;
	ga_autofree char *identity = ga_pci_identity(gpu);

	*ret = NULL;
	if (fatal == GA_UNKNOWN || fatal <= 0)
		return 0;
	if (ga_hostdb_gpu_errors(&p->h, identity, p->boot_id, &reported, err) < 0)
		return -1;
	if (fatal > reported)
		*ret = ga_xprintf("the bus has counted fatal errors of GPU '%s', %lld since the "
				  "host's start, and 'gpuaas-reconcile' reported %lld",
				  gpu->address, (long long)fatal, (long long)reported);
	return 0;
}

int ga_provision_check_functions(struct ga_provision *p, bool anew, struct ga_err *err)
{
	ga_autopci struct ga_pci pci = { 0 };

	if (ga_pci_scan(&pci, err) < 0)
		return -1;
	for (size_t i = 0; i < p->plan->bundles.n; i++) {
		const struct ga_bundle *b = &p->plan->bundles.v[i];
		ga_autofree char *fault = NULL;
		const struct ga_pci_dev *gpu;

		if (check_gpu(p, &pci, b, err) < 0)
			return -1;
		gpu = ga_pci_find(&pci, b->gpu_pci_address);
		if ((anew && find_fault(p, gpu, &fault, err) < 0) ||
		    ga_provision_check_bundle(p, b, gpu, fault, err) < 0)
			return -1;
	}
	return 0;
}

/* Refuses when another domain has the function. */
static int check_users(struct ga_provision *p, struct ga_virt *virt, const char *address,
		       struct ga_err *err)
{
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;
	int r;

	if (!address)
		return 0;
	r = ga_virt_domains_using_pci(virt, address, &names, err);
	for (i = 0; !r && i < names.n; i++)
		if (!ga_streq(names.v[i], p->plan->domain))
			r = REFUSE(p, "device_in_use",
				   "gpuaas-reconcile shows the owner of that domain",
				   "'%s' is used by domain '%s'", address, names.v[i]);
	return r;
}

/* Refuses when a process has the function. While our own domain has it, the VM runs already, and
 * nothing is reset. */
static int check_processes(struct ga_provision *p, enum ga_virt_state state, const char *address,
			   struct ga_err *err)
{
	if (!address || (state != GA_VIRT_ABSENT && state != GA_VIRT_OFF))
		return 0;
	return ga_gpu_use_refuse(address, p->plan->lab, err);
}

int ga_provision_check_domain(struct ga_provision *p, struct ga_err *err)
{
	ga_autovirtdomain struct ga_virt_domain d = { 0 };
	enum ga_virt_state state;
	struct ga_virt *virt;
	size_t i;
	int r;

	if (ga_changes_virt(&p->changes, &virt, err) < 0 ||
	    ga_virt_state(virt, p->plan->domain, &state, err) < 0)
		return -1;
	r = ga_virt_find(virt, p->plan->domain, &d, err);
	if (r < 0)
		return -1;
	if (state != GA_VIRT_ABSENT && !(r && ga_streq(d.allocation, p->plan->allocation)))
		return REFUSE(p, "domain_exists", "gpuaas-reconcile shows its owner",
			      "domain '%s' is there already and is not this allocation's",
			      p->plan->domain);
	for (i = 0; i < p->plan->bundles.n; i++)
		if (check_users(p, virt, p->plan->bundles.v[i].gpu_pci_address, err) < 0 ||
		    check_users(p, virt, p->plan->bundles.v[i].fabric_vf_pci_address, err) < 0 ||
		    check_processes(p, state, p->plan->bundles.v[i].gpu_pci_address, err) < 0 ||
		    check_processes(p, state, p->plan->bundles.v[i].fabric_vf_pci_address, err) < 0)
			return -1;
	return 0;
}

/* ---- the image ---- */

int ga_provision_check_image(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan_image *image = p->plan->image;
	ga_autofree char *since = NULL;
	char digest[GA_DIGEST_SIZE];
	int r = ga_image_store_withdrawn(p->opts->images_dir, image->name, image->digest, &since,
					 err);

	if (r < 0)
		return -1;
	if (r > 0)
		return ga_refuse(err, GA_NOTFOUND, "image_missing", p->plan->allocation,
				 ("image '%s' was withdrawn on this node at %s", image->name,
				  since),
				 ("gpuaas-image add FILE --name NAME on this node"));
	if (access(image->path, R_OK) < 0)
		return ga_refuse(err, GA_NOTFOUND, "image_missing", p->plan->allocation,
				 ("image '%s' is not at '%s': %s", image->name, image->path,
				  strerror(errno)),
				 ("gpuaas-image add FILE --name NAME on this node"));
	if (image->size_bytes > p->disks[0].size_bytes && p->disks[0].fd >= 0)
		return REFUSE(p, "image_size", NULL,
			      "image '%s' makes %" PRId64 " bytes and the disk has %" PRId64,
			      image->name, image->size_bytes, p->disks[0].size_bytes);
	if (image->chunks_digest) {
		p->chunks = ga_xcalloc(1, sizeof(*p->chunks));
		return ga_chunks_read(image->path, image->chunks_digest, p->chunks, err);
	}
	if (ga_image_file_digest(image->path, digest, err) < 0)
		return -1;
	if (ga_streq(digest, image->digest))
		return 0;
	return REFUSE(p, "image_digest", "gpuaas-image verify FILE; then add it from a good copy",
		      "image '%s' has digest %s instead of %s", image->name, digest, image->digest);
}

/* ---- the disks ---- */

static const struct ga_provision *asking; /* the provision whose libvirt connection the guard's
					     callback uses */

/* Names of other domains that use the disk. */
static int domains_using(const char *path, const char *wwid, struct ga_str *names,
			 struct ga_err *err)
{
	struct ga_changes *c = (struct ga_changes *)(uintptr_t)&asking->changes;
	ga_autotexts struct ga_texts list = { 0 };
	struct ga_virt *virt;
	int r, n = 0;
	size_t i;

	(void)wwid;
	if (ga_changes_virt(c, &virt, err) < 0)
		return -1;
	r = ga_virt_domains_using(virt, path, &list, err);
	for (i = 0; i < list.n; i++)
		if (!ga_streq(list.v[i], asking->plan->domain))
			ga_str_addf(names, "%s%s", n++ ? ", " : "", list.v[i]);
	return r < 0 ? -1 : n;
}

/* The first failed step of the guard is the refusal; its detail begins with the reason code. */
static int refused_by(struct ga_provision *p, const struct ga_guard_steps *steps,
		      const struct ga_bundle *b, struct ga_err *err)
{
	size_t i, n;

	for (i = 0; i < steps->n; i++)
		if (ga_streq(steps->v[i].outcome, "failed"))
			break;
	if (i == steps->n)
		return ga_fail(err, GA_CONFLICT, "disk '%s' was refused", b->nvme_wwid);
	n = steps->v[i].detail ? strcspn(steps->v[i].detail, ":") : 0;
	if (n && n < 40 && steps->v[i].detail[n]) {
		ga_autofree char *code = ga_xstrndup(steps->v[i].detail, n);

		return REFUSE(p, code, hint_for(code), "disk '%s' of slot '%s': %s",
			      b->nvme_wwid, b->slot, steps->v[i].detail + n + 2);
	}
	return REFUSE(p, "nvme_in_use", NOTHING_CHANGED, "disk '%s' of slot '%s': %s",
		      b->nvme_wwid, b->slot, steps->v[i].detail ? steps->v[i].detail : "refused");
}

static void release_steps(struct ga_guard_steps *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		ga_schema_release(&ga_step_schema, &s->v[i]);
	free(s->v);
}

/* The host's own record of the disk counts, whatever the plan says. A state that was restored, or
 * that has not received a result yet, takes the disk for empty. A host.db that was lost, or is
 * younger than the wipe, knows nothing of the disk: that is no proof either. */
static int check_wiped(struct ga_provision *p, const struct ga_bundle *b, struct ga_err *err)
{
	/* The state accepts this result and blocks the slot (state/fold/provision.c). */
	ga_autofree char *hint =
		ga_xprintf("nothing was written; when the state has this result, its slots are "
			   "blocked: 'gpuaas-release %s' and gpuaas-wipe here make them available "
			   "again",
			   p->plan->allocation);
	ga_autofree char *by = NULL;
	int r = ga_hostdb_wiped(&p->h, b->nvme_wwid, p->plan->allocation, &by, err);

	if (r)
		return r < 0 ? -1 : 0;
	if (by)
		return REFUSE(p, GA_FAULT_NOT_WIPED, hint,
			      "disk '%s' of slot '%s' was written by allocation '%s' and not "
			      "wiped since",
			      b->nvme_wwid, b->slot, by);
	return REFUSE(p, GA_FAULT_NOT_WIPED, hint,
		      "this host has no record of a finished wipe of disk '%s' of slot '%s'",
		      b->nvme_wwid, b->slot);
}

int ga_provision_take_disks(struct ga_provision *p, struct ga_err *err)
{
	bool baremetal = ga_streq(p->plan->shape, "baremetal");

	for (size_t i = 0; i < p->plan->bundles.n; i++) {
		const struct ga_bundle *b = &p->plan->bundles.v[i];
		const struct ga_guard_opts o = {
			.wwid = b->nvme_wwid,
			.size_bytes = b->nvme_size_bytes,
			/* A part of our image, when an earlier run was killed while it wrote. */
			.content_expected = p->known,
			.lab = p->plan->lab,
			/* A baremetal host needs no libvirt: processes that have a disk open are
			 * found without it. */
			.domains = baremetal ? NULL : domains_using,
		};
		ga_cleanup(release_steps) struct ga_guard_steps steps = { 0 };
		struct ga_nvme_dev drive = { .ops = &ga_nvme_real_ops, .ctx = &p->disks[i].fd };
		const char *failing;
		int r;

		if (!b->nvme_wwid)
			return REFUSE(p, GA_FAULT_MISSING_NVME, NULL, "slot '%s' has no disk",
				      b->slot);
		if (p->disks[i].identity)
			continue;
		if (ga_disk_find(b->nvme_wwid, &p->disks[i], err) < 0)
			return ga_wrap(err, "disk of slot '%s'", b->slot);
		if (p->resume)
			continue;
		if (check_wiped(p, b, err) < 0)
			return -1;
		asking = p;
		r = ga_guard_take(&p->disks[i], &o, !p->opts->dry_run && !baremetal, &steps, err);
		if (r <= 0)
			return r < 0 ? -1 : refused_by(p, &steps, b, err);
		/* A lab's file, and a disk that is no NVMe drive, report no health. */
		if (!ga_streq(p->disks[i].medium, "nvme"))
			continue;
		failing = ga_nvme_failing(&drive);
		if (failing)
			return REFUSE(p, GA_FAULT_HEALTH, "nothing was written; replace the drive",
				      "disk '%s' of slot '%s' reports that it is failing: %s",
				      b->nvme_wwid, b->slot, failing);
	}
	return 0;
}

void ga_provision_close_disks(struct ga_provision *p)
{
	for (size_t i = 0; p->disks && i < p->plan->bundles.n; i++) {
		ga_cleanup_fd(&p->disks[i].fd);
		p->disks[i].fd = -1;
	}
}

/* ---- a VM that was provisioned before ---- */

int ga_provision_recheck(struct ga_provision *p, bool image, struct ga_err *err)
{
	const char *digest = p->plan->user_data_digest;

	if (ga_provision_check_order(p, err) < 0 ||
	    ga_provision_check_functions(p, false, err) < 0 ||
	    ga_provision_check_domain(p, err) < 0)
		return -1;
	if (!image)
		return 0;
	if (digest && access(p->seed_path, R_OK) < 0 &&
	    ga_user_data_read(p->opts->user_data_dir, digest, &p->user_data, err) < 0)
		return -1;
	return ga_provision_check_image(p, err);
}

/* ---- prerequisites of the host for a VM ---- */

static int64_t free_pages(int64_t node, int64_t kib)
{
	ga_autofree char *path =
		node == GA_UNKNOWN ?
			ga_xprintf("/sys/kernel/mm/hugepages/hugepages-%" PRId64
				   "kB/free_hugepages", kib) :
			ga_xprintf("/sys/devices/system/node/node%" PRId64
				   "/hugepages/hugepages-%" PRId64 "kB/free_hugepages", node, kib);
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	int64_t n;

	if (ga_file_read(path, 64, &text, &ignored) < 0)
		return 0;
	text.buf[strcspn(text.buf, "\n")] = '\0';
	return ga_int_parse(text.buf, path, 0, INT64_C(1) << 40, &n, &ignored) < 0 ? 0 : n;
}

/* Checks the free hugepages in each NUMA node, for its bundles. */
static int check_hugepages(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	int64_t each = plan->memory_mib / (int64_t)plan->bundles.n;
	size_t i, k;

	for (i = 0; i < plan->bundles.n; i++) {
		int64_t node = plan->bundles.v[i].numa_node, need, have, n = 0;

		for (k = 0; k < plan->bundles.n; k++)
			n += plan->bundles.v[k].numa_node == node;
		need = (n * each * 1024 + plan->hugepage_kib - 1) / plan->hugepage_kib;
		have = free_pages(node, plan->hugepage_kib);
		if (have < need)
			return REFUSE(
				p, "hugepages",
				"gpuaas-reconcile shows who has them; reserve more at boot with "
				"hugepages=",
				"NUMA node %" PRId64 " has %" PRId64 " free pages of %" PRId64
				" KiB, and %" PRId64 " are needed",
				node == GA_UNKNOWN ? 0 : node, have, plan->hugepage_kib, need);
	}
	return 0;
}

/* "address sizes : 46 bits physical, …" of /proc/cpuinfo. */
static int phys_bits(void)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	const char *at;
	long n;

	if (ga_file_read("/proc/cpuinfo", 32 << 20, &text, &ignored) < 0)
		return 0;
	at = strstr(text.buf, "address sizes");
	at = at ? strchr(at, ':') : NULL;
	n = at ? strtol(at + 1, NULL, 10) : 0;
	return n >= 32 && n <= 64 ? (int)n : 0;
}

static int check_mmio(struct ga_provision *p, struct ga_err *err)
{
	size_t n = p->plan->bundles.n, i, k;
	struct ga_domain_bars *devices = ga_xcalloc(n, sizeof(*devices));
	/* Only kvm gives the guest the host's address width; QEMU's own processor has 40 bits. */
	int bits = ga_streq(p->plan->domain_type, "kvm") ? phys_bits() : 40;
	int64_t need = 0, have = 0;
	bool fits;

	for (i = 0; i < n; i++) {
		struct ga_bars bars = { 0 };
		int64_t *sizes;

		ga_pci_bars(p->plan->bundles.v[i].gpu_pci_address, &bars);
		sizes = ga_xcalloc(bars.n + 1, sizeof(*sizes));
		for (k = 0; k < bars.n; k++)
			sizes[k] = bars.v[k].size_bytes;
		devices[i] = (struct ga_domain_bars){ .size_bytes = sizes, .n = bars.n };
		ga_list_release(&bars);
	}
	fits = !bits || ga_streq(p->plan->domain_type, "test") ||
	       ga_domain_mmio_fits(devices, n, bits, &need, &have);
	for (i = 0; i < n; i++)
		free((void *)(uintptr_t)devices[i].size_bytes);
	free(devices);
	if (fits)
		return 0;
	return REFUSE(p, "mmio_budget",
		      "fewer GPUs in one VM, or a host whose processor has more address bits",
		      "the GPUs need %" PRId64 " GiB of address space and the guest has %" PRId64
		      " GiB for devices (%d address bits)",
		      need >> 30, have >> 30, bits);
}

bool ga_provision_has_ovs(const struct ga_plan *plan)
{
	return plan->network.bridge && plan->mac && plan->private_ip && plan->port &&
	       !ga_streq(plan->domain_type, "test");
}

static int check_bridge(struct ga_provision *p, struct ga_err *err)
{
	const char *bridge = p->plan->network.bridge;
	ga_autofree char *path = bridge ? ga_xprintf("/sys/class/net/%s", bridge) : NULL;
	int r;

	if (!bridge)
		return 0;
	if (strchr(bridge, '/') || access(path, F_OK) < 0)
		return REFUSE(p, "bridge_missing",
			      "ovs-vsctl add-br BRIDGE; the node's settings name the bridge",
			      "bridge '%s' is not there", bridge);
	r = ga_provision_has_ovs(p->plan) ? ga_ovs_has_bridge(bridge, err) : 1;
	if (r < 0)
		return -1;
	return r ? 0 :
		   REFUSE(p, "bridge_missing", "ovs-vsctl add-br BRIDGE",
			  "'%s' is not a bridge of Open vSwitch", bridge);
}

bool ga_provision_has_dhcp(const struct ga_plan *plan)
{
	if (!plan->network.dhcp_hosts_dir || !plan->mac || !plan->private_ip)
		return false;
	/* libvirt's test driver has no network: such a machine needs no dnsmasq. */
	return !ga_streq(plan->domain_type, "test") ||
	       access(plan->network.dhcp_hosts_dir, W_OK) == 0;
}

static int check_dhcp(struct ga_provision *p, struct ga_err *err)
{
	const char *dir = p->plan->network.dhcp_hosts_dir;
	struct stat st;

	if (!ga_provision_has_dhcp(p->plan))
		return 0;
	if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	else if (access(dir, W_OK) == 0)
		return 0;
	return ga_refuse(err, GA_HOST, "dhcp_hosts_dir", p->plan->allocation,
			 ("the folder of DHCP reservations '%s' cannot be written: %s", dir,
			  strerror(errno)),
			 ("make it and let dnsmasq read it (--dhcp-hostsdir); the node's settings "
			  "name it"));
}

/* The driver in a guest works with the host's Fabric Manager only when both belong to one release.
 * Checked here and not at the activation of the partition, because nothing is written yet. An
 * unknown version does not block. */
static int check_fabric(struct ga_provision *p, struct ga_err *err)
{
	const char *inside = p->plan->image ? p->plan->image->driver_version : NULL;
	ga_autofree char *manager = NULL;

	if (p->plan->fabric_partition == GA_UNKNOWN || !inside || p->resume)
		return 0;
	manager = ga_fabric_version(p->opts->fabric_manager);
	if (!manager || ga_fabric_same_release(manager, inside))
		return 0;
	return REFUSE(p, "fm_driver_mismatch",
		      "take an image with the driver of this host's Fabric Manager, or bring that "
		      "to the image's release",
		      "Fabric Manager is %s and the driver in image '%s' is %s", manager,
		      p->plan->image->name, inside);
}

int ga_phase_prerequisites(struct ga_provision *p, struct ga_err *err)
{
	if (ga_streq(p->plan->domain_type, "kvm") && access("/dev/kvm", F_OK) < 0)
		return REFUSE(p, "kvm", "enable virtualization in the firmware and load kvm",
			      "/dev/kvm is not there");
	if (p->plan->hugepage_kib != GA_UNKNOWN && p->resume == 0 && check_hugepages(p, err) < 0)
		return -1;
	if (check_fabric(p, err) < 0 || check_dhcp(p, err) < 0 || check_bridge(p, err) < 0)
		return -1;
	return check_mmio(p, err);
}
