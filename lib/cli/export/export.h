/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of gpuaas-export: each makes a complete text in one format and then writes it. To
 * add one, add its options and its function here, and a line in the table of bin/gpuaas-export.c.
 */
#ifndef GA_CLI_EXPORT_EXPORT_H
#define GA_CLI_EXPORT_EXPORT_H

#include "cli/frame/cli.h"
#include "state/db/db.h"

/* The option --output, which every format has. */
extern const struct ga_opt ga_cli_export_opts[];

/* Opens the state and begins a read transaction. */
GA_MUST_CHECK int ga_cli_export_open(struct ga_db **ret, struct ga_err *err);
/* Writes a text that ends with a newline: replaces the file of --output atomically and durably,
 * with mode 0644; without --output writes to standard output. */
GA_MUST_CHECK int ga_cli_export_write(const struct ga_str *text, struct ga_err *err);

/* The file of --output, or NULL. */
const char *ga_cli_export_output(void);
/* Refuses a name that a format does not allow; we never quote names. what is the object with the
 * name, system the owner of the format, and fits describes valid names. Returns -1. */
GA_MUST_CHECK int ga_cli_export_unfit(const char *what, const char *name, const char *system,
				      const char *fits, struct ga_err *err);
/* Reports an omitted object and the reason on stderr; the exit status becomes 1. */
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
