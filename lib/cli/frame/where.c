/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of people: they may use a name or the beginning of an id. */
#include "cli/frame/where.h"

#include <string.h>

#include "state/query/find.h"

void ga_cli_where_release(struct ga_cli_where *w)
{
	ga_list_release(&w->where);
	ga_list_release(&w->or_where);
	ga_texts_release(&w->texts);
}

/* The kind of object whose ids the member of a condition has, or NULL. */
static const char *kind_of(const char *where)
{
	static const char *const kinds[] = { "node", "slot", "allocation" };
	size_t i, len = strcspn(where, "=");

	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++)
		if (where[len] && strlen(kinds[i]) == len && !strncmp(where, kinds[i], len))
			return kinds[i];
	return NULL;
}

/* The member that has the id of an object of that kind: "object", except in a list whose objects
 * are never of that kind. */
static const char *member_of(const char *list, const char *kind)
{
	static const char *const members[][3] = { { "task", "node", "node" },
						  { "tasks", "node", "node" },
						  { "wipe-evidence", "node", "node" },
						  { "evidence", "node", "node" },
						  { "wipe-evidence", "allocation", "allocation" },
						  { "evidence", "allocation", "allocation" },
						  { "proposal", "node", "node" },
						  { "proposals", "node", "node" } };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(members); i++)
		if (ga_streq(list, members[i][0]) && ga_streq(kind, members[i][1]))
			return members[i][2];
	return "object";
}

static const char *keep(struct ga_cli_where *w, const char *member, const char *id)
{
	return *ga_list_add(&w->texts) = ga_xprintf("%s=%s", member, id);
}

static int resolve(struct ga_db *db, const char *list, const char *where, struct ga_cli_where *w,
		   struct ga_err *err)
{
	const char **to = ga_list_add(&w->where), **or_to = ga_list_add(&w->or_where);
	bool any = ga_starts(where, "object=");
	const char *kind = kind_of(where), *value = any || kind ? strchr(where, '=') + 1 : "";
	const char *found = kind;
	struct ga_err why = GA_ERR_INIT;
	ga_autofree char *id = NULL;

	*to = where;
	*or_to = NULL;
	if (!*value || !strcmp(value, "null"))
		return 0;
	if (ga_store_resolve(db, kind, value, &id, &found, &why) == 0) {
		if (any)
			*or_to = keep(w, member_of(list, found), id);
		else
			*to = keep(w, kind, id);
	} else if (why.code == GA_NOTFOUND || (any && why.code == GA_USAGE)) {
		if (!w->unknown.code)
			w->unknown = why;
	} else {
		*err = why;
		return -1;
	}
	return 0;
}

int ga_cli_where(struct ga_db *db, const char *const *conditions, size_t n,
		 struct ga_list_query *q, struct ga_cli_where *ret, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (resolve(db, q->kind, conditions[i], ret, err) < 0)
			return -1;
	*ga_list_add(&ret->where) = NULL;
	q->where = ret->where.v;
	q->or_where = ret->or_where.v;
	return 0;
}

int ga_cli_after(struct ga_db *db, const char *list, const char *after, char **ret,
		 struct ga_err *err)
{
	static const char *const kinds[][3] = { { "node", "nodes", "node" },
						{ "slot", "slots", "slot" },
						{ "allocation", "allocations", "allocation" },
						{ "plan", "plans", "allocation" } };
	struct ga_err why = GA_ERR_INIT;
	size_t i;

	*ret = NULL;
	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++)
		if (ga_streq(list, kinds[i][0]) || ga_streq(list, kinds[i][1]))
			break;
	if (i == GA_ARRAY_SIZE(kinds) ||
	    (ga_store_resolve(db, kinds[i][2], after, ret, NULL, &why) < 0 &&
	     why.code == GA_NOTFOUND)) {
		*ret = ga_xstrdup(after); /* the list says that it has none */
		return 0;
	}
	if (!why.code)
		return 0;
	*err = why;
	return -1;
}
