/* SPDX-License-Identifier: Apache-2.0 */
/* Backups kept in a folder, each checked completely: gpuaas-backup.timer makes them. */
#ifndef GA_STATE_RECOVERY_BACKUP_H
#define GA_STATE_RECOVERY_BACKUP_H

#include "state/db/db.h"

struct ga_finding;

/*
 * Copies the state into dir (made 0700) as state-TIME.db and checks the copy; calls each with every
 * finding. A copy without findings is kept; of these, only the newest `keep` (at least 1) stay. A
 * copy with findings stays as state-TIME.db.findings, and no older copy is removed. Returns the
 * number of findings; *made (allocated) is the file in both cases.
 */
GA_MUST_CHECK int ga_state_backup(struct ga_db *db, const char *dir, int64_t keep,
				  int (*each)(const struct ga_finding *finding, void *arg,
				  struct ga_err *err), void *arg, char **made, struct ga_err *err);

/* The content of such a folder; a folder that does not exist has no backups. */
struct ga_backups {
	int64_t good, findings; /* number of backups without and with findings */
	int64_t newest_micros;	/* time of the newest without findings; 0: there is none */
};
GA_MUST_CHECK int ga_state_backups(const char *dir, struct ga_backups *ret, struct ga_err *err);

#endif
