/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a profile for people. */
#include <ctype.h>
#include <string.h>

#include "decide/offer/offer.h"

static bool is_capitals(const char *word, size_t len)
{
	static const char *const short_ones[] = { "ai", "amd", "cpu", "gpu", "hpc", "llm", "ml",
						  "nlp", "pcie", "sxm", "vm", "xl" };
	size_t i;

	for (i = 0; i < len; i++)
		if (isdigit((unsigned char)word[i]))
			return true;
	for (i = 0; i < GA_ARRAY_SIZE(short_ones); i++)
		if (strlen(short_ones[i]) == len && !strncmp(short_ones[i], word, len))
			return true;
	return false;
}

char *ga_offer_title(const char *name)
{
	char *title = ga_xstrdup(name), *word = title;

	while (*word) {
		size_t len = strcspn(word, "-_"), i;
		bool capitals = is_capitals(word, len);

		for (i = 0; i < len; i++)
			if (!i || capitals)
				word[i] = (char)toupper((unsigned char)word[i]);
		if (word[len])
			word[len++] = ' ';
		word += len;
	}
	return title;
}
