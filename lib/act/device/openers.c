/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors and mappings in /proc, by device number or inode. */
#include "act/device/openers.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <linux/loop.h>
#include <search.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/texts.h"
#include "record/size.h"

/* Descriptors are compared with these: the device numbers of the disk, of its partitions and of the
 * character devices that pass commands through to it; the inode of a file. */
struct number {
	mode_t type; /* S_IFBLK, S_IFCHR */
	dev_t device;
};

struct inode {
	dev_t device;
	uint64_t number;
};

struct wanted {
	GA_LIST(struct number) devices;
	GA_LIST(struct inode) files;
	bool mapped; /* found only by a mapping */
	bool unknown; /* a node that may exist could not be read, so its users are unknown */
	void *seen;  /* mapped files that were checked and do not match */
};

static void add_number(struct wanted *w, mode_t type, const char *attr)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	unsigned int maj, min;

	if (ga_file_attr(AT_FDCWD, attr, &text) && sscanf(text.buf, "%u:%u", &maj, &min) == 2)
		*ga_list_add(&w->devices) = (struct number){ type, makedev(maj, min) };
}

static void want_file(dev_t device, uint64_t inode, struct wanted *w)
{
	*ga_list_add(&w->files) = (struct inode){ device, inode };
}

static void want(const struct ga_disk *d, struct wanted *w)
{
	ga_autofree char *folder = ga_xprintf("/sys/class/block/%s/device/scsi_generic",
					      d->dev.name);
	ga_autodir DIR *dir = NULL;
	struct loop_info64 info;
	struct dirent *e;
	struct stat st;

	*w = (struct wanted){ 0 };
	if (ga_streq(d->medium, "file")) {
		if (!fstat(d->fd, &st))
			want_file(st.st_dev, st.st_ino, w);
		return;
	}
	*ga_list_add(&w->devices) = (struct number){
		S_IFBLK, makedev((unsigned int)d->dev.major, (unsigned int)d->dev.minor)
	};
	for (size_t i = 0; i < d->dev.partitions.n; i++) {
		ga_autofree char *attr = ga_xprintf("/sys/class/block/%s/dev",
						    d->dev.partitions.v[i]);

		add_number(w, S_IFBLK, attr);
	}
	/* /dev/sg3 and /dev/ng1n1 read and write the same blocks by commands. */
	dir = opendir(folder);
	while (dir && (e = readdir(dir))) {
		ga_autofree char *attr = ga_xprintf("%s/%s/dev", folder, e->d_name);

		if (e->d_name[0] != '.')
			add_number(w, S_IFCHR, attr);
	}
	if (ga_starts(d->dev.name, "nvme")) {
		ga_autofree char *attr = ga_xprintf("/sys/class/nvme-generic/ng%s/dev",
						    d->dev.name + strlen("nvme"));

		add_number(w, S_IFCHR, attr);
	}
	/* A process that has the file of a loop device open can write its bytes. */
	if (ga_starts(d->dev.name, "loop") && !ioctl(d->fd, LOOP_GET_STATUS64, &info) &&
	    !info.lo_rdevice)
		want_file((dev_t)info.lo_device, info.lo_inode, w);
}

static bool matches(const struct wanted *w, const struct statx *st)
{
	mode_t type = st->stx_mode & S_IFMT;
	size_t i;

	for (i = 0; i < w->files.n; i++)
		if (st->stx_ino == w->files.v[i].number &&
		    makedev(st->stx_dev_major, st->stx_dev_minor) == w->files.v[i].device)
			return true;
	for (i = 0; i < w->devices.n; i++)
		if (type == w->devices.v[i].type &&
		    makedev(st->stx_rdev_major, st->stx_rdev_minor) == w->devices.v[i].device)
			return true;
	return false;
}

/* Whether the process has ended meanwhile: then it has nothing open. */
static bool has_gone(void)
{
	return errno == ENOENT || errno == ESRCH;
}

/* Whether a link in a folder of /proc leads to a wanted device or file: 1, 0, or -1 when the folder
 * cannot be read. */
static int folder_has(int proc, const char *pid, const char *what, const struct wanted *w)
{
	ga_autofree char *path = ga_xprintf("%s/%s", pid, what);
	ga_autofd int fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ga_autodir DIR *dir = NULL;
	struct dirent *e;
	struct statx st;
	int r = 0;

	if (fd < 0)
		return has_gone() ? 0 : -1;
	dir = fdopendir(fd);
	if (!dir)
		return -1;
	fd = -1;
	for (errno = 0; (e = readdir(dir)); errno = 0) {
		if (e->d_name[0] == '.')
			continue;
		/* AT_STATX_DONT_SYNC: a dead network file system must not block the guard. */
		if (statx(dirfd(dir), e->d_name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
			  STATX_TYPE | STATX_INO, &st) < 0)
			r = errno == EPERM || errno == EACCES ? -1 : r;
		else if (matches(w, &st))
			return 1;
	}
	return errno && !has_gone() ? -1 : r;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Whether one mapping is of a wanted device or file, as folder_has. file is its device, inode and
 * path: libraries that every process maps are checked only once. */
static int mapping_is(int proc, const char *pid, uint64_t start, uint64_t end, const char *file,
		      struct wanted *w)
{
	ga_autofree char *link = NULL;
	struct statx st;

	if (tfind(file, &w->seen, by_text))
		return 0;
	link = ga_xprintf("%s/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
	if (statx(proc, link, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_INO,
		  &st) < 0)
		return errno == EPERM || errno == EACCES ? -1 : 0;
	if (matches(w, &st))
		return 1;
	file = ga_xstrdup(file);
	if (!tsearch(file, &w->seen, by_text))
		abort();
	return 0;
}

/* The mappings of a process, as folder_has: "start-end rights offset device inode path". */
static int mappings_have(int proc, const char *pid, struct wanted *w)
{
	ga_autofree char *path = ga_xprintf("%s/maps", pid);
	ga_autofd int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	ga_autofile FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	ga_autofree char *line = NULL;
	size_t room = 0;
	int r = 0;

	if (!f)
		return fd < 0 && has_gone() ? 0 : -1;
	fd = -1;
	for (errno = 0; r <= 0 && getline(&line, &room, f) > 0; errno = 0) {
		uint64_t start, end;
		int device = 0, inode = 0, found = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %n%*s %n", &start, &end, &device,
			   &inode) < 2 || !inode)
			return -1;
		if (line[inode] != '0') /* else it is a mapping of no file */
			found = mapping_is(proc, pid, start, end, line + device, w);
		r = found ? found : r;
	}
	return r <= 0 && errno && !has_gone() ? -1 : r;
}

/* Checks descriptors, and mappings too: a mapping stays after its descriptor is closed. */
static int task_has(int proc, const char *task, struct wanted *w)
{
	int fds = folder_has(proc, task, "fd", w);
	int maps = fds > 0 ? 0 : mappings_have(proc, task, w);

	w->mapped = maps > 0;
	return fds > 0 || maps > 0 ? 1 : fds < 0 || maps < 0 ? -1 : 0;
}

/* Whether a thread has its own descriptors or memory: after unshare(2), or when its leader has
 * ended. kcmp(2) answers this with one call; where it fails, the thread is looked at. */
static bool is_apart(pid_t process, pid_t thread)
{
	return syscall(SYS_kcmp, process, thread, KCMP_FILES, 0, 0) ||
	       syscall(SYS_kcmp, process, thread, KCMP_VM, 0, 0);
}

/* 1 when the process has the device or file open or mapped, 0 when not, -1 when it cannot be looked
 * at. */
static int process_has(int proc, const char *pid, struct wanted *w)
{
	ga_autofree char *path = ga_xprintf("%s/task", pid);
	ga_autofd int fd = -1;
	ga_autodir DIR *dir = NULL;
	int r = task_has(proc, pid, w);
	struct dirent *e;

	if (r)
		return r;
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return has_gone() ? 0 : -1;
	dir = fdopendir(fd);
	if (!dir)
		return -1;
	fd = -1;
	for (errno = 0; r == 0 && (e = readdir(dir)); errno = 0)
		/* A thread has a folder /proc/THREAD too, which the listing of /proc leaves out and
		 * which has all of these. */
		if (isdigit((unsigned char)e->d_name[0]) && !ga_streq(e->d_name, pid) &&
		    is_apart((pid_t)strtol(pid, NULL, 10), (pid_t)strtol(e->d_name, NULL, 10)))
			r = task_has(proc, e->d_name, w);
	return !r && errno && !has_gone() ? -1 : r;
}

static int64_t pid_of(const char *name)
{
	return strtoll(name, NULL, 10);
}

static void name_process(int proc, const char *pid, struct ga_openers *ret)
{
	ga_autofree char *path = ga_xprintf("%s/comm", pid);
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i;

	ret->pid = pid_of(pid);
	(void)ga_file_attr(proc, path, &text); /* a process that has just ended has no name */
	for (i = 0; i < text.len; i++)
		if (iscntrl((unsigned char)text.buf[i]))
			text.buf[i] = '?';
	snprintf(ret->command, sizeof(ret->command), "%s", text.buf);
}

/* A process that begins or ends may be hidden for a moment, also from root: look again for this
 * long, over all processes. */
#define HIDDEN_MICROS GA_SECOND
#define LOOK_AGAIN 10000

static void look_for(struct wanted *w, struct ga_openers *ret)
{
	int64_t deadline = ga_clock_mono_micros() + HIDDEN_MICROS;
	ga_autofree char *self = ga_xprintf("%d", (int)getpid());
	ga_autodir DIR *dir = opendir("/proc");
	struct dirent *e;

	memset(ret, 0, sizeof(*ret));
	ret->complete = dir != NULL;
	for (errno = 0; dir && !ret->pid && (e = readdir(dir)); errno = 0) {
		int r;

		if (!isdigit((unsigned char)e->d_name[0]) || ga_streq(e->d_name, self))
			continue;
		do
			r = process_has(dirfd(dir), e->d_name, w);
		while (r < 0 && !geteuid() && !ga_streq(e->d_name, "1") &&
		       ga_clock_wait(deadline, LOOK_AGAIN));
		if (r > 0)
			name_process(dirfd(dir), e->d_name, ret);
		else if (r < 0 && ga_streq(e->d_name, "1") && !geteuid())
			ret->init_hidden = true;
		else if (r < 0)
			ret->hidden = pid_of(e->d_name);
	}
	/* An error may have ended the list of processes early. */
	ret->complete = ret->complete && !errno && !ret->hidden;
	ret->mapped = w->mapped;
	ga_list_release(&w->devices);
	ga_list_release(&w->files);
	tdestroy(w->seen, free);
}

void ga_openers_find(const struct ga_disk *d, struct ga_openers *ret)
{
	struct wanted w;

	want(d, &w);
	look_for(&w, ret);
}

void ga_openers_of_nodes(const struct ga_texts *paths, struct ga_openers *ret)
{
	struct wanted w = { 0 };
	struct stat st;

	*ret = (struct ga_openers){ .complete = true };
	for (size_t i = 0; i < paths->n; i++) {
		if (stat(paths->v[i], &st) < 0) {
			w.unknown = w.unknown || (errno != ENOENT && errno != ENOTDIR);
			continue;
		}
		/* A character device is found by its number, whatever name was used to open it; a
		 * file as a file. */
		if (S_ISCHR(st.st_mode))
			*ga_list_add(&w.devices) = (struct number){ S_IFCHR, st.st_rdev };
		want_file(st.st_dev, st.st_ino, &w);
	}
	if (w.files.n)
		look_for(&w, ret);
	ret->complete = ret->complete && !w.unknown;
}

void ga_openers_of_node(const char *path, struct ga_openers *ret)
{
	ga_autotexts struct ga_texts one = { 0 };

	ga_texts_add(&one, path);
	ga_openers_of_nodes(&one, ret);
}
