/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files below a root folder: this machine's "/", or the mounted image of another machine. A path is
 * absolute on its machine; no symbolic link of an image leads out of the image (openat2(2),
 * RESOLVE_IN_ROOT). A symbolic link as the last part of a path is not followed.
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

/* 1: exists (st is filled); 0: absent; -1 with err. */
GA_MUST_CHECK int ga_root_stat(const struct ga_root *root, const char *path, struct stat *st,
			       struct ga_err *err);
bool ga_root_has(const struct ga_root *root, const char *path); /* follows links within the root */
/* Reads a regular file of at most max bytes. 1: read; 0: absent; -1 with err, also when path is no
 * regular file. */
GA_MUST_CHECK int ga_root_read(const struct ga_root *root, const char *path, size_t max,
			       struct ga_str *out, struct stat *st, struct ga_err *err);
/* The target of a symbolic link, allocated; NULL when path is no link. */
char *ga_root_link(const struct ga_root *root, const char *path);
/* Opens a folder, follows links within the root; -1 with errno. */
GA_MUST_CHECK int ga_root_folder(const struct ga_root *root, const char *path);

/* Replaces path atomically and durably. The new file gets the owner and group of like; NULL: those
 * of this process. */
GA_MUST_CHECK int ga_root_replace(const struct ga_root *root, const char *path, const void *data,
				  size_t len, const struct stat *like, unsigned int mode,
				  struct ga_err *err);
/* Removes a file or link; also succeeds when it is absent. */
GA_MUST_CHECK int ga_root_remove(const struct ga_root *root, const char *path, struct ga_err *err);
/* Makes a symbolic link at path; fails when something is there. */
GA_MUST_CHECK int ga_root_symlink(const struct ga_root *root, const char *path, const char *target,
				  struct ga_err *err);
/* Makes one folder, whose parent must exist; an existing folder gets the mode. */
GA_MUST_CHECK int ga_root_mkdir(const struct ga_root *root, const char *path, unsigned int mode,
				struct ga_err *err);
/* Sets the permission bits of path. */
GA_MUST_CHECK int ga_root_chmod(const struct ga_root *root, const char *path, unsigned int mode,
				struct ga_err *err);
/* 1: removed or absent; 0: not empty; -1 with err. */
GA_MUST_CHECK int ga_root_rmdir(const struct ga_root *root, const char *path, struct ga_err *err);

#endif
