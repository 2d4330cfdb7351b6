/* SPDX-License-Identifier: Apache-2.0 */
/* What db.c and open.c share: the one place where sqlite3's types are known. */
#ifndef GA_STATE_DB_INTERNAL_H
#define GA_STATE_DB_INTERNAL_H

#include <sqlite3.h>

#include "base/embed.h"
#include "record/schema.h"
#include "state/db/db.h"
#include "state/db/writers_queue.h"

#define GA_DB_CACHE 512 /* statements kept; more are prepared each time */

struct ga_cached {
	const char *sql; /* the key: its address */
	sqlite3_stmt *stmt;
	bool busy;
};

struct ga_db {
	sqlite3 *sqlite;
	char *path;
	enum ga_db_file file;
	enum ga_db_mode mode;
	struct ga_writers_queue turn;
	int64_t version; /* number of migrations it has had */
	int64_t epoch;
	bool lab;
	int wal_pages; /* in the WAL after the last commit of ours; 0: checkpointed */
	struct ga_cached cache[GA_DB_CACHE];
};

struct ga_rows {
	struct ga_db *db;
	sqlite3_stmt *stmt;
	struct ga_cached *cached; /* NULL: the statement is this struct's own */
};

/* The last error of SQLite as ours. Is -1. */
GA_MUST_CHECK int ga_db_fail(const struct ga_db *db, struct ga_err *err);
/* "foreign_file": not one of ours. Is -1. */
GA_MUST_CHECK int ga_db_fail_foreign(const struct ga_db *db, struct ga_err *err);
/* GA_DENIED "read_only": the file system is, and a reader, too, needs files beside the database. */
GA_MUST_CHECK int ga_db_fail_read_only(const char *path, struct ga_err *err);
/* "newer_state" or "older_state". Is -1. */
GA_MUST_CHECK int ga_db_fail_version(const struct ga_db *db, int64_t version, struct ga_err *err);

#endif
