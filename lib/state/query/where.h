/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions on records, checked on their structs by the schema, so that no JSON is made for
 * records that are not shown:
 *
 *	state=wiping  state=wiping,active  state!=available  wipe.verify=full
 *	slots=7f3c0a1b (any element)  blockers.code=tainted  tainted=yes
 *	count>2  memory_mib>=64G  since<2026-11-25  started_at>24h (later than 24 hours ago)
 *
 * Values between commas are alternatives; a value in double quotes may have commas, and a doubled
 * quote in it is one. The word null, and -, without quotes, is the absent or unknown value. A text
 * of a table stands for each value that is shown so: "8.0 MiB", "0.2%", "1.5s". A list of objects
 * with codes is compared by these, as a table shows it: blockers=tainted. "available, cordoned" has
 * a blank after the comma and is one value; "cordoned" is each state with it.
 */
#ifndef GA_STATE_QUERY_WHERE_H
#define GA_STATE_QUERY_WHERE_H

#include "record/schema.h"

enum ga_where_op {
	GA_WHERE_IS,
	GA_WHERE_IS_NOT,
	GA_WHERE_MORE,
	GA_WHERE_AT_LEAST,
	GA_WHERE_LESS,
	GA_WHERE_AT_MOST,
};

struct ga_where_value {
	char *text;
	bool null;	    /* absent or unknown */
	const struct ga_field *also; /* the member beside a word of a closed set (schema.h),
				      * which is true, too; NULL: it does not matter */
	int64_t begin, end; /* of numbers, booleans (0, 1) and times (microseconds): n is equal when
			     * begin <= n < end */
};

/* A condition that ga_where_parse has checked. */
struct ga_where {
	char *path; /* "wipe.verify" */
	const struct ga_field *field; /* its last member */
	enum ga_where_op op;
	GA_LIST(struct ga_where_value) values; /* one is enough; of IS_NOT none may be it */
	struct ga_where *or_else; /* owned: another condition, compared as this one, that is as
				   * good; NULL: none */
};

struct ga_wheres {
	struct ga_where *v;
	size_t n;
};

/* Reads a condition on records of the schema. now is for durations (micros). GA_USAGE, with near
 * words and what there is: no operator, no such member, a word that a closed set does not have, a
 * text where a number, boolean or time belongs, an order of members that have none. ret is
 * overwritten; release it. */
GA_MUST_CHECK int ga_where_parse(const struct ga_schema *schema, const char *text, int64_t now,
				 struct ga_where *ret, struct ga_err *err);
void ga_where_release(struct ga_where *w);
void ga_wheres_release(struct ga_wheres *list);
/* Whether the record of the schema meets the condition, or all of the list. */
bool ga_where_matches(const struct ga_schema *schema, const void *obj, const struct ga_where *w);
bool ga_wheres_match(const struct ga_schema *schema, const void *obj,
		     const struct ga_wheres *list);
/* The number of characters of the member in a condition: those before its operator. */
size_t ga_where_member_len(const char *text);
/* Whether the schema has the member of that path ("wipe.verify"), len characters long. */
bool ga_where_has_member(const struct ga_schema *schema, const char *path, size_t len);
/* The text member of this name, or NULL. */
const char *ga_where_text(const struct ga_schema *schema, const void *obj, const char *member);

#endif
