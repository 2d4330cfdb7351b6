/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of people: they may use a name or the beginning of an id. */
#include "cli/frame/where.h"

#include <string.h>

#include "base/clock.h"
#include "cli/frame/cli.h"
#include "cli/frame/table_views.h"
#include "state/query/find.h"

void ga_cli_where_release(struct ga_cli_where *w)
{
	ga_wheres_release(&w->where);
}

/* The kind of object whose ids the member has, or NULL. */
static const char *kind_of(const char *path)
{
	static const char *const kinds[] = { "node", "slot", "allocation" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++)
		if (!strcmp(path, kinds[i]))
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

/* Adds "member=id" to the conditions that are as good as w. */
static int add_or(struct ga_where *w, const struct ga_schema *schema, const char *name,
		  const char *id, struct ga_err *err)
{
	ga_autofree char *text = ga_xprintf("%s=%s", name, id);
	struct ga_where **to = &w->or_else;

	while (*to)
		to = &(*to)->or_else;
	*to = ga_xcalloc(1, sizeof(**to));
	return ga_where_parse(schema, text, 0, *to, err);
}

/* Puts ids in place of the names in one condition. */
static int resolve(struct ga_db *db, const char *list, const struct ga_schema *schema,
		   struct ga_where *w, struct ga_cli_where *ret, struct ga_err *err)
{
	bool any = !strcmp(w->path, "object");
	const char *kind = kind_of(w->path);
	size_t i;

	for (i = 0; (any || kind) && i < w->values.n; i++) {
		struct ga_where_value *v = &w->values.v[i];
		struct ga_err why = GA_ERR_INIT;
		const char *found = kind;
		ga_autofree char *id = NULL;

		if (v->null)
			continue;
		if (ga_store_resolve(db, kind, v->text, &id, &found, &why) == 0) {
			if (any && add_or(w, schema, member_of(list, found), id, err) < 0)
				return -1;
			if (!any) {
				free(v->text);
				v->text = GA_TAKE(id);
			}
		} else if (why.code == GA_NOTFOUND || (any && why.code == GA_USAGE)) {
			if (!ret->unknown.code)
				ret->unknown = why;
			if (!ret->ignored.code && (w->values.n > 1 || w->op == GA_WHERE_IS_NOT))
				ret->ignored = why;
		} else {
			*err = why;
			return -1;
		}
	}
	return 0;
}

/* The condition with the member for the title of its column ("gpus=2" for "count=2"), or a copy. */
static char *by_member(const struct ga_schema *schema, const char *condition)
{
	size_t len = ga_where_member_len(condition);
	ga_autofree char *name = ga_xstrndup(condition, len);
	struct ga_column column;

	if (ga_where_has_member(schema, condition, len) || !len || !condition[len] ||
	    !ga_view_find(schema, name, &column) ||
	    !ga_where_has_member(schema, column.path, strlen(column.path)))
		return ga_xstrdup(condition);
	return ga_xprintf("%s%s", column.path, condition + len);
}

int ga_cli_where(struct ga_db *db, const char *const *conditions, size_t n,
		 const struct ga_schema *schema, struct ga_list_query *q, struct ga_cli_where *ret,
		 struct ga_err *err)
{
	int64_t now = ga_clock_micros();
	size_t i;

	schema = schema ? schema : ga_list_schema(q->kind, err);
	if (!schema)
		return -1;
	for (i = 0; i < n; i++) {
		ga_autofree char *condition = by_member(schema, conditions[i]);
		struct ga_where *w = ga_list_add(&ret->where);

		if (ga_where_parse(schema, condition, now, w, err) < 0 ||
		    resolve(db, q->kind, schema, w, ret, err) < 0)
			return -1;
	}
	q->where = &ret->where;
	return 0;
}

int ga_cli_where_known(struct ga_db *db, const char *kind, const struct ga_cli_where *w,
		       struct ga_err *err)
{
	size_t i, j;

	if (w->unknown.code) {
		*err = w->unknown;
		return -1;
	}
	for (i = 0; i < w->where.n; i++) {
		const struct ga_where *c = &w->where.v[i];

		for (j = 0; !strcmp(c->path, "name") && j < c->values.n; j++) {
			ga_autofree char *id = NULL;

			if (c->values.v[j].null ||
			    ga_store_resolve(db, kind, c->values.v[j].text, &id, NULL, err) == 0)
				continue;
			if (!ga_streq(err->reason, "ambiguous"))
				return -1;
			ga_err_clear(err); /* a name that begins as ids do */
		}
	}
	return 0;
}

void ga_cli_where_warn(const struct ga_cli_where *w)
{
	if (w->ignored.code)
		ga_say("%s: %s: %s", ga_cli_program(), w->ignored.msg, w->ignored.hint);
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
