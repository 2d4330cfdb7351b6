/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVMe namespaces as block devices, found by wwid, and their current uses. Reads only.
 *
 * The wwid is the identity; names and paths are looked up again each time. Hidden path devices
 * (nvme0c0n1 of native multipath) are left out. Facts that need root (the disk must be opened) are
 * unknown without it.
 */
#ifndef GA_LOOK_BLOCK_BLOCK_H
#define GA_LOOK_BLOCK_BLOCK_H

#include "base/ga.h"
#include "base/texts.h"
#include "record/host.h"

struct ga_block_dev {
	char *name;	  /* "nvme9n1" */
	char *path;	  /* "/dev/nvme9n1" */
	char *controller; /* "nvme6", or NULL */
	char *wwid, *serial, *model, *firmware; /* trimmed; NULL when unknown */
	char *pci_address; /* of the controller, or NULL */
	char *diskseq;	   /* decimal, or NULL before Linux 5.15 */
	int64_t size_bytes;
	int64_t logical_block_bytes, nsid, namespaces, numa_node; /* GA_UNKNOWN */
	int64_t is_block; /* tristate by fstat of the opened node: false is a file (lab) */
	int64_t major, minor;
	struct ga_texts partitions; /* kernel names, in order */
};

struct ga_block_devs {
	struct ga_block_dev *v;
	size_t n;
};

/* All NVMe namespaces, by name. */
GA_MUST_CHECK int ga_block_scan(struct ga_block_devs *ret, struct ga_err *err);
/* Adds the kernel names of the hidden path devices of native multipath to names. */
void ga_block_hidden(struct ga_texts *names);
void ga_block_devs_release(struct ga_block_devs *devs);
#define ga_autoblocks ga_cleanup(ga_block_devs_release)
void ga_block_dev_release(struct ga_block_dev *dev);
#define ga_autoblock ga_cleanup(ga_block_dev_release)

/* The disk with the wwid. GA_NOTFOUND when there is none, GA_CONFLICT when two claim it. */
GA_MUST_CHECK int ga_block_find(const char *wwid, struct ga_block_dev *ret, struct ga_err *err);

struct ga_block_mount {
	char *device; /* kernel name of disk, partition or holder mounted; "its file" */
	char *where;  /* mount point */
	int64_t pid;  /* of a process that sees it; 0: this process's own namespace */
};

/* Everything that uses a disk, its partitions, and what is built on them, recursively. */
struct ga_block_uses {
	GA_LIST(struct ga_block_mount) mounts;
	struct ga_texts holders;    /* kernel names of devices built on it (dm-0, md1, …) */
	struct ga_texts loops;	    /* loop devices over it, over a partition, a holder, or a file
				       on one of these: "loop7 (/dev/nvme1n1)" */
	struct ga_texts slaves;	    /* devices that the disk itself is built on */
	struct ga_texts swap;	    /* /proc/swaps entries on it: "nvme1n1p2", "/swap" */
	struct ga_texts md;	    /* arrays of /proc/mdstat that name it */
	struct ga_texts exports;    /* kernel targets that export it: "nvmet subsystem …" */
	struct ga_texts same;	    /* other disks with its wwid; their uses are above too */
	struct ga_texts signatures; /* "nvme1n1: gpt", "nvme1n1p2: ext4" */
	bool signatures_known; /* disk and all partitions could be read */
	bool namespaces_known; /* the mounts of every process could be read */
	bool loops_known;      /* for every loop device it is known what is below it */
	bool exports_known;    /* the lists of exports could be read */
};

/* Fills ret from the kernel's lists as they are now; signatures: reads signatures too. GA_HOST when
 * the kernel shows no mounts. */
GA_MUST_CHECK int ga_block_uses(const struct ga_block_dev *dev, bool signatures,
				struct ga_block_uses *ret, struct ga_err *err);
void ga_block_uses_release(struct ga_block_uses *uses);
#define ga_autouses ga_cleanup(ga_block_uses_release)
/* Whether the disk is mounted, held, below a loop device, swap, part of an array, or exported. A
 * signature alone is no use. */
bool ga_block_is_used(const struct ga_block_uses *uses);
/* Whether all of these could be read: if not, "not used" proves nothing. */
bool ga_block_uses_known(const struct ga_block_uses *uses);
/* Whether one of the mounts is part of the running system (/, /boot, /boot/efi, /usr, /var). */
bool ga_block_is_system(const struct ga_block_uses *uses);

/* The mounts, swaps and arrays of the machine, read once for many disks. */
struct ga_block_table;
/* Never returns NULL, also when some of it cannot be read. Free it with ga_block_table_free. */
struct ga_block_table *ga_block_table_read(void);
/* Whether the mounts of every process could be read. */
bool ga_block_table_is_whole(const struct ga_block_table *table);
void ga_block_table_free(struct ga_block_table *table);
void ga_cleanup_block_table(struct ga_block_table **table);
#define ga_autoblocktable ga_cleanup(ga_cleanup_block_table)
/* As ga_block_uses, but reads from the table. */
void ga_block_uses_in(const struct ga_block_table *table, const struct ga_block_dev *dev,
		      bool signatures, struct ga_block_uses *ret);

/* The result of reading a sample of a disk's blocks. */
struct ga_content {
	bool known;	    /* the whole sample could be read, or a block that differs was found */
	int64_t blocks;	    /* blocks of 4 KiB that were read */
	unsigned char byte; /* the first of the disk */
	int64_t differs_at; /* offset of the first block found with another byte, or GA_UNKNOWN */
};

/* Reads the first and last MiB and 512 random blocks of 4 KiB of an open disk; all of a disk of at
 * most 16 MiB. Ends at the first block that differs. */
void ga_block_content_read(int fd, int64_t size, struct ga_content *ret);
/* The content as the word of a candidate: empty (all zero), pattern (all 0xff, which is erased
 * flash, unless DLFEAT reports another value for deallocated blocks), unknown_content, unread. */
const char *ga_block_content_word(const struct ga_content *c, int64_t dlfeat);
/* The same for people, allocated. */
char *ga_block_content_text(const char *word, const struct ga_content *c);

/* Writes the uses (read with signatures) into the disk's record, in place of the uses there, and
 * reads the content of a disk without signatures. The record must have its capabilities already. */
void ga_block_show(const struct ga_block_dev *dev, const struct ga_block_uses *uses,
		   struct ga_nvme *ret);

/* The uses of a disk for people: "nvme4n1p2 mounted on /; held by dm-0"; allocated, empty when
 * nothing uses it. */
char *ga_block_uses_text(const struct ga_block_uses *uses);

/* Adds the content signatures found on an open disk or partition, as "name: type". -1 with errno
 * when a part cannot be read. */
GA_MUST_CHECK int ga_block_signatures(int fd, const char *name, struct ga_texts *list);

#endif
