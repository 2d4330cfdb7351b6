/* SPDX-License-Identifier: Apache-2.0 */
/* Shows all of one object: itself, its slots or claims, its timeline, evidence, usage, audit. */
#ifndef GA_STATE_QUERY_SHOW_H
#define GA_STATE_QUERY_SHOW_H

#include "state/db/row.h"

/* Calls each with all records of one object (kind and id from ga_store_resolve): itself; the slots
 * of a node; claims, timeline, evidence, usage and proposals of a slot or allocation; then its
 * audit rows. */
GA_MUST_CHECK int ga_store_show(struct ga_db *db, const char *kind, const char *id,
				ga_store_each each, void *arg, struct ga_err *err);

#endif
