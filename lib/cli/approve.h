/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gpuaas-approve looks at on this host, and what it shows. What it does to the state is in
 * state/transaction/approve.h.
 */
#ifndef GA_CLI_APPROVE_H
#define GA_CLI_APPROVE_H

#include "state/transaction/approve.h"

/* Where this is the host of the candidates: looks at their disks again, for what discover could not
 * see without root, and for what came since. What still cannot be read stays unknown. */
void ga_approve_look_again(struct ga_candidates *candidates);
/* For who approves all disks without naming one: by what the content of each was judged. */
void ga_approve_tell_content(const struct ga_candidates *candidates);
/* The verb was given no slot, or no proposal: GA_USAGE, with where to find one. */
GA_MUST_CHECK int ga_approve_of_nothing(const char *verb, struct ga_err *err);
/* Notes and records of a committed step: the node, each slot, the order to wipe it, its proposal;
 * and for people what stands against a slot: all of it with explain. */
GA_MUST_CHECK int ga_approve_emit(const struct ga_approve_run *run, bool explain,
				  struct ga_err *err);
/* Whether a slot that was to be enabled or repaired stays out of sale for what blocks it. */
bool ga_approve_is_refused(const struct ga_approve_run *run);

#endif
