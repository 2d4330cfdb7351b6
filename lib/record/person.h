/* SPDX-License-Identifier: Apache-2.0 */
/* The one rule for texts that people give: a reason on a command line, and one in a record. The
 * audit keeps such a text for ever, and tables show it. */
#ifndef GA_RECORD_PERSON_H
#define GA_RECORD_PERSON_H

#include "base/ga.h"

#define GA_PERSON_TEXT_MAX 1024 /* bytes */
#define GA_PERSON_REASONS_MAX 4096 /* bytes of the reasons of several people at one object */

/* Refuses with the code a text that is blank, longer than GA_PERSON_TEXT_MAX or not UTF-8, that has
 * a character that ga_unprintable() finds, and one that stands for a text, as pages and attention
 * write it ("TEXT", "<reason>", "..."), or begins with "--", as the option behind a text that was
 * forgotten (both reason "example_text"). what: what it is, as the message begins
 * ("--reason", "member 'reason'"). */
GA_MUST_CHECK int ga_person_check(const char *what, const char *text, enum ga_code code,
				  struct ga_err *err);

/* Whether the reason is one of those that stand in the text, with "; " between them. reasons may be
 * NULL: none. */
bool ga_person_has_reason(const char *reasons, const char *reason);

/* The reasons with this one behind them. One that stands there is not added again, and one that
 * repeats all of them replaces them. reasons may be NULL or "". Allocated; NULL: together they are
 * longer than GA_PERSON_REASONS_MAX. */
char *ga_person_add_reason(const char *reasons, const char *reason);
/* The same; where together they are too long, the last ones of reasons go. Allocated. */
char *ga_person_put_reason(const char *reasons, const char *reason);

#endif
