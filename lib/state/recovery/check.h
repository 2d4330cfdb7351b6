/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a state file still holds what it promises: the file itself (pages, foreign keys,
 * triggers), every invariant of state.md looked at again by a query of its own, the digests of the
 * evidence, and the audit chain. Reads only. The head of the audit goes to the system log, so that
 * a chain cut short is noticed.
 */
#ifndef GA_STATE_RECOVERY_CHECK_H
#define GA_STATE_RECOVERY_CHECK_H

#include "record/state.h"
#include "state/db/db.h"

/* Calls each with every finding; the number of them, -1 on error. A database opened for reading
 * will do; the whole check sees one moment. */
GA_MUST_CHECK int ga_state_check(struct ga_db *db, int (*each)(const struct ga_finding *finding,
				 void *arg, struct ga_err *err), void *arg, struct ga_err *err);

#endif
