/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns the tables of people have (table.c); a kind without them is shown line by line. */
#ifndef GA_CLI_FRAME_TABLE_VIEWS_H
#define GA_CLI_FRAME_TABLE_VIEWS_H

#include "record/schema.h"

#define GA_VIEW_COLUMNS 13
#define GA_VIEW_SOMETIMES 7

struct ga_column {
	const char *title;
	const char *path; /* "gpu.type_name": members from the record down */
};

struct ga_view {
	const struct ga_schema *shape;
	const char *rows; /* a list whose elements are the rows; NULL: the record is one */
	struct ga_column columns[GA_VIEW_COLUMNS + 1];
};

/* Columns behind those of a kind that stand only where rows differ in them, or, where that is worth
 * knowing, where one says something. */
struct ga_sometimes {
	struct ga_column column;
	bool when_said;
};

/* NULL: the kind has no columns. */
const struct ga_view *ga_view_of(const struct ga_schema *schema);
/* They end with one without a title; NULL: the kind has none. */
const struct ga_sometimes *ga_view_sometimes(const struct ga_view *view);

#endif
