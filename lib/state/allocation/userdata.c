/* SPDX-License-Identifier: Apache-2.0 */
/* User-data files beside the state, kept as long as an allocation needs them. */
#include "state/allocation/userdata.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/texts.h"
#include "base/vec.h"
#include "record/digest.h"
#include "record/state.h"
#include "state/db/fsm.h"
#include "state/db/json.h"

#define ALGORITHM "sha256:"
#define HEX (GA_DIGEST_SIZE - sizeof(ALGORITHM))
#define SUFFIX 7 /* ".XXXXXX" of an unfinished file (ga_replace_begin) */

static int writing = -1; /* the lock of this process, held since it wrote user-data */

char *ga_store_user_data_folder(const char *state_path)
{
	const char *slash = strrchr(state_path, '/');

	return ga_xprintf("%.*suser-data", slash ? (int)(slash - state_path) + 1 : 0, state_path);
}

/* 1, 0 when there is no folder, -1 */
static int open_folder(const char *dir, int *fd, struct ga_err *err)
{
	*fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd >= 0)
		return 1;
	return errno == ENOENT ? 0 : ga_fail_sys(err, "cannot open '%s'", dir);
}

/* ---- marks ---- */

/* Several states may lie in one folder. The file .DIGEST@STATE marks that this state needs the
 * user-data DIGEST, or is writing it. The user-data is removed with its last mark. */
static char *mark_of(const char *state_path, const char *digest)
{
	const char *slash = strrchr(state_path, '/');

	return ga_xprintf(".%s@%s", digest, slash ? slash + 1 : state_path);
}

static int make_mark(const char *dir, const char *state_path, const char *digest,
		     struct ga_err *err)
{
	ga_autofree char *name = mark_of(state_path, digest);
	ga_autofree char *path = ga_xprintf("%s/%s", dir, name);
	ga_autofd int fd = ga_file_open_like(path, state_path, err);

	return fd < 0 ? -1 : 0;
}

/* ---- writing ---- */

int ga_store_user_data_put(const char *state_path, const char *digest, const void *data,
			   size_t len, struct ga_err *err)
{
	ga_autofree char *dir = ga_store_user_data_folder(state_path);
	const char *hex = digest + strlen(ALGORITHM);
	ga_autofree char *path = ga_xprintf("%s/%s", dir, hex);
	ga_autoreplace struct ga_replace copy = GA_REPLACE_INIT;
	bool is_new = mkdir(dir, 0700) == 0;
	ga_autofd int fd = -1;
	int r;

	if (!is_new && errno != EEXIST)
		return ga_fail_sys(err, "cannot create directory '%s'", dir);
	r = open_folder(dir, &fd, err);
	if (!r)
		return ga_fail(err, GA_SYSTEM, "'%s' was removed while it was used", dir);
	if (r < 0 || (is_new && ga_file_chown_like(fd, state_path, err) < 0))
		return -1;
	/* A shared lock keeps the folder from being tidied. Tidying takes the lock only when it is
	 * free, and releases it after one look through the folder: the wait here is no longer than
	 * that. */
	if (flock(fd, LOCK_SH) < 0)
		return ga_fail_sys(err, "cannot lock '%s'", dir);
	writing = GA_TAKE_FD(fd); /* held until the plan is committed or given up */
	if (make_mark(dir, state_path, hex, err) < 0 || ga_replace_begin(path, &copy, err) < 0 ||
	    ga_file_chown_like(copy.fd, state_path, err) < 0)
		return -1;
	if (ga_write_all(copy.fd, data, len) < 0)
		return ga_fail_sys(err, "cannot write '%s'", path);
	return ga_replace_commit(&copy, 0600, err);
}

/* ---- leftovers ---- */

/* Only a digest, or a digest with the suffix of an unfinished file, is a file of ours. */
static bool is_ours(const char *name)
{
	size_t n = strspn(name, "0123456789abcdef");

	return n == HEX && (!name[HEX] || (name[HEX] == '.' && strlen(name + HEX) == SUFFIX));
}

static bool is_mark(const char *name)
{
	return name[0] == '.' && strspn(name + 1, "0123456789abcdef") == HEX &&
	       name[1 + HEX] == '@';
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_files(int fd, struct ga_texts *files, struct ga_texts *marks, struct ga_err *err)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	const struct dirent *e;

	if (!dir) {
		ga_err_set_sys(err, "cannot read the folder of user-data");
		if (again >= 0)
			close(again);
		return -1;
	}
	while ((e = readdir(dir))) {
		if (is_ours(e->d_name))
			ga_texts_add(files, e->d_name);
		else if (is_mark(e->d_name))
			ga_texts_add(marks, e->d_name);
	}
	closedir(dir);
	if (files->n)
		qsort(files->v, files->n, sizeof(*files->v), by_name);
	return 0;
}

#define DIGEST_OF_REQUEST \
	"json_extract(" GA_SQL_OBJECT("request") ", '$.user_data_digest')"

/* Lists the digests named by allocations that are on a host or can still get to one. */
static int list_needed(struct ga_db *db, struct ga_texts *ret, struct ga_err *err)
{
	ga_autostr struct ga_str states = GA_STR_INIT;
	ga_autorows struct ga_rows *rows = NULL;
	const struct ga_fsm_state *s;
	int r;

	for (s = ga_fsm_states(GA_M_ALLOCATION); s->name; s++)
		if (s->to[0])
			ga_str_addf(&states, "%s\"%s\"", states.len ? "," : "[", s->name);
	ga_str_addc(&states, ']');
	if (ga_db_query(db, &rows, err,
			"SELECT DISTINCT " DIGEST_OF_REQUEST " FROM allocation "
			"WHERE state IN (SELECT value FROM json_each(?1)) "
			"AND " DIGEST_OF_REQUEST " IS NOT NULL",
			"s", states.buf) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *digest = ga_rows_text(rows, 0);

		if (ga_starts(digest, ALGORITHM))
			ga_texts_add(ret, digest + strlen(ALGORITHM));
	}
	return r;
}

/* The folder, under an exclusive lock. */
struct folder {
	char *dir;
	int fd;
	struct ga_texts files, marks, needed;
};

static void cleanup_folder(struct folder *f)
{
	free(f->dir);
	if (f->fd >= 0)
		close(f->fd);
	ga_texts_release(&f->files);
	ga_texts_release(&f->marks);
	ga_texts_release(&f->needed);
}

/* 1, 0 when there is no folder or somebody writes, -1 */
static int look(struct ga_db *db, struct folder *f, struct ga_err *err)
{
	int r;

	f->dir = ga_store_user_data_folder(ga_db_path(db));
	r = open_folder(f->dir, &f->fd, err);
	if (r <= 0)
		return r;
	if (flock(f->fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 0 : ga_fail_sys(err, "cannot lock '%s'", f->dir);
	if (list_files(f->fd, &f->files, &f->marks, err) < 0)
		return -1;
	return (f->files.n || f->marks.n) && list_needed(db, &f->needed, err) < 0 ? -1 : 1;
}

/* Whether the state that a mark names still lies beside this one. A state that was renamed, moved
 * or removed needs no file here. */
static bool is_here(const char *state_path, const char *mark)
{
	const char *slash = strrchr(state_path, '/');
	ga_autofree char *path = ga_xprintf("%.*s%s", slash ? (int)(slash - state_path) + 1 : 0,
					    state_path, strchr(mark, '@') + 1);

	return access(path, F_OK) == 0 || errno != ENOENT;
}

/* Whether the file belongs to this state and no allocation needs it any more. An unfinished file is
 * left over: under the exclusive lock nobody writes. A file without a mark is an older version's;
 * it belongs to the state that knows the digest. */
static int is_left(struct ga_db *db, const struct folder *f, const char *name, struct ga_err *err)
{
	ga_autofree char *mark = mark_of(ga_db_path(db), name);
	ga_autofree char *digest = ga_xprintf(ALGORITHM "%s", name);
	bool mine = ga_texts_has(&f->marks, mark), others = false;

	if (name[HEX])
		return 1;
	if (ga_texts_has(&f->needed, name))
		return 0;
	for (size_t i = 0; i < f->marks.n; i++)
		others |= !strncmp(f->marks.v[i] + 1, name, HEX) && strcmp(f->marks.v[i], mark) &&
			  is_here(ga_db_path(db), f->marks.v[i]);
	if (mine || others)
		return !others;
	/* Whether this state has, or had, an allocation that names the digest. */
	return ga_db_one(db, err,
			 "SELECT 1 FROM allocation WHERE " DIGEST_OF_REQUEST " = ?1 LIMIT 1", "s",
			 digest);
}

static int remove_one(const struct folder *f, const char *name, struct ga_err *err)
{
	if (unlinkat(f->fd, name, 0) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "cannot remove '%s' in '%s'", name, f->dir);
	return 0;
}

/* Sets this state's marks on the files it needs, also on files that an older version wrote, or this
 * state wrote under another name. */
static int set_marks(struct ga_db *db, const struct folder *f, struct ga_err *err)
{
	const char *path = ga_db_path(db);

	for (size_t i = 0; i < f->needed.n; i++)
		if (ga_texts_has(&f->files, f->needed.v[i]) &&
		    make_mark(f->dir, path, f->needed.v[i], err) < 0)
			return -1;
	for (size_t i = 0; i < f->marks.n; i++) {
		ga_autofree char *digest = ga_xstrndup(f->marks.v[i] + 1, HEX);
		ga_autofree char *mine = mark_of(path, digest);

		if ((!strcmp(mine, f->marks.v[i]) ? !ga_texts_has(&f->needed, digest) :
						    !is_here(path, f->marks.v[i])) &&
		    remove_one(f, f->marks.v[i], err) < 0)
			return -1;
	}
	return 0;
}

int ga_store_user_data_tidy(struct ga_db *db, struct ga_err *err)
{
	ga_cleanup(cleanup_folder) struct folder f = { .fd = -1 };
	int r, n = 0;

	if (writing >= 0)
		close(writing);
	writing = -1;
	r = look(db, &f, err);
	if (r <= 0)
		return r;
	for (size_t i = 0; i < f.files.n; i++) {
		r = is_left(db, &f, f.files.v[i], err);
		if (r < 0 || (r && remove_one(&f, f.files.v[i], err) < 0))
			return -1;
		n += r;
	}
	return set_marks(db, &f, err) < 0 ? -1 : n;
}

int ga_store_user_data_check(struct ga_db *db,
			     int (*each)(const struct ga_finding *finding, void *arg,
					 struct ga_err *err),
			     void *arg, struct ga_err *err)
{
	ga_cleanup(cleanup_folder) struct folder f = { .fd = -1 };
	int r = look(db, &f, err), n = 0;

	if (r <= 0)
		return r;
	for (size_t i = 0; i < f.files.n; i++) {
		ga_autofree char *object = ga_xprintf("user-data/%s", f.files.v[i]);
		const struct ga_finding finding = {
			.check = (char *)(uintptr_t)"user_data_left",
			.object = object,
			.sentence = (char *)(uintptr_t)"it is user-data that no allocation needs "
						       "now",
			.hint = (char *)(uintptr_t)"gpuaas-release --pending",
		};

		r = is_left(db, &f, f.files.v[i], err);
		if (r < 0 || (r && each(&finding, arg, err) < 0))
			return -1;
		n += r;
	}
	return n;
}
