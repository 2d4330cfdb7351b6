/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Provisioning on the host: a plan becomes a running allocation, phase by phase, in the
 * order of the table in provision.c.
 *
 * Every change of the host is in the journal with its inverse before it is made, and every finished
 * phase is in host.db. So after a kill at any point the same order continues from there when it is
 * run again, and no phase is done twice. A failure before the first write leaves no attempt behind.
 * A failure after it ends the attempt as failed; gpuaas-release then frees the devices.
 *
 * The files of a VM lie in HOST_DIR/vm/ALLOCATION.
 */
#ifndef GA_ACT_VM_PROVISION_H
#define GA_ACT_VM_PROVISION_H

#include "act/device/fabric.h"
#include "act/image/userdata.h"
#include "act/vm/work.h"

struct ga_plan;

struct ga_provision_opts {
	const char *program; /* for messages and locks */
	const char *node;    /* this host's node id */
	const char *host_dir, *user_data_dir, *libvirt_uri, *baremetal_dir;
	const char *images_dir; /* the image store, for images that this node withdrew
				   (act/image/store.h) */
	/* The folder of gpuaas-place, read when user_data_dir lacks the user-data; or NULL. */
	const char *user_data_from;
	const struct ga_user_datas *user_data_given; /* came with the plans; used before any
							folder */
	struct ga_fabric_at fabric;
	const char *fabric_manager; /* the program that prints its version; NULL: not checked */
	bool holds_state; /* the state is on this machine: a baremetal plan for this node is
			     refused */
	bool dry_run;
	struct ga_work_to to;
};

/* Carries a plan out and emits an allocation or a failure record. 0 when a record was emitted, -1
 * when no record could be emitted. */
GA_MUST_CHECK int ga_provision(const struct ga_plan *plan, const struct ga_provision_opts *opts,
			       struct ga_err *err);
/* The same for an order that was begun before. id is an attempt id, or a person's name for its
 * allocation (ga_hostdb_resolve). GA_NOTFOUND. */
GA_MUST_CHECK int ga_provision_resume(const char *id, const struct ga_provision_opts *opts,
				      struct ga_err *err);

#endif
