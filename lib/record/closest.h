/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names similar to an unknown one, as suggestions after a typing error. The distance is
 * Levenshtein's; only letters and digits count, and case does not. A name is near if at most a
 * third of the typed characters are wrong.
 */
#ifndef GA_RECORD_CLOSEST_H
#define GA_RECORD_CLOSEST_H

#include "base/ga.h"
#include "record/schema.h"

#define GA_CLOSEST_NAMES 4
#define GA_CLOSEST_LETTERS 48 /* a longer text is no typing error */
#define GA_CLOSEST_FAR ((size_t)-1)

struct ga_closest_names {
	char asked[GA_CLOSEST_LETTERS];
	size_t letters;
	const char *names[GA_CLOSEST_NAMES]; /* nearest first; as they were added */
	size_t far[GA_CLOSEST_NAMES], n;
	const char *before; /* stands before each name in the texts below: "--"; NULL: nothing. Set
			     * it after ga_closest_begin. */
};

/* Starts a search for the names nearest to asked, which is copied. */
void ga_closest_begin(struct ga_closest_names *near, const char *asked);
/* Returns the smaller of far and the distance of one spelling of a name. Start with GA_CLOSEST_FAR
 * and pass the result on, for each spelling of the name. */
size_t ga_closest_spelling(const struct ga_closest_names *near, const char *spelling, size_t far);
/* Keeps the name, once, if far is near enough. The name must live as long as near. */
void ga_closest_add(struct ga_closest_names *near, const char *name, size_t far);
/* Both calls for a name that has one spelling; for each of the words (NULL-terminated, or NULL: no
 * words); for the members of a record. */
void ga_closest_word(struct ga_closest_names *near, const char *word);
void ga_closest_words(struct ga_closest_names *near, const char *const *words);
void ga_closest_members(struct ga_closest_names *near, const struct ga_schema *schema);
/* The start of a hint: "near to it: 'one', 'two'; ", or "" when no name is near. The caller frees
 * it. */
char *ga_closest_hint(const struct ga_closest_names *near);
/* The end of a sentence: "; near to it: one, two", or "". The caller frees it. */
char *ga_closest_end(const struct ga_closest_names *near);

#endif
