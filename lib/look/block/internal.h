/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of this folder, private to them: the tree of devices that stand on a disk,
 * and the kernel's lists, which are read once.
 */
#ifndef GA_LOOK_BLOCK_INTERNAL_H
#define GA_LOOK_BLOCK_INTERNAL_H

#include <sys/types.h>

#include "base/str.h"
#include "base/texts.h"
#include "look/block/block.h"
#include "look/sys.h"

enum ga_node_sort {
	GA_NODE_OWN,	/* the disk or a partition of it */
	GA_NODE_SAME,	/* another name for the same bytes */
	GA_NODE_HOLDER, /* built on a device of the tree */
	GA_NODE_LOOP,	/* a loop device over a device of the tree, or a file on one */
	GA_NODE_PART,	/* a partition of a device that is not the disk */
};

struct ga_block_node {
	char *name;
	enum ga_node_sort sort;
	int64_t major, minor; /* GA_UNKNOWN */
	const struct ga_block_loop *loop; /* borrowed; of GA_NODE_LOOP */
};

/* A disk, and the devices that stand on it. A disk that is a file (of a lab, or of a loop device)
 * is also known by file system and inode. */
struct ga_block_tree {
	GA_LIST(struct ga_block_node) nodes; /* the disk and its partitions first */
	bool has_file;
	dev_t file_device;
	ino_t file_inode;
};
void ga_block_tree_release(struct ga_block_tree *tree);
/* Adds a device with its partitions, unless the tree has the device. */
void ga_block_tree_add(struct ga_block_tree *tree, const char *name, enum ga_node_sort sort,
		       const struct ga_block_loop *loop);
/* The node of a name or of a device number, or NULL. */
const struct ga_block_node *ga_block_tree_name(const struct ga_block_tree *tree, const char *name);
const struct ga_block_node *ga_block_tree_number(const struct ga_block_tree *tree, int64_t major,
						 int64_t minor);

struct ga_block_mount_row {
	int64_t major, minor;
	char *where;
	char *source; /* "nvme1n1" of "/dev/nvme1n1": btrfs mounts have a number of their own */
	bool is_part; /* the mount shows a part of the file system: one folder or file */
	int64_t pid;
};

/* A loop device that is set up. */
struct ga_block_loop {
	char *name;
	char *backing;	  /* the path that sysfs shows; the file may be deleted, or in another mount
			     namespace */
	bool known;	  /* the kernel reports what is below it, independent of its path */
	bool is_device;	  /* over a block device; else over a file */
	dev_t device;	  /* known: of the block device, or of the file's file system */
	ino_t inode;	  /* known: of the file */
};

/* A path or device that the kernel itself exports to others, without a process. */
struct ga_block_export {
	char *by;   /* "nvmet subsystem nqn.x" */
	char *path; /* or NULL */
	int64_t major, minor; /* or GA_UNKNOWN */
};

struct ga_block_wwid {
	char *name, *wwid;
};

struct ga_block_table {
	GA_LIST(struct ga_block_mount_row) mounts;
	struct ga_texts swaps; /* the paths of /proc/swaps */
	struct ga_str mdstat;
	bool namespaces_known;
	GA_LIST(struct ga_block_loop) loops;
	GA_LIST(struct ga_block_export) exports;
	bool exports_known;
	GA_LIST(struct ga_block_wwid) wwids; /* of every disk that has one */
};

/*
 * Opens the node of a disk or partition for reading, and checks on the descriptor that it is the
 * device with that number (from sysfs): a name in /dev may lead elsewhere. is_block is the disk's:
 * a lab's disk is a file, a real disk never. -1 with errno.
 */
GA_MUST_CHECK int ga_block_open(const char *path, int64_t major, int64_t minor, int64_t is_block);

/* Read the loop devices and exports that are set up now into the table. */
void ga_block_read_loops(struct ga_block_table *table);
void ga_block_read_exports(struct ga_block_table *table);
void ga_block_release_loops(struct ga_block_table *table);
void ga_block_release_exports(struct ga_block_table *table);

/* Whether a path is a device of the tree, the disk's file, or a file on a file system of it. */
bool ga_block_tree_has_path(const struct ga_block_table *table, const struct ga_block_tree *tree,
			    const char *path);
/* Adds the loop devices that stand on devices of the tree. True when there were new ones. */
bool ga_block_add_loops(const struct ga_block_table *table, struct ga_block_tree *tree);
/* Whether it is known for every loop device what is below it. */
bool ga_block_loops_known(const struct ga_block_table *table);
/* Finds the disk itself among the loop devices: its file goes into the tree, a block device below
 * it into the list of slaves. */
void ga_block_own_loop(const struct ga_block_table *table, struct ga_block_tree *tree,
		       struct ga_texts *slaves);
/* Adds the exports of a device of the tree, or of a file on it. */
void ga_block_add_exports(const struct ga_block_table *table, const struct ga_block_tree *tree,
			  struct ga_texts *ret);

#endif
