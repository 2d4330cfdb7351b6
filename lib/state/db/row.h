/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a database row into a record. The columns of the SELECT stand in the order of the schema's
 * fields, so that no struct is filled member by member.
 *
 *   text, number, bool   one column
 *   a wipe policy        three columns: class, verify, gpu_memory; all NULL: no policy
 *   other objects, lists one column of JSON text; NULL, '{}' and '[]' are none
 */
#ifndef GA_STATE_DB_ROW_H
#define GA_STATE_DB_ROW_H

#include "record/kind.h"
#include "state/db/db.h"

/* Fills obj (overwritten; release it with ga_schema_release) from column on. GA_SYSTEM when the row
 * has a value that the schema does not allow: another program wrote the file. */
GA_MUST_CHECK int ga_row_read(const struct ga_rows *rows, int column,
			      const struct ga_schema *schema, void *obj, struct ga_err *err);
/* Reads the first row into obj and closes rows in every case: 1, 0 when there is none and obj is
 * unchanged, -1. */
GA_MUST_CHECK int ga_row_first(struct ga_rows *rows, const struct ga_schema *schema, void *obj,
			       struct ga_err *err);

/* A part of a history: rows in the order of their numbers, oldest or newest first. */
struct ga_page {
	bool newest;
	int64_t after;	   /* only rows above that number; newest: below it */
	const char *since; /* only rows of that time or later; NULL: all */
};
/* ga_db_query of a page: select ends before WHERE; key and time are its columns. */
#define GA_QUERY_PAGE(db, page, ret, err, select, key, time)                                       \
	((page)->newest ?                                                                          \
		 ga_db_query(db, ret, err,                                                         \
			     select "WHERE " key " < ?1 AND (?2 IS NULL OR " time " >= ?2) "      \
				    "ORDER BY " key " DESC", "is", (page)->after, (page)->since) : \
		 ga_db_query(db, ret, err,                                                         \
			     select "WHERE " key " > ?1 AND (?2 IS NULL OR " time " >= ?2) "      \
				    "ORDER BY " key, "is", (page)->after, (page)->since))

/* Receives the records of a list, one by one; -1 ends the list. */
typedef int (*ga_store_each)(const struct ga_schema *schema, const void *obj, void *arg,
			     struct ga_err *err);

#endif
