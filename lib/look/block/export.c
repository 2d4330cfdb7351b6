/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports: disks that the kernel itself hands on, without a process. Targets of NVMe over fabrics
 * and SCSI, USB gadgets, RNBD, Xen back-ends, zram. No process has these disks open, and some
 * exports do not hold them exclusively.
 */
#include "look/block/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/texts.h"

enum sort {
	PATH,	/* the attribute is a path */
	LINK,	/* a link to the device's folder */
	NUMBER, /* "103:5", hexadecimal */
	CONTROLLER, /* the path of an NVMe controller: all of its namespaces */
	INFO,	/* LIO: "iBlock device: … Major: 259 Minor: 5", "TCM FILEIO ID: 0 File: /x …" */
};

/* The files in which each kind of target shows its exports. "*" is any name; the names found
 * identify the target. */
static const struct source {
	const char *by;
	const char *pattern;
	enum sort sort;
} sources[] = {
	{ "nvmet subsystem", "/sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path",
	  PATH },
	{ "nvmet passthru of subsystem",
	  "/sys/kernel/config/nvmet/subsystems/*/passthru/device_path", CONTROLLER },
	{ "LIO", "/sys/kernel/config/target/core/*/*/udev_path", PATH },
	{ "LIO", "/sys/kernel/config/target/core/*/*/info", INFO },
	{ "USB gadget", "/sys/kernel/config/usb_gadget/*/functions/*/*/file", PATH },
	{ "SCST", "/sys/kernel/scst_tgt/devices/*/filename", PATH },
	{ "RNBD", "/sys/class/rnbd-server/ctl/devices/*/block_dev", LINK },
	{ "Xen", "/sys/bus/xen-backend/devices/*/physical_device", NUMBER },
	{ "zram", "/sys/block/*/backing_dev", PATH },
};

/* Modules that are loaded while their part of configfs cannot be seen: their exports are
 * unknown. */
static const struct {
	const char *module, *folder;
} targets[] = {
	{ "/sys/module/nvmet", "/sys/kernel/config/nvmet" },
	{ "/sys/module/target_core_mod", "/sys/kernel/config/target" },
};

static struct ga_block_export *add(struct ga_block_table *table, const char *by, const char *names)
{
	struct ga_block_export *e = ga_list_add(&table->exports);

	*e = (struct ga_block_export){ .by = ga_xprintf("%s %s", by, names),
				       .major = GA_UNKNOWN, .minor = GA_UNKNOWN };
	return e;
}

/* The text behind a word up to two blanks or the end of the line, or NULL. */
static char *behind(const char *text, const char *word)
{
	const char *p = strstr(text, word), *end;

	if (!p)
		return NULL;
	p += strlen(word);
	end = strstr(p, "  ");
	return ga_xstrndup(p, end ? (size_t)(end - p) : strcspn(p, "\n"));
}

static void add_info(struct ga_block_table *table, const char *by, const char *names,
		     const char *text)
{
	ga_autofree char *file = behind(text, "File: ");
	ga_autofree char *device = behind(text, "UDEV PATH: ");
	const char *numbers = strstr(text, "Major: ");
	unsigned int maj, min;

	if (file)
		add(table, by, names)->path = GA_TAKE(file);
	if (device)
		add(table, by, names)->path = GA_TAKE(device);
	if (numbers && sscanf(numbers, "Major: %u Minor: %u", &maj, &min) == 2) {
		struct ga_block_export *e = add(table, by, names);

		e->major = maj;
		e->minor = min;
	}
}

/* A controller's folder names its namespaces "nvme2n1" or, with native multipath, by their hidden
 * path "nvme2c0n1". A controller that cannot be found may belong to any disk. */
static void add_controller(struct ga_block_table *table, const char *by, const char *names,
			   const char *path)
{
	ga_autofree char *real = realpath(path, NULL);
	ga_autofree char *dir =
		ga_xprintf("/sys/class/nvme/%s", strrchr(real ? real : path, '/') + 1);
	ga_autotexts struct ga_texts found = { 0 };
	unsigned int subsystem, nsid;
	size_t i;

	if (!ga_sys_exists(dir))
		table->exports_known = false;
	ga_sys_list(dir, &found);
	for (i = 0; i < found.n; i++) {
		const char *name = found.v[i];

		if (sscanf(name, "nvme%un%u", &subsystem, &nsid) == 2 ||
		    sscanf(name, "nvme%uc%*un%u", &subsystem, &nsid) == 2)
			add(table, by, names)->path =
				ga_xprintf("/dev/nvme%un%u", subsystem, nsid);
	}
}

static void read_one(struct ga_block_table *table, const struct source *s, const char *path,
		     const char *names)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	unsigned int maj, min;

	if (s->sort == LINK) {
		ga_autofree char *dir = ga_xstrndup(path, (size_t)(strrchr(path, '/') - path));
		ga_autofree char *name = ga_sys_link(dir, strrchr(path, '/') + 1);

		if (name)
			add(table, s->by, names)->path = ga_xprintf("/dev/%s", name);
		return;
	}
	if (!ga_file_attr(AT_FDCWD, path, &text)) {
		/* An attribute that does not exist (some have no udev_path) exports nothing. One
		 * that cannot be read is unknown. */
		if (ga_sys_exists(path) && access(path, R_OK) < 0)
			table->exports_known = false;
		return;
	}
	if (s->sort == INFO) {
		add_info(table, s->by, names, text.buf);
	} else if (s->sort == CONTROLLER && *text.buf == '/') {
		add_controller(table, s->by, names, text.buf);
	} else if (s->sort == PATH && *text.buf == '/') {
		add(table, s->by, names)->path = ga_xstrdup(text.buf);
	} else if (s->sort == NUMBER && sscanf(text.buf, "%x:%x", &maj, &min) == 2) {
		struct ga_block_export *e = add(table, s->by, names);

		e->major = maj;
		e->minor = min;
	}
}

/* Follows the rest of a pattern below a folder. */
static void walk(struct ga_block_table *table, const struct source *s, const char *at,
		 const char *rest, const char *names)
{
	const char *star = strchr(rest, '*');
	ga_autotexts struct ga_texts found = { 0 };
	ga_autofree char *dir = NULL;
	size_t i;

	if (!star) {
		ga_autofree char *path = ga_xprintf("%s%s", at, rest);

		read_one(table, s, path, names);
		return;
	}
	dir = ga_xprintf("%s%.*s", at, (int)(star - rest), rest);
	if (access(dir, R_OK | X_OK) < 0) {
		if (ga_sys_exists(dir))
			table->exports_known = false;
		return;
	}
	ga_sys_list(dir, &found);
	for (i = 0; i < found.n; i++) {
		ga_autofree char *path = ga_xprintf("%s%s", dir, found.v[i]);
		ga_autofree char *tidy = ga_sys_tidy(ga_xstrdup(found.v[i]));
		ga_autofree char *all = ga_xprintf("%s%s%s", names, *names ? "/" : "", tidy);

		walk(table, s, path, star + 1, all);
	}
}

void ga_block_read_exports(struct ga_block_table *table)
{
	size_t i;

	table->exports_known = true;
	for (i = 0; i < GA_ARRAY_SIZE(sources); i++)
		walk(table, &sources[i], "", sources[i].pattern, "");
	for (i = 0; i < GA_ARRAY_SIZE(targets); i++)
		if (ga_sys_exists(targets[i].module) && !ga_sys_exists(targets[i].folder))
			table->exports_known = false;
}

void ga_block_release_exports(struct ga_block_table *table)
{
	size_t i;

	for (i = 0; i < table->exports.n; i++) {
		free(table->exports.v[i].by);
		free(table->exports.v[i].path);
	}
	ga_list_release(&table->exports);
}

void ga_block_add_exports(const struct ga_block_table *table, const struct ga_block_tree *tree,
			  struct ga_texts *ret)
{
	size_t i;

	for (i = 0; i < table->exports.n; i++) {
		const struct ga_block_export *e = &table->exports.v[i];

		if (!ga_texts_has(ret, e->by) &&
		    (ga_block_tree_number(tree, e->major, e->minor) ||
		     ga_block_tree_has_path(table, tree, e->path)))
			ga_texts_add(ret, e->by);
	}
}
