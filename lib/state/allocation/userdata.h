/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User-data beside the state: DIR/user-data/DIGEST. gpuaas-place writes a file before it commits
 * the plan; the file is removed when no allocation that has not ended names it. The writer holds a
 * shared lock of the folder until its plan is committed or given up. The remover holds an exclusive
 * lock, so that it does not take a file whose plan is not committed yet for a leftover.
 *
 * States that lie in one folder share DIR/user-data. Each state marks the files that it needs by an
 * empty file .DIGEST@NAME, where NAME is the name of the state's file. A file is removed with its
 * last mark. A file without any mark is an older version's: a state that knows the digest removes
 * it.
 */
#ifndef GA_STATE_ALLOCATION_USERDATA_H
#define GA_STATE_ALLOCATION_USERDATA_H

#include "state/db/db.h"

struct ga_finding;

/* The folder, for the state at this path. */
char *ga_store_user_data_folder(const char *state_path);
/* Writes the user-data of this digest ("sha256:…"), and makes the folder if needed; both belong to
 * the owner of the state. This process holds the lock until it tidies or ends. */
GA_MUST_CHECK int ga_store_user_data_put(const char *state_path, const char *digest,
					 const void *data, size_t len, struct ga_err *err);

/* Removes leftovers and unfinished files; returns the number of files. Call it outside of any
 * transaction, after the plans of this process are committed or given up. 0 also when somebody is
 * placing: a later call removes the files. */
GA_MUST_CHECK int ga_store_user_data_tidy(struct ga_db *db, struct ga_err *err);
/* Calls each with every file that ga_store_user_data_tidy would remove; returns their number. */
GA_MUST_CHECK int ga_store_user_data_check(struct ga_db *db,
					   int (*each)(const struct ga_finding *finding, void *arg,
						       struct ga_err *err),
					   void *arg, struct ga_err *err);

#endif
