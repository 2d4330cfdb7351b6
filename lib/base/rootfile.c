/* SPDX-License-Identifier: Apache-2.0 */
/* Files below a root folder. */
#include "base/rootfile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

int ga_root_open(const char *dir, struct ga_root *ret, struct ga_err *err)
{
	ret->image = dir != NULL;
	ret->fd = open(dir ? dir : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->fd < 0)
		return ga_fail_sys(err, "cannot open the root folder '%s'", dir ? dir : "/");
	return 0;
}

void ga_root_close(struct ga_root *root)
{
	ga_cleanup_fd(&root->fd);
	root->fd = -1;
}

/* openat2 keeps the links of an image inside the image. This machine's own root does not need it,
 * and a unit with RestrictSUIDSGID= has no openat2 (systemd makes it return ENOSYS). */
static int open_in(const struct ga_root *root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned int)flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	if (!root->image)
		return open(path, flags | O_CLOEXEC);
	return (int)syscall(SYS_openat2, root->fd, path, &how, sizeof(how));
}

/* Opens the folder of a path; *name is the last part and points into path. */
static int open_parent(const struct ga_root *root, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	ga_autofree char *parent = NULL;

	if (!slash || !slash[1]) {
		errno = EINVAL;
		return -1;
	}
	*name = slash + 1;
	parent = slash == path ? ga_xstrdup("/") : ga_xstrndup(path, (size_t)(slash - path));
	return open_in(root, parent, O_RDONLY | O_DIRECTORY);
}

int ga_root_folder(const struct ga_root *root, const char *path)
{
	return open_in(root, path, O_RDONLY | O_DIRECTORY);
}

static bool is_absent(void)
{
	return errno == ENOENT || errno == ENOTDIR;
}

int ga_root_stat(const struct ga_root *root, const char *path, struct stat *st,
		 struct ga_err *err)
{
	const char *name;
	ga_autofd int dir = open_parent(root, path, &name);

	if (dir < 0 && is_absent())
		return 0;
	if (dir >= 0 && !fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW))
		return 1;
	if (dir >= 0 && errno == ENOENT)
		return 0;
	return ga_fail_sys(err, "cannot look at '%s'", path);
}

bool ga_root_has(const struct ga_root *root, const char *path)
{
	ga_autofd int fd = open_in(root, path, O_PATH);

	return fd >= 0;
}

/* Reads until the end or max bytes; errno on -1. */
static int read_whole(int fd, size_t max, struct ga_str *out)
{
	char buf[16384];
	ssize_t n;

	ga_str_clear(out);
	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (out->len + (size_t)n > max) {
			errno = EFBIG;
			return -1;
		}
		ga_str_add_bytes(out, buf, (size_t)n);
	}
	return 0;
}

int ga_root_read(const struct ga_root *root, const char *path, size_t max, struct ga_str *out,
		 struct stat *st, struct ga_err *err)
{
	const char *name;
	ga_autofd int dir = open_parent(root, path, &name), fd = -1;

	ga_str_clear(out);
	if (dir < 0 && is_absent())
		return 0;
	if (dir >= 0)
		fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && dir >= 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, st) < 0)
		return ga_fail_sys(err, "cannot open '%s'", path);
	if (!S_ISREG(st->st_mode))
		return ga_fail(err, GA_CONFLICT, "'%s' is no regular file", path);
	return read_whole(fd, max, out) < 0 ? ga_fail_sys(err, "cannot read '%s'", path) : 1;
}

char *ga_root_link(const struct ga_root *root, const char *path)
{
	const char *name;
	ga_autofd int dir = open_parent(root, path, &name);
	char buf[4096];
	ssize_t n = dir < 0 ? -1 : readlinkat(dir, name, buf, sizeof(buf) - 1);

	return n <= 0 ? NULL : ga_xstrndup(buf, (size_t)n);
}

static int write_new(int dir, const char *tmp, const void *data, size_t len,
		     const struct stat *like, unsigned int mode)
{
	ga_autofd int fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
				  0600);

	if (fd < 0)
		return -1;
	if (like && (like->st_uid != geteuid() || like->st_gid != getegid()) &&
	    fchown(fd, like->st_uid, like->st_gid) < 0)
		return -1;
	return fchmod(fd, mode) < 0 || ga_write_all(fd, data, len) < 0 || fsync(fd) < 0 ? -1 : 0;
}

int ga_root_replace(const struct ga_root *root, const char *path, const void *data, size_t len,
		    const struct stat *like, unsigned int mode, struct ga_err *err)
{
	const char *name;
	ga_autofd int dir = open_parent(root, path, &name);
	ga_autofree char *tmp = NULL;

	if (dir < 0)
		return ga_fail_sys(err, "cannot open the folder of '%s'", path);
	/* Always the same name, so that the next run removes the file of a killed run. */
	tmp = ga_xprintf(".%s.gpuaas-new", name);
	unlinkat(dir, tmp, 0);
	if (write_new(dir, tmp, data, len, like, mode) < 0 ||
	    renameat(dir, tmp, dir, name) < 0) {
		ga_err_set_sys(err, "cannot write '%s'", path);
		unlinkat(dir, tmp, 0);
		return -1;
	}
	return fsync(dir) < 0 ? ga_fail_sys(err, "cannot sync the folder of '%s'", path) : 0;
}

int ga_root_remove(const struct ga_root *root, const char *path, struct ga_err *err)
{
	const char *name;
	ga_autofd int dir = open_parent(root, path, &name);

	if ((dir < 0 && is_absent()) || (dir >= 0 && !unlinkat(dir, name, 0)) ||
	    (dir >= 0 && errno == ENOENT))
		return 0;
	return ga_fail_sys(err, "cannot remove '%s'", path);
}

int ga_root_symlink(const struct ga_root *root, const char *path, const char *target,
		    struct ga_err *err)
{
	const char *name;
	ga_autofd int dir = open_parent(root, path, &name);

	if (dir < 0 || symlinkat(target, dir, name) < 0)
		return ga_fail_sys(err, "cannot make the link '%s'", path);
	return 0;
}

int ga_root_mkdir(const struct ga_root *root, const char *path, unsigned int mode,
		  struct ga_err *err)
{
	const char *name;
	ga_autofd int dir = open_parent(root, path, &name);

	if (dir < 0 || (mkdirat(dir, name, mode) < 0 && errno != EEXIST) ||
	    fchmodat(dir, name, mode, 0) < 0)
		return ga_fail_sys(err, "cannot make the folder '%s'", path);
	return 0;
}

int ga_root_chmod(const struct ga_root *root, const char *path, unsigned int mode,
		  struct ga_err *err)
{
	const char *name;
	ga_autofd int dir = open_parent(root, path, &name);

	if (dir < 0 || fchmodat(dir, name, mode, 0) < 0)
		return ga_fail_sys(err, "cannot change the mode of '%s'", path);
	return 0;
}

int ga_root_rmdir(const struct ga_root *root, const char *path, struct ga_err *err)
{
	const char *name;
	ga_autofd int dir = open_parent(root, path, &name);

	if ((dir < 0 && is_absent()) || (dir >= 0 && !unlinkat(dir, name, AT_REMOVEDIR)) ||
	    (dir >= 0 && errno == ENOENT))
		return 1;
	if (errno == ENOTEMPTY || errno == EEXIST)
		return 0;
	return ga_fail_sys(err, "cannot remove the folder '%s'", path);
}
