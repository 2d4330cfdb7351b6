/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overrides of which one person is not enough: what gives up the proof of a wipe (a slot retired
 * with a record of its disk's disposal) or data that nobody here put on a disk (--destroy-data).
 * One person proposes, another confirms within a time; then it is done by the confirmation. Rules
 * as in state/db/db.h.
 *
 * A person is a login, else whom sudo names, else the real user (record/who.h); root, system users
 * and nobody are none. Two that have any user of people in common, by whatever path, are the same.
 */
#ifndef GA_STATE_ACCESS_PROPOSE_H
#define GA_STATE_ACCESS_PROPOSE_H

#include "record/access.h"
#include "state/access/access.h"
#include "state/db/attend.h"

#define GA_RETIRE_UNWIPED "retire_unwiped"
#define GA_DESTROY_DATA "destroy_data"

/* Whether an override of a slot, or of what is to be one on a node (slot NULL), may be done by one
 * person: 1 yes, 0 a proposal is needed, -1 (it is not granted to who acts). */
GA_MUST_CHECK int ga_store_override(struct ga_db *db, const char *slot, const char *node,
				    struct ga_err *err);
/* Whether leave to destroy what a disk holds is still to be given: 1, 0, -1. */
/* Whether somebody gave leave to destroy what is on the disk, and no wipe used it yet: 1, 0, -1. */
GA_MUST_CHECK int ga_store_destruction_allowed(struct ga_db *db, const char *wwid,
					       struct ga_err *err);
GA_MUST_CHECK int ga_store_destruction_due(struct ga_db *db, const char *wwid, struct ga_err *err);

/*
 * Proposes it: 0 with ret filled, also when the same person proposed the same before. GA_DENIED
 * "no_person" to root and system users; GA_CONFLICT "proposed" when another proposal of the slot
 * waits, with its command.
 */
GA_MUST_CHECK int ga_store_propose(struct ga_db *db, const char *action, const char *slot,
				   const char *device, const char *reason, const char *disposal,
				   struct ga_proposal *ret, struct ga_err *err);
/* The proposal that an id, or a unique prefix of one, means. */
GA_MUST_CHECK int ga_store_proposal(struct ga_db *db, const char *text, struct ga_proposal *ret,
				    struct ga_err *err);
/*
 * Notes the second person and gives ret as it is then; what was proposed is the caller's to do, in
 * the same transaction. GA_DENIED "same_person", "no_person", or not granted override;
 * GA_CONFLICT when its time is over, it is decided, or the slot has another disk now.
 */
GA_MUST_CHECK int ga_store_confirm(struct ga_db *db, const char *id, struct ga_proposal *ret,
				   struct ga_err *err);
/* Takes it back: who proposed it, or whoever is granted override. */
GA_MUST_CHECK int ga_store_withdraw(struct ga_db *db, const char *id, struct ga_proposal *ret,
				    struct ga_err *err);

/* object: a slot or the proposal itself, NULL: all. */
GA_MUST_CHECK int ga_query_proposals(struct ga_db *db, const char *object, struct ga_rows **ret,
				     struct ga_err *err);
/* Overrides that wait for a second person. */
GA_MUST_CHECK int ga_attend_proposals(struct ga_db *db, const struct ga_attend_to *to,
				      struct ga_err *err);

#endif
