/* SPDX-License-Identifier: Apache-2.0 */
/* A growing string. */
#include "str.h"

#include <stdarg.h>

char ga_str_empty[1];

void ga_str_release(struct ga_str *s)
{
	if (s->cap)
		free(s->buf);
	*s = (struct ga_str)GA_STR_INIT;
}

void ga_str_clear(struct ga_str *s)
{
	s->len = 0;
	if (s->cap)
		s->buf[0] = '\0';
}

static void grow(struct ga_str *s, size_t want)
{
	size_t cap = s->cap ? s->cap : 128;

	while (cap < want)
		cap *= 2;
	s->buf = ga_xrealloc(s->cap ? s->buf : NULL, cap, 1);
	s->cap = cap;
	s->buf[s->len] = '\0';
}

void ga_str_reserve(struct ga_str *s, size_t more)
{
	if (s->len + more >= s->cap)
		grow(s, s->len + more + 1);
}

void ga_str_add(struct ga_str *s, const char *text)
{
	ga_str_add_bytes(s, text, strlen(text));
}

void ga_str_add_bytes(struct ga_str *s, const void *p, size_t n)
{
	if (!n)
		return;
	ga_str_reserve(s, n);
	memcpy(s->buf + s->len, p, n);
	s->len += n;
	s->buf[s->len] = '\0';
}

void ga_str_addc(struct ga_str *s, char c)
{
	ga_str_reserve(s, 1);
	s->buf[s->len++] = c;
	s->buf[s->len] = '\0';
}

void ga_str_addf(struct ga_str *s, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n > 0) {
		ga_str_reserve(s, (size_t)n);
		vsnprintf(s->buf + s->len, (size_t)n + 1, fmt, again);
		s->len += (size_t)n;
	}
	va_end(again);
}

void ga_str_add_xml(struct ga_str *s, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			ga_str_add(s, "&amp;");
			break;
		case '<':
			ga_str_add(s, "&lt;");
			break;
		case '>':
			ga_str_add(s, "&gt;");
			break;
		case '\'':
			ga_str_add(s, "&apos;");
			break;
		case '"':
			ga_str_add(s, "&quot;");
			break;
		default:
			if ((unsigned char)*text < 0x20 || *text == 0x7f)
				ga_str_add(s, "\xef\xbf\xbd");
			else
				ga_str_addc(s, *text);
		}
	}
}

size_t ga_unprintable(const char *text, unsigned int *code)
{
	static const struct {
		unsigned int from, to;
	} bad[] = { { 0x01, 0x1f },	{ 0x7f, 0x9f },	    { 0x61c, 0x61c },
		    { 0x200e, 0x200f }, { 0x202a, 0x202e }, { 0x2066, 0x2069 } };
	const unsigned char *p = (const unsigned char *)text;
	size_t bytes = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4, i;

	/* Too long forms of a character are that character. */
	*code = bytes < 2 ? *p : *p & (0x7fU >> bytes);
	for (i = 1; i < bytes && (p[i] & 0xc0) == 0x80; i++)
		*code = *code << 6 | (p[i] & 0x3f);
	if (!bytes || i < bytes)
		return 0;
	for (i = 0; i < GA_ARRAY_SIZE(bad); i++)
		if (*code >= bad[i].from && *code <= bad[i].to)
			return bytes;
	return 0;
}

char *ga_printable(char *text)
{
	const char *from = text;
	char *to = text;

	while (*from) {
		unsigned int code;
		size_t bytes = ga_unprintable(from, &code);

		*to++ = bytes ? '?' : *from;
		from += bytes ? bytes : 1;
	}
	*to = '\0';
	return text;
}

char *ga_str_take(struct ga_str *s)
{
	char *p = s->cap ? s->buf : ga_xstrdup("");

	*s = (struct ga_str)GA_STR_INIT;
	return p;
}
