/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transactions of gpuaas-approve: a discovery is stored and its candidates are approved, or
 * slots are moved by a verb. A step is done as a whole or not at all; a dry run does it and undoes
 * it. What one person alone may not do becomes a proposal.
 */
#ifndef GA_STATE_TRANSACTION_APPROVE_H
#define GA_STATE_TRANSACTION_APPROVE_H

#include "base/texts.h"
#include "base/vec.h"
#include "catalog/accel.h"
#include "record/wipe.h"
#include "state/access/propose.h"
#include "state/node/observe.h"
#include "state/slot/facts.h"

struct ga_approve_result {
	struct ga_slot slot;
	struct ga_wipe_order order;
	struct ga_proposal proposal; /* that now waits, or was decided */
	bool has_slot, has_order, has_proposal;
};

struct ga_approve_run {
	struct ga_db *db;
	GA_LIST(int64_t) slots;		    /* indices of the candidates to approve; borrowed */
	GA_LIST(const char *) destroy_data; /* wwids; borrowed */
	const char *note, *reason, *disposal;
	const char *mode;      /* of the node; NULL: it stays */
	bool accept_change;
	bool all, record_only; /* of the candidates: approve all, or none */
	bool dry_run;
	struct ga_wipe_policy wipe; /* ga_approve_policy fills it in */
	/* Opens the catalogue of types of this machine: called when a GPU's ids leave its type
	 * open, so that what people recorded for the node can be compared. */
	int (*catalogue)(struct ga_accels **ret, struct ga_err *err);
	struct ga_accels *accels; /* once opened; NULL */

	/* Of the last step, in order; overwritten by the next. */
	GA_LIST(struct ga_approve_result) results;
	struct ga_node node; /* has_node: of a discovery of which nothing was to be approved */
	bool has_node;
	struct ga_texts notes; /* sentences for people */
	bool wanted; /* the slots are to go back on sale: a verb says so */
	int64_t approved; /* of all steps: slots that only a wipe keeps from being sold */
};

/* The wipe policy: each word given, else the profile's, else purge, full, if_supported; the class
 * of a lab state is clear unless a word says otherwise. */
GA_MUST_CHECK int ga_approve_policy(struct ga_approve_run *run, const char *profile,
				    const char *class, const char *verify, const char *gpu_memory,
				    struct ga_err *err);
/*
 * Stores the discovery, registers the key of the node (state/node/key.h), sets its mode; approves
 * the candidates asked for. GA_NOTFOUND when one that was asked for by index is not there, or no
 * candidate has a disk whose data may be destroyed. A refusal of the gate (state/access/access.h)
 * goes into the audit.
 */
GA_MUST_CHECK int ga_approve_discovery(struct ga_approve_run *run, const struct ga_host *host,
				       const struct ga_candidates *candidates, struct ga_err *err);
/* Moves slots by a verb (ga_store_slot_move); or with "confirm", as the second person, does what
 * was proposed; or withdraws proposals. objects are what people call slots, or proposals. */
GA_MUST_CHECK int ga_approve_move(struct ga_approve_run *run, const char *verb,
				  char *const *objects, size_t n, struct ga_err *err);
void ga_approve_release(struct ga_approve_run *run);

#endif
