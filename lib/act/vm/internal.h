/* SPDX-License-Identifier: Apache-2.0 */
/* Inside lib/vm*.c: one allocation of this host, found and perhaps held. */
#ifndef GA_ACT_VM_INTERNAL_H
#define GA_ACT_VM_INTERNAL_H

#include "act/vm/provision_int.h"
#include "act/vm/vm.h"

struct ga_vm {
	const struct ga_vm_opts *opts;
	struct ga_plan plan;		 /* as it was carried out */
	struct ga_allocation allocation; /* how that ended */
	struct ga_provision_opts provision_opts;
	char *user_data_dir;
	bool may_be_held; /* what is done suits a held allocation */
	struct ga_provision p; /* for the phases; its host.db is not open in a dry run */
};
void ga_vm_close(struct ga_vm *vm);
#define ga_autovm ga_cleanup(ga_vm_close)

/* Finds it; nothing is held or checked. */
GA_MUST_CHECK int ga_vm_open(const char *id, const struct ga_vm_opts *opts, struct ga_vm *ret,
			     struct ga_err *err);
/* Refuses what is not to be acted on. rebuilds: an earlier rebuild that did not end is no reason to
 * refuse. */
GA_MUST_CHECK int ga_vm_check(struct ga_vm *vm, bool rebuilds, struct ga_err *err);
/* Takes its hold (not in a dry run), then checks. */
GA_MUST_CHECK int ga_vm_hold(struct ga_vm *vm, bool rebuilds, struct ga_err *err);

/* Its domain, which is ours or absent: GA_CONFLICT "domain_exists" for a stranger's. */
GA_MUST_CHECK int ga_vm_state(struct ga_vm *vm, enum ga_virt_state *ret, struct ga_err *err);
bool ga_vm_is_on(enum ga_virt_state state);
/* Asks the guest, waits, and with force powers it off. Sets *how to the word of a power record:
 * already_off, stopped_by_guest, powered_off, guest_did_not_stop. 1: off, 0: still on. */
GA_MUST_CHECK int ga_vm_power_off(struct ga_vm *vm, int64_t timeout_seconds, bool force,
				  const char **how, struct ga_err *err);
GA_MUST_CHECK int ga_vm_tell_power(struct ga_vm *vm, const char *wanted, const char *reason,
				   struct ga_err *err);
/* The phases before name NULL, with the plan's own detail; why is the failing one's. */
GA_MUST_CHECK int ga_vm_run(struct ga_vm *vm, const struct ga_phase_def *phases,
			    struct ga_err *why);
/* The end of work: the failure when there was one, an error of stdout that was kept. */
GA_MUST_CHECK int ga_vm_settle(struct ga_vm *vm, int r, struct ga_err *why, struct ga_err *err);

#endif
