/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of maintenance: planned, ended before their time, over by themselves. */
#ifndef GA_STATE_NODE_MAINTENANCE_H
#define GA_STATE_NODE_MAINTENANCE_H

#include "record/state.h"
#include "state/db/row.h"

/* node NULL: of all; ahead: only windows that still count. In the order of their beginning. */
GA_MUST_CHECK int ga_query_maintenance(struct ga_db *db, const char *node, bool ahead,
				       struct ga_rows **ret, struct ga_err *err);

#endif
