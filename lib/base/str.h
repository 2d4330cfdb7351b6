/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing string (git's strbuf is the model).
 *
 * Invariants: buf is never NULL, and buf[len] is always '\0'. The buf of a string without memory
 * (cap 0) points to a shared static "". Bytes from ga_str_add_bytes may contain '\0'.
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
/* Makes room for this many bytes more, so that adding them does not allocate again. */
void ga_str_reserve(struct ga_str *s, size_t more);
/* Add a text, n bytes, one byte, or a text formatted as by printf(3); the string grows as
 * needed. */
void ga_str_add(struct ga_str *s, const char *text);
void ga_str_add_bytes(struct ga_str *s, const void *p, size_t n);
void ga_str_addc(struct ga_str *s, char c);
void ga_str_addf(struct ga_str *s, const char *fmt, ...) GA_PRINTF(2, 3);
/* Adds text with &, <, >, ' and " as XML entities; control characters become U+FFFD. */
void ga_str_add_xml(struct ga_str *s, const char *text);
/* Reads the first character of *text, which must not be empty: moves *text behind it, sets *code to
 * its code point, and returns whether it must not reach a terminal. These characters are:
 * - characters that control a terminal: U+0000 to U+001F, U+007F to U+009F, and bytes that are no
 *   character;
 * - characters that change the direction of the text: U+061C, U+200E, U+200F, U+202A to U+202E,
 *   U+2066 to U+2069;
 * - invisible characters, with which two names can look the same: U+00AD, U+180E, U+200B to U+200D,
 *   U+2060 to U+2064, U+206A to U+206F, U+FEFF, U+FFF9 to U+FFFB, the tags U+E0000 to U+E007F;
 * - U+2028 and U+2029, which end a line. */
bool ga_unprintable(const char **text, unsigned int *code);
/* Whether the character is a space of Unicode, or one that has no glyph: paper shows neither. */
bool ga_is_blank(unsigned int code);
/* The text without the blanks around it, allocated. */
char *ga_trimmed(const char *text) __attribute__((malloc, returns_nonnull));
/* Adds the character as a JSON escape: \uXXXX, or two of them above U+FFFF. */
void ga_str_add_escape(struct ga_str *s, unsigned int code);
/* Adds text; invisible characters, U+2028 and U+2029 become JSON escapes. All other characters that
 * ga_unprintable() finds stay as they are. */
void ga_str_add_visible(struct ga_str *s, const char *text);
/* Replaces, in place, a tab with a space and every other character that ga_unprintable() finds with
 * '?': text from outside must not control a terminal. Returns text. The printers (cli/frame/cli.h)
 * do this with everything they print. */
char *ga_printable(char *text);
/* The same, but some newlines stay: in ga_printable_words those before two spaces (the indented
 * lines of a hint), in ga_printable_text all. */
char *ga_printable_words(char *text);
char *ga_printable_text(char *text);
/* Hands the memory to the caller, who frees it with free(3); the string is empty afterwards. */
char *ga_str_take(struct ga_str *s);

#endif
