/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The refusals that the state keeps: the demand that the fleet turned away.
 *
 * The row. It stands for one UTC day, one user, one request and one reason (code). Two
 * requests are the same when project, profile, shape, types, number of GPUs, name and request id
 * are: a client that asks each second has one row, whose attempts grow. Two requests without a name
 * and a request id that are otherwise the same count as one: nothing tells them apart.
 *
 * The demand. A request counts once with its GPUs in a period, on however many days and for however
 * many reasons it was refused: in the group of its first refusal in the period (ga_store_refused).
 * gpu_days counts it once for each day. So the groups of a report add up to its total. A baremetal
 * request without a number of GPUs is a request and adds no GPUs. The sums for metrics count a
 * request once a UTC month, as the report of that month does. A refusal of a mistake, such as an
 * unknown name or a number of GPUs that the profile does not sell, has a row and is no demand.
 *
 * The bounds. A row is removed when its day is GA_REFUSAL_DAYS past, at the next new
 * row. A user has at most GA_REFUSAL_ROWS rows of their own on a day; beyond that refusals share a
 * row for each profile, shape, type and code, without project, name, request id, other types and
 * number of GPUs: none of these four is a text of the user, so operator and catalogue bound the
 * rows. Such a row is one request without GPUs in a report. The sums stay. A request that names a
 * profile that does not exist is not kept.
 */
#ifndef GA_STATE_CAPACITY_REFUSAL_H
#define GA_STATE_CAPACITY_REFUSAL_H

#include "record/report.h"
#include "record/request.h"
#include "record/state.h"
#include "state/db/row.h"

#define GA_REFUSAL_DAYS 400
#define GA_REFUSAL_ROWS 1000

/* Fills in what is kept of a refusal of this request; profile is that of the request, NULL: not
 * known. ret is overwritten and released with ga_schema_release; it has no row, day and time
 * yet. */
void ga_store_refusal_of(const struct ga_request *request, const struct ga_profile *profile,
			 const struct ga_refusal *refusal, struct ga_kept_refusal *ret);
/* Whether a refusal with this code turned GPUs away: the request was right, and the fleet could not
 * serve it. */
bool ga_store_refusal_is_demand(const char *code);
/* Adds the attempt, of this user and of now, to its row or a new one, and to the sums. In the
 * caller's transaction. */
GA_MUST_CHECK int ga_store_refusal_keep(struct ga_db *db, const struct ga_kept_refusal *refusal,
					struct ga_err *err);

GA_MUST_CHECK int ga_query_refusals(struct ga_db *db, const struct ga_page *page,
				    struct ga_rows **ret, struct ga_err *err);

/*
 * Calls each with a group of the refused demand, from most GPUs down. by has the members that form
 * the groups, any of ga_refused_words; the group has no other member, and no times. A row counts
 * when its attempts reach into the time from (included) to to (not included), texts of times as in
 * records.
 */
extern const char *const ga_refused_words[]; /* code type project profile user day, NULL */
GA_MUST_CHECK int ga_store_refused(struct ga_db *db, const char *from, const char *to,
				   const struct ga_texts *by,
				   int (*each)(const struct ga_refusal_report *group, void *arg,
					       struct ga_err *err),
				   void *arg, struct ga_err *err);

#endif
