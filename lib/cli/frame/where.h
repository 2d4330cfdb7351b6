/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions as people type them, for ga_store_list. */
#ifndef GA_CLI_FRAME_WHERE_H
#define GA_CLI_FRAME_WHERE_H

#include "state/db/db.h"

/* Puts the id in place of what people call a node, slot or allocation ("node=h7"), in a
 * NULL-terminated list. What there is none of stays and is said: no record can have it. */
GA_MUST_CHECK int ga_cli_where(struct ga_db *db, const char **where, struct ga_err *err);

#endif
