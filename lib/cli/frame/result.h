/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of results of host programs: into the local state if this machine has one, and to
 * standard output. For a state on another machine, "gpuaas-state fold" there commits the records
 * from standard output.
 */
#ifndef GA_CLI_FRAME_RESULT_H
#define GA_CLI_FRAME_RESULT_H

#include "record/schema.h"
#include "state/db/db.h"

struct ga_release_order;
struct ga_wipe_order;
struct ga_progress;

/* Opens the output for results: the state file at state_path and standard output; only standard
 * output if the path is NULL or the file is missing. */
GA_MUST_CHECK int ga_result_open(const char *state_path, struct ga_err *err);
/* Whether results go to a state on this machine. */
bool ga_result_has_state(void);
/* Closes the state and forgets the key of the host; results go to standard output again. */
void ga_result_close(void);
/* Closes the state, so that a worker can start; the next result opens it again. */
void ga_result_set_down(void);
/* Commits a result to the state, if there is one, and then writes the record, signed with the key
 * of the host. If the state refuses the result (concurrent_update, …), writes the record anyway and
 * returns the refusal as the error. If the state stores the result but does not believe it
 * (ga_fold_unbelieved), prints the reason on stderr and notes its status. */
GA_MUST_CHECK int ga_result_emit(const struct ga_schema *schema, const void *obj,
				 struct ga_err *err);
/* If the state is on this machine: GA_BUSY "wipe_too_early" when the state would not believe a wipe
 * of the slot that begins now. 0 with a reason in no: the order is no longer in force. */
GA_MUST_CHECK int ga_result_may_wipe(const struct ga_wipe_order *order, struct ga_err *no,
				     struct ga_err *err);
/* If the state is on this machine: 1 when the release order is in force, 0 when its allocation
 * belongs to another state, -1 when the order is over (ga_store_release_in_force). 0 without a
 * state. */
GA_MUST_CHECK int ga_result_release_in_force(const struct ga_release_order *order,
					     struct ga_err *err);
/* Only writes the record, signed if its kind is signed: for records that are no result of an
 * order. */
GA_MUST_CHECK int ga_result_say(const struct ga_schema *schema, const void *obj,
				struct ga_err *err);
/* Only commits the result to the state, if there is one: for results that are not for standard
 * output. */
GA_MUST_CHECK int ga_result_fold(const struct ga_schema *schema, const void *obj,
				 struct ga_err *err);
/* Commits a phase of work as a row of the timeline; writes it only with to_stdout (--progress
 * json). */
GA_MUST_CHECK int ga_result_progress(const struct ga_progress *p, bool to_stdout,
				     struct ga_err *err);
/* If the state is on this machine, calls ga_request_tidy. Call it before ga_result_close. */
void ga_result_tidy(void);

/* Outside of any transaction: removes user-data that no allocation needs any more. Reports on
 * stderr if it cannot remove some; the next run tries again. */
void ga_request_tidy(struct ga_db *db);

#endif
