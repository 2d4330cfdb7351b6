/* SPDX-License-Identifier: Apache-2.0 */
/* Small files: functions that read a complete file, and that replace one atomically and durably. */
#ifndef GA_BASE_FILE_H
#define GA_BASE_FILE_H

#include "base/ga.h"
#include "base/str.h"

/* Opens a file for reading; returns the descriptor. Of a pipe that nobody writes to it waits for a
 * writer, and SIGINT, SIGTERM or SIGHUP ends the wait also where the caller blocks signals.
 * GA_NOTFOUND; GA_BUSY "interrupted" (base/stop.h). */
GA_MUST_CHECK int ga_file_open(const char *path, struct ga_err *err);
/* Reads a file of at most max bytes into out (cleared first). A longer file is GA_SYSTEM. */
GA_MUST_CHECK int ga_file_read(const char *path, size_t max, struct ga_str *out,
			       struct ga_err *err);
/* The same for an open descriptor; path names it in messages. */
GA_MUST_CHECK int ga_file_read_fd(int fd, const char *path, size_t max, struct ga_str *out,
				  struct ga_err *err);
/* The folder part of a path; "." when the path has none. Allocated. */
char *ga_file_folder(const char *path);
/* As ga_file_read, below a directory descriptor, for sysfs attributes: removes a trailing newline.
 * Returns 1 when read, 0 when the file is absent or unreadable (errno has the reason). */
GA_MUST_CHECK int ga_file_attr(int dirfd, const char *path, struct ga_str *out);
/* Checks that path may be replaced: it is absent, or a regular file other than the state (state
 * NULL: any regular file). GA_CONFLICT for devices, pipes, links and folders: they are not ours. */
GA_MUST_CHECK int ga_file_may_replace(const char *path, const char *state, struct ga_err *err);
/* Replaces path after ga_file_may_replace: writes a temporary file beside it, then fsync, rename
 * and fsync of the directory. */
GA_MUST_CHECK int ga_file_replace(const char *path, const void *data, size_t len, unsigned int mode,
				  struct ga_err *err);
/* fsync of the directory of path, so that a new name survives a crash. */
GA_MUST_CHECK int ga_file_sync_dir(const char *path, struct ga_err *err);
/* Replaces a file that is written in pieces: the file at path does not change before
 * ga_replace_commit, and never if that call does not happen. */
struct ga_replace {
	int fd;		 /* write to it with ga_write_all */
	char *path, *tmp; /* tmp lies beside path, 0600 */
};
#define GA_REPLACE_INIT { .fd = -1 }
#define ga_autoreplace ga_cleanup(ga_replace_release)
/* Creates tmp. GA_CONFLICT when path exists and is not a regular file. */
GA_MUST_CHECK int ga_replace_begin(const char *path, struct ga_replace *ret, struct ga_err *err);
/* Gives tmp its mode, syncs it and renames it to path. On failure the file at path is unchanged,
 * unless only the sync of its directory failed. */
GA_MUST_CHECK int ga_replace_commit(struct ga_replace *r, unsigned int mode, struct ga_err *err);
void ga_replace_release(struct ga_replace *r); /* removes tmp if it still exists */
/* Opens a regular file for reading and writing; creates it with mode 0600 if it is absent. A file
 * that root creates gets the owner of like (a file or folder): root must not lock users out of
 * files among their own. Returns a descriptor, or -1. */
GA_MUST_CHECK int ga_file_open_like(const char *path, const char *like, struct ga_err *err);
/* Only the change of owner, for a file or folder that was just created; does nothing unless the
 * process runs as root. */
GA_MUST_CHECK int ga_file_chown_like(int fd, const char *like, struct ga_err *err);
/* Writes all bytes, in as many calls as needed; -1 with errno. */
GA_MUST_CHECK int ga_write_all(int fd, const void *data, size_t len);
/* Fills the buffer with random bytes, in as many calls as needed, because a signal may cut a long
 * call short; -1 with errno. */
GA_MUST_CHECK int ga_random_all(void *buf, size_t len);
/* Makes a directory and its parents with the mode; does not change existing ones. */
GA_MUST_CHECK int ga_file_mkdirs(const char *path, unsigned int mode, struct ga_err *err);

#endif
