/* SPDX-License-Identifier: Apache-2.0 */
/* Growth of lists: capacity is the next power of two of n, so that no third member is needed. */
#include "base/vec.h"

void *ga_list_grow(struct ga_any_list *list, size_t size)
{
	char *at;

	if (!(list->n & (list->n - 1)))
		list->v = ga_xrealloc(list->v, list->n ? list->n * 2 : 1, size);
	at = (char *)list->v + list->n++ * size;
	memset(at, 0, size);
	return at;
}
