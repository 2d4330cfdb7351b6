/* SPDX-License-Identifier: Apache-2.0 */
/* Writes structs as text by their tables, exactly as jansson's compact form (a test compares). */
#include "record/schema_write.h"

#include <string.h>

#include "record/rec.h"

/* Adds a text that needs no escape, between quotes. */
static void add_quoted(const char *s, size_t n, struct ga_str *out)
{
	char *to;

	ga_str_reserve(out, n + 2);
	to = out->buf + out->len;
	*to++ = '"';
	memcpy(to, s, n);
	to[n] = '"';
	to[n + 1] = '\0';
	out->len += n + 2;
}

/* Adds the comma, the quoted name of the member, and the colon. */
static void add_name(const char *name, bool first, struct ga_str *out)
{
	if (!first)
		ga_str_addc(out, ',');
	add_quoted(name, strlen(name), out);
	ga_str_addc(out, ':');
}

static void add_escaped(const char *s, struct ga_str *out)
{
	const char *run = s;

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		static const char names[] = "\b\f\n\r\t", letters[] = "bfnrt";
		const char *known;

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		known = strchr(names, c);
		ga_str_add_bytes(out, run, (size_t)(s - run));
		run = s + 1;
		if (c == '"' || c == '\\') {
			ga_str_addc(out, '\\');
			ga_str_addc(out, *s);
		} else if (known) {
			ga_str_addc(out, '\\');
			ga_str_addc(out, letters[known - names]);
		} else {
			ga_str_addf(out, "\\u%04X", c);
		}
	}
	ga_str_add_bytes(out, run, (size_t)(s - run));
}

/* Number of bytes at the start of s that JSON writes unchanged, in any encoding. */
static size_t plain(const char *s)
{
	/* all of ASCII except control characters, the quote and the backslash */
	static const bool is_plain[256] = {
		[0x20 ... 0x21] = true, [0x23 ... 0x5b] = true, [0x5d ... 0x7f] = true,
	};
	const unsigned char *p = (const unsigned char *)s;

	while (is_plain[*p])
		p++;
	return (size_t)(p - (const unsigned char *)s);
}

/* As in schema.c: hardware may report bytes that are not UTF-8; each becomes '?'. */
static void add_text(const char *s, struct ga_str *out)
{
	ga_autofree char *copy = NULL;
	size_t n = plain(s);
	const char *p;

	if (!s[n]) {
		add_quoted(s, n, out);
		return;
	}
	for (p = s; *p && (unsigned char)*p < 0x80; p++)
		;
	if (*p) {
		ga_autojson json_t *check = json_string(s);
		char *q;

		copy = check ? NULL : ga_xstrdup(s);
		for (q = copy; q && *q; q++)
			if ((unsigned char)*q >= 0x80)
				*q = '?';
	}
	ga_str_addc(out, '"');
	add_escaped(copy ? copy : s, out);
	ga_str_addc(out, '"');
}

static void add_int(int64_t n, struct ga_str *out)
{
	char text[24], *end = text + sizeof(text), *p = end;
	uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;

	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0)
		*--p = '-';
	ga_str_add_bytes(out, p, (size_t)(end - p));
}

/* Adds a decimal: 989500 with 3 digits is "989.5", without zeros at the end. */
static void add_decimal(int64_t n, int digits, struct ga_str *out)
{
	int64_t unit = 1, rest;
	int i;

	for (i = 0; i < digits; i++)
		unit *= 10;
	add_int(n / unit, out);
	rest = n % unit;
	if (!rest)
		return;
	ga_str_addc(out, '.');
	for (; rest; rest = rest % unit) {
		unit /= 10;
		ga_str_addc(out, (char)('0' + rest / unit));
	}
}

static void add_list(const struct ga_field *f, const struct ga_any_list *list, struct ga_str *out)
{
	size_t i;

	ga_str_addc(out, '[');
	for (i = 0; i < list->n; i++) {
		if (i)
			ga_str_addc(out, ',');
		if (f->type == GA_F_LIST)
			ga_schema_write(f->sub, (const char *)list->v + i * f->sub->size, out);
		else if (f->type == GA_F_INTS)
			add_int(((const int64_t *)list->v)[i], out);
		else
			add_text(((char *const *)list->v)[i], out);
	}
	ga_str_addc(out, ']');
}

static bool is_absent(const struct ga_field *f, const void *p)
{
	switch (f->type) {
	case GA_F_TEXT:
	case GA_F_JSON:
		return !*(void *const *)p;
	case GA_F_INT:
	case GA_F_DECIMAL:
	case GA_F_TRI:
		return *(const int64_t *)p == GA_UNKNOWN;
	case GA_F_OBJ:
		return f->presence != GA_REQ && !*(void *const *)p;
	case GA_F_LIST:
	case GA_F_TEXTS:
	case GA_F_INTS:
		return f->presence == GA_OPT && !((const struct ga_any_list *)p)->n;
	case GA_F_BOOL:
		break;
	}
	return false;
}

static void add_value(const struct ga_field *f, const void *p, struct ga_str *out)
{
	switch (f->type) {
	case GA_F_TEXT:
		add_text(*(char *const *)p, out);
		break;
	case GA_F_INT:
		add_int(*(const int64_t *)p, out);
		break;
	case GA_F_DECIMAL:
		add_decimal(*(const int64_t *)p, f->digits, out);
		break;
	case GA_F_BOOL:
		ga_str_add(out, *(const bool *)p ? "true" : "false");
		break;
	case GA_F_TRI:
		ga_str_add(out, *(const int64_t *)p ? "true" : "false");
		break;
	case GA_F_OBJ:
		ga_schema_write(f->sub, f->presence == GA_REQ ? p : *(void *const *)p, out);
		break;
	case GA_F_LIST:
	case GA_F_TEXTS:
	case GA_F_INTS:
		add_list(f, p, out);
		break;
	case GA_F_JSON:
		ga_rec_dump(*(json_t *const *)p, out);
		break;
	}
}

void ga_schema_write(const struct ga_schema *schema, const void *obj, struct ga_str *out)
{
	ga_schema_write_without(schema, obj, NULL, out);
}

void ga_schema_write_without(const struct ga_schema *schema, const void *obj, const char *member,
			     struct ga_str *out)
{
	const struct ga_field *f;
	bool first = true;

	ga_str_addc(out, '{');
	if (schema->kind) {
		add_name("kind", first, out);
		add_quoted(schema->kind, strlen(schema->kind), out);
		first = false;
	}
	for (f = schema->fields; f->name; f++) {
		const void *p = (const char *)obj + f->offset;
		bool absent = is_absent(f, p);

		if ((absent && f->presence == GA_OPT) || (member && !strcmp(f->name, member)))
			continue;
		if (absent && f->presence == GA_REQ) {
			fprintf(stderr, "gpuaas: BUG: %s without '%s'\n",
				schema->kind ? schema->kind : "a member", f->name);
			abort();
		}
		add_name(f->name, first, out);
		first = false;
		if (absent)
			ga_str_add(out, "null");
		else
			add_value(f, p, out);
	}
	ga_str_addc(out, '}');
}
