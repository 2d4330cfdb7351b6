/* SPDX-License-Identifier: Apache-2.0 */
/* Small reads of /sys and /proc. */
#include "look/sys.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libudev.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/texts.h"
#include "record/size.h"

char *ga_sys_tidy(char *text)
{
	size_t len = strlen(text), start = strspn(text, " \t\n");
	char *p;

	while (len > start && strchr(" \t\n", text[len - 1]))
		text[--len] = '\0';
	memmove(text, text + start, len - start + 1);
	for (p = text; *p; p++)
		if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
			*p = '?';
	return text;
}

char *ga_sys_attr(const char *dir, const char *name)
{
	ga_autofree char *path = ga_xprintf("%s/%s", dir, name);
	ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char buf[4096];
	ssize_t n;

	if (fd < 0)
		return NULL;
	do
		n = read(fd, buf, sizeof(buf) - 1);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return NULL;
	buf[n] = '\0';
	ga_sys_tidy(buf);
	return buf[0] ? ga_xstrdup(buf) : NULL;
}

int64_t ga_sys_number(const char *text)
{
	char *end = NULL;
	unsigned long long n;

	if (!text || !isdigit((unsigned char)text[0]))
		return GA_UNKNOWN;
	errno = 0;
	n = strtoull(text, &end, ga_starts(text, "0x") ? 16 : 10);
	if (errno || *end || n > (unsigned long long)GA_INT_MAX_SAFE)
		return GA_UNKNOWN;
	return (int64_t)n;
}

int64_t ga_sys_attr_int(const char *dir, const char *name)
{
	ga_autofree char *text = ga_sys_attr(dir, name);

	return ga_sys_number(text);
}

char *ga_sys_link(const char *dir, const char *name)
{
	ga_autofree char *path = ga_xprintf("%s/%s", dir, name);
	char buf[4096], *base;
	ssize_t n = readlink(path, buf, sizeof(buf) - 1);

	if (n <= 0)
		return NULL;
	buf[n] = '\0';
	base = strrchr(buf, '/');
	return ga_xstrdup(base ? base + 1 : buf);
}

char *ga_sys_real(const char *dir, const char *name)
{
	ga_autofree char *path = ga_xprintf("%s/%s", dir, name);
	char buf[4096];
	const char *p = buf;
	ssize_t n = readlink(path, buf, sizeof(buf) - 1);

	if (n <= 0)
		return NULL;
	buf[n] = '\0';
	while (ga_starts(p, "../"))
		p += 3;
	return ga_xprintf("/sys/%s", p);
}

void ga_sys_list(const char *dir, struct ga_texts *ret)
{
	ga_autodir DIR *d = opendir(dir);
	struct dirent *e;

	*ret = (struct ga_texts){ 0 };
	while (d && (e = readdir(d)))
		if (!ga_streq(e->d_name, ".") && !ga_streq(e->d_name, ".."))
			ga_texts_add(ret, e->d_name);
	ga_texts_sort(ret);
}

bool ga_sys_exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

bool ga_sys_has_program(const char *name)
{
	const char *folder = ga_proc_path();
	struct stat st;

	for (size_t len; *folder; folder += len + (folder[len] == ':')) {
		ga_autofree char *file = NULL;

		len = strcspn(folder, ":");
		file = ga_xprintf("%.*s/%s", (int)len, folder, name);
		if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0)
			return true;
	}
	return false;
}

static void drop_udev(struct udev **p)
{
	udev_unref(*p);
}

static void drop_enumerate(struct udev_enumerate **p)
{
	udev_enumerate_unref(*p);
}

/* Lists the devices by reading /sys/class: …/class/net/eth0 is a link to
 * ../../devices/…/net/eth0. */
static void list_class(const char *subsystem, struct ga_texts *ret)
{
	ga_autofree char *dir = ga_xprintf("/sys/class/%s", subsystem);
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	ga_sys_list(dir, &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *real = ga_sys_real(dir, names.v[i]);

		if (real)
			ga_texts_add(ret, real);
	}
}

int ga_sys_devices(const char *subsystem, struct ga_texts *ret, struct ga_err *err)
{
	ga_cleanup(drop_udev) struct udev *udev = udev_new();
	ga_cleanup(drop_enumerate) struct udev_enumerate *found =
		udev ? udev_enumerate_new(udev) : NULL;
	struct udev_list_entry *e;

	*ret = (struct ga_texts){ 0 };
	if (!found || udev_enumerate_add_match_subsystem(found, subsystem) < 0 ||
	    udev_enumerate_scan_devices(found) < 0)
		return ga_fail(err, GA_SYSTEM, "libudev cannot list the %s devices", subsystem);
	for (e = udev_enumerate_get_list_entry(found); e; e = udev_list_entry_get_next(e))
		ga_texts_add(ret, udev_list_entry_get_name(e));
	/*
	 * libudev silently leaves out devices that it cannot resolve step by step from the root:
	 * all devices in some containers, and in a recorded host when the working directory is
	 * below /dev. A disk that is left out would be a disk whose use nobody sees.
	 */
	if (!ret->n)
		list_class(subsystem, ret);
	ga_texts_sort(ret);
	return 0;
}
