/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the fold: one function for each kind of result. Each returns 1 when it changed
 * something, 0 when nothing changed, -1 when it refused. Other code calls ga_fold (fold.h).
 */
#ifndef GA_STATE_FOLD_INTERNAL_H
#define GA_STATE_FOLD_INTERNAL_H

#include "record/vm.h"
#include "state/allocation/move.h"
#include "state/allocation/wipe.h"
#include "state/db/row.h"
#include "state/fold/fold.h"

GA_MUST_CHECK int ga_fold_progress(struct ga_db *db, const struct ga_progress *p,
				   struct ga_err *err);
GA_MUST_CHECK int ga_fold_allocation(struct ga_db *db, const struct ga_allocation *a,
				     struct ga_err *err);
GA_MUST_CHECK int ga_fold_released(struct ga_db *db, const struct ga_released *r,
				   struct ga_err *err);
GA_MUST_CHECK int ga_fold_evidence(struct ga_db *db, const struct ga_wipe_evidence *e,
				   struct ga_err *err);
GA_MUST_CHECK int ga_fold_observation(struct ga_db *db, const struct ga_observation *o,
				      struct ga_err *err);
GA_MUST_CHECK int ga_fold_drift(struct ga_db *db, const struct ga_drift *d, struct ga_err *err);
GA_MUST_CHECK int ga_fold_failure(struct ga_db *db, const struct ga_failure *f, struct ga_err *err);
GA_MUST_CHECK int ga_fold_power(struct ga_db *db, const struct ga_power *p, struct ga_err *err);
GA_MUST_CHECK int ga_fold_console(struct ga_db *db, const struct ga_console *c, struct ga_err *err);
GA_MUST_CHECK int ga_fold_ingress(struct ga_db *db, const struct ga_ingress *i, struct ga_err *err);

/* Refuses results that are never folded: of a dry run, or of a lab in a state that is no lab and
 * the reverse. */
GA_MUST_CHECK int ga_fold_check(struct ga_db *db, const char *object, bool dry_run, bool lab,
				struct ga_err *err);
/* Reads the allocation; refuses unless attempt and generation (GA_UNKNOWN: not given) are
 * in force. */
GA_MUST_CHECK int ga_fold_allocation_row(struct ga_db *db, const char *allocation,
					 const char *attempt, int64_t generation,
					 struct ga_allocation_row *ret, struct ga_err *err);
/* Folds a failure of provision. Depending on phase and code the allocation keeps its state, is
 * cancelled (a disk had data), or fails and its slots become cleanup_blocked. */
GA_MUST_CHECK int ga_fold_provision_failed(struct ga_db *db, struct ga_allocation_row *h,
					   const struct ga_failure *f, struct ga_err *err);
GA_MUST_CHECK int ga_fold_release_failed(struct ga_db *db, struct ga_allocation_row *h,
					 const struct ga_failure *f, struct ga_err *err);
/* A hold or undo that failed on the host: attention shows it until the power is as wanted. */
GA_MUST_CHECK int ga_fold_hold_failed(struct ga_db *db, const struct ga_allocation_row *h,
				      const struct ga_failure *f, struct ga_err *err);
/* Adds the audit row unless the last row of the object is the same: 1 added, 0 not. Consumes
 * detail. */
GA_MUST_CHECK int ga_fold_audit(struct ga_db *db, const char *action, const char *object,
				json_t *detail, struct ga_err *err);
/* A rebuild that failed leaves the allocation active, with the reason in it. */
GA_MUST_CHECK int ga_fold_rebuild_failed(struct ga_db *db, const struct ga_allocation_row *h,
					 const struct ga_failure *f, struct ga_err *err);
/* The evidence of a wipe in a rebuild: kept and shown, but it clears no taint and moves no slot. */
GA_MUST_CHECK int ga_fold_rebuild_evidence(struct ga_db *db, const struct ga_wipe_evidence *e,
					   const struct ga_wipe_due *due, struct ga_err *err);

#endif
