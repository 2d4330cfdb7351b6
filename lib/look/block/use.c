/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The uses of a disk now: mounts in every mount namespace, holders, slaves and loop devices
 * recursively, swap, md, exports, and other names of the same bytes. The kernel's lists are read
 * once into a table; each disk is then looked up in it.
 */
#include "look/block/internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/texts.h"

#define PROC_FILE_MAX (8 << 20)
/* The most processes whose mounts may be read although their namespace may not be read. */
#define BLIND_MAX 32

/* Undoes the octal escapes of mountinfo and swaps ("\040") in place. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
		    isdigit((unsigned char)text[2]) && isdigit((unsigned char)text[3])) {
			*to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/* One line of mountinfo (proc(5)): "36 35 98:0 /root /where opts [fields] - type source opts". */
static void add_mount(struct ga_block_table *table, char *line, int64_t pid)
{
	char *field[5], *rest = line, *dash, *colon, *source;
	struct ga_block_mount_row *row;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(field); i++) {
		field[i] = strsep(&rest, " ");
		if (!rest)
			return;
	}
	colon = strchr(field[2], ':');
	dash = strstr(rest, " - ");
	source = dash ? strchr(dash + 3, ' ') : NULL;
	if (!colon || !source)
		return;
	*colon = '\0';
	source++;
	source[strcspn(source, " ")] = '\0';
	unescape(field[4]);
	row = ga_list_add(&table->mounts);
	row->major = ga_sys_number(field[2]);
	row->minor = ga_sys_number(colon + 1);
	row->where = ga_sys_tidy(ga_xstrdup(field[4]));
	if (ga_starts(source, "/dev/"))
		row->source = ga_sys_tidy(ga_xstrdup(strrchr(source, '/') + 1));
	row->is_part = !ga_streq(field[3], "/");
	row->pid = pid;
}

static bool read_mounts(struct ga_block_table *table, const char *path, int64_t pid)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	char *rest, *line;

	if (ga_file_read(path, PROC_FILE_MAX, &text, &ignored) < 0)
		return ignored.code == GA_NOTFOUND && pid; /* the process has ended */
	rest = text.buf;
	while ((line = strsep(&rest, "\n")))
		add_mount(table, line, pid);
	return true;
}

/* The other mount namespaces, each through one process in it. */
static void read_namespaces(struct ga_block_table *table)
{
	ga_autofree char *own = ga_sys_link("/proc/self/ns", "mnt");
	ga_autotexts struct ga_texts seen = { 0 };
	ga_autodir DIR *proc = opendir("/proc");
	struct dirent *e;
	int blind = 0;

	table->namespaces_known = own && proc;
	if (own)
		ga_texts_add(&seen, own);
	while (proc && (e = readdir(proc))) {
		ga_autofree char *dir = NULL, *ns = NULL, *path = NULL;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		dir = ga_xprintf("/proc/%s/ns", e->d_name);
		ns = ga_sys_link(dir, "mnt");
		if (!ns && errno != EACCES && errno != EPERM)
			continue; /* ended, or a zombie */
		if (ns ? ga_texts_has(&seen, ns) : blind++ >= BLIND_MAX) {
			table->namespaces_known = table->namespaces_known && ns;
			continue;
		}
		path = ga_xprintf("/proc/%s/mountinfo", e->d_name);
		if (!read_mounts(table, path, ga_sys_number(e->d_name)))
			table->namespaces_known = false;
		if (ns)
			ga_texts_add(&seen, ns);
	}
}

static void read_swaps(struct ga_block_table *table)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	char *rest, *line;

	if (ga_file_read("/proc/swaps", 1 << 20, &text, &ignored) < 0)
		return; /* a kernel without swap */
	rest = text.buf;
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, " \t")] = '\0';
		unescape(line);
		if (*line == '/')
			ga_texts_add(&table->swaps, line);
	}
}

/* The wwid of a disk as NVMe and virtio show it, or as SCSI does. */
static char *wwid_of(const char *name)
{
	ga_autofree char *dir = ga_xprintf("/sys/class/block/%s", name);
	char *wwid = ga_sys_attr(dir, "wwid");

	return wwid ? wwid : ga_sys_attr(dir, "device/wwid");
}

static void read_wwids(struct ga_block_table *table)
{
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	ga_sys_list("/sys/block", &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *dir = ga_xprintf("/sys/block/%s", names.v[i]);
		char *wwid = wwid_of(names.v[i]);

		/* A hidden device is a path of native multipath; its head is listed too. */
		if (wwid && ga_sys_attr_int(dir, "hidden") != 1)
			*ga_list_add(&table->wwids) = (struct ga_block_wwid){
				.name = ga_xstrdup(names.v[i]),
				.wwid = wwid,
			};
		else
			free(wwid);
	}
}

struct ga_block_table *ga_block_table_read(void)
{
	struct ga_block_table *table = ga_xcalloc(1, sizeof(*table));
	struct ga_err ignored = GA_ERR_INIT;

	table->mdstat = (struct ga_str)GA_STR_INIT;
	read_namespaces(table);
	if (!read_mounts(table, "/proc/self/mountinfo", 0))
		table->namespaces_known = false;
	read_swaps(table);
	read_wwids(table);
	ga_block_read_loops(table);
	ga_block_read_exports(table);
	if (ga_file_read("/proc/mdstat", 1 << 20, &table->mdstat, &ignored) < 0)
		ga_str_clear(&table->mdstat); /* no md driver: no arrays */
	return table;
}

bool ga_block_table_is_whole(const struct ga_block_table *table)
{
	return table->namespaces_known;
}

void ga_block_table_free(struct ga_block_table *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < table->mounts.n; i++) {
		free(table->mounts.v[i].where);
		free(table->mounts.v[i].source);
	}
	ga_list_release(&table->mounts);
	for (i = 0; i < table->wwids.n; i++) {
		free(table->wwids.v[i].name);
		free(table->wwids.v[i].wwid);
	}
	ga_list_release(&table->wwids);
	ga_block_release_loops(table);
	ga_block_release_exports(table);
	ga_texts_release(&table->swaps);
	ga_str_release(&table->mdstat);
	free(table);
}

void ga_cleanup_block_table(struct ga_block_table **table)
{
	ga_block_table_free(*table);
}

/* Adds what is built on the devices of the tree, until nothing new comes. */
static void add_holders(const struct ga_block_table *table, struct ga_block_tree *t)
{
	size_t i = 0, j;

	do
		for (; i < t->nodes.n && t->nodes.n < 1024; i++) {
			ga_autofree char *dir = ga_xprintf("/sys/class/block/%s/holders",
							   t->nodes.v[i].name);
			ga_autotexts struct ga_texts holders = { 0 };

			ga_sys_list(dir, &holders);
			for (j = 0; j < holders.n; j++)
				ga_block_tree_add(t, holders.v[j], GA_NODE_HOLDER, NULL);
		}
	while (t->nodes.n < 1024 && ga_block_add_loops(table, t));
}

static void add_slaves(const struct ga_block_tree *t, struct ga_texts *ret)
{
	size_t i, j;

	for (i = 0; i < t->nodes.n; i++) {
		ga_autofree char *dir = ga_xprintf("/sys/class/block/%s/slaves",
						   t->nodes.v[i].name);
		ga_autotexts struct ga_texts slaves = { 0 };

		if (t->nodes.v[i].sort != GA_NODE_OWN)
			continue;
		ga_sys_list(dir, &slaves);
		for (j = 0; j < slaves.n; j++)
			ga_texts_add(ret, slaves.v[j]);
	}
}

/* Adds other disks with the same wwid: a use of these is a use of this disk. */
static void add_same(const struct ga_block_table *table, struct ga_block_tree *t)
{
	ga_autofree char *wwid = t->nodes.n ? wwid_of(t->nodes.v[0].name) : NULL;
	size_t i;

	for (i = 0; wwid && i < table->wwids.n; i++)
		if (ga_streq(table->wwids.v[i].wwid, wwid))
			ga_block_tree_add(t, table->wwids.v[i].name, GA_NODE_SAME, NULL);
}

/* Whether a mount is of the disk's file (mount --bind FILE OTHER). AT_STATX_DONT_SYNC: a dead
 * network file system must not block this. */
static bool is_mount_of_file(const struct ga_block_tree *t, const struct ga_block_mount_row *row)
{
	ga_autofree char *path = NULL;
	struct statx st;

	if (!t->has_file || !row->is_part)
		return false;
	path = row->pid ? ga_xprintf("/proc/%lld/root%s", (long long)row->pid, row->where) :
			  ga_xstrdup(row->where);
	return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_INO,
		     &st) == 0 &&
	       makedev(st.stx_dev_major, st.stx_dev_minor) == t->file_device &&
	       st.stx_ino == t->file_inode;
}

/* The part of the disk that is mounted: a node of the tree, or "its file"; NULL: none. */
static const char *mounted_device(const struct ga_block_tree *t,
				  const struct ga_block_mount_row *row)
{
	const struct ga_block_node *node = ga_block_tree_number(t, row->major, row->minor);

	node = node ? node : ga_block_tree_name(t, row->source);
	return node ? node->name : is_mount_of_file(t, row) ? "its file" : NULL;
}

static bool has_mount(const struct ga_block_uses *u, const char *device, const char *where)
{
	size_t i;

	for (i = 0; i < u->mounts.n; i++)
		if (ga_streq(u->mounts.v[i].device, device) &&
		    ga_streq(u->mounts.v[i].where, where))
			return true;
	return false;
}

static void add_mounts(const struct ga_block_table *table, const struct ga_block_tree *t,
		       struct ga_block_uses *ret)
{
	size_t i;
	int own;

	/* This namespace first: an operator knows its mount points. */
	for (own = 1; own >= 0; own--) {
		for (i = 0; i < table->mounts.n; i++) {
			const struct ga_block_mount_row *row = &table->mounts.v[i];
			const char *device = mounted_device(t, row);

			if (!device || (row->pid == 0) != own || has_mount(ret, device, row->where))
				continue;
			*ga_list_add(&ret->mounts) = (struct ga_block_mount){
				.device = ga_xstrdup(device),
				.where = ga_xstrdup(row->where),
				.pid = row->pid,
			};
		}
	}
}

/* Arrays of mdstat that have a device of the tree: "md0 : active raid1 nvme1n1p1[0] …". */
static void add_md(const struct ga_block_table *table, const struct ga_block_tree *t,
		   struct ga_block_uses *ret)
{
	ga_autofree char *copy = ga_xstrdup(table->mdstat.buf);
	char *rest = copy, *line, *word;

	while ((line = strsep(&rest, "\n"))) {
		char *array = strsep(&line, " ");

		while (ga_starts(array, "md") && line && (word = strsep(&line, " "))) {
			word[strcspn(word, "[")] = '\0';
			if (!ga_block_tree_name(t, word))
				continue;
			ga_texts_add(&ret->md, array);
			break;
		}
	}
}

static void add_signatures(const struct ga_block_tree *t, const struct ga_block_dev *dev,
			   struct ga_block_uses *ret)
{
	size_t i;

	ret->signatures_known = t->nodes.n > 0;
	for (i = 0; i < t->nodes.n; i++) {
		const struct ga_block_node *node = &t->nodes.v[i];
		ga_autofree char *path = ga_xprintf("/dev/%s", node->name);
		ga_autofd int fd = -1;

		if (node->sort != GA_NODE_OWN)
			continue;
		fd = ga_block_open(path, node->major, node->minor, dev->is_block);
		if (fd < 0 || ga_block_signatures(fd, node->name, &ret->signatures) < 0)
			ret->signatures_known = false;
	}
}

/* Makes the tree of the disk from its names, and from its file if it is one. */
static void make_tree(const struct ga_block_table *table, const struct ga_block_dev *dev,
		      struct ga_block_tree *t, struct ga_texts *slaves)
{
	size_t i;

	if (dev->is_block != 1) {
		ga_autofd int fd = open(dev->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		struct stat st;

		/* Use the descriptor: the path of a recorded disk shows a block device. */
		if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
			t->has_file = true;
			t->file_device = st.st_dev;
			t->file_inode = st.st_ino;
		}
	}
	if (strchr(dev->name, '/'))
		return; /* a plain file has no name among the devices */
	ga_block_tree_add(t, dev->name, GA_NODE_OWN, NULL);
	for (i = 0; i < dev->partitions.n; i++)
		ga_block_tree_add(t, dev->partitions.v[i], GA_NODE_OWN, NULL);
	add_slaves(t, slaves);
	ga_block_own_loop(table, t, slaves);
	add_same(table, t);
}

static void name_nodes(const struct ga_block_tree *t, struct ga_block_uses *ret)
{
	size_t i;

	for (i = 0; i < t->nodes.n; i++) {
		const struct ga_block_node *node = &t->nodes.v[i];

		if (node->sort == GA_NODE_SAME) {
			ga_texts_add(&ret->same, node->name);
		} else if (node->sort == GA_NODE_HOLDER) {
			ga_texts_add(&ret->holders, node->name);
		} else if (node->sort == GA_NODE_LOOP) {
			*ga_list_add(&ret->loops) = ga_sys_tidy(
				ga_xprintf("%s (%s)", node->name,
					   node->loop->backing ? node->loop->backing : "no path"));
		}
	}
}

void ga_block_uses_in(const struct ga_block_table *table, const struct ga_block_dev *dev,
		      bool signatures, struct ga_block_uses *ret)
{
	ga_cleanup(ga_block_tree_release) struct ga_block_tree t = { 0 };
	size_t i;

	*ret = (struct ga_block_uses){
		.namespaces_known = table->namespaces_known,
		.loops_known = ga_block_loops_known(table),
		.exports_known = table->exports_known,
	};
	make_tree(table, dev, &t, (struct ga_texts *)(void *)&ret->slaves);
	add_holders(table, &t);
	name_nodes(&t, ret);
	add_mounts(table, &t, ret);
	for (i = 0; i < table->swaps.n; i++)
		if (ga_block_tree_has_path(table, &t, table->swaps.v[i])) {
			const char *path = table->swaps.v[i];

			path += ga_starts(path, "/dev/") ? strlen("/dev/") : 0;
			*ga_list_add(&ret->swap) = ga_sys_tidy(ga_xstrdup(path));
		}
	add_md(table, &t, ret);
	ga_block_add_exports(table, &t, (struct ga_texts *)(void *)&ret->exports);
	if (signatures)
		add_signatures(&t, dev, ret);
}

int ga_block_uses(const struct ga_block_dev *dev, bool signatures, struct ga_block_uses *ret,
		  struct ga_err *err)
{
	ga_autoblocktable struct ga_block_table *table = ga_block_table_read();

	*ret = (struct ga_block_uses){ 0 };
	if (!ga_sys_exists("/proc/self/mountinfo"))
		return ga_fail(err, GA_HOST, "'/proc/self/mountinfo' is not there: "
			       "what uses '%s' is unknown", dev->path);
	ga_block_uses_in(table, dev, signatures, ret);
	return 0;
}

void ga_block_uses_release(struct ga_block_uses *u)
{
	size_t i;

	for (i = 0; i < u->mounts.n; i++) {
		free(u->mounts.v[i].device);
		free(u->mounts.v[i].where);
	}
	ga_list_release(&u->mounts);
	ga_texts_release((struct ga_texts *)(void *)&u->holders);
	ga_texts_release((struct ga_texts *)(void *)&u->slaves);
	ga_texts_release((struct ga_texts *)(void *)&u->swap);
	ga_texts_release((struct ga_texts *)(void *)&u->md);
	ga_texts_release((struct ga_texts *)(void *)&u->loops);
	ga_texts_release((struct ga_texts *)(void *)&u->same);
	ga_texts_release((struct ga_texts *)(void *)&u->exports);
	ga_texts_release((struct ga_texts *)(void *)&u->signatures);
}

bool ga_block_is_used(const struct ga_block_uses *u)
{
	return u->mounts.n || u->holders.n || u->slaves.n || u->swap.n || u->md.n || u->loops.n ||
	       u->exports.n;
}

bool ga_block_uses_known(const struct ga_block_uses *u)
{
	return u->namespaces_known && u->loops_known && u->exports_known;
}

static void add_texts(struct ga_str *out, const char *what, const struct ga_texts *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_str_addf(out, "%s%s %s", out->len ? "; " : "", what, list->v[i]);
}

char *ga_block_uses_text(const struct ga_block_uses *u)
{
	struct ga_str out = GA_STR_INIT;
	size_t i;

	for (i = 0; i < u->mounts.n && i < 8; i++) {
		const struct ga_block_mount *m = &u->mounts.v[i];

		ga_str_addf(&out, "%s%s mounted on %s", out.len ? "; " : "", m->device, m->where);
		if (m->pid)
			ga_str_addf(&out, " (seen by process %lld)", (long long)m->pid);
	}
	if (u->mounts.n > i)
		ga_str_addf(&out, "; %zu more mounts", u->mounts.n - i);
	add_texts(&out, "held by", &u->holders);
	add_texts(&out, "under loop device", &u->loops);
	add_texts(&out, "built on", &u->slaves);
	add_texts(&out, "swap on", &u->swap);
	add_texts(&out, "part of", &u->md);
	add_texts(&out, "exported by", &u->exports);
	return ga_str_take(&out);
}

bool ga_block_is_system(const struct ga_block_uses *u)
{
	static const char *const places[] = { "/", "/boot", "/boot/efi", "/efi", "/usr", "/var" };
	size_t i, j;

	for (i = 0; i < u->mounts.n; i++)
		for (j = 0; j < GA_ARRAY_SIZE(places); j++)
			if (!u->mounts.v[i].pid && ga_streq(u->mounts.v[i].where, places[j]))
				return true;
	return false;
}
