/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes cost rows in FOCUS 1.2 (focus.finops.org), as CSV of RFC 4180: the 21 mandatory columns,
 * the columns that describe the use, and two of our own (x_). Lines end in CRLF. A text that a
 * spreadsheet would take for a formula (it begins with =, +, -, @, a tab or a carriage return) gets
 * an apostrophe in front.
 */
#ifndef GA_EXCHANGE_FOCUS_H
#define GA_EXCHANGE_FOCUS_H

#include "record/money.h"

/* Texts are borrowed; NULL is null (an empty cell). Times are seconds since 1970 UTC. */
struct ga_focus {
	const char *provider, *currency; /* ISO 4217 */
	const char *team, *project;	 /* team NULL: the project is the sub-account */
	const char *allocation, *name, *shape, *region;
	const char *type, *profile;
	int64_t profile_version;
	int64_t month_from, month_to; /* the billing period */
	int64_t from, to;	      /* the charge period */
	int64_t count, price_micros;
	__int128 cost_micros;
};

/* Both omit the final "\n" of the line: their last character is "\r". */
void ga_focus_header(struct ga_str *out);
void ga_focus_row(const struct ga_focus *f, struct ga_str *out);

/* The first second of the UTC month of a moment, and of the next month. */
void ga_focus_month(int64_t at, int64_t *from, int64_t *to);

#endif
