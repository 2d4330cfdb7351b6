/* SPDX-License-Identifier: Apache-2.0 */
/* The expected state of a node, as one record for gpuaas-reconcile. */
#ifndef GA_STATE_NODE_EXPECT_H
#define GA_STATE_NODE_EXPECT_H

#include "state/db/row.h"

struct ga_expectation;

/* Fills ret; release it with ga_schema_release. GA_NOTFOUND when there is no such node. */
GA_MUST_CHECK int ga_store_expectation(struct ga_db *db, const char *node,
				       struct ga_expectation *ret, struct ga_err *err);

#endif
