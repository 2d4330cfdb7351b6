/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fold: the results of hosts become part of the state. ga_fold takes records that came over a
 * pipe from elsewhere and records of a program on this machine.
 */
#ifndef GA_STATE_FOLD_FOLD_H
#define GA_STATE_FOLD_FOLD_H

#include "state/allocation/move.h"
#include "state/db/row.h"

/*
 * Applies one result inside the caller's transaction: progress, allocation, released,
 * wipe-evidence, observation, drift, failure, power, console, ingress. 1 when it changed
 * something, 0 when it was folded before. GA_CONFLICT "concurrent_update" for a result of an
 * attempt or generation that is not in force; "dry_run" for the result of a dry run; "lab" for a
 * lab's result in a state that is no lab, and the reverse.
 */
GA_MUST_CHECK int ga_fold(struct ga_db *db, const struct ga_schema *schema, const void *obj,
			  struct ga_err *err);
/* Whether the same result was folded before: 1, 0, -1. */
GA_MUST_CHECK int ga_fold_is_known(struct ga_db *db, const struct ga_schema *schema,
				   const void *obj, struct ga_err *err);

/* placed → provisioning with its slots, and usage begins; the slots' devices are tainted from now
 * on. */
GA_MUST_CHECK int ga_fold_start(struct ga_db *db, struct ga_allocation_row *h, const char *at,
				struct ga_err *err);

#endif
