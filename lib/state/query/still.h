/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that conditions have picked, checked again by the transaction that changes one. */
#ifndef GA_STATE_QUERY_STILL_H
#define GA_STATE_QUERY_STILL_H

#include "state/query/where.h"

struct ga_db;

/* How a command picked its objects. */
struct ga_still {
	const char *kind; /* node, slot or allocation */
	const struct ga_wheres *where; /* borrowed; all must hold */
	bool ended; /* also objects that have ended for ever */
};

/* Whether a record of the schema is in a state that it never leaves: no command changes it. */
bool ga_store_has_ended(const struct ga_schema *schema, const void *obj);
/* 1: the object of that id meets the conditions now, in the open transaction; 0: it does not; -1.
 * still NULL: people named the object, 1. GA_NOTFOUND: there is none. */
GA_MUST_CHECK int ga_store_still(struct ga_db *db, const struct ga_still *still, const char *id,
				 struct ga_err *err);

#endif
