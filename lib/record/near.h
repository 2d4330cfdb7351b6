/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that are near to one that means nothing, for whoever mistyped it. Compared are letters and
 * digits, capitals or not, by Levenshtein's distance: a third of what was typed may be wrong.
 */
#ifndef GA_RECORD_NEAR_H
#define GA_RECORD_NEAR_H

#include "base/ga.h"

#define GA_NEAR_NAMES 4
#define GA_NEAR_LETTERS 48 /* longer ones are no slips */
#define GA_NEAR_FAR ((size_t)-1)

struct ga_near_names {
	char asked[GA_NEAR_LETTERS];
	size_t letters;
	const char *names[GA_NEAR_NAMES]; /* nearest first; as they were added */
	size_t far[GA_NEAR_NAMES], n;
};

void ga_near_begin(struct ga_near_names *near, const char *asked);
/* How far one spelling of a name is; the lesser of that and far, which begins as GA_NEAR_FAR. */
size_t ga_near_spelling(const struct ga_near_names *near, const char *spelling, size_t far);
/* Keeps the name if it is near; it must live as long as near. */
void ga_near_add(struct ga_near_names *near, const char *name, size_t far);
/* Names of one spelling. */
void ga_near_word(struct ga_near_names *near, const char *word);

#endif
