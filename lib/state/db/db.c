/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite behind db.h: statements, transactions, errors. Opening and making files: open.c. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/file.h"
#include "record/log.h"
#include "state/db/internal.h"

#define WAL_LIMIT 1000 /* pages in the WAL (4 MiB) at which a writer checkpoints */

/* ---- errors ---- */

/* Our sentences for SQLite's messages about a broken key or check. */
static const struct {
	const char *part, *reason;
} constraints[] = {
	{ "claim.slot_id", "sold_once" },	 { "claim.node_id", "sold_once" },
	{ "slot_cpu", "cpuset_taken" },		 { "slot.mac", "duplicate_identity" },
	{ "slot.private_ip", "duplicate_identity" }, { "slot.gpu", "duplicate_identity" },
	{ "slot.nvme", "duplicate_identity" },	 { "fabric_vf", "fabric_vf_shared" },
	{ "slot.node_id", "duplicate_identity" }, { "allocation.name", "name_taken" },
	{ "allocation.request_id", "request_taken" }, { "node.name", "name_taken" },
	{ "FOREIGN KEY", "foreign_key" },	 { "CHECK", "check" },
	{ "NOT NULL", "check" },		 { "UNIQUE", "duplicate" },
};

static int fail_constraint(const char *sentence, struct ga_err *err)
{
	size_t word = strspn(sentence, "abcdefghijklmnopqrstuvwxyz0123456789_"), i;
	char reason[48];

	if (word > 0 && word < sizeof(reason) && !strncmp(sentence + word, ": ", 2)) {
		snprintf(reason, sizeof(reason), "%.*s", (int)word, sentence);
		return ga_fail_for(err, GA_CONFLICT, reason, "%s", sentence + word + 2);
	}
	for (i = 0; i < GA_ARRAY_SIZE(constraints); i++)
		if (strstr(sentence, constraints[i].part))
			return ga_fail_for(err, GA_CONFLICT, constraints[i].reason,
					   "the state refuses this: %s", sentence);
	return ga_fail_for(err, GA_CONFLICT, "constraint", "the state refuses this: %s", sentence);
}

static int fail_full(const char *path, struct ga_err *err)
{
	return ga_refuse(err, GA_SYSTEM, "disk_full", NULL,
			 ("no space left for '%s'", path),
			 ("make room on its file system; nothing was half written"));
}

int ga_db_fail_read_only(const char *path, struct ga_err *err)
{
	return ga_refuse(err, GA_DENIED, "read_only", NULL,
			 ("'%s' is on a read-only file system, and programs that only read it need "
			  "files beside it, too", path),
			 ("mount it read-write, or copy the file with its '-wal' to a folder of "
			  "its own and name the copy with --state"));
}

/* The file itself can be read. */
static int fail_beside(const char *path, struct ga_err *err)
{
	return ga_refuse(err, GA_DENIED, "read_only", NULL,
			 ("'%s' cannot be read by this user: programs that only read it need the "
			  "files '-wal' and '-shm' beside it, too, and may not write there", path),
			 ("run as the user that owns it, or copy the file with its '-wal' to a "
			  "folder of your own and name the copy with --state"));
}

/* Reading needs files beside the database, too. When those cannot be made or grow, SQLite reports
 * only a failure; the file system has the reason. */
static int fail_io(const struct ga_db *db, const char *sentence, int rc, struct ga_err *err)
{
	int cause = sqlite3_system_errno(db->sqlite);
	ga_autofree char *folder = ga_file_folder(db->path);
	struct statvfs fs;

	if (statvfs(folder, &fs) < 0)
		fs = (struct statvfs){ .f_bavail = 1 };
	if (fs.f_flag & ST_RDONLY)
		return ga_db_fail_read_only(db->path, err);
	if (cause == ENOSPC || cause == EDQUOT || fs.f_bavail == 0)
		return fail_full(db->path, err);
	return ga_refuse(err, GA_SYSTEM, NULL, NULL,
			 ("'%s': %s: %s (SQLite %d)", db->path, sentence,
			  cause ? strerror(cause) : "the system does not say why", rc),
			 ("look at its folder '%s' and at the log of the kernel (dmesg)", folder));
}

int ga_db_fail(const struct ga_db *db, struct ga_err *err)
{
	const char *sentence = sqlite3_errmsg(db->sqlite), *path = db->path;
	int rc = sqlite3_extended_errcode(db->sqlite);

	switch (rc & 0xff) {
	case SQLITE_CONSTRAINT:
		return fail_constraint(sentence, err);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return ga_refuse(err, GA_BUSY, "locked", NULL,
				 ("'%s' is locked by a program that ignores the writers' "
				  "queue", path),
				 ("another SQLite tool has it open; 'fuser %s' names it", path));
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		if (db->mode == GA_DB_READ && rc != SQLITE_READONLY)
			return fail_beside(path, err);
		return ga_fail_for(err, GA_DENIED, "read_only", "'%s' cannot be written: %s", path,
				   sentence);
	case SQLITE_NOTADB:
		return ga_db_fail_foreign(db, err);
	case SQLITE_CORRUPT:
		return ga_refuse(err, GA_SYSTEM, "corrupt", NULL,
				 ("'%s' is damaged: %s", path, sentence),
				 ("stop all writers, keep the file, and go back to a backup"));
	case SQLITE_FULL:
		return fail_full(path, err);
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		return fail_io(db, sentence, rc, err);
	default:
		ga_err_set(err, GA_SYSTEM, "'%s': %s (SQLite %d)", path, sentence, rc);
		if (db->file == GA_DB_STATE && ga_starts(sentence, "no such "))
			return ga_hint(err, "somebody changed the schema of the file: "
					    "'gpuaas-state check' says what repairs it");
		return -1;
	}
}

/* ---- statements ---- */

static int prepare(struct ga_db *db, const char *sql, bool keep, sqlite3_stmt **ret,
		   struct ga_err *err)
{
	unsigned int flags = keep ? SQLITE_PREPARE_PERSISTENT : 0;

	if (sqlite3_prepare_v3(db->sqlite, sql, -1, flags, ret, NULL) != SQLITE_OK)
		return ga_db_fail(db, err);
	return 0;
}

static struct ga_cached *cache_find(struct ga_db *db, const char *sql)
{
	size_t i = ((uintptr_t)sql >> 3) % GA_DB_CACHE, n;

	for (n = 0; n < GA_DB_CACHE; n++, i = (i + 1) % GA_DB_CACHE)
		if (!db->cache[i].sql || db->cache[i].sql == sql)
			return &db->cache[i];
	return NULL; /* full: the statement is not kept */
}

/* A statement ready to be bound: the cached one, or a new one when the cached one is in use. */
static int statement(struct ga_db *db, const char *sql, struct ga_rows *rows, struct ga_err *err)
{
	struct ga_cached *c = cache_find(db, sql);

	rows->db = db;
	if (!c || c->busy)
		return prepare(db, sql, false, &rows->stmt, err);
	if (!c->sql) {
		if (prepare(db, sql, true, &c->stmt, err) < 0)
			return -1;
		c->sql = sql;
	}
	c->busy = true;
	rows->cached = c;
	rows->stmt = c->stmt;
	return 0;
}

static void finish(struct ga_rows *rows)
{
	if (rows->cached) {
		sqlite3_reset(rows->stmt);
		sqlite3_clear_bindings(rows->stmt);
		rows->cached->busy = false;
	} else {
		sqlite3_finalize(rows->stmt);
	}
}

/* Binds up to the first capital, which is a column. copy: the texts may be freed before the rows
 * are read. */
static int bind(struct ga_rows *rows, const char *types, bool copy, va_list *ap, struct ga_err *err)
{
	sqlite3_destructor_type keep = copy ? SQLITE_TRANSIENT : SQLITE_STATIC;
	int i, rc = SQLITE_OK;

	for (i = 1; *types >= 'a' && rc == SQLITE_OK; types++, i++) {
		if (*types == 's') {
			rc = sqlite3_bind_text(rows->stmt, i, va_arg(*ap, const char *), -1, keep);
		} else if (*types == 'i') {
			int64_t v = va_arg(*ap, int64_t);

			rc = v == GA_UNKNOWN ? sqlite3_bind_null(rows->stmt, i) :
					       sqlite3_bind_int64(rows->stmt, i, v);
		} else {
			rc = sqlite3_bind_int(rows->stmt, i, va_arg(*ap, int) != 0);
		}
	}
	if (rc != SQLITE_OK)
		return ga_db_fail(rows->db, err);
	/* A parameter without its letter would be NULL, and the statement another one. */
	if (i - 1 != sqlite3_bind_parameter_count(rows->stmt))
		return ga_fail(err, GA_SYSTEM, "a statement has %d parameters and got %d: %s",
			       sqlite3_bind_parameter_count(rows->stmt), i - 1,
			       sqlite3_sql(rows->stmt));
	return 0;
}

static int change(struct ga_db *db, struct ga_err *err, const char *sql, const char *types,
		  va_list *ap)
{
	struct ga_rows rows = { 0 };
	int r, rc;

	if (statement(db, sql, &rows, err) < 0)
		return -1;
	r = bind(&rows, types, false, ap, err);
	if (r == 0) {
		do
			rc = sqlite3_step(rows.stmt);
		while (rc == SQLITE_ROW);
		r = rc == SQLITE_DONE ? sqlite3_changes(db->sqlite) : ga_db_fail(db, err);
	}
	finish(&rows);
	return r;
}

int ga_db_exec_by(struct ga_db *db, struct ga_err *err, const char *sql, const char *types, ...)
{
	va_list ap;
	int r;

	va_start(ap, types);
	r = change(db, err, sql, types, &ap);
	va_end(ap);
	return r;
}

int ga_db_change_by(struct ga_db *db, struct ga_err *err, const char *sql, const char *types, ...)
{
	va_list ap;
	int r;

	va_start(ap, types);
	r = change(db, err, sql, types, &ap);
	va_end(ap);
	return r < 0 ? -1 : 0;
}

static int first(struct ga_db *db, struct ga_err *err, const char *sql, const char *types,
		 va_list *ap)
{
	struct ga_rows rows = { 0 };
	int r, column;

	if (statement(db, sql, &rows, err) < 0)
		return -1;
	r = bind(&rows, types, false, ap, err);
	if (r == 0)
		r = ga_rows_next(&rows, err);
	types += strcspn(types, "SIB");
	for (column = 0; r > 0 && types[column]; column++) {
		if (types[column] == 'S')
			*va_arg(*ap, char **) = ga_rows_dup(&rows, column);
		else if (types[column] == 'I')
			*va_arg(*ap, int64_t *) = ga_rows_int(&rows, column);
		else
			*va_arg(*ap, bool *) = ga_rows_bool(&rows, column);
	}
	finish(&rows);
	return r;
}

int ga_db_one_by(struct ga_db *db, struct ga_err *err, const char *sql, const char *types, ...)
{
	va_list ap;
	int r;

	va_start(ap, types);
	r = first(db, err, sql, types, &ap);
	va_end(ap);
	return r;
}

int ga_db_get_by(struct ga_db *db, struct ga_err *err, const char *sql, const char *types, ...)
{
	va_list ap;
	int r;

	va_start(ap, types);
	r = first(db, err, sql, types, &ap);
	va_end(ap);
	return r < 0 ? -1 : 0;
}

int ga_db_has_by(struct ga_db *db, bool *ret, struct ga_err *err, const char *sql,
		 const char *types, ...)
{
	va_list ap;
	int r;

	va_start(ap, types);
	r = first(db, err, sql, types, &ap);
	va_end(ap);
	if (r < 0)
		return -1;
	*ret = r > 0;
	return 0;
}

int ga_db_texts_by(struct ga_db *db, struct ga_texts *ret, struct ga_err *err, const char *sql,
		   const char *types, ...)
{
	struct ga_rows rows = { 0 };
	va_list ap;
	int r;

	if (statement(db, sql, &rows, err) < 0)
		return -1;
	va_start(ap, types);
	r = bind(&rows, types, false, &ap, err);
	va_end(ap);
	while (r >= 0 && (r = ga_rows_next(&rows, err)) > 0)
		if (ga_rows_text(&rows, 0))
			ga_texts_add(ret, ga_rows_text(&rows, 0));
	finish(&rows);
	return r;
}

int ga_db_query_by(struct ga_db *db, struct ga_rows **ret, struct ga_err *err, const char *sql,
		   const char *types, ...)
{
	struct ga_rows *rows = ga_xcalloc(1, sizeof(*rows));
	va_list ap;
	int r = statement(db, sql, rows, err);

	if (r < 0) {
		free(rows);
		return -1;
	}
	va_start(ap, types);
	r = bind(rows, types, true, &ap, err);
	va_end(ap);
	if (r < 0) {
		ga_rows_close(rows);
		return -1;
	}
	*ret = rows;
	return 0;
}

int ga_rows_next(struct ga_rows *rows, struct ga_err *err)
{
	int rc = sqlite3_step(rows->stmt);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : ga_db_fail(rows->db, err);
}

const char *ga_rows_text(const struct ga_rows *rows, int column)
{
	return (const char *)sqlite3_column_text(rows->stmt, column);
}

char *ga_rows_dup(const struct ga_rows *rows, int column)
{
	return ga_strdup0(ga_rows_text(rows, column));
}

int64_t ga_rows_int(const struct ga_rows *rows, int column)
{
	int64_t n = sqlite3_column_int64(rows->stmt, column);

	/* NULL reads as 0: only a 0 needs a look at the type. */
	return !n && sqlite3_column_type(rows->stmt, column) == SQLITE_NULL ? GA_UNKNOWN : n;
}

bool ga_rows_bool(const struct ga_rows *rows, int column)
{
	return sqlite3_column_int64(rows->stmt, column) != 0;
}

void ga_rows_close(struct ga_rows *rows)
{
	if (!rows)
		return;
	finish(rows);
	free(rows);
}

void ga_cleanup_rows(struct ga_rows **rows)
{
	ga_rows_close(*rows);
}

/* ---- transactions ---- */

/* Checks the version again: the file may have been migrated since it was opened. */
static int check_version(struct ga_db *db, struct ga_err *err)
{
	int64_t version;

	if (ga_db_get(db, err, "PRAGMA user_version", "I", &version) < 0)
		return -1;
	return version == db->version ? 0 : ga_db_fail_version(db, version, err);
}

/* A restore puts another file at the path. The open file is then the replaced one, and a write into
 * it would be lost. */
static int check_place(struct ga_db *db, struct ga_err *err)
{
	int moved = 0;

	if (db->file != GA_DB_STATE ||
	    sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK ||
	    !moved)
		return 0;
	return ga_refuse(err, GA_CONFLICT, "replaced", NULL,
			 ("'%s' was replaced while this program had it open", db->path),
			 ("nothing was written: run it again, on the state that is there now"));
}

int ga_db_begin(struct ga_db *db, const char *what, struct ga_err *err)
{
	if (db->mode == GA_DB_READ)
		return ga_fail(err, GA_SYSTEM, "'%s' was opened for reading only", db->path);
	if (ga_writers_queue_enter(&db->turn, what, err) < 0)
		return -1;
	if (check_place(db, err) < 0 || ga_db_change(db, err, "BEGIN IMMEDIATE", "") < 0) {
		ga_writers_queue_leave(&db->turn);
		return -1;
	}
	if (check_version(db, err) < 0) {
		ga_db_rollback(db);
		return -1;
	}
	return 0;
}

int ga_db_begin_read(struct ga_db *db, struct ga_err *err)
{
	if (check_place(db, err) < 0 || ga_db_change(db, err, "BEGIN", "") < 0)
		return -1;
	/* Reading the version also takes the snapshot now, not at the first query. */
	if (check_version(db, err) < 0) {
		ga_db_rollback(db);
		return -1;
	}
	return 0;
}

/* Counts the pages in use, not the file's size: the file never shrinks, and is reused from its
 * start. */
static void checkpoint_if_large(struct ga_db *db)
{
	int rc;

	if (db->wal_pages < WAL_LIMIT)
		return;
	db->wal_pages = 0;
	/* While others read, a part of the WAL may have to stay; the next writer tries again. */
	rc = sqlite3_wal_checkpoint_v2(db->sqlite, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	if (rc != SQLITE_OK && rc != SQLITE_BUSY)
		ga_info("checkpoint of '%s' failed: %s", db->path, sqlite3_errmsg(db->sqlite));
}

int ga_db_commit(struct ga_db *db, struct ga_err *err)
{
	if (ga_db_change(db, err, "COMMIT", "") < 0) {
		ga_db_rollback(db);
		return -1;
	}
	if (db->turn.held) {
		checkpoint_if_large(db);
		ga_writers_queue_leave(&db->turn);
	}
	return 0;
}

void ga_db_rollback(struct ga_db *db)
{
	struct ga_err ignored = GA_ERR_INIT;

	if (ga_db_in_transaction(db) && ga_db_change(db, &ignored, "ROLLBACK", "") < 0)
		ga_info("rollback of '%s' failed: %s", db->path, ignored.msg);
	ga_writers_queue_leave(&db->turn);
}

bool ga_db_in_transaction(const struct ga_db *db)
{
	return !sqlite3_get_autocommit(db->sqlite);
}

int ga_db_savepoint(struct ga_db *db, struct ga_err *err)
{
	return ga_db_change(db, err, "SAVEPOINT part", "");
}

int ga_db_release(struct ga_db *db, struct ga_err *err)
{
	return ga_db_change(db, err, "RELEASE part", "");
}

void ga_db_rollback_to(struct ga_db *db)
{
	struct ga_err ignored = GA_ERR_INIT;

	if (ga_db_change(db, &ignored, "ROLLBACK TO part", "") < 0 ||
	    ga_db_change(db, &ignored, "RELEASE part", "") < 0)
		ga_info("undoing a part in '%s' failed: %s", db->path, ignored.msg);
}

/* ---- facts and copies ---- */

bool ga_db_is_lab(const struct ga_db *db)
{
	return db->lab;
}

int64_t ga_db_epoch(const struct ga_db *db)
{
	return db->epoch;
}

const char *ga_db_path(const struct ga_db *db)
{
	return db->path;
}

int64_t ga_db_schema_version(const struct ga_db *db)
{
	return db->version;
}

int ga_db_version(struct ga_db *db, int64_t *ret, struct ga_err *err)
{
	return ga_db_get(db, err, "PRAGMA data_version", "I", ret);
}

const char *ga_db_engine_warning(void)
{
	static char sentence[256];

	if (sqlite3_libversion_number() >= 3051003)
		return NULL;
	snprintf(sentence, sizeof(sentence),
		 "SQLite %s can damage a database when the WAL is reset during a checkpoint "
		 "(fixed in 3.51.3); gpuaas checkpoints only in its turn, so let no other tool "
		 "write this file",
		 sqlite3_libversion());
	return sentence;
}

int ga_db_integrity(struct ga_db *db, int (*each)(const char *finding, void *arg), void *arg,
		    struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL, *keys = NULL;
	int r;

	/* 16 MiB instead of 2: enough for the pages that keys and rules look up again and again. A
	 * larger cache is no faster. */
	if (ga_db_change(db, err, "PRAGMA cache_size=-16384", "") < 0 ||
	    ga_db_query(db, &rows, err, "PRAGMA integrity_check", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (!ga_streq(ga_rows_text(rows, 0), "ok") && each(ga_rows_text(rows, 0), arg) < 0)
			return -1;
	/* With a dozen CPUs a slot, slot_cpu has nine tenths of all keys: a rule of
	 * lib/state/recovery/check_rules.c does one lookup a slot instead. */
	if (r < 0 || ga_db_query(db, &keys, err,
				 "SELECT k.\"table\", k.rowid, k.parent FROM sqlite_schema t, "
				 "pragma_foreign_key_check(t.name) k WHERE t.type = 'table' AND "
				 "t.name <> 'slot_cpu' ORDER BY t.name, k.rowid",
				 "") < 0)
		return -1;
	while ((r = ga_rows_next(keys, err)) > 0) {
		const char *table = ga_rows_text(keys, 0);
		ga_autofree char *row = ga_rows_dup(keys, 1);
		ga_autofree char *finding =
			ga_xprintf("row %s of table %s refers to a row of %s that is not there",
				   row ? row : "(without number)", table, ga_rows_text(keys, 2));

		if (each(finding, arg) < 0)
			return -1;
	}
	return r;
}
