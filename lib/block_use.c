/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What uses a disk now: mounts in every mount namespace, holders and slaves recursively, swap and
 * md. The kernel's lists are read once into a table; each disk is then looked up in it.
 */
#include "block.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "file.h"
#include "sys.h"

#define PROC_FILE_MAX (8 << 20)
/* Processes whose namespace cannot be told apart but whose mounts may be read: at most so many. */
#define BLIND_MAX 32

struct mount_row {
	int64_t major, minor;
	char *where;
	char *source; /* "nvme1n1" of "/dev/nvme1n1": btrfs mounts have a number of their own */
	int64_t pid;
};

struct ga_block_table {
	GA_LIST(struct mount_row) mounts;
	struct ga_names swaps;	/* last parts of /proc/swaps */
	struct ga_str mdstat;
	bool namespaces_known;
};

/* A device of the tree that stands on a disk. */
struct tree {
	struct ga_names names;
	size_t own; /* the first own names are the disk and its partitions */
};

static void release_tree(struct tree *t)
{
	ga_names_release(&t->names);
}

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
	struct mount_row *row;
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
	ga_autonames struct ga_names seen = { 0 };
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
		if (ns ? ga_names_has(&seen, ns) : blind++ >= BLIND_MAX) {
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
		if (ga_starts(line, "/dev/"))
			ga_texts_add(&table->swaps, strrchr(line, '/') + 1);
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
	ga_names_release(&table->swaps);
	ga_str_release(&table->mdstat);
	free(table);
}

void ga_cleanup_block_table(struct ga_block_table **table)
{
	ga_block_table_free(*table);
}

/* Adds what is built on the devices of the tree, until nothing new comes. */
static void add_holders(struct tree *t)
{
	size_t i, j;

	for (i = 0; i < t->names.n && t->names.n < 1024; i++) {
		ga_autofree char *dir = ga_xprintf("/sys/class/block/%s/holders", t->names.v[i]);
		ga_autonames struct ga_names holders = { 0 };

		ga_sys_list(dir, &holders);
		for (j = 0; j < holders.n; j++)
			if (!ga_names_has(&t->names, holders.v[j]))
				ga_texts_add(&t->names, holders.v[j]);
	}
}

static void add_slaves(const struct tree *t, struct ga_block_uses *ret)
{
	size_t i, j;

	for (i = 0; i < t->own; i++) {
		ga_autofree char *dir = ga_xprintf("/sys/class/block/%s/slaves", t->names.v[i]);
		ga_autonames struct ga_names slaves = { 0 };

		ga_sys_list(dir, &slaves);
		for (j = 0; j < slaves.n; j++)
			ga_texts_add(&ret->slaves, slaves.v[j]);
	}
}

/* The name in the tree that a mount is of, or NULL. */
static const char *mounted_device(const struct tree *t, const struct mount_row *row,
				  const int64_t (*numbers)[2])
{
	size_t i;

	for (i = 0; i < t->names.n; i++)
		if ((row->major == numbers[i][0] && row->minor == numbers[i][1]) ||
		    ga_streq(row->source, t->names.v[i]))
			return t->names.v[i];
	return NULL;
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

static void add_mounts(const struct ga_block_table *table, const struct tree *t,
		       struct ga_block_uses *ret)
{
	ga_autofree int64_t(*numbers)[2] = ga_xcalloc(t->names.n, sizeof(*numbers));
	size_t i;
	int own;

	for (i = 0; i < t->names.n; i++) {
		ga_autofree char *dir = ga_xprintf("/sys/class/block/%s", t->names.v[i]);
		ga_autofree char *dev = ga_sys_attr(dir, "dev");
		char *colon = dev ? strchr(dev, ':') : NULL;

		numbers[i][0] = numbers[i][1] = GA_UNKNOWN + 1; /* equals no number */
		if (!colon)
			continue;
		*colon = '\0';
		numbers[i][0] = ga_sys_number(dev);
		numbers[i][1] = ga_sys_number(colon + 1);
	}
	/* This namespace first: its mount points are the ones an operator knows. */
	for (own = 1; own >= 0; own--) {
		for (i = 0; i < table->mounts.n; i++) {
			const struct mount_row *row = &table->mounts.v[i];
			const char *device = mounted_device(t, row, (const int64_t(*)[2])numbers);

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
static void add_md(const struct ga_block_table *table, const struct tree *t,
		   struct ga_block_uses *ret)
{
	ga_autofree char *copy = ga_xstrdup(table->mdstat.buf);
	char *rest = copy, *line, *word;

	while ((line = strsep(&rest, "\n"))) {
		char *array = strsep(&line, " ");

		while (ga_starts(array, "md") && line && (word = strsep(&line, " "))) {
			word[strcspn(word, "[")] = '\0';
			if (!ga_names_has(&t->names, word))
				continue;
			ga_texts_add(&ret->md, array);
			break;
		}
	}
}

static void add_signatures(const struct tree *t, struct ga_block_uses *ret)
{
	struct ga_any_list *found = (struct ga_any_list *)(void *)&ret->signatures;
	size_t i;

	ret->signatures_known = true;
	for (i = 0; i < t->own; i++) {
		ga_autofree char *path = ga_xprintf("/dev/%s", t->names.v[i]);
		ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

		if (fd < 0 || ga_block_signatures(fd, t->names.v[i], found) < 0)
			ret->signatures_known = false;
	}
}

void ga_block_uses_in(const struct ga_block_table *table, const struct ga_block_dev *dev,
		      bool signatures, struct ga_block_uses *ret)
{
	ga_cleanup(release_tree) struct tree t = { 0 };
	size_t i;

	*ret = (struct ga_block_uses){ .namespaces_known = table->namespaces_known };
	ga_texts_add(&t.names, dev->name);
	for (i = 0; i < dev->partitions.n; i++)
		ga_texts_add(&t.names, dev->partitions.v[i]);
	t.own = t.names.n;
	add_holders(&t);
	for (i = t.own; i < t.names.n; i++)
		ga_texts_add(&ret->holders, t.names.v[i]);
	add_slaves(&t, ret);
	add_mounts(table, &t, ret);
	for (i = 0; i < table->swaps.n; i++)
		if (ga_names_has(&t.names, table->swaps.v[i]))
			ga_texts_add(&ret->swap, table->swaps.v[i]);
	add_md(table, &t, ret);
	if (signatures)
		add_signatures(&t, ret);
}

int ga_block_uses(const struct ga_block_dev *dev, struct ga_block_uses *ret, struct ga_err *err)
{
	ga_autoblocktable struct ga_block_table *table = ga_block_table_read();

	*ret = (struct ga_block_uses){ 0 };
	if (!ga_sys_exists("/proc/self/mountinfo"))
		return ga_fail(err, GA_HOST, "'/proc/self/mountinfo' is not there: who uses '%s' "
			       "cannot be told", dev->path);
	ga_block_uses_in(table, dev, true, ret);
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
	ga_names_release((struct ga_names *)(void *)&u->holders);
	ga_names_release((struct ga_names *)(void *)&u->slaves);
	ga_names_release((struct ga_names *)(void *)&u->swap);
	ga_names_release((struct ga_names *)(void *)&u->md);
	ga_names_release((struct ga_names *)(void *)&u->signatures);
}

bool ga_block_is_used(const struct ga_block_uses *u)
{
	return u->mounts.n || u->holders.n || u->slaves.n || u->swap.n || u->md.n;
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
