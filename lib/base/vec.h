/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists. GA_LIST(type) is { type *v; size_t n; }: v[0..n-1], memory owned by the list, v is NULL
 * when n is 0. All lists have one layout, so that record/schema.c can walk them.
 */
#ifndef GA_BASE_VEC_H
#define GA_BASE_VEC_H

#include "base/ga.h"

#define GA_LIST(type) \
	struct { \
		type *v; \
		size_t n; \
	}

/* A list of numbers. */
struct ga_ints {
	int64_t *v;
	size_t n;
};

/* Whether the list has the number. */
static inline bool ga_ints_have(const int64_t *v, size_t n, int64_t number)
{
	size_t i;

	for (i = 0; i < n && v[i] != number; i++)
		;
	return i < n;
}

struct ga_any_list {
	void *v;
	size_t n;
};

/* Adds one zeroed element; the value is its address. Grows in powers of two. */
#define ga_list_add(list) \
	((__typeof__((list)->v))ga_list_grow((struct ga_any_list *)(void *)(list), \
					     sizeof(*(list)->v)))
/* Use ga_list_add. size is that of one element; the address holds until the list grows again. */
void *ga_list_grow(struct ga_any_list *list, size_t size);

/* Frees only the array, not the memory that its elements own. */
#define ga_list_release(list) (free((list)->v), (list)->v = NULL, (list)->n = 0)

#endif
