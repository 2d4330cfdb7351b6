/* SPDX-License-Identifier: Apache-2.0 */
/* The live allocations, and whether an app can run on each. */
#ifndef GA_STATE_QUERY_APP_FIT_H
#define GA_STATE_QUERY_APP_FIT_H

#include "catalog/accel.h"
#include "decide/app/app.h"
#include "state/db/row.h"

/* Calls each with a struct ga_app_fit of every allocation that has a machine (placed,
 * provisioning, active or held), oldest first: whether the app can run on it. accels: the
 * catalogue of this machine. */
GA_MUST_CHECK int ga_store_app_fits(struct ga_db *db, const struct ga_app *app,
				    const struct ga_accels *accels, ga_store_each each, void *arg,
				    struct ga_err *err);

#endif
