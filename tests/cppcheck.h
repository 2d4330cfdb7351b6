/* SPDX-License-Identifier: Apache-2.0 */
/* Macros as cppcheck can read them; tests/check-source adds this to its copy of the headers. */
#undef ga_list_add
#define ga_list_add(list) (&(list)->v[(list)->n++])
#undef GA_TAKE
#define GA_TAKE(p) (p)
#undef GA_TAKE_FD
#define GA_TAKE_FD(fd) (fd)
#undef json_array_foreach
#define json_array_foreach(a, i, v) \
	for ((i) = 0; (i) < json_array_size(a) && ((v) = json_array_get((a), (i))); (i)++)
#undef json_object_foreach
#define json_object_foreach(o, k, v) \
	for (void *it = json_object_iter(o); \
	     it && ((k) = json_object_iter_key(it)) && ((v) = json_object_iter_value(it)); \
	     it = json_object_iter_next((o), it))
#undef GA_MUST_CHECK
#define GA_MUST_CHECK

/* Letters of statements: the compiler checks them, and nothing of it is left. */
#ifdef GA_DB_LETTERS
#undef GA_DB_LETTERS
#define GA_DB_LETTERS(...) ((void)0)
#undef GA_DB_COLUMNS
#define GA_DB_COLUMNS(...) ((void)0)
#endif
