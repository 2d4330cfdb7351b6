/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where results of host programs go: into the local state when this machine holds it, and out on
 * stdout. One function, two roads (state.md): elsewhere gpuaas-state fold does the same with the
 * records that travelled.
 */
#ifndef GA_CLI_FRAME_RESULT_H
#define GA_CLI_FRAME_RESULT_H

#include "record/result.h"
#include "record/wipe.h"
#include "state/db/db.h"

/* Decides once where results go: a state file at path that exists is folded into; NULL or a
 * missing file: only stdout. lab must agree with the file's when it is known (GA_CONFLICT). */
GA_MUST_CHECK int ga_result_open(const char *state_path, struct ga_err *err);
void ga_result_close(void);
/* Closes the state for now, so that a worker can start; the next result opens it again. */
void ga_result_set_down(void);
/* Folds (when there is a state) and then writes the record, signed with the host's key. A fold that
 * is refused (concurrent_update, …) still writes the record, and the refusal is the error. What the
 * state took and did not believe (ga_fold_unbelieved) stands on stderr, and its status is noted. */
GA_MUST_CHECK int ga_result_emit(const struct ga_shape *shape, const void *obj, struct ga_err *err);
/* Where the state is on this machine: GA_BUSY "wipe_too_early" when it would not believe a wipe of
 * the slot that begins now. 0 with the reason in no: the order is no longer in force. */
GA_MUST_CHECK int ga_result_may_wipe(const struct ga_wipe_order *order, struct ga_err *no,
				     struct ga_err *err);
/* Writes only, signed when it is a kind that is: for what is no result of an order. */
GA_MUST_CHECK int ga_result_say(const struct ga_shape *shape, const void *obj, struct ga_err *err);
/* Folds only: for results that are not for stdout. */
GA_MUST_CHECK int ga_result_fold(const struct ga_shape *shape, const void *obj, struct ga_err *err);
/* A phase: folded as a timeline row; on stdout only when to_stdout (--progress json). */
GA_MUST_CHECK int ga_result_progress(const struct ga_progress *p, bool to_stdout,
				     struct ga_err *err);
/* Where the state is on this machine: user-data that no allocation needs any more is removed. It
 * says what it could not remove; a later run tries again. Call it before ga_result_close. */
void ga_result_tidy(void);

/* Outside of any transaction: removes user-data that no allocation needs any more. Names on
 * stderr what it cannot remove; the next run tries that again. */
void ga_request_tidy(struct ga_db *db);

#endif
