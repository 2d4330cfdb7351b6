/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transactions of gpuaas-approve: a discovery is stored and its candidates are approved, or
 * slots are moved by a verb. A step is done completely or not at all; a dry run does it and undoes
 * it. An action that needs two persons becomes a proposal.
 */
#ifndef GA_STATE_TRANSACTION_APPROVE_H
#define GA_STATE_TRANSACTION_APPROVE_H

#include "base/texts.h"
#include "base/vec.h"
#include "catalog/accel.h"
#include "record/state.h"
#include "record/wipe.h"
#include "state/access/propose.h"
#include "state/node/observe.h"
#include "state/query/still.h"
#include "state/slot/facts.h"

struct ga_approve_result {
	struct ga_slot slot;
	struct ga_wipe_order order;
	struct ga_proposal proposal; /* the proposal that now waits, or was decided */
	bool has_slot, has_order, has_proposal;
};

struct ga_approve_run {
	struct ga_db *db;
	struct ga_ints slots; /* indices of the candidates to approve; borrowed */
	struct ga_borrowed_texts destroy_data; /* wwids; borrowed */
	const char *note, *reason, *disposal;
	const char *mode;      /* mode of the node; NULL: unchanged */
	bool accept_change;
	bool all, record_only; /* approve all candidates, or none */
	bool dry_run;
	const struct ga_still *still; /* conditions that picked the slots of a verb and have to
				       * hold still; or NULL */
	struct ga_wipe_policy wipe; /* from ga_approve_policy; the run owns its texts */
	bool keeps_class, keeps_verify, keeps_gpu_memory; /* of a slot that is there already */
	/* Opens the catalogue of types of this machine. Called when a GPU's ids leave its type
	 * open, to compare the types that people recorded for the node. ga_approve_release closes
	 * it. */
	int (*catalogue)(struct ga_accels **ret, struct ga_err *err);
	struct ga_accels *accels; /* NULL until it is opened */

	/* Results of the last step, in order; overwritten by the next step. */
	GA_LIST(struct ga_approve_result) results;
	struct ga_node node; /* has_node: of a discovery with nothing to approve */
	bool has_node;
	struct ga_texts notes; /* sentences for people */
	bool content_checked; /* with all: of every candidate's disk, also if the step failed */
	bool left; /* a slot of the verb does not meet the conditions any more: no change of it */
	bool sells; /* the verb (enable, repair) puts slots back on sale; confirm never sets it */
	int64_t approved; /* in all steps: number of slots that only need a wipe to be sold */
};

/* The wipe policy: each given value, else the profile's, else that of a slot that is there already,
 * else purge, full, if_supported; in a lab the class of a new slot is clear unless one is given. */
GA_MUST_CHECK int ga_approve_policy(struct ga_approve_run *run, const char *profile,
				    const char *class, const char *verify, const char *gpu_memory,
				    struct ga_err *err);
/*
 * Stores the discovery, registers the key of the node (state/node/key.h), sets its mode, and
 * approves the selected candidates. GA_NOTFOUND when a candidate selected by index does not exist,
 * or no candidate has a disk whose data may be destroyed. A refusal of the access check
 * (state/access/access.h) goes into the audit.
 */
GA_MUST_CHECK int ga_approve_discovery(struct ga_approve_run *run, const struct ga_host *host,
				       const struct ga_candidates *candidates, struct ga_err *err);
/*
 * Moves slots by a verb (ga_store_slot_move); or with "confirm", carries out proposals for
 * the second person; or withdraws proposals. objects are ids, names or prefixes of slots,
 * or proposals. GA_CONFLICT with the code of the first blocker, and the proposal stays open, when
 * the confirmation of a destruction would allow nothing.
 */
GA_MUST_CHECK int ga_approve_move(struct ga_approve_run *run, const char *verb,
				  char *const *objects, size_t n, struct ga_err *err);
void ga_approve_release(struct ga_approve_run *run);

#endif
