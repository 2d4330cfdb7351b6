/* SPDX-License-Identifier: Apache-2.0 */
/* The phases that change the host, up to the started domain. Each may be run again. */
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/device/gpuuse.h"
#include "act/device/vfio.h"
#include "act/image/image.h"
#include "act/vm/provision_int.h"
#include "base/file.h"
#include "look/dhcp.h"
#include "look/domain.h"
#include "record/size.h"

/* ---- clone ---- */

static int on_bytes(int64_t done, int64_t total, void *arg, struct ga_err *err)
{
	return ga_provision_bytes(arg, done, total, err);
}

static int clone_image(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan_image *image = p->plan->image;
	const struct ga_image_clone clone = {
		.path = image->path,
		.format = image->format,
		.size_bytes = image->size_bytes,
		.chunks = p->chunks,
		.fd = p->disks[0].fd,
		.target_bytes = p->disks[0].size_bytes,
		.progress = on_bytes,
		.arg = p,
	};
	struct ga_image_cloned done;
	char written[GA_SIZE_SIZE], all[GA_SIZE_SIZE];

	if (ga_image_clone(&clone, &done, err) < 0)
		return -1;
	p->phase_bytes = done.bytes;
	p->phase_total = done.bytes;
	ga_provision_note(p, "%s of %s written, the rest zeros%s",
			  ga_size_format(done.written, written), ga_size_format(done.bytes, all),
			  p->chunks ? "; every chunk checked" : "");
	return 0;
}

int ga_phase_clone(struct ga_provision *p, struct ga_err *err)
{
	size_t i;

	/* Every disk of the allocation is the tenant's from now on. */
	for (i = 0; i < p->plan->bundles.n; i++) {
		ga_autofree char *what =
			i ? ga_xstrdup("nothing (handed over empty)") :
			    ga_xprintf("image %s (%s)", p->plan->image->name, p->plan->image->path);

		if (ga_change_disk(&p->changes, p->plan->bundles.v[i].nvme_wwid, what, err) < 0)
			return -1;
	}
	if (!p->opts->dry_run && clone_image(p, err) < 0)
		return -1;
	ga_provision_close_disks(p);
	return 0;
}

/* ---- seed ---- */

/* QEMU reads the seed as its own user and must pass through our folders: x for others lets it, and
 * lets nobody list them; every file in them is 0600. */
static int open_ways(struct ga_provision *p, struct ga_err *err)
{
	ga_autofree char *vm = ga_xprintf("%s/vm", p->opts->host_dir);

	if (ga_file_mkdirs(vm, 0711, err) < 0)
		return -1;
	if (chmod(vm, 0711) < 0)
		return ga_fail_sys(err, "cannot change the mode of '%s'", vm);
	if (geteuid() || ga_streq(p->plan->domain_type, "test"))
		return 0;
	if (chmod(p->opts->host_dir, 0711) < 0)
		return ga_fail_sys(err, "cannot change the mode of '%s'", p->opts->host_dir);
	return 0;
}

static int write_seed(struct ga_provision *p, struct ga_err *err)
{
	ga_autostr struct ga_str iso = GA_STR_INIT;
	const struct ga_seed seed = { .plan = p->plan,
				      .key = &p->key,
				      .user_data =
					      p->plan->user_data_digest ? &p->user_data : NULL };
	int r = ga_seed_iso(&seed, &iso, err);

	if (!r)
		r = ga_change_file(&p->changes, p->seed_path, iso.buf, iso.len, 0600, err);
	if (iso.len)
		explicit_bzero(iso.buf, iso.len);
	return r;
}

static int write_known_hosts(struct ga_provision *p, struct ga_err *err)
{
	ga_autofree char *line = ga_xprintf("%s %s\n", p->plan->private_ip, p->key.public.buf);

	if (!p->plan->private_ip)
		return 0;
	return ga_change_file(&p->changes, p->known_hosts, line, strlen(line), 0600, err);
}

/* The tenant's text lives here until release only: for resume and rebuild. Where it came from is
 * the operator's folder. */
static int enter_user_data(struct ga_provision *p, struct ga_err *err)
{
	const char *digest = p->plan->user_data_digest;
	ga_autofree char *dir = ga_xprintf("%s/user-data", p->opts->host_dir);
	ga_autofree char *path = NULL;

	if (!digest)
		return 0;
	path = ga_xprintf("%s/%s", dir, digest + strlen("sha256:"));
	if (!access(path, F_OK))
		return ga_change_file_by_other(&p->changes, path, err);
	if (!p->opts->dry_run && ga_file_mkdirs(dir, 0700, err) < 0)
		return -1;
	return ga_change_file(&p->changes, path, p->user_data.buf, p->user_data.len, 0600, err);
}

int ga_phase_seed(struct ga_provision *p, struct ga_err *err)
{
	ga_autofree char *key = ga_xprintf("%s/host_key", p->vm_dir);
	ga_autofree char *pub = ga_xprintf("%s/host_key.pub", p->vm_dir);

	if (!p->opts->dry_run && open_ways(p, err) < 0)
		return -1;
	if (ga_change_folder(&p->changes, p->vm_dir, 0711, err) < 0 ||
	    ga_change_file_by_other(&p->changes, key, err) < 0 ||
	    ga_change_file_by_other(&p->changes, pub, err) < 0 ||
	    ga_change_file_by_other(&p->changes, p->console_log, err) < 0 ||
	    enter_user_data(p, err) < 0)
		return -1;
	if (p->opts->dry_run) {
		ga_changes_say(&p->changes, "write file %s (NoCloud seed, mode 0600)",
			       p->seed_path);
		return 0;
	}
	if (ga_host_key_get(p->vm_dir, &p->key, err) < 0)
		return -1;
	return write_seed(p, err) < 0 || write_known_hosts(p, err) < 0 ? -1 : 0;
}

/* ---- network ---- */

static int write_reservation(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	ga_autofree char *path = ga_dhcp_hosts_path(plan->network.dhcp_hosts_dir, plan->allocation);
	ga_autostr struct ga_str line = GA_STR_INIT;

	ga_dhcp_hosts_line(plan->mac, plan->private_ip, plan->domain, &line);
	if (ga_change_file(&p->changes, path, line.buf, line.len, 0644, err) < 0)
		return ga_hint(err, "the node's settings name the folder dnsmasq reads "
				    "(--dhcp-hostsdir)");
	if (!plan->network.bridge)
		return 0;
	return ga_change_lease(&p->changes, plan->mac, plan->private_ip, plan->network.bridge, err);
}

int ga_phase_network(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	ga_autofree char *network =
		ga_net_network(plan->network.gateway, plan->network.prefix_bits);
	const struct ga_ovs_port port = { .bridge = plan->network.bridge, .port = plan->port,
					  .mac = plan->mac, .ip = plan->private_ip,
					  .allocation = plan->allocation,
					  .gateway = plan->network.gateway,
					  .network = network };

	if (ga_provision_has_dhcp(plan) && write_reservation(p, err) < 0)
		return -1;
	if (!ga_provision_has_ovs(plan)) {
		ga_provision_note(p, "no flows: %s",
				  ga_streq(plan->domain_type, "test") ?
					  "libvirt's test driver makes no port" :
					  "the plan names no bridge or port");
		return 0;
	}
	return ga_change_network(&p->changes, &port, err);
}

/* ---- devices ---- */

static int prepare(struct ga_provision *p, const char *address, bool is_gpu, struct ga_err *err)
{
	struct ga_vfio_reset how;
	int r;

	/* Asked again: time went by since the recheck, and unbinding waits for who has it. */
	if (!p->opts->dry_run && ga_gpu_use_refuse(address, p->plan->lab, err) < 0)
		return -1;
	if (ga_change_bind(&p->changes, address, err) < 0)
		return -1;
	if (p->opts->dry_run) {
		ga_change_reset_say(&p->changes, address);
		return 0;
	}
	r = ga_vfio_reset(address, &how, err);
	if (r < 0)
		return -1;
	if (!r && !is_gpu) /* it was reset with its slot's wipe, and holds no tenant's data */
		return ga_vfio_wait_config(address, INT64_C(60000000), err);
	if (r && is_gpu)
		ga_provision_note(p, "%s by %s reset", address,
				  how.method[0] ? how.method : "the kernel's");
	return r ? 0 : ga_vfio_no_reset(address, &how, err);
}

/* Whether the domain runs already: then its devices are not to be touched. */
static int is_running(struct ga_provision *p, struct ga_err *err)
{
	enum ga_virt_state state;
	struct ga_virt *virt;

	if (p->opts->dry_run)
		return 0;
	if (ga_changes_virt(&p->changes, &virt, err) < 0 ||
	    ga_virt_state(virt, p->plan->domain, &state, err) < 0)
		return -1;
	return state != GA_VIRT_ABSENT && state != GA_VIRT_OFF;
}

/* A recorded host has interfaces by name only: in the lab functions keep what they are. */
static int prepare_fabric(struct ga_provision *p, const struct ga_bundle *b, struct ga_err *err)
{
	int r = 1;

	if (!b->fabric_vf_pci_address)
		return 0;
	if (!p->plan->lab && b->fabric_pf_pci_address)
		r = ga_change_vf(&p->changes, b->fabric_vf_pci_address, b->fabric_pf_pci_address,
				 p->plan->node, b->slot_index, err);
	if (!r)
		ga_provision_note(p, "'%s' has no interface here: '%s' keeps its address",
				  b->fabric_pf_pci_address, b->fabric_vf_pci_address);
	return r < 0 ? -1 : prepare(p, b->fabric_vf_pci_address, false, err);
}

int ga_phase_devices(struct ga_provision *p, struct ga_err *err)
{
	int r = is_running(p, err);
	size_t i;

	for (i = 0; !r && i < p->plan->bundles.n; i++) {
		const struct ga_bundle *b = &p->plan->bundles.v[i];

		if (prepare(p, b->gpu_pci_address, true, err) < 0 || prepare_fabric(p, b, err) < 0)
			return -1;
	}
	return r < 0 ? -1 : 0;
}

int ga_phase_fabric(struct ga_provision *p, struct ga_err *err)
{
	if (p->plan->fabric_partition == GA_UNKNOWN) {
		ga_provision_note(p, "no partition");
		return 0;
	}
	ga_provision_note(p, "partition %" PRId64, p->plan->fabric_partition);
	return ga_change_partition(&p->changes, p->plan->fabric_partition, err);
}

/* ---- the domain ---- */

char *ga_provision_disk_path(const struct ga_disk *d)
{
	char *path = d->dev.wwid ? ga_xprintf("/dev/disk/by-id/nvme-%s", d->dev.wwid) : NULL;
	ga_autofree char *real = path ? realpath(path, NULL) : NULL;

	if (real && ga_streq(real, d->dev.path))
		return path;
	free(path);
	return ga_xstrdup(d->dev.path);
}

static int make_xml(struct ga_provision *p, struct ga_str *xml, struct ga_err *err)
{
	size_t n = p->plan->bundles.n, i;
	char **disks = ga_xcalloc(n, sizeof(*disks));
	const struct ga_domain_env env = {
		.seed = p->seed_path,
		.console_log = p->console_log,
		.disks = (const char *const *)disks,
		.disks_are_files = p->plan->lab,
	};
	int r;

	for (i = 0; i < n; i++)
		disks[i] = ga_provision_disk_path(&p->disks[i]);
	r = ga_domain_xml(p->plan, &env, xml, err);
	for (i = 0; i < n; i++)
		free(disks[i]);
	free(disks);
	return r;
}

int ga_phase_define(struct ga_provision *p, struct ga_err *err)
{
	ga_autostr struct ga_str xml = GA_STR_INIT;
	int r = is_running(p, err);

	if (r)
		return r < 0 ? -1 : 0;
	if (ga_provision_take_disks(p, err) < 0 || make_xml(p, &xml, err) < 0)
		return -1;
	ga_provision_close_disks(p); /* the guard's hold would keep QEMU out */
	return ga_change_domain(&p->changes, p->plan->domain, xml.buf, err);
}

int ga_phase_start(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	ga_autofree char *network =
		ga_net_network(plan->network.gateway, plan->network.prefix_bits);
	const struct ga_ovs_port port = { .bridge = plan->network.bridge, .port = plan->port,
					  .mac = plan->mac, .ip = plan->private_ip,
					  .allocation = plan->allocation,
					  .gateway = plan->network.gateway,
					  .network = network };
	bool flows = ga_provision_has_ovs(plan);
	struct ga_virt *virt;

	ga_changes_say(&p->changes, "start domain %s", plan->domain);
	if (p->opts->dry_run)
		return 0;
	if (ga_changes_virt(&p->changes, &virt, err) < 0)
		return -1;
	/* Paused until its flows stand: not one packet of the guest leaves unchecked. */
	if (ga_virt_start(virt, plan->domain, flows, err) < 0)
		return -1;
	if (flows &&
	    (ga_ovs_protect(&port, err) < 0 || ga_virt_resume(virt, plan->domain, err) < 0))
		return -1;
	return 0;
}
