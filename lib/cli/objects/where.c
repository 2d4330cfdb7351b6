/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of people: they may use a name, the beginning of an id, a short name of a type. */
#include "cli/objects/where.h"

#include <string.h>

#include "base/clock.h"
#include "cli/explain/explain.h"
#include "cli/frame/cli.h"
#include "cli/frame/complete.h"
#include "cli/frame/table_views.h"
#include "cli/frame/types.h"
#include "state/query/find.h"
#include "state/query/still.h"

void ga_cli_where_release(struct ga_cli_where *w)
{
	ga_wheres_release(&w->where);
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

/* The member beside type_name that has the slug: "gpu.type" for "gpu.type_name"; NULL: none.
 * Allocated. */
static char *slug_of(const struct ga_schema *schema, const char *path)
{
	static const char *const members[] = { "accelerator_type", "type" };
	const char *dot = strrchr(path, '.'), *last = dot ? dot + 1 : path;
	size_t i;

	for (i = 0; !strcmp(last, "type_name") && i < GA_ARRAY_SIZE(members); i++) {
		ga_autofree char *name = ga_xprintf("%.*s%s", (int)(last - path), path, members[i]);

		if (ga_where_has_member(schema, name, strlen(name)))
			return GA_TAKE(name);
	}
	return NULL;
}

/* Adds the types that a name means, one or several, beside the value. 0: it means none, see why. */
static int add_types(const struct ga_schema *schema, struct ga_where *w, const char *name,
		     struct ga_err *why, struct ga_err *err)
{
	ga_autonamed struct ga_accel_named named = { 0 };
	ga_autofree char *member = slug_of(schema, w->path);
	ga_autoaccels struct ga_accels *list = NULL;
	size_t i;

	if (ga_cli_catalogue(&list, err) < 0)
		return -1;
	if (ga_cli_type_named(list, name, &named, why) < 0)
		return 0;
	for (i = 0; i < named.types.n; i++)
		if (!member)
			ga_list_add(&w->values)->text = ga_xstrdup(named.types.v[i]);
		else if (add_or(w, schema, member, named.types.v[i], err) < 0)
			return -1;
	return 1;
}

/* A node is held by an allocation, or by this word, which is the id of none. */
static bool is_slices(const struct ga_where *w, const struct ga_where_value *value)
{
	return ga_streq(w->field->name, "held_by") && ga_streq(value->text, "slices");
}

/* Adds the id that the value means, where a member of detail has the id of an object. The members
 * of detail depend on the action, so that a value which names nothing is no mistake. */
static int add_of_detail(struct ga_db *db, struct ga_where *w, size_t nth, struct ga_err *err)
{
	static const char *const kinds[] = { "node", "slot", "allocation" };
	const char *member = w->path + strlen("detail."), *text = w->values.v[nth].text;
	struct ga_err why = GA_ERR_INIT;
	ga_autofree char *id = NULL;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(kinds) && !ga_streq(member, kinds[i]); i++)
		;
	if (i == GA_ARRAY_SIZE(kinds))
		return 1;
	if (ga_store_resolve(db, kinds[i], text, &id, NULL, &why) == 0) {
		ga_list_add(&w->values)->text = GA_TAKE(id);
		return 1;
	}
	if (why.code == GA_NOTFOUND)
		return 1;
	*err = why;
	return -1;
}

/* Puts an id in place of a name, or adds to the condition what the name means. 0: nothing has that
 * name, and why is the error. */
static int resolve_value(struct ga_db *db, const char *list, const struct ga_schema *schema,
			 struct ga_where *w, size_t nth, struct ga_err *why, struct ga_err *err)
{
	/* name=job9 asks whether there is a record of that name: that is no error. */
	const char *kind = ga_cli_member_means(NULL, w->field), *found = kind;
	char **text = &w->values.v[nth].text;
	bool any = !strcmp(w->path, "object");
	ga_autofree char *id = NULL;

	if (ga_starts(w->path, "detail."))
		return add_of_detail(db, w, nth, err);
	if ((!any && !kind) || is_slices(w, &w->values.v[nth]))
		return 1;
	if (ga_streq(kind, "type"))
		return add_types(schema, w, *text, why, err);
	if (ga_store_resolve(db, kind, *text, &id, &found, why) < 0) {
		if (why->code == GA_NOTFOUND || (any && why->code == GA_USAGE))
			return 0;
		*err = *why;
		return -1;
	}
	if (any)
		return add_or(w, schema, member_of(list, found), id, err) < 0 ? -1 : 1;
	free(*text);
	*text = GA_TAKE(id);
	return 1;
}

struct seen {
	bool live; /* only records of objects that have not ended count */
	bool any;
};

static int note_row(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	struct seen *seen = arg;

	(void)err;
	seen->any = seen->any || !seen->live || !ga_store_has_ended(schema, obj);
	return 0;
}

/* The list itself reports records that cannot be read. */
static void ignore_unreadable(const char *kind, const char *object, const struct ga_err *why)
{
	(void)kind;
	(void)object;
	(void)why;
}

/* Whether a record of the list has the value, whatever the other conditions say. */
static int some_row_has(struct ga_db *db, const struct ga_list_query *q, const struct ga_where *w,
			const struct ga_where_value *value, bool live, struct ga_err *err)
{
	struct ga_where_value one = *value; /* borrowed, as path is */
	struct ga_where is = { .path = w->path, .field = w->field, .op = GA_WHERE_IS,
			       .values = { &one, 1 } };
	const struct ga_wheres where = { &is, 1 };
	const struct ga_list_query all = {
		.kind = q->kind, .where = &where, .limit = live ? 0 : 1,
		.stale_seconds = q->stale_seconds, .here = q->here,
		.unreadable = ignore_unreadable,
	};
	struct seen seen = { .live = live };

	return ga_store_list(db, &all, note_row, &seen, err) < 0 ? -1 : seen.any;
}

/* Whether gpuaas-codes(7) has the values of the member; of a list it is the code of each element
 * that is compared. */
static bool has_codes(const struct ga_field *f)
{
	return f->type == GA_F_LIST ||
	       (f->format == GA_T_CODE &&
		(ga_streq(f->name, "code") || ga_streq(f->name, "phase")));
}

/* Refuses a code that neither the page nor a record of the list has: compared with =, a typing
 * error would look like "there is none", and with != it would be met by every record. */
static int check_code(struct ga_db *db, const struct ga_list_query *q, const struct ga_where *w,
		      const struct ga_where_value *value, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	int r;

	if (ga_explain_code(w->field->name, value->text, w->op == GA_WHERE_IS_NOT, &why) == 0)
		return 0;
	r = some_row_has(db, q, w, value, false, err);
	if (r)
		return r < 0 ? -1 : 0;
	*err = why;
	return -1;
}

/* Resolves the values of one condition, and notes those that name nothing. */
static int resolve(struct ga_db *db, const struct ga_list_query *q, const struct ga_schema *schema,
		   struct ga_where *w, struct ga_cli_where *ret, struct ga_err *err)
{
	size_t i, n = w->values.n; /* those that are added are resolved */

	for (i = 0; i < n; i++) {
		struct ga_err why = GA_ERR_INIT;
		int r;

		if (w->values.v[i].null)
			continue;
		if (has_codes(w->field)) {
			if (check_code(db, q, w, &w->values.v[i], err) < 0)
				return -1;
			continue;
		}
		r = resolve_value(db, q->kind, schema, w, i, &why, err);
		if (!r)
			r = some_row_has(db, q, w, &w->values.v[i], false, err);
		if (r < 0)
			return -1;
		if (r)
			continue;
		if (!ret->unknown.code)
			ret->unknown = why;
		if (!ret->ignored.code && (n > 1 || w->op == GA_WHERE_IS_NOT))
			ret->ignored = why;
	}
	return 0;
}

/* Whether the name is that of a member with members, which only "null" can be compared with. */
static bool has_no_value(const struct ga_schema *schema, const char *name, const char *rest)
{
	const struct ga_field *f = ga_schema_member(schema, name);

	return f && f->type == GA_F_OBJ && !ga_streq(rest, "=null") && !ga_streq(rest, "!=null");
}

/* The condition with the member for the title of its column ("gpus=2" for "count=2"), or a copy. */
static char *by_member(const struct ga_schema *schema, const char *condition)
{
	size_t len = ga_where_member_len(condition);
	ga_autofree char *name = ga_xstrndup(condition, len);
	struct ga_column column;

	if ((ga_where_has_member(schema, condition, len) &&
	     !has_no_value(schema, name, condition + len)) || !len || !condition[len] ||
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
		    resolve(db, q, schema, w, ret, err) < 0)
			return -1;
	}
	q->where = &ret->where;
	return 0;
}

/* ---- values that would take what they were to leave out ---- */

static bool is_prose(const struct ga_field *f)
{
	static const char *const ends[] = { "reason", "detail", "sentence", "hint" };
	size_t len = strlen(f->name), i;

	for (i = 0; i < GA_ARRAY_SIZE(ends); i++)
		if (len >= strlen(ends[i]) && ga_streq(f->name + len - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* Whether the values of a member tell records apart, so that one which none has is a mistake. */
static bool tells_apart(const struct ga_field *f)
{
	if (f->type == GA_F_INT || f->type == GA_F_INTS)
		return true;
	/* The page has the codes: ga_cli_where refused the others. */
	return (f->type == GA_F_TEXT || f->type == GA_F_TEXTS) && !f->values && !has_codes(f) &&
	       f->format != GA_T_TIME && !is_prose(f);
}

static int refuse_unheld(struct ga_db *db, const char *kind, const struct ga_where *w,
			 const char *value, struct ga_err *err)
{
	ga_autofree char *id = NULL;

	if (!strcmp(w->path, "name")) {
		if (ga_store_resolve(db, kind, value, &id, NULL, err) == 0) {
			if (ga_starts(id, value))
				return ga_refuse(err, GA_NOTFOUND, NULL, value,
						 ("no %s has the name '%s': an id begins so", kind,
						  value),
						 ("--where %s%s%s means that one", kind,
						  w->op == GA_WHERE_IS ? "=" : "!=", id));
		} else if (!ga_streq(err->reason, "ambiguous")) {
			return -1;
		}
	}
	return ga_refuse(err, GA_NOTFOUND, NULL, value,
			 ("no %s has the %s '%s'; those that are released, cancelled or retired do "
			  "not count", kind, w->path, value),
			 ("'gpuaas-list %ss' shows them", kind));
}

/* A value of a member that names objects of the kind: it may name one that has ended. */
static int check_named(struct ga_db *db, const char *kind, const struct ga_list_query *q,
		       const struct ga_where *w, const struct ga_where_value *value,
		       struct ga_err *err)
{
	ga_autofree char *found = NULL, *path = ga_xstrdup(kind);
	const char *sign = w->op == GA_WHERE_IS ? "=" : "!=";
	const struct ga_where by_id = { .path = path, .field = w->field };
	const struct ga_list_query objects = { .kind = kind };
	int r;

	if (ga_streq(kind, "node") || ga_streq(kind, "slot") || ga_streq(kind, "allocation")) {
		r = some_row_has(db, &objects, &by_id, value, true, err);
		if (r)
			return r;
		return ga_refuse(err, GA_NOTFOUND, NULL, value->text,
				 ("%s%s means %s %s, which is released, cancelled or retired",
				  w->path, sign, kind, value->text),
				 ("'gpuaas-list %ss' shows the others; a name means an ended %s "
				  "before the beginning of an id", kind, kind));
	}
	if (ga_streq(kind, "type") ||
	    ga_store_resolve(db, kind, value->text, &found, NULL, err) == 0)
		return 1;
	if (err->code != GA_NOTFOUND)
		return -1;
	r = some_row_has(db, q, w, value, true, err);
	if (r > 0)
		ga_err_clear(err);
	return r > 0 ? 1 : -1;
}

static int check_value(struct ga_db *db, const char *kind, const struct ga_list_query *q,
		       const struct ga_where *w, const struct ga_where_value *value,
		       struct ga_err *err)
{
	/* One value alone takes less than is meant, never more: what has ended may have it. */
	bool alone = w->op == GA_WHERE_IS && w->values.n == 1;
	const char *names = ga_cli_member_means(NULL, w->field);
	int r;

	if (value->null || is_slices(w, value) ||
	    (w->op != GA_WHERE_IS && w->op != GA_WHERE_IS_NOT) || !tells_apart(w->field) ||
	    (alone && strcmp(w->path, "name") && strcmp(w->path, "claim")))
		return 1;
	if (names)
		return check_named(db, names, q, w, value, err);
	r = some_row_has(db, q, w, value, !alone, err);
	return r ? r : refuse_unheld(db, kind, w, value->text, err);
}

int ga_cli_where_known(struct ga_db *db, const char *kind, const struct ga_list_query *q,
		       const struct ga_cli_where *w, struct ga_err *err)
{
	size_t i, j;

	if (w->unknown.code) {
		*err = w->unknown;
		return -1;
	}
	for (i = 0; i < w->where.n; i++) {
		const struct ga_where *c = &w->where.v[i];

		for (j = 0; j < c->values.n; j++)
			if (check_value(db, kind, q, c, &c->values.v[j], err) < 0)
				return -1;
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
