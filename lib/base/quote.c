/* SPDX-License-Identifier: Apache-2.0 */
/* Quoting of words for a shell on another machine, and the reverse. */
#include "base/quote.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/texts.h"

/* Without '=': zsh expands a word that begins with it; a first word with it is an assignment. */
#define BARE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+:,./-"

static void add_quoted(struct ga_str *out, const char *word)
{
	ga_str_addc(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			ga_str_add(out, "'\\''");
		else
			ga_str_addc(out, *word);
	}
	ga_str_addc(out, '\'');
}

void ga_quote_word(struct ga_str *out, const char *word)
{
	if (*word && !word[strspn(word, BARE)])
		ga_str_add(out, word);
	else
		add_quoted(out, word);
}

void ga_quote_command(struct ga_str *out, char *const *words, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (i)
			ga_str_addc(out, ' ');
		/* No keyword of a shell contains '-' or '/'. */
		if (!i && !strpbrk(words[i], "-/"))
			add_quoted(out, words[i]);
		else
			ga_quote_word(out, words[i]);
	}
}

char *ga_vcommand(const char *fmt, va_list ap)
{
	static const char wide[] = PRId64;
	struct ga_str out = GA_STR_INIT;
	const char *p;

	for (p = fmt; *p; p++) {
		if (*p != '%') {
			ga_str_addc(&out, *p);
		} else if (*++p == 's') {
			ga_quote_word(&out, va_arg(ap, const char *));
		} else if (*p == 'd') {
			ga_str_addf(&out, "%d", va_arg(ap, int));
		} else if (ga_starts(p, wide)) {
			ga_str_addf(&out, "%" PRId64, va_arg(ap, int64_t));
			p += sizeof(wide) - 2;
		} else if (*p == '%') {
			ga_str_addc(&out, '%');
		} else {
			abort(); /* unit tests make every command */
		}
	}
	return ga_str_take(&out);
}

char *ga_command(const char *fmt, ...)
{
	va_list ap;
	char *command;

	va_start(ap, fmt);
	command = ga_vcommand(fmt, ap);
	va_end(ap);
	return command;
}

bool ga_is_word(const char *text)
{
	size_t len = text ? strlen(text) : 0;

	return len && len <= 255 && *text != '-' &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			    "._:+/@-") == len;
}

/* Reads up to the closing quote; NULL when there is none. */
static const char *take_quoted(const char *p, struct ga_str *word)
{
	size_t len = strcspn(p, "'");

	ga_str_add_bytes(word, p, len);
	return p[len] ? p + len + 1 : NULL;
}

static int not_plain(const char *p, struct ga_err *err)
{
	if ((unsigned char)*p < ' ' || *p == 0x7f)
		return ga_fail_for(err, GA_DENIED, "not_plain",
				   "the command line has a control character outside quotes");
	return ga_fail_for(err, GA_DENIED, "not_plain",
			   "the command line has a '%c' outside quotes, and there is no shell here",
			   *p);
}

static int take_word(const char **line, struct ga_str *word, struct ga_err *err)
{
	const char *p = *line;

	while (*p && *p != ' ') {
		size_t bare = strspn(p, BARE "=");

		if (bare) {
			ga_str_add_bytes(word, p, bare);
			p += bare;
		} else if (*p == '\'') {
			p = take_quoted(p + 1, word);
			if (!p)
				return ga_fail_for(err, GA_DENIED, "not_plain",
						   "the command line ends within quotes");
		} else if (p[0] == '\\' && p[1] == '\'') {
			ga_str_addc(word, '\'');
			p += 2;
		} else {
			return not_plain(p, err);
		}
	}
	*line = p;
	return 0;
}

int ga_quote_split(const char *line, struct ga_texts *ret, struct ga_err *err)
{
	memset(ret, 0, sizeof(*ret));
	for (;;) {
		ga_autostr struct ga_str word = GA_STR_INIT;

		line += strspn(line, " ");
		if (!*line)
			return 0;
		if (take_word(&line, &word, err) < 0)
			return -1;
		*(char **)ga_list_add(ret) = ga_str_take(&word);
	}
}

bool ga_is_plain(const char *text)
{
	return text && *text != '-' && !text[strcspn(text, " \t\n'\"\\@`$;&|<>()")];
}

bool ga_is_address(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	if (!text || !*text || *text == '-')
		return false;
	while (isalnum(*p) || *p >= 0x80 || (*p && strchr("@.:-_[]%/", *p)))
		p++;
	return !*p;
}
