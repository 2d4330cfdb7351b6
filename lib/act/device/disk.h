/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that will be written: found by identity, opened once and exclusively, and then used only
 * through its descriptor. Disks are block devices and, in a lab, the regular files that stand in
 * for them.
 *
 * The operations are a table, so that tests can replace them by a disk that lies.
 */
#ifndef GA_ACT_DEVICE_DISK_H
#define GA_ACT_DEVICE_DISK_H

#include <sys/types.h>

#include "base/ga.h"
#include "look/block/block.h"

/* Where long work reports its progress. */
struct ga_watch {
	void (*progress)(void *arg, int64_t done, int64_t total);
	void *arg;
};
void ga_watch_tell(const struct ga_watch *watch, int64_t done, int64_t total); /* watch or NULL */

struct ga_disk;

/* Each returns what its system call returns: -1 with errno on error. */
struct ga_disk_ops {
	ssize_t (*read)(struct ga_disk *d, void *buf, size_t len, int64_t offset);
	ssize_t (*write)(struct ga_disk *d, const void *buf, size_t len, int64_t offset);
	/* Makes the range read as zeros; EOPNOTSUPP when the caller has to write zeros. */
	int (*zero)(struct ga_disk *d, int64_t offset, int64_t len);
	int (*sync)(struct ga_disk *d); /* makes everything durable, in the drive too */
};
extern const struct ga_disk_ops ga_disk_real_ops;

struct ga_disk {
	struct ga_block_dev dev;
	char *identity;	    /* wwid; "loop:DEV:INODE", "file:DEV:INODE", "serial:…" without one */
	const char *medium; /* nvme, block, file; known after ga_disk_open */
	int fd;		    /* -1 while closed */
	_Atomic bool direct; /* O_DIRECT is in force; two threads read (zero.c) */
	int64_t size_bytes; /* from the descriptor */
	const struct ga_disk_ops *ops;
	void *arg; /* of a test's ops */
};
#define GA_DISK_INIT { .fd = -1, .ops = &ga_disk_real_ops }
#define ga_autodisk ga_cleanup(ga_disk_release)
void ga_disk_release(struct ga_disk *d); /* closes and frees */

/* Finds a disk by wwid or by a path; reads only. GA_NOTFOUND; GA_CONFLICT for a partition, a
 * stacked device, or a wwid that two disks claim. */
GA_MUST_CHECK int ga_disk_find(const char *which, struct ga_disk *ret, struct ga_err *err);
/* Opens the disk with O_EXCL (files of a lab: an exclusive flock), for writing or only for reading.
 * GA_BUSY with reason "nvme_in_use" when another program uses the disk or a partition of it. */
GA_MUST_CHECK int ga_disk_open(struct ga_disk *d, bool write, struct ga_err *err);
/* Identity and disk sequence number of the open descriptor as they are now, allocated; NULL when
 * the kernel does not show them. */
char *ga_disk_wwid(const struct ga_disk *d);
char *ga_disk_diskseq(const struct ga_disk *d);
/* The size now, in bytes; GA_UNKNOWN when the kernel does not show it. */
int64_t ga_disk_size(const struct ga_disk *d);
/* Switches direct I/O on, except where the file system has none. */
void ga_disk_set_direct(struct ga_disk *d);

/* Read, write or flush completely: 0, or -1 with err. */
GA_MUST_CHECK int ga_disk_read(struct ga_disk *d, void *buf, size_t len, int64_t offset,
			       struct ga_err *err);
GA_MUST_CHECK int ga_disk_write(struct ga_disk *d, const void *buf, size_t len, int64_t offset,
				struct ga_err *err);
GA_MUST_CHECK int ga_disk_sync(struct ga_disk *d, struct ga_err *err);

/* Makes the kernel read the partition table again, so that no node of an erased partition stays. */
void ga_disk_forget_partitions(struct ga_disk *d);

/* Zeroed memory that is fit for direct I/O; free it with free(3). */
void *ga_disk_buffer(size_t len);

#endif
