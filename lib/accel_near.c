/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are near to one that means nothing, for whoever mistyped it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "accel_name.h"

#define WORD_MAX 48 /* longer ones are no slips */

/* Letters and digits only, in lower case. */
static size_t plain(const char *text, char out[WORD_MAX])
{
	size_t n = 0;

	for (; *text && n < WORD_MAX; text++)
		if (isalnum((unsigned char)*text))
			out[n++] = (char)tolower((unsigned char)*text);
	return n;
}

/* Levenshtein's distance. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[WORD_MAX + 1], i, j;

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

static void nearer(const char *asked, size_t n, const char *name, size_t *best)
{
	char word[WORD_MAX];
	size_t m = plain(name, word), d;

	if (!m)
		return;
	/* What is a part of the other is nearer than any slip of the same length. */
	d = 2 * distance(asked, n, word, m);
	if (n >= 3 && m >= n && memmem(word, m, asked, n))
		d = 1;
	*best = d < *best ? d : *best;
}

static size_t distance_of(const struct ga_accel_type *t, const char *asked, size_t n)
{
	ga_autofree char *shortest = ga_accel_short_name(t);
	size_t best = 2 * WORD_MAX, i;

	nearer(asked, n, t->slug, &best);
	nearer(asked, n, t->name, &best);
	nearer(asked, n, shortest, &best);
	for (i = 0; i < t->aliases.n; i++)
		nearer(asked, n, t->aliases.v[i], &best);
	return best;
}

struct nearest {
	const char **v; /* GA_ACCEL_NEAR, nearest first */
	size_t far[GA_ACCEL_NEAR], n;
};

/* Of n letters a third may be wrong. */
static void take(struct nearest *list, size_t n, const char *name, size_t d)
{
	size_t i;

	if (d > 2 * ((n + 2) / 3))
		return;
	for (i = list->n; i && list->far[i - 1] > d; i--)
		if (i < GA_ACCEL_NEAR) {
			list->far[i] = list->far[i - 1];
			list->v[i] = list->v[i - 1];
		}
	if (i == GA_ACCEL_NEAR)
		return;
	list->far[i] = d;
	list->v[i] = name;
	list->n += list->n < GA_ACCEL_NEAR;
}

size_t ga_accels_near(const struct ga_accels *list, const char *text,
		      const char *ret[GA_ACCEL_NEAR])
{
	struct nearest found = { .v = ret };
	char asked[WORD_MAX];
	size_t i, n = plain(text, asked);

	for (i = 0; n && i < ga_accels_count(list); i++) {
		const struct ga_accel_type *t = ga_accels_at(list, i);

		take(&found, n, t->slug, distance_of(t, asked, n));
	}
	return found.n;
}

size_t ga_words_near(const char *const *words, size_t n_words, const char *text,
		     const char *ret[GA_ACCEL_NEAR])
{
	struct nearest found = { .v = ret };
	char asked[WORD_MAX];
	size_t i, n = plain(text, asked);

	for (i = 0; n && i < n_words; i++) {
		size_t d = 2 * WORD_MAX;

		nearer(asked, n, words[i], &d);
		take(&found, n, words[i], d);
	}
	return found.n;
}
