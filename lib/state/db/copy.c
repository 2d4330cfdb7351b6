/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of the state file: a backup, and the steps of a restore (db.h). A restore renames files
 * and never writes into the present file: that file may be damaged, and is kept as it is. No file
 * of the old state may stay beside the new file: SQLite would replay its WAL, or trust its index of
 * the WAL.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "state/db/internal.h"

#define STATE_ID 0x47505541 /* GPUA */
#define NAME_A_BACKUP "name a file that 'gpuaas-state backup' made"

static void remove_beside(const char *path, const char *suffix)
{
	ga_autofree char *name = ga_xprintf("%s%s", path, suffix);

	unlink(name);
}

void ga_db_remove(const char *path)
{
	static const char *const beside[] = { "",      "-wal",  "-shm",	  "-journal",
					      ".gate", ".lock", ".notify" };

	for (size_t i = 0; i < GA_ARRAY_SIZE(beside); i++)
		remove_beside(path, beside[i]);
}

/* ---- copying ---- */

static int pragma_is(sqlite3 *db, const char *pragma, sqlite3_int64 least, sqlite3_int64 most)
{
	sqlite3_stmt *stmt = NULL;
	sqlite3_int64 value = -1;

	if (sqlite3_prepare_v2(db, pragma, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value >= least && value <= most;
}

/* path: the file that errors name. */
static int copy_pages(sqlite3 *from, sqlite3 *to, const char *path, struct ga_err *err)
{
	sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
	int rc;

	if (!backup)
		return ga_fail(err, GA_SYSTEM, "copying '%s' failed: %s", path, sqlite3_errmsg(to));
	rc = sqlite3_backup_step(backup, -1);
	sqlite3_backup_finish(backup);
	return rc == SQLITE_DONE ? 0 : ga_fail(err, GA_SYSTEM, "copying '%s' failed: %s", path,
					       sqlite3_errstr(rc));
}

int ga_db_copy(const char *from, const char *to, struct ga_err *err)
{
	ga_autofree char *dir = ga_file_folder(to);
	ga_autofd int fd = -1;
	sqlite3 *in = NULL, *out = NULL;
	struct stat st;
	int r = -1;

	if (access(from, R_OK) < 0)
		return ga_fail_for(err, errno == ENOENT ? GA_NOTFOUND : GA_DENIED, "no_backup",
				   "cannot read '%s': %s", from, strerror(errno));
	/* SQLite would wait for ever for the other end of a pipe. */
	if (stat(from, &st) == 0 && !S_ISREG(st.st_mode))
		return ga_refuse(err, GA_CONFLICT, "foreign_file", NULL,
				 ("'%s' is no file with a state", from), (NAME_A_BACKUP));
	ga_db_remove(to);
	fd = ga_file_open_like(to, dir, err);
	if (fd < 0)
		return -1;
	if (sqlite3_open_v2(from, &in, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		r = ga_fail(err, GA_SYSTEM, "opening '%s' failed: %s", from, sqlite3_errmsg(in));
	else if (sqlite3_open_v2(to, &out, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		r = ga_fail(err, GA_SYSTEM, "opening '%s' failed: %s", to, sqlite3_errmsg(out));
	else if (!pragma_is(in, "PRAGMA application_id", STATE_ID, STATE_ID) ||
		 !pragma_is(in, "PRAGMA user_version", 1, INT32_MAX))
		r = ga_refuse(err, GA_CONFLICT, "foreign_file", NULL,
			      ("'%s' is not a state of gpuaas, or cannot be read: %s", from,
			       sqlite3_errmsg(in)),
			      (NAME_A_BACKUP));
	else
		r = copy_pages(in, out, from, err);
	sqlite3_close(in);
	sqlite3_close(out);
	if (r < 0)
		ga_db_remove(to);
	return r;
}

/* ---- putting it in place ---- */

/* The file goes first: without it every program reports that there is no state. */
static int keep_old(const char *path, const char *kept, struct ga_err *err)
{
	ga_autofree char *wal = ga_xprintf("%s-wal", path), *kept_wal = ga_xprintf("%s-wal", kept);
	ga_autofree char *shm = ga_xprintf("%s-shm", path);

	if (access(kept, F_OK) == 0 || access(kept_wal, F_OK) == 0)
		return ga_fail_for(err, GA_CONFLICT, "exists", "'%s' is there already", kept);
	if (rename(path, kept) < 0)
		return ga_fail_sys(err, "keeping '%s' as '%s' failed", path, kept);
	if (rename(wal, kept_wal) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "keeping '%s' as '%s' failed", wal, kept_wal);
	if (unlink(shm) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "removing '%s' failed", shm);
	return 0;
}

/* The new file could not be put in place: the old one is restored as it was, its WAL first. */
static void put_back(const char *path, const char *kept)
{
	ga_autofree char *wal = ga_xprintf("%s-wal", path), *kept_wal = ga_xprintf("%s-wal", kept);

	if (rename(kept_wal, wal) == 0 || errno == ENOENT)
		(void)!rename(kept, path);
}

int ga_db_replace(const char *path, const char *with, const char *kept, struct ga_err *err)
{
	ga_autofree char *wal = ga_xprintf("%s-wal", with);
	ga_autofd int fd = open(with, O_RDONLY | O_CLOEXEC);

	if (access(wal, F_OK) == 0)
		return ga_fail(err, GA_SYSTEM, "'%s' has a WAL of its own still", with);
	if (fd < 0 || fsync(fd) < 0)
		return ga_fail_sys(err, "fsync of '%s' failed", with);
	/* Each step is on the disk before the next one: the new file is never beside the
	 * old WAL. */
	if (kept && (keep_old(path, kept, err) < 0 || ga_file_sync_dir(path, err) < 0)) {
		if (access(path, F_OK) < 0)
			put_back(path, kept);
		return -1;
	}
	if (!kept) {
		remove_beside(path, "-wal");
		remove_beside(path, "-shm");
	}
	if (rename(with, path) < 0) {
		ga_err_set_sys(err, "putting '%s' in place failed", path);
		if (kept)
			put_back(path, kept);
		return -1;
	}
	return ga_file_sync_dir(path, err);
}

/* ---- a backup ---- */

static int check_copy(sqlite3 *copy, const char *path, struct ga_err *err)
{
	sqlite3_stmt *stmt = NULL;
	bool good = sqlite3_prepare_v2(copy, "PRAGMA quick_check", -1, &stmt, NULL) == SQLITE_OK &&
		    sqlite3_step(stmt) == SQLITE_ROW &&
		    ga_streq((const char *)sqlite3_column_text(stmt, 0), "ok");

	sqlite3_finalize(stmt);
	return good ? 0 : ga_fail_for(err, GA_SYSTEM, "corrupt", "the copy '%s' is damaged", path);
}

/* Makes it one file without a WAL, so that it can be copied by itself. */
static int drop_wal(sqlite3 *copy, const char *path, struct ga_err *err)
{
	int rc = sqlite3_exec(copy, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : ga_fail(err, GA_SYSTEM, "backup to '%s' failed: %s", path,
					     sqlite3_errmsg(copy));
}

/* fsync of the file, its rename, fsync of its folder. */
static int put_in_place(const char *temporary, const char *to, struct ga_err *err)
{
	ga_autofd int fd = open(temporary, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0 || rename(temporary, to) < 0)
		return ga_fail_sys(err, "putting '%s' in place failed", to);
	return ga_file_sync_dir(to, err);
}

int ga_db_backup(struct ga_db *db, const char *to, struct ga_err *err)
{
	ga_autofree char *temporary = ga_xprintf("%s.part", to);
	ga_autofd int fd = -1;
	sqlite3 *copy = NULL;
	int r;

	if (ga_file_may_replace(to, ga_db_path(db), err) < 0)
		return -1;
	fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return ga_fail_sys(err, "making '%s' failed", temporary);
	if (sqlite3_open_v2(temporary, &copy, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		r = ga_fail(err, GA_SYSTEM, "opening '%s' failed: %s", temporary,
			    sqlite3_errmsg(copy));
	else if ((r = copy_pages(db->sqlite, copy, to, err)) == 0 &&
		 (r = drop_wal(copy, to, err)) == 0)
		r = check_copy(copy, to, err);
	sqlite3_close(copy);
	if (r == 0)
		r = put_in_place(temporary, to, err);
	if (r < 0)
		unlink(temporary);
	return r;
}
