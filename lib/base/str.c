/* SPDX-License-Identifier: Apache-2.0 */
/* A growing string. */
#include "base/str.h"

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

void ga_str_reserve(struct ga_str *s, size_t more)
{
	size_t cap = s->cap ? s->cap : 128;

	if (s->len + more < s->cap)
		return;
	while (cap < s->len + more + 1)
		cap *= 2;
	s->buf = ga_xrealloc(s->cap ? s->buf : NULL, cap, 1);
	s->cap = cap;
	s->buf[s->len] = '\0';
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

/* Characters that must not reach a terminal, in order. */
static const struct range {
	unsigned int from, to;
	bool is_invisible; /* false: it controls a terminal or changes the direction of text */
} ranges[] = {
	{ 0x01, 0x1f, false },	   { 0x7f, 0x9f, false },
	{ 0xad, 0xad, true },	   { 0x61c, 0x61c, false },
	{ 0x180e, 0x180e, true },  { 0x200b, 0x200d, true },
	{ 0x200e, 0x200f, false }, { 0x2028, 0x2029, true },
	{ 0x202a, 0x202e, false }, { 0x2060, 0x2064, true },
	{ 0x2066, 0x2069, false }, { 0x206a, 0x206f, true },
	{ 0xfeff, 0xfeff, true },  { 0xfff9, 0xfffb, true },
	{ 0xe0000, 0xe007f, true },
};

static const struct range *range_of(unsigned int code)
{
	if (code >= 0x20 && code < 0x7f)
		return NULL;
	for (size_t i = 0; i < GA_ARRAY_SIZE(ranges) && code >= ranges[i].from; i++)
		if (code <= ranges[i].to)
			return &ranges[i];
	return NULL;
}

bool ga_unprintable(const char **text, unsigned int *code)
{
	const unsigned char *p = (const unsigned char *)*text;
	size_t bytes = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4, i;

	/* An overlong form of a character counts as that character. */
	*code = bytes < 2 ? *p : *p & (0x7fU >> bytes);
	for (i = 1; i < bytes && (p[i] & 0xc0) == 0x80; i++)
		*code = *code << 6 | (p[i] & 0x3f);
	/* A byte that is no character: 8-bit terminals read 0x80 to 0x9f as control characters. */
	if (!bytes || i < bytes) {
		*code = *p;
		*text += 1;
		return true;
	}
	*text += bytes;
	return range_of(*code) != NULL;
}

bool ga_is_blank(unsigned int code)
{
	static const unsigned int blanks[][2] = {
		{ 0x09, 0x0d },	    { 0x20, 0x20 },	{ 0x85, 0x85 },	    { 0xa0, 0xa0 },
		{ 0x34f, 0x34f },   { 0x115f, 0x1160 }, { 0x1680, 0x1680 }, { 0x17b4, 0x17b5 },
		{ 0x2000, 0x200a }, { 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x2800, 0x2800 },
		{ 0x3000, 0x3000 }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f }, { 0xffa0, 0xffa0 },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(blanks) && code >= blanks[i][0]; i++)
		if (code <= blanks[i][1])
			return true;
	return range_of(code) && range_of(code)->is_invisible;
}

char *ga_trimmed(const char *text)
{
	const char *p = text, *from = NULL, *end = text;

	while (*p) {
		const char *at = p;
		unsigned int code;

		ga_unprintable(&p, &code);
		if (ga_is_blank(code))
			continue;
		from = from ? from : at;
		end = p;
	}
	return ga_xstrndup(from ? from : text, from ? (size_t)(end - from) : 0);
}

void ga_str_add_escape(struct ga_str *s, unsigned int code)
{
	if (code > 0xffff)
		ga_str_addf(s, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
			    0xdc00 + (code & 0x3ff));
	else
		ga_str_addf(s, "\\u%04x", code);
}

void ga_str_add_visible(struct ga_str *s, const char *text)
{
	while (*text) {
		const char *at = text;
		unsigned int code;

		/* text - at is 1 for a byte that is no character. */
		if (ga_unprintable(&text, &code) && text - at > 1 && range_of(code) &&
		    range_of(code)->is_invisible)
			ga_str_add_escape(s, code);
		else
			ga_str_add_bytes(s, at, (size_t)(text - at));
	}
}

/* keep decides which newlines stay; NULL: none. */
static char *printable(char *text, bool (*keep)(const char *newline))
{
	const char *from = text;
	char *to = text;

	while (*from) {
		const char *at = from;
		unsigned int code;

		if (!ga_unprintable(&from, &code))
			while (at < from)
				*to++ = *at++;
		else if (code == '\t')
			*to++ = ' ';
		else if (code == '\n' && keep && keep(at))
			*to++ = '\n';
		else
			*to++ = '?';
	}
	*to = '\0';
	return text;
}

static bool keep_each(const char *newline)
{
	(void)newline;
	return true;
}

static bool keep_indented(const char *newline)
{
	return ga_starts(newline, "\n  ");
}

char *ga_printable(char *text)
{
	return printable(text, NULL);
}

char *ga_printable_words(char *text)
{
	return printable(text, keep_indented);
}

char *ga_printable_text(char *text)
{
	return printable(text, keep_each);
}

char *ga_str_take(struct ga_str *s)
{
	char *p = s->cap ? s->buf : ga_xstrdup("");

	*s = (struct ga_str)GA_STR_INIT;
	return p;
}
