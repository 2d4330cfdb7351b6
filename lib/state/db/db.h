/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two SQLite files behind one small interface; no sqlite3 type leaves the files of this folder.
 *
 *   state.db  the truth of the state side (gpuaas-state(5)); application id GPUA
 *   host.db   the work of this host: journal, attempts, evidence (state/host/hostdb.h); id GPUH
 *
 * WAL, synchronous=FULL, foreign_keys=ON, trusted_schema=OFF, wal_autocheckpoint=0. A file that is
 * newer than this program, not ours, or on a network file system is refused. Writers wait in the
 * writers' queue, which consists of two lock files beside the database (FILE.gate, FILE.lock), so
 * that none starves; the deadline (default 10 s, GPUAAS_DEADLINE seconds) ends in GA_BUSY naming
 * the holder. The WAL is checkpointed only while the writer lock is held (writers_queue.h
 * says why). A handle must not cross fork(2): open in the child.
 *
 * The other folders of lib/state are operations on the state. An operation that changes something
 * runs inside the caller's transaction (ga_db_begin … ga_db_commit), moves states only over edges
 * (fsm.h), raises generations and adds its audit row; the caller writes records after COMMIT.
 * Operations that only read may run in any transaction. When the generation that the caller saw is
 * not the present one, the operation is GA_CONFLICT "concurrent_update" with expected and found. An
 * unknown id is GA_NOTFOUND.
 */
#ifndef GA_STATE_DB_DB_H
#define GA_STATE_DB_DB_H

#include "base/ga.h"
#include "base/texts.h"
#include "state/db/letters.h"

struct ga_db;
struct ga_rows;

enum ga_db_file { GA_DB_STATE, GA_DB_HOST };
enum ga_db_mode {
	GA_DB_READ,
	GA_DB_WRITE,
	GA_DB_CREATE, /* makes or migrates it: gpuaas-state init, and host.db at first use */
};

/* GA_NOTFOUND with a hint when there is no file (and mode is not GA_DB_CREATE): "no_state", or
 * "restore_interrupted" as below. */
GA_MUST_CHECK int ga_db_open(const char *path, enum ga_db_file file, enum ga_db_mode mode,
			     struct ga_db **ret, struct ga_err *err);
/* Makes a new state file, open for writing. GA_CONFLICT "exists" when there is one,
 * "restore_interrupted" when there is none and the one that a restore replaced lies beside. */
GA_MUST_CHECK int ga_db_init(const char *path, bool lab, struct ga_db **ret, struct ga_err *err);
void ga_db_close(struct ga_db *db);
/* Whether this process has a database open, also one that it left: then no worker may start. */
bool ga_db_is_open(void);
void ga_cleanup_db(struct ga_db **db); /* rolls back an open transaction */
#define ga_autodb ga_cleanup(ga_cleanup_db)
/*
 * Fast exit for readers: ends the read transaction and leaves the connection open until the process
 * exits, because closing frees the parsed schema piece by piece (a twelfth of a short query).
 * FILE-wal and FILE-shm stay. A handle that may write is closed, and so are a handle with a long
 * WAL and the handle that was left before.
 */
void ga_db_leave(struct ga_db *db);
void ga_cleanup_db_leave(struct ga_db **db);
#define ga_autodb_leave ga_cleanup(ga_cleanup_db_leave)

/* Enters the writers' queue and runs BEGIN IMMEDIATE; what: this writer's work, shown to waiting
 * writers (writers_queue.h). */
GA_MUST_CHECK int ga_db_begin(struct ga_db *db, const char *what, struct ga_err *err);
/* Begins a read transaction: until its end all statements see the state as it is now. */
GA_MUST_CHECK int ga_db_begin_read(struct ga_db *db, struct ga_err *err);
/* Commits a transaction of either kind and leaves the writers' queue; on failure it is rolled
 * back. */
GA_MUST_CHECK int ga_db_commit(struct ga_db *db, struct ga_err *err);
void ga_db_rollback(struct ga_db *db); /* harmless when nothing is open */
bool ga_db_in_transaction(const struct ga_db *db);
/* Nested: can undo a part of a transaction, for one refused item of a batch. */
GA_MUST_CHECK int ga_db_savepoint(struct ga_db *db, struct ga_err *err);
GA_MUST_CHECK int ga_db_release(struct ga_db *db, struct ga_err *err);	/* keeps it */
void ga_db_rollback_to(struct ga_db *db);			/* undoes and ends it */

/*
 * Statements. They are cached by the address of their text: sql must be a string literal.
 * Parameters are ?1, ?2, …; types, a literal too, has a letter for each argument. An argument that
 * does not fit its letter, one too many or one too few does not compile (letters.h):
 *
 *   s text, const char *: NULL is NULL   i int64_t: GA_UNKNOWN is NULL   b bool, or int as a truth
 *
 * After those, in ga_db_one and ga_db_get alone, follow capitals for the columns of the row, in
 * their order from the first:
 *
 *   S char **: allocated, NULL for NULL  I int64_t *: GA_UNKNOWN for NULL  B bool *: NULL is false
 *
 * A violated constraint or trigger is GA_CONFLICT with the database's sentence and, where the
 * sentence begins with a word and a colon ("sold_once: …"), that word as the reason.
 *
 *   ga_db_change   a statement whose number of rows does not matter: 0 or -1
 *   ga_db_exec     the number of rows it changed, or -1
 *   ga_db_one      the first row: 1 with the columns of the capitals, 0 when there is no row, -1;
 *                  at 0 and -1 the variables stay as they were. The old text of a char ** is not
 *                  freed. Without capitals it only reports whether there is a row.
 *   ga_db_get      the same where it does not matter whether there is a row: 0 or -1
 *   ga_db_has      sets a bool: whether there is a row; 0 or -1
 *   ga_db_texts    the first column of every row, added to a struct ga_texts: 0 or -1. A row whose
 *                  first column is NULL adds nothing; at -1 the list has the rows read so far.
 *   ga_db_query    the rows, for ga_rows_next
 *
 *	r = ga_db_one(db, err, "SELECT state, generation FROM slot WHERE id = ?1", "sSI", id,
 *		      &state, &generation);
 */
#define ga_db_change(db, err, sql, types, ...)                                                     \
	(GA_DB_LETTERS(types, ##__VA_ARGS__),                                                      \
	 ga_db_change_by(db, err, sql, types, ##__VA_ARGS__))
#define ga_db_exec(db, err, sql, types, ...)                                                       \
	(GA_DB_LETTERS(types, ##__VA_ARGS__), ga_db_exec_by(db, err, sql, types, ##__VA_ARGS__))
#define ga_db_one(db, err, sql, types, ...)                                                        \
	(GA_DB_COLUMNS(types, ##__VA_ARGS__), ga_db_one_by(db, err, sql, types, ##__VA_ARGS__))
#define ga_db_get(db, err, sql, types, ...)                                                        \
	(GA_DB_COLUMNS(types, ##__VA_ARGS__), ga_db_get_by(db, err, sql, types, ##__VA_ARGS__))
#define ga_db_has(db, ret, err, sql, types, ...)                                                   \
	(GA_DB_LETTERS(types, ##__VA_ARGS__),                                                      \
	 ga_db_has_by(db, ret, err, sql, types, ##__VA_ARGS__))
#define ga_db_texts(db, ret, err, sql, types, ...)                                                 \
	(GA_DB_LETTERS(types, ##__VA_ARGS__),                                                      \
	 ga_db_texts_by(db, ret, err, sql, types, ##__VA_ARGS__))
#define ga_db_query(db, ret, err, sql, types, ...)                                                 \
	(GA_DB_LETTERS(types, ##__VA_ARGS__),                                                      \
	 ga_db_query_by(db, ret, err, sql, types, ##__VA_ARGS__))

/* The same, unchecked: for letters that come from a table, and for more than 28 of them. */
GA_MUST_CHECK int ga_db_change_by(struct ga_db *db, struct ga_err *err, const char *sql,
				  const char *types, ...);
GA_MUST_CHECK int ga_db_exec_by(struct ga_db *db, struct ga_err *err, const char *sql,
				const char *types, ...);
GA_MUST_CHECK int ga_db_one_by(struct ga_db *db, struct ga_err *err, const char *sql,
			       const char *types, ...);
GA_MUST_CHECK int ga_db_get_by(struct ga_db *db, struct ga_err *err, const char *sql,
			       const char *types, ...);
GA_MUST_CHECK int ga_db_has_by(struct ga_db *db, bool *ret, struct ga_err *err, const char *sql,
			       const char *types, ...);
GA_MUST_CHECK int ga_db_texts_by(struct ga_db *db, struct ga_texts *ret, struct ga_err *err,
				 const char *sql, const char *types, ...);
GA_MUST_CHECK int ga_db_query_by(struct ga_db *db, struct ga_rows **ret, struct ga_err *err,
				 const char *sql, const char *types, ...);

GA_MUST_CHECK int ga_rows_next(struct ga_rows *rows, struct ga_err *err); /* 1 row, 0 end, -1 */
const char *ga_rows_text(const struct ga_rows *rows, int column); /* valid until the next step */
char *ga_rows_dup(const struct ga_rows *rows, int column);	  /* allocated, NULL for NULL */
int64_t ga_rows_int(const struct ga_rows *rows, int column);	  /* GA_UNKNOWN for NULL */
bool ga_rows_bool(const struct ga_rows *rows, int column);	  /* NULL is false */
void ga_rows_close(struct ga_rows *rows);
void ga_cleanup_rows(struct ga_rows **rows);
#define ga_autorows ga_cleanup(ga_cleanup_rows)

/* Facts of the file. */
bool ga_db_is_lab(const struct ga_db *db);
int64_t ga_db_epoch(const struct ga_db *db);
const char *ga_db_path(const struct ga_db *db);
int64_t ga_db_schema_version(const struct ga_db *db);
/* A number that changes with every commit of another connection; its value means nothing else. */
GA_MUST_CHECK int ga_db_version(struct ga_db *db, int64_t *ret, struct ga_err *err);

/* Sets how many KiB of read pages stay in memory; the default is 2000. */
#define GA_DB_KEEP_MUCH 65536 /* for a query that reads much of a large state in no order */
#define GA_DB_KEEP_LITTLE 64  /* for a query that reads tables once, from one end to the other */
GA_MUST_CHECK int ga_db_keep_pages(struct ga_db *db, int kib, struct ga_err *err);

/* A known defect of the SQLite in use, as a sentence; NULL when there is none. */
const char *ga_db_engine_warning(void);

/* A consistent copy by the backup interface, checked, fsynced and renamed into place. */
GA_MUST_CHECK int ga_db_backup(struct ga_db *db, const char *to, struct ga_err *err);
/*
 * The steps of a restore. ga_db_copy makes `to` a copy of the state file `from`, whose schema may
 * be older: open the copy with GA_DB_CREATE. ga_db_replace puts `with` (closed) at path, where
 * programs may have the old file open: the old file goes to `kept` with its WAL (kept NULL: there
 * is no old file), and those programs are refused at their next transaction. The caller holds the
 * writer lock of path. After an interruption, path is either missing or a complete file.
 */
GA_MUST_CHECK int ga_db_copy(const char *from, const char *to, struct ga_err *err);
GA_MUST_CHECK int ga_db_replace(const char *path, const char *with, const char *kept,
				struct ga_err *err);
/* Removes a state file with all files that SQLite and the writers' queue put beside it. */
void ga_db_remove(const char *path);
/* Calls each with every table and index that is missing or differs from the state's migrations. */
GA_MUST_CHECK int ga_db_schema(struct ga_db *db, int (*each)(const char *name, const char *sentence,
			       void *arg), void *arg, struct ga_err *err);
/* PRAGMA integrity_check, and foreign_key_check of all tables but slot_cpu, whose keys a rule of
 * lib/state/recovery/check_rules.h checks; calls each with every finding. */
GA_MUST_CHECK int ga_db_integrity(struct ga_db *db, int (*each)(const char *finding, void *arg),
				  void *arg, struct ga_err *err);

#endif
