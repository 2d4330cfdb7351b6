/* SPDX-License-Identifier: Apache-2.0 */
/* Apps in the state: applied manifests and their versions. */
#ifndef GA_STATE_CAPACITY_APP_H
#define GA_STATE_CAPACITY_APP_H

#include "record/app.h"
#include "state/db/row.h"

/* Fills ret with the current version; release it with ga_schema_release. GA_NOTFOUND "no_app". */
GA_MUST_CHECK int ga_store_app(struct ga_db *db, const char *name, struct ga_app *ret,
			       struct ga_err *err);
/* Idempotent: 1 when something changed, 0 when the state had it already. GA_BADREC for a
 * manifest against the rules (ga_app_check). */
GA_MUST_CHECK int ga_store_apply_app(struct ga_db *db, const struct ga_app *a, struct ga_err *err);
/* Rows of one column of text: the record itself, and the name. name NULL: all current ones. */
GA_MUST_CHECK int ga_query_apps(struct ga_db *db, const char *name, struct ga_rows **ret,
				struct ga_err *err);

#endif
