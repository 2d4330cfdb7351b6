/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks "member=value" against a record's struct, by its schema: "state=wiping",
 * "wipe.verify=full", "slots=7f3c0a1b" (any element), "blockers.code=tainted". "null" matches an
 * absent or unknown value.
 */
#ifndef GA_STATE_QUERY_WHERE_H
#define GA_STATE_QUERY_WHERE_H

#include "record/schema.h"

/* GA_USAGE when the condition has no '=', or the schema has no such member (the error names
 * all). */
GA_MUST_CHECK int ga_where_check(const struct ga_schema *schema, const char *where,
				 struct ga_err *err);
/* Whether the record of this schema meets the condition, which ga_where_check has accepted. */
bool ga_where_matches(const struct ga_schema *schema, const void *obj, const char *where);
/* The text member of this name, or NULL. */
const char *ga_where_text(const struct ga_schema *schema, const void *obj, const char *member);

#endif
