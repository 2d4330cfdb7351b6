/* SPDX-License-Identifier: Apache-2.0 */
/* User-data beside the state, as long as an allocation needs it. */
#include "store_userdata.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"
#include "file.h"
#include "fsm.h"
#include "store_json.h"
#include "vec.h"

#define ALGORITHM "sha256:"
#define HEX (GA_DIGEST_SIZE - sizeof(ALGORITHM))
#define SUFFIX 7 /* ".XXXXXX" of a file that is not whole yet (ga_replace_begin) */

static int writing = -1; /* the lock of this process, which has put user-data here */

struct names {
	char **v;
	size_t n;
};

static void cleanup_names(struct names *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->v[i]);
	ga_list_release(list);
}

char *ga_store_user_data_folder(const char *state_path)
{
	const char *slash = strrchr(state_path, '/');

	return ga_xprintf("%.*suser-data", slash ? (int)(slash - state_path) + 1 : 0, state_path);
}

/* 1, 0 when it is not there, -1 */
static int open_folder(const char *dir, int *fd, struct ga_err *err)
{
	*fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd >= 0)
		return 1;
	return errno == ENOENT ? 0 : ga_fail_sys(err, "cannot open '%s'", dir);
}

/* ---- writing ---- */

static int must_open(const char *dir, int *fd, struct ga_err *err)
{
	int r = open_folder(dir, fd, err);

	return r ? r : ga_fail(err, GA_SYSTEM, "'%s' was removed while it was used", dir);
}

static int make_folder(const char *dir, const char *state_path, struct ga_err *err)
{
	ga_autofd int fd = -1;

	if (mkdir(dir, 0700) < 0)
		return errno == EEXIST ? 0 : ga_fail_sys(err, "cannot create directory '%s'", dir);
	return must_open(dir, &fd, err) < 0 ? -1 : ga_file_give(fd, state_path, err);
}

/* Keeps the folder from being tidied. The tidying takes the lock only where it is free, and gives
 * it back once it has looked through the folder: this waits for no longer than that. */
static int lock_shared(const char *dir, struct ga_err *err)
{
	ga_autofd int fd = -1;

	if (must_open(dir, &fd, err) < 0)
		return -1;
	if (flock(fd, LOCK_SH) < 0)
		return ga_fail_sys(err, "cannot lock '%s'", dir);
	writing = GA_TAKE_FD(fd); /* until the plan is committed or given up */
	return 0;
}

int ga_store_user_data_put(const char *state_path, const char *digest, const void *data,
			   size_t len, struct ga_err *err)
{
	ga_autofree char *dir = ga_store_user_data_folder(state_path);
	ga_autofree char *path = ga_xprintf("%s/%s", dir, digest + strlen(ALGORITHM));
	ga_autoreplace struct ga_replace copy = GA_REPLACE_INIT;

	if (make_folder(dir, state_path, err) < 0 || lock_shared(dir, err) < 0 ||
	    ga_replace_begin(path, &copy, err) < 0 || ga_file_give(copy.fd, state_path, err) < 0)
		return -1;
	if (ga_write_all(copy.fd, data, len) < 0)
		return ga_fail_sys(err, "cannot write '%s'", path);
	return ga_replace_commit(&copy, 0600, err);
}

/* ---- what is left over ---- */

/* A digest, or one with the suffix of a file that was not finished: nothing else is ours. */
static bool is_ours(const char *name)
{
	size_t n = strspn(name, "0123456789abcdef");

	return n == HEX && (!name[HEX] || (name[HEX] == '.' && strlen(name + HEX) == SUFFIX));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_files(int fd, struct names *ret, struct ga_err *err)
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
	while ((e = readdir(dir)))
		if (is_ours(e->d_name))
			*ga_list_add(ret) = ga_xstrdup(e->d_name);
	closedir(dir);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_name);
	return 0;
}

/* Digests that an allocation names which can still come to, or be on, a host. */
static int list_needed(struct ga_db *db, struct names *ret, struct ga_err *err)
{
	ga_autostr struct ga_str sql = GA_STR_INIT;
	ga_autorows struct ga_rows *rows = NULL;
	const struct ga_fsm_state *s;
	const char *comma = "";
	int r;

	ga_str_add(&sql, "SELECT DISTINCT json_extract(" GA_SQL_OBJECT("request") ", "
			 "'$.user_data_digest') AS digest "
			 "FROM allocation WHERE state IN (");
	for (s = ga_fsm_states(GA_M_ALLOCATION); s->name; s++) {
		if (s->to[0])
			ga_str_addf(&sql, "%s'%s'", comma, s->name);
		comma = s->to[0] ? ", " : comma;
	}
	ga_str_add(&sql, ") AND digest IS NOT NULL");
	if (ga_db_query(db, &rows, err, sql.buf, "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(ret) = ga_rows_dup(rows, 0);
	return r;
}

static bool is_needed(const struct names *needed, const char *name)
{
	size_t i;

	for (i = 0; i < needed->n && !name[HEX]; i++)
		if (!strcmp(needed->v[i] + strlen(ALGORITHM), name))
			return true;
	return false;
}

/* Calls each with the names that are left over, alone in the folder; 0 when somebody writes. */
static int each_left(struct ga_db *db, int (*each)(int fd, const char *name, void *arg,
						   struct ga_err *err),
		     void *arg, struct ga_err *err)
{
	ga_autofree char *dir = ga_store_user_data_folder(ga_db_path(db));
	ga_cleanup(cleanup_names) struct names files = { 0 }, needed = { 0 };
	ga_autofd int fd = -1;
	int n = open_folder(dir, &fd, err);
	size_t i;

	if (n <= 0)
		return n;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 0 : ga_fail_sys(err, "cannot lock '%s'", dir);
	if (list_files(fd, &files, err) < 0)
		return -1;
	if (files.n && list_needed(db, &needed, err) < 0)
		return -1;
	n = 0;
	for (i = 0; i < files.n; i++) {
		if (is_needed(&needed, files.v[i]))
			continue;
		if (each(fd, files.v[i], arg, err) < 0)
			return ga_wrap(err, "'%s'", dir);
		n++;
	}
	return n;
}

static int remove_one(int fd, const char *name, void *arg, struct ga_err *err)
{
	(void)arg;
	if (unlinkat(fd, name, 0) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "cannot remove '%s'", name);
	return 0;
}

int ga_store_user_data_tidy(struct ga_db *db, struct ga_err *err)
{
	if (writing >= 0)
		close(writing);
	writing = -1;
	return each_left(db, remove_one, NULL, err);
}

struct telling {
	int (*each)(const struct ga_finding *finding, void *arg, struct ga_err *err);
	void *arg;
};

static int tell_one(int fd, const char *name, void *arg, struct ga_err *err)
{
	const struct telling *t = arg;
	ga_autofree char *object = ga_xprintf("user-data/%s", name);
	const struct ga_finding f = {
		.check = (char *)(uintptr_t)"user_data_left",
		.object = object,
		.sentence = (char *)(uintptr_t)"it is user-data that no allocation needs any more",
		.hint = (char *)(uintptr_t)"gpuaas-release --pending",
	};

	(void)fd;
	return t->each(&f, t->arg, err);
}

int ga_store_user_data_check(struct ga_db *db,
			     int (*each)(const struct ga_finding *finding, void *arg,
					 struct ga_err *err),
			     void *arg, struct ga_err *err)
{
	struct telling t = { each, arg };

	return each_left(db, tell_one, &t, err);
}
