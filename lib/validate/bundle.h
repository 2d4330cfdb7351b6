/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bundles of evidence as archives: tar (ustar) in zstd, by libarchive. A bundle is held in memory;
 * nothing is unpacked to disk.
 *
 * The same files give the same bytes: entries in the order of their names, mode 0644, owner 0, one
 * time for all, nothing else. So a reader can pack again what it read, and each byte of the tar
 * that differs shows.
 */
#ifndef GA_VALIDATE_BUNDLE_H
#define GA_VALIDATE_BUNDLE_H

#include "base/ga.h"
#include "base/str.h"
#include "base/vec.h"

#define GA_PACK_FILES_MAX 10000
#define GA_PACK_BYTES_MAX (INT64_C(1) << 30) /* unpacked */
#define GA_PACK_RATIO_MAX 200 /* unpacked to packed, of archives above GA_PACK_RATIO_FROM */
#define GA_PACK_RATIO_FROM (16 << 20)
#define GA_PACK_NAME_MAX 200

struct ga_pack_file {
	char *name;
	struct ga_str data;
};

struct ga_pack {
	GA_LIST(struct ga_pack_file) files;
	int64_t seconds; /* time of all entries, since 1970 UTC */
};
#define ga_autopack ga_cleanup(ga_pack_release)

void ga_pack_release(struct ga_pack *pack);
/* Whether an entry may have the name: relative, of letters, digits and "._+-", without "." and ".."
 * as parts, at most GA_PACK_NAME_MAX bytes. */
bool ga_pack_name_is_valid(const char *name);
/* Adds a copy of the bytes. The caller gives each name once, a valid one. */
void ga_pack_add(struct ga_pack *pack, const char *name, const void *data, size_t len);
/* The file, or NULL. */
const struct ga_pack_file *ga_pack_find(const struct ga_pack *pack, const char *name);
/* Brings the files into the order of their names. */
void ga_pack_sort(struct ga_pack *pack);
/* Writes the archive to a new file: beside it, synced, then renamed. GA_CONFLICT when path exists,
 * or when no reader would take the archive. Sorts the files. */
GA_MUST_CHECK int ga_pack_write(struct ga_pack *pack, const char *path, struct ga_err *err);

/* Reads an archive. GA_BADREC: it is refused: no zstd, no tar, an entry that is no regular file or
 * has an invalid name, one name twice, or above the limits. GA_NOTFOUND. *exact: whether
 * ga_pack_tar of the files gives the tar that was read. The caller releases *ret. */
GA_MUST_CHECK int ga_pack_read(const char *path, struct ga_pack *ret, bool *exact,
			       struct ga_err *err);
/* The same of a tar in memory. */
GA_MUST_CHECK int ga_pack_read_tar(const void *tar, size_t len, struct ga_pack *ret, bool *exact,
				   struct ga_err *err);
/* Adds the tar to out. Sorts the files. */
GA_MUST_CHECK int ga_pack_tar(struct ga_pack *pack, struct ga_str *out, struct ga_err *err);

#endif
