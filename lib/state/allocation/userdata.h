/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User-data beside the state: DIR/user-data/DIGEST, written by gpuaas-place before its plan is
 * committed, and removed when no allocation that has not ended names it any more. Who writes holds
 * a shared lock of the folder until its plan is committed or given up; who removes holds it alone,
 * so that a file that is here before its plan is not taken for one that is left over.
 *
 * States that lie in one folder share DIR/user-data. Each marks the files that it needs, by an
 * empty file .DIGEST@NAME with the name of the state's file, and a file goes with its last mark.
 * A file without any mark is an older version's: a state removes it when it knows its digest.
 */
#ifndef GA_STATE_ALLOCATION_USERDATA_H
#define GA_STATE_ALLOCATION_USERDATA_H

#include "record/state.h"
#include "state/db/db.h"

/* The folder, for the state at this path. */
char *ga_store_user_data_folder(const char *state_path);
/* Writes the user-data of this digest ("sha256:…"), and makes the folder where there is none, both
 * their state's owner's. The lock is held until this process tidies or ends. */
GA_MUST_CHECK int ga_store_user_data_put(const char *state_path, const char *digest,
					 const void *data, size_t len, struct ga_err *err);

/* Removes what is left over, and what an interrupted write left; outside of any transaction, and
 * when what this process has written is in a plan or given up. The number of files; 0 also when
 * somebody is just placing: it is removed another time. */
GA_MUST_CHECK int ga_store_user_data_tidy(struct ga_db *db, struct ga_err *err);
/* Calls each with what ga_store_user_data_tidy would remove, and is its number. */
GA_MUST_CHECK int ga_store_user_data_check(struct ga_db *db,
					   int (*each)(const struct ga_finding *finding, void *arg,
						       struct ga_err *err),
					   void *arg, struct ga_err *err);

#endif
