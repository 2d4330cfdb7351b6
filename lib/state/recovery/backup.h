/* SPDX-License-Identifier: Apache-2.0 */
/* Backups kept in a folder, each looked at as a whole: what gpuaas-backup.timer makes. */
#ifndef GA_STATE_RECOVERY_BACKUP_H
#define GA_STATE_RECOVERY_BACKUP_H

#include "record/state.h"
#include "state/db/db.h"

/*
 * Copies the state into dir (made 0700) as state-TIME.db and checks the copy; each finding goes to
 * each. A copy without findings is kept, and of these the newest keep (at least 1). One with
 * findings stays as state-TIME.db.findings, and no older one goes: the number of findings is
 * returned, and *made (allocated) is the file either way.
 */
GA_MUST_CHECK int ga_state_backup(struct ga_db *db, const char *dir, int64_t keep,
				  int (*each)(const struct ga_finding *finding, void *arg,
				  struct ga_err *err), void *arg, char **made, struct ga_err *err);

/* What is in such a folder; a folder that is not there holds nothing. */
struct ga_backups {
	int64_t good, findings; /* how many without and with findings */
	int64_t newest_micros;	/* when the newest without was made; 0: there is none */
};
GA_MUST_CHECK int ga_state_backups(const char *dir, struct ga_backups *ret, struct ga_err *err);

#endif
