/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the letters of a statement (db.h) against its arguments at compile time. Every compiler
 * checks their number. The type of each argument is checked when the compiler removes unreachable
 * code: clang always, gcc when it optimizes. The checks leave nothing in the program.
 */
#ifndef GA_STATE_DB_LETTERS_H
#define GA_STATE_DB_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

/* The letter for an argument of this type; NULL is a void *. */
#define GA_DB_LETTER(x)                                                                            \
	_Generic((x), char *: 's', const char *: 's', void *: 's', long: 'i', long long: 'i',      \
		 bool: 'b', int: 'b', char **: 'S', long *: 'I', long long *: 'I', bool *: 'B',    \
		 default: '?')

/* The number of arguments, up to 28. */
#define GA_DB_NTH(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17,  \
	_18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, n, ...) n
#define GA_DB_COUNT(...)                                                                           \
	GA_DB_NTH(0, ##__VA_ARGS__, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14,    \
	13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)

/* The k-th letter from the end is that of x, and no small letter follows a capital. GA_DB_FIT_n:
 * this is true for the last n letters. */
#define GA_DB_END(t, k) (("" t)[sizeof("" t) - 1 - (k)])
#define GA_DB_IS(t, k, x)                                                                          \
	(GA_DB_END(t, k) == GA_DB_LETTER(x) &&                                                     \
	 (GA_DB_END(t, k) >= 'a' || GA_DB_END(t, (k) - 1) < 'a'))
#define GA_DB_FIT_0(t) true
#define GA_DB_FIT_1(t, x) GA_DB_IS(t, 1, x)
#define GA_DB_FIT_2(t, x, ...) GA_DB_IS(t, 2, x) && GA_DB_FIT_1(t, __VA_ARGS__)
#define GA_DB_FIT_3(t, x, ...) GA_DB_IS(t, 3, x) && GA_DB_FIT_2(t, __VA_ARGS__)
#define GA_DB_FIT_4(t, x, ...) GA_DB_IS(t, 4, x) && GA_DB_FIT_3(t, __VA_ARGS__)
#define GA_DB_FIT_5(t, x, ...) GA_DB_IS(t, 5, x) && GA_DB_FIT_4(t, __VA_ARGS__)
#define GA_DB_FIT_6(t, x, ...) GA_DB_IS(t, 6, x) && GA_DB_FIT_5(t, __VA_ARGS__)
#define GA_DB_FIT_7(t, x, ...) GA_DB_IS(t, 7, x) && GA_DB_FIT_6(t, __VA_ARGS__)
#define GA_DB_FIT_8(t, x, ...) GA_DB_IS(t, 8, x) && GA_DB_FIT_7(t, __VA_ARGS__)
#define GA_DB_FIT_9(t, x, ...) GA_DB_IS(t, 9, x) && GA_DB_FIT_8(t, __VA_ARGS__)
#define GA_DB_FIT_10(t, x, ...) GA_DB_IS(t, 10, x) && GA_DB_FIT_9(t, __VA_ARGS__)
#define GA_DB_FIT_11(t, x, ...) GA_DB_IS(t, 11, x) && GA_DB_FIT_10(t, __VA_ARGS__)
#define GA_DB_FIT_12(t, x, ...) GA_DB_IS(t, 12, x) && GA_DB_FIT_11(t, __VA_ARGS__)
#define GA_DB_FIT_13(t, x, ...) GA_DB_IS(t, 13, x) && GA_DB_FIT_12(t, __VA_ARGS__)
#define GA_DB_FIT_14(t, x, ...) GA_DB_IS(t, 14, x) && GA_DB_FIT_13(t, __VA_ARGS__)
#define GA_DB_FIT_15(t, x, ...) GA_DB_IS(t, 15, x) && GA_DB_FIT_14(t, __VA_ARGS__)
#define GA_DB_FIT_16(t, x, ...) GA_DB_IS(t, 16, x) && GA_DB_FIT_15(t, __VA_ARGS__)
#define GA_DB_FIT_17(t, x, ...) GA_DB_IS(t, 17, x) && GA_DB_FIT_16(t, __VA_ARGS__)
#define GA_DB_FIT_18(t, x, ...) GA_DB_IS(t, 18, x) && GA_DB_FIT_17(t, __VA_ARGS__)
#define GA_DB_FIT_19(t, x, ...) GA_DB_IS(t, 19, x) && GA_DB_FIT_18(t, __VA_ARGS__)
#define GA_DB_FIT_20(t, x, ...) GA_DB_IS(t, 20, x) && GA_DB_FIT_19(t, __VA_ARGS__)
#define GA_DB_FIT_21(t, x, ...) GA_DB_IS(t, 21, x) && GA_DB_FIT_20(t, __VA_ARGS__)
#define GA_DB_FIT_22(t, x, ...) GA_DB_IS(t, 22, x) && GA_DB_FIT_21(t, __VA_ARGS__)
#define GA_DB_FIT_23(t, x, ...) GA_DB_IS(t, 23, x) && GA_DB_FIT_22(t, __VA_ARGS__)
#define GA_DB_FIT_24(t, x, ...) GA_DB_IS(t, 24, x) && GA_DB_FIT_23(t, __VA_ARGS__)
#define GA_DB_FIT_25(t, x, ...) GA_DB_IS(t, 25, x) && GA_DB_FIT_24(t, __VA_ARGS__)
#define GA_DB_FIT_26(t, x, ...) GA_DB_IS(t, 26, x) && GA_DB_FIT_25(t, __VA_ARGS__)
#define GA_DB_FIT_27(t, x, ...) GA_DB_IS(t, 27, x) && GA_DB_FIT_26(t, __VA_ARGS__)
#define GA_DB_FIT_28(t, x, ...) GA_DB_IS(t, 28, x) && GA_DB_FIT_27(t, __VA_ARGS__)
#define GA_DB_FIT_N(n, t, ...) GA_DB_FIT_##n(t, ##__VA_ARGS__)
#define GA_DB_FIT(n, t, ...) GA_DB_FIT_N(n, t, ##__VA_ARGS__)

#if defined(__OPTIMIZE__) || defined(__clang__)
/* Not defined anywhere: a call of it that the compiler does not remove fails the build. */
void ga_db_letter_is_wrong(void)
	__attribute__((error("an argument of the statement does not fit its letter")));
#else
static inline void ga_db_letter_is_wrong(void)
{
}
#endif

/* Letters with columns, for ga_db_one, and letters of arguments alone. */
#define GA_DB_COLUMNS(t, ...)                                                                      \
	((void)sizeof(struct {                                                                     \
		_Static_assert(sizeof("" t) - 1 == GA_DB_COUNT(__VA_ARGS__),                       \
			       "a statement has one letter for each of its arguments");            \
		int unused;                                                                        \
	}),                                                                                        \
	 (GA_DB_FIT(GA_DB_COUNT(__VA_ARGS__), t, ##__VA_ARGS__) ? (void)0 :                        \
								   ga_db_letter_is_wrong()))

#define GA_DB_LETTERS(t, ...)                                                                      \
	(GA_DB_COLUMNS(t, ##__VA_ARGS__),                                                          \
	 (("a" t)[sizeof("" t) - 1] >= 'a' ? (void)0 : ga_db_letter_is_wrong()))

#endif
