/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for lib/vec.h under cppcheck, whose parser stops a file at a cast to __typeof__. The
 * lists are the same to it: an array that grows.
 */
#define GA_VEC_H

#define GA_LIST(type) \
	struct { \
		type *v; \
		size_t n; \
	}

struct ga_any_list {
	void *v;
	size_t n;
};

#define ga_list_add(list) (&(list)->v[(list)->n++])
void *ga_list_grow(struct ga_any_list *list, size_t size);
#define ga_list_release(list) (free((list)->v), (list)->v = NULL, (list)->n = 0)
