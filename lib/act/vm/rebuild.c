/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rebuild: wipes and writes the disks of an allocation again, under the same claim. Most phases are
 * those of provisioning; the phases here prepare for them. The domain is removed first, so that
 * nothing can start it on a half-written disk.
 */
#include <errno.h>
#include <unistd.h>

#include "act/vm/internal.h"
#include "act/wipe/wipe.h"
#include "record/id.h"
#include "record/plan.h"
#include "record/time.h"
#include "record/wipe.h"

struct rebuild {
	struct ga_vm vm;
	int64_t timeout_seconds;
	char *attempt; /* the attempt of this rebuild, which only this host knows */
};

static void rebuild_close(struct rebuild *b)
{
	ga_vm_close(&b->vm);
	free(b->attempt);
}

/* The phases get the provision, which is a member of the rebuild. */
static struct rebuild *rebuild_of(struct ga_provision *p)
{
	return (struct rebuild *)(void *)((char *)p - offsetof(struct rebuild, vm.p));
}

/* ---- checks before any change ---- */

static int phase_check(struct ga_provision *p, struct ga_err *err)
{
	enum ga_virt_state state;
	size_t i;

	for (i = 0; i < p->plan->bundles.n && !p->opts->dry_run; i++)
		if (ga_work_lock(&p->work, p->plan->bundles.v[i].slot, err) < 0)
			return -1;
	for (i = 0; i < p->plan->bundles.n; i++)
		if (!p->plan->bundles.v[i].nvme_wwid)
			return ga_fail_for(err, GA_CONFLICT, "missing_nvme",
					   "slot '%s' has no disk", p->plan->bundles.v[i].slot);
	if (ga_vm_state(&rebuild_of(p)->vm, &state, err) < 0)
		return -1;
	return ga_provision_recheck(p, true, err);
}

/* ---- removal of the domain ---- */

static int phase_stop(struct ga_provision *p, struct ga_err *err)
{
	struct rebuild *b = rebuild_of(p);
	ga_autofree char *order = ga_rec_format_text(&ga_plan_schema, p->plan);
	ga_autoattempt struct ga_attempt before = { 0 };
	const char *how;
	int r;

	/* From here on the rebuild is open work of this host. An attempt that did not end is taken
	 * up again. */
	r = ga_attempt_find(&p->h, "rebuild", p->plan->allocation, &before, err);
	if (r < 0)
		return -1;
	b->attempt = r && ga_streq(before.state, "working") ? GA_TAKE(before.attempt) : ga_id_new();
	if (ga_attempt_begin(&p->h, b->attempt, p->plan->allocation, "rebuild", order,
			     p->boot_id ? p->boot_id : "", err) < 0)
		return -1;
	p->noting = b->attempt;
	/* The disks will be erased anyway: a guest that does not react does not stop the
	 * rebuild. */
	if (ga_vm_power_off(&b->vm, b->timeout_seconds, true, &how, err) < 0)
		return -1;
	ga_work_note(&p->work, "%s", how);
	return 0;
}

/* The changes that are undone and made again. Seed, folder, DHCP reservation, lease and published
 * ports stay. */
static bool is_made_again(const char *op)
{
	static const char *const ops[] = { "domain", "ovs_flow", "ovs_port", "partition" };

	for (size_t i = 0; i < GA_ARRAY_SIZE(ops); i++)
		if (ga_streq(ops[i], op))
			return true;
	return false;
}

static int phase_undo(struct ga_provision *p, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };
	enum ga_virt_state state;

	if (ga_journal_open_entries(&p->h, p->plan->allocation, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++)
		if (is_made_again(j.v[i].op) && ga_change_undo(&p->changes, &j.v[i], err) < 0)
			return -1;
	if (ga_vm_state(&rebuild_of(p)->vm, &state, err) < 0)
		return -1;
	if (state != GA_VIRT_ABSENT)
		return ga_fail_for(err, GA_CONFLICT, "domain_exists",
				   "domain '%s' is still defined, and its disks are to be erased",
				   p->plan->domain);
	/* Remove the old guest's output: it would make the new guest look ready. */
	if (unlink(p->console_log) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "cannot remove '%s'", p->console_log);
	return 0;
}

/* ---- the wipe ---- */

static void release_evidence(struct ga_wipe_evidence *e)
{
	ga_schema_release(&ga_wipe_evidence_schema, e);
}

static void on_wipe(void *arg, const char *phase, const char *state, int64_t bytes, int64_t total,
		    const char *detail)
{
	struct ga_provision *p = arg;

	(void)state;
	(void)detail; /* the evidence has it */
	if (p->opts->to.moving && total)
		p->opts->to.moving(phase, bytes, total, p->work.started);
}

/* Wipes one disk; keeps and emits the evidence. */
static int wipe_disk(struct ga_provision *p, const struct ga_bundle *b, struct ga_err *err)
{
	ga_autofree char *attempt = ga_id_new(), *now = ga_time_now();
	/* A borrowed view, never written out or kept: once the clone has begun, this disk needs no
	 * wipe. */
	struct ga_wipe_order order = ga_bundle_wipe_order(b);
	const struct ga_wipe_opts o = {
		.order = &order,
		.node = p->opts->node,
		.tool = "gpuaas-vm " GA_VERSION,
		.scrub_hooks = rebuild_of(p)->vm.opts->scrub_hooks,
		.libvirt_uri = p->opts->libvirt_uri,
		.phase = on_wipe,
		.arg = p,
	};
	ga_cleanup(release_evidence) struct ga_wipe_evidence e;
	ga_autojournal struct ga_journal j = { 0 };
	struct ga_err unsent = GA_ERR_INIT;

	order.node = p->plan->node;
	order.allocation = p->plan->allocation;
	order.attempt = attempt;
	order.issued_at = now;
	order.cause = (char *)(uintptr_t) "rebuild";
	order.wipe = p->plan->wipe;
	order.lab = p->plan->lab;
	ga_wipe_run(&o, &e);
	if (ga_evidence_add(&p->h, &e, err) < 0)
		return ga_wrap(err, "the evidence of '%s' (%s) cannot be kept", b->slot, e.outcome);
	/* If the state does not take the evidence, the work must still not stop in the middle. */
	if (ga_work_emit(&p->work, &ga_wipe_evidence_schema, &e, &unsent) < 0)
		p->work.stdout_err = unsent;
	if (!ga_streq(e.outcome, "confirmed"))
		return ga_fail_for(err, e.status ? (enum ga_code)e.status : GA_EXTERNAL,
				   "wipe_failed", "the wipe of '%s' is %s: %s", e.device.wwid,
				   e.outcome, e.reason ? e.reason : "no reason was given");
	/* Closes the entry that the tenant wrote on the disk; the clone makes a new one. */
	if (ga_journal_open_entries(&p->h, p->plan->allocation, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++)
		if (ga_streq(j.v[i].op, "disk") && ga_streq(j.v[i].subject, e.device.wwid) &&
		    ga_journal_undone(&p->h, j.v[i].seq, err) < 0)
			return -1;
	return 0;
}

static int phase_wipe(struct ga_provision *p, struct ga_err *err)
{
	for (size_t i = 0; i < p->plan->bundles.n; i++)
		if (wipe_disk(p, &p->plan->bundles.v[i], err) < 0)
			return -1;
	ga_work_note(&p->work, "%s, read back %s", p->plan->wipe.minimum_class,
		     p->plan->wipe.verify);
	return 0;
}

/* ---- clone and start ---- */

static int phase_clone(struct ga_provision *p, struct ga_err *err)
{
	return ga_provision_take_disks(p, err) < 0 ? -1 : ga_phase_clone(p, err);
}

static int phase_seed(struct ga_provision *p, struct ga_err *err)
{
	if (access(p->seed_path, R_OK) < 0)
		return ga_phase_seed(p, err);
	ga_work_note(&p->work, "kept");
	return ga_host_key_get(p->vm_dir, &p->key, err);
}

static const struct ga_phase_def check_phases[] = {
	{ "rebuild_check", phase_check, false },
	{ NULL, NULL, false },
};

static const struct ga_phase_def rebuild_phases[] = {
	{ "rebuild_stop", phase_stop, true },
	{ "rebuild_undo", phase_undo, true },
	{ "rebuild_wipe", phase_wipe, true },
	{ "rebuild_clone", phase_clone, true },
	{ "rebuild_seed", phase_seed, true },
	{ "rebuild_network", ga_phase_network, true },
	{ "rebuild_devices", ga_phase_devices, true },
	{ "rebuild_fabric", ga_phase_fabric, true },
	{ "rebuild_define", ga_phase_define, true },
	{ "rebuild_start", ga_phase_start, true },
	{ "rebuild_lease_seen", ga_phase_lease, true },
	{ "rebuild_ready", ga_phase_ready, true },
	{ "rebuild_active", ga_phase_active, true },
	{ NULL, NULL, false },
};

/* The lines of a dry run. */
static void say_plan(struct ga_vm *vm)
{
	const struct ga_plan *plan = &vm->plan;
	size_t i;

	ga_changes_say(&vm->p.changes, "stop and undefine domain %s", plan->domain);
	for (i = 0; i < plan->bundles.n; i++)
		ga_changes_say(&vm->p.changes, "wipe disk %s of slot %s (%s, read back %s)",
			       plan->bundles.v[i].nvme_wwid, plan->bundles.v[i].slot,
			       plan->wipe.minimum_class, plan->wipe.verify);
	ga_changes_say(&vm->p.changes, "write image %s (%s) on disk %s", plan->image->name,
		       plan->image->path, plan->bundles.v[0].nvme_wwid);
	ga_changes_say(&vm->p.changes, "define and start domain %s with the seed %s", plan->domain,
		       vm->p.seed_path);
}

int ga_vm_rebuild(const char *id, int64_t timeout_seconds, const struct ga_vm_opts *opts,
		  struct ga_err *err)
{
	ga_cleanup(rebuild_close) struct rebuild b = { .timeout_seconds = timeout_seconds };
	struct ga_vm *vm = &b.vm;
	struct ga_err why = GA_ERR_INIT;
	int r;

	if (ga_vm_open(id, opts, vm, err) < 0 || ga_vm_hold(vm, true, err) < 0)
		return -1;
	r = ga_vm_run(vm, check_phases, &why);
	if (r == 0 && opts->dry_run) {
		say_plan(vm);
		return ga_vm_tell_power(vm, "on", "rebuilt", err);
	}
	if (r == 0)
		r = ga_vm_run(vm, rebuild_phases, &why);
	if (r == 0 && (ga_provision_finish(&vm->p, err) < 0 ||
		       ga_vm_tell_power(vm, "on", "rebuilt", err) < 0))
		return -1;
	if (r < 0 && ga_streq(why.reason, "interrupted"))
		ga_hint(&why, "gpuaas-vm rebuild %s starts it again", vm->plan.allocation);
	return ga_vm_settle(vm, r, &why, err);
}
