/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload for tests: statfs(2) and fstatfs(2) say that the path $FAKE_FS_PATH lies on the file
 * system type $FAKE_FS_TYPE (a number of linux/magic.h), without mounting one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

static void fake(const char *path, struct statfs *fs)
{
	const char *at = getenv("FAKE_FS_PATH"), *type = getenv("FAKE_FS_TYPE");

	if (at && type && !strcmp(path, at))
		fs->f_type = strtol(type, NULL, 0);
}

int statfs(const char *path, struct statfs *fs)
{
	int (*real)(const char *, struct statfs *) =
		(int (*)(const char *, struct statfs *))dlsym(RTLD_NEXT, "statfs");
	int r = real(path, fs);

	if (!r)
		fake(path, fs);
	return r;
}

int fstatfs(int fd, struct statfs *fs)
{
	int (*real)(int, struct statfs *) =
		(int (*)(int, struct statfs *))dlsym(RTLD_NEXT, "fstatfs");
	char link[32], path[4096];
	int r = real(fd, fs);
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (!r && n > 0) {
		path[n] = '\0';
		fake(path, fs);
	}
	return r;
}
