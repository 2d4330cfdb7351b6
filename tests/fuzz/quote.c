/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quoting for a shell on another machine, and the gate on a host that takes the line apart. Any
 * text as one word comes back as it was; a line taken apart has a form that gives the same words
 * again.
 */
#include "fuzz.h"

#include "base/quote.h"
#include "base/texts.h"

static void split_again(const struct ga_texts *words)
{
	ga_autostr struct ga_str line = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	struct ga_texts again = { 0 };
	size_t i;

	ga_quote_command(&line, words->v, (int)words->n);
	fuzz_check(ga_quote_split(line.buf, &again, &err) == 0);
	fuzz_check(again.n == words->n);
	for (i = 0; i < words->n; i++)
		fuzz_check(!strcmp(again.v[i], words->v[i]));
	ga_texts_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofree char *text = fuzz_text(data, size);
	ga_autostr struct ga_str line = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	struct ga_texts words = { 0 };
	char *word = text;

	if (ga_quote_split(text, &words, &err) == 0)
		split_again(&words);
	ga_texts_release(&words);
	ga_quote_command(&line, &word, 1);
	fuzz_check(ga_quote_split(line.buf, &words, &err) == 0);
	fuzz_check(words.n == 1 && !strcmp(words.v[0], text));
	ga_texts_release(&words);
	return 0;
}
