/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of people, for ga_store_list. */
#ifndef GA_CLI_OBJECTS_WHERE_H
#define GA_CLI_OBJECTS_WHERE_H

#include "base/texts.h"
#include "base/vec.h"
#include "state/db/db.h"
#include "state/query/list.h"

/* The conditions of a query with ids for names; owns what q->where points to. */
struct ga_cli_where {
	struct ga_wheres where;
	/* The first name that nothing in the state and no record of the list has, as an error; code
	 * 0: there is none. For a command that shows, it counts only if no record matches. */
	struct ga_err unknown;
	/* The first of them that the conditions do without: one of several, or negated. */
	struct ga_err ignored;
};
void ga_cli_where_release(struct ga_cli_where *w);
/*
 * Fills q->where from the n conditions that a person typed (state/query/where.h), on records of the
 * schema (NULL: that of the list). A member may also be named by the title of its column. In
 * "node=h7", the name of a node, slot or allocation, or the beginning of its id, becomes its id.
 * "type=h200" matches each type that the name means, as --type of the programs. The value of a
 * member that names a profile, image, region, pool, project, team or app is checked.
 * "object=NAME" matches also the object that gpuaas-show finds by NAME, and in a list whose rows
 * are about parts of that object, these rows. GA_USAGE: as ga_where_parse, or a name of a node,
 * slot or allocation could be several, or a code or phase is one that neither gpuaas-codes(7) nor a
 * record of the list has ("no_value", with near words). q has its kind, stale_seconds and here. ret
 * begins zeroed. Needs a read transaction.
 */
GA_MUST_CHECK int ga_cli_where(struct ga_db *db, const char *const *conditions, size_t n,
			       const struct ga_schema *schema, struct ga_list_query *q,
			       struct ga_cli_where *ret, struct ga_err *err);
/*
 * For a command that acts on objects of that kind, after ga_cli_where with q: GA_NOTFOUND, or
 * GA_USAGE of a type, with near names when a condition names something that is not there.
 * "name!=jbo1" would take the very record that it was to leave out. So a value after !=, or one of
 * several, must be one that an object has which the command could take: those that are released,
 * cancelled or retired do not count. This holds for each number, and each text without a closed set
 * of words, except times and prose (reasons, details), and codes, which ga_cli_where checks. A text
 * that names a profile, region or the like may name any that the state has; one that names a node,
 * slot or allocation any that has not ended. One value alone after = takes less, never more: only a
 * name and a claim are checked, and what has ended may have it.
 */
GA_MUST_CHECK int ga_cli_where_known(struct ga_db *db, const char *kind,
				     const struct ga_list_query *q, const struct ga_cli_where *w,
				     struct ga_err *err);
/* For a command that shows: reports the name that the conditions do without, if there is one. */
void ga_cli_where_warn(const struct ga_cli_where *w);
/* The id for --after of a list: that of the node, slot or allocation that a person names in the
 * list of these; else a copy of the text. GA_USAGE "ambiguous". The caller frees ret. */
GA_MUST_CHECK int ga_cli_after(struct ga_db *db, const char *list, const char *after, char **ret,
			       struct ga_err *err);

#endif
