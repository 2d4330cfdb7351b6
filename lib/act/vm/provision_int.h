/* SPDX-License-Identifier: Apache-2.0 */
/* Inside lib/provision*.c: the work on one plan. */
#ifndef GA_ACT_VM_PROVISION_INT_H
#define GA_ACT_VM_PROVISION_INT_H

#include "act/device/disk.h"
#include "act/image/seed.h"
#include "act/vm/change.h"
#include "act/vm/provision.h"
#include "look/pci.h"
#include "state/host/hostdb.h"

struct ga_provision {
	const struct ga_provision_opts *opts;
	const struct ga_plan *plan;
	struct ga_hostdb h;
	struct ga_changes changes;
	GA_LIST(int) holds; /* descriptors of the locks */
	struct ga_attempt attempt; /* as found when the hold was taken */
	bool known;    /* the attempt was taken up before */
	bool began;    /* the attempt is in host.db */
	const char *noting; /* the attempt whose phases these are; NULL: none is noted */
	size_t resume; /* phases before this one were finished by an earlier run */
	char *boot_id, *vm_dir, *seed_path, *console_log, *known_hosts;
	struct ga_disk *disks; /* of each bundle; open from recheck to the end of clone */
	struct ga_chunks *chunks; /* of the image, or NULL */
	struct ga_host_key key;
	struct ga_str user_data;
	struct ga_lease lease;
	char *address; /* of the guest or machine, once known */
	/* the phase at work */
	const char *phase;
	int64_t phase_started; /* monotonic */
	int64_t phase_bytes, phase_total, told_at;
	char *detail;
	int64_t deadline; /* of readiness, monotonic; 0: not started */
	struct ga_allocation out;
	struct ga_err stdout_err;
};

struct ga_phase_def {
	const char *name;
	/* 0; -1. Sets p->detail to what a person wants to know. */
	int (*run)(struct ga_provision *p, struct ga_err *err);
	bool writes; /* from here on the host is changed */
};

/* provision.c: for work on a plan that was carried out before (vm.h). prepare opens host.db and
 * names the files; clear frees everything and lets go of the holds. */
GA_MUST_CHECK int ga_provision_prepare(struct ga_provision *p, struct ga_err *err);
void ga_provision_clear(struct ga_provision *p);
/* Whether the plan is for this node: only one of bare metal may be for another. */
bool ga_provision_is_here(const struct ga_provision *p);
GA_MUST_CHECK int ga_provision_hold(struct ga_provision *p, const char *object, struct ga_err *err);
GA_MUST_CHECK int ga_provision_run_phase(struct ga_provision *p, const struct ga_phase_def *def,
					 struct ga_err *err);
/* Ends the attempt with what the phases say: the allocation, or why it failed. */
GA_MUST_CHECK int ga_provision_finish(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_provision_fail(struct ga_provision *p, const struct ga_err *why,
				    struct ga_err *err);
/* Writes a record out; a stdout that is gone is kept in stdout_err. */
GA_MUST_CHECK int ga_provision_emit(struct ga_provision *p, const struct ga_shape *shape,
				    const void *obj, struct ga_err *err);
GA_MUST_CHECK int ga_phase_active(struct ga_provision *p, struct ga_err *err);
/* provision_check.c: nothing is changed */
/* Reason, object and hint (or NULL) of a refusal, whose sentence stands already; always -1. */
int ga_provision_refuse(struct ga_err *err, const char *reason, const char *object,
			const char *hint);
#define REFUSE(p, reason, hint, ...) \
	(ga_err_set(err, GA_CONFLICT, __VA_ARGS__), \
	 ga_provision_refuse(err, reason, (p)->plan->allocation, hint))
/* Refuses a plan that has a slot or a device twice. */
GA_MUST_CHECK int ga_provision_check_twice(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_provision_check_order(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_recheck(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_prerequisites(struct ga_provision *p, struct ga_err *err);
/* What of these two can be asked while the VM is there: order, functions, domain, image. */
GA_MUST_CHECK int ga_provision_recheck(struct ga_provision *p, bool image, struct ga_err *err);
/* provision_functions.c: whether GPU and disk of each bundle are there. The fingerprint of the host
 * is another without them and blames none, so this is looked at first. */
GA_MUST_CHECK int ga_provision_find_devices(struct ga_provision *p, struct ga_err *err);
/* provision_functions.c: GPU and fabric function of each bundle, as the plan says and free. anew:
 * they go to a tenant now, so what their host has against them counts as well. */
GA_MUST_CHECK int ga_provision_check_functions(struct ga_provision *p, bool anew,
					       struct ga_err *err);
GA_MUST_CHECK int ga_provision_check_domain(struct ga_provision *p, struct ga_err *err);
/* gpu: as the host shows it, or NULL where this is not its host; fault: what its host has against
 * a device of the bundle, or NULL */
GA_MUST_CHECK int ga_provision_check_bundle(struct ga_provision *p, const struct ga_bundle *b,
					    const struct ga_pci_dev *gpu, const char *fault,
					    struct ga_err *err);
/* provision_phase.c */
GA_MUST_CHECK int ga_phase_clone(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_seed(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_network(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_devices(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_fabric(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_define(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_start(struct ga_provision *p, struct ga_err *err);
/* provision_ready.c */
GA_MUST_CHECK int ga_phase_lease(struct ga_provision *p, struct ga_err *err);
GA_MUST_CHECK int ga_phase_ready(struct ga_provision *p, struct ga_err *err);
/* provision_metal.c */
GA_MUST_CHECK int ga_phase_deploy(struct ga_provision *p, struct ga_err *err);

/* A phase that has nothing to do says why. */
void ga_provision_note(struct ga_provision *p, const char *fmt, ...) GA_PRINTF(2, 3);
/* Bytes of a long phase: the moving line always, a record about once a second. */
GA_MUST_CHECK int ga_provision_bytes(struct ga_provision *p, int64_t done, int64_t total,
				     struct ga_err *err);
/* Opens the disks of the bundles under the guard; what would refuse a write refuses here. */
GA_MUST_CHECK int ga_provision_take_disks(struct ga_provision *p, struct ga_err *err);
void ga_provision_close_disks(struct ga_provision *p);
/* How the domain names a disk: by its identity where udev made such a link. Allocated. */
char *ga_provision_disk_path(const struct ga_disk *d);
/* Whether port and flows are to be made: not for libvirt's test driver. */
bool ga_provision_has_ovs(const struct ga_plan *plan);
/* Whether a DHCP reservation is to be written. */
bool ga_provision_has_dhcp(const struct ga_plan *plan);

#endif
