/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-approve: the checks on this host, and the output. Its changes of the state are in
 * state/transaction/approve.h.
 */
#ifndef GA_CLI_APPROVE_H
#define GA_CLI_APPROVE_H

#include "state/transaction/approve.h"

/* If this machine is the host of the candidates: checks their disks again, to find values that
 * gpuaas-discover could not read without root, and later changes. An unreadable value stays
 * unknown. */
void ga_approve_look_again(struct ga_candidates *candidates);
/* For a user who approves all disks without naming one: shows how many disks have which content
 * (empty, pattern, signatures, …). */
void ga_approve_tell_content(const struct ga_candidates *candidates);
/* GA_USAGE for an unknown verb, and for one of n == 0 objects, with a hint how to find one. With
 * conditions (where) for a verb that takes only slots and proposals by name: retire, confirm,
 * withdraw. */
GA_MUST_CHECK int ga_approve_check_verb(const char *verb, size_t n, bool where,
					struct ga_err *err);
/* Carries the verb out on each slot or proposal, each in a transaction of its own, and emits its
 * records; a refusal of one does not keep the others. Returns the status of the only one, or notes
 * that of each. where: conditions in place of the n objects. */
GA_MUST_CHECK int ga_approve_each(struct ga_approve_run *run, char *const *args, size_t n,
				  const struct ga_borrowed_texts *where, bool explain,
				  struct ga_err *err);
/* Emits the notes and records of a committed step: the node, each slot, its wipe order, its
 * proposal. Also shows people the first blocker of a slot; with explain, all blockers. */
GA_MUST_CHECK int ga_approve_emit(const struct ga_approve_run *run, bool explain,
				  struct ga_err *err);
/* After the last step: says on a terminal which command carries out the wipe orders that were
 * written. verb: that of ga_approve_each; NULL: a discovery was approved. */
void ga_approve_say_next(const struct ga_approve_run *run, const char *verb);
/* Whether blockers kept a slot disabled that was to be enabled or repaired. */
bool ga_approve_is_refused(const struct ga_approve_run *run);

#endif
