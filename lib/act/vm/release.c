/* SPDX-License-Identifier: Apache-2.0 */
/* Release on the host: its phases in the order in which they run, then the work from an order's
 * first phase to its result and the wipe orders that follow. */
#include "act/vm/release.h"

#include <inttypes.h>
#include <stdarg.h>

#include "act/device/fabric.h"
#include "act/device/gpuwipe.h"
#include "act/vm/internal.h"
#include "act/vm/metal.h"
#include "base/texts.h"
#include "look/host/host.h"
#include "look/pci.h"
#include "record/bundle.h"
#include "record/fault.h"
#include "record/plan.h"
#include "record/release.h"
#include "record/time.h"
#include "record/wipe.h"
#include "state/host/hostdb.h"

struct release {
	const struct ga_release_opts *opts;
	const struct ga_release_order *order;
	struct ga_hostdb h;
	struct ga_changes changes;
	struct ga_work work;
	struct ga_attempt attempt;
	bool known; /* an earlier run took the order up */
	bool began; /* it is in host.db */
	struct ga_released out;
};

static void GA_PRINTF(4, 5) add_step(struct release *t, const char *step, const char *outcome,
				     const char *fmt, ...)
{
	struct ga_step *s = ga_list_add(&t->out.steps);
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->step = ga_xstrdup(step);
	s->outcome = ga_xstrdup(outcome);
	s->detail = *text ? ga_xstrdup(text) : NULL;
}

/* ---- hold: the locks of the allocation and of its slots ---- */

/* An order that is over would take the machine, or the GPUs, from whoever has them now. */
static int check_in_force(struct release *t, struct ga_err *err)
{
	const struct ga_release_order *o = t->order;
	int r = t->opts->to.in_force ? t->opts->to.in_force(o, err) : 0;

	if (r || !ga_streq(o->shape, "baremetal"))
		return r < 0 ? -1 : 0;
	return ga_metal_check_tenant(t->opts->baremetal_dir, o->node, o->allocation, err);
}

static int phase_hold(struct release *t, struct ga_err *err)
{
	const struct ga_release_order *o = t->order;
	const struct ga_issuer by = { o->allocation, o->attempt, o->controller, o->epoch };
	bool here = ga_streq(o->node, t->opts->node);
	struct ga_release_order bare = *o;
	const struct ga_bundle *twice;
	ga_autofree char *text = NULL, *boot_id = ga_host_boot_id();
	bool done;
	int r;

	if (o->dry_run && !t->opts->dry_run)
		return ga_fail_for(err, GA_CONFLICT, "dry_run",
				   "release order of '%s' is of a dry run", o->allocation);
	if (!here && !ga_streq(o->shape, "baremetal"))
		return ga_refuse(err, GA_CONFLICT, "wrong_node", o->allocation,
				 ("release order of '%s' is for node '%s', and this is '%s'",
				  o->allocation, o->node, t->opts->node),
				 ("hand it to its node, as in 'gpuaas-release ID | ssh HOST "
				  "gpuaas-release - | gpuaas-state fold -'"));
	twice = ga_bundle_twice(o->bundles.v, o->bundles.n, o->allocation);
	if (twice)
		return ga_refuse(err, GA_CONFLICT, "duplicate_identity", o->allocation,
				 ("release order of '%s' has slot '%s', or a device of it, twice",
				  o->allocation, twice->slot),
				 ("run gpuaas-release %s again, which prints its order",
				  o->allocation));
	if (t->opts->dry_run)
		return 0;
	/* A baremetal node may be released from any other machine: it does not matter which
	 * controller that machine obeys. */
	if (here && ga_hostdb_accept_controller(&t->h, &by, false, err) < 0)
		return -1;
	if (ga_work_lock(&t->work, o->allocation, err) < 0)
		return -1;
	for (size_t i = 0; i < o->bundles.n; i++)
		if (ga_work_lock(&t->work, o->bundles.v[i].slot, err) < 0)
			return -1;
	/* An order that is done is only reported again. */
	r = ga_attempt_get(&t->h, o->attempt, &t->attempt, err);
	if (r < 0)
		return -1;
	t->known = r;
	done = t->known && ga_streq(t->attempt.state, "done");
	if (!done && check_in_force(t, err) < 0)
		return -1;
	/* The order is kept without its issuer: after a restore the older state gives the same
	 * order. */
	bare.controller = NULL;
	bare.epoch = GA_UNKNOWN;
	text = ga_rec_format_text(&ga_release_order_schema, &bare);
	if (ga_attempt_begin(&t->h, o->attempt, o->allocation, "release", text, boot_id, err) < 0)
		return -1;
	t->began = true;
	return 0;
}

/* ---- vm_stopped: ask the guest to shut down, then power it off ---- */

static int phase_stop(struct release *t, struct ga_err *err)
{
	const char *domain = t->order->domain, *how;
	enum ga_virt_state state;

	if (ga_domain_state(&t->changes, domain, &state, err) < 0)
		return -1;
	if (!ga_vm_is_on(state)) {
		bool absent = state == GA_VIRT_ABSENT;

		add_step(t, "vm_stopped", absent ? "not_needed" : "confirmed",
			 absent ? "there is no such domain" : "it was off already");
		return 0;
	}
	ga_changes_say(&t->changes, "shut down domain %s, power it off after %" PRId64 " s",
		       domain, t->order->graceful_seconds);
	if (t->opts->dry_run)
		return 0;
	if (ga_domain_stop(&t->changes, domain, t->order->graceful_seconds, true, &how, err) < 0)
		return -1;
	add_step(t, "vm_stopped", "confirmed",
		 ga_streq(how, "powered_off") ? "powered off" : "by the guest");
	return 0;
}

/* ---- fabric ---- */

static int phase_fabric(struct release *t, struct ga_err *err)
{
	int64_t partition = t->order->fabric_partition;

	if (partition == GA_UNKNOWN) {
		add_step(t, "fabric_partition", "not_needed", "%s", "");
		return 0;
	}
	ga_changes_say(&t->changes, "deactivate fabric partition %" PRId64 ", read back",
		       partition);
	if (t->opts->dry_run)
		return 0;
	if (ga_fabric_deactivate(&t->changes.fabric, partition, err) < 0)
		return -1;
	add_step(t, "fabric_partition", "confirmed", "partition %" PRId64 " is inactive",
		 partition);
	return 0;
}

/* ---- undo: every change in the journal, newest first ---- */

static int phase_undo(struct release *t, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };
	enum ga_virt_state state;
	struct ga_virt *virt;
	size_t n = 0;

	/* A dry run makes no host.db. */
	if (t->h.db &&
	    ga_journal_open_entries(&t->h, t->order->allocation, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++) {
		/* The inverse of a disk is its wipe; the entry is closed when the wipe is
		 * ordered. */
		if (ga_streq(j.v[i].op, "disk"))
			continue;
		if (ga_change_undo(&t->changes, &j.v[i], err) < 0)
			return ga_hint(err, "repair it and run gpuaas-release %s again",
				       t->order->allocation);
		n++;
	}
	/* A lost host.db does not know the domain; the order does. */
	if (ga_changes_virt(&t->changes, &virt, err) < 0 ||
	    ga_domain_state(&t->changes, t->order->domain, &state, err) < 0 ||
	    (state != GA_VIRT_ABSENT && !t->opts->dry_run &&
	     ga_virt_undefine(virt, t->order->domain, err) < 0))
		return -1;
	add_step(t, "changes_undone", n ? "confirmed" : "not_needed", "%zu entr%s of the journal",
		 n, n == 1 ? "y" : "ies");
	return 0;
}

/* ---- devices ---- */

static void check_binding(struct release *t, const char *address)
{
	ga_autofree char *driver = ga_pci_driver(address);
	bool safe = !driver || ga_streq(driver, "vfio-pci");

	add_step(t, "binding", safe ? "confirmed" : "failed", "%s is on %s", address,
		 driver ? driver : "no driver");
}

static int phase_devices(struct release *t, struct ga_err *err)
{
	(void)err;
	for (size_t i = 0; i < t->order->bundles.n; i++) {
		const struct ga_bundle *b = &t->order->bundles.v[i];

		if (!b->gpu_pci_address)
			continue;
		if (t->opts->dry_run) {
			ga_change_reset_say(&t->changes, b->gpu_pci_address);
			continue;
		}
		ga_gpu_reset(b->gpu_pci_address, b->gpu_identity, b->gpu_device, "gpu_reset",
			     ga_list_add(&t->out.steps), NULL);
		check_binding(t, b->gpu_pci_address);
		if (b->fabric_vf_pci_address)
			check_binding(t, b->fabric_vf_pci_address);
	}
	return 0;
}

/* ---- take_back: baremetal, by the operator's executables ---- */

/*
 * The tenant was root on the machine. So nothing that the machine reports counts before it runs a
 * system of ours again, booted since. The executables answer with the machine's boot_id, image and
 * fingerprint, and the WWIDs of its disks.
 */

/* Finds the machine's boot and hardware from before the hand-over: in the order; what an older
 * state did not put there, in the plan that this machine carried out. NULL: neither has it. */
static int find_before(struct release *t, char **boot_id, char **fingerprint, struct ga_err *err)
{
	ga_autoattempt struct ga_attempt a = { 0 };
	struct ga_plan plan = { 0 };
	int r;

	*boot_id = ga_strdup0(t->order->boot_id);
	*fingerprint = ga_strdup0(t->order->fingerprint);
	if (*boot_id && *fingerprint)
		return 0;
	r = ga_attempt_find(&t->h, "provision", t->order->allocation, &a, err);
	if (r <= 0)
		return r;
	if (ga_rec_parse_text(a.order, &ga_plan_schema, &plan, err) < 0)
		return -1;
	if (!*boot_id)
		*boot_id = GA_TAKE(plan.boot_id);
	if (!*fingerprint)
		*fingerprint = GA_TAKE(plan.fingerprint);
	ga_schema_release(&ga_plan_schema, &plan);
	return 0;
}

static int fail_trust(const struct release *t, const char *why, struct ga_err *err)
{
	return ga_refuse(err, GA_CONFLICT, GA_FAULT_UNTRUSTED_HOST, NULL,
			 ("nothing proves that '%s' runs a trusted image again: %s", t->order->node,
			  why),
			 ("the executables in '%s/release' must report boot_id, image and "
			  "fingerprint of the machine after it was booted from the trusted image",
			  t->opts->baremetal_dir));
}

static int check_trust(struct release *t, json_t *answer, struct ga_err *err)
{
	const char *boot = json_string_value(json_object_get(answer, "boot_id"));
	const char *image = json_string_value(json_object_get(answer, "image"));
	const char *fingerprint = json_string_value(json_object_get(answer, "fingerprint"));
	ga_autofree char *old_boot = NULL, *approved = NULL;

	if (find_before(t, &old_boot, &approved, err) < 0)
		return -1;
	if (!old_boot)
		return fail_trust(t, "neither the order nor this host has its old boot id", err);
	if (!approved)
		return fail_trust(t, "neither the order nor this host has the fingerprint of its "
				     "hardware", err);
	if (!boot || !*boot)
		return fail_trust(t, "its boot id was not reported", err);
	if (!image || !*image)
		return fail_trust(t, "the id of its image was not reported", err);
	if (ga_streq(boot, old_boot))
		return fail_trust(t, "it was not booted since it was handed over", err);
	if (!fingerprint || !*fingerprint)
		return fail_trust(t, "the fingerprint of its hardware was not reported", err);
	if (!ga_streq(fingerprint, approved))
		return fail_trust(t, "its hardware is not what was approved", err);
	add_step(t, "trusted_host", "confirmed", "image %s, boot %s", image, boot);
	return 0;
}

static int phase_take_back(struct release *t, struct ga_err *err)
{
	const struct ga_release_order *o = t->order;
	ga_autofree char *text = ga_rec_format_text(&ga_release_order_schema, o);
	ga_autojson json_t *answer = NULL;
	json_t *disks, *disk;
	size_t i;

	ga_changes_say(&t->changes, "run every executable in %s/release", t->opts->baremetal_dir);
	if (t->opts->dry_run)
		return 0;
	if (ga_metal_run(t->opts->baremetal_dir, "release", text, &answer, err) < 0)
		return ga_hint(err, "mend the executable and release again: " GA_METAL_AGAIN,
			       o->allocation);
	if (check_trust(t, answer, err) < 0)
		return -1;
	/* The tenant had every disk of the machine, also those in no slot: the record names
	 * each. */
	disks = json_object_get(answer, "disks");
	json_array_foreach (disks, i, disk) {
		const char *wwid = json_string_value(disk);
		const struct ga_bundle *of = NULL;

		for (size_t k = 0; wwid && !of && k < o->bundles.n; k++)
			if (ga_streq(o->bundles.v[k].nvme_wwid, wwid))
				of = &o->bundles.v[k];
		if (of)
			add_step(t, "disk", "confirmed", "%s: of slot %" PRId64 ", to be wiped",
				 wwid, of->slot_index);
		else if (wwid)
			add_step(t, "disk", "not_proven", "%s: " GA_DISK_IN_NO_SLOT, wwid);
	}
	return 0;
}

/* ---- orders: the wipes that follow ---- */

static struct ga_wipe_order wipe_order(const struct release *t, const struct ga_bundle *b)
{
	const struct ga_release_order *o = t->order;
	struct ga_wipe_order ret = ga_bundle_wipe_order(b);

	/* A borrowed view of the release order. */
	ret.node = o->node;
	ret.allocation = o->allocation;
	ret.attempt = b->wipe_attempt;
	ret.dry_run = t->opts->dry_run;
	ret.issued_at = o->issued_at;
	ret.cause = (char *)(uintptr_t) "release";
	ret.wipe = o->wipe;
	ret.lab = o->lab;
	ret.epoch = o->epoch;
	ret.controller = o->controller;
	return ret;
}

/* Keeps the orders before anything is written out, so that gpuaas-wipe --pending finds them even
 * when the pipe breaks. Orders for another node are not kept: this machine cannot wipe its
 * disks. */
static int phase_orders(struct release *t, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };
	bool here = ga_streq(t->order->node, t->opts->node);

	for (size_t i = 0; i < t->order->bundles.n; i++) {
		const struct ga_bundle *b = &t->order->bundles.v[i];
		struct ga_wipe_order w = wipe_order(t, b);

		ga_texts_add(&t->out.slots, b->slot);
		if (!b->wipe_attempt || !b->nvme_wwid)
			return ga_fail_for(err, GA_BADREC, "no_wipe_policy",
					   "release order of '%s' orders no wipe of slot '%s'",
					   t->order->allocation, b->slot);
		if (!t->opts->dry_run && here && ga_hostdb_keep_order(&t->h, &w, err) < 0)
			return -1;
	}
	if (t->opts->dry_run)
		return 0;
	if (ga_journal_open_entries(&t->h, t->order->allocation, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++)
		if (ga_change_undo(&t->changes, &j.v[i], err) < 0)
			return -1;
	return 0;
}

/* ---- the order of the phases ---- */

struct phase_def {
	const char *name;
	int (*run)(struct release *t, struct ga_err *err);
};

static const struct phase_def slice_phases[] = {
	{ "hold", phase_hold },	    { "vm_stopped", phase_stop }, { "fabric", phase_fabric },
	{ "undo", phase_undo },	    { "devices", phase_devices }, { "orders", phase_orders },
	{ NULL, NULL },
};

static const struct phase_def metal_phases[] = {
	{ "hold", phase_hold }, { "take_back", phase_take_back }, { "orders", phase_orders },
	{ NULL, NULL },
};

static int emit_orders(struct release *t, struct ga_err *err)
{
	ga_work_unlock(&t->work); /* the reader of an order locks its slot immediately */
	for (size_t i = 0; i < t->order->bundles.n; i++) {
		struct ga_wipe_order w = wipe_order(t, &t->order->bundles.v[i]);

		if (ga_work_emit(&t->work, &ga_wipe_order_schema, &w, err) < 0)
			return -1;
	}
	return 0;
}

/* The allocation is released and its disks must be wiped, whatever happened to the GPU: the records
 * report that and go on to gpuaas-wipe. The exit status reports that a device did not come back. */
static int check_steps(const struct release *t, const struct ga_released *r, struct ga_err *err)
{
	const struct ga_step *s = NULL;

	for (size_t i = 0; i < r->steps.n && !s; i++)
		if (ga_streq(r->steps.v[i].outcome, "failed"))
			s = &r->steps.v[i];
	if (!s || t->work.stdout_err.code != GA_OK)
		return 0;
	return ga_refuse(err, GA_EXTERNAL, s->step, t->order->allocation,
			 ("'%s' is released, but step %s failed: %s", t->order->allocation, s->step,
			  s->detail ? s->detail : "no detail"),
			 ("its disks are wiped all the same; a slot is not sold before its device "
			  "works: see 'dmesg', power the host off and on, then do what "
			  "'gpuaas-list attention' says"));
}

/* Emits the result of an order that was carried out before again. */
static int tell_again(struct release *t, struct ga_err *err)
{
	struct ga_released r;
	int e;

	if (ga_rec_parse_text(t->attempt.result, &ga_released_schema, &r, err) < 0)
		return -1;
	e = ga_work_emit(&t->work, &ga_released_schema, &r, err);
	if (e == 0)
		e = emit_orders(t, err);
	if (e == 0)
		e = check_steps(t, &r, err);
	ga_schema_release(&ga_released_schema, &r);
	return e;
}

static int end_badly(struct release *t, const struct ga_err *why, struct ga_err *err)
{
	if (!ga_work_may_go_on(why))
		return ga_work_fail(&t->work, why, NULL, NULL, err);
	*err = *why;
	ga_err_about(err, NULL, t->order->allocation);
	return ga_hint(err, "run gpuaas-release %s again: it continues", t->order->allocation);
}

static int run_phases(struct release *t, struct ga_err *err)
{
	const struct phase_def *def =
		ga_streq(t->order->shape, "baremetal") ? metal_phases : slice_phases;
	ga_autofree char *text = NULL;
	struct ga_err why = GA_ERR_INIT;

	for (; def->name; def++) {
		if (ga_work_phase(&t->work, def->name, &why) < 0 || def->run(t, &why) < 0 ||
		    (t->began &&
		     ga_attempt_phase(&t->h, t->order->attempt, def->name, &why) < 0) ||
		    ga_work_progress(&t->work, "finished", &why) < 0)
			return end_badly(t, &why, err);
		if (t->known && ga_streq(t->attempt.state, "done"))
			return tell_again(t, err);
	}
	t->out.allocation = ga_xstrdup(t->order->allocation);
	t->out.node = ga_xstrdup(t->order->node);
	t->out.generation = t->order->generation;
	t->out.attempt = ga_xstrdup(t->order->attempt);
	t->out.dry_run = t->opts->dry_run;
	t->out.at = ga_time_now();
	t->out.lab = t->order->lab;
	text = ga_rec_format_text(&ga_released_schema, &t->out);
	if (!t->opts->dry_run && ga_attempt_end(&t->h, t->order->attempt, "done", text, err) < 0)
		return -1;
	if (ga_work_emit(&t->work, &ga_released_schema, &t->out, err) < 0 ||
	    emit_orders(t, err) < 0)
		return -1;
	return check_steps(t, &t->out, err);
}

static void clear(struct release *t)
{
	ga_schema_release(&ga_released_schema, &t->out);
	ga_attempt_release(&t->attempt);
	ga_changes_close(&t->changes);
	ga_hostdb_close(&t->h);
	ga_work_clear(&t->work);
}

int ga_release_on_host(const struct ga_release_order *order, const struct ga_release_opts *opts,
		       struct ga_err *err)
{
	ga_cleanup(clear) struct release t = { .opts = opts, .order = order };

	if ((opts->dry_run ? ga_hostdb_open_read(opts->host_dir, &t.h, err) :
			     ga_hostdb_open_or_make(opts->host_dir, &t.h, err)) < 0)
		return -1;
	t.changes = (struct ga_changes){ .h = &t.h, .object = order->allocation,
					 .libvirt_uri = opts->libvirt_uri, .fabric = opts->fabric,
					 .dry_run = opts->dry_run, .say = opts->to.say };
	t.work = (struct ga_work){ .to = &opts->to, .program = opts->program,
				   .host_dir = opts->host_dir, .dry_run = opts->dry_run,
				   .node = order->node, .allocation = order->allocation,
				   .attempt = order->attempt, .generation = order->generation };
	return run_phases(&t, err) < 0 ? -1 : ga_work_stdout_error(&t.work, err);
}
