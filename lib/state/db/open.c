/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, making and migrating the two database files of db.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/quote.h"
#include "record/time.h"
#include "record/who.h"
#include "state/db/audit.h"
#include "state/db/fsm.h"
#include "state/db/internal.h"
#include "state/db/invariant.h"

#define WAL_SHORT (256 << 10) /* bytes that cost a query almost nothing */
#define BUSY_MILLIS 5000 /* for tools outside the writers' queue; our own writers queue */

static const struct {
	const char *what;
	int64_t application_id;
	const struct ga_migration *migrations;
} files[] = {
	[GA_DB_STATE] = { "state", 0x47505541 /* GPUA */, ga_state_migrations },
	[GA_DB_HOST] = { "host database", 0x47505548 /* GPUH */, ga_host_migrations },
};

/* statfs(2) types of file systems on which SQLite's locks or its shared memory do not work. */
static const struct {
	unsigned int type;
	const char *name;
} network_types[] = {
	{ NFS_SUPER_MAGIC, "NFS" },   { CIFS_SUPER_MAGIC, "CIFS" }, { SMB2_SUPER_MAGIC, "SMB" },
	{ SMB_SUPER_MAGIC, "SMB" },   { FUSE_SUPER_MAGIC, "FUSE" }, { V9FS_MAGIC, "9p" },
	{ CEPH_SUPER_MAGIC, "Ceph" }, { AFS_SUPER_MAGIC, "AFS" },   { CODA_SUPER_MAGIC, "Coda" },
	{ 0x0bd00bd0, "Lustre" },     { 0x47504653, "GPFS" },	    { 0x01161970, "GFS2" },
};

static int64_t newest(enum ga_db_file file)
{
	int64_t n = 0;

	while (files[file].migrations[n].name)
		n++;
	return n;
}

int ga_db_fail_version(const struct ga_db *db, int64_t version, struct ga_err *err)
{
	if (version > newest(db->file))
		return ga_refuse(err, GA_CONFLICT, "newer_state", NULL,
				 ("%s '%s' has schema %lld, and this program knows %lld at most",
				  files[db->file].what, db->path, (long long)version,
				  (long long)newest(db->file)),
				 ("use the newer gpuaas that wrote it"));
	return ga_refuse(err, GA_CONFLICT, "older_state", NULL,
			 ("%s '%s' has schema %lld, and this program needs %lld",
			  files[db->file].what, db->path, (long long)version,
			  (long long)newest(db->file)),
			 (db->file == GA_DB_HOST ?
				  "the next program that works on this host migrates it: "
				  "gpuaas-wipe --pending" :
				  "make a backup, then run 'gpuaas-state migrate'"));
}

static int fail_foreign(const char *path, enum ga_db_file file, struct ga_err *err)
{
	return ga_refuse(err, GA_CONFLICT, "foreign_file", NULL,
			 ("'%s' is not a %s of gpuaas", path, files[file].what),
			 ("check --state, GPUAAS_STATE and /etc/gpuaas/gpuaas.conf"));
}

int ga_db_fail_foreign(const struct ga_db *db, struct ga_err *err)
{
	return fail_foreign(db->path, db->file, err);
}

static int refuse_network(const char *path, struct ga_err *err)
{
	struct statfs fs;
	size_t i;

	if (statfs(path, &fs) < 0)
		return ga_fail_sys(err, "looking at '%s' failed", path);
	for (i = 0; i < GA_ARRAY_SIZE(network_types); i++) {
		if ((unsigned int)fs.f_type != network_types[i].type)
			continue;
		return ga_refuse(err, GA_HOST, "network_filesystem", NULL,
				 ("'%s' is on %s, where locks between programs do not hold", path,
				  network_types[i].name),
				 ("keep it on a local file system of one machine"));
	}
	return 0;
}

/* Owner and group are those of its folder, as of all files that SQLite and the writers'
 * queue make. */
static int make_file(const char *path, enum ga_db_file file, struct ga_err *err)
{
	ga_autofree char *dir = ga_file_folder(path);
	ga_autofd int fd = -1;
	struct stat st;

	if (refuse_network(dir, err) < 0)
		return -1;
	/* Not opened beside SQLite: closing it would release the locks that SQLite may have
	 * on it. */
	if (lstat(path, &st) == 0 && !S_ISLNK(st.st_mode))
		return S_ISREG(st.st_mode) ? 0 : fail_foreign(path, file, err);
	fd = ga_file_open_like(path, dir, err);
	return fd < 0 ? -1 : 0;
}

/* The file that an interrupted restore took from this path last (ga_db_replace), or NULL. */
static char *taken_by_restore(const char *path)
{
	const char *slash = strrchr(path, '/');
	ga_autofree char *folder = slash ? ga_xprintf("%.*s", (int)(slash - path + 1), path) :
					   ga_xstrdup("./");
	ga_autofree char *prefix = ga_xprintf("%s.replaced-", slash ? slash + 1 : path);
	ga_autodir DIR *dir = opendir(folder);
	char *last = NULL;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (ga_starts(e->d_name, prefix) && !strstr(e->d_name + strlen(prefix), "-wal") &&
		    (!last || strcmp(e->d_name, last) > 0)) {
			free(last);
			last = ga_xstrdup(e->d_name);
		}
	return last;
}

/* A state that a restore took from its place is no missing one: a new one in its place would know
 * nothing of what is sold. */
static int fail_taken(const char *path, const char *taken, enum ga_code code, struct ga_err *err)
{
	return ga_refuse(err, code, "restore_interrupted", NULL,
			 ("there is no state at '%s', and '%s' beside it is the state that a "
			  "restore replaced", path, taken),
			 ("run gpuaas-state restore again; or put '%s' and its -wal file back, or "
			  "elsewhere to begin a new state", taken));
}

/* The file, or the nearest folder of it that this user can look at, denied it: its owner can help.
 * --state stands in the command because sudo drops GPUAAS_STATE. */
static int fail_denied(const char *path, enum ga_db_file file, const char *verb,
		       struct ga_err *err)
{
	ga_autofree char *at = ga_xstrdup(path), *as = NULL;
	ga_autofree char *named = file == GA_DB_STATE ? ga_command(" --state %s", path) : NULL;
	const char *what = files[file].what;
	char owner[GA_WHO_SIZE], me[GA_WHO_SIZE];
	struct stat st;
	int r;

	while ((r = stat(at, &st)) < 0 && strcmp(at, "/") != 0 && strcmp(at, ".") != 0) {
		ga_autofree char *below = GA_TAKE(at);

		at = ga_file_folder(below);
	}
	if (r < 0 || st.st_uid == geteuid()) {
		ga_autofree char *look = ga_command("ls -ld %s", at);

		return ga_refuse(err, GA_DENIED, "denied", NULL,
				 ("%s '%s' cannot be %s: Permission denied", what, path, verb),
				 ("its permissions: %s", look));
	}
	ga_who_name(st.st_uid, owner);
	if (st.st_uid)
		as = ga_starts(owner, "uid(") ?
			     ga_xprintf(" -u '#%u'", (unsigned int)st.st_uid) :
			     ga_xprintf(" -u %.*s", (int)strcspn(owner, "("), owner);
	return ga_refuse(err, GA_DENIED, "denied", NULL,
			 ("%s '%s' cannot be %s: Permission denied: %s%s%s belongs to %s, and you "
			  "are %s", what, path, verb, strcmp(at, path) != 0 ? "the folder '" : "it",
			  strcmp(at, path) != 0 ? at : "", strcmp(at, path) != 0 ? "'" : "", owner,
			  ga_who_name(geteuid(), me)),
			 ("run the command as that user: sudo%s COMMAND%s; gpuaas-host(7), "
			  "OPERATORS WITHOUT ROOT, says who may", as ? as : "",
			  named ? named : ""));
}

/* Makes the file when mode is GA_DB_CREATE. */
static int find_file(const char *path, enum ga_db_file file, enum ga_db_mode mode,
		     struct ga_err *err)
{
	ga_autofree char *taken = NULL;
	struct stat st;

	if (mode == GA_DB_CREATE) {
		if (make_file(path, file, err) < 0)
			return err->code == GA_DENIED ?
				       fail_denied(path, file, "made", err) :
				       ga_wrap(err, "making the %s failed", files[file].what);
	} else if (access(path, F_OK) < 0) {
		if (errno == EACCES)
			return fail_denied(path, file, mode == GA_DB_READ ? "read" : "written",
					   err);
		if (errno != ENOENT && errno != ENOTDIR)
			return ga_fail_sys(err, "opening %s '%s' failed", files[file].what, path);
		taken = file == GA_DB_STATE ? taken_by_restore(path) : NULL;
		if (taken)
			return fail_taken(path, taken, GA_NOTFOUND, err);
		return ga_refuse(err, GA_NOTFOUND, "no_state", NULL,
				 ("there is no %s at '%s'", files[file].what, path),
				 ("name it with --state or GPUAAS_STATE; 'gpuaas-state restore "
				  "BACKUP' brings a lost one back; 'gpuaas-state init' makes the "
				  "first one"));
	} else if (access(path, mode == GA_DB_READ ? R_OK : R_OK | W_OK) < 0) {
		if (errno == EROFS)
			return ga_db_fail_read_only(path, err);
		return fail_denied(path, file, mode == GA_DB_READ ? "read" : "written", err);
	} else if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		return fail_foreign(path, file, err);
	}
	return refuse_network(path, err);
}

static int run(struct ga_db *db, const char *sql, struct ga_err *err)
{
	int rc = sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : ga_db_fail(db, err);
}

static int on_commit(void *arg, sqlite3 *sqlite, const char *name, int pages)
{
	struct ga_db *db = arg;

	(void)sqlite;
	(void)name;
	db->wal_pages = pages;
	return SQLITE_OK;
}

static int configure(struct ga_db *db, struct ga_err *err)
{
	sqlite3_extended_result_codes(db->sqlite, 1);
	sqlite3_busy_timeout(db->sqlite, BUSY_MILLIS);
	sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
	sqlite3_limit(db->sqlite, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db->sqlite, SQLITE_LIMIT_LENGTH, 32 << 20);
	sqlite3_limit(db->sqlite, SQLITE_LIMIT_VARIABLE_NUMBER, 100);
	sqlite3_limit(db->sqlite, SQLITE_LIMIT_TRIGGER_DEPTH, 20);
	/* It replaces the automatic checkpoint, which would not wait for the writer lock. */
	sqlite3_wal_hook(db->sqlite, on_commit, db);
	return run(db, "PRAGMA synchronous=FULL; PRAGMA cell_size_check=ON", err);
}

int ga_db_keep_pages(struct ga_db *db, int kib, struct ga_err *err)
{
	char pragma[48];

	snprintf(pragma, sizeof(pragma), "PRAGMA cache_size=-%d", kib);
	return run(db, pragma, err);
}

/* Migrations run without the triggers of an older version, and without the view that they query. */
static int drop_triggers(struct ga_db *db, struct ga_err *err)
{
	ga_autostr struct ga_str sql = GA_STR_INIT;
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	/* IF EXISTS: dropping the view also drops its triggers. */
	if (ga_db_query(db, &rows, err,
			"SELECT 'DROP ' || type || ' IF EXISTS \"' || replace(name, '\"', "
			"'\"\"') || '\";' FROM sqlite_schema "
			"WHERE type = 'trigger' OR name = 'slot_proven'", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		ga_str_add(&sql, ga_rows_text(rows, 0));
	if (r < 0)
		return -1;
	ga_rows_close(GA_TAKE(rows));
	return run(db, sql.buf, err);
}

static int migrate(struct ga_db *db, int64_t from, bool lab, struct ga_err *err)
{
	ga_autostr struct ga_str triggers = GA_STR_INIT;
	bool state = db->file == GA_DB_STATE;
	char pragma[96], now[GA_TIME_SIZE];
	const struct ga_migration *m;

	if (state && drop_triggers(db, err) < 0)
		return -1;
	for (m = files[db->file].migrations + from; m->name; m++)
		if (run(db, m->sql, err) < 0)
			return ga_wrap(err, "%s", m->name);
	if (state) {
		ga_fsm_ddl(GA_M_SLOT, &triggers);
		ga_fsm_ddl(GA_M_ALLOCATION, &triggers);
		ga_fsm_ddl(GA_M_NODE, &triggers);
		ga_invariant_ddl(&triggers);
		/* Without triggers nothing was counted. */
		ga_str_add(&triggers, ga_sql_count_slots);
		if (run(db, triggers.buf, err) < 0)
			return ga_wrap(err, "triggers");
	}
	if (state && from == 0 &&
	    ga_db_change(db, err,
			 "INSERT INTO meta (one, lab, epoch, created_at) VALUES (1, ?1, 1, ?2)",
			 "bs", lab, ga_time_format(ga_clock_micros(), now)) < 0)
		return -1;
	if (state &&
	    ga_audit_add(db, from ? "state_migrated" : "state_made", "state",
			 json_pack("{s:I, s:I}", "from", (json_int_t)from, "to",
				   (json_int_t)newest(db->file)), err) < 0)
		return -1;
	snprintf(pragma, sizeof(pragma), "PRAGMA application_id=%lld; PRAGMA user_version=%lld",
		 (long long)files[db->file].application_id, (long long)newest(db->file));
	return run(db, pragma, err);
}

struct header {
	int64_t application_id, version, tables;
};

/* All reads at one moment: between two reads another program may finish the file, and its tables
 * with the earlier id would look like a foreign file. */
static int read_header(struct ga_db *db, struct header *h, struct ga_err *err)
{
	bool inside = ga_db_in_transaction(db), known;

	if (!inside && run(db, "BEGIN", err) < 0)
		return -1;
	known = ga_db_get(db, err, "PRAGMA application_id", "I", &h->application_id) == 0 &&
		ga_db_get(db, err, "PRAGMA user_version", "I", &h->version) == 0 &&
		ga_db_get(db, err, "SELECT count(*) FROM sqlite_schema", "I", &h->tables) == 0;
	if (!inside)
		sqlite3_exec(db->sqlite, "COMMIT", NULL, NULL, NULL); /* nothing was written */
	if (!known)
		return -1;
	if (h->application_id == files[db->file].application_id)
		return h->version > newest(db->file) ? ga_db_fail_version(db, h->version, err) : 0;
	/* Empty: another program is making it, or was interrupted. */
	if (h->application_id == 0 && h->version == 0 && h->tables == 0)
		return 0;
	return ga_db_fail_foreign(db, err);
}

/* Migrates the file to the newest schema, under the writer lock and in one transaction. */
static int create(struct ga_db *db, bool lab, struct ga_err *err)
{
	struct header h;
	int r;

	if (ga_writers_queue_enter(&db->turn, "making the database", err) < 0)
		return -1;
	r = read_header(db, &h, err);
	if (r == 0)
		r = run(db, "PRAGMA journal_mode=WAL; BEGIN IMMEDIATE", err);
	if (r == 0)
		r = read_header(db, &h, err); /* as it is now, inside the transaction */
	if (r == 0 && (h.version < newest(db->file) || db->file == GA_DB_STATE))
		r = migrate(db, h.version, lab, err); /* at least its triggers are made again */
	if (r == 0)
		return ga_db_commit(db, err);
	ga_db_rollback(db);
	return -1;
}

static int check_header(struct ga_db *db, struct ga_err *err)
{
	struct header h;

	if (read_header(db, &h, err) < 0)
		return -1;
	if (h.application_id == 0 && db->mode != GA_DB_CREATE)
		return ga_refuse(err, GA_CONFLICT, "unfinished", NULL,
				 ("%s '%s' is empty: its making was interrupted, or what it had is "
				  "lost", files[db->file].what, db->path),
				 ("if it had something, 'gpuaas-state restore' brings a backup "
				  "back; if not, 'gpuaas-state init' finishes it"));
	db->version = newest(db->file);
	if (h.version < db->version && db->mode != GA_DB_CREATE)
		return ga_db_fail_version(db, h.version, err);
	return 0;
}

static int read_meta(struct ga_db *db, struct ga_err *err)
{
	int r;

	if (db->file != GA_DB_STATE)
		return 0;
	r = ga_db_one(db, err, "SELECT lab, epoch FROM meta", "BI", &db->lab, &db->epoch);
	if (r == 0)
		return ga_db_fail_foreign(db, err);
	if (r < 0)
		return -1;
	return 0;
}

static size_t handles; /* open databases of this process */

bool ga_db_is_open(void)
{
	return handles > 0;
}

static int connect_file(struct ga_db *db, bool lab, struct ga_err *err)
{
	/* A reader also writes the shared memory of the WAL; it falls back to read-only. */
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
	int r = sqlite3_open_v2(db->path, &db->sqlite, flags, NULL);

	handles += !!db->sqlite;
	if (r != SQLITE_OK)
		return ga_db_fail(db, err);
	if (configure(db, err) < 0)
		return -1;
	if (db->mode == GA_DB_READ && run(db, "PRAGMA query_only=ON", err) < 0)
		return -1;
	if (db->mode != GA_DB_READ && ga_writers_queue_open(&db->turn, db->path, err) < 0)
		return -1;
	if (check_header(db, err) < 0)
		return -1;
	if (db->mode == GA_DB_CREATE && create(db, lab, err) < 0)
		return -1;
	return read_meta(db, err);
}

static int open_file(const char *path, enum ga_db_file file, enum ga_db_mode mode, bool lab,
		     struct ga_db **ret, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;

	if (find_file(path, file, mode, err) < 0)
		return -1;
	/* The undo data of a savepoint, a few pages, stays in memory, in one piece of this size. By
	 * default each batch uses a file in TMPDIR, and without a limit each page is cut into
	 * pieces of 1 KiB. It must be set before the first open; later it has no effect. */
	sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, 4 << 20);
	/* Nothing reads SQLite's memory statistics, and counting takes a lock at each
	 * allocation. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	db = ga_xcalloc(1, sizeof(*db));
	db->path = ga_xstrdup(path);
	db->file = file;
	db->mode = mode;
	db->turn = (struct ga_writers_queue)GA_WRITERS_QUEUE_INIT;
	if (connect_file(db, lab, err) < 0)
		return -1;
	*ret = GA_TAKE(db);
	return 0;
}

int ga_db_open(const char *path, enum ga_db_file file, enum ga_db_mode mode, struct ga_db **ret,
	       struct ga_err *err)
{
	return open_file(path, file, mode, false, ret, err);
}

int ga_db_init(const char *path, bool lab, struct ga_db **ret, struct ga_err *err)
{
	const char *slash = strrchr(path, '/');
	ga_autofree char *dir = ga_xstrndup(path, slash ? (size_t)(slash - path) : 0);
	ga_autofree char *taken = NULL;
	struct stat st;

	if (dir[0] && ga_file_mkdirs(dir, 0700, err) < 0)
		return -1;
	if (access(path, F_OK) < 0 && (taken = taken_by_restore(path)))
		return fail_taken(path, taken, GA_CONFLICT, err);
	if (stat(path, &st) == 0 && st.st_size > 0) {
		struct ga_err found = GA_ERR_INIT;
		ga_autodb struct ga_db *db = NULL;

		/* A file whose making was interrupted is finished. */
		if (ga_db_open(path, GA_DB_STATE, GA_DB_READ, &db, &found) == 0 ||
		    !ga_streq(found.reason, "unfinished"))
			return ga_refuse(err, GA_CONFLICT, "exists", NULL,
					 ("'%s' exists already", path),
					 ("use it as it is, or name another file with --state"));
	}
	return open_file(path, GA_DB_STATE, GA_DB_CREATE, lab, ret, err);
}

static void finalize(struct ga_db *db)
{
	size_t i;

	for (i = 0; i < GA_DB_CACHE; i++) {
		sqlite3_finalize(db->cache[i].stmt);
		db->cache[i].stmt = NULL;
	}
}

void ga_db_close(struct ga_db *db)
{
	if (!db)
		return;
	finalize(db);
	if (db->sqlite && db->turn.lock >= 0) {
		if (ga_db_in_transaction(db))
			sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
		/* The last one to close checkpoints, but only under the writer lock. A
		 * process that does not get the lock at once is not the last one, or leaves
		 * the WAL to the next. */
		if (!db->turn.held && !ga_writers_queue_try(&db->turn, "closing"))
			sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	}
	handles -= !!db->sqlite;
	sqlite3_close(db->sqlite);
	ga_writers_queue_close(&db->turn);
	free(db->path);
	free(db);
}

void ga_cleanup_db(struct ga_db **db)
{
	ga_db_close(*db);
}

/* When the last one closes, the WAL is copied into the file. Otherwise each single reader would
 * have to index the WAL again. */
static bool has_long_wal(const struct ga_db *db)
{
	ga_autofree char *wal = ga_xprintf("%s-wal", db->path);
	struct stat st;

	return stat(wal, &st) == 0 && st.st_size > WAL_SHORT;
}

void ga_db_leave(struct ga_db *db)
{
	static struct ga_db *left;

	if (!db || db->mode != GA_DB_READ || has_long_wal(db)) {
		ga_db_close(db);
		return;
	}
	finalize(db);
	if (ga_db_in_transaction(db))
		sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
	ga_db_close(left);
	left = db;
}

void ga_cleanup_db_leave(struct ga_db **db)
{
	ga_db_leave(*db);
}
