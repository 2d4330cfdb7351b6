/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of gpuaas-state for backup and recovery, and for hooks: their options and functions,
 * each for a line in the table of commands (cli/frame/cli.h).
 */
#ifndef GA_CLI_STATE_STATE_H
#define GA_CLI_STATE_STATE_H

#include "cli/frame/cli.h"

extern const struct ga_opt ga_cli_apply_opts[], ga_cli_backup_opts[], ga_cli_restore_opts[],
	ga_cli_adopt_opts[], ga_cli_rebuild_opts[], ga_cli_notify_opts[],
	ga_cli_acknowledge_opts[];

/* The commands return 0 or an exit status above 0, or -1 with the error. */

/* Stores declared objects from files and standard input, in order. */
GA_MUST_CHECK int ga_cli_apply(struct ga_err *err);
/* Writes a backup: one file, or with --keep a checked, dated file in a folder. 1: the backup was
 * made, but the check has findings. */
GA_MUST_CHECK int ga_cli_backup(struct ga_err *err);
/* audit verify and audit head. 1: the chain of rows is broken. */
GA_MUST_CHECK int ga_cli_audit(struct ga_err *err);
/* Replaces the state with a backup, in a new epoch. */
GA_MUST_CHECK int ga_cli_restore(struct ga_err *err);
/* Adopts the inventories of hosts (gpuaas-reconcile --inventory) into the state, each node in its
 * own transaction. 1: some work could not be adopted. */
GA_MUST_CHECK int ga_cli_adopt(struct ga_err *err);
/* Makes a new state from such inventories. 1: as for ga_cli_adopt. */
GA_MUST_CHECK int ga_cli_rebuild(struct ga_err *err);
/* Runs hooks for objects that need a person, once for each notice. */
GA_MUST_CHECK int ga_cli_notify(struct ga_err *err);
/* Acknowledges entries of attention, or takes that back. */
GA_MUST_CHECK int ga_cli_acknowledge(struct ga_err *err);

/* Refuses a command without --reason (GA_USAGE): the audit keeps it. */
GA_MUST_CHECK int ga_cli_need_reason(const char *given, const char *command, struct ga_err *err);

#endif
