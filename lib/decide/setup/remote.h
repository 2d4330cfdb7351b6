/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites a command of one host for people who sit at another machine. */
#ifndef GA_DECIDE_SETUP_REMOTE_H
#define GA_DECIDE_SETUP_REMOTE_H

#include "base/ga.h"

/*
 * The same command through gpuaas-on, allocated. The input is a pipeline as people type it on the
 * host ("gpuaas-release 7f3c | gpuaas-wipe"). In the output its host programs run on the node, and
 * their results are folded here. A command with gpuaas-on, programs of the state, and programs that
 * are not of gpuaas stay as they are. NULL for NULL.
 */
char *ga_remote_command(const char *command, const char *node);
/*
 * Whether a host program of the command runs on the node. from_here: the command is typed on the
 * machine that deploys, so that only its stages with gpuaas-on run there. The stages after a
 * "gpuaas-release -" do not count: they get orders only after the trusted system of the node has
 * proved itself. false for NULL.
 */
bool ga_remote_runs_there(const char *command, bool from_here);

#endif
