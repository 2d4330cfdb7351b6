/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions as people type them, for ga_store_list. */
#ifndef GA_CLI_FRAME_WHERE_H
#define GA_CLI_FRAME_WHERE_H

#include "state/db/db.h"

/* Replaces the name of a node, slot or allocation, or the beginning of its id, by the id in
 * conditions such as "node=h7". where is a NULL-terminated list; replaced texts live as long as the
 * program. A name that nothing has stays, and a line on stderr says so: no record can match it.
 * Needs a transaction that reads. */
GA_MUST_CHECK int ga_cli_where(struct ga_db *db, const char **where, struct ga_err *err);

#endif
