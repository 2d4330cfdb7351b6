/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/frame/ways.h"

#include <ctype.h>
#include <string.h>

#include "base/vec.h"
#include "cli/frame/complete.h"

size_t ga_word_bare(const char *word, size_t len)
{
	static const char dots[] = "…";
	size_t i;

	if (len && *word == '[')
		return len;
	for (i = 1; i < len && word[i] != '[' && word[i] != ']' && word[i] != ',' &&
		    strncmp(word + i, dots, strlen(dots)); i++)
		;
	return i < len ? i : len;
}

bool ga_word_is_literal(const char *word)
{
	return islower((unsigned char)*word);
}

void ga_ways_release(struct ga_way *ways, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ga_texts_release(&ways[i].words);
}

size_t ga_ways_parse(const char *args, struct ga_way ways[GA_WAYS_MAX])
{
	ga_autostr struct ga_str clean = GA_STR_INIT;
	char *alternative, *word, *save = NULL, *save_word;
	const char *p;
	size_t n = 0, i, j;

	for (p = args ? args : ""; *p; p++) {
		if (*p == '[' && p > args && isalpha((unsigned char)p[-1]))
			p += strcspn(p, "]");
		else if (!strchr("[]", *p))
			ga_str_addf(&clean, "%c", *p);
	}
	for (alternative = clean.buf ? strtok_r(clean.buf, "|", &save) : NULL;
	     alternative && n < GA_WAYS_MAX; alternative = strtok_r(NULL, "|", &save)) {
		struct ga_way *w = &ways[n];

		*w = (struct ga_way){ .again = false };
		for (word = strtok_r(alternative, " ", &save_word); word;
		     word = strtok_r(NULL, " ", &save_word)) {
			size_t len = ga_word_bare(word, strlen(word));

			w->again = len < strlen(word);
			if (*word != '-')
				*(char **)ga_list_add(&w->words) = ga_xstrndup(word, len);
		}
		n += w->words.n > 0;
	}
	for (i = n; i-- > 1;) {
		struct ga_way *w = &ways[i - 1], *next = &ways[i];

		if (w->words.n != 1 || !ga_word_is_literal(w->words.v[0]) ||
		    !ga_word_is_literal(next->words.v[0]))
			continue;
		for (j = 1; j < next->words.n; j++)
			*(char **)ga_list_add(&w->words) = ga_xstrdup(next->words.v[j]);
		w->again = next->again;
	}
	return n;
}

json_t *ga_cli_operands(const char *args)
{
	struct ga_way ways[GA_WAYS_MAX];
	size_t i, j, n = ga_ways_parse(args, ways);
	json_t *list = json_array();

	for (i = 0; i < n; i++) {
		json_t *way = json_array();

		for (j = 0; j < ways[i].words.n; j++) {
			const char *word = ways[i].words.v[j];
			json_t *one = ga_word_is_literal(word) ? json_pack("{s:s}", "word", word) :
				      json_pack("{s:s, s:s?}", "name", word, "means",
						ga_cli_meaning(word));

			if (ways[i].again && j + 1 == ways[i].words.n)
				json_object_set_new(one, "repeatable", json_true());
			json_array_append_new(way, one);
		}
		json_array_append_new(list, way);
	}
	ga_ways_release(ways, n);
	return list;
}
