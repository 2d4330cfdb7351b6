/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Provisioning on the host: a plan becomes a running allocation, phase by phase (see
 * gpuaas-hacking(7)).
 *
 * Every change of the host is in the journal with its inverse before it is made, and every finished
 * phase is in host.db: killed anywhere, the same order run again goes on where it was, and nothing
 * is done twice. A failure before the first write leaves no attempt behind; a failure after it ends
 * the attempt as failed, and gpuaas-release frees the devices.
 *
 * The files of a VM lie in HOST_DIR/vm/ALLOCATION.
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
	const char *images_dir; /* act/image/store.h: images that this node withdrew */
	/* Read when user_data_dir lacks the user-data: the folder of gpuaas-place, or NULL. */
	const char *user_data_from;
	const struct ga_user_datas *user_data_given; /* came with the plans: before any folder */
	struct ga_fabric_at fabric;
	const char *fabric_manager; /* the program that prints its version; NULL: not checked */
	bool holds_state; /* the state is on this machine: no bare-metal plan of its own node */
	bool dry_run;
	/* Writes a result or progress out. When stdout is gone its error has reason "stdout": the
	 * work goes on and the error is returned at the end. */
	int (*result)(const struct ga_schema *shape, const void *obj, struct ga_err *err);
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

#endif
