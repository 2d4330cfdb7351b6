/* SPDX-License-Identifier: Apache-2.0 */
/* The setup of a host, as gpuaas-host-bootstrap reports it: each step (gpuaas.bootstrap-step), the
 * summary of a run (gpuaas.bootstrap), and what the host does with its settings (gpuaas.tuning). */
#ifndef GA_RECORD_BOOT_H
#define GA_RECORD_BOOT_H

#include "base/texts.h"
#include "record/host.h"

/* One step of the setup of a host. */
struct ga_bootstrap_step {
	char *node;
	char *step;    /* code: kernel_arguments, module, vfs, bind, … */
	char *subject; /* path, address, unit, … */
	char *state;   /* ok, pending, waiting, manual, blocked, changed, failed, undone, left */
	char *reason;  /* why the step is needed, or what blocks it */
	char *change;  /* the change that the step makes, or NULL */
	char *inverse; /* the change that --undo makes, or NULL */
	char *hint;    /* what a person has to do, or NULL */
	bool reboot;   /* takes effect only after a reboot */
	char *at;
};

/* Closes a run of gpuaas-host-bootstrap. */
struct ga_bootstrap {
	char *node, *mode;
	char *mode_source; /* option, setting, tag */
	char *action;	   /* check, dry_run, apply, boot, undo */
	char *root;	   /* the image that was prepared, or NULL: this machine */
	int64_t changes;   /* changes made; with check and dry_run: still to be made */
	int64_t waiting;   /* steps that need the reboot first */
	int64_t left;	   /* steps for a person, failed steps, and steps that undo left */
	bool reboot_required, ready;
	struct ga_reasons blockers, warnings;
	struct ga_prereqs firmware;
	struct ga_texts tags; /* our tags in MAAS: they state intent, not readiness */
	char *at, *tool;
};

/* A setting as --record found it. */
struct ga_tuning_setting {
	char *name;
	char *value;  /* NULL: the host has none */
	char *wanted; /* NULL: the bootstrap does not set it */
	int64_t ok;   /* tristate; GA_UNKNOWN without a wanted value */
};

/* A rate as --record measured it: the run in the middle of several. */
struct ga_tuning_measure {
	char *name;	/* clone, read_back, network */
	char *target;	/* the file system or the network that was measured */
	char *reason;	/* why it was not measured, or NULL */
	int64_t bytes;	/* of one run */
	int64_t micros; /* of one run; "seconds" in JSON */
	int64_t mib_s_tenths; /* "mib_per_second" in JSON */
	int64_t runs;
};

/* A host with its settings and its rates, so that it can be compared with itself. */
struct ga_tuning {
	char *node, *boot_id, *at, *tool;
	bool tuned;   /* every step of the bootstrap is done */
	int64_t left; /* steps that are not */
	GA_LIST(struct ga_tuning_setting) settings;
	GA_LIST(struct ga_tuning_measure) measured;
};

extern const struct ga_schema ga_bootstrap_step_schema, ga_bootstrap_schema, ga_tuning_schema;

#endif
