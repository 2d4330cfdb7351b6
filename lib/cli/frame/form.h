/* SPDX-License-Identifier: Apache-2.0 */
/* The form of standard output: -o, --columns and --sort of every program, and the terminal. */
#ifndef GA_CLI_FRAME_FORM_H
#define GA_CLI_FRAME_FORM_H

#include "base/str.h"
#include "base/texts.h"
#include "cli/frame/cli.h"

enum ga_form_kind {
	GA_FORM_JSON,
	GA_FORM_TABLE,
	GA_FORM_CSV,  /* a heading with the members, then a line a record (RFC 4180) */
	GA_FORM_NAME, /* what another program takes (ga_view_operand), a line a record */
};

struct ga_form {
	enum ga_form_kind kind;
	bool terminal;		 /* standard output is one, before a pager or --watch takes it */
	bool wide;		 /* a table with every column, as wide as it is */
	bool colour;
	int width;		 /* columns of the reader's terminal; 0: no limit */
	struct ga_texts columns; /* of --columns; none: those of the kind */
	const char *sort;	 /* the member to sort by, or NULL */
	bool descending;
};

/* The words of -o: json, table, wide, csv, name. NULL-terminated. */
extern const char *const ga_form_words[];

/* The form that is in force. */
const struct ga_form *ga_form(void);
/* Chooses the form: word is one of ga_form_words; NULL: a table on a terminal, else records.
 * columns: names separated by commas, or NULL; sort: a member, with "-" in front for the highest
 * first, or NULL. GA_USAGE: any of them where kinds is ga_prints_text or ga_prints_json (cli.h),
 * --columns with records, names of kinds that all have none, or
 * "no_member" with near names for a column that no kind of kinds has (ends with NULL; NULL: not
 * checked). */
GA_MUST_CHECK int ga_form_choose(const char *word, const char *columns, const char *sort,
				 const struct ga_schema *const *kinds, struct ga_err *err);
/* Takes the size that the terminal has now. */
void ga_form_resize(void);
/* Adds lead and the text, broken at spaces into lines of at most width columns (0: one line), all
 * ended. The first begins indent columns from the left, the others hang columns right of its text.
 * A word, as ga_form_word counts them, is not broken. */
void ga_form_fold(const char *lead, const char *text, int indent, int hang, int width,
		  struct ga_str *out);

/* Bytes of the next word for lines of width columns. One is also what is in single quotes and fits
 * into a line, and a command of gpuaas, in quotes or not, of any length. A quote opens a word, so
 * that "node's" opens none. */
size_t ga_form_word(const char *text, int width);

/* Adds the line of a record in CSV, after a heading when first. */
void ga_form_csv(const struct ga_schema *schema, json_t *json, bool first, struct ga_str *out);
/* GA_USAGE: -o name was chosen, and records of that kind have no word that another program
 * takes. */
GA_MUST_CHECK int ga_form_has_name(const struct ga_schema *schema, struct ga_err *err);
/* Adds a line for each word of the record that another program takes; nothing for a record without
 * one. */
void ga_form_name(const struct ga_schema *schema, json_t *json, struct ga_str *out);

#endif
