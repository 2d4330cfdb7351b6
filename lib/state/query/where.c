/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of gpuaas-list, checked on structs, so that no JSON is made for records not shown. */
#include "state/query/where.h"

#include <inttypes.h>

static const struct ga_field *find(const struct ga_schema *schema, const char *name, size_t len)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++)
		if (!strncmp(f->name, name, len) && !f->name[len])
			return f;
	return NULL;
}

static const void *at(const void *obj, const struct ga_field *f)
{
	return (const char *)obj + f->offset;
}

static int no_member(const struct ga_schema *schema, const char *where, struct ga_err *err)
{
	ga_autostr struct ga_str names = GA_STR_INIT;
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++)
		ga_str_addf(&names, "%s%s", names.len ? " " : "", f->name);
	return ga_refuse(err, GA_USAGE, "no_member", NULL,
			 ("'%.*s' is no member of %s", (int)strcspn(where, "="), where,
			  schema->kind ? schema->kind : "that member"),
			 ("its members: %s", names.buf));
}

int ga_where_check(const struct ga_schema *schema, const char *where, struct ga_err *err)
{
	const struct ga_schema *s = schema;
	const char *p = where;

	if (!strchr(where, '='))
		return ga_fail(err, GA_USAGE, "'%s' is not MEMBER=VALUE", where);
	while (s) {
		size_t len = strcspn(p, ".=");
		const struct ga_field *f = find(s, p, len);

		if (!f || (p[len] == '.' && !f->sub))
			return no_member(s, where, err);
		if (p[len] == '=')
			return 0;
		s = f->sub;
		p += len + 1;
	}
	return 0;
}

static bool scalar_matches(const struct ga_field *f, const void *p, const char *value)
{
	bool null = !strcmp(value, "null");
	char number[24];
	int64_t n;

	switch (f->type) {
	case GA_F_TEXT:
		return *(char *const *)p ? !strcmp(*(char *const *)p, value) : null;
	case GA_F_BOOL:
		return !strcmp(value, *(const bool *)p ? "true" : "false");
	case GA_F_TRI:
		n = *(const int64_t *)p;
		return !strcmp(value, n == GA_UNKNOWN ? "null" : n ? "true" : "false");
	case GA_F_DECIMAL: /* no listed kind has one */
		break;
	case GA_F_INT:
		n = *(const int64_t *)p;
		snprintf(number, sizeof(number), "%" PRId64, n);
		return n == GA_UNKNOWN ? null : !strcmp(value, number);
	case GA_F_OBJ:
		return null && f->presence != GA_REQ && !*(void *const *)p;
	case GA_F_LIST:
	case GA_F_TEXTS:
	case GA_F_INTS:
		return null && !((const struct ga_any_list *)p)->n;
	case GA_F_JSON:
		break;
	}
	return false;
}

static bool list_matches(const struct ga_field *f, const struct ga_any_list *list,
			 const char *rest, const char *value)
{
	char number[24];
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (f->type == GA_F_TEXTS && !strcmp(((char *const *)list->v)[i], value))
			return true;
		snprintf(number, sizeof(number), "%" PRId64,
			 f->type == GA_F_INTS ? ((const int64_t *)list->v)[i] : 0);
		if (f->type == GA_F_INTS && !strcmp(number, value))
			return true;
		if (f->type == GA_F_LIST && rest &&
		    ga_where_matches(f->sub, (const char *)list->v + i * f->sub->size, rest))
			return true;
	}
	return false;
}

bool ga_where_matches(const struct ga_schema *schema, const void *obj, const char *where)
{
	size_t len = strcspn(where, ".=");
	const struct ga_field *f = find(schema, where, len);
	const char *rest = where[len] == '.' ? where + len + 1 : NULL;
	const char *value = strchr(where, '=') + 1;
	const void *p;

	if (!f)
		return false;
	p = at(obj, f);
	if (f->type == GA_F_LIST || f->type == GA_F_TEXTS || f->type == GA_F_INTS)
		return list_matches(f, p, rest, value) || (!rest && scalar_matches(f, p, value));
	if (f->type == GA_F_OBJ && rest) {
		const void *sub = f->presence == GA_REQ ? p : *(void *const *)p;

		return sub ? ga_where_matches(f->sub, sub, rest) : !strcmp(value, "null");
	}
	return scalar_matches(f, p, value);
}

const char *ga_where_text(const struct ga_schema *schema, const void *obj, const char *member)
{
	const struct ga_field *f = find(schema, member, strlen(member));

	return f && f->type == GA_F_TEXT ? *(char *const *)at(obj, f) : NULL;
}
