/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a state file still holds its promises: the file itself (pages, foreign keys, triggers),
 * every invariant of gpuaas-state(5) checked again by its own query, the digests of the evidence,
 * and the audit chain. Reads only. The head of the audit goes to the system log, so that a
 * shortened chain is noticed.
 */
#ifndef GA_STATE_RECOVERY_CHECK_H
#define GA_STATE_RECOVERY_CHECK_H

#include "state/db/db.h"

struct ga_finding;

/* Calls each with every finding; returns their number, -1 on error. The database may be open for
 * reading only; the complete check sees the state of one moment. */
GA_MUST_CHECK int ga_state_check(struct ga_db *db, int (*each)(const struct ga_finding *finding,
				 void *arg, struct ga_err *err), void *arg, struct ga_err *err);

#endif
