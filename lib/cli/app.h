/* SPDX-License-Identifier: Apache-2.0 */
/* Apps on command lines: applying a manifest, and the allocations that an app can run on. */
#ifndef GA_CLI_APP_H
#define GA_CLI_APP_H

#include "record/rec.h"
#include "state/db/row.h"
#include "state/query/list.h"

/* "gpuaas-state apply" of an app: stores it and emits it as stored. Reports on stderr a type or
 * vendor that is not in the catalogue of this machine; it is kept. quiet: emits nothing. */
GA_MUST_CHECK int ga_cli_apply_app(struct ga_db *db, const struct ga_rec *rec, bool quiet,
				   struct ga_err *err);
/* "gpuaas-list allocations --app": calls each with the allocations of the query that the app can
 * run on; with explain, with a struct ga_app_fit of every live allocation instead. */
GA_MUST_CHECK int ga_cli_list_for_app(struct ga_db *db, const char *app, bool explain,
				      const struct ga_list_query *q, ga_store_each each, void *arg,
				      struct ga_err *err);

/* GA_DENIED: the user gets the published view, which has no app. Returns -1. */
GA_MUST_CHECK int ga_cli_app_unpublished(const char *app, struct ga_err *err);

#endif
