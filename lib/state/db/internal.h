/* SPDX-License-Identifier: Apache-2.0 */
/* The private header of this folder, which alone knows sqlite3's types. */
#ifndef GA_STATE_DB_INTERNAL_H
#define GA_STATE_DB_INTERNAL_H

#include <sqlite3.h>

#include "base/embed.h"
#include "record/schema.h"
#include "state/db/db.h"
#include "state/db/writers_queue.h"

#define GA_DB_CACHE 512 /* statements cached; others are prepared at each use */

struct ga_cached {
	const char *sql; /* the key: the address of the text */
	sqlite3_stmt *stmt;
	bool busy;
};

struct ga_db {
	sqlite3 *sqlite;
	char *path;
	enum ga_db_file file;
	enum ga_db_mode mode;
	struct ga_writers_queue turn;
	int64_t version; /* number of migrations that the file has had */
	int64_t epoch;
	bool lab;
	int wal_pages; /* pages in the WAL after our last commit; 0: checkpointed */
	struct ga_cached cache[GA_DB_CACHE];
};

struct ga_rows {
	struct ga_db *db;
	sqlite3_stmt *stmt;
	struct ga_cached *cached; /* NULL: the statement belongs to this struct alone */
};

/* Fills err from the last error of SQLite. Returns -1. */
GA_MUST_CHECK int ga_db_fail(const struct ga_db *db, struct ga_err *err);
/* "foreign_file": not a file of ours. Returns -1. */
GA_MUST_CHECK int ga_db_fail_foreign(const struct ga_db *db, struct ga_err *err);
/* GA_DENIED "read_only": the file system is read-only, and readers, too, need files beside the
 * database. */
GA_MUST_CHECK int ga_db_fail_read_only(const char *path, struct ga_err *err);
/* "newer_state" or "older_state". Returns -1. */
GA_MUST_CHECK int ga_db_fail_version(const struct ga_db *db, int64_t version, struct ga_err *err);

#endif
