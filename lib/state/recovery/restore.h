/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a state file from a backup, in a new epoch (gpuaas-state(5)). */
#ifndef GA_STATE_RECOVERY_RESTORE_H
#define GA_STATE_RECOVERY_RESTORE_H

#include "base/texts.h"
#include "state/db/db.h"

struct ga_finding;

struct ga_restored {
	char *kept; /* path of the replaced file; NULL: there was none */
	int64_t epoch, epoch_before; /* epoch_before GA_UNKNOWN: the replaced file could not be
					read */
	int64_t revoked; /* keys that were revoked since the backup, and are again; GA_UNKNOWN: the
			    replaced file does not tell */
	struct ga_texts unkept; /* nodes with a revoked key that the backup does not have */
};
void ga_restored_release(struct ga_restored *r);
#define ga_autorestored ga_cleanup(ga_restored_release)

/*
 * Replaces the state at path by the backup from. The backup is copied, migrated, checked (calls
 * each with every finding; with any finding it is GA_CONFLICT "findings" and nothing changes),
 * given an epoch above both, and renamed into place while writers wait. A node takes no placement
 * until its reconcile agreed, nor a slot until it was adopted or wiped. A key that was revoked
 * in the replaced state stays revoked. Only a lab replaces a lab's
 * state.
 */
GA_MUST_CHECK int ga_state_restore(const char *path, const char *from, const char *reason,
		int (*each)(const struct ga_finding *finding, void *arg,
		struct ga_err *err), void *arg, struct ga_restored *ret, struct ga_err *err);

#endif
