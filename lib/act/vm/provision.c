/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Provisioning: its phases in the order in which they run, then the order of a plan from its first
 * phase to its result. The checks of recheck and prerequisites are in provision_check.c, the
 * readiness of a VM in provision_ready.c.
 */
#include "act/vm/provision.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/device/gpuuse.h"
#include "act/device/vfio.h"
#include "act/image/image.h"
#include "act/vm/internal.h"
#include "act/vm/metal.h"
#include "base/err.h"
#include "base/file.h"
#include "base/quote.h"
#include "base/texts.h"
#include "look/dhcp.h"
#include "look/domain.h"
#include "look/host/host.h"
#include "record/bundle.h"
#include "record/host.h"
#include "record/plan.h"
#include "record/size.h"
#include "record/time.h"
#include "state/host/list.h"

/* ---- hold: the locks of the allocation and of its slots ---- */

static int phase_hold(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_issuer by = { p->plan->allocation, p->plan->attempt, p->plan->controller,
				      p->plan->epoch };
	int r;

	/* Taking the lock of a slot twice would wait for ourselves. */
	if (ga_provision_check_twice(p, err) < 0)
		return -1;
	if (p->opts->dry_run) {
		if (ga_provision_check_order(p, err) < 0)
			return -1;
		return ga_provision_is_here(p) ? ga_hostdb_would_serve(&p->h, &by, err) : 0;
	}
	if (ga_work_lock(&p->work, p->plan->allocation, err) < 0)
		return -1;
	for (size_t i = 0; i < p->plan->bundles.n; i++)
		if (ga_work_lock(&p->work, p->plan->bundles.v[i].slot, err) < 0)
			return -1;
	r = ga_attempt_get(&p->h, p->plan->attempt, &p->attempt, err);
	if (r < 0)
		return -1;
	p->known = r;
	if (ga_provision_check_order(p, err) < 0)
		return -1;
	return ga_provision_is_here(p) ? ga_hostdb_accept_controller(&p->h, &by, false, err) : 0;
}

/* ---- recheck: the host is as in the plan, its devices exist and are free ---- */

static int phase_recheck(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	bool here = ga_provision_is_here(p), baremetal = ga_streq(plan->shape, "baremetal");
	char now[GA_DIGEST_SIZE];
	int r;

	if (here && plan->boot_id && !ga_streq(plan->boot_id, p->boot_id))
		return REFUSE(p, "other_boot",
			      "gpuaas-discover | gpuaas-approve --record-only; then place again",
			      "the host was restarted since the plan of '%s' was made (boot %s, "
			      "now %s)", plan->allocation, plan->boot_id,
			      p->boot_id ? p->boot_id : "unknown");
	if (here && !p->resume && ga_provision_find_devices(p, err) < 0)
		return -1;
	if (here && plan->fingerprint) {
		if (ga_host_fingerprint(now, err) < 0)
			return -1;
		if (!ga_streq(now, plan->fingerprint))
			return REFUSE(p, "fingerprint_changed",
				      "gpuaas-discover | gpuaas-approve; then place again",
				      "the hardware of this host is not what was approved");
	}
	if (!baremetal) {
		if (ga_provision_check_functions(p, !p->resume, err) < 0 ||
		    ga_provision_check_domain(p, err) < 0 || ga_provision_take_disks(p, err) < 0 ||
		    ga_provision_check_image(p, err) < 0)
			return -1;
	} else {
		if (ga_metal_check(p->opts->baremetal_dir, "deploy", err) < 0)
			return -1;
		/* On the machine itself the checks are those of a slice, and the disks are closed
		 * afterwards. From another machine only the operator's executables can check it. */
		r = here && !p->resume && (ga_provision_check_functions(p, true, err) < 0 ||
					   ga_provision_take_disks(p, err) < 0) ? -1 : 0;
		ga_provision_close_disks(p);
		for (size_t i = 0; !here && r == 0 && i < plan->bundles.n; i++)
			r = ga_provision_check_bundle(p, &plan->bundles.v[i], NULL, NULL, err);
		if (r < 0)
			return -1;
	}
	if (plan->user_data_digest &&
	    ga_user_data_get(p->opts->user_data_given, p->opts->user_data_dir,
			     p->opts->user_data_from, plan->user_data_digest, &p->user_data,
			     err) < 0)
		return -1;
	/* Where the state is here, it has refused a plan that is over. */
	if (!baremetal || p->opts->dry_run || p->opts->holds_state)
		return 0;
	return ga_metal_check_tenant(p->opts->baremetal_dir, plan->node, plan->allocation, err);
}

/* ---- clone: writes the image to the first disk ---- */

int ga_phase_clone(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan_image *image = p->plan->image;
	const struct ga_image_clone clone = {
		.path = image->path,
		.format = image->format,
		.size_bytes = image->size_bytes,
		.chunks = p->chunks,
		.fd = p->disks[0].fd,
		.target_bytes = p->disks[0].size_bytes,
		.progress = ga_work_bytes,
		.arg = &p->work,
	};
	char written[GA_SIZE_SIZE], all[GA_SIZE_SIZE];
	struct ga_image_cloned done;

	/* From here on every disk of the allocation is the tenant's. */
	for (size_t i = 0; i < p->plan->bundles.n; i++) {
		ga_autofree char *what = i ? ga_xstrdup("nothing (handed over empty)") :
					     ga_xprintf("image %s (%s)", image->name, image->path);

		if (ga_change_disk(&p->changes, p->plan->bundles.v[i].nvme_wwid, what, err) < 0)
			return -1;
	}
	if (!p->opts->dry_run) {
		if (ga_image_clone(&clone, &done, err) < 0)
			return -1;
		p->work.bytes = p->work.total_bytes = done.bytes;
		ga_work_note(&p->work, "%s of %s written, the rest zeros%s",
			     ga_size_format(done.written, written),
			     ga_size_format(done.bytes, all),
			     p->chunks ? "; every chunk checked" : "");
	}
	ga_provision_close_disks(p);
	return 0;
}

/* ---- seed: the input of cloud-init, and the host key of the guest ---- */

/* QEMU reads the seed as its own user and must be able to enter our folders. x for others allows
 * that, and lets nobody list the folders; every file in them is 0600. */
static int let_qemu_through(struct ga_provision *p, struct ga_err *err)
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

/* Keeps the tenant's text here until release, for resume and rebuild. Its source file stays in the
 * operator's folder. */
static int keep_user_data(struct ga_provision *p, struct ga_err *err)
{
	const char *digest = p->plan->user_data_digest;
	ga_autofree char *dir = ga_xprintf("%s/user-data", p->opts->host_dir);
	ga_autofree char *path = NULL;

	if (!digest)
		return 0;
	path = ga_xprintf("%s/%s", dir, digest + strlen("sha256:"));
	if (!access(path, F_OK))
		return ga_change_file_by_other(&p->changes, path, NULL, err);
	if (!p->opts->dry_run && ga_file_mkdirs(dir, 0700, err) < 0)
		return -1;
	return ga_change_file(&p->changes, path, p->user_data.buf, p->user_data.len, 0600, err);
}

int ga_phase_seed(struct ga_provision *p, struct ga_err *err)
{
	ga_autofree char *key = ga_xprintf("%s/host_key", p->vm_dir);
	ga_autofree char *pub = ga_xprintf("%s/host_key.pub", p->vm_dir);
	const struct ga_seed seed = {
		.plan = p->plan,
		.key = &p->key,
		.user_data = p->plan->user_data_digest ? &p->user_data : NULL,
	};
	ga_autostr struct ga_str iso = GA_STR_INIT;
	ga_autofree char *known = NULL;
	int r;

	if (!p->opts->dry_run && let_qemu_through(p, err) < 0)
		return -1;
	if (ga_change_folder(&p->changes, p->vm_dir, 0711, err) < 0 ||
	    ga_change_file_by_other(&p->changes, key, "ssh-keygen", err) < 0 ||
	    ga_change_file_by_other(&p->changes, pub, "ssh-keygen", err) < 0 ||
	    ga_change_file_by_other(&p->changes, p->console_log, "libvirt", err) < 0 ||
	    keep_user_data(p, err) < 0)
		return -1;
	if (p->opts->dry_run) {
		ga_changes_say(&p->changes, "write file %s (NoCloud seed, mode 0600)",
			       p->seed_path);
		return 0;
	}
	if (ga_host_key_get(p->vm_dir, &p->key, err) < 0)
		return -1;
	r = ga_seed_iso(&seed, &iso, err);
	if (!r)
		r = ga_change_file(&p->changes, p->seed_path, iso.buf, iso.len, 0600, err);
	if (iso.len)
		explicit_bzero(iso.buf, iso.len);
	if (r < 0 || !p->plan->private_ip)
		return r < 0 ? -1 : 0;
	known = ga_xprintf("%s %s\n", p->plan->private_ip, p->key.public.buf);
	return ga_change_file(&p->changes, p->known_hosts, known, strlen(known), 0600, err);
}

/* ---- network: DHCP reservation, and port and flows in the journal ---- */

/* network comes from ga_net_network(); the caller frees it after the port. */
static struct ga_ovs_port port_of(const struct ga_plan *plan, const char *network)
{
	return (struct ga_ovs_port){
		.bridge = plan->network.bridge,
		.port = plan->port,
		.mac = plan->mac,
		.ip = plan->private_ip,
		.allocation = plan->allocation,
		.gateway = plan->network.gateway,
		.network = network,
	};
}

int ga_phase_network(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	const struct ga_network *n = &plan->network;
	ga_autofree char *network = ga_net_network(n->gateway, n->prefix_bits);
	const struct ga_ovs_port port = port_of(plan, network);

	if (ga_provision_has_dhcp(plan)) {
		ga_autofree char *path = ga_dhcp_hosts_path(n->dhcp_hosts_dir, plan->allocation);
		ga_autostr struct ga_str line = GA_STR_INIT;

		ga_dhcp_hosts_line(plan->mac, plan->private_ip, plan->domain, &line);
		if (ga_change_file(&p->changes, path, line.buf, line.len, 0644, err) < 0)
			return ga_hint(err, "the node's settings name the folder dnsmasq reads "
					    "(--dhcp-hostsdir)");
		if (n->bridge &&
		    ga_change_lease(&p->changes, plan->mac, plan->private_ip, n->bridge, err) < 0)
			return -1;
	}
	if (ga_provision_has_ovs(plan))
		return ga_change_network(&p->changes, &port, err);
	ga_work_note(&p->work, "no flows: %s",
		     ga_streq(plan->domain_type, "test") ?
			     "libvirt's test driver makes no port" :
			     "the plan names no bridge or port");
	return 0;
}

/* ---- devices: GPUs and fabric functions on vfio-pci, reset ---- */

static int bind_and_reset(struct ga_provision *p, const char *address, bool is_gpu,
			  struct ga_err *err)
{
	struct ga_vfio_reset how;
	int r;

	/* Check again: time has passed since recheck, and unbinding waits for a process that has
	 * the device. */
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
	/* A function that cannot be reset by itself was reset with its slot's wipe, and has no
	 * tenant's data. */
	if (!r && !is_gpu)
		return ga_vfio_wait_config(address, 60 * GA_SECOND, err);
	if (r && is_gpu)
		ga_work_note(&p->work, "%s by %s reset", address,
			     how.method[0] ? how.method : "the kernel's");
	return r ? 0 : ga_vfio_no_reset(address, &how, err);
}

/* Whether the domain runs already, or crashed and may still have its devices: then they must not be
 * touched. */
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

int ga_phase_devices(struct ga_provision *p, struct ga_err *err)
{
	int r = is_running(p, err);

	for (size_t i = 0; !r && i < p->plan->bundles.n; i++) {
		const struct ga_bundle *b = &p->plan->bundles.v[i];
		int set = 1;

		if (bind_and_reset(p, b->gpu_pci_address, true, err) < 0)
			return -1;
		if (!b->fabric_vf_pci_address)
			continue;
		/* In a lab functions stay as they are: a recorded host has interfaces by name
		 * only. */
		if (!p->plan->lab && b->fabric_pf_pci_address)
			set = ga_change_vf(&p->changes, b->fabric_vf_pci_address,
					   b->fabric_pf_pci_address, p->plan->node, b->slot_index,
					   err);
		if (!set)
			ga_work_note(&p->work, "'%s' has no interface here: '%s' keeps its address",
				     b->fabric_pf_pci_address, b->fabric_vf_pci_address);
		if (set < 0 || bind_and_reset(p, b->fabric_vf_pci_address, false, err) < 0)
			return -1;
	}
	return r < 0 ? -1 : 0;
}

/* ---- fabric: activates the partition of the GPUs ---- */

int ga_phase_fabric(struct ga_provision *p, struct ga_err *err)
{
	if (p->plan->fabric_partition == GA_UNKNOWN) {
		ga_work_note(&p->work, "no partition");
		return 0;
	}
	ga_work_note(&p->work, "partition %" PRId64, p->plan->fabric_partition);
	return ga_change_partition(&p->changes, p->plan->fabric_partition, err);
}

/* ---- define: the domain ---- */

/* The domain's path of a disk: by its identity, where udev made such a link. Allocated. */
static char *disk_path(const struct ga_disk *d)
{
	char *path = d->dev.wwid ? ga_xprintf("/dev/disk/by-id/nvme-%s", d->dev.wwid) : NULL;
	ga_autofree char *real = path ? realpath(path, NULL) : NULL;

	if (real && ga_streq(real, d->dev.path))
		return path;
	free(path);
	return ga_xstrdup(d->dev.path);
}

int ga_phase_define(struct ga_provision *p, struct ga_err *err)
{
	ga_autostr struct ga_str xml = GA_STR_INIT;
	ga_autotexts struct ga_texts disks = { 0 };
	struct ga_domain_env env = {
		.seed = p->seed_path,
		.console_log = p->console_log,
		.disks_are_files = p->plan->lab,
	};
	int r = is_running(p, err);

	if (r)
		return r < 0 ? -1 : 0;
	if (ga_provision_take_disks(p, err) < 0)
		return -1;
	for (size_t i = 0; i < p->plan->bundles.n; i++)
		*ga_list_add(&disks) = disk_path(&p->disks[i]);
	env.disks = (const char *const *)disks.v;
	if (ga_domain_xml(p->plan, &env, &xml, err) < 0)
		return -1;
	ga_provision_close_disks(p); /* while the guard has them open, QEMU cannot open them */
	return ga_change_domain(&p->changes, p->plan->domain, xml.buf, err);
}

/* ---- start ---- */

int ga_phase_start(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	ga_autofree char *network =
		ga_net_network(plan->network.gateway, plan->network.prefix_bits);
	const struct ga_ovs_port port = port_of(plan, network);
	bool flows = ga_provision_has_ovs(plan);
	struct ga_virt *virt;

	ga_changes_say(&p->changes, "start domain %s", plan->domain);
	if (p->opts->dry_run)
		return 0;
	if (ga_changes_virt(&p->changes, &virt, err) < 0)
		return -1;
	/* Paused until its flows are in effect: no packet of the guest leaves unchecked. */
	if (ga_virt_start(virt, plan->domain, flows, err) < 0)
		return -1;
	if (flows &&
	    (ga_ovs_protect(&port, err) < 0 || ga_virt_resume(virt, plan->domain, err) < 0))
		return -1;
	return 0;
}

/* ---- deploy: baremetal, by the operator's executables ---- */

/* The input of the executables: the plan with the text of its user-data. The caller wipes and frees
 * it. */
static int format_deploy(struct ga_provision *p, char **ret, struct ga_err *err)
{
	ga_autofree char *plan = ga_rec_format_text(&ga_plan_schema, p->plan);
	ga_autojson json_t *json = NULL;
	json_error_t why;

	if (!p->plan->user_data_digest) {
		*ret = GA_TAKE(plan);
		return 0;
	}
	json = json_loads(plan, 0, &why);
	if (json_object_set_new(json, "user_data",
				json_stringn(p->user_data.buf, p->user_data.len)) < 0)
		return ga_fail_for(err, GA_BADREC, "user_data_text",
				   "the user-data of '%s' is not text in UTF-8",
				   p->plan->allocation);
	*ret = json_dumps(json, JSON_COMPACT);
	return 0;
}

/* Takes the address of the answer: a text that ssh(1) would take for one. */
static int take_address(struct ga_provision *p, const json_t *answered, struct ga_err *err)
{
	const char *address = json_string_value(answered);

	if (answered && !json_is_null(answered) && (!ga_is_plain(address) || !*address)) {
		ga_autofree char *shown = json_dumps(answered, JSON_COMPACT | JSON_ENCODE_ANY);

		return ga_fail_for(err, GA_EXTERNAL, "hook_answer",
				   "the executables in '%s/deploy' answer the address %.80s, which "
				   "is none for ssh(1)", p->opts->baremetal_dir, shown);
	}
	if (!address && !p->plan->private_ip)
		p->opts->to.say("warning: the executables in baremetal.d/deploy answer no address: "
				"the allocation gets none");
	free(p->address);
	p->address = ga_strdup0(address ? address : p->plan->private_ip);
	return 0;
}

static int phase_deploy(struct ga_provision *p, struct ga_err *err)
{
	ga_autojson json_t *answer = NULL;
	ga_autofree char *order = NULL;
	int r;

	ga_changes_say(&p->changes, "run every executable in %s/deploy", p->opts->baremetal_dir);
	/* The disks of another machine are no change of this one; the state taints them
	 * nevertheless. */
	for (size_t i = 0; ga_provision_is_here(p) && i < p->plan->bundles.n; i++)
		if (p->plan->bundles.v[i].nvme_wwid &&
		    ga_change_disk(&p->changes, p->plan->bundles.v[i].nvme_wwid,
				   "a tenant's system", err) < 0)
			return -1;
	if (p->opts->dry_run)
		return 0;
	if (format_deploy(p, &order, err) < 0)
		return -1;
	r = ga_metal_run(p->opts->baremetal_dir, "deploy", order, &answer, err);
	explicit_bzero(order, strlen(order));
	if (r < 0 || take_address(p, json_object_get(answer, "address"), err) < 0)
		return ga_hint(err, "mend the executable, end this allocation and place again: "
			       GA_METAL_AGAIN, p->plan->allocation);
	return 0;
}

/* ---- active: the allocation, from the result ---- */

int ga_phase_active(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	struct ga_allocation *a = &p->out;

	if (p->known && !p->key.fingerprint && plan->image && !p->opts->dry_run &&
	    ga_host_key_get(p->vm_dir, &p->key, err) < 0)
		return -1;
	a->allocation = ga_xstrdup(plan->allocation);
	a->name = ga_strdup0(plan->name);
	a->node = ga_xstrdup(plan->node);
	a->generation = plan->generation;
	a->attempt = ga_xstrdup(plan->attempt);
	a->dry_run = p->opts->dry_run;
	a->state = ga_xstrdup(p->opts->dry_run ? "placed" : "active");
	a->since = ga_time_now();
	a->project = ga_xstrdup(plan->project);
	a->profile = ga_xstrdup(plan->profile);
	a->shape = ga_xstrdup(plan->shape);
	a->profile_version = plan->profile_version;
	a->count = plan->count;
	a->priority = 100;
	for (size_t i = 0; i < plan->bundles.n; i++)
		ga_texts_add(&a->slots, plan->bundles.v[i].slot);
	a->power_wanted = ga_xstrdup("on");
	a->power_observed = p->opts->dry_run ? NULL : ga_xstrdup("on");
	a->created_at = ga_xstrdup(plan->created_at);
	a->lab = plan->lab;
	if (p->address) {
		a->access = ga_xcalloc(1, sizeof(*a->access));
		a->access->user = ga_strdup0(plan->image ? plan->image->user : NULL);
		a->access->address = ga_xstrdup(p->address);
		a->access->host_key_fingerprint = ga_strdup0(p->key.fingerprint);
	}
	if (p->lease.lease_state) {
		a->network = ga_xcalloc(1, sizeof(*a->network));
		ga_schema_copy(&ga_lease_schema, &p->lease, a->network);
	}
	return 0;
}

/* ---- the order of the phases ---- */

static const struct ga_phase_def slice_phases[] = {
	{ "hold", phase_hold, false },
	{ "recheck", phase_recheck, false },
	{ "prerequisites", ga_phase_prerequisites, false },
	{ "clone", ga_phase_clone, true },
	{ "seed", ga_phase_seed, true },
	{ "network", ga_phase_network, true },
	{ "devices", ga_phase_devices, true },
	{ "fabric", ga_phase_fabric, true },
	{ "define", ga_phase_define, true },
	{ "start", ga_phase_start, true },
	{ "lease_seen", ga_phase_lease, true },
	{ "ssh_ready", ga_phase_ready, true },
	{ "active", ga_phase_active, true },
	{ NULL, NULL, false },
};

static const struct ga_phase_def metal_phases[] = {
	{ "hold", phase_hold, false },
	{ "recheck", phase_recheck, false },
	{ "deploy", phase_deploy, true },
	{ "active", ga_phase_active, true },
	{ NULL, NULL, false },
};

/* The phase to continue with: the one after the last phase that an earlier run finished. */
static size_t resume_at(const struct ga_phase_def *phases, const char *finished)
{
	for (size_t i = 0; finished && phases[i].name; i++)
		if (ga_streq(phases[i].name, finished))
			return phases[i].writes ? i + 1 : 0;
	return 0;
}

/* Emits the result of an order that ended before again; nothing is done twice. */
static int tell_again(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_schema *schema =
		ga_streq(p->attempt.state, "done") ? &ga_allocation_schema : &ga_failure_schema;
	union {
		struct ga_allocation a;
		struct ga_failure f;
	} u;
	struct ga_err why = GA_ERR_INIT;
	int r;

	if (!p->attempt.result) {
		/* A reconcile removed what an interrupted run had left, because its allocation had
		 * ended. */
		(void)ga_refuse(&why, GA_CONFLICT, "undone", NULL,
				("plan of '%s' was begun, and undone when its allocation had ended",
				 p->plan->allocation),
				("place again"));
		return ga_provision_fail(p, &why, err);
	}
	if (ga_rec_parse_text(p->attempt.result, schema, &u, err) < 0)
		return -1;
	if (schema == &ga_failure_schema) {
		ga_autofree char *note = ga_xprintf("note: plan of '%s' is not run again, because "
						    "it has failed", p->plan->allocation);

		p->opts->to.say(note);
	}
	r = ga_work_emit(&p->work, schema, &u, err);
	ga_schema_release(schema, &u);
	return r;
}

static int run_phases(struct ga_provision *p, struct ga_err *err)
{
	const struct ga_phase_def *phases =
		ga_streq(p->plan->shape, "baremetal") ? metal_phases : slice_phases;
	struct ga_err why = GA_ERR_INIT;

	for (size_t i = 0; phases[i].name; i++) {
		if (phases[i].writes && i < p->resume)
			continue;
		if (ga_provision_run_phase(p, &phases[i], &why) < 0) {
			if (!ga_work_may_go_on(&why))
				return ga_provision_fail(p, &why, err);
			*err = why;
			ga_err_about(err, NULL, p->plan->allocation);
			if (!ga_streq(why.reason, "interrupted"))
				return -1;
			return ga_hint(err, p->began ? "gpuaas-provision --resume %s continues it" :
						       "nothing was changed; 'gpuaas-list plan "
						       "--where allocation=%s' prints it again",
				       p->plan->allocation);
		}
		/* An earlier run took this order up; known since the lock. */
		if (p->known && !ga_streq(p->attempt.state, "working"))
			return tell_again(p, err);
		p->began = p->began || p->known;
		p->resume = resume_at(phases, p->attempt.phase);
	}
	return ga_provision_finish(p, err);
}

int ga_provision(const struct ga_plan *plan, const struct ga_provision_opts *opts,
		 struct ga_err *err)
{
	ga_cleanup(ga_provision_clear) struct ga_provision p = {
		.opts = opts,
		.plan = plan,
		.key = GA_HOST_KEY_INIT,
		.user_data = GA_STR_INIT,
	};

	if (ga_provision_prepare(&p, err) < 0 || run_phases(&p, err) < 0)
		return -1;
	return ga_work_stdout_error(&p.work, err);
}

/* ---- resume ---- */

/* Finds the order of an attempt by the attempt's id, or by a person's name for its allocation.
 * Closes host.db again: ga_provision opens it itself. */
static int find_order(const char *id, const char *host_dir, char **order, struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_autoattempt struct ga_attempt a = { 0 };
	ga_autofree char *allocation = NULL;
	struct ga_err why = GA_ERR_INIT;
	int r;

	if (ga_hostdb_open_or_make(host_dir, &h, err) < 0)
		return -1;
	r = ga_attempt_get(&h, id, &a, err);
	if (!r && ga_hostdb_resolve(&h, id, &allocation, &why) == 0) {
		r = ga_attempt_find(&h, "provision", allocation, &a, err);
	} else if (!r && why.code != GA_NOTFOUND) {
		*err = why;
		return -1;
	}
	if (r < 0)
		return -1;
	if (!r || !ga_streq(a.program, "provision"))
		return ga_refuse(err, GA_NOTFOUND, NULL, NULL,
				 ("this host has begun no plan of '%s'", id),
				 ("gpuaas-list plan | gpuaas-provision begins it"));
	*order = GA_TAKE(a.order);
	return 0;
}

int ga_provision_resume(const char *id, const struct ga_provision_opts *opts, struct ga_err *err)
{
	ga_autofree char *order = NULL;
	struct ga_plan plan;
	int r;

	if (find_order(id, opts->host_dir, &order, err) < 0 ||
	    ga_rec_parse_text(order, &ga_plan_schema, &plan, err) < 0)
		return -1;
	r = ga_provision(&plan, opts, err);
	ga_schema_release(&ga_plan_schema, &plan);
	return r;
}
