/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-explain: the item of a word in the pages, and the schema of a record or of a member, as
 * text of 80 columns. The pages are those of the source, inside the program; the schemas are the
 * tables that records are read and written by. So neither can differ from what is installed.
 */
#ifndef GA_CLI_EXPLAIN_EXPLAIN_H
#define GA_CLI_EXPLAIN_EXPLAIN_H

#include "base/str.h"
#include "base/texts.h"

/* Prints everything that the word means. GA_NOTFOUND with near words. */
GA_MUST_CHECK int ga_explain(const char *word, struct ga_err *err);
/* Checks a value of a member that has codes: GA_USAGE "no_value" with near ones, where
 * gpuaas-codes(7) has none of that name. States and exit statuses are no codes. The page lacks the
 * steps of a wipe: unless strict, a phase that is near to none of the page may be such a step. */
GA_MUST_CHECK int ga_explain_code(const char *member, const char *word, bool strict,
				  struct ga_err *err);
/* Prints every word, one a line, sorted. */
void ga_explain_list(void);

/* ---- private to this folder ---- */

struct ga_explain_page {
	const char *name, *section, *text; /* text: mdoc(7) */
};
/* Those whose items are explained; ends with one without a name. */
extern const struct ga_explain_page ga_explain_pages[];

/* Adds to out each item (.It) of the page that has the word, with a heading that names the section;
 * returns their number. */
int ga_mdoc_items(const struct ga_explain_page *page, const char *word, struct ga_str *out);
/* Adds the words of all items of the section (NULL: of every one), each once. */
void ga_mdoc_words(const struct ga_explain_page *page, const char *section, struct ga_texts *ret);
/* Adds the text, which has no control characters, in lines of at most GA_EXPLAIN_COLUMNS, indented
 * by indent columns; the first by first. A command of gpuaas is not broken, so that it can be
 * pasted, and may be longer. */
#define GA_EXPLAIN_COLUMNS 79
void ga_explain_wrap(struct ga_str *out, const char *text, int first, int indent);

#endif
