/* SPDX-License-Identifier: Apache-2.0 */
/* Power of a VM: on with its devices as provisioned, off by the guest or by force. */
#include <inttypes.h>

#include "act/vm/internal.h"
#include "base/clock.h"
#include "base/stop.h"
#include "record/plan.h"
#include "record/time.h"

#define GONE_SECONDS 60 /* for a forced stop, which releases devices */
#define POLL_MICROS 200000

bool ga_vm_is_on(enum ga_virt_state state)
{
	return state == GA_VIRT_ON || state == GA_VIRT_PAUSED;
}

int ga_domain_state(struct ga_changes *c, const char *domain, enum ga_virt_state *ret,
		    struct ga_err *err)
{
	ga_autovirtdomain struct ga_virt_domain d = { 0 };
	struct ga_virt *virt;
	int r;

	if (ga_changes_virt(c, &virt, err) < 0 || ga_virt_state(virt, domain, ret, err) < 0)
		return -1;
	if (*ret == GA_VIRT_ABSENT)
		return 0;
	r = ga_virt_find(virt, domain, &d, err);
	if (r < 0 || (r && ga_streq(d.allocation, c->object)))
		return r < 0 ? -1 : 0;
	/* It may have ended between the two looks. */
	if (!r && ga_virt_state(virt, domain, ret, err) < 0)
		return -1;
	if (*ret == GA_VIRT_ABSENT)
		return 0;
	return ga_refuse(err, GA_CONFLICT, "domain_exists", NULL,
			 ("domain '%s' is not of allocation '%s'", domain, c->object),
			 ("gpuaas-reconcile shows its owner"));
}

int ga_vm_state(struct ga_vm *vm, enum ga_virt_state *ret, struct ga_err *err)
{
	return ga_domain_state(&vm->p.changes, vm->plan.domain, ret, err);
}

/* ---- off ---- */

/* 1 off, 0 still on at the deadline. */
static int wait_off(struct ga_changes *c, const char *domain, int64_t seconds, struct ga_err *err)
{
	int64_t deadline = ga_clock_mono_micros() + seconds * GA_SECOND;
	enum ga_virt_state state;

	for (;;) {
		if (ga_domain_state(c, domain, &state, err) < 0 ||
		    ga_stop_check("waiting for the VM to stop", err) < 0)
			return -1;
		if (!ga_vm_is_on(state))
			return 1;
		if (!ga_clock_wait(deadline, POLL_MICROS))
			return 0;
	}
}

int ga_domain_stop(struct ga_changes *c, const char *domain, int64_t timeout_seconds, bool force,
		   const char **how, struct ga_err *err)
{
	struct ga_err unheard = GA_ERR_INIT;
	struct ga_virt *virt;
	int r;

	if (ga_changes_virt(c, &virt, err) < 0)
		return -1;
	/* With force, wait also for a guest that cannot get the request (it is paused). */
	if (timeout_seconds && ga_virt_shutdown(virt, domain, &unheard) < 0 && !force)
		return *err = unheard, -1;
	r = wait_off(c, domain, timeout_seconds, err);
	*how = r ? "stopped" : force ? "powered_off" : "guest_did_not_stop";
	if (r || !force)
		return r;
	if (ga_virt_destroy(virt, domain, err) < 0)
		return -1;
	r = wait_off(c, domain, GONE_SECONDS, err);
	if (!r)
		return ga_refuse(err, GA_EXTERNAL, "vm_stuck", NULL,
				 ("domain '%s' still runs %d s after it was powered off", domain,
				  GONE_SECONDS),
				 ("see 'virsh domstate --reason %s' and its QEMU process",
				  domain));
	return r;
}

/*
 * Removes the flows of a port that is gone: Open vSwitch may give its number to another guest,
 * which could then send as this one. The next start makes them again, and their entry in the
 * journal stays.
 */
static void remove_flows(struct ga_vm *vm)
{
	const struct ga_plan *plan = &vm->plan;
	struct ga_err why = GA_ERR_INIT;
	char cookie[GA_COOKIE_SIZE];

	if (!ga_provision_has_ovs(plan) || vm->opts->dry_run)
		return;
	ga_ovs_cookie(plan->allocation, cookie);
	if (ga_ovs_remove_flows(plan->network.bridge, cookie, &why) < 0) {
		ga_autofree char *words =
			ga_xprintf("%s is off, and its flows on %s are still there: %s",
				   plan->allocation, plan->network.bridge, why.msg);

		vm->opts->to.say(words);
	}
}

int ga_vm_power_off(struct ga_vm *vm, int64_t timeout_seconds, bool force, const char **how,
		    struct ga_err *err)
{
	enum ga_virt_state state;
	int r;

	*how = "already_off";
	if (ga_vm_state(vm, &state, err) < 0)
		return -1;
	if (!ga_vm_is_on(state)) {
		remove_flows(vm);
		return 1;
	}
	ga_changes_say(&vm->p.changes, "ask domain %s to shut down, wait %" PRId64 " s%s",
		       vm->plan.domain, timeout_seconds, force ? ", power it off" : "");
	*how = force ? "powered_off" : "stopped";
	if (vm->opts->dry_run)
		return 1;
	r = ga_domain_stop(&vm->p.changes, vm->plan.domain, timeout_seconds, force, how, err);
	if (r > 0)
		remove_flows(vm);
	return r;
}

/* ---- records ---- */

int ga_vm_tell_power(struct ga_vm *vm, const char *wanted, const char *reason, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	struct ga_err unseen = GA_ERR_INIT;
	enum ga_virt_state state;
	bool seen = ga_vm_state(vm, &state, &unseen) == 0;
	const struct ga_power rec = {
		.allocation = vm->plan.allocation,
		.node = vm->plan.node,
		.generation = vm->plan.generation,
		.attempt = vm->plan.attempt,
		.dry_run = vm->opts->dry_run,
		.power_wanted = (char *)(uintptr_t)wanted,
		.power_observed = !seen ? NULL : (char *)(uintptr_t)(ga_vm_is_on(state) ? "on" :
											  "off"),
		.reason = (char *)(uintptr_t)reason,
		.order_issued_at = (char *)(uintptr_t)vm->opts->order_issued_at,
		.at = now,
		.lab = vm->plan.lab,
	};

	return ga_work_emit(&vm->p.work, &ga_power_schema, &rec, err);
}

int ga_vm_run(struct ga_vm *vm, const struct ga_phase_def *phases, struct ga_err *why)
{
	for (; phases->name; phases++)
		if (ga_provision_run_phase(&vm->p, phases, why) < 0)
			return -1;
	return 0;
}

int ga_vm_settle(struct ga_vm *vm, int r, struct ga_err *why, struct ga_err *err)
{
	if (r < 0 && ga_work_may_go_on(why)) {
		*err = *why;
		return ga_err_about(err, NULL, vm->plan.allocation);
	}
	if (r < 0 && ga_provision_fail(&vm->p, why, err) < 0)
		return -1;
	return ga_work_stdout_error(&vm->p.work, err);
}

/* ---- on ---- */

static int phase_check(struct ga_provision *p, struct ga_err *err)
{
	return ga_provision_recheck(p, false, err);
}

static int phase_resume(struct ga_provision *p, struct ga_err *err)
{
	struct ga_virt *virt;

	if (ga_phase_start(p, err) < 0 || p->opts->dry_run)
		return p->opts->dry_run ? 0 : -1;
	return ga_changes_virt(&p->changes, &virt, err) < 0 ?
		       -1 :
		       ga_virt_resume(virt, p->plan->domain, err);
}

/* The domain is defined again from the plan, because the names of disks may have changed since it
 * was defined. An old name could now be another slot's disk, and would show one tenant the data of
 * another. */
static const struct ga_phase_def start_phases[] = {
	{ "power_check", phase_check, false },	     { "power_devices", ga_phase_devices, true },
	{ "power_fabric", ga_phase_fabric, true },   { "power_define", ga_phase_define, true },
	{ "power_start", phase_resume, true },	     { NULL, NULL, false },
};

static const struct ga_phase_def resume_phases[] = {
	{ "power_start", phase_resume, true },
	{ NULL, NULL, false },
};

static int power_on(struct ga_vm *vm, const char **how, struct ga_err *err)
{
	enum ga_virt_state state;

	vm->p.work.phase = "power_check";
	if (ga_vm_state(vm, &state, err) < 0)
		return -1;
	*how = "already_on";
	if (state == GA_VIRT_ON)
		return 0;
	*how = "started";
	/* A domain is paused after a start that was killed before its flows were in effect, or
	 * after an I/O error. */
	return ga_vm_run(vm, state == GA_VIRT_PAUSED ? resume_phases : start_phases, err);
}

int ga_vm_start(const char *id, const struct ga_vm_opts *opts, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	const char *how = "started";
	ga_autovm struct ga_vm vm;
	int r;

	if (ga_vm_open(id, opts, &vm, err) < 0)
		return -1;
	vm.may_be_held = opts->undoes_hold && opts->dry_run;
	if (ga_vm_hold(&vm, false, err) < 0)
		return -1;
	r = power_on(&vm, &how, &why);
	if (ga_vm_tell_power(&vm, "on", r < 0 ? "not_started" : how, err) < 0)
		return -1;
	return ga_vm_settle(&vm, r, &why, err);
}

static int did_not_stop(const struct ga_vm *vm, int64_t seconds, struct ga_err *err)
{
	return ga_refuse(err, GA_BUSY, "guest_did_not_stop", vm->plan.allocation,
			 ("the guest of '%s' did not stop within %" PRId64 " s",
			  vm->plan.allocation, seconds),
			 ("wait longer with --timeout, or power it off with --force"));
}

int ga_vm_stop(const char *id, int64_t timeout_seconds, bool force, const struct ga_vm_opts *opts,
	       struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	ga_autovm struct ga_vm vm;
	const char *how;
	int r;

	if (ga_vm_open(id, opts, &vm, err) < 0)
		return -1;
	vm.may_be_held = true;
	if (ga_vm_hold(&vm, false, err) < 0)
		return -1;
	vm.p.work.phase = "power_stop";
	r = ga_vm_power_off(&vm, timeout_seconds, force, &how, &why);
	if (r >= 0 && ga_vm_tell_power(&vm, "off", how, err) < 0)
		return -1;
	if (r)
		return ga_vm_settle(&vm, r, &why, err);
	return did_not_stop(&vm, timeout_seconds, err);
}

int ga_vm_reboot(const char *id, int64_t timeout_seconds, bool force,
		 const struct ga_vm_opts *opts, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	ga_autovm struct ga_vm vm;
	const char *how;
	int r;

	if (ga_vm_open(id, opts, &vm, err) < 0 || ga_vm_hold(&vm, false, err) < 0)
		return -1;
	vm.p.work.phase = "power_stop";
	r = ga_vm_power_off(&vm, timeout_seconds, force, &how, &why);
	if (!r)
		return ga_vm_tell_power(&vm, "on", how, err) < 0 ?
			       -1 :
			       did_not_stop(&vm, timeout_seconds, err);
	if (r > 0 && opts->dry_run) /* its devices can be checked only while it is off */
		ga_changes_say(&vm.p.changes, "define and start domain %s", vm.plan.domain);
	else if (r > 0)
		r = power_on(&vm, &how, &why);
	if (ga_vm_tell_power(&vm, "on", r < 0 ? "not_started" : "rebooted", err) < 0)
		return -1;
	return ga_vm_settle(&vm, r, &why, err);
}
