/* SPDX-License-Identifier: Apache-2.0 */
/* The error object and the allocators of ga.h. */
#include "base/ga.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/str.h"

static void set_v(struct ga_err *err, enum ga_code code, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static void set_v(struct ga_err *err, enum ga_code code, const char *fmt, va_list ap)
{
	err->code = code;
	err->reason[0] = '\0';
	err->object[0] = '\0';
	err->hint[0] = '\0';
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
}

void ga_err_set(struct ga_err *err, enum ga_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_v(err, code, fmt, ap);
	va_end(ap);
}

void ga_err_set_sys(struct ga_err *err, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	set_v(err, saved == EACCES || saved == EPERM ? GA_DENIED : GA_SYSTEM, fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", strerror(saved));
	errno = saved;
}

int ga_err_about(struct ga_err *err, const char *reason, const char *object)
{
	if (reason)
		snprintf(err->reason, sizeof(err->reason), "%s", reason);
	if (object)
		snprintf(err->object, sizeof(err->object), "%s", object);
	return -1;
}

int ga_hint(struct ga_err *err, const char *fmt, ...)
{
	va_list ap;

	if (err->hint[0])
		return -1;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return -1;
}

int ga_wrap(struct ga_err *err, const char *fmt, ...)
{
	char tail[sizeof(err->msg)];
	va_list ap;
	size_t len;

	snprintf(tail, sizeof(tail), "%s", err->msg);
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", tail);
	return -1;
}

void ga_err_clear(struct ga_err *err)
{
	*err = (struct ga_err)GA_ERR_INIT;
}

void ga_die(const struct ga_err *err)
{
	struct ga_err shown = *err;

	dprintf(STDERR_FILENO, "%s: %s\n", program_invocation_short_name, ga_printable(shown.msg));
	if (err->hint[0])
		dprintf(STDERR_FILENO, "%s: hint: %s\n", program_invocation_short_name,
			ga_printable(shown.hint));
	_exit((int)err->code);
}

static void out_of_memory(void) __attribute__((noreturn));

static void out_of_memory(void)
{
	static const char line[] = "gpuaas: out of memory\n";

	if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
		abort();
	abort();
}

void *ga_xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *ga_xrealloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n ? n : 1, size ? size : 1, &bytes))
		out_of_memory();
	p = realloc(p, bytes);
	if (!p)
		out_of_memory();
	return p;
}

char *ga_xstrdup(const char *s)
{
	return ga_xstrndup(s, strlen(s));
}

char *ga_xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = ga_xcalloc(len + 1, 1);

	memcpy(p, s, len);
	return p;
}

char *ga_xvprintf(const char *fmt, va_list ap)
{
	char *p = NULL;

	if (vasprintf(&p, fmt, ap) < 0 || !p)
		out_of_memory();
	return p;
}

char *ga_xprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = ga_xvprintf(fmt, ap);
	va_end(ap);
	return p;
}

char *ga_strdup0(const char *s)
{
	return s ? ga_xstrdup(s) : NULL;
}

bool ga_streq(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool ga_starts(const char *s, const char *prefix)
{
	return s && !strncmp(s, prefix, strlen(prefix));
}

void ga_cleanup_free(void *pp)
{
	free(*(void **)pp);
}

void ga_cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

void ga_cleanup_dir(void *pp)
{
	if (*(DIR **)pp)
		closedir(*(DIR **)pp);
}

void ga_cleanup_file(void *pp)
{
	if (*(FILE **)pp)
		fclose(*(FILE **)pp);
}
