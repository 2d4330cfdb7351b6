/* SPDX-License-Identifier: Apache-2.0 */
/* A list that owns its texts; its layout is that of every GA_LIST (base/vec.h). */
#ifndef GA_BASE_TEXTS_H
#define GA_BASE_TEXTS_H

#include "base/vec.h"

struct ga_texts {
	char **v; /* NULL when n is 0 */
	size_t n;
};
#define ga_autotexts ga_cleanup(ga_texts_release)

/* A list of texts that somebody else owns, such as the words of a command line; to be freed with
 * ga_list_release. */
struct ga_borrowed_texts {
	const char **v; /* NULL when n is 0 */
	size_t n;
};

void ga_texts_release(struct ga_texts *list); /* frees all, leaves an empty list */
void ga_texts_add(struct ga_texts *list, const char *text); /* a copy */
/* Whether the list has the text. */
bool ga_texts_has(const struct ga_texts *list, const char *text);
void ga_texts_sort(struct ga_texts *list); /* as strverscmp(3): nvme2 before nvme10 */

#endif
