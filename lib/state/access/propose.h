/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overrides that need two persons: they give up the proof of a wipe (a slot is retired with a
 * record of its disk's disposal), or they destroy data that nobody of gpuaas put on a disk
 * (--destroy-data). One person proposes, another person confirms before the proposal expires; the
 * confirmation does it. Rules as in state/db/db.h.
 *
 * A person is the login user, else the user that sudo names, else the real user (record/who.h).
 * Root, system users and nobody are no persons. Two persons count as the same one when the two
 * chains of users (login, sudo, real) share any human user.
 */
#ifndef GA_STATE_ACCESS_PROPOSE_H
#define GA_STATE_ACCESS_PROPOSE_H

#include "record/access.h"
#include "state/access/access.h"
#include "state/db/attend.h"

#define GA_RETIRE_UNWIPED "retire_unwiped"
#define GA_DESTROY_DATA "destroy_data"

/* Whether one person may do an override of a slot, or of a future slot on a node (slot NULL): 1
 * yes, 0 a proposal is needed, -1 error (also when the actor has no grant for overrides). */
GA_MUST_CHECK int ga_store_override(struct ga_db *db, const char *slot, const char *node,
				    struct ga_err *err);
/* Whether the data on the disk was permitted to be destroyed, and no wipe has used that yet
 * (allowed); or whether it still needs the permission (due): 1, 0, -1. */
GA_MUST_CHECK int ga_store_destruction_allowed(struct ga_db *db, const char *wwid,
					       struct ga_err *err);
/* Refuses a disk whose slot has a tenant now: GA_CONFLICT "wrong_state". */
GA_MUST_CHECK int ga_store_destruction_check(struct ga_db *db, const char *wwid,
					     struct ga_err *err);
GA_MUST_CHECK int ga_store_destruction_due(struct ga_db *db, const char *wwid, struct ga_err *err);

/*
 * Proposes the override: 0 with ret filled, also when the same person proposed the same before.
 * GA_DENIED "no_person" for root and system users; GA_CONFLICT "proposed" when another proposal of
 * the slot waits: the error has its command.
 */
GA_MUST_CHECK int ga_store_propose(struct ga_db *db, const char *action, const char *slot,
				   const char *device, const char *reason, const char *disposal,
				   struct ga_proposal *ret, struct ga_err *err);
/* Finds the proposal by its id or a unique prefix of the id. */
GA_MUST_CHECK int ga_store_proposal(struct ga_db *db, const char *text, struct ga_proposal *ret,
				    struct ga_err *err);
/*
 * Records the second person; ret is the proposal after that. The caller then does the proposed
 * override in the same transaction. GA_DENIED "same_person", "no_person", or no grant for
 * overrides; GA_CONFLICT when the proposal is expired or decided, or the slot has another disk now.
 */
GA_MUST_CHECK int ga_store_confirm(struct ga_db *db, const char *id, struct ga_proposal *ret,
				   struct ga_err *err);
/* Withdraws the proposal. The proposer may do it, and everybody with a grant for overrides. */
GA_MUST_CHECK int ga_store_withdraw(struct ga_db *db, const char *id, struct ga_proposal *ret,
				    struct ga_err *err);

/* object: a slot or the proposal itself, NULL: all. */
GA_MUST_CHECK int ga_query_proposals(struct ga_db *db, const char *object, struct ga_rows **ret,
				     struct ga_err *err);
/* Overrides that wait for a second person. */
GA_MUST_CHECK int ga_attend_proposals(struct ga_db *db, const struct ga_attend_to *to,
				      struct ga_err *err);

#endif
