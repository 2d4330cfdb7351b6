/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work on one plan (run.c), shared by provision, power and rebuild; and one allocation of this host
 * with its VM (vm.c, power.c).
 *
 * Functions here return 0, or -1 with err filled, unless their comment names other results.
 */
#ifndef GA_ACT_VM_INTERNAL_H
#define GA_ACT_VM_INTERNAL_H

#include "act/device/disk.h"
#include "act/image/seed.h"
#include "act/vm/change.h"
#include "act/vm/provision.h"
#include "act/vm/vm.h"
#include "act/vm/work.h"
#include "look/pci.h"
#include "record/plan.h"
#include "state/host/hostdb.h"

struct ga_provision {
	const struct ga_provision_opts *opts;
	const struct ga_plan *plan;
	struct ga_hostdb h;
	struct ga_changes changes;
	struct ga_work work;
	struct ga_attempt attempt; /* as it was when the locks were taken */
	bool known;    /* an earlier run took the attempt up */
	bool began;    /* the attempt is in host.db */
	const char *noting; /* the attempt in which host.db records the phases; NULL: none */
	size_t resume; /* phases before this one were finished by an earlier run */
	char *boot_id, *vm_dir, *seed_path, *console_log, *known_hosts;
	struct ga_disk *disks; /* one for each bundle; open from recheck to the end of clone */
	struct ga_chunks *chunks; /* of the image, or NULL */
	struct ga_host_key key;
	struct ga_str user_data;
	struct ga_lease lease;
	char *address; /* of the guest or machine, once known */
	int64_t deadline; /* of readiness, monotonic; 0: not started */
	struct ga_allocation out;
};

struct ga_phase_def {
	const char *name;
	int (*run)(struct ga_provision *p, struct ga_err *err);
	bool writes; /* this phase and all later ones change the host */
};

/* ---- run.c ---- */

/* Opens host.db (in a dry run for reading only) and sets the names of the VM's files. The caller
 * has set opts and plan. */
GA_MUST_CHECK int ga_provision_prepare(struct ga_provision *p, struct ga_err *err);
/* Frees everything, wipes secrets and releases the locks. */
void ga_provision_clear(struct ga_provision *p);

/* Runs one phase and adds its result to p->out. The first phase that writes begins the attempt in
 * host.db, and each that writes is recorded there as the last one finished. GA_BUSY when a signal
 * asks the program to stop; else the error of the phase. */
GA_MUST_CHECK int ga_provision_run_phase(struct ga_provision *p, const struct ga_phase_def *def,
					 struct ga_err *err);
/* Ends the attempt: finish emits the allocation with the results of the phases, fail the
 * failure. */
GA_MUST_CHECK int ga_provision_finish(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_provision_fail(struct ga_provision *p, const struct ga_err *why,
				    struct ga_err *err);

/* ---- provision_check.c: changes nothing ---- */

/* Whether the plan is for this node: only a baremetal plan may be for another node. */
bool ga_provision_is_here(const struct ga_provision *p);
/* Adds reason, object and hint (or NULL) to a refusal whose sentence is set already; always -1. */
int ga_provision_refuse(struct ga_err *err, const char *reason, const char *object,
			const char *hint);
#define REFUSE(p, reason, hint, ...) \
	(ga_err_set(err, GA_CONFLICT, __VA_ARGS__), \
	 ga_provision_refuse(err, reason, (p)->plan->allocation, hint))
/* Refuses a plan that names a slot or a device twice. */
GA_MUST_CHECK int ga_provision_check_twice(struct ga_provision *p, struct ga_err *err);
/* Refuses (GA_CONFLICT) a plan that cannot be carried out here: of a dry run, not the plan as it
 * was placed ("old_digest"), for another node, incomplete, for a lab only, or expired before its
 * attempt began. */
GA_MUST_CHECK int ga_provision_check_order(struct ga_provision *p, struct ga_err *err);
/* Whether GPU and disk of each bundle exist. Checked before the fingerprint of the host: a missing
 * device changes the fingerprint too, but the fingerprint cannot name it. */
GA_MUST_CHECK int ga_provision_find_devices(struct ga_provision *p, struct ga_err *err);
/* Whether GPU and fabric function of each bundle are as the plan describes them, and free. anew:
 * they go to a tenant now, so errors that the bus has counted are a refusal as well. */
GA_MUST_CHECK int ga_provision_check_functions(struct ga_provision *p, bool anew,
					       struct ga_err *err);
/* Checks one bundle. gpu: the GPU as the host shows it; NULL: another host has it. fault: the fault
 * that its host reports for a device of the bundle, or NULL. */
GA_MUST_CHECK int ga_provision_check_bundle(struct ga_provision *p, const struct ga_bundle *b,
					    const struct ga_pci_dev *gpu, const char *fault,
					    struct ga_err *err);
/* Whether the domain is ours or absent, and no other domain or process uses its functions. */
GA_MUST_CHECK int ga_provision_check_domain(struct ga_provision *p, struct ga_err *err);
/* Whether this host has the image that the plan names, unchanged; fills p->chunks. */
GA_MUST_CHECK int ga_provision_check_image(struct ga_provision *p, struct ga_err *err);
/* Opens the disks of the bundles under the guard: it refuses here whatever it would refuse before a
 * write. */
GA_MUST_CHECK int ga_provision_take_disks(struct ga_provision *p, struct ga_err *err);
void ga_provision_close_disks(struct ga_provision *p);
/* The checks that fit a VM which was provisioned before: order, functions, domain; with image also
 * the image, and whether its user-data can be read. */
GA_MUST_CHECK int ga_provision_recheck(struct ga_provision *p, bool image, struct ga_err *err);
/* The phase that checks what the host needs for the plan: KVM, huge pages, fabric, DHCP, bridge,
 * and that the BARs fit into the guest. Writes nothing. */
GA_MUST_CHECK int ga_phase_prerequisites(struct ga_provision *p, struct ga_err *err);
/* Whether the VM needs port and flows: not with libvirt's test driver. */
bool ga_provision_has_ovs(const struct ga_plan *plan);
/* Whether the VM needs a DHCP reservation. */
bool ga_provision_has_dhcp(const struct ga_plan *plan);

/* ---- provision.c: every phase may run again ---- */

GA_MUST_CHECK int ga_phase_clone(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_seed(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_network(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_devices(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_fabric(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_define(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_start(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_active(struct ga_provision *p, struct ga_err *err);
/* provision_ready.c */
GA_MUST_CHECK int ga_phase_lease(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_ready(struct ga_provision *p, struct ga_err *err);

/* ---- vm.c: an allocation of this host ---- */

struct ga_vm {
	const struct ga_vm_opts *opts;
	struct ga_plan plan;		 /* the plan that was carried out */
	struct ga_allocation allocation; /* its result */
	struct ga_provision_opts provision_opts;
	char *user_data_dir;
	bool may_be_held; /* the operation is allowed on a held allocation */
	struct ga_provision p; /* for the phases; in a dry run its host.db is not open */
};
void ga_vm_close(struct ga_vm *vm);
#define ga_autovm ga_cleanup(ga_vm_close)

/* Finds the allocation; locks and checks nothing. */
GA_MUST_CHECK int ga_vm_open(const char *id, const struct ga_vm_opts *opts, struct ga_vm *ret,
			     struct ga_err *err);
/* Refuses an allocation that must not be changed now. rebuilds: an unfinished earlier rebuild is no
 * reason to refuse. */
GA_MUST_CHECK int ga_vm_check(struct ga_vm *vm, bool rebuilds, struct ga_err *err);
/* Locks the allocation (not in a dry run), then checks it. */
GA_MUST_CHECK int ga_vm_hold(struct ga_vm *vm, bool rebuilds, struct ga_err *err);

/* ---- power.c ---- */

/* Reads the state of a domain that is absent or of the allocation of c: GA_CONFLICT "domain_exists"
 * when it has the name but belongs to no or another allocation. */
GA_MUST_CHECK int ga_domain_state(struct ga_changes *c, const char *domain,
				  enum ga_virt_state *ret, struct ga_err *err);
/* The same for the domain of the VM. */
GA_MUST_CHECK int ga_vm_state(struct ga_vm *vm, enum ga_virt_state *ret, struct ga_err *err);
/* Whether the state counts as on: GA_VIRT_ON or GA_VIRT_PAUSED. */
bool ga_vm_is_on(enum ga_virt_state state);
/* Asks the guest of a domain that is on to shut down, waits, and with force powers the domain off.
 * Sets *how to stopped, powered_off or guest_did_not_stop. 1: off, 0: still on.
 * GA_EXTERNAL "vm_stuck": still on after it was powered off. */
GA_MUST_CHECK int ga_domain_stop(struct ga_changes *c, const char *domain, int64_t timeout_seconds,
				 bool force, const char **how, struct ga_err *err);
/* The same for the VM, which may be off: sets *how also to already_off, the words of a power
 * record. */
GA_MUST_CHECK int ga_vm_power_off(struct ga_vm *vm, int64_t timeout_seconds, bool force,
				  const char **how, struct ga_err *err);
/* Emits the power record: the wanted state, the state now, and the reason. */
GA_MUST_CHECK int ga_vm_tell_power(struct ga_vm *vm, const char *wanted, const char *reason,
				   struct ga_err *err);
/* Runs the phases up to the entry without a name; a phase that fails fills why. */
GA_MUST_CHECK int ga_vm_run(struct ga_vm *vm, const struct ga_phase_def *phases,
			    struct ga_err *why);
/* Ends work whose result is r: emits the failure if there is one, and returns a kept error of
 * stdout. */
GA_MUST_CHECK int ga_vm_settle(struct ga_vm *vm, int r, struct ga_err *why, struct ga_err *err);

#endif
