/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of people, for ga_store_list. */
#ifndef GA_CLI_FRAME_WHERE_H
#define GA_CLI_FRAME_WHERE_H

#include "state/db/db.h"

/* In conditions such as "node=h7", replaces the name of a node, slot or allocation, or the
 * beginning of its id, with the id. where is a NULL-terminated list; replaced texts live as long as
 * the program. An unknown name stays and is reported on stderr: no record can match it. Needs a
 * read transaction. */
GA_MUST_CHECK int ga_cli_where(struct ga_db *db, const char **where, struct ga_err *err);

#endif
