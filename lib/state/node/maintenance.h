/* SPDX-License-Identifier: Apache-2.0 */
/* Maintenance windows: planned, ended early, or over by time. */
#ifndef GA_STATE_NODE_MAINTENANCE_H
#define GA_STATE_NODE_MAINTENANCE_H

#include "state/db/row.h"

struct ga_maintenance;

/* Plans a maintenance window; from and to are RFC 3339. GA_USAGE when the window is over
 * already. */
GA_MUST_CHECK int ga_store_maintenance_plan(struct ga_db *db, const char *node, const char *from,
					    const char *to, const char *reason,
					    struct ga_maintenance *ret, struct ga_err *err);
/* Ends a window early; id may be a unique prefix. GA_CONFLICT when the window is over or ended. */
GA_MUST_CHECK int ga_store_maintenance_end(struct ga_db *db, const char *id,
					   struct ga_maintenance *ret, struct ga_err *err);
/* Calls each with the windows of a node that are not over. */
GA_MUST_CHECK int ga_store_maintenance_ahead(struct ga_db *db, const char *node, ga_store_each each,
					     void *arg, struct ga_err *err);
/* node NULL: all nodes; ahead: only windows that are not over. In the order of their beginning. */
GA_MUST_CHECK int ga_query_maintenance(struct ga_db *db, const char *node, bool ahead,
				       struct ga_rows **ret, struct ga_err *err);

#endif
