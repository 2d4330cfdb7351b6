/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where results of host programs go: into the local state when this machine holds it, and to
 * standard output. On another machine gpuaas-state fold does the same with the records that
 * travelled there.
 */
#ifndef GA_CLI_FRAME_RESULT_H
#define GA_CLI_FRAME_RESULT_H

#include "record/result.h"
#include "record/wipe.h"
#include "state/db/db.h"

/* Decides where results go: into the state file at state_path, where that exists, and to standard
 * output; only to standard output where the path is NULL or the file is missing. */
GA_MUST_CHECK int ga_result_open(const char *state_path, struct ga_err *err);
/* Closes the state and forgets the key of the host; results go to standard output again. */
void ga_result_close(void);
/* Closes the state for now, so that a worker can start; the next result opens it again. */
void ga_result_set_down(void);
/* Folds a result into the state, where there is one, and then writes the record, signed with the
 * key of the host. When the fold is refused (concurrent_update, …) the record is written all the
 * same, and the refusal is the error. When the state takes the result and does not believe it
 * (ga_fold_unbelieved), the reason stands on stderr, and its status is noted. */
GA_MUST_CHECK int ga_result_emit(const struct ga_schema *schema, const void *obj,
				 struct ga_err *err);
/* Where the state is on this machine: GA_BUSY "wipe_too_early" when it would not believe a wipe of
 * the slot that begins now. 0 with the reason in no: the order is no longer in force. */
GA_MUST_CHECK int ga_result_may_wipe(const struct ga_wipe_order *order, struct ga_err *no,
				     struct ga_err *err);
/* Only writes the record, signed where its kind is: for what is no result of an order. */
GA_MUST_CHECK int ga_result_say(const struct ga_schema *schema, const void *obj,
				struct ga_err *err);
/* Only folds, where there is a state: for results that are not for standard output. */
GA_MUST_CHECK int ga_result_fold(const struct ga_schema *schema, const void *obj,
				 struct ga_err *err);
/* A phase of work: folded as a row of the timeline, and written only with to_stdout (--progress
 * json). */
GA_MUST_CHECK int ga_result_progress(const struct ga_progress *p, bool to_stdout,
				     struct ga_err *err);
/* Where the state is on this machine: user-data that no allocation needs any more is removed. It
 * says what it could not remove; a later run tries again. Call it before ga_result_close. */
void ga_result_tidy(void);

/* Outside of any transaction: removes user-data that no allocation needs any more. Names on
 * stderr what it cannot remove; the next run tries that again. */
void ga_request_tidy(struct ga_db *db);

#endif
