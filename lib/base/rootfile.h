/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files below a root folder: the machine's own "/" or the mounted image of another one. A path is
 * absolute as its machine sees it; no symbolic link of an image leads out of it (openat2(2),
 * RESOLVE_IN_ROOT). The last part of a path is never followed.
 */
#ifndef GA_BASE_ROOTFILE_H
#define GA_BASE_ROOTFILE_H

#include <sys/stat.h>

#include "base/ga.h"
#include "base/str.h"

struct ga_root {
	int fd;
	bool image; /* not this machine */
};
#define GA_ROOT_INIT { .fd = -1 }
#define ga_autoroot ga_cleanup(ga_root_close)

/* dir NULL: "/". */
GA_MUST_CHECK int ga_root_open(const char *dir, struct ga_root *ret, struct ga_err *err);
void ga_root_close(struct ga_root *root);

/* 1 there (st filled), 0 absent, -1 with err. */
GA_MUST_CHECK int ga_root_stat(const struct ga_root *root, const char *path, struct stat *st,
			       struct ga_err *err);
bool ga_root_has(const struct ga_root *root, const char *path); /* follows links within the root */
/* A regular file of at most max bytes. 1 read, 0 absent, -1 with err (also for what is no regular
 * file). */
GA_MUST_CHECK int ga_root_read(const struct ga_root *root, const char *path, size_t max,
			       struct ga_str *out, struct stat *st, struct ga_err *err);
/* The target of a symbolic link, allocated; NULL where path is no link. */
char *ga_root_link(const struct ga_root *root, const char *path);
/* An open folder, links within the root followed; -1 with errno. */
GA_MUST_CHECK int ga_root_folder(const struct ga_root *root, const char *path);

/* Replaces path atomically and durably. uid and gid -1: this process's. */
GA_MUST_CHECK int ga_root_replace(const struct ga_root *root, const char *path, const void *data,
				  size_t len, const struct stat *like, unsigned int mode,
				  struct ga_err *err);
/* Removes a file or link; absent is removed. */
GA_MUST_CHECK int ga_root_remove(const struct ga_root *root, const char *path, struct ga_err *err);
GA_MUST_CHECK int ga_root_symlink(const struct ga_root *root, const char *path, const char *target,
				  struct ga_err *err);
/* One folder, whose parent is there; its mode is set when it is there already. */
GA_MUST_CHECK int ga_root_mkdir(const struct ga_root *root, const char *path, unsigned int mode,
				struct ga_err *err);
GA_MUST_CHECK int ga_root_chmod(const struct ga_root *root, const char *path, unsigned int mode,
				struct ga_err *err);
/* 1 removed or absent, 0 not empty, -1 with err. */
GA_MUST_CHECK int ga_root_rmdir(const struct ga_root *root, const char *path, struct ga_err *err);

#endif
