/* SPDX-License-Identifier: Apache-2.0 */
#include "record/person.h"

#include <jansson.h>
#include <string.h>

#include "base/str.h"
#include "record/rec.h"

static bool is_stand_in(const char *text)
{
	static const char *const words[] = { "TEXT", "<TEXT>", "REASON", "<REASON>", "-", "" };
	size_t i, n;

	for (i = 0; i < GA_ARRAY_SIZE(words); i++) {
		n = strlen(words[i]);
		if (ga_starts(text, words[i]) &&
		    ((n && !text[n]) || !strcmp(text + n, "...") || !strcmp(text + n, "…")))
			return true;
	}
	return false;
}

int ga_person_check(const char *what, const char *text, enum ga_code code, struct ga_err *err)
{
	ga_autojson json_t *utf8 = json_string(text); /* NULL: it is not */
	ga_autofree char *trimmed = ga_trimmed(text);
	bool unprintable = false;
	const char *p = text;

	if (is_stand_in(trimmed))
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
