/* SPDX-License-Identifier: Apache-2.0 */
#include "record/person.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "record/rec.h"

/* Whether the text, in whatever marks, is the word for one, or consists of marks alone. */
static bool is_stand_in(const char *text)
{
	static const char more[] = "\u2026"; /* "…" */
	size_t n = strlen(text), end = strlen(more);

	while (n && (ispunct((unsigned char)*text) || ga_starts(text, more))) {
		size_t mark = ga_starts(text, more) ? end : 1;

		text += mark;
		n -= mark;
	}
	while (n && (ispunct((unsigned char)text[n - 1]) ||
		     (n >= end && !memcmp(text + n - end, more, end))))
		n -= ispunct((unsigned char)text[n - 1]) ? 1 : end;
	return !n || (n == strlen("TEXT") && !strncasecmp(text, "TEXT", n)) ||
	       (n == strlen("REASON") && !strncasecmp(text, "REASON", n));
}

int ga_person_check(const char *what, const char *text, enum ga_code code, struct ga_err *err)
{
	ga_autojson json_t *utf8 = json_string(text); /* NULL: it is not */
	ga_autofree char *trimmed = ga_trimmed(text);
	bool unprintable = false;
	const char *p = text;

	if (ga_starts(trimmed, "--") && trimmed[2])
		return ga_refuse(err, code, "example_text", NULL,
				 ("%s '%.64s' begins with '--', as an option does", what, text),
				 ("was the text forgotten, and the option behind it taken for it? "
				  "put the text before that option, in quotes"));
	if (*trimmed && is_stand_in(trimmed))
		return ga_refuse(err, code, "example_text", NULL,
				 ("%s '%s' stands for a text of yours", what, text),
				 ("put the text there, in quotes if it has spaces; it is kept "
				  "with what is done"));
	if (!utf8)
		return ga_fail(err, code, "%s is not text in UTF-8", what);
	while (*p && !unprintable) {
		unsigned int c;

		unprintable = ga_unprintable(&p, &c);
	}
	if (unprintable)
		return ga_fail(err, code, "%s contains control characters, or characters that "
			       "nobody sees", what);
	if (!*trimmed)
		return ga_fail(err, code, "%s is empty", what);
	if (strlen(text) > GA_PERSON_TEXT_MAX)
		return ga_fail(err, code, "%s is longer than %d bytes", what, GA_PERSON_TEXT_MAX);
	return 0;
}

bool ga_person_has_reason(const char *reasons, const char *reason)
{
	size_t n = strlen(reason);
	const char *at = reasons;

	while (n && at && (at = strstr(at, reason))) {
		if ((at == reasons || (at - reasons > 1 && ga_starts(at - 2, "; "))) &&
		    (!at[n] || ga_starts(at + n, "; ")))
			return true;
		at++;
	}
	return false;
}

char *ga_person_add_reason(const char *reasons, const char *reason)
{
	if (!reasons || !*reasons || ga_person_has_reason(reason, reasons))
		return ga_xstrdup(reason);
	if (ga_person_has_reason(reasons, reason))
		return ga_xstrdup(reasons);
	if (strlen(reasons) + strlen(reason) + 2 > GA_PERSON_REASONS_MAX)
		return NULL;
	return ga_xprintf("%s; %s", reasons, reason);
}

char *ga_person_put_reason(const char *reasons, const char *reason)
{
	ga_autofree char *left = ga_xstrdup(reasons ? reasons : "");
	char *both, *at, *end;

	while (!(both = ga_person_add_reason(left, reason))) {
		end = left;
		for (at = left; (at = strstr(at, "; ")); at++)
			end = at;
		*end = '\0';
	}
	return both;
}
