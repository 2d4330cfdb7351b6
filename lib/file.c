/* SPDX-License-Identifier: Apache-2.0 */
/* Small files. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

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

int ga_file_read(const char *path, size_t max, struct ga_str *out, struct ga_err *err)
{
	ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0) {
		if (errno == ENOENT)
			return ga_fail(err, GA_NOTFOUND, "'%s' does not exist", path);
		return ga_fail_sys(err, "cannot open '%s'", path);
	}
	if (read_fd(fd, max, out) < 0)
		return ga_fail_sys(err, "cannot read '%s'", path);
	return 0;
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

static int sync_dir(const char *path, struct ga_err *err)
{
	ga_autofree char *copy = ga_xstrdup(path);
	ga_autofd int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return ga_fail_sys(err, "cannot sync the directory of '%s'", path);
	return 0;
}

int ga_file_replace(const char *path, const void *data, size_t len, unsigned int mode,
		    struct ga_err *err)
{
	ga_autofree char *tmp = ga_xprintf("%s.XXXXXX", path);
	ga_autofd int fd = mkostemp(tmp, O_CLOEXEC);

	if (fd < 0)
		return ga_fail_sys(err, "cannot create '%s'", tmp);
	if (fchmod(fd, mode) < 0 || ga_write_all(fd, data, len) < 0 || fsync(fd) < 0 ||
	    rename(tmp, path) < 0) {
		ga_err_set_sys(err, "cannot write '%s'", path);
		unlink(tmp);
		return -1;
	}
	return sync_dir(path, err);
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
