/* SPDX-License-Identifier: Apache-2.0 */
/* Growth of lists: the capacity is n rounded up to a power of two, so no third member is needed. */
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
