/* SPDX-License-Identifier: Apache-2.0 */
/* Names similar to an unknown one. */
#include "record/closest.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"

/* Letters and digits only, in lower case. */
static size_t plain(const char *text, char out[GA_CLOSEST_LETTERS])
{
	size_t n = 0;

	for (; *text && n < GA_CLOSEST_LETTERS; text++)
		if (isalnum((unsigned char)*text))
			out[n++] = (char)tolower((unsigned char)*text);
	return n;
}

static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[GA_CLOSEST_LETTERS + 1], i, j;

	for (j = 0; j <= m; j++)
		row[j] = j;
	for (i = 1; i <= n; i++) {
		size_t before = row[0]++;

		for (j = 1; j <= m; j++) {
			size_t here = row[j], least = before + (a[i - 1] != b[j - 1]);

			least = row[j] + 1 < least ? row[j] + 1 : least;
			row[j] = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
			before = here;
		}
	}
	return row[m];
}

void ga_closest_begin(struct ga_closest_names *near, const char *asked)
{
	*near = (struct ga_closest_names){ 0 };
	near->letters = plain(asked, near->asked);
}

size_t ga_closest_spelling(const struct ga_closest_names *near, const char *spelling, size_t far)
{
	char word[GA_CLOSEST_LETTERS];
	size_t m = plain(spelling, word), d;

	if (!m || !near->letters)
		return far;
	/* A word that contains the typed text is nearer than a word with any typing error. */
	d = 2 * distance(near->asked, near->letters, word, m);
	if (near->letters >= 3 && m >= near->letters &&
	    memmem(word, m, near->asked, near->letters))
		d = 1;
	return d < far ? d : far;
}

void ga_closest_add(struct ga_closest_names *near, const char *name, size_t far)
{
	size_t i;

	if (far > 2 * ((near->letters + 2) / 3))
		return;
	for (i = 0; i < near->n; i++)
		if (!strcmp(near->names[i], name))
			return;
	for (i = near->n; i && near->far[i - 1] > far; i--)
		if (i < GA_CLOSEST_NAMES) {
			near->far[i] = near->far[i - 1];
			near->names[i] = near->names[i - 1];
		}
	if (i == GA_CLOSEST_NAMES)
		return;
	near->far[i] = far;
	near->names[i] = name;
	near->n += near->n < GA_CLOSEST_NAMES;
}

void ga_closest_word(struct ga_closest_names *near, const char *word)
{
	ga_closest_add(near, word, ga_closest_spelling(near, word, GA_CLOSEST_FAR));
}

void ga_closest_words(struct ga_closest_names *near, const char *const *words)
{
	for (; words && *words; words++)
		ga_closest_word(near, *words);
}

void ga_closest_members(struct ga_closest_names *near, const struct ga_schema *schema)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++)
		ga_closest_word(near, f->name);
}

static char *list(const struct ga_closest_names *near, const char *quote)
{
	struct ga_str names = GA_STR_INIT;
	size_t i;

	for (i = 0; i < near->n; i++)
		ga_str_addf(&names, "%s%s%s%s%s", i ? ", " : "", quote,
			    near->before ? near->before : "", near->names[i], quote);
	return ga_str_take(&names);
}

char *ga_closest_hint(const struct ga_closest_names *near)
{
	ga_autofree char *names = list(near, "'");

	return near->n ? ga_xprintf("near to it: %s; ", names) : ga_xstrdup("");
}

char *ga_closest_end(const struct ga_closest_names *near)
{
	ga_autofree char *names = list(near, "");

	return near->n ? ga_xprintf("; near to it: %s", names) : ga_xstrdup("");
}
