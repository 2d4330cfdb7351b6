/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations, claims, usage and timelines as records. */
#ifndef GA_STATE_ALLOCATION_ALLOCATION_H
#define GA_STATE_ALLOCATION_ALLOCATION_H

#include "state/db/json.h"
#include "state/db/row.h"

struct ga_allocation;

/* SQL of an allocation "a": the run time of its request in seconds, or NULL; and when it began,
 * which is the first use, before that the creation. The end of a run time is the sum of both. */
#define GA_SQL_RUN_SECONDS "json_extract(" GA_SQL_OBJECT("a.request") ", '$.run_seconds')"
#define GA_SQL_RUN_BEGAN \
	"coalesce((SELECT min(u.started_at) FROM usage u WHERE u.allocation_id = a.id " \
	"AND u.usage_kind = 'active'), a.created_at)"

/* Fills ret; release it with ga_schema_release. GA_NOTFOUND when there is none with this id. */
GA_MUST_CHECK int ga_store_allocation(struct ga_db *db, const char *id, struct ga_allocation *ret,
				      struct ga_err *err);
/* Rows for ga_row_read, oldest first; id NULL: all. The caller closes ret. */
GA_MUST_CHECK int ga_query_allocations(struct ga_db *db, const char *id, struct ga_rows **ret,
				       struct ga_err *err);
/* The rows of the object, oldest first, and page is NULL; or object is NULL, and the page of all
 * rows. The same for usage and audit. */
GA_MUST_CHECK int ga_query_tasks(struct ga_db *db, const char *object, const struct ga_page *page,
				 struct ga_rows **ret, struct ga_err *err);
/* object: an allocation or a slot; NULL: all. Oldest first. */
GA_MUST_CHECK int ga_query_claims(struct ga_db *db, const char *object, struct ga_rows **ret,
				  struct ga_err *err);
GA_MUST_CHECK int ga_query_usage(struct ga_db *db, const char *allocation,
				 const struct ga_page *page, struct ga_rows **ret,
				 struct ga_err *err);
GA_MUST_CHECK int ga_query_audit(struct ga_db *db, const char *object, const struct ga_page *page,
				 struct ga_rows **ret, struct ga_err *err);

#endif
