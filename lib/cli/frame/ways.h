/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to give the operands of a command, as its synopsis writes them. */
#ifndef GA_CLI_FRAME_WAYS_H
#define GA_CLI_FRAME_WAYS_H

#include <jansson.h>

#include "base/texts.h"

/* One way to give the operands: words in lower case are typed as they are, the others say what an
 * operand means. */
struct ga_way {
	struct ga_texts words;
	bool again; /* the last one may repeat */
};

#define GA_WAYS_MAX 16
/* "[disable|retire SLOT…|confirm PROPOSAL…]" -> three ways: what follows the last of several
 * literal words follows each of them. Standard input ("-") and "--" are left out. args as in
 * ga_prog, or NULL. Returns their number; release them. */
size_t ga_ways_parse(const char *args, struct ga_way ways[GA_WAYS_MAX]);
void ga_ways_release(struct ga_way *ways, size_t n);

/* Operands as a JSON array of their alternatives, each an array of objects with the members "word"
 * (typed literally) or "name" and "means", and "repeatable" (true only). args as in ga_prog; NULL:
 * an empty array. */
json_t *ga_cli_operands(const char *args);

/* The length of a word without what may follow it: "TEAM,…", "ID…", "PROFILE[@VERSION]". */
size_t ga_word_bare(const char *word, size_t len);
/* Whether a word is typed as it is. */
bool ga_word_is_literal(const char *word);

#endif
