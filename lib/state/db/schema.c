/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the tables and indexes of a state are those that its migrations make. When somebody drops
 * a unique index, nothing guards its invariant any more, although no page of the file is wrong.
 */
#include "state/db/internal.h"

static int refused(sqlite3 *memory, struct ga_err *err)
{
	return ga_fail(err, GA_SYSTEM, "making the schema in memory failed: %s",
		       sqlite3_errmsg(memory));
}

static int compare(struct ga_db *db, const char *type, const char *name, const char *sql,
		   int (*each)(const char *name, const char *sentence, void *arg), void *arg,
		   struct ga_err *err)
{
	ga_autofree char *found = NULL, *sentence = NULL;

	if (ga_db_get(db, err, "SELECT sql FROM sqlite_schema WHERE name = ?1", "sS", name,
		      &found) < 0)
		return -1;
	if (ga_streq(found, sql))
		return 0;
	sentence = ga_xprintf("the %s is %s", type,
			      found ? "not the one of this version" : "missing");
	return each(name, sentence, arg);
}

int ga_db_schema(struct ga_db *db, int (*each)(const char *name, const char *sentence, void *arg),
		 void *arg, struct ga_err *err)
{
	sqlite3_stmt *stmt = NULL;
	sqlite3 *memory = NULL;
	int r = 0, rc = SQLITE_ROW;

	if (sqlite3_open(":memory:", &memory) != SQLITE_OK)
		r = refused(memory, err);
	for (const struct ga_migration *m = ga_state_migrations; r == 0 && m->name; m++)
		if (sqlite3_exec(memory, m->sql, NULL, NULL, NULL) != SQLITE_OK)
			r = refused(memory, err);
	if (r == 0 && sqlite3_prepare_v2(memory, "SELECT type, name, sql FROM sqlite_schema WHERE "
					 "sql IS NOT NULL ORDER BY name", -1, &stmt, NULL) !=
			      SQLITE_OK)
		r = refused(memory, err);
	while (r == 0 && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		r = compare(db, (const char *)sqlite3_column_text(stmt, 0),
			    (const char *)sqlite3_column_text(stmt, 1),
			    (const char *)sqlite3_column_text(stmt, 2), each, arg, err);
	if (r == 0 && rc != SQLITE_DONE)
		r = refused(memory, err);
	sqlite3_finalize(stmt);
	sqlite3_close(memory);
	return r;
}
