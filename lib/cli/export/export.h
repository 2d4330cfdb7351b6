/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of gpuaas-export: each is a format, made whole and then given out. To add one: its
 * options and its function here, a line in the table of bin/gpuaas-export.c.
 */
#ifndef GA_CLI_EXPORT_EXPORT_H
#define GA_CLI_EXPORT_EXPORT_H

#include "cli/frame/cli.h"
#include "state/db/db.h"

/* --output, of every format. */
extern const struct ga_opt ga_cli_export_opts[];

/* The state, with a transaction that reads. */
GA_MUST_CHECK int ga_cli_export_open(struct ga_db **ret, struct ga_err *err);
/* Gives a text out that ends in a newline: the file of --output is replaced at once and durably,
 * readable by everybody (0644); else standard output. */
GA_MUST_CHECK int ga_cli_export_write(const struct ga_str *text, struct ga_err *err);

/* The file of --output, or NULL. */
const char *ga_cli_export_output(void);
/* Refuses a name that a format cannot hold, because it is never quoted into one: what has it, whose
 * format it is, and what would fit. Is -1. */
GA_MUST_CHECK int ga_cli_export_unfit(const char *what, const char *name, const char *system,
				      const char *fits, struct ga_err *err);
/* Says what is left out and why; the status at the end is then 1. */
void ga_cli_export_left_out(const char *what, const char *name, const char *why);

extern const struct ga_opt ga_cli_openmetrics_opts[], ga_cli_odh_opts[], ga_cli_dra_opts[],
	ga_cli_slurm_opts[], ga_cli_pods_opts[];
GA_MUST_CHECK int ga_cli_openmetrics(struct ga_err *err); /* the state as metrics */
GA_MUST_CHECK int ga_cli_kueue(struct ga_err *err);	    /* ResourceFlavors */
GA_MUST_CHECK int ga_cli_odh(struct ga_err *err);	    /* HardwareProfiles */
GA_MUST_CHECK int ga_cli_dra(struct ga_err *err);	    /* ResourceSlices, DeviceClasses */
GA_MUST_CHECK int ga_cli_slurm(struct ga_err *err);	    /* slurm.conf, gres.conf */
GA_MUST_CHECK int ga_cli_pods(struct ga_err *err);	    /* patches of running pods */

#endif
