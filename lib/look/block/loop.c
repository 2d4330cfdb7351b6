/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loop devices, and the tree of devices that they are part of. The kernel keeps no holder link for
 * a loop device, and does not open the file or device below it exclusively: nothing else shows this
 * use.
 */
#include "look/block/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/file.h"
#include "base/texts.h"

/* ---- the tree ---- */

void ga_block_tree_release(struct ga_block_tree *t)
{
	size_t i;

	for (i = 0; i < t->nodes.n; i++)
		free(t->nodes.v[i].name);
	ga_list_release(&t->nodes);
}

const struct ga_block_node *ga_block_tree_name(const struct ga_block_tree *t, const char *name)
{
	size_t i;

	for (i = 0; name && i < t->nodes.n; i++)
		if (ga_streq(t->nodes.v[i].name, name))
			return &t->nodes.v[i];
	return NULL;
}

const struct ga_block_node *ga_block_tree_number(const struct ga_block_tree *t, int64_t major,
						 int64_t minor)
{
	size_t i;

	for (i = 0; major != GA_UNKNOWN && i < t->nodes.n; i++)
		if (t->nodes.v[i].major == major && t->nodes.v[i].minor == minor)
			return &t->nodes.v[i];
	return NULL;
}

static const struct ga_block_node *of_device(const struct ga_block_tree *t, dev_t device)
{
	return ga_block_tree_number(t, (int64_t)major(device), (int64_t)minor(device));
}

static void add_node(struct ga_block_tree *t, const char *name, enum ga_node_sort sort,
		     const struct ga_block_loop *loop)
{
	ga_autofree char *dir = ga_xprintf("/sys/class/block/%s", name);
	ga_autofree char *dev = ga_sys_attr(dir, "dev");
	char *colon = dev ? strchr(dev, ':') : NULL;
	struct ga_block_node *node;

	if (colon)
		*colon = '\0';
	node = ga_list_add(&t->nodes);
	*node = (struct ga_block_node){
		.name = ga_xstrdup(name),
		.sort = sort,
		.major = colon ? ga_sys_number(dev) : GA_UNKNOWN,
		.minor = colon ? ga_sys_number(colon + 1) : GA_UNKNOWN,
		.loop = loop,
	};
}

void ga_block_tree_add(struct ga_block_tree *t, const char *name, enum ga_node_sort sort,
		       const struct ga_block_loop *loop)
{
	ga_autofree char *dir = ga_xprintf("/sys/class/block/%s", name);
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	if (ga_block_tree_name(t, name))
		return;
	add_node(t, name, sort, loop);
	/* The kernel names a partition after its disk: "sda1", "loop7p1". */
	ga_sys_list(dir, &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *attr = ga_xprintf("%s/%s/partition", dir, names.v[i]);

		if (ga_starts(names.v[i], name) && !ga_block_tree_name(t, names.v[i]) &&
		    ga_sys_exists(attr))
			add_node(t, names.v[i], sort == GA_NODE_OWN ? sort : GA_NODE_PART, NULL);
	}
}

/* ---- paths ---- */

/* The device of the tree whose file system has this number: its own number, or one that btrfs made
 * up. */
static const struct ga_block_node *of_file_system(const struct ga_block_table *table,
						  const struct ga_block_tree *t, dev_t device)
{
	const struct ga_block_node *node = of_device(t, device);
	size_t i;

	for (i = 0; !node && i < table->mounts.n; i++) {
		const struct ga_block_mount_row *row = &table->mounts.v[i];

		if (row->source && row->major == (int64_t)major(device) &&
		    row->minor == (int64_t)minor(device))
			node = ga_block_tree_name(t, row->source);
	}
	return node;
}

/* Whether the path lies on a mount of the tree in this mount namespace. Used for a recording, and
 * for a path that is deleted or cannot be looked at. */
static bool lies_on_mount(const struct ga_block_table *table, const struct ga_block_tree *t,
			  const char *path)
{
	const struct ga_block_mount_row *best = NULL;
	size_t i, len, most = 0;

	for (i = 0; i < table->mounts.n; i++) {
		const struct ga_block_mount_row *row = &table->mounts.v[i];

		len = ga_streq(row->where, "/") ? 0 : strlen(row->where);
		if (row->pid || (best && len < most) || strncmp(path, row->where, len) ||
		    path[len] != '/')
			continue;
		best = row;
		most = len;
	}
	return best && (ga_block_tree_number(t, best->major, best->minor) ||
			ga_block_tree_name(t, best->source));
}

bool ga_block_tree_has_path(const struct ga_block_table *table, const struct ga_block_tree *t,
			    const char *path)
{
	struct stat st;

	if (!path || *path != '/')
		return false;
	if (ga_starts(path, "/dev/") && ga_block_tree_name(t, path + strlen("/dev/")))
		return true;
	if (stat(path, &st) < 0)
		return lies_on_mount(table, t, path);
	if (S_ISBLK(st.st_mode))
		return of_device(t, st.st_rdev);
	if (t->has_file && st.st_dev == t->file_device && st.st_ino == t->file_inode)
		return true;
	return of_file_system(table, t, st.st_dev) || lies_on_mount(table, t, path);
}

/* ---- loop devices ---- */

int ga_block_open(const char *path, int64_t major, int64_t minor, int64_t is_block)
{
	ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	if (S_ISBLK(st.st_mode) ? st.st_rdev == makedev((unsigned int)major, (unsigned int)minor) :
				  S_ISREG(st.st_mode) && is_block != 1)
		return GA_TAKE_FD(fd);
	errno = ENXIO;
	return -1;
}

/* Finds the file or device below the loop device by number, which neither a rename nor a mount
 * namespace changes. */
static void ask_kernel(const char *dir, struct ga_block_loop *loop)
{
	ga_autofree char *path = ga_xprintf("/dev/%s", loop->name);
	ga_autofree char *number = ga_sys_attr(dir, "dev");
	char *colon = number ? strchr(number, ':') : NULL;
	struct loop_info64 info;
	ga_autofd int fd = -1;

	if (!colon)
		return;
	*colon = '\0';
	fd = ga_block_open(path, ga_sys_number(number), ga_sys_number(colon + 1), 1);
	if (fd < 0 || ioctl(fd, LOOP_GET_STATUS64, &info) < 0)
		return;
	loop->known = true;
	loop->is_device = info.lo_rdevice != 0;
	loop->device = (dev_t)(loop->is_device ? info.lo_rdevice : info.lo_device);
	loop->inode = (ino_t)info.lo_inode;
}

void ga_block_read_loops(struct ga_block_table *table)
{
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	ga_sys_list("/sys/block", &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *dir = ga_xprintf("/sys/block/%s", names.v[i]);
		ga_autofree char *set_up = ga_xprintf("%s/loop", dir);
		ga_autofree char *attr = ga_xprintf("%s/backing_file", set_up);
		ga_autostr struct ga_str path = GA_STR_INIT;
		struct ga_block_loop *loop;

		/* The folder exists while the loop device is set up, even when its path is too long
		 * to be shown. */
		if (!ga_starts(names.v[i], "loop") || !ga_sys_exists(set_up))
			continue;
		loop = ga_list_add(&table->loops);
		*loop = (struct ga_block_loop){ .name = ga_xstrdup(names.v[i]) };
		if (ga_file_attr(AT_FDCWD, attr, &path))
			loop->backing = ga_str_take(&path);
		ask_kernel(dir, loop);
		/* Detached meanwhile: nothing is below it any more. */
		if (!loop->known && !ga_sys_exists(set_up)) {
			free(loop->name);
			free(loop->backing);
			table->loops.n--;
		}
	}
}

void ga_block_release_loops(struct ga_block_table *table)
{
	size_t i;

	for (i = 0; i < table->loops.n; i++) {
		free(table->loops.v[i].name);
		free(table->loops.v[i].backing);
	}
	ga_list_release(&table->loops);
}

bool ga_block_loops_known(const struct ga_block_table *table)
{
	size_t i;

	for (i = 0; i < table->loops.n; i++)
		if (!table->loops.v[i].known)
			return false;
	return true;
}

static bool stands_on(const struct ga_block_table *table, const struct ga_block_tree *t,
		      const struct ga_block_loop *loop)
{
	if (loop->known && loop->is_device && of_device(t, loop->device))
		return true;
	if (loop->known && !loop->is_device &&
	    (of_file_system(table, t, loop->device) ||
	     (t->has_file && loop->device == t->file_device && loop->inode == t->file_inode)))
		return true;
	return ga_block_tree_has_path(table, t, loop->backing);
}

bool ga_block_add_loops(const struct ga_block_table *table, struct ga_block_tree *t)
{
	size_t i, before = t->nodes.n;

	for (i = 0; i < table->loops.n; i++) {
		const struct ga_block_loop *loop = &table->loops.v[i];

		if (!ga_block_tree_name(t, loop->name) && stands_on(table, t, loop))
			ga_block_tree_add(t, loop->name, GA_NODE_LOOP, loop);
	}
	return t->nodes.n > before;
}

void ga_block_own_loop(const struct ga_block_table *table, struct ga_block_tree *t,
		       struct ga_texts *slaves)
{
	size_t i;

	for (i = 0; i < table->loops.n; i++) {
		const struct ga_block_loop *loop = &table->loops.v[i];

		if (!t->nodes.n || !loop->known || !ga_streq(loop->name, t->nodes.v[0].name))
			continue;
		if (loop->is_device) {
			ga_texts_add(slaves, loop->backing ? loop->backing : "a block device");
			continue;
		}
		t->has_file = true;
		t->file_device = loop->device;
		t->file_inode = loop->inode;
	}
}
