/* SPDX-License-Identifier: Apache-2.0 */
/* Everything of one object: itself, what it holds, its timeline, evidence, usage, audit. */
#ifndef GA_STATE_QUERY_SHOW_H
#define GA_STATE_QUERY_SHOW_H

#include "record/state.h"
#include "state/db/row.h"

/* Everything of one object (kind and id as ga_store_resolve found them): itself; of a node its
 * slots, of slot and allocation claims, timeline, evidence, usage and proposals; then its audit
 * rows. */
GA_MUST_CHECK int ga_store_show(struct ga_db *db, const char *kind, const char *id,
				ga_store_each each, void *arg, struct ga_err *err);

#endif
