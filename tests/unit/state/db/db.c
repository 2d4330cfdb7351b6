/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state/db/db.h: accepted and refused files, statements, transactions and savepoints, errors of
 * constraints, backups. The test replaces statfs(2) to simulate a network file system.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "base/embed.h"
#include "record/schema.h"
#include "world.h"

static long played_type;

/* Stands before libc's. */
int statfs(const char *path, struct statfs *buf)
{
	long r = syscall(SYS_statfs, path, buf);

	if (r == 0 && played_type)
		buf->f_type = played_type;
	return (int)r;
}

static struct ga_err err;

static int try_open(enum ga_db_mode mode)
{
	ga_autodb struct ga_db *db = NULL;

	ga_err_clear(&err);
	return ga_db_open(w_path, GA_DB_STATE, mode, &db, &err);
}

static void raw(const char *sql)
{
	sqlite3 *db = NULL;

	if (sqlite3_open(w_path, &db) != SQLITE_OK)
		exit(1);
	w_must(db, sql);
	sqlite3_close(db);
}

static void files(void)
{
	static const struct {
		const char *sql, *reason;
	} headers[] = {
		{ "PRAGMA user_version=99", "newer_state" },
		{ "PRAGMA user_version=0", "older_state" },
		{ "PRAGMA application_id=1", "foreign_file" },
		{ "PRAGMA application_id=0x47505548", "foreign_file" }, /* a host.db */
	};
	static const long types[] = { NFS_SUPER_MAGIC, (long)CIFS_SUPER_MAGIC,
				      (long)SMB2_SUPER_MAGIC, FUSE_SUPER_MAGIC, V9FS_MAGIC };
	char whole[96];
	struct stat st;
	size_t i;

	for (i = 0; ga_state_migrations[i].name; i++)
		;
	snprintf(whole, sizeof(whole), "PRAGMA user_version=%zu; PRAGMA application_id=0x47505541",
		 i);
	t_ok(stat(w_path, &st) == 0 && (st.st_mode & 0777) == 0600, "the file is 0600");
	t_int(try_open(GA_DB_READ), 0, "opens to read");
	t_int(try_open(GA_DB_WRITE), 0, "opens to write");
	for (i = 0; i < GA_ARRAY_SIZE(headers); i++) {
		raw(headers[i].sql);
		t_ok(try_open(GA_DB_WRITE) < 0 && ga_streq(err.reason, headers[i].reason),
		     "%s is %s", headers[i].sql, headers[i].reason);
		t_ok(err.code == GA_CONFLICT && err.hint[0], "and says what to do");
		raw(whole);
	}
	for (i = 0; i < GA_ARRAY_SIZE(types); i++) {
		played_type = types[i];
		t_ok(try_open(GA_DB_READ) < 0 && ga_streq(err.reason, "network_filesystem"),
		     "file system %lx is refused", types[i]);
	}
	played_type = 0;
	t_int(try_open(GA_DB_READ), 0, "and opens again on a local one");
}

static void strange_files(void)
{
	ga_autodb struct ga_db *db = NULL;
	ga_autofree char *other = ga_xprintf("%s/other.db", w_dir);
	int fd = open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	t_int(ga_db_open(other, GA_DB_STATE, GA_DB_READ, &db, &err), -1, "an empty file");
	t_str(err.reason, "unfinished", "is one whose making was interrupted");
	ga_err_clear(&err);
	t_int(ga_db_init(other, false, &db, &err), 0, "and init finishes it");
	ga_db_close(GA_TAKE(db));
	t_ok(ga_db_init(other, false, &db, &err) < 0 && ga_streq(err.reason, "exists"),
	     "but never a second time");
	if (ftruncate(fd, 0) < 0 ||
	    pwrite(fd, "this is not a database, it is a letter\n", 39, 0) < 0)
		exit(1);
	close(fd);
	ga_err_clear(&err);
	t_ok(ga_db_open(other, GA_DB_STATE, GA_DB_READ, &db, &err) < 0 &&
	     ga_streq(err.reason, "foreign_file"), "a letter is foreign");
	ga_err_clear(&err);
	t_ok(ga_db_init(other, false, &db, &err) < 0 && ga_streq(err.reason, "exists"),
	     "and init leaves it alone");
	unlink(other);
	ga_err_clear(&err);
	t_code(ga_db_open(other, GA_DB_STATE, GA_DB_WRITE, &db, &err), &err, GA_NOTFOUND,
	       "no state", "no file is not found");
	t_ok(access(other, F_OK) < 0, "and none is made");
}

/* One row and one column without a loop: what there is, what there is not, and what is NULL. */
static void one_and_texts(struct ga_db *db)
{
	static const char values[] = "SELECT column1 FROM (VALUES (?1), (NULL), (?2)) v";
	static const char row[] = "SELECT ?1, ?2, ?3, NULL, NULL, NULL WHERE ?2 > 0";
	ga_autofree char *text = NULL, *text_got = NULL;
	ga_autotexts struct ga_texts texts = { 0 };
	char *no_text = (char *)db;
	int64_t n = 0, no_n = 0, old = 0, new = 0;
	bool yes = false, no = true;

	ga_err_clear(&err);
	t_int(ga_db_one(db, &err, row, "sibSIBSIB", "a", (int64_t)7, true, &text, &n, &yes,
			&no_text, &no_n, &no), 1, "a row");
	t_ok(ga_streq(text, "a") && n == 7 && yes, "its values");
	t_ok(!no_text && no_n == GA_UNKNOWN && !no, "its NULLs");
	t_int(ga_db_one(db, &err, row, "sibSI", "b", (int64_t)0, true, &no_text, &no_n), 0,
	      "no row");
	t_ok(!no_text && no_n == GA_UNKNOWN, "and nothing is touched");
	t_int(ga_db_one(db, &err, row, "sib", "b", (int64_t)1, true), 1, "is there a row: yes");
	t_int(ga_db_one(db, &err, row, "sib", "b", GA_UNKNOWN, true), 0, "no");
	t_int(ga_db_get(db, &err, row, "sibSI", "c", (int64_t)5, true, &text_got, &n), 0,
	      "a row, where none would do");
	t_ok(ga_streq(text_got, "c") && n == 5, "its values");
	t_int(ga_db_get(db, &err, row, "sibSI", "d", (int64_t)0, true, &text_got, &n), 0,
	      "none will do");
	t_ok(ga_streq(text_got, "c") && n == 5, "and nothing is touched");
	t_ok(ga_db_has(db, &yes, &err, row, "sib", "e", (int64_t)0, true) == 0 && !yes,
	     "has no row");
	t_ok(ga_db_has(db, &yes, &err, row, "sib", "e", (int64_t)1, true) == 0 && yes, "has one");
	t_code(ga_db_one(db, &err, "SELECT 1 FROM nothing", ""), &err, GA_SYSTEM, NULL,
	       "a statement that is none");
	ga_err_clear(&err);
	t_code(ga_db_get(db, &err, "SELECT 2 FROM nothing", ""), &err, GA_SYSTEM, NULL,
	       "nor to get");
	ga_err_clear(&err);
	t_code(ga_db_has(db, &yes, &err, "SELECT 3 FROM nothing", ""), &err, GA_SYSTEM, NULL,
	       "nor to have");
	ga_err_clear(&err);
	t_int(ga_db_texts(db, &texts, &err, values, "ss", "one", "two"), 0, "a list");
	t_ok(texts.n == 2 && ga_streq(texts.v[0], "one") && ga_streq(texts.v[1], "two"),
	     "has what is not NULL");
	t_int(ga_db_texts(db, &texts, &err, values, "ss", NULL, "three"), 0, "more of it");
	t_ok(texts.n == 3 && ga_streq(texts.v[2], "three"), "is added");
	t_int(ga_db_change(db, &err, "UPDATE node SET name = name", ""), 0, "a change is 0");
	t_int(ga_db_change(db, &err, "UPDATE nothing SET name = name", ""), -1, "or refused");
	ga_err_clear(&err);
	t_int(ga_db_version(db, &old, &err), 0, "the version");
	raw("CREATE TABLE passing (x); DROP TABLE passing");
	t_ok(ga_db_version(db, &new, &err) == 0 && new != old, "moves with another's commit");
}

static void statements(struct ga_db *db)
{
	static const char one_sql[] = "SELECT ?1, ?2, ?3, ?4";
	ga_autorows struct ga_rows *a = NULL, *b = NULL;
	char text[8] = "x";

	t_int(ga_db_query(db, &a, &err, one_sql, "siib", text, (int64_t)7, GA_UNKNOWN, 5), 0,
	      "a query");
	text[0] = 'y';
	t_int(ga_rows_next(a, &err), 1, "has a row");
	t_str(ga_rows_text(a, 0), "x", "the text as it was when it was bound");
	t_int(ga_rows_int(a, 1), 7, "a number");
	t_int(ga_rows_int(a, 2), GA_UNKNOWN, "an unknown number is NULL and back");
	t_int(ga_rows_bool(a, 3), 1, "a truth");
	t_int(ga_db_query(db, &b, &err, one_sql, "siib", NULL, (int64_t)8, GA_UNKNOWN, 0), 0,
	      "the same statement while it is read");
	t_int(ga_rows_next(b, &err), 1, "has its own row");
	t_str(ga_rows_text(b, 0), NULL, "NULL is NULL");
	t_int(ga_rows_int(a, 1), 7, "and the first is as it was");
	t_int(ga_rows_next(a, &err), 0, "no further row");
	t_code(ga_db_change(db, &err, "SELECT ?1, ?2, ?3", "ss", "a", "b"), &err, GA_SYSTEM,
	       "3 parameters and got 2", "a parameter without its letter");
	ga_err_clear(&err);
	t_code(ga_db_change(db, &err, "SELECT ?1", "ss", "a", "b"), &err, GA_SYSTEM, NULL,
	       "a letter without its parameter");
	ga_err_clear(&err);
}

static void transactions(struct ga_db *db)
{
	ga_autodb struct ga_db *reader = NULL;
	int64_t n = 0;
	ga_autorows struct ga_rows *rows = NULL;

	t_int(ga_db_begin(db, "test", &err), 0, "begin");
	t_ok(ga_db_in_transaction(db), "is in a transaction");
	t_int(ga_db_exec(db, &err, "INSERT INTO node (id, since) VALUES ('a', 'x')", ""), 1,
	      "one row is changed");
	t_int(ga_db_savepoint(db, &err), 0, "a part");
	t_int(ga_db_exec(db, &err, "INSERT INTO node (id, since) VALUES ('b', 'x')", ""), 1,
	      "with a row");
	t_int(ga_db_savepoint(db, &err), 0, "a part of the part");
	t_int(ga_db_exec(db, &err, "INSERT INTO node (id, since) VALUES ('c', 'x')", ""), 1,
	      "with another");
	t_int(ga_db_release(db, &err), 0, "is kept");
	ga_db_rollback_to(db);
	t_ok(ga_db_exec(db, &err, "UPDATE node SET state = 'retired' WHERE id = 'a'", "") < 0,
	     "a refused change");
	t_str(err.reason, "concurrent_update", "has the word of the trigger");
	t_ok(err.code == GA_CONFLICT && !strstr(err.msg, "concurrent_update"),
	     "and its sentence without the word");
	ga_err_clear(&err);
	t_int(ga_db_commit(db, &err), 0, "and leaves the rest to be committed");
	t_int(ga_db_open(w_path, GA_DB_STATE, GA_DB_READ, &reader, &err), 0, "another reads");
	t_int(ga_db_begin(reader, "test", &err), -1, "it may not write");
	ga_err_clear(&err);
	t_ok(ga_db_exec(reader, &err, "INSERT INTO node (id, since) VALUES ('z', 'x')", "") < 0 &&
	     ga_streq(err.reason, "read_only"), "not even without a transaction");
	ga_err_clear(&err);
	t_int(ga_db_query(reader, &rows, &err,
			  "SELECT count(*) FROM node WHERE id IN ('a', 'b', 'c')", ""),
	      0, "it sees");
	if (ga_rows_next(rows, &err) > 0)
		n = ga_rows_int(rows, 0);
	t_int(n, 1, "what was committed, without the part that was undone");
	ga_db_rollback(db);
	t_ok(!ga_db_in_transaction(db), "a rollback of nothing is harmless");
}

static size_t descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static void leave_one(struct ga_db *db, bool with_wal, size_t *files)
{
	ga_autodb_leave struct ga_db *reader = NULL;
	int64_t busy = -1;

	t_ok(ga_db_open(w_path, GA_DB_STATE, GA_DB_READ, &reader, &err) == 0 &&
		     ga_db_begin_read(reader, &err) == 0,
	     "a reader that will be left");
	*files = descriptors();
	if (with_wal)
		t_ok(ga_db_exec(db, &err,
				"UPDATE node SET cordon_reason = hex(randomblob(8)), "
				"generation = generation + 1 WHERE id = 'a'", "") == 1 &&
			     ga_db_one(db, &err, "PRAGMA wal_checkpoint(TRUNCATE)", "I",
				       &busy) > 0 &&
			     busy == 1,
		     "keeps the WAL as it is while it reads");
}

/* One that was left reads no longer, and only the last of them stays. */
static void leaving(struct ga_db *db)
{
	size_t one = 0, many = descriptors(), i;
	int64_t busy = -1, millis;
	int changed = 0;

	ga_err_clear(&err);
	t_ok(ga_db_one(db, &err, "PRAGMA busy_timeout=0", "I", &millis) > 0, "it does not wait");
	for (i = 0; i < 100; i++)
		changed += ga_db_exec(db, &err,
				      "UPDATE node SET cordon_reason = hex(randomblob(4000)), "
				      "generation = generation + 1 WHERE id = 'a'", "");
	t_int(changed, 100, "a long WAL");
	leave_one(db, false, &one);
	/* SQLite keeps one, as long as another connection here has locks of the file. */
	t_int((int64_t)descriptors(), (int64_t)many + 1, "with a long WAL none is left");
	t_ok(ga_db_one(db, &err, "PRAGMA wal_checkpoint(TRUNCATE)", "I", &busy) > 0 && !busy,
	     "its WAL is taken over");
	leave_one(db, true, &one);
	t_ok(ga_db_one(db, &err, "PRAGMA wal_checkpoint(TRUNCATE)", "I", &busy) > 0 && !busy,
	     "and lets it go when it is left");
	for (i = 0; i < 5; i++)
		leave_one(db, false, &many);
	t_int((int64_t)many, (int64_t)one + 2, "beside it one that was left is open, not five");
	t_ok(ga_db_one(db, &err, "PRAGMA busy_timeout=5000", "I", &millis) > 0, "it waits again");
}

static void sentences(struct ga_db *db)
{
	static const struct {
		const char *sql, *reason;
	} cases[] = {
		{ "INSERT INTO node (id) VALUES ('q')", "check" },
		{ "INSERT INTO node (id, since, mode) VALUES ('q', 'x', 'odd')", "check" },
		{ "INSERT INTO task (object, phase, state, started_at) VALUES ('o', 'p', 'odd', "
		  "'x')",
		  "check" },
		{ "INSERT INTO candidate VALUES ('nobody', 1, 'x', '{}', NULL)", "foreign_key" },
		{ "INSERT INTO node_image VALUES ('a', 'none', 'd', 'p', 'x')", "foreign_key" },
		{ "DELETE FROM audit", "kept" },
		{ "DELETE FROM node", "kept" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_err_clear(&err);
		t_ok(ga_db_exec(db, &err, cases[i].sql, "") < 0 && err.code == GA_CONFLICT &&
			     ga_streq(err.reason, cases[i].reason),
		     "%s is %s", cases[i].sql, cases[i].reason);
		if (!ga_streq(err.reason, cases[i].reason))
			printf("# %s: %s\n", err.reason, err.msg);
	}
}

static void copies(struct ga_db *db)
{
	ga_autofree char *to = ga_xprintf("%s/copy.db", w_dir), *bad = ga_xprintf("%s/no/c", w_dir);
	ga_autodb struct ga_db *copy = NULL;
	struct stat st;

	ga_err_clear(&err);
	t_int(ga_db_backup(db, to, &err), 0, "a backup");
	t_ok(stat(to, &st) == 0 && (st.st_mode & 0777) == 0600, "is 0600");
	t_int(ga_db_open(to, GA_DB_STATE, GA_DB_READ, &copy, &err), 0, "and opens");
	t_ok(ga_db_is_lab(copy) && ga_db_epoch(copy) == 1, "with what the file was");
	t_int(ga_db_backup(db, bad, &err), -1, "a backup to nowhere fails");
	ga_db_close(GA_TAKE(copy));
	unlink(to);
}

/* A writer that is alone leaves neither WAL nor shared memory behind. */
static void closing(void)
{
	ga_autofree char *wal = ga_xprintf("%s-wal", w_path);
	ga_autodb struct ga_db *a = NULL;
	struct stat st;
	int i, r = 0;

	ga_err_clear(&err);
	r = ga_db_open(w_path, GA_DB_STATE, GA_DB_WRITE, &a, &err);
	for (i = 0; i < 500 && r >= 0; i++) {
		r = ga_db_begin(a, "test", &err);
		if (r == 0)
			r = ga_db_exec(a, &err,
				       "UPDATE node SET cordon_reason = hex(zeroblob(4000)), "
				       "generation = generation + 1 WHERE id = 'a'",
				       "");
		if (r >= 0)
			r = ga_db_commit(a, &err);
	}
	t_ok(r == 0, "500 commits of 8 kB");
	t_ok(stat(wal, &st) == 0 && st.st_size < 6 * 1024 * 1024, "do not let the WAL grow");
	ga_db_close(GA_TAKE(a));
	t_ok(stat(wal, &st) < 0, "the last to close takes the WAL away");
}

int main(void)
{
	sqlite3 *db = w_open();
	ga_autodb struct ga_db *own = NULL;

	sqlite3_close(db);
	files();
	strange_files();
	if (ga_db_open(w_path, GA_DB_STATE, GA_DB_WRITE, &own, &err) < 0)
		return 1;
	one_and_texts(own);
	statements(own);
	transactions(own);
	sentences(own);
	copies(own);
	ga_db_close(GA_TAKE(own));
	closing();
	if (ga_db_open(w_path, GA_DB_STATE, GA_DB_WRITE, &own, &err) < 0)
		return 1;
	leaving(own);
	w_close(NULL);
	return t_done();
}
