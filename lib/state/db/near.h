/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are spelled nearly as one that the state does not have, for hints. */
#ifndef GA_STATE_DB_NEAR_H
#define GA_STATE_DB_NEAR_H

#include "state/db/db.h"

/* The start of a hint: "near to it: 'one', 'two'; ", or "" when no name is near or the state cannot
 * be read now. kind: "allocation", "node", "team", "grant", "app", "profile" or "image"; NULL: each
 * that ga_store_resolve finds without a kind. The caller frees it. */
char *ga_db_near(struct ga_db *db, const char *kind, const char *text);

#endif
