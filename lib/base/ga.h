/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basics for every file: attributes, the cleanup idiom, allocation that cannot fail.
 *
 * Ownership: declare every variable that owns something with its cleanup attribute (ga_autofree,
 * ga_autofd, …), and hand ownership over with GA_TAKE. There is no goto in this tree.
 * Memory: the ga_x* allocators never return NULL. When memory runs out, they write one line to
 * stderr and call abort(3), because no caller could do better.
 */
#ifndef GA_BASE_GA_H
#define GA_BASE_GA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GA_VERSION "0.1.0"

#define GA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
/* For every function that can fail: the caller uses the result, or drops it with (void). gcc
 * accepts (void) only with C23's attribute, clang with GNU's. */
#ifdef __clang__
#define GA_MUST_CHECK __attribute__((warn_unused_result))
#else
#define GA_MUST_CHECK [[nodiscard]]
#endif
/* Microseconds in a second: times and durations are counted in microseconds. The seconds of records
 * and options have bounds (GA_SECONDS_MAX, GA_TIME_SPAN_MAX in record/time.h) with which seconds *
 * GA_SECOND fits, and the sum with a time of a clock too; for other seconds use ga_time_after()
 * there, which cannot overflow. A quotient is rounded towards 0. */
#define GA_SECOND INT64_C(1000000)
#define GA_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Hands ownership of a pointer over: evaluates to the value and leaves NULL behind. */
#define GA_TAKE(p) \
	({ \
		__typeof__(p) *_ga_pp = &(p); \
		__typeof__(p) _ga_v = *_ga_pp; \
		*_ga_pp = NULL; \
		_ga_v; \
	})

/* The same for a descriptor: leaves -1 behind. */
#define GA_TAKE_FD(fd) \
	({ \
		int *_ga_fp = &(fd); \
		int _ga_fv = *_ga_fp; \
		*_ga_fp = -1; \
		_ga_fv; \
	})

#define ga_cleanup(fn) __attribute__((cleanup(fn)))
#define ga_autofree ga_cleanup(ga_cleanup_free)
#define ga_autofd ga_cleanup(ga_cleanup_fd)
#define ga_autodir ga_cleanup(ga_cleanup_dir)
#define ga_autofile ga_cleanup(ga_cleanup_file)

/* For the macros above: the argument is the address of the variable. NULL, or a descriptor below 0,
 * is left alone. */
void ga_cleanup_free(void *pp);
void ga_cleanup_fd(int *fd);
void ga_cleanup_dir(void *pp);
void ga_cleanup_file(void *pp);

/* As their namesakes of libc, but without memory they end the process (abort). ga_xcalloc and
 * ga_xrealloc take n elements of size bytes; the caller frees what they return. */
void *ga_xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *ga_xrealloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *ga_xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *ga_xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
char *ga_xvprintf(const char *fmt, va_list ap) GA_PRINTF(1, 0)
	__attribute__((malloc, returns_nonnull));
char *ga_xprintf(const char *fmt, ...) GA_PRINTF(1, 2) __attribute__((malloc, returns_nonnull));
/* Copies a text; NULL for NULL. */
char *ga_strdup0(const char *s);

bool ga_streq(const char *a, const char *b); /* NULL equals only NULL */
/* Whether s begins with prefix; false when s is NULL. */
bool ga_starts(const char *s, const char *prefix);

#include "base/banned.h"
#include "base/err.h"

#endif
