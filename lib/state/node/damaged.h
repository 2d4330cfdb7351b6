/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the state that were damaged from outside gpuaas. */
#ifndef GA_STATE_NODE_DAMAGED_H
#define GA_STATE_NODE_DAMAGED_H

#include "state/db/attend.h"
#include "state/db/db.h"

/* Calls each for every node, slot, live allocation and profile that cannot be read completely, and
 * stops when it returns -1; what: "its plan is not a record". ga_store_each_unsellable reports
 * slots on sale. */
typedef int (*ga_damaged)(const char *kind, const char *id, const char *what, void *arg,
			  struct ga_err *err);
GA_MUST_CHECK int ga_store_each_damaged(struct ga_db *db, ga_damaged each, void *arg,
					struct ga_err *err);

/* Nodes, slots and allocations with a column that cannot be read (state/node/damaged.h), except
 * unreadable blockers: attention shows these as the first blocker of the object. */
GA_MUST_CHECK int ga_attend_damaged(struct ga_db *db, const struct ga_attend_to *to,
				    struct ga_err *err);

#endif
