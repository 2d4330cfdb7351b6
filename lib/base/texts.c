/* SPDX-License-Identifier: Apache-2.0 */
/* A list that owns its texts. */
#include "base/texts.h"

#include <stdlib.h>
#include <string.h>

void ga_texts_release(struct ga_texts *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->v[i]);
	ga_list_release(list);
}

void ga_texts_add(struct ga_texts *list, const char *text)
{
	*ga_list_add(list) = ga_xstrdup(text);
}

bool ga_texts_has(const struct ga_texts *list, const char *text)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (ga_streq(list->v[i], text))
			return true;
	return false;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void ga_texts_sort(struct ga_texts *list)
{
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), by_version);
}
