/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names similar to an unknown one, as suggestions after a typing error. The distance is
 * Levenshtein's; only letters and digits count, and case does not. A name is near if at most a
 * third of the typed characters are wrong.
 */
#ifndef GA_RECORD_CLOSEST_H
#define GA_RECORD_CLOSEST_H

#include "base/ga.h"

#define GA_CLOSEST_NAMES 4
#define GA_CLOSEST_LETTERS 48 /* a longer text is no typing error */
#define GA_CLOSEST_FAR ((size_t)-1)

struct ga_closest_names {
	char asked[GA_CLOSEST_LETTERS];
	size_t letters;
	const char *names[GA_CLOSEST_NAMES]; /* nearest first; as they were added */
	size_t far[GA_CLOSEST_NAMES], n;
};

/* Starts a search for the names nearest to asked, which is copied. */
void ga_closest_begin(struct ga_closest_names *near, const char *asked);
/* Returns the smaller of far and the distance of one spelling of a name. Start with GA_CLOSEST_FAR
 * and pass the result on, for each spelling of the name. */
size_t ga_closest_spelling(const struct ga_closest_names *near, const char *spelling, size_t far);
/* Keeps the name if far is near enough. The name must live as long as near. */
void ga_closest_add(struct ga_closest_names *near, const char *name, size_t far);
/* Both calls for a name that has one spelling. */
void ga_closest_word(struct ga_closest_names *near, const char *word);
/* The start of a hint: "near to it: 'one', 'two'; ", or "" when no name is near. The caller frees
 * it. */
char *ga_closest_hint(const struct ga_closest_names *near);

#endif
