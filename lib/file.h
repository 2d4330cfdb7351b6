/* SPDX-License-Identifier: Apache-2.0 */
/* Small files: read whole, replaced atomically and durably. */
#ifndef GA_FILE_H
#define GA_FILE_H

#include "ga.h"
#include "str.h"

/* Reads at most max bytes of a file into out (cleared first). A longer file is GA_SYSTEM. */
int ga_file_read(const char *path, size_t max, struct ga_str *out, struct ga_err *err);
/* As ga_file_read, below a directory descriptor, for sysfs attributes: a trailing newline is
 * removed. Returns 1 when read, 0 when the file is absent or unreadable (errno tells). */
int ga_file_attr(int dirfd, const char *path, struct ga_str *out);
/* Replaces path: temporary file beside it, fsync, rename, fsync of the directory. */
int ga_file_replace(const char *path, const void *data, size_t len, unsigned int mode,
		    struct ga_err *err);
/* Writes all of it, whatever the chunks; errno on -1. */
int ga_write_all(int fd, const void *data, size_t len);
/* Makes a directory (and its parents) with the mode; an existing one is left as it is. */
int ga_file_mkdirs(const char *path, unsigned int mode, struct ga_err *err);

#endif
