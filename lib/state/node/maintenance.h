/* SPDX-License-Identifier: Apache-2.0 */
/* Maintenance windows: planned, ended early, or over by time. */
#ifndef GA_STATE_NODE_MAINTENANCE_H
#define GA_STATE_NODE_MAINTENANCE_H

#include "record/state.h"
#include "state/db/row.h"

/* node NULL: all nodes; ahead: only windows that are not over. In the order of their beginning. */
GA_MUST_CHECK int ga_query_maintenance(struct ga_db *db, const char *node, bool ahead,
				       struct ga_rows **ret, struct ga_err *err);

#endif
