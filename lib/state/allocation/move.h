/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that the operations on the state consist of: moves over edges, usage, timeline. Only
 * for the folders of lib/state; each step runs inside the caller's write transaction. Every move
 * raises the generation by one. `at` is the time of the move, RFC 3339.
 */
#ifndef GA_STATE_ALLOCATION_MOVE_H
#define GA_STATE_ALLOCATION_MOVE_H

#include "base/vec.h"
#include "record/schema.h"
#include "state/db/db.h"
#include "state/db/fsm.h"

struct ga_task;

/* The columns of an allocation that the moves need, as they are now. */
struct ga_allocation_row {
	char *id, *state, *node, *attempt, *order_kind, *shape;
	int64_t generation, attempt_generation;
};
void ga_cleanup_allocation_row(struct ga_allocation_row *h);
#define ga_autoallocation ga_cleanup(ga_cleanup_allocation_row)
/* 1 found, 0 no such allocation, -1. */
GA_MUST_CHECK int ga_store_allocation_row(struct ga_db *db, const char *allocation,
					  struct ga_allocation_row *ret, struct ga_err *err);

/* Moves the allocation over an edge to the state `to`; h->state is then the new state. GA_CONFLICT
 * "wrong_state" when its state has no such edge. */
GA_MUST_CHECK int ga_store_move_allocation(struct ga_db *db, struct ga_allocation_row *h,
					   const char *to, const char *at, const char *reason,
					   struct ga_err *err);
/* Moves one slot; from NULL: from any state. 1 moved, 0 the slot was not in from. */
GA_MUST_CHECK int ga_store_move_slot(struct ga_db *db, const char *slot, const char *from,
				     const char *to, const char *at, struct ga_err *err);
/* Moves every slot of the allocation's live claims that is in from; returns the number moved. */
GA_MUST_CHECK int ga_store_move_claimed(struct ga_db *db, const char *allocation, const char *from,
					const char *to, const char *at, struct ga_err *err);
/* The slots of the allocation's live claims in a state (NULL: any), by index. */
GA_MUST_CHECK int ga_store_claimed(struct ga_db *db, const char *allocation, const char *state,
				   struct ga_texts *ret, struct ga_err *err);
/* Moves the slot to cleanup_blocked and adds the reason to its blockers. */
GA_MUST_CHECK int ga_store_block_slot(struct ga_db *db, const char *slot, const char *code,
				      const char *sentence, const char *at, struct ga_err *err);
/* The same for every slot of the allocation's live claims, except those in cleanup_blocked or
 * quarantined. */
GA_MUST_CHECK int ga_store_block_claimed(struct ga_db *db, const char *allocation, const char *code,
					 const char *sentence, const char *at, struct ga_err *err);
/* Whether a confirmed wipe settles a reason that ga_store_block_slot added with this code. */
bool ga_store_block_is_answered(const char *code);
/* Every slot that an allocation ever had a claim on, by index. */
GA_MUST_CHECK int ga_store_ever_claimed(struct ga_db *db, const char *allocation,
					struct ga_texts *ret, struct ga_err *err);
/* The slot's state, and the allocation of its live claim (NULL: none); both allocated. */
GA_MUST_CHECK int ga_store_slot_owner(struct ga_db *db, const char *slot, char **state,
				      char **owner, struct ga_err *err);
/* available → quarantined with the reason in its blockers. */
GA_MUST_CHECK int ga_store_quarantine_slot(struct ga_db *db, const char *slot, const char *code,
					   const char *sentence, const char *at,
					   struct ga_err *err);
/* available → disabled with the reason in its blockers. */
GA_MUST_CHECK int ga_store_disable_slot(struct ga_db *db, const char *slot, const char *code,
					const char *sentence, const char *at, struct ga_err *err);
/* Taints the slot's devices as of now; the slot must not be available or reserved. */
GA_MUST_CHECK int ga_store_taint_slot(struct ga_db *db, const char *slot, const char *by,
				      struct ga_err *err);
/* Ends the rest of an allocation whose last slot is free: the node claim and the cleanup time. */
GA_MUST_CHECK int ga_store_end_allocation(struct ga_db *db, const char *allocation, const char *at,
					  struct ga_err *err);

/* A host's time as the state stores it: at, or the present where at lies in the future. It always
 * has all digits of a second's fraction, so that texts of times sort as times; a record may leave
 * some out. */
GA_MUST_CHECK int ga_store_not_ahead(const char *at, char when[GA_TIME_SIZE], struct ga_err *err);

/* The time at which a slot or allocation enters its next state: at, limited to the present
 * (ga_store_not_ahead), and never before the time at which it entered its present state. */
GA_MUST_CHECK int ga_store_since(struct ga_db *db, enum ga_machine m, const char *id,
				 const char *at, char when[GA_TIME_SIZE], struct ga_err *err);

/* GA_CONFLICT "observation_ahead" when the time of an observation of the node (what: "the
 * discovery") is ahead (ga_time_is_ahead): until that time, it would count as newer than every
 * right observation. */
GA_MUST_CHECK int ga_store_refuse_ahead(const char *what, const char *node, const char *at,
					struct ga_err *err);

/* Usage: at most one span of an allocation is open; opening a span ends the open one. A span begins
 * where the span before it ended, or later, and neither begins nor ends in the future, whatever
 * clock `at` comes from (gpuaas-report(1): spans share no second and leave no gap). */
GA_MUST_CHECK int ga_store_usage_open(struct ga_db *db, const char *allocation,
				      const char *usage_kind, const char *at, struct ga_err *err);
GA_MUST_CHECK int ga_store_usage_close(struct ga_db *db, const char *allocation, const char *at,
				       struct ga_err *err);

/* The timeline: adds or replaces the row of (object, attempt, phase). */
GA_MUST_CHECK int ga_store_task(struct ga_db *db, const struct ga_task *t, struct ga_err *err);

/* The command that moves the object out of the state (state/db/fsm.h), with the id in it,
 * allocated; NULL for a final state. shape: the shape of the allocation, or of the allocation that
 * holds the slot; NULL: there is none, or it is not known. */
char *ga_store_leave(enum ga_machine m, const char *state, const char *shape, const char *id);

/* "expected generation 3 of attempt x, found …" as GA_CONFLICT concurrent_update. */
GA_MUST_CHECK int ga_store_stale(const char *object, const char *attempt, int64_t generation,
				 const char *attempt_found, int64_t generation_found,
				 struct ga_err *err);

#endif
