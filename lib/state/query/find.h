/* SPDX-License-Identifier: Apache-2.0 */
/* Finds an object by the text that a person types: an id, a name, or a unique prefix of an id. */
#ifndef GA_STATE_QUERY_FIND_H
#define GA_STATE_QUERY_FIND_H

#include "state/db/row.h"

/* Resolves an id, a unique prefix of one, or a name. kind is "allocation", "slot", "node", "team",
 * "grant", "proposal", "app"; NULL for any of these, *kind_found is then the kind; or "profile",
 * "image", "region", "pool", "project", which have only names. ret is allocated. GA_NOTFOUND with
 * near names in the hint; GA_USAGE "ambiguous": it could be several, or it is a number of up to
 * three digits for a slot, which may also be its number on the node. */
GA_MUST_CHECK int ga_store_resolve(struct ga_db *db, const char *kind, const char *text, char **ret,
				   const char **kind_found, struct ga_err *err);
/* Adds to ret the words behind gpuaas-list that list the objects of other kinds with exactly this
 * name ("teams --where name=red"), such as a team beside an allocation, or wipe evidence with this
 * id. kind is that of the object which is meant. */
GA_MUST_CHECK int ga_store_also_named(struct ga_db *db, const char *kind, const char *text,
				      struct ga_texts *ret, struct ga_err *err);

#endif
