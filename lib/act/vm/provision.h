/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Provisioning on the host: a plan becomes a running allocation, phase by phase (lifecycle.md).
 *
 * Every change of the host is in the journal with its inverse before it is made, and every finished
 * phase is in host.db: killed anywhere, the same order run again goes on where it was, and nothing
 * is done twice. What fails before the first write leaves no attempt behind; what fails after it
 * ends the attempt as failed, and the devices are taken back by gpuaas-release.
 */
#ifndef GA_ACT_VM_PROVISION_H
#define GA_ACT_VM_PROVISION_H

#include "act/device/fabric.h"
#include "act/image/userdata.h"
#include "record/result.h"

struct ga_provision_opts {
	const char *program; /* for messages and holds */
	const char *node;    /* this host's node id */
	const char *host_dir, *user_data_dir, *libvirt_uri, *baremetal_dir;
	const char *images_dir; /* act/image/store.h: what this node withdrew */
	/* Looked into when user_data_dir lacks it: place's own, or NULL. */
	const char *user_data_from;
	const struct ga_user_datas *user_data_given; /* came with the plans: before any folder */
	struct ga_fabric_at fabric;
	const char *fabric_manager; /* the program that tells its version; NULL: not asked */
	bool holds_state; /* the state is on this machine: no bare-metal plan of its own node */
	bool dry_run;
	/* Where results go. A result that could not be written to stdout has reason "stdout": work
	 * goes on and the error is returned at the end. */
	int (*result)(const struct ga_shape *shape, const void *obj, struct ga_err *err);
	int (*progress)(const struct ga_progress *p, struct ga_err *err);
	void (*say)(const char *line); /* words for people */
	void (*moving)(const char *what, int64_t done, int64_t total, int64_t started);
};

/* Carries a plan out and emits an allocation or a failure record. 0 when one was emitted, -1 when
 * not even that was possible. */
GA_MUST_CHECK int ga_provision(const struct ga_plan *plan, const struct ga_provision_opts *opts,
			       struct ga_err *err);
/* The same for an order taken up before, by attempt id, or by what a person calls its
 * allocation (ga_hostdb_resolve). GA_NOTFOUND. */
GA_MUST_CHECK int ga_provision_resume(const char *id, const struct ga_provision_opts *opts,
				      struct ga_err *err);

/* The names of the phases in their order, NULL-terminated. */
extern const char *const ga_provision_phases[];

/* Where the VM's own files lie: HOST_DIR/vm/ALLOCATION, allocated. */
char *ga_provision_vm_dir(const char *host_dir, const char *allocation);

#endif
