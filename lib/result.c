/* SPDX-License-Identifier: Apache-2.0 */
/* Results of host programs: into the local state where there is one, then out on stdout. */
#include "result.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "hostdb.h"
#include "store.h"

/* A handle must not cross fork(2): each process opens the file for itself at its first result. */
static struct {
	char *path; /* NULL: no state on this machine */
	struct ga_db *db;
	pid_t opened_by;
	struct ga_sign_key *key; /* what travels is signed with it */
} result;

static int open_here(struct ga_err *err)
{
	if (result.db && result.opened_by == getpid())
		return 0;
	result.db = NULL; /* the parent's: its descriptors are not ours to close */
	result.opened_by = getpid();
	return ga_db_open(result.path, GA_DB_STATE, GA_DB_WRITE, &result.db, err);
}

int ga_result_open(const char *state_path, struct ga_err *err)
{
	struct stat st;

	ga_result_close();
	if (!state_path)
		return 0;
	if (stat(state_path, &st) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return ga_fail_sys(err, "cannot look at the state '%s'", state_path);
	}
	result.path = ga_xstrdup(state_path);
	if (open_here(err) < 0) {
		ga_result_close();
		return -1;
	}
	return 0;
}

void ga_result_close(void)
{
	if (result.db && result.opened_by == getpid())
		ga_db_close(result.db);
	free(result.path);
	ga_sign_close(result.key);
	result.path = NULL;
	result.db = NULL;
	result.key = NULL;
}

/* What was folded here needs no signature; what travels to the state elsewhere does. A host that
 * has no key yet is believed on its word, as long as the state knows none of it. */
static int write_out(const struct ga_shape *shape, const void *obj, struct ga_err *err)
{
	if (result.path)
		return ga_emit(shape, obj, err);
	if (!result.key && ga_hostdb_key(ga_cli_host_dir(), &result.key, err) < 0)
		return -1;
	return ga_emit_signed(shape, obj, result.key, err);
}

int ga_result_say(const struct ga_shape *shape, const void *obj, struct ga_err *err)
{
	return shape->is_signed ? write_out(shape, obj, err) : ga_emit(shape, obj, err);
}

int ga_result_fold(const struct ga_shape *shape, const void *obj, struct ga_err *err)
{
	if (!result.path)
		return 0;
	if (open_here(err) < 0 || ga_db_begin(result.db, ga_cli_program(), err) < 0)
		return -1;
	if (ga_fold(result.db, shape, obj, err) < 0 || ga_db_commit(result.db, err) < 0) {
		ga_db_rollback(result.db);
		return -1;
	}
	return 0;
}

int ga_result_emit(const struct ga_shape *shape, const void *obj, struct ga_err *err)
{
	int r = ga_result_fold(shape, obj, err);
	struct ga_err second = GA_ERR_INIT;

	/* What was done was done: the record goes out even when the state refused it. */
	if (write_out(shape, obj, r < 0 ? &second : err) < 0)
		return -1;
	return r;
}

int ga_result_progress(const struct ga_progress *p, bool to_stdout, struct ga_err *err)
{
	int r = ga_result_fold(&ga_progress_shape, p, err);
	struct ga_err second = GA_ERR_INIT;

	if (to_stdout && write_out(&ga_progress_shape, p, r < 0 ? &second : err) < 0)
		return -1;
	return r;
}
