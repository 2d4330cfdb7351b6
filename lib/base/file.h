/* SPDX-License-Identifier: Apache-2.0 */
/* Small files: read whole, replaced atomically and durably. */
#ifndef GA_BASE_FILE_H
#define GA_BASE_FILE_H

#include "base/ga.h"
#include "base/str.h"

/* Reads at most max bytes of a file into out (cleared first). A longer file is GA_SYSTEM. */
GA_MUST_CHECK int ga_file_read(const char *path, size_t max, struct ga_str *out,
			       struct ga_err *err);
/* The same of an open descriptor; path names it in messages. */
GA_MUST_CHECK int ga_file_read_fd(int fd, const char *path, size_t max, struct ga_str *out,
				  struct ga_err *err);
/* The folder that a path is in: "." where it names none. Allocated. */
char *ga_file_folder(const char *path);
/* As ga_file_read, below a directory descriptor, for sysfs attributes: a trailing newline is
 * removed. Returns 1 when read, 0 when the file is absent or unreadable (errno tells). */
GA_MUST_CHECK int ga_file_attr(int dirfd, const char *path, struct ga_str *out);
/* Whether a file may come in the place of path: nothing is there, or a regular file other than the
 * state (NULL: any). GA_CONFLICT for devices, pipes, links and folders, which are not ours. */
GA_MUST_CHECK int ga_file_may_replace(const char *path, const char *state, struct ga_err *err);
/* Replaces path (ga_file_may_replace): temporary file beside it, fsync, rename, fsync of the
 * directory. */
GA_MUST_CHECK int ga_file_replace(const char *path, const void *data, size_t len, unsigned int mode,
				  struct ga_err *err);
/* fsync of the directory that path is in, so that a new name lasts. */
GA_MUST_CHECK int ga_file_sync_dir(const char *path, struct ga_err *err);
/* The same for a file that is written bit by bit: what stands at path stays as it is until
 * ga_replace_commit, and for good when that is never reached. */
struct ga_replace {
	int fd;		 /* to write to, with ga_write_all */
	char *path, *tmp; /* tmp lies beside path, 0600 */
};
#define GA_REPLACE_INIT { .fd = -1 }
#define ga_autoreplace ga_cleanup(ga_replace_release)
GA_MUST_CHECK int ga_replace_begin(const char *path, struct ga_replace *ret, struct ga_err *err);
GA_MUST_CHECK int ga_replace_commit(struct ga_replace *r, unsigned int mode, struct ga_err *err);
void ga_replace_release(struct ga_replace *r); /* removes tmp when it is still there */
/* Opens a regular file for reading and writing, made 0600 when it is not there. Made by root, it
 * belongs to whom like (a file or folder) belongs to: root must not lock a user out of files that
 * lie among the user's own. A descriptor, or -1. */
GA_MUST_CHECK int ga_file_open_like(const char *path, const char *like, struct ga_err *err);
/* The gift alone, of a file or folder that was made just now; does nothing for any other user. */
GA_MUST_CHECK int ga_file_chown_like(int fd, const char *like, struct ga_err *err);
/* Writes all of it, whatever the chunks; errno on -1. */
GA_MUST_CHECK int ga_write_all(int fd, const void *data, size_t len);
/* Fills it with random bytes, in as many calls as it takes: a signal cuts long ones short; errno on
 * -1. */
GA_MUST_CHECK int ga_random_all(void *buf, size_t len);
/* Makes a directory (and its parents) with the mode; an existing one is left as it is. */
GA_MUST_CHECK int ga_file_mkdirs(const char *path, unsigned int mode, struct ga_err *err);

#endif
