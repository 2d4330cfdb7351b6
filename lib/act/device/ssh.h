/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command on another machine by the operator's own ssh(1): keys, jump hosts and known hosts
 * are those of ssh_config(5). ssh never asks a question (BatchMode), refuses an unknown host key,
 * and notices a dead connection within 45 seconds. Runs share connections by a socket in a folder
 * that only this user can enter.
 */
#ifndef GA_ACT_DEVICE_SSH_H
#define GA_ACT_DEVICE_SSH_H

#include "base/ga.h"
#include "base/proc.h"

struct ga_ssh {
	const char *program; /* "ssh", or a path that takes ssh's arguments */
	int64_t connect_seconds;
	char *sockets; /* folder of the shared connections; NULL: they are not shared */
};

/* Finds the folder: $XDG_RUNTIME_DIR/gpuaas-on, /run/gpuaas-on for root, /tmp/gpuaas-on-UID. Makes
 * it with mode 0700. A folder of another owner, or one that others may enter, is not used: *why
 * then gets the reason, allocated; NULL when connections are shared. */
void ga_ssh_share(struct ga_ssh *ssh, char **why);
void ga_ssh_release(struct ga_ssh *ssh);

/* Starts command, a line for the shell of the other machine (base/quote.h). address is [USER@]HOST
 * or ssh://…; GA_USAGE "address" when ssh could take it for anything else. The child's stdin is a
 * pipe when with_input is true. */
GA_MUST_CHECK int ga_ssh_start(const struct ga_ssh *ssh, const char *address, const char *command,
			       bool with_input, struct ga_child *ret, struct ga_err *err);

/* The error behind an exit status of ssh. -1 with code, sentence and reason in err when the
 * connection failed (ssh's status 255) or the command could not be run (126, 127) or was killed; 0
 * for every other status, which is the command's own. said is ssh's stderr or the end of it.
 * had_output: the command has written something, so the connection was there. */
GA_MUST_CHECK int ga_ssh_verdict(int status, const char *said, bool had_output, struct ga_err *err);

#endif
