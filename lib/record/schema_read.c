/* SPDX-License-Identifier: Apache-2.0 */
/* Reads text into structs by their tables, without a jansson value in between. */
#include "record/schema_read.h"

#include <string.h>

#include "record/internal.h"

struct cursor {
	const char *p, *end;
};

static bool eat(struct cursor *c, const char *what, size_t n)
{
	if ((size_t)(c->end - c->p) < n || memcmp(c->p, what, n))
		return false;
	c->p += n;
	return true;
}

#define eat_word(c, word) eat(c, word, sizeof(word) - 1)

static bool eat_char(struct cursor *c, char what)
{
	return c->p < c->end && *c->p == what && c->p++;
}

static bool eat_quoted(struct cursor *c, const char *what)
{
	return eat_char(c, '"') && eat(c, what, strlen(what)) && eat_char(c, '"');
}

/* The quoted text without its escapes; only quotes and backslashes are escaped. */
static bool read_quoted(struct cursor *c, char **ret, size_t *len)
{
	const char *begin = c->p, *p;
	size_t escapes = 0;
	char *to;

	for (; c->p < c->end && *c->p != '"'; c->p++) {
		if ((unsigned char)*c->p < 0x20 || (unsigned char)*c->p >= 0x80)
			return false;
		if (*c->p != '\\')
			continue;
		if (c->end - ++c->p < 2 || (*c->p != '"' && *c->p != '\\'))
			return false;
		escapes++;
	}
	*len = (size_t)(c->p - begin) - escapes;
	to = *ret = ga_xcalloc(*len + 1, 1);
	for (p = begin; p < c->p; p++)
		*to++ = *p == '\\' ? *++p : *p;
	return eat_char(c, '"');
}

static bool read_text(const struct ga_field *f, struct cursor *c, char **ret)
{
	struct ga_err ignored = GA_ERR_INIT;
	size_t len;

	return eat_char(c, '"') && read_quoted(c, ret, &len) &&
	       ga_schema_check_text(f, *ret, len, f->name, &ignored) == 0;
}

/* Reads digits without a leading zero, so few that they cannot overflow. */
static bool read_digits(struct cursor *c, int64_t *ret)
{
	const char *begin = c->p;

	for (*ret = 0; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
		if (c->p - begin == 18)
			return false;
		*ret = *ret * 10 + (*c->p - '0');
	}
	return c->p - begin == 1 || (c->p > begin && *begin != '0');
}

static bool read_int(const struct ga_field *f, struct cursor *c, int64_t *ret)
{
	bool below = eat_char(c, '-');

	if (!read_digits(c, ret))
		return false;
	*ret = below ? -*ret : *ret;
	return *ret >= f->min && *ret <= f->max;
}

/* Reads a decimal: "989.5" with 3 digits is 989500. */
static bool read_decimal(const struct ga_field *f, struct cursor *c, int64_t *ret)
{
	int64_t unit = ga_schema_decimal_unit(f);

	if (!read_digits(c, ret) || *ret > GA_SCHEMA_DECIMAL_MAX / unit)
		return false;
	*ret *= unit;
	if (!eat_char(c, '.'))
		return true;
	if (c->p == c->end || *c->p < '0' || *c->p > '9')
		return false;
	for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
		unit /= 10;
		if (!unit)
			return false;
		*ret += (*c->p - '0') * unit;
	}
	return *ret <= GA_SCHEMA_DECIMAL_MAX;
}

static bool read_bool(struct cursor *c, bool *ret)
{
	*ret = eat_word(c, "true");
	return *ret || eat_word(c, "false");
}

static bool read_object(const struct ga_schema *schema, struct cursor *c, void *ret);

static bool read_element(const struct ga_field *f, struct cursor *c, struct ga_any_list *list)
{
	if (f->type == GA_F_LIST)
		return read_object(f->sub, c, ga_list_grow(list, f->sub->size));
	if (f->type == GA_F_INTS)
		return read_int(f, c, ga_list_grow(list, sizeof(int64_t)));
	return read_text(f, c, ga_list_grow(list, sizeof(char *)));
}

/* The built-in catalogues have one element a line. */
static void skip_newline(struct cursor *c)
{
	(void)eat_char(c, '\n');
}

static bool read_list(const struct ga_field *f, struct cursor *c, struct ga_any_list *list)
{
	if (!eat_char(c, '['))
		return false;
	skip_newline(c);
	if (eat_char(c, ']'))
		return true;
	do {
		skip_newline(c);
		if (!read_element(f, c, list))
			return false;
	} while (eat_char(c, ','));
	skip_newline(c);
	return eat_char(c, ']');
}

static bool read_value(const struct ga_field *f, struct cursor *c, void *p)
{
	bool flag = false;

	switch (f->type) {
	case GA_F_TEXT:
		return read_text(f, c, p);
	case GA_F_INT:
		return read_int(f, c, p);
	case GA_F_DECIMAL:
		return read_decimal(f, c, p);
	case GA_F_BOOL:
		return read_bool(c, p);
	case GA_F_TRI:
		if (!read_bool(c, &flag))
			return false;
		*(int64_t *)p = flag;
		return true;
	case GA_F_OBJ:
		if (f->presence == GA_REQ)
			return read_object(f->sub, c, p);
		*(void **)p = ga_xcalloc(1, f->sub->size);
		return read_object(f->sub, c, *(void **)p);
	case GA_F_LIST:
	case GA_F_TEXTS:
	case GA_F_INTS:
		return read_list(f, c, p);
	case GA_F_JSON:
		break;
	}
	return false;
}

static void set_unknown(const struct ga_field *f, void *p)
{
	if (ga_schema_is_number(f))
		*(int64_t *)p = GA_UNKNOWN;
}

static bool eat_key(struct cursor *c, const char *name, bool first)
{
	struct cursor at = *c;

	if (!first && !eat_char(&at, ','))
		return false;
	if (!first)
		skip_newline(&at);
	if (!eat_quoted(&at, name) || !eat_char(&at, ':'))
		return false;
	*c = at;
	return true;
}

/* ret must be zeroed. */
static bool read_object(const struct ga_schema *schema, struct cursor *c, void *ret)
{
	const struct ga_field *f;
	bool first = true;

	if (!eat_char(c, '{'))
		return false;
	if (schema->kind) {
		if (!eat_key(c, "kind", true) || !eat_quoted(c, schema->kind))
			return false;
		first = false;
	}
	for (f = schema->fields; f->name; f++) {
		void *p = (char *)ret + f->offset;

		if (!eat_key(c, f->name, first)) {
			if (f->presence != GA_OPT)
				return false;
			set_unknown(f, p);
			continue;
		}
		first = false;
		if (f->presence == GA_NULLOK && eat_word(c, "null"))
			set_unknown(f, p);
		else if (!read_value(f, c, p))
			return false;
	}
	return eat_char(c, '}');
}

bool ga_schema_read(const struct ga_schema *schema, const char *text, size_t len, void *ret)
{
	struct cursor c = { text, text + len };

	memset(ret, 0, schema->size);
	if (read_object(schema, &c, ret) && c.p == c.end)
		return true;
	ga_schema_release(schema, ret);
	return false;
}
