/* SPDX-License-Identifier: Apache-2.0 */
/* What preparing a host needs, did and left: gpuaas.bootstrap-step, gpuaas.bootstrap. */
#ifndef GA_RECORD_BOOT_H
#define GA_RECORD_BOOT_H

#include "base/texts.h"
#include "record/host.h"

/* One step of preparing a host. */
struct ga_bootstrap_step {
	char *node;
	char *step;    /* code: kernel_arguments, module, vfs, bind, … */
	char *subject; /* path, address, unit, … */
	char *state;   /* ok, pending, waiting, manual, blocked, changed, failed, undone, left */
	char *reason;  /* why it is needed, or what is in the way */
	char *change;  /* what is done, or NULL */
	char *inverse; /* what --undo does, or NULL */
	char *hint;    /* what a person does, or NULL */
	bool reboot;   /* has its effect after a reboot only */
	char *at;
};

/* Closes a run of gpuaas-host-bootstrap. */
struct ga_bootstrap {
	char *node, *mode;
	char *mode_source; /* option, setting, tag */
	char *action;	   /* check, dry_run, apply, boot, undo */
	char *root;	   /* the image that was prepared, or NULL: this machine */
	int64_t changes;   /* made, or with check and dry_run to be made */
	int64_t waiting;   /* steps that need the reboot first */
	int64_t left;	   /* steps for a person, that failed, or that undo left */
	bool reboot_required, ready;
	struct ga_reasons blockers, warnings;
	GA_LIST(struct ga_prereq) firmware;
	struct ga_texts tags; /* of MAAS, as far as they are ours: intent, not readiness */
	char *at, *tool;
};

extern const struct ga_schema ga_bootstrap_step_schema, ga_bootstrap_schema;

#endif
