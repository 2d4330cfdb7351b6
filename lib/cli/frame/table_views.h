/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the tables for people (table.c); a kind without columns is shown line by line. */
#ifndef GA_CLI_FRAME_TABLE_VIEWS_H
#define GA_CLI_FRAME_TABLE_VIEWS_H

#include "record/schema.h"

#define GA_VIEW_COLUMNS 14
#define GA_VIEW_SOMETIMES 7

struct ga_column {
	const char *title;
	const char *path; /* members from the record down: "gpu.type_name" */
	int rank;	  /* 0: always shown; of the others the highest goes first where the
			   * terminal is too narrow, the later one of equals */
#define GA_RANK_KEPT (-1) /* goes after the columns of rank 0; before any of those goes for it,
			   * long names are broken into lines */
};

struct ga_view {
	const struct ga_schema *schema;
	const char *rows; /* member whose list elements are the rows; NULL: the record is one row */
	struct ga_column columns[GA_VIEW_COLUMNS + 1];
};

/* Additional columns of a kind, shown only if the rows differ in the value; with when_said also if
 * a row has a value other than "-" and "no". */
struct ga_sometimes {
	struct ga_column column;
	bool when_said;
};

/* The column of tables that have rows of a dry run. */
extern const struct ga_column ga_dry_run_column;
/* NULL: the kind has no columns. */
const struct ga_view *ga_view_of(const struct ga_schema *schema);
/* Whether the records of a kind are a history, whose times are shown exactly. */
bool ga_view_is_history(const struct ga_view *view);
/* A member that stands below each row on lines of its own, and as a column in a wide table. */
struct ga_below {
	const char *path;
	const char *title; /* as a column */
	const char *lead;  /* in front of it; "$ ": a command to copy, which is never broken */
};
#define GA_VIEW_BELOW 3
/* Those of a kind, at most GA_VIEW_BELOW; the list ends with one without path. Never NULL. */
const struct ga_below *ga_view_below(const struct ga_view *view);
/* The column of a kind that a person names, with a title for it: by the title of a column, in any
 * case and with _ for a space ("LARGEST FREE", "largest_free"), or by a member ("nvme.path"). name
 * is borrowed. false: the kind has none. */
bool ga_view_find(const struct ga_schema *schema, const char *name, struct ga_column *ret);
/* The list ends with a column without a title; NULL: the kind has no such columns. */
const struct ga_sometimes *ga_view_sometimes(const struct ga_view *view);

#endif
