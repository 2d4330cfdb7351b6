/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words for a shell on another machine. ssh(1) joins its arguments with spaces and the login shell
 * over there takes the line apart again, so each word is quoted here; gpuaas-host-shell takes the
 * same lines apart without any shell.
 */
#ifndef GA_BASE_QUOTE_H
#define GA_BASE_QUOTE_H

#include "base/ga.h"
#include "base/str.h"
#include "base/texts.h"
#include "base/vec.h"

/* Adds one word such that a POSIX shell reads exactly it: bare when it has only letters, digits
 * and "_@%+:,./-", else between single quotes. */
void ga_quote_word(struct ga_str *out, const char *word);
/* A whole command line. The first word is never a keyword or an assignment to the shell. */
void ga_quote_command(struct ga_str *out, char *const *words, int n);

/* Takes a line apart as a shell would, as far as ga_quote_command writes it: bare words, which may
 * also have "=", and single quotes. Whatever else means something to a shell (pipes, variables, …)
 * is GA_DENIED "not_plain", naming it. ret is released by ga_texts_release, also after an error. */
GA_MUST_CHECK int ga_quote_split(const char *line, struct ga_texts *ret, struct ga_err *err);

#endif
