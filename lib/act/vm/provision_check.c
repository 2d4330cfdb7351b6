/* SPDX-License-Identifier: Apache-2.0 */
/* The phases that look and change nothing: the order, the devices, the image, the host. */
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/device/guard.h"
#include "act/device/nvme.h"
#include "act/image/store.h"
#include "act/vm/metal.h"
#include "act/vm/provision_int.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/texts.h"
#include "look/domain.h"
#include "look/host/host.h"
#include "look/pci.h"
#include "record/fault.h"
#include "record/size.h"
#include "record/time.h"
#include "state/host/list.h"

/* ---- the order ---- */

int ga_provision_refuse(struct ga_err *err, const char *reason, const char *object,
			const char *hint)
{
	ga_err_reason(err, reason);
	ga_err_object(err, object);
	return hint ? ga_hint(err, "%s", hint) : -1;
}

static int check_digest(struct ga_provision *p, struct ga_err *err)
{
	char digest[GA_DIGEST_SIZE];

	ga_rec_digest(&ga_plan_shape, p->plan, "digest", digest);
	if (ga_streq(digest, p->plan->digest))
		return 0;
	return REFUSE(p, "old_digest",
		      "take the plan as it was placed: 'gpuaas-list plan' prints it",
		      "plan of '%s' does not have the digest it names", p->plan->allocation);
}

static int check_expiry(struct ga_provision *p, struct ga_err *err)
{
	int64_t expires;

	if (p->known)
		return 0;
	if (ga_time_parse(p->plan->expires_at, &expires, err) < 0)
		return -1;
	if (ga_clock_micros() < expires)
		return 0;
	return REFUSE(p, "expired", "place again; what the plan had claimed is free again",
		      "plan of '%s' expired at %s", p->plan->allocation, p->plan->expires_at);
}

bool ga_provision_is_here(const struct ga_provision *p)
{
	return ga_streq(p->plan->node, p->opts->node);
}

static bool is_same(const char *a, const char *b)
{
	return a && ga_streq(a, b);
}

int ga_provision_check_twice(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	size_t i, j;

	for (i = 0; i < plan->bundles.n; i++) {
		const struct ga_bundle *a = &plan->bundles.v[i];

		if (ga_streq(a->slot, plan->allocation))
			return REFUSE(p, "duplicate_identity", "place again",
				      "plan of '%s' has a slot of the allocation's own id",
				      plan->allocation);
		for (j = 0; j < i; j++) {
			const struct ga_bundle *b = &plan->bundles.v[j];

			if (ga_streq(a->slot, b->slot) || is_same(a->nvme_wwid, b->nvme_wwid) ||
			    is_same(a->gpu_identity, b->gpu_identity) ||
			    is_same(a->gpu_pci_address, b->gpu_pci_address) ||
			    is_same(a->fabric_vf_pci_address, b->fabric_vf_pci_address))
				return REFUSE(p, "duplicate_identity", "place again",
					      "plan of '%s' has slot '%s', or a device of it, "
					      "twice",
					      plan->allocation, a->slot);
		}
	}
	return 0;
}

int ga_provision_check_order(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	bool whole = ga_streq(plan->shape, "baremetal");

	if (plan->dry_run && !p->opts->dry_run)
		return REFUSE(p, "dry_run", "place without --dry-run",
			      "plan of '%s' is of a dry run: nothing is claimed for it",
			      plan->allocation);
	if (check_digest(p, err) < 0)
		return -1;
	if (!whole && !ga_provision_is_here(p))
		return REFUSE(p, "wrong_node",
			      "hand it to its node, as in 'ssh HOST gpuaas-provision < plan | "
			      "gpuaas-state fold -'",
			      "plan of '%s' is for node '%s', and this is '%s'", plan->allocation,
			      plan->node, p->opts->node);
	if (!plan->bundles.n)
		return REFUSE(p, GA_FAULT_MISSING_GPU, NULL, "plan of '%s' has no slots",
			      plan->allocation);
	if (whole && p->opts->holds_state && ga_provision_is_here(p))
		return REFUSE(p, "holds_state",
			      "bare-metal nodes are provisioned from another machine",
			      "this machine holds the state and cannot be handed out whole");
	if (ga_streq(plan->shape, "slice") && !plan->image)
		return REFUSE(p, "image_missing", NULL, "plan of '%s' names no image",
			      plan->allocation);
	if (!plan->lab && ((plan->image && ga_streq(plan->image->probe, "running")) ||
			   ga_streq(plan->domain_type, "test")))
		return REFUSE(p, "not_lab",
			      "an image of a real node names the probe ssh, serial or agent",
			      "plan of '%s' proves nothing about readiness, which only a lab may",
			      plan->allocation);
	return check_expiry(p, err);
}

static int check_boot(struct ga_provision *p, struct ga_err *err)
{
	if (!p->plan->boot_id || ga_streq(p->plan->boot_id, p->boot_id))
		return 0;
	return REFUSE(p, "other_boot",
		      "gpuaas-discover | gpuaas-approve --record-only; then place again",
		      "the host was restarted since the plan of '%s' was made (boot %s, now %s)",
		      p->plan->allocation, p->plan->boot_id, p->boot_id ? p->boot_id : "unknown");
}

static int check_fingerprint(struct ga_provision *p, struct ga_err *err)
{
	char now[GA_DIGEST_SIZE];

	if (!p->plan->fingerprint)
		return 0;
	if (ga_host_fingerprint(now, err) < 0)
		return -1;
	if (ga_streq(now, p->plan->fingerprint))
		return 0;
	return REFUSE(p, "fingerprint_changed",
		      "gpuaas-discover | gpuaas-approve; then place again",
		      "the hardware of this host is not what was approved");
}

/* ---- image and user-data ---- */

static int check_withdrawn(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan_image *image = p->plan->image;
	ga_autofree char *since = NULL;
	int r = ga_image_store_withdrawn(p->opts->images_dir, image->name, image->digest, &since,
					 err);

	if (r <= 0)
		return r;
	ga_err_set(err, GA_NOTFOUND, "image '%s' was withdrawn on this node at %s", image->name,
		   since);
	return ga_provision_refuse(err, "image_missing", p->plan->allocation,
				   "gpuaas-image add FILE --name NAME on this node");
}

static int check_image(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan_image *image = p->plan->image;
	char digest[GA_DIGEST_SIZE];

	if (check_withdrawn(p, err) < 0)
		return -1;

	if (access(image->path, R_OK) < 0) {
		ga_err_set_sys(err, "image '%s' is not at '%s'", image->name, image->path);
		err->code = GA_NOTFOUND;
		return ga_provision_refuse(err, "image_missing", p->plan->allocation,
			      "gpuaas-image add FILE --name NAME on this node");
	}
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

/* ---- disks ---- */

static const struct ga_provision *asking; /* whose libvirt ga_guard's question goes to */

/* Names of other domains that use the disk. */
static int domains_using(const char *path, const char *wwid, struct ga_str *names,
			 struct ga_err *err)
{
	struct ga_changes *c = (struct ga_changes *)(uintptr_t)&asking->changes;
	struct ga_texts list = { 0 };
	struct ga_virt *virt;
	int r, n = 0;
	size_t i;

	(void)wwid;
	if (ga_changes_virt(c, &virt, err) < 0)
		return -1;
	r = ga_virt_domains_using(virt, path, (struct ga_any_list *)(void *)&list, err);
	for (i = 0; i < list.n; i++) {
		if (!ga_streq(list.v[i], asking->plan->domain))
			ga_str_addf(names, "%s%s", n++ ? ", " : "", list.v[i]);
		free(list.v[i]);
	}
	ga_list_release(&list);
	return r < 0 ? -1 : n;
}

#define NOTHING_WRITTEN \
	"nothing was written; gpuaas-release frees the plan, 'gpuaas-list attention' shows what " \
	"to do about the slot"

/* The first failed step of the guard is the refusal; its detail begins with its code. */
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

		return REFUSE(p, code, NOTHING_WRITTEN, "disk '%s' of slot '%s': %s",
			      b->nvme_wwid, b->slot, steps->v[i].detail + n + 2);
	}
	return REFUSE(p, "nvme_in_use", NOTHING_WRITTEN, "disk '%s' of slot '%s': %s",
		      b->nvme_wwid, b->slot, steps->v[i].detail ? steps->v[i].detail : "refused");
}

static void release_steps(struct ga_guard_steps *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		ga_shape_release(&ga_step_shape, &s->v[i]);
	free(s->v);
}

static int take_disk(struct ga_provision *p, size_t i, struct ga_err *err)
{
	const struct ga_bundle *b = &p->plan->bundles.v[i];
	bool whole = ga_streq(p->plan->shape, "baremetal");
	const struct ga_guard_opts o = {
		.wwid = b->nvme_wwid,
		.size_bytes = b->nvme_size_bytes,
		/* Half an image of ours, when an earlier run was killed in the middle of it. */
		.content_expected = p->known,
		.lab = p->plan->lab,
		/* A machine that is handed out whole needs no libvirt: whoever has a disk open is
		 * found without it. */
		.domains = whole ? NULL : domains_using,
	};
	ga_cleanup(release_steps) struct ga_guard_steps steps = { 0 };
	int r;

	asking = p;
	r = ga_guard_take(&p->disks[i], &o, !p->opts->dry_run && !whole, &steps, err);
	return r > 0 ? 0 : r < 0 ? -1 : refused_by(p, &steps, b, err);
}

/* What this host remembers of the disk counts whatever the plan says: a state that was restored, or
 * that has not heard of another's work yet, takes it for empty. A host whose host.db is lost, or
 * younger than the wipe, knows nothing of the disk: that is no proof either. */
static int check_wiped(struct ga_provision *p, const struct ga_bundle *b, struct ga_err *err)
{
	/* The state believes it, and blocks the slot (state/fold/provision.c). */
	ga_autofree char *hint =
		ga_xprintf("nothing was written; when the state has this result, its slots are "
			   "blocked: 'gpuaas-release %s' and gpuaas-wipe here bring them back",
			   p->plan->allocation);
	ga_autofree char *by = NULL;
	int r = ga_hostdb_wiped(&p->h, b->nvme_wwid, p->plan->allocation, &by, err);

	if (r)
		return r < 0 ? -1 : 0;
	if (by)
		return REFUSE(p, "not_wiped", hint,
			      "disk '%s' of slot '%s' was written by allocation '%s' and not "
			      "wiped since",
			      b->nvme_wwid, b->slot, by);
	return REFUSE(p, "not_wiped", hint,
		      "this host has no record of a finished wipe of disk '%s' of slot '%s'",
		      b->nvme_wwid, b->slot);
}

/* A lab's file, and a disk that is no NVMe drive, say nothing of their health. */
static int check_drive(struct ga_provision *p, size_t i, struct ga_err *err)
{
	const struct ga_bundle *b = &p->plan->bundles.v[i];
	struct ga_nvme_dev drive = { .ops = &ga_nvme_real_ops, .ctx = &p->disks[i].fd };
	const char *why;

	if (!ga_streq(p->disks[i].medium, "nvme"))
		return 0;
	why = ga_nvme_failing(&drive);
	return why ? REFUSE(p, GA_FAULT_HEALTH, "nothing was written; replace the drive",
			    "disk '%s' of slot '%s' says that it is failing: %s", b->nvme_wwid,
			    b->slot, why) :
		     0;
}

int ga_provision_take_disks(struct ga_provision *p, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < p->plan->bundles.n; i++) {
		const struct ga_bundle *b = &p->plan->bundles.v[i];

		if (!b->nvme_wwid)
			return REFUSE(p, GA_FAULT_MISSING_NVME, NULL, "slot '%s' has no disk",
				      b->slot);
		if (p->disks[i].identity)
			continue;
		if (ga_disk_find(b->nvme_wwid, &p->disks[i], err) < 0)
			return ga_wrap(err, "disk of slot '%s'", b->slot);
		if (!p->resume && (check_wiped(p, b, err) < 0 || take_disk(p, i, err) < 0 ||
				   check_drive(p, i, err) < 0))
			return -1;
	}
	return 0;
}

void ga_provision_close_disks(struct ga_provision *p)
{
	size_t i;

	for (i = 0; p->disks && i < p->plan->bundles.n; i++)
		ga_cleanup_fd(&p->disks[i].fd), p->disks[i].fd = -1;
}

static int read_user_data(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_provision_opts *o = p->opts;

	return ga_user_data_get(o->user_data_given, o->user_data_dir, o->user_data_from,
				p->plan->user_data_digest, &p->user_data, err);
}

/* The checks of a whole machine. On the machine itself they are those of slices, and the disks are
 * closed again. From another machine only the operator's executables can look at it. */
static int recheck_metal(struct ga_provision *p, struct ga_err *err)
{
	bool here = ga_provision_is_here(p);
	int r = ga_metal_check(p->opts->baremetal_dir, "deploy", err);
	size_t i;

	if (r == 0 && here && !p->resume)
		r = ga_provision_check_functions(p, true, err);
	if (r == 0 && here && !p->resume)
		r = ga_provision_take_disks(p, err);
	ga_provision_close_disks(p);
	for (i = 0; !here && r == 0 && i < p->plan->bundles.n; i++)
		r = ga_provision_check_bundle(p, &p->plan->bundles.v[i], NULL, NULL, err);
	return r == 0 && p->plan->user_data_digest ? read_user_data(p, err) : r;
}

int ga_phase_recheck(struct ga_provision *p, struct ga_err *err)
{
	bool whole = ga_streq(p->plan->shape, "baremetal");

	if (ga_provision_is_here(p) &&
	    (check_boot(p, err) < 0 || (!p->resume && ga_provision_find_devices(p, err) < 0) ||
	     check_fingerprint(p, err) < 0))
		return -1;
	if (whole)
		return recheck_metal(p, err);
	if (ga_provision_check_functions(p, !p->resume, err) < 0 ||
	    ga_provision_check_domain(p, err) < 0 ||
	    ga_provision_take_disks(p, err) < 0 || check_image(p, err) < 0)
		return -1;
	return p->plan->user_data_digest ? read_user_data(p, err) : 0;
}

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
	return check_image(p, err);
}

/* ---- prerequisites ---- */

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

/* Free hugepages in each NUMA node for the bundles on it. */
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
				"gpuaas-reconcile shows who has them; set aside more at boot with "
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
	/* Only kvm hands the host's address width on; QEMU's own processor has 40 bits. */
	int bits = ga_streq(p->plan->domain_type, "kvm") ? phys_bits() : 40;
	int64_t need = 0, have = 0;
	bool fits;

	for (i = 0; i < n; i++) {
		GA_LIST(struct ga_bar) bars = { 0 };
		int64_t *sizes;

		ga_pci_bars(p->plan->bundles.v[i].gpu_pci_address,
			    (struct ga_any_list *)(void *)&bars);
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
	/* libvirt's test driver has no network: nobody needs dnsmasq on such a machine. */
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
	ga_err_set_sys(err, "the folder of DHCP reservations '%s' cannot be written", dir);
	err->code = GA_HOST;
	return ga_provision_refuse(
		err, "dhcp_hosts_dir", p->plan->allocation,
		"make it and let dnsmasq read it (--dhcp-hostsdir); the node's settings name it");
}

/* Drivers of a guest talk to the Fabric Manager of the host only within one release. Looked at here
 * and not where the partition is activated: now nothing is written yet. Unknown does not block. */
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
