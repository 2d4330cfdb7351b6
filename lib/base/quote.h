/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quoting of words for a shell: in commands that people paste, and on another machine. ssh(1) joins
 * its arguments with spaces, and the login shell there splits the line again, so each word needs
 * quotes. gpuaas-host-shell splits the same lines without a shell.
 */
#ifndef GA_BASE_QUOTE_H
#define GA_BASE_QUOTE_H

#include <stdarg.h>

#include "base/ga.h"
#include "base/str.h"
#include "base/texts.h"
#include "base/vec.h"

/* Adds one word so that a POSIX shell reads exactly this word: bare if it has only letters, digits
 * and "_@%+:,./-", else between single quotes. */
void ga_quote_word(struct ga_str *out, const char *word);
/* Adds a complete command line. The shell never reads the first word as a keyword or assignment. */
void ga_quote_command(struct ga_str *out, char *const *words, int n);

/* A command for people to paste, as by printf(3), allocated. Each text (%s) becomes one word of it,
 * quoted where a shell would read it otherwise. Also takes %d, PRId64 and %%; no flags. */
char *ga_command(const char *fmt, ...) GA_PRINTF(1, 2) __attribute__((malloc, returns_nonnull));
char *ga_vcommand(const char *fmt, va_list ap) GA_PRINTF(1, 0)
	__attribute__((malloc, returns_nonnull));

/* Whether the text is one word of letters, digits and "._:+/@-", does not begin with '-', and has
 * 1 to 255 bytes: every identity and kernel name of a device, and nothing that a shell, XML or a
 * rule would read. False for NULL. */
bool ga_is_word(const char *text);
/* False for NULL, for a text that ssh would read as an option, and for one with characters that no
 * address or login contains. */
bool ga_is_plain(const char *text);

/* Whether ssh can take the text as an address: a name or an IP of a host, also with "user@" and
 * "ssh://", of letters, digits, "@.:-_[]%/" and characters outside ASCII. It does not begin with
 * '-', which ssh would read as an option. False for NULL and "". */
bool ga_is_address(const char *text);

/* Splits a line as a shell would. Accepts only the forms that ga_quote_command writes: bare words,
 * which may also have "=", and single quotes. Any other syntax of a shell (pipes, variables, …) is
 * GA_DENIED "not_plain"; the message names it. Release ret with ga_texts_release, also after an
 * error. */
GA_MUST_CHECK int ga_quote_split(const char *line, struct ga_texts *ret, struct ga_err *err);

#endif
