/* SPDX-License-Identifier: Apache-2.0 */
/* Reading, writing and releasing records by their tables. */
#include "record/internal.h"

#include <inttypes.h>

#include "base/quote.h"
#include "record/closest.h"
#include "record/cpuset.h"
#include "record/digest.h"
#include "record/id.h"
#include "record/mac.h"
#include "record/pciaddr.h"
#include "record/person.h"

static void *at(const void *obj, const struct ga_field *f)
{
	return (char *)(uintptr_t)obj + f->offset;
}

static bool is_pointer_obj(const struct ga_field *f)
{
	return f->type == GA_F_OBJ && f->presence != GA_REQ;
}

bool ga_schema_is_number(const struct ga_field *f)
{
	return f->type == GA_F_INT || f->type == GA_F_DECIMAL || f->type == GA_F_TRI;
}

/* ---- the formats of texts ---- */

static bool is_printable(const char *s, size_t len, bool multiline)
{
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c < 0x20 && !(multiline && (c == '\n' || c == '\t'))) || c == 0x7f)
			return false;
	}
	return true;
}

static bool all_of(const char *s, const char *set)
{
	return *s && s[strspn(s, set)] == '\0';
}

/* Whether the text has the format and the canonical spelling of it. */
static bool matches(enum ga_format format, const char *s)
{
	struct ga_err ignored = GA_ERR_INIT;
	char buf[GA_TIME_SIZE];
	struct ga_pciaddr pci;
	struct ga_cpuset cpus;
	int64_t micros;
	uint32_t ip;

	switch (format) {
	case GA_T_ID:
		return ga_id_is_valid(s);
	case GA_T_NAME:
		return ga_name_is_valid(s);
	case GA_T_CODE:
		return all_of(s, "abcdefghijklmnopqrstuvwxyz0123456789_");
	case GA_T_HEX:
		return all_of(s, "0123456789abcdef");
	case GA_T_WORD:
		return ga_is_word(s);
	case GA_T_ADDRESS:
		return ga_is_address(s);
	case GA_T_TIME:
		return ga_time_read(s, &micros) &&
		       ga_streq(ga_time_format(micros, buf), s);
	case GA_T_DIGEST:
		return ga_digest_is_valid(s);
	case GA_T_PCI:
		return !ga_pciaddr_parse(s, &pci, &ignored) &&
		       ga_streq(ga_pciaddr_format(&pci, buf), s);
	case GA_T_MAC:
		return !ga_mac_parse(s, buf, &ignored) && ga_streq(buf, s);
	case GA_T_IP:
		return !ga_ip_parse(s, &ip, &ignored);
	case GA_T_CPUS:
		return !ga_cpuset_parse(s, &cpus, &ignored);
	case GA_T_ANY:
	case GA_T_PERSON: /* checked with a message of its own */
	case GA_T_MULTILINE:
		break;
	}
	return true;
}

static const char *const format_names[] = {
	[GA_T_ANY] = "text",
	[GA_T_ID] = "an id of 8 base32 characters",
	[GA_T_NAME] = "a name ([a-z0-9][a-z0-9._-]*, at most 63 characters)",
	[GA_T_CODE] = "a code of lower-case letters, digits and _",
	[GA_T_TIME] = "a time such as 2026-01-31T08:15:00.000000Z",
	[GA_T_DIGEST] = "a digest (sha256: and 64 hex digits)",
	[GA_T_PCI] = "a PCI address such as 0000:18:00.0",
	[GA_T_MAC] = "a MAC address in lower case",
	[GA_T_IP] = "an IPv4 address",
	[GA_T_CPUS] = "a CPU list such as 0-7,16-23",
	[GA_T_HEX] = "hex digits in lower case",
	[GA_T_WORD] = "one word of letters, digits and . _ : + / @ -",
	[GA_T_ADDRESS] = "an address for ssh: a name or an IP of a host",
	[GA_T_PERSON] = "text",
	[GA_T_MULTILINE] = "text",
};

static bool is_value(const char *const *values, const char *s)
{
	for (; *values; values++)
		if (ga_streq(*values, s))
			return true;
	return false;
}

int ga_schema_check_text(const struct ga_field *f, const char *s, size_t len, const char *path,
			struct ga_err *err)
{
	if (len > GA_TEXT_MAX)
		return ga_fail(err, GA_BADREC, "member '%s' is longer than %d bytes", path,
			       GA_TEXT_MAX);
	if (!len)
		return ga_fail(
			err, GA_BADREC,
			"member '%s' is empty: leave an absent one out, write null for unknown",
			path);
	if (!is_printable(s, len, f->format == GA_T_MULTILINE))
		return ga_fail(err, GA_BADREC, "member '%s' contains control characters", path);
	if (f->format == GA_T_PERSON) {
		ga_autofree char *what = ga_xprintf("member '%s'", path);

		return ga_person_check(what, s, GA_BADREC, err);
	}
	if (f->values && !is_value(f->values, s)) {
		ga_autostr struct ga_str list = GA_STR_INIT;
		ga_autofree char *end = NULL;
		struct ga_closest_names near;
		const char *const *v;

		ga_closest_begin(&near, s);
		ga_closest_words(&near, f->values);
		end = ga_closest_end(&near);
		for (v = f->values; *v; v++)
			ga_str_addf(&list, "%s%s", list.len ? ", " : "", *v);
		return ga_fail(err, GA_BADREC, "member '%s' takes one of %s, not '%.64s'%s", path,
			       list.buf, s, end);
	}
	if (!matches(f->format, s))
		return ga_fail(err, GA_BADREC, "member '%s' is not %s: '%.64s'", path,
			       format_names[f->format], s);
	return 0;
}

/* ---- reading ---- */

static int check_text(const struct ga_field *f, json_t *json, const char *path, struct ga_err *err)
{
	return ga_schema_check_text(f, json_string_value(json), json_string_length(json), path,
				    err);
}

static int parse_object(const struct ga_schema *schema, json_t *json, void *ret, const char *prefix,
			struct ga_err *err);

static int wrong_type(const char *path, const char *want, json_t *json, struct ga_err *err)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",	 [JSON_STRING] = "text",
		[JSON_INTEGER] = "a number", [JSON_REAL] = "a fraction", [JSON_TRUE] = "true",
		[JSON_FALSE] = "false",	     [JSON_NULL] = "null",
	};

	return ga_fail(err, GA_BADREC, "member '%s' must be %s, not %s", path, want,
		       names[json_typeof(json)]);
}

static int check_int(const struct ga_field *f, int64_t n, const char *path, struct ga_err *err)
{
	if (n < f->min || n > f->max)
		return ga_fail(err, GA_BADREC,
			       "member '%s' is %" PRId64 ", not within %" PRId64 " .. %" PRId64,
			       path, n, f->min, f->max);
	return 0;
}

static int parse_int(const struct ga_field *f, json_t *json, const char *path, int64_t *ret,
		     struct ga_err *err)
{
	int64_t n = json_integer_value(json);

	if (!json_is_integer(json))
		return wrong_type(path, "a whole number", json, err);
	if (check_int(f, n, path, err) < 0)
		return -1;
	*ret = n;
	return 0;
}

int64_t ga_schema_decimal_unit(const struct ga_field *f)
{
	int64_t unit = 1;
	int i;

	for (i = 0; i < f->digits; i++)
		unit *= 10;
	return unit;
}

/* A double keeps fifteen digits, and none of our values has more. */
static int parse_decimal(const struct ga_field *f, json_t *json, const char *path, int64_t *ret,
			 struct ga_err *err)
{
	double n = json_number_value(json) * (double)ga_schema_decimal_unit(f);

	if (!json_is_number(json))
		return wrong_type(path, "a number", json, err);
	if (!(n >= 0 && n <= (double)GA_SCHEMA_DECIMAL_MAX))
		return ga_fail(err, GA_BADREC, "member '%s' is below 0 or too large", path);
	*ret = (int64_t)(n + 0.5);
	return 0;
}

static int parse_elements(const struct ga_field *f, json_t *json, void *list, const char *path,
			  struct ga_err *err)
{
	json_t *item;
	size_t i;

	if (!json_is_array(json))
		return wrong_type(path, "a list", json, err);
	json_array_foreach(json, i, item) {
		ga_autofree char *where = ga_xprintf("%s[%zu]", path, i);

		if (f->type == GA_F_LIST) {
			void *e;

			e = ga_list_grow(list, f->sub->size);
			if (parse_object(f->sub, item, e, where, err) < 0)
				return -1;
		} else if (f->type == GA_F_INTS) {
			int64_t *e = ga_list_grow(list, sizeof(*e));

			if (parse_int(f, item, where, e, err) < 0)
				return -1;
		} else {
			char **e = ga_list_grow(list, sizeof(*e));

			*e = NULL;
			if (!json_is_string(item))
				return wrong_type(where, "text", item, err);
			if (check_text(f, item, where, err) < 0)
				return -1;
			*e = ga_xstrdup(json_string_value(item));
		}
	}
	return 0;
}

static int parse_value(const struct ga_field *f, json_t *json, void *p, const char *path,
		       struct ga_err *err)
{
	switch (f->type) {
	case GA_F_TEXT:
		if (!json_is_string(json))
			return wrong_type(path, "text", json, err);
		if (check_text(f, json, path, err) < 0)
			return -1;
		*(char **)p = ga_xstrdup(json_string_value(json));
		return 0;
	case GA_F_INT:
		return parse_int(f, json, path, p, err);
	case GA_F_DECIMAL:
		return parse_decimal(f, json, path, p, err);
	case GA_F_BOOL:
		if (!json_is_boolean(json))
			return wrong_type(path, "true or false", json, err);
		*(bool *)p = json_is_true(json);
		return 0;
	case GA_F_TRI:
		if (!json_is_boolean(json))
			return wrong_type(path, "true, false or null", json, err);
		*(int64_t *)p = json_is_true(json);
		return 0;
	case GA_F_OBJ:
		if (!is_pointer_obj(f))
			return parse_object(f->sub, json, p, path, err);
		*(void **)p = ga_xcalloc(1, f->sub->size);
		return parse_object(f->sub, json, *(void **)p, path, err);
	case GA_F_LIST:
	case GA_F_TEXTS:
	case GA_F_INTS:
		return parse_elements(f, json, p, path, err);
	case GA_F_JSON:
		if (!json_is_object(json))
			return wrong_type(path, "an object", json, err);
		*(json_t **)p = json_deep_copy(json);
		return 0;
	}
	return 0;
}

static const struct ga_field *find_field(const struct ga_schema *schema, const char *name)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const struct ga_field *ga_schema_member(const struct ga_schema *schema, const char *path)
{
	size_t n = strcspn(path, ".");
	const struct ga_field *f;

	for (f = schema ? schema->fields : NULL; f && f->name; f++)
		if (strlen(f->name) == n && !strncmp(f->name, path, n))
			return path[n] ? ga_schema_member(f->sub, path + n + 1) : f;
	return NULL;
}

static int parse_object(const struct ga_schema *schema, json_t *json, void *ret, const char *prefix,
			struct ga_err *err)
{
	const struct ga_field *f;
	const char *key;
	json_t *value;

	if (!json_is_object(json))
		return wrong_type(prefix, "an object", json, err);
	json_object_foreach(json, key, value)
		if (!find_field(schema, key) && !(schema->kind && !strcmp(key, "kind")))
			return ga_fail(err, GA_BADREC, "unknown member '%s%s%.64s'", prefix,
				       *prefix ? "." : "", key);
	for (f = schema->fields; f->name; f++) {
		ga_autofree char *longer = NULL;

		value = json_object_get(json, f->name);
		if (!value && f->presence != GA_OPT)
			return ga_fail(err, GA_BADREC, "member '%s%s%s' is missing", prefix,
				       *prefix ? "." : "", f->name);
		if (!value || (json_is_null(value) && f->presence == GA_NULLOK)) {
			if (ga_schema_is_number(f))
				*(int64_t *)at(ret, f) = GA_UNKNOWN;
			continue;
		}
		if (*prefix)
			longer = ga_xprintf("%s.%s", prefix, f->name);
		if (parse_value(f, value, at(ret, f), longer ? longer : f->name, err) < 0)
			return -1;
	}
	return 0;
}

int ga_schema_parse(const struct ga_schema *schema, json_t *json, void *ret, struct ga_err *err)
{
	memset(ret, 0, schema->size);
	if (parse_object(schema, json, ret, "", err) < 0) {
		ga_schema_release(schema, ret);
		return -1;
	}
	return 0;
}

int ga_schema_check(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++) {
		const void *p = (const char *)obj + f->offset;

		if (f->type == GA_F_TEXT) {
			const char *s = *(char *const *)p;

			if (s && ga_schema_check_text(f, s, strlen(s), f->name, err) < 0)
				return -1;
		} else if (f->type == GA_F_INT) {
			int64_t n = *(const int64_t *)p;

			if ((n != GA_UNKNOWN || f->presence == GA_REQ) &&
			    check_int(f, n, f->name, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- writing ---- */

static json_t *new_text(const char *s)
{
	json_t *text = json_string(s);

	/* Hardware may report bytes that are not UTF-8; each becomes '?', so the text is kept. */
	if (!text) {
		ga_autofree char *copy = ga_xstrdup(s);
		char *p;

		for (p = copy; *p; p++)
			if ((unsigned char)*p >= 0x80)
				*p = '?';
		text = json_string(copy);
	}
	if (!text)
		abort();
	return text;
}

static json_t *format_elements(const struct ga_field *f, const struct ga_any_list *list)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (f->type == GA_F_LIST)
			json_array_append_new(array, ga_schema_format(f->sub, (char *)list->v +
								     i * f->sub->size));
		else if (f->type == GA_F_INTS)
			json_array_append_new(array, json_integer(((int64_t *)list->v)[i]));
		else
			json_array_append_new(array, new_text(((char **)list->v)[i]));
	}
	return array;
}

/* Writes a fraction only if there is one, so that 5 does not become 5.0. */
static json_t *format_decimal(int64_t n, int64_t unit)
{
	return n % unit ? json_real((double)n / (double)unit) : json_integer(n / unit);
}

/* The value as JSON, or NULL when it is absent or unknown. */
static json_t *format_value(const struct ga_field *f, const void *p)
{
	switch (f->type) {
	case GA_F_TEXT:
		return *(char *const *)p ? new_text(*(char *const *)p) : NULL;
	case GA_F_INT:
		return *(const int64_t *)p == GA_UNKNOWN ? NULL :
							   json_integer(*(const int64_t *)p);
	case GA_F_DECIMAL:
		return *(const int64_t *)p == GA_UNKNOWN ?
			       NULL :
			       format_decimal(*(const int64_t *)p, ga_schema_decimal_unit(f));
	case GA_F_BOOL:
		return json_boolean(*(const bool *)p);
	case GA_F_TRI:
		return *(const int64_t *)p == GA_UNKNOWN ? NULL :
							   json_boolean(*(const int64_t *)p);
	case GA_F_OBJ:
		if (!is_pointer_obj(f))
			return ga_schema_format(f->sub, p);
		return *(void *const *)p ? ga_schema_format(f->sub, *(void *const *)p) : NULL;
	case GA_F_LIST:
	case GA_F_TEXTS:
	case GA_F_INTS:
		return f->presence == GA_OPT && !((const struct ga_any_list *)p)->n ?
			       NULL :
			       format_elements(f, p);
	case GA_F_JSON:
		return *(json_t *const *)p ? json_deep_copy(*(json_t *const *)p) : NULL;
	}
	return NULL;
}

json_t *ga_schema_format(const struct ga_schema *schema, const void *obj)
{
	json_t *json = json_object();
	const struct ga_field *f;

	if (schema->kind)
		json_object_set_new(json, "kind", json_string(schema->kind));
	for (f = schema->fields; f->name; f++) {
		json_t *value = format_value(f, at(obj, f));

		if (!value && f->presence == GA_OPT)
			continue;
		if (!value && f->presence == GA_REQ) {
			fprintf(stderr, "gpuaas: BUG: %s without '%s'\n",
				schema->kind ? schema->kind : "a member", f->name);
			abort();
		}
		json_object_set_new(json, f->name, value ? value : json_null());
	}
	return json;
}

/* ---- init, release and copy ---- */

static void release_list(const struct ga_field *f, struct ga_any_list *list)
{
	size_t i;

	for (i = 0; i < list->n && f->type != GA_F_INTS; i++) {
		if (f->type == GA_F_LIST)
			ga_schema_release(f->sub, (char *)list->v + i * f->sub->size);
		else
			free(((char **)list->v)[i]);
	}
	free(list->v);
}

void ga_schema_release(const struct ga_schema *schema, void *obj)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++) {
		void *p = at(obj, f);

		if (f->type == GA_F_TEXT)
			free(*(char **)p);
		else if (f->type == GA_F_JSON)
			json_decref(*(json_t **)p);
		else if (f->type == GA_F_LIST || f->type == GA_F_TEXTS || f->type == GA_F_INTS)
			release_list(f, p);
		else if (f->type == GA_F_OBJ && !is_pointer_obj(f))
			ga_schema_release(f->sub, p);
		else if (f->type == GA_F_OBJ && *(void **)p) {
			ga_schema_release(f->sub, *(void **)p);
			free(*(void **)p);
		}
	}
	memset(obj, 0, schema->size);
}

void ga_schema_init(const struct ga_schema *schema, void *obj)
{
	const struct ga_field *f;

	memset(obj, 0, schema->size);
	for (f = schema->fields; f->name; f++) {
		if (ga_schema_is_number(f) && f->presence != GA_REQ)
			*(int64_t *)at(obj, f) = GA_UNKNOWN;
		else if (f->type == GA_F_OBJ && !is_pointer_obj(f))
			ga_schema_init(f->sub, at(obj, f));
	}
}

static void copy_list(const struct ga_field *f, const struct ga_any_list *src,
		      struct ga_any_list *dst)
{
	size_t size = f->type == GA_F_LIST ? f->sub->size :
		      f->type == GA_F_INTS ? sizeof(int64_t) :
					     sizeof(char *);
	size_t i;

	*dst = (struct ga_any_list){ 0 };
	for (i = 0; i < src->n; i++) {
		char *to = ga_list_grow(dst, size);
		const char *from = (const char *)src->v + i * size;

		if (f->type == GA_F_LIST)
			ga_schema_copy(f->sub, from, to);
		else if (f->type == GA_F_INTS)
			memcpy(to, from, size);
		else
			*(char **)to = ga_xstrdup(*(char *const *)from);
	}
}

void ga_schema_copy(const struct ga_schema *schema, const void *src, void *dst)
{
	const struct ga_field *f;

	memcpy(dst, src, schema->size);
	for (f = schema->fields; f->name; f++) {
		void *from = at(src, f), *to = at(dst, f);

		if (f->type == GA_F_TEXT)
			*(char **)to = ga_strdup0(*(char **)from);
		else if (f->type == GA_F_JSON)
			*(json_t **)to = json_deep_copy(*(json_t **)from);
		else if (f->type == GA_F_LIST || f->type == GA_F_TEXTS || f->type == GA_F_INTS)
			copy_list(f, from, to);
		else if (f->type == GA_F_OBJ && !is_pointer_obj(f))
			ga_schema_copy(f->sub, from, to);
		else if (f->type == GA_F_OBJ && *(void **)from) {
			*(void **)to = ga_xcalloc(1, f->sub->size);
			ga_schema_copy(f->sub, *(void **)from, *(void **)to);
		}
	}
}

/* ---- numbers that an older version wrote with other bounds ---- */

int64_t ga_field_clamp(const struct ga_field *f, int64_t n)
{
	if (n < f->min)
		return f->min;
	return n > f->max ? f->max : n;
}

static void clamp_number(const struct ga_field *f, json_t *value)
{
	if (json_is_integer(value))
		json_integer_set(value, ga_field_clamp(f, json_integer_value(value)));
}

static void clamp_elements(const struct ga_field *f, json_t *list)
{
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		if (f->type == GA_F_INTS)
			clamp_number(f, item);
		else
			ga_schema_clamp(f->sub, item);
	}
}

void ga_schema_clamp(const struct ga_schema *schema, json_t *json)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++) {
		json_t *value = json_object_get(json, f->name);

		if (f->type == GA_F_INT)
			clamp_number(f, value);
		else if (f->type == GA_F_OBJ)
			ga_schema_clamp(f->sub, value);
		else if (f->type == GA_F_INTS || f->type == GA_F_LIST)
			clamp_elements(f, value);
	}
}

void ga_schema_trim(const struct ga_schema *schema, json_t *json)
{
	const char *key;
	json_t *value;
	void *next;
	size_t i;

	if (!json_is_object(json))
		return;
	json_object_foreach_safe(json, next, key, value) {
		const struct ga_field *f = find_field(schema, key);

		if (!f || (json_is_null(value) && f->presence == GA_OPT)) {
			json_object_del(json, key);
			continue;
		}
		if (f->type == GA_F_OBJ)
			ga_schema_trim(f->sub, value);
		for (i = 0; f->type == GA_F_LIST && i < json_array_size(value); i++)
			ga_schema_trim(f->sub, json_array_get(value, i));
	}
}
