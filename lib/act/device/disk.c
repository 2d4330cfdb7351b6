/* SPDX-License-Identifier: Apache-2.0 */
/* Disks to be written: identity, exclusive descriptor, reading, writing, zeroing. */
#include "act/device/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/texts.h"
#include "record/fault.h"
#include "record/size.h"

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, __u64)
#endif

void ga_watch_tell(const struct ga_watch *watch, int64_t done, int64_t total)
{
	if (watch && watch->progress)
		watch->progress(watch->arg, done, total);
}

void ga_disk_release(struct ga_disk *d)
{
	ga_cleanup_fd(&d->fd);
	d->fd = -1;
	ga_block_dev_release(&d->dev);
	free(d->identity);
	d->identity = NULL;
}

/* ---- finding ---- */

static char *class_attr(const char *name, const char *attr)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autofree char *path = ga_xprintf("/sys/class/block/%s/%s", name, attr);

	if (!ga_file_attr(AT_FDCWD, path, &text))
		return NULL;
	while (text.len && (text.buf[text.len - 1] == ' ' || text.buf[text.len - 1] == '\t'))
		text.buf[--text.len] = '\0';
	return text.len ? ga_str_take(&text) : NULL;
}

static int64_t class_number(const char *name, const char *attr)
{
	struct ga_err ignored = GA_ERR_INIT; /* an attribute that is no number is unknown */
	ga_autofree char *text = class_attr(name, attr);
	int64_t n;

	if (!text || ga_int_parse(text, attr, 0, GA_INT_MAX_SAFE, &n, &ignored) < 0)
		return GA_UNKNOWN;
	return n;
}

static char *loop_identity(const char *path)
{
	ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct loop_info64 info;

	if (fd < 0 || ioctl(fd, LOOP_GET_STATUS64, &info) < 0)
		return NULL;
	return ga_xprintf("loop:%llx:%llu", (unsigned long long)info.lo_device,
			  (unsigned long long)info.lo_inode);
}

/* The best name that the kernel has for a disk without a wwid. */
static char *other_identity(const struct ga_block_dev *dev)
{
	ga_autofree char *serial = class_attr(dev->name, "serial");
	ga_autofree char *scsi = class_attr(dev->name, "device/wwid");

	if (ga_starts(dev->name, "loop"))
		return loop_identity(dev->path);
	if (scsi)
		return GA_TAKE(scsi);
	return serial ? ga_xprintf("serial:%s", serial) : NULL;
}

static void add_partitions(struct ga_block_dev *dev)
{
	int i;

	/* The kernel numbers at most 255 partitions of a disk. */
	for (i = 1; i < 256; i++) {
		size_t len = strlen(dev->name);
		bool digit = dev->name[len - 1] >= '0' && dev->name[len - 1] <= '9';
		ga_autofree char *part = ga_xprintf("%s%s%d", dev->name, digit ? "p" : "", i);
		ga_autofree char *attr = ga_xprintf("%s/partition", part);
		ga_autofree char *number = class_attr(dev->name, attr);

		if (number)
			ga_texts_add(&dev->partitions, part);
	}
}

/* A block device that ga_block_find does not know: not an NVMe namespace. */
static int describe_block(const char *name, dev_t rdev, struct ga_block_dev *dev,
			  struct ga_err *err)
{
	ga_autofree char *partition = class_attr(name, "partition");
	int64_t sectors = class_number(name, "size");

	if (partition)
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("'/dev/%s' is a partition", name),
				 ("name the whole disk"));
	if (ga_starts(name, "dm-") || ga_starts(name, "md"))
		return ga_fail(err, GA_CONFLICT, "'/dev/%s' is built on other devices", name);
	dev->name = ga_xstrdup(name);
	dev->path = ga_xprintf("/dev/%s", name);
	dev->wwid = class_attr(name, "wwid");
	dev->model = class_attr(name, "device/model");
	dev->diskseq = class_attr(name, "diskseq");
	dev->size_bytes = sectors == GA_UNKNOWN ? GA_UNKNOWN : sectors * 512;
	dev->logical_block_bytes = class_number(name, "queue/logical_block_size");
	dev->nsid = dev->namespaces = dev->numa_node = GA_UNKNOWN;
	dev->is_block = 1;
	dev->major = major(rdev);
	dev->minor = minor(rdev);
	add_partitions(dev);
	return 0;
}

static int describe_file(const char *path, const struct stat *st, struct ga_disk *d)
{
	d->dev.name = ga_xstrdup(path);
	d->dev.path = ga_xstrdup(path);
	d->dev.size_bytes = st->st_size;
	d->dev.logical_block_bytes = 512;
	d->dev.nsid = d->dev.namespaces = d->dev.numa_node = GA_UNKNOWN;
	d->dev.is_block = 0;
	d->identity = ga_xprintf("file:%llx:%llu", (unsigned long long)st->st_dev,
				 (unsigned long long)st->st_ino);
	return 0;
}

static int find_by_path(const char *path, struct ga_disk *d, struct ga_err *err)
{
	ga_autofree char *link = NULL;
	char target[512];
	struct stat st;
	ssize_t n;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? ga_fail(err, GA_NOTFOUND, "'%s' does not exist", path) :
					 ga_fail_sys(err, "cannot look at '%s'", path);
	if (S_ISREG(st.st_mode))
		return describe_file(path, &st, d);
	if (!S_ISBLK(st.st_mode))
		return ga_fail_for(err, GA_CONFLICT, "nvme_not_block",
				   "'%s' is not a block device", path);
	link = ga_xprintf("/sys/dev/block/%u:%u", major(st.st_rdev), minor(st.st_rdev));
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return ga_fail_sys(err, "cannot read '%s'", link);
	target[n] = '\0';
	if (describe_block(strrchr(target, '/') ? strrchr(target, '/') + 1 : target, st.st_rdev,
			   &d->dev, err) < 0)
		return -1;
	return 0;
}

int ga_disk_find(const char *which, struct ga_disk *ret, struct ga_err *err)
{
	bool is_path = strchr(which, '/');

	if (is_path && find_by_path(which, ret, err) < 0)
		return -1;
	if (ret->identity)
		return 0;
	if (!is_path || (ret->dev.wwid && ga_starts(ret->dev.name, "nvme"))) {
		ga_autofree char *wwid = ga_xstrdup(is_path ? ret->dev.wwid : which);

		ga_block_dev_release(&ret->dev);
		memset(&ret->dev, 0, sizeof(ret->dev));
		if (ga_block_find(wwid, &ret->dev, err) < 0)
			return -1;
	}
	ret->identity = ret->dev.wwid ? ga_xstrdup(ret->dev.wwid) : other_identity(&ret->dev);
	if (!ret->identity)
		return ga_fail_for(err, GA_HOST, "no_identity",
				   "'%s' has neither wwid nor serial: it cannot be "
				   "identified", which);
	return 0;
}

/* ---- opening ---- */

static int inspect(struct ga_disk *d, struct ga_err *err)
{
	struct stat st;

	if (fstat(d->fd, &st) < 0)
		return ga_fail_sys(err, "cannot look at '%s'", d->dev.path);
	if (S_ISBLK(st.st_mode)) {
		if (major(st.st_rdev) != (unsigned int)d->dev.major ||
		    minor(st.st_rdev) != (unsigned int)d->dev.minor)
			return ga_fail_for(err, GA_CONFLICT, "identity_changed",
					   "'%s' is no longer the same device", d->dev.path);
		d->medium = ga_starts(d->dev.name, "nvme") ? "nvme" : "block";
	} else if (S_ISREG(st.st_mode)) {
		d->medium = "file";
	} else {
		return ga_fail_for(err, GA_CONFLICT, "nvme_not_block",
				   "'%s' is not a block device", d->dev.path);
	}
	d->size_bytes = ga_disk_size(d);
	if (d->size_bytes <= 0)
		return ga_fail(err, GA_HOST, "'%s' has no size", d->dev.path);
	return 0;
}

int ga_disk_open(struct ga_disk *d, bool write, struct ga_err *err)
{
	int flags = O_CLOEXEC | O_EXCL | O_NOCTTY | O_NONBLOCK | (write ? O_RDWR : O_RDONLY);

	d->fd = open(d->dev.path, flags);
	if (d->fd < 0 && errno == EBUSY)
		return ga_fail_for(err, GA_BUSY, "nvme_in_use",
				   "'%s' or a partition of it is in use: mounted, swap, or part of "
				   "another device",
				   d->dev.path);
	if (d->fd < 0)
		return ga_fail_sys(err, "cannot open '%s'", d->dev.path);
	if (inspect(d, err) < 0)
		return -1;
	/* O_EXCL has no effect on a file: a lock replaces it. */
	if (ga_streq(d->medium, "file") && flock(d->fd, (write ? LOCK_EX : LOCK_SH) | LOCK_NB) < 0)
		return ga_fail_for(err, GA_BUSY, "nvme_in_use",
				   "'%s' is locked by another program", d->dev.path);
	return 0;
}

int64_t ga_disk_size(const struct ga_disk *d)
{
	uint64_t bytes;
	struct stat st;

	if (fstat(d->fd, &st) < 0)
		return GA_UNKNOWN;
	if (S_ISREG(st.st_mode))
		return st.st_size;
	return ioctl(d->fd, BLKGETSIZE64, &bytes) < 0 ? GA_UNKNOWN : (int64_t)bytes;
}

char *ga_disk_diskseq(const struct ga_disk *d)
{
	uint64_t seq;

	if (!ioctl(d->fd, BLKGETDISKSEQ, &seq))
		return ga_xprintf("%llu", (unsigned long long)seq);
	return d->dev.is_block == 1 || strchr(d->dev.name, '/')
		       ? NULL
		       : class_attr(d->dev.name, "diskseq");
}

char *ga_disk_wwid(const struct ga_disk *d)
{
	struct stat st;

	if (fstat(d->fd, &st) < 0)
		return NULL;
	if (S_ISBLK(st.st_mode)) {
		ga_autofree char *path = ga_xprintf("/sys/dev/block/%u:%u/wwid", major(st.st_rdev),
						    minor(st.st_rdev));
		ga_autostr struct ga_str text = GA_STR_INIT;

		if (ga_file_attr(AT_FDCWD, path, &text) && text.len) {
			while (text.len && text.buf[text.len - 1] == ' ')
				text.buf[--text.len] = '\0';
			return ga_str_take(&text);
		}
		return other_identity(&d->dev);
	}
	if (strchr(d->dev.name, '/'))
		return ga_xprintf("file:%llx:%llu", (unsigned long long)st.st_dev,
				  (unsigned long long)st.st_ino);
	return class_attr(d->dev.name, "wwid");
}

void ga_disk_set_direct(struct ga_disk *d)
{
	int flags = fcntl(d->fd, F_GETFL);

	d->direct = flags >= 0 && !fcntl(d->fd, F_SETFL, flags | O_DIRECT);
}

static void clear_direct(struct ga_disk *d)
{
	int flags = fcntl(d->fd, F_GETFL);

	if (flags >= 0)
		fcntl(d->fd, F_SETFL, flags & ~O_DIRECT);
	d->direct = false;
}

/* ---- the real operations ---- */

static ssize_t real_read(struct ga_disk *d, void *buf, size_t len, int64_t offset)
{
	return pread(d->fd, buf, len, offset);
}

static ssize_t real_write(struct ga_disk *d, const void *buf, size_t len, int64_t offset)
{
	return pwrite(d->fd, buf, len, offset);
}

static int real_zero(struct ga_disk *d, int64_t offset, int64_t len)
{
	uint64_t range[2] = { (uint64_t)offset, (uint64_t)len };

	if (ga_streq(d->medium, "file"))
		return fallocate(d->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, len);
	return ioctl(d->fd, BLKZEROOUT, range);
}

static int real_sync(struct ga_disk *d)
{
	if (fsync(d->fd) < 0)
		return -1;
	/* Without direct I/O the next reads must come from the disk too: drop the cache. */
	if (!d->direct && !ga_streq(d->medium, "file"))
		return ioctl(d->fd, BLKFLSBUF, 0);
	if (!d->direct)
		posix_fadvise(d->fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

const struct ga_disk_ops ga_disk_real_ops = { real_read, real_write, real_zero, real_sync };

int ga_disk_read(struct ga_disk *d, void *buf, size_t len, int64_t offset, struct ga_err *err)
{
	char *p = buf;

	while (len) {
		bool direct = d->direct; /* the mode of this try: another thread may clear it */
		ssize_t n = d->ops->read(d, p, len, offset);

		if (n < 0 && errno == EINTR)
			continue;
		/* A file's last block need not fit direct I/O. */
		if (n < 0 && errno == EINVAL && direct) {
			clear_direct(d);
			continue;
		}
		if (n < 0) {
			ga_err_set_sys(err, "cannot read '%s' at %lld", d->dev.path,
				       (long long)offset);
			return ga_err_about(err, GA_FAULT_DISK_READ, NULL);
		}
		if (!n)
			return ga_fail_for(err, GA_SYSTEM, GA_FAULT_DISK_READ, "'%s' ends at %lld",
					   d->dev.path, (long long)offset);
		p += n;
		offset += n;
		len -= (size_t)n;
	}
	return 0;
}

int ga_disk_write(struct ga_disk *d, const void *buf, size_t len, int64_t offset,
		  struct ga_err *err)
{
	const char *p = buf;

	while (len) {
		ssize_t n = d->ops->write(d, p, len, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EINVAL && d->direct) {
			clear_direct(d);
			continue;
		}
		if (n < 0) {
			ga_err_set_sys(err, "cannot write '%s' at %lld", d->dev.path,
				       (long long)offset);
			return ga_err_about(err, GA_FAULT_DISK_WRITE, NULL);
		}
		p += n;
		offset += n;
		len -= (size_t)n;
	}
	return 0;
}

int ga_disk_sync(struct ga_disk *d, struct ga_err *err)
{
	if (d->ops->sync(d) >= 0)
		return 0;
	ga_err_set_sys(err, "cannot flush '%s'", d->dev.path);
	return ga_err_about(err, GA_FAULT_DISK_WRITE, NULL);
}

void ga_disk_forget_partitions(struct ga_disk *d)
{
	/* A disk that cannot have partitions (a loop device without them) refuses the request; that
	 * is no error. */
	if (!ga_streq(d->medium, "file"))
		ioctl(d->fd, BLKRRPART, 0);
}

void *ga_disk_buffer(size_t len)
{
	void *p = aligned_alloc(4096, (len + 4095) / 4096 * 4096);

	if (!p)
		abort();
	memset(p, 0, len);
	return p;
}
