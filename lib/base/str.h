/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing string (git's strbuf is the model).
 *
 * Invariants: buf is never NULL and always ends in '\0' at buf[len]; an empty one points to a
 * shared static "" with cap 0. The bytes may contain '\0' when they came from ga_str_add_bytes.
 */
#ifndef GA_BASE_STR_H
#define GA_BASE_STR_H

#include "base/ga.h"

struct ga_str {
	char *buf;
	size_t len;
	size_t cap;
};

extern char ga_str_empty[1];

#define GA_STR_INIT { .buf = ga_str_empty }
#define ga_autostr ga_cleanup(ga_str_release)

void ga_str_release(struct ga_str *s); /* frees, leaves an empty string */
void ga_str_clear(struct ga_str *s);   /* length 0, keeps the memory */
void ga_str_reserve(struct ga_str *s, size_t more);
void ga_str_add(struct ga_str *s, const char *text);
void ga_str_add_bytes(struct ga_str *s, const void *p, size_t n);
void ga_str_addc(struct ga_str *s, char c);
void ga_str_addf(struct ga_str *s, const char *fmt, ...) GA_PRINTF(2, 3);
/* Adds text with &, <, >, ' and " as XML entities; control characters become U+FFFD. */
void ga_str_add_xml(struct ga_str *s, const char *text);
/* Goes behind the character that *text begins with (not its end) and says whether that must not
 * reach a terminal, and its code point. Those that steer a terminal: U+0000 to U+001F, U+007F to
 * U+009F, and bytes that are no character; those that turn the direction of what stands beside
 * them: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069; those that nobody sees, so that
 * two names look the same: U+00AD, U+180E, U+200B to U+200D, U+2060 to U+2064, U+206A to U+206F,
 * U+FEFF, U+FFF9 to U+FFFB, the tags U+E0000 to U+E007F; and U+2028, U+2029, which end a line. */
bool ga_unprintable(const char **text, unsigned int *code);
/* Adds the character as JSON spells it: \uXXXX, or two of them beyond U+FFFF. */
void ga_str_add_escape(struct ga_str *s, unsigned int code);
/* Adds text; characters that nobody sees, and U+2028 and U+2029, stand as JSON spells them. The
 * others that ga_unprintable() finds stay as they are. */
void ga_str_add_visible(struct ga_str *s, const char *text);
/* Makes each that ga_unprintable() finds a '?', a tab a space, in place: what comes from outside
 * must not steer a terminal. Returns text. The printers (cli/frame/cli.h) do that to all they
 * print. */
char *ga_printable(char *text);
/* The same, and newlines stay: those of a hint that stands indented below a sentence; or each. */
char *ga_printable_words(char *text);
char *ga_printable_text(char *text);
/* Hands the memory over; the string is empty afterwards. Free with free(3). */
char *ga_str_take(struct ga_str *s);

#endif
