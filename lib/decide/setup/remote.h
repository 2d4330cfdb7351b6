/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that people are told, for a node that is not the machine they sit at. */
#ifndef GA_DECIDE_SETUP_REMOTE_H
#define GA_DECIDE_SETUP_REMOTE_H

#include "base/ga.h"

/*
 * The same command by gpuaas-on, allocated: a pipeline of one host's, as it would be typed there
 * ("gpuaas-release 7f3c | gpuaas-wipe"), with its host programs run on the node and what they prove
 * folded here. As it is: a command that goes by gpuaas-on already, programs of the state, and what
 * is no program of ours. NULL for NULL.
 */
char *ga_remote_command(const char *command, const char *node);

#endif
