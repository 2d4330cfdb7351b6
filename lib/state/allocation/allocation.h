/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations, claims, usage and timelines as records. */
#ifndef GA_STATE_ALLOCATION_ALLOCATION_H
#define GA_STATE_ALLOCATION_ALLOCATION_H

#include "record/result.h"
#include "record/state.h"
#include "state/db/row.h"

GA_MUST_CHECK int ga_store_allocation(struct ga_db *db, const char *id, struct ga_allocation *ret,
				      struct ga_err *err);
GA_MUST_CHECK int ga_query_allocations(struct ga_db *db, const char *id, struct ga_rows **ret,
				       struct ga_err *err);
/* object NULL: all. */
GA_MUST_CHECK int ga_query_tasks(struct ga_db *db, const char *object, struct ga_rows **ret,
				 struct ga_err *err);
GA_MUST_CHECK int ga_query_claims(struct ga_db *db, const char *object, struct ga_rows **ret,
				  struct ga_err *err);
GA_MUST_CHECK int ga_query_usage(struct ga_db *db, const char *allocation, struct ga_rows **ret,
				 struct ga_err *err);
/* after: only rows with a larger number; since NULL: from the first row. */
GA_MUST_CHECK int ga_query_audit(struct ga_db *db, const char *object, int64_t after,
				 const char *since, struct ga_rows **ret, struct ga_err *err);

#endif
