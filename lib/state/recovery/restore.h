/* SPDX-License-Identifier: Apache-2.0 */
/* A state file from a backup, in a new epoch (state.md, invariant 8). */
#ifndef GA_STATE_RECOVERY_RESTORE_H
#define GA_STATE_RECOVERY_RESTORE_H

#include "record/state.h"
#include "state/db/db.h"

struct ga_restored {
	char *kept; /* where the replaced file is; NULL: there was none */
	int64_t epoch, epoch_before; /* epoch_before GA_UNKNOWN: what was there could not be read */
};
void ga_restored_release(struct ga_restored *r);
#define ga_autorestored ga_cleanup(ga_restored_release)

/*
 * Replaces the state at path by the backup from: copied, migrated, checked (each finding goes to
 * each; any is GA_CONFLICT "findings" and nothing changes), put into an epoch after both, and
 * renamed into place while writers wait. Nothing is placed on a node until its reconcile agreed,
 * nor on a slot until it was adopted or wiped. A lab replaces only a lab.
 */
GA_MUST_CHECK int ga_state_restore(const char *path, const char *from, const char *reason,
		int (*each)(const struct ga_finding *finding, void *arg,
		struct ga_err *err), void *arg, struct ga_restored *ret, struct ga_err *err);

#endif
