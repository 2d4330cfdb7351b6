/* SPDX-License-Identifier: Apache-2.0 */
/* The host's key: a file beside host.db, made once. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "state/host/hostdb.h"

#define PEM_MAX 4096

static int refuse_unsafe(int fd, const char *path, struct ga_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return ga_fail_sys(err, "cannot look at '%s'", path);
	if (S_ISREG(st.st_mode) && !(st.st_mode & 077) && (!st.st_uid || st.st_uid == geteuid()))
		return 0;
	return ga_refuse(err, GA_DENIED, "key_unsafe", NULL,
			 ("'%s' is not ours alone: others could sign with it", path),
			 ("if nobody can have copied it: chmod 600 '%s'; else revoke it with "
			  "'gpuaas-node revoke-key', remove it, and enrol the host again", path));
}

int ga_hostdb_key(const char *dir, struct ga_sign_key **ret, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/node.key", dir);
	ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
	char pem[PEM_MAX + 1];
	ssize_t n;
	int r;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0)
		return ga_fail_sys(err, "cannot open '%s'", path);
	if (refuse_unsafe(fd, path, err) < 0)
		return -1;
	n = read(fd, pem, PEM_MAX);
	if (n < 0)
		return ga_fail_sys(err, "cannot read '%s'", path);
	pem[n] = '\0';
	r = ga_sign_open(pem, ret, err);
	explicit_bzero(pem, sizeof(pem));
	return r < 0 ? ga_wrap(err, "'%s'", path) : 1;
}

/* link(2) succeeds or fails as a whole: of two writers one wins, and its file is complete. */
static int put(const char *path, const struct ga_str *pem, struct ga_err *err)
{
	ga_autoreplace struct ga_replace r = GA_REPLACE_INIT;

	if (ga_replace_begin(path, &r, err) < 0)
		return -1;
	if (fchmod(r.fd, 0600) < 0 || ga_write_all(r.fd, pem->buf, pem->len) < 0 ||
	    fsync(r.fd) < 0)
		return ga_fail_sys(err, "cannot write '%s'", r.tmp);
	if (link(r.tmp, path) == 0)
		return ga_file_sync_dir(path, err) < 0 ? -1 : 1;
	return errno == EEXIST ? 0 : ga_fail_sys(err, "cannot make '%s'", path);
}

int ga_hostdb_renew_key(const char *dir, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/node.key", dir);
	ga_autoreplace struct ga_replace r = GA_REPLACE_INIT;
	ga_autostr struct ga_str pem = GA_STR_INIT;
	int written;

	if (ga_file_mkdirs(dir, 0700, err) < 0 || ga_replace_begin(path, &r, err) < 0 ||
	    ga_sign_make(&pem, err) < 0)
		return -1;
	written = ga_write_all(r.fd, pem.buf, pem.len);
	explicit_bzero(pem.buf, pem.len);
	return written < 0 ? ga_fail_sys(err, "cannot write '%s'", r.tmp) :
			     ga_replace_commit(&r, 0600, err);
}

int ga_hostdb_make_key(const char *dir, struct ga_sign_key **ret, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/node.key", dir);
	ga_autostr struct ga_str pem = GA_STR_INIT;
	int found = ga_hostdb_key(dir, ret, err), made;

	if (found)
		return found < 0 ? -1 : 0;
	if (ga_file_mkdirs(dir, 0700, err) < 0 || ga_sign_make(&pem, err) < 0)
		return -1;
	made = put(path, &pem, err);
	explicit_bzero(pem.buf, pem.len);
	if (made < 0)
		return -1;
	found = ga_hostdb_key(dir, ret, err);
	if (!found)
		return ga_fail(err, GA_SYSTEM, "'%s' was removed while it was made", path);
	return found < 0 ? -1 : made;
}
