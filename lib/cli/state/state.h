/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of gpuaas-state that keep a state and bring it back: their options and what they do,
 * each for a line of its table (cli/frame/cli.h).
 */
#ifndef GA_CLI_STATE_STATE_H
#define GA_CLI_STATE_STATE_H

#include "cli/frame/cli.h"

extern const struct ga_opt ga_cli_backup_opts[], ga_cli_restore_opts[], ga_cli_adopt_opts[],
	ga_cli_rebuild_opts[], ga_cli_notify_opts[];

GA_MUST_CHECK int ga_cli_backup(struct ga_err *err); /* one file, or kept in a folder */
GA_MUST_CHECK int ga_cli_audit(struct ga_err *err); /* verify, head */
/* A backup in the place of the state, in a new epoch. */
GA_MUST_CHECK int ga_cli_restore(struct ga_err *err);
/* What hosts know (gpuaas-reconcile --inventory) into the state; a new state of it. */
GA_MUST_CHECK int ga_cli_adopt(struct ga_err *err);
GA_MUST_CHECK int ga_cli_rebuild(struct ga_err *err);
/* Hooks are told what needs a person, each once. */
GA_MUST_CHECK int ga_cli_notify(struct ga_err *err);

#endif
