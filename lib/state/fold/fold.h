/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fold: what hosts did, committed to the state. Whether the records came over a pipe from
 * elsewhere or from a program on this machine, it is this function that takes them.
 */
#ifndef GA_STATE_FOLD_FOLD_H
#define GA_STATE_FOLD_FOLD_H

#include "record/state.h"
#include "state/allocation/move.h"
#include "state/db/row.h"

/* Commits one result: progress, allocation, released, wipe-evidence, observation, drift, failure,
 * power, console, ingress.
 * 1 when it changed something, 0 when it was folded before. A result of an attempt or generation
 * that is not the one in force is GA_CONFLICT "concurrent_update"; a dry_run one GA_CONFLICT
 * "dry_run"; another lab-ness GA_CONFLICT "lab". */
GA_MUST_CHECK int ga_fold(struct ga_db *db, const struct ga_schema *schema, const void *obj,
			  struct ga_err *err);
/* Whether the state took a result and did not believe it: 1, and why has the slot that is blocked
 * for it, the sentence and what to do, and from when; 0; -1. After ga_fold, also of a result that
 * was folded before. What failed on the host says so itself: 0. */
GA_MUST_CHECK int ga_fold_unbelieved(struct ga_db *db, const struct ga_schema *schema,
				     const void *obj, struct ga_err *why, struct ga_err *err);
/* Whether this very result was folded before: 1, 0, -1. */
GA_MUST_CHECK int ga_fold_is_known(struct ga_db *db, const struct ga_schema *schema,
				   const void *obj, struct ga_err *err);

/* placed → provisioning with its slots (their devices are tainted from here on), and usage. */
GA_MUST_CHECK int ga_fold_start(struct ga_db *db, struct ga_allocation_row *h, const char *at,
				struct ga_err *err);

#endif
