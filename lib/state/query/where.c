/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of lists: reading them by the schema, and comparing. */
#include "state/query/where.h"

#include <ctype.h>

#include "record/closest.h"
#include "record/decimal.h"
#include "record/money.h"
#include "record/person.h"
#include "record/size.h"
#include "record/time.h"

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

/* ---- reading: the member ---- */

/* A hint has room for so many characters of names. */
#define NAMES_MAX 320

static int no_member(const struct ga_schema *schema, const char *path, size_t len,
		     struct ga_err *err)
{
	ga_autofree char *name = ga_xstrndup(path, len), *near_hint = NULL;
	ga_autostr struct ga_str names = GA_STR_INIT;
	struct ga_closest_names near;
	const struct ga_field *f;

	ga_closest_begin(&near, name);
	ga_closest_members(&near, schema);
	for (f = schema->fields; f->name && names.len < NAMES_MAX; f++)
		ga_str_addf(&names, "%s%s", names.len ? " " : "", f->name);
	if (f->name)
		ga_str_add(&names, " and more: gpuaas-records(5)");
	near_hint = ga_closest_hint(&near);
	return ga_refuse(err, GA_USAGE, "no_member", NULL,
			 ("'%.64s' is no member of %s", name,
			  schema->kind ? schema->kind : "that member"),
			 ("%sits members: %s", near_hint, names.buf));
}

/* The last member of a path, or NULL; *inner is then the schema that lacks one. */
static const struct ga_field *member(const struct ga_schema *schema, const char *path, size_t len,
				     const struct ga_schema **inner)
{
	const char *end = path + len;

	for (;;) {
		size_t n = strcspn(path, ".");
		const struct ga_field *f;

		n = n > (size_t)(end - path) ? (size_t)(end - path) : n;
		f = find(schema, path, n);
		*inner = schema;
		/* Which members such an object has depends on the record. */
		if (!f || path + n == end || f->type == GA_F_JSON)
			return f;
		if (!f->sub)
			return NULL;
		schema = f->sub;
		path += n + 1;
	}
}

size_t ga_where_member_len(const char *text)
{
	return strcspn(text, "=!<>");
}

bool ga_where_has_member(const struct ga_schema *schema, const char *path, size_t len)
{
	const struct ga_schema *inner;

	return member(schema, path, len, &inner) != NULL;
}

/* ---- reading: the values ---- */

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

static int bad_word(const struct ga_field *f, const char *text, struct ga_err *err)
{
	ga_autostr struct ga_str words = GA_STR_INIT;
	ga_autofree char *near_hint = NULL;
	struct ga_closest_names near;
	const char *const *v;

	ga_closest_begin(&near, text);
	ga_closest_words(&near, f->values);
	if (f->beside)
		ga_closest_word(&near, f->beside);
	for (v = f->values; *v && words.len < NAMES_MAX; v++)
		ga_str_addf(&words, "%s%s", words.len ? ", " : "", *v);
	if (*v)
		ga_str_add(&words, " and more: gpuaas-records(5)");
	near_hint = ga_closest_hint(&near);
	return ga_refuse(err, GA_USAGE, "no_value", NULL,
			 ("'%.64s' is never the value of '%s'", text, f->name),
			 ("%sit is one of %s%s", near_hint, words.buf,
			  f->presence == GA_REQ ? "" : ", or null"));
}

/* "128 GiB", as a table prints it, is "128GiB". */
static char *without_blanks(const char *text)
{
	struct ga_str out = GA_STR_INIT;

	for (; *text; text++)
		if (*text != ' ')
			ga_str_addc(&out, *text);
	ga_str_add(&out, "");
	return ga_str_take(&out);
}

/* "<1ms", "105ms", "1.5s" or "2h5m", as a table prints a time, in microseconds; width is what the
 * last unit stands for. */
static bool read_elapsed(const char *text, int64_t *micros, int64_t *width)
{
	struct ga_err ignored = GA_ERR_INIT;
	size_t len = strlen(text), whole = strcspn(text, ".");
	ga_autofree char *number = NULL;

	if (!strcmp(text, "<1ms")) {
		*micros = 1;
		*width = 999;
		return true;
	}
	if (len > 2 && !strcmp(text + len - 2, "ms")) {
		number = ga_xstrndup(text, len - 2);
		if (ga_int_parse(number, "ms", 0, 86400000, micros, &ignored) < 0)
			return false;
		*width = 1000;
		*micros *= *width;
		return true;
	}
	if (whole + 3 == len && text[len - 1] == 's') { /* tenths */
		number = ga_xprintf("%.*s%c", (int)whole, text, text[whole + 1]);
		if (ga_int_parse(number, "s", 0, 864000, micros, &ignored) < 0)
			return false;
		*width = GA_SECOND / 10;
		*micros *= *width;
		return true;
	}
	if (ga_duration_parse(text, micros, &ignored) < 0)
		return false;
	*width = *micros < 3600 ? GA_SECOND : *micros < 86400 ? 60 * GA_SECOND : 3600 * GA_SECOND;
	*micros *= GA_SECOND;
	return true;
}

/* "0.2%", as a table prints parts in 1e-6, is all that is printed so; "5%" is five percent. */
static bool read_percent(const char *text, struct ga_where_value *v)
{
	ga_autofree char *number = ga_xstrndup(text, strcspn(text, "%"));
	struct ga_err ignored = GA_ERR_INIT;
	int64_t tenths;

	if (strcmp(text + strlen(number), "%") != 0 ||
	    ga_decimal_parse(number, "percent", 1, 0, 1000, &tenths, &ignored) < 0)
		return false;
	v->begin = strchr(number, '.') ? tenths * 1000 - 500 : tenths * 1000;
	v->end = strchr(number, '.') ? tenths * 1000 + 500 : v->begin + 1;
	return true;
}

/* A size in the unit of the member; with a blank or a point as a table prints it. */
static bool read_size(const char *text, int64_t unit, struct ga_where_value *v)
{
	struct ga_err ignored = GA_ERR_INIT;

	if (ga_size_parse(text, &v->begin, &ignored) == 0)
		v->end = v->begin + 1;
	else if (!ga_size_read_shown(text, &v->begin, &v->end))
		return false;
	v->begin = v->begin / unit + (v->begin % unit != 0);
	v->end = (v->end - 1) / unit + 1;
	return true;
}

static int64_t size_unit(const char *name)
{
	if (ga_starts(name, "bytes") || ends_in(name, "_bytes"))
		return 1;
	if (ends_in(name, "_kib"))
		return 1024;
	return ends_in(name, "_mib") || ends_in(name, "_mib_per_gpu") ? 1024 * 1024 : 0;
}

/* A number, or a text with the unit of the member, which the name of the member has. */
static int read_number(const struct ga_field *f, enum ga_where_op op, struct ga_where_value *v,
		       struct ga_err *err)
{
	ga_autofree char *text = without_blanks(v->text);
	struct ga_err ignored = GA_ERR_INIT;
	const int64_t unit = size_unit(f->name);
	const char *also = NULL;
	int64_t width;

	if ((ends_in(f->name, "price_micros") && strchr(v->text, '.') &&
	     ga_price_parse(v->text, &v->begin)) ||
	    ga_int_parse(v->text, f->name, INT64_MIN + 1, INT64_MAX - 1, &v->begin,
			 &ignored) == 0) {
		v->end = v->begin + 1;
		return 0;
	}
	if (unit) {
		if (read_size(v->text, unit, v))
			return 0;
		also = "512M, 64GiB, '8.0 MiB'";
	} else if (ends_in(f->name, "_ppm")) {
		if (read_percent(text, v))
			return 0;
		also = "5%, 0.2%";
	} else if (ga_streq(f->name, "elapsed_micros")) {
		if (read_elapsed(text, &v->begin, &width)) {
			/* More than 1m is what a person says who does not mean 1m30s. */
			v->end = v->begin + (op == GA_WHERE_MORE || op == GA_WHERE_AT_MOST ? 1 :
											   width);
			return 0;
		}
		also = "105ms, 90s, 15m, 24h";
	} else if (ends_in(f->name, "_seconds")) {
		if (ga_duration_parse(text, &v->begin, &ignored) == 0) {
			v->end = v->begin + 1;
			return 0;
		}
		also = "90s, 15m, 24h, 7d";
	}
	if (!also)
		return ga_fail_for(err, GA_USAGE, "no_value",
				   "'%.64s' is no number, and '%s' has numbers", v->text, f->name);
	return ga_refuse(err, GA_USAGE, "no_value", NULL,
			 ("'%.64s' is no number, and '%s' has numbers", v->text, f->name),
			 ("also with a unit: %s", also));
}

/* The member of the elements of a list that a table shows of them; NULL: they have none. */
static const struct ga_field *code_of(const struct ga_field *list)
{
	return find(list->sub, "code", strlen("code"));
}

static int read_value(const struct ga_field *f, enum ga_where_op op, int64_t now,
		      struct ga_where_value *v, struct ga_err *err)
{
	const char *const *w;
	struct ga_when when;
	bool yes;

	if (v->null)
		return op == GA_WHERE_IS || op == GA_WHERE_IS_NOT ?
			       0 :
			       ga_fail_for(err, GA_USAGE, "no_value", "nothing is more or less "
					   "than null: = and != compare with it");
	switch (f->type) {
	case GA_F_BOOL:
	case GA_F_TRI:
		yes = ga_streq(v->text, "true") || ga_streq(v->text, "yes");
		if (!yes && strcmp(v->text, "false") && strcmp(v->text, "no"))
			return ga_fail_for(err, GA_USAGE, "no_value", "'%.64s' is never the value "
					   "of '%s': it is true or false%s", v->text, f->name,
					   f->type == GA_F_TRI ? ", or null" : "");
		v->begin = yes;
		v->end = yes + 1;
		return 0;
	case GA_F_INT:
	case GA_F_INTS:
		return read_number(f, op, v, err);
	case GA_F_TEXT:
	case GA_F_TEXTS:
		if (f->format == GA_T_TIME) {
			if (ga_when_parse(v->text, now, false, &when, err) < 0)
				return ga_wrap(err, "'%s'", f->name);
			v->begin = when.begin;
			v->end = when.end;
		}
		for (w = f->values; w && *w && strcmp(*w, v->text); w++)
			;
		return w && !*w && !ga_streq(f->beside, v->text) ? bad_word(f, v->text, err) : 0;
	case GA_F_LIST:
	case GA_F_OBJ:
		if (f->type == GA_F_LIST && code_of(f))
			return 0;
		return ga_refuse(err, GA_USAGE, "no_value", NULL,
				 ("'%s' has members and no value of its own", f->name),
				 ("'%s.%s' is one; '%s=null' is without any", f->name,
				  f->sub->fields->name, f->name));
	case GA_F_JSON:
		return 0;
	case GA_F_DECIMAL: /* no listed kind has one */
		break;
	}
	return ga_fail_for(err, GA_USAGE, "no_value", "'%s' cannot be compared", f->name);
}

/* Takes the next value off *p, and the comma after it. */
static int next_value(const char **p, struct ga_where_value *ret, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	const char *s = *p;
	bool quoted = *s == '"';

	if (quoted) {
		for (s++; *s && (*s != '"' || s[1] == '"'); s++) {
			s += *s == '"';
			ga_str_addc(&text, *s);
		}
		if (*s != '"' || (s[1] && s[1] != ','))
			return ga_fail(err, GA_USAGE, "a value that begins with a double quote "
				       "ends with one: '%.64s'", *p);
		s++;
	} else {
		size_t n = strcspn(s, ",");

		ga_str_add_bytes(&text, s, n);
		s += n;
	}
	if (!text.len)
		return ga_refuse(err, GA_USAGE, NULL, NULL, ("a value is empty"),
				 ("null is the value of a member that has none; a value with a "
				  "comma stands in double quotes"));
	*p = s + (*s == ',');
	if (*s == ',' && !s[1])
		return ga_fail(err, GA_USAGE, "a value is empty");
	ret->null = !quoted && (ga_streq(text.buf, "null") || ga_streq(text.buf, "-"));
	ret->text = ga_str_take(&text);
	return 0;
}

/* Notes the member beside a word: of "cordoned" in the value itself, of "available, cordoned" in
 * the value before, from which the comma parts it; the list then loses the last. */
static void note_beside(const struct ga_schema *schema, struct ga_where *w)
{
	struct ga_where_value *last = &w->values.v[w->values.n - 1];
	const char *name = w->field->beside;
	bool blank = last->text[0] == ' ' && w->values.n > 1 && !last[-1].null;
	size_t len = strlen(last->text), end = name ? strlen(", ") + strlen(name) : 0;

	/* In quotes it is one value. */
	if (name && len > end && ga_starts(last->text + len - end, ", ") &&
	    !strcmp(last->text + len - strlen(name), name)) {
		last->text[len - end] = '\0';
		last->also = find(schema, name, strlen(name));
		return;
	}
	if (!name || strcmp(last->text + blank, name) != 0)
		return;
	last[blank ? -1 : 0].also = find(schema, name, strlen(name));
	if (blank) {
		free(last->text);
		w->values.n--;
	}
}

static bool has_order(const struct ga_field *f)
{
	return f->type == GA_F_INT || f->type == GA_F_INTS ||
	       (f->type == GA_F_TEXT && f->format == GA_T_TIME);
}

int ga_where_parse(const struct ga_schema *schema, const char *text, int64_t now,
		   struct ga_where *ret, struct ga_err *err)
{
	static const struct {
		const char *sign;
		enum ga_where_op op;
	} ops[] = { { "!=", GA_WHERE_IS_NOT }, { ">=", GA_WHERE_AT_LEAST },
		    { "<=", GA_WHERE_AT_MOST }, { "=", GA_WHERE_IS }, { ">", GA_WHERE_MORE },
		    { "<", GA_WHERE_LESS } };
	size_t len = ga_where_member_len(text), i;
	const struct ga_schema *inner;
	const char *p = text + len;
	int r;

	*ret = (struct ga_where){ 0 };
	for (i = 0; i < GA_ARRAY_SIZE(ops) && !ga_starts(p, ops[i].sign); i++)
		;
	if (i == GA_ARRAY_SIZE(ops) || !len)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("'%.64s' is not MEMBER=VALUE", text),
				 ("also MEMBER=A,B and MEMBER!=VALUE, and >, >=, <, <= for numbers "
				  "and times, in quotes: without them the shell takes > and < for "
				  "files"));
	ret->field = member(schema, text, len, &inner);
	if (!ret->field)
		return no_member(inner, text, len, err);
	if (ret->field->type == GA_F_JSON && !memchr(text, '.', len))
		return ga_refuse(err, GA_USAGE, "no_value", NULL,
				 ("'%s' has members and no value of its own", ret->field->name),
				 ("'%s.NAME' is one, as a record shows it", ret->field->name));
	ret->op = ops[i].op;
	p += strlen(ops[i].sign);
	if (ret->op != GA_WHERE_IS && ret->op != GA_WHERE_IS_NOT && !has_order(ret->field))
		return ga_fail(err, GA_USAGE, "'%s' compares numbers and times, and '%s' has none",
			       ops[i].sign, ret->field->name);
	ret->path = ga_xstrndup(text, len);
	do {
		r = next_value(&p, ga_list_add(&ret->values), err);
		if (r == 0) {
			note_beside(inner, ret);
			r = read_value(ret->field, ret->op, now,
				       &ret->values.v[ret->values.n - 1], err);
		}
	} while (r == 0 && *p);
	if (r < 0)
		ga_where_release(ret);
	return r;
}

void ga_where_release(struct ga_where *w)
{
	size_t i;

	for (i = 0; i < w->values.n; i++)
		free(w->values.v[i].text);
	ga_list_release(&w->values);
	free(w->path);
	if (w->or_else)
		ga_where_release(w->or_else);
	free(w->or_else);
	*w = (struct ga_where){ 0 };
}

void ga_wheres_release(struct ga_wheres *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_where_release(&list->v[i]);
	ga_list_release(list);
}

/* ---- comparing ---- */

static bool meets(enum ga_where_op op, int64_t n, const struct ga_where_value *v)
{
	switch (op) {
	case GA_WHERE_IS:
	case GA_WHERE_IS_NOT: /* ga_where_matches turns it round */
		return n >= v->begin && n < v->end;
	case GA_WHERE_MORE:
		return n >= v->end;
	case GA_WHERE_AT_LEAST:
		return n >= v->begin;
	case GA_WHERE_LESS:
		return n < v->begin;
	case GA_WHERE_AT_MOST:
		return n < v->end;
	}
	return false;
}

/* A person is written as "root(0)" or "eve(1001) via sudo"; the name alone means each of them. */
static bool is_text(const char *text, const struct ga_where_value *v)
{
	size_t n = strlen(v->text), uid;

	if (strncmp(text, v->text, n) != 0)
		return false;
	/* "root(0)": a person and the number behind it. */
	uid = text[n] == '(' ? strspn(text + n + 1, "0123456789") : 0;
	return !text[n] || (uid && text[n + 1 + uid] == ')');
}

static bool number_is(const struct ga_where *w, int64_t n)
{
	size_t i;

	for (i = 0; i < w->values.n; i++) {
		const struct ga_where_value *v = &w->values.v[i];

		if (n == GA_UNKNOWN ? v->null : !v->null && meets(w->op, n, v))
			return true;
	}
	return false;
}

/* Whether obj has what the value says of the member beside, and the text is the value's. */
static bool word_is(const struct ga_where_value *v, const char *text, const void *obj)
{
	if (!v->also)
		return is_text(text, v);
	return (!strcmp(v->text, v->also->name) || is_text(text, v)) &&
	       *(const int64_t *)at(obj, v->also) == 1;
}

/* Whether several people may have given a reason in the member, which then has each of them. */
static bool has_reasons(const struct ga_field *f)
{
	return ga_streq(f->name, "cordon") || ga_streq(f->name, "cordon_reason");
}

/* obj is the struct that has the text as a member. */
static bool text_is(const struct ga_where *w, const char *text, const void *obj)
{
	size_t i;
	int64_t micros;

	if (text && w->field->format == GA_T_TIME)
		return ga_time_read(text, &micros) && number_is(w, micros);
	for (i = 0; i < w->values.n; i++) {
		const struct ga_where_value *v = &w->values.v[i];

		if (!text ? v->null : !v->null && word_is(v, text, obj))
			return true;
		if (text && !v->null && has_reasons(w->field) &&
		    ga_person_has_reason(text, v->text))
			return true;
	}
	return false;
}

static bool null_is(const struct ga_where *w)
{
	return text_is(w, NULL, NULL);
}

/* obj is the struct that has the member at p. */
static bool value_is(const struct ga_where *w, const struct ga_field *f, const void *p,
		     const void *obj)
{
	const struct ga_any_list *list = p;
	size_t i;

	switch (f->type) {
	case GA_F_TEXT:
		return text_is(w, *(char *const *)p, obj);
	case GA_F_BOOL:
		return number_is(w, *(const bool *)p);
	case GA_F_TRI:
		/* One that may be left out is false then. */
		if (f->presence == GA_OPT && *(const int64_t *)p == GA_UNKNOWN &&
		    number_is(w, false))
			return true;
		return number_is(w, *(const int64_t *)p);
	case GA_F_INT:
		return number_is(w, *(const int64_t *)p);
	case GA_F_OBJ:
		return f->presence != GA_REQ && !*(void *const *)p && null_is(w);
	case GA_F_TEXTS:
		for (i = 0; i < list->n; i++)
			if (text_is(w, ((char *const *)list->v)[i], obj))
				return true;
		return !list->n && null_is(w);
	case GA_F_INTS:
		for (i = 0; i < list->n; i++)
			if (number_is(w, ((const int64_t *)list->v)[i]))
				return true;
		return !list->n && null_is(w);
	case GA_F_LIST:
		for (i = 0; code_of(f) && i < list->n; i++) {
			const void *item = (const char *)list->v + i * f->sub->size;

			if (value_is(w, code_of(f), at(item, code_of(f)), item))
				return true;
		}
		return !list->n && null_is(w);
	case GA_F_DECIMAL:
	case GA_F_JSON:
		break;
	}
	return false;
}

static bool json_value_is(json_t *json, const struct ga_where_value *v)
{
	ga_autofree char *number = NULL;

	if (!json || json_is_null(json) || v->null)
		return v->null && (!json || json_is_null(json));
	if (json_is_boolean(json))
		return ga_streq(v->text, json_is_true(json) ? "true" : "false") ||
		       ga_streq(v->text, json_is_true(json) ? "yes" : "no");
	if (json_is_string(json))
		return is_text(json_string_value(json), v);
	number = json_dumps(json, JSON_ENCODE_ANY);
	return json_is_number(json) && ga_streq(number, v->text);
}

/* As some_is, of a member whose members the schema does not know. */
static bool some_json_is(json_t *json, const char *path, const struct ga_where *w)
{
	size_t len = strcspn(path, "."), i;
	json_t *item;

	if (json_is_array(json)) {
		json_array_foreach(json, i, item)
			if (some_json_is(item, path, w))
				return true;
		if (json_array_size(json))
			return false;
		json = NULL;
	}
	if (*path)
		return some_json_is(json_object_getn(json, path, len),
				    path + len + (path[len] == '.'), w);
	for (i = 0; i < w->values.n; i++)
		if (json_value_is(json, &w->values.v[i]))
			return true;
	return false;
}

/* Whether a value at the path is one of the condition, of a list any element's. */
static bool some_is(const struct ga_schema *schema, const void *obj, const char *path,
		    const struct ga_where *w)
{
	size_t len = strcspn(path, "."), i;
	const struct ga_field *f = find(schema, path, len);
	const struct ga_any_list *list;
	const void *p;

	if (!f)
		return false;
	p = at(obj, f);
	if (!path[len])
		return value_is(w, f, p, obj);
	path += len + 1;
	if (f->type == GA_F_JSON)
		return some_json_is(*(json_t *const *)p, path, w);
	if (f->type == GA_F_LIST) {
		list = p;
		for (i = 0; i < list->n; i++)
			if (some_is(f->sub, (const char *)list->v + i * f->sub->size, path, w))
				return true;
		return !list->n && null_is(w);
	}
	if (f->presence != GA_REQ)
		p = *(void *const *)p;
	return p ? some_is(f->sub, p, path, w) : null_is(w);
}

bool ga_where_matches(const struct ga_schema *schema, const void *obj, const struct ga_where *w)
{
	const struct ga_where *each;
	bool is = false;

	for (each = w; each && !is; each = each->or_else)
		is = some_is(schema, obj, each->path, each);
	return w->op == GA_WHERE_IS_NOT ? !is : is;
}

bool ga_wheres_match(const struct ga_schema *schema, const void *obj,
		     const struct ga_wheres *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (!ga_where_matches(schema, obj, &list->v[i]))
			return false;
	return true;
}

const char *ga_where_text(const struct ga_schema *schema, const void *obj, const char *member_name)
{
	const struct ga_field *f = find(schema, member_name, strlen(member_name));

	return f && f->type == GA_F_TEXT ? *(char *const *)at(obj, f) : NULL;
}
