/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors in /proc by device number, and exports in configfs. */
#include "openers.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "file.h"
#include "size.h"

/* What to compare a descriptor with: device numbers of disk and partitions, or a file's inode. */
struct wanted {
	GA_LIST(dev_t) devices;
	bool file;
	mode_t type; /* S_IFBLK, S_IFCHR */
	uint32_t file_major, file_minor;
	uint64_t inode;
};

static void add_partition_numbers(const struct ga_disk *d, struct wanted *w)
{
	size_t i;

	for (i = 0; i < d->dev.partitions.n; i++) {
		ga_autostr struct ga_str text = GA_STR_INIT;
		ga_autofree char *path = ga_xprintf("/sys/class/block/%s/dev",
						    d->dev.partitions.v[i]);
		unsigned int maj, min;

		if (ga_file_attr(AT_FDCWD, path, &text) &&
		    sscanf(text.buf, "%u:%u", &maj, &min) == 2)
			*ga_list_add(&w->devices) = makedev(maj, min);
	}
}

static void want(const struct ga_disk *d, struct wanted *w)
{
	struct statx st;

	*w = (struct wanted){ .type = S_IFBLK };
	if (ga_streq(d->medium, "file")) {
		w->file = true;
		if (!statx(d->fd, "", AT_EMPTY_PATH, STATX_INO, &st)) {
			w->file_major = st.stx_dev_major;
			w->file_minor = st.stx_dev_minor;
			w->inode = st.stx_ino;
		}
		return;
	}
	*ga_list_add(&w->devices) = makedev((unsigned int)d->dev.major, (unsigned int)d->dev.minor);
	add_partition_numbers(d, w);
}

static bool matches(const struct wanted *w, const struct statx *st)
{
	size_t i;

	if (w->file)
		return S_ISREG(st->stx_mode) && st->stx_ino == w->inode &&
		       st->stx_dev_major == w->file_major && st->stx_dev_minor == w->file_minor;
	for (i = 0; (st->stx_mode & S_IFMT) == w->type && i < w->devices.n; i++)
		if (makedev(st->stx_rdev_major, st->stx_rdev_minor) == w->devices.v[i])
			return true;
	return false;
}

/* 1 when the process has it open, 0 when not, -1 when it cannot be looked at. */
static int process_has(int proc, const char *pid, const struct wanted *w)
{
	ga_autofree char *path = ga_xprintf("%s/fd", pid);
	ga_autofd int fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ga_autodir DIR *dir = NULL;
	struct dirent *e;
	struct statx st;

	if (fd < 0)
		return errno == ENOENT || errno == ESRCH ? 0 : -1;
	dir = fdopendir(fd);
	if (!dir)
		return -1;
	fd = -1;
	while ((e = readdir(dir)))
		/* AT_STATX_DONT_SYNC: a dead network file system must not hold the guard up. */
		if (isdigit((unsigned char)e->d_name[0]) &&
		    !statx(dirfd(dir), e->d_name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
			   STATX_TYPE | STATX_INO, &st) &&
		    matches(w, &st))
			return 1;
	return 0;
}

static void name_process(int proc, const char *pid, struct ga_openers *ret)
{
	ga_autofree char *path = ga_xprintf("%s/comm", pid);
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT; /* a name of digits is a number */
	size_t i;

	ga_int_parse(pid, "pid", 1, INT32_MAX, &ret->pid, &ignored);
	ga_file_attr(proc, path, &text);
	for (i = 0; i < text.len; i++)
		if (iscntrl((unsigned char)text.buf[i]))
			text.buf[i] = '?';
	snprintf(ret->command, sizeof(ret->command), "%s", text.buf);
}

static void look_for(struct wanted *w, struct ga_openers *ret)
{
	ga_autofree char *self = ga_xprintf("%d", (int)getpid());
	ga_autodir DIR *dir = opendir("/proc");
	struct dirent *e;

	memset(ret, 0, sizeof(*ret));
	ret->complete = dir != NULL;
	while (dir && !ret->pid && (e = readdir(dir))) {
		int r;

		if (!isdigit((unsigned char)e->d_name[0]) || ga_streq(e->d_name, self))
			continue;
		r = process_has(dirfd(dir), e->d_name, w);
		if (r > 0)
			name_process(dirfd(dir), e->d_name, ret);
		else if (r < 0)
			ret->complete = false;
	}
	ga_list_release(&w->devices);
}

void ga_openers_find(const struct ga_disk *d, struct ga_openers *ret)
{
	struct wanted w;

	want(d, &w);
	look_for(&w, ret);
}

void ga_openers_of_node(const char *path, struct ga_openers *ret)
{
	struct wanted w = { .type = S_IFCHR };
	struct stat st;

	*ret = (struct ga_openers){ .complete = true };
	if (stat(path, &st) < 0 || !S_ISCHR(st.st_mode))
		return;
	*ga_list_add(&w.devices) = st.st_rdev;
	look_for(&w, ret);
}

static bool same_device(const char *a, const char *b)
{
	struct stat x, y;

	return ga_streq(a, b) || (!stat(a, &x) && !stat(b, &y) && S_ISBLK(x.st_mode) &&
				  S_ISBLK(y.st_mode) && x.st_rdev == y.st_rdev);
}

/* The namespaces of one subsystem below configfs. */
static bool subsystem_exports(const char *subsystem, const char *path)
{
	ga_autofree char *folder = ga_xprintf("%s/namespaces", subsystem);
	ga_autodir DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		ga_autofree char *attr = ga_xprintf("%s/%s/device_path", folder, e->d_name);
		ga_autostr struct ga_str device = GA_STR_INIT;

		if (e->d_name[0] != '.' && ga_file_attr(AT_FDCWD, attr, &device) &&
		    same_device(device.buf, path))
			return true;
	}
	return false;
}

char *ga_openers_export(const char *path)
{
	static const char root[] = "/sys/kernel/config/nvmet/subsystems";
	ga_autodir DIR *dir = opendir(root);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		ga_autofree char *subsystem = ga_xprintf("%s/%s", root, e->d_name);

		if (e->d_name[0] != '.' && subsystem_exports(subsystem, path))
			return ga_xstrdup(e->d_name);
	}
	return NULL;
}
