/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of gpuaas-approve: policy, which candidates, and what came of them. Glue between the
 * stream, the looking layer and the store.
 */
#ifndef GA_CLI_APPROVE_H
#define GA_CLI_APPROVE_H

#include "base/vec.h"
#include "catalog/accel.h"
#include "record/wipe.h"
#include "state/access/propose.h"
#include "state/node/approve.h"
#include "state/node/observe.h"
#include "state/node/key.h"

struct ga_approve_result {
	struct ga_slot slot;
	struct ga_wipe_order order;
	struct ga_proposal proposal; /* that now waits, or was decided */
	bool has_slot, has_order, has_proposal;
};

struct ga_approve_run {
	struct ga_db *db;
	GA_LIST(const char *) slots;	    /* indices wanted; borrowed */
	GA_LIST(const char *) destroy_data; /* wwids; borrowed */
	const char *note, *reason, *disposal;
	bool accept_change, all;
	bool wanted; /* the slots are to go back on sale: a verb says so */
	/* Recorded by hand for GPUs of the discovery that have none; NULL: none. */
	const struct ga_accel_type *by_hand;
	struct ga_accels *accels; /* read when it is needed */
	struct ga_wipe_policy wipe;
	GA_LIST(struct ga_approve_result) results; /* of the step, in order */
	int64_t approved; /* slots of the whole run that nothing but a wipe stands against */
};

/* The wipe policy: each word given, else the profile's, else purge, full, if_supported; the class
 * of a lab state is clear unless a word says otherwise. */
GA_MUST_CHECK int ga_approve_policy(struct ga_approve_run *run, const char *profile,
				    const char *class, const char *verify, const char *gpu_memory,
				    struct ga_err *err);
/* Where this is the host of the candidates: looks at their disks again, for what discover could not
 * see without root, and for what came since. What still cannot be read stays unknown. */
void ga_approve_look_again(struct ga_candidates *candidates);
/* Whether who runs it may approve on the node (state/access/access.h); registers
 * the node's key (state/node/key.h) and sets its mode; NULL leaves that. */
GA_MUST_CHECK int ga_approve_node(struct ga_approve_run *run, const struct ga_host *host,
				  const char *mode, bool accept_change, struct ga_err *err);
/* Approves the candidates asked for; all that were asked for by index must be there. */
GA_MUST_CHECK int ga_approve_candidates(struct ga_approve_run *run,
					const struct ga_candidates *candidates, struct ga_err *err);
/* The verb was given no slot, or no proposal: GA_USAGE, with where to find one. */
GA_MUST_CHECK int ga_approve_of_nothing(const char *verb, struct ga_err *err);
/* Moves a slot; what one person alone may not do is proposed instead. */
GA_MUST_CHECK int ga_approve_verb(struct ga_approve_run *run, const char *verb, const char *slot,
				  const char *reason, struct ga_err *err);
/* The second person's part: does what was proposed. */
GA_MUST_CHECK int ga_approve_confirm(struct ga_approve_run *run, const char *proposal,
				     struct ga_err *err);
GA_MUST_CHECK int ga_approve_withdraw(struct ga_approve_run *run, const char *proposal,
				      struct ga_err *err);
/* Whether a slot that was to be enabled or repaired stays out of sale for what blocks it. */
bool ga_approve_is_refused(const struct ga_approve_run *run);
/* The records of a committed step: each slot, the order to wipe it, its proposal. */
GA_MUST_CHECK int ga_approve_emit(struct ga_approve_run *run, bool dry_run, bool explain,
				  struct ga_err *err);
/* What stands against a slot and the fix, for people: all of it, or the first. */
void ga_approve_explain(const struct ga_slot *slot, bool all);
void ga_approve_results_clear(struct ga_approve_run *run);
void ga_approve_release(struct ga_approve_run *run);

#endif
