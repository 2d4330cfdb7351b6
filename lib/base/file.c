/* SPDX-License-Identifier: Apache-2.0 */
/* Small files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stop.h"

int ga_random_all(void *buf, size_t len)
{
	char *p = buf;

	while (len) {
		ssize_t n = getrandom(p, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int ga_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int read_fd(int fd, size_t max, struct ga_str *out)
{
	ga_str_clear(out);
	for (;;) {
		char buf[16384];
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			return 0;
		if (out->len + (size_t)n > max) {
			errno = EFBIG;
			return -1;
		}
		ga_str_add_bytes(out, buf, (size_t)n);
	}
}

int ga_file_read_fd(int fd, const char *path, size_t max, struct ga_str *out, struct ga_err *err)
{
	return read_fd(fd, max, out) < 0 ? ga_fail_sys(err, "cannot read '%s'", path) : 0;
}

/* Waits until a pipe has data, or had a writer that closed it. */
static int wait_for_writer(int fd, const char *path, struct ga_err *err)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	sigset_t none;

	sigemptyset(&none);
	while (ppoll(&p, 1, NULL, &none) < 0) {
		if (errno != EINTR)
			return ga_fail_sys(err, "cannot wait for a writer of '%s'", path);
		if (ga_stop_check("waiting for a writer of a pipe", err) < 0)
			return ga_wrap(err, "%s", path);
	}
	return 0;
}

int ga_file_open(const char *path, struct ga_err *err)
{
	ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	int flags;

	if (fd < 0 && errno == ENOENT)
		return ga_fail(err, GA_NOTFOUND, "'%s' does not exist", path);
	if (fd < 0)
		return ga_fail_sys(err, "cannot open '%s'", path);
	flags = fcntl(fd, F_GETFL);
	if (fstat(fd, &st) < 0 || flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return ga_fail_sys(err, "cannot look at '%s'", path);
	if (S_ISFIFO(st.st_mode) && wait_for_writer(fd, path, err) < 0)
		return -1;
	return GA_TAKE_FD(fd);
}

int ga_file_read(const char *path, size_t max, struct ga_str *out, struct ga_err *err)
{
	ga_autofd int fd = ga_file_open(path, err);

	return fd < 0 ? -1 : ga_file_read_fd(fd, path, max, out, err);
}

int ga_file_attr(int dirfd, const char *path, struct ga_str *out)
{
	ga_autofd int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	ga_str_clear(out);
	if (fd < 0 || read_fd(fd, 1 << 20, out) < 0)
		return 0;
	while (out->len && out->buf[out->len - 1] == '\n')
		out->buf[--out->len] = '\0';
	return 1;
}

char *ga_file_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return ga_xstrdup(".");
	return ga_xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

int ga_file_sync_dir(const char *path, struct ga_err *err)
{
	ga_autofree char *folder = ga_file_folder(path);
	ga_autofd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return ga_fail_sys(err, "cannot sync the directory of '%s'", path);
	return 0;
}

int ga_file_may_replace(const char *path, const char *state, struct ga_err *err)
{
	struct stat st, own;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : ga_fail_sys(err, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("'%s' is %s: only a regular file is replaced", path,
				  S_ISLNK(st.st_mode) ? "a link" : S_ISDIR(st.st_mode) ? "a folder"
				  : "no file, but a device, a pipe or a socket"),
				 ("name a file, or one that is not there yet"));
	if (state && !stat(state, &own) && st.st_dev == own.st_dev && st.st_ino == own.st_ino)
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("'%s' is the state itself: it is not replaced", path),
				 ("name another file"));
	return 0;
}

int ga_replace_begin(const char *path, struct ga_replace *ret, struct ga_err *err)
{
	*ret = (struct ga_replace){ .fd = -1 };
	if (ga_file_may_replace(path, NULL, err) < 0)
		return -1;
	ret->tmp = ga_xprintf("%s.XXXXXX", path);
	ret->fd = mkostemp(ret->tmp, O_CLOEXEC);
	if (ret->fd < 0) {
		ga_err_set_sys(err, "cannot create '%s'", ret->tmp);
		free(GA_TAKE(ret->tmp));
		return -1;
	}
	ret->path = ga_xstrdup(path);
	return 0;
}

int ga_replace_commit(struct ga_replace *r, unsigned int mode, struct ga_err *err)
{
	if (fchmod(r->fd, mode) < 0 || fsync(r->fd) < 0 || rename(r->tmp, r->path) < 0)
		return ga_fail_sys(err, "cannot write '%s'", r->path);
	free(GA_TAKE(r->tmp));
	return ga_file_sync_dir(r->path, err);
}

void ga_replace_release(struct ga_replace *r)
{
	if (r->tmp)
		unlink(r->tmp);
	ga_cleanup_fd(&r->fd);
	free(r->tmp);
	free(r->path);
	*r = (struct ga_replace)GA_REPLACE_INIT;
}

int ga_file_replace(const char *path, const void *data, size_t len, unsigned int mode,
		    struct ga_err *err)
{
	ga_autoreplace struct ga_replace r = GA_REPLACE_INIT;

	if (ga_replace_begin(path, &r, err) < 0)
		return -1;
	if (ga_write_all(r.fd, data, len) < 0)
		return ga_fail_sys(err, "cannot write '%s'", path);
	return ga_replace_commit(&r, mode, err);
}

int ga_file_chown_like(int fd, const char *like, struct ga_err *err)
{
	struct stat st;

	if (!geteuid() && (stat(like, &st) < 0 || (st.st_uid && fchown(fd, st.st_uid, st.st_gid))))
		return ga_fail_sys(err, "cannot make a file belong to the owner of '%s'", like);
	return 0;
}

int ga_file_open_like(const char *path, const char *like, struct ga_err *err)
{
	/* Changes the owner only of a file created here: an existing one may be a planted link. */
	ga_autofd int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0 && errno == EEXIST) {
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
		return fd < 0 ? ga_fail_sys(err, "cannot open '%s'", path) : GA_TAKE_FD(fd);
	}
	if (fd < 0)
		return ga_fail_sys(err, "cannot create '%s'", path);
	if (ga_file_chown_like(fd, like, err) < 0) {
		unlink(path);
		return ga_wrap(err, "%s", path);
	}
	return GA_TAKE_FD(fd);
}

int ga_file_mkdirs(const char *path, unsigned int mode, struct ga_err *err)
{
	ga_autofree char *copy = ga_xstrdup(path);
	char *p = copy;

	do {
		char c;

		p += strcspn(p + 1, "/") + 1;
		c = *p;
		*p = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			return ga_fail_sys(err, "cannot create directory '%s'", copy);
		*p = c;
	} while (*p);
	return 0;
}
