/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/bundle.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"

#define BLOCK (64 << 10)
#define LEVEL "9" /* of zstd: another one gives other bytes */

void ga_pack_release(struct ga_pack *pack)
{
	size_t i;

	for (i = 0; i < pack->files.n; i++) {
		free(pack->files.v[i].name);
		ga_str_release(&pack->files.v[i].data);
	}
	ga_list_release(&pack->files);
}

bool ga_pack_name_is_valid(const char *name)
{
	const char *part = name, *p;

	if (!*name || strlen(name) > GA_PACK_NAME_MAX)
		return false;
	for (p = name;; p++) {
		size_t len = (size_t)(p - part);

		if (*p && *p != '/') {
			if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			      (*p >= '0' && *p <= '9') || strchr("._+-", *p)))
				return false;
			continue;
		}
		if (!len || (len == 1 && *part == '.') || (len == 2 && !strncmp(part, "..", 2)))
			return false;
		if (!*p)
			return true;
		part = p + 1;
	}
}

void ga_pack_add(struct ga_pack *pack, const char *name, const void *data, size_t len)
{
	struct ga_pack_file *file = ga_list_add(&pack->files);

	*file = (struct ga_pack_file){ .name = ga_xstrdup(name), .data = GA_STR_INIT };
	ga_str_add_bytes(&file->data, data, len);
}

const struct ga_pack_file *ga_pack_find(const struct ga_pack *pack, const char *name)
{
	size_t i;

	for (i = 0; i < pack->files.n; i++)
		if (!strcmp(pack->files.v[i].name, name))
			return &pack->files.v[i];
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct ga_pack_file *)a)->name,
		      ((const struct ga_pack_file *)b)->name);
}

void ga_pack_sort(struct ga_pack *pack)
{
	if (pack->files.n)
		qsort(pack->files.v, pack->files.n, sizeof(*pack->files.v), by_name);
}

/* ---- writing ---- */

static int fail_archive(struct archive *a, const char *what, struct ga_err *err)
{
	const char *why = archive_error_string(a);

	return ga_fail(err, GA_SYSTEM, "%s: %s", what, why ? why : "libarchive gives no reason");
}

static int put_file(struct archive *a, const struct ga_pack_file *file, int64_t seconds)
{
	struct archive_entry *entry = archive_entry_new();
	la_ssize_t written = 0;
	size_t at;
	int r;

	if (!entry)
		abort(); /* out of memory */
	archive_entry_set_pathname(entry, file->name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (la_int64_t)file->data.len);
	archive_entry_set_mtime(entry, (time_t)seconds, 0);
	r = archive_write_header(a, entry);
	archive_entry_free(entry);
	for (at = 0; r == ARCHIVE_OK && at < file->data.len; at += (size_t)written) {
		written = archive_write_data(a, file->data.buf + at, file->data.len - at);
		if (written <= 0)
			return -1;
	}
	return r == ARCHIVE_OK ? 0 : -1;
}

/* Where the archive goes: put gets its bytes in their order, and returns -1 to end it. */
struct sink {
	int (*put)(void *arg, const void *data, size_t len);
	void *arg;
};

static la_ssize_t sink_write(struct archive *a, void *arg, const void *data, size_t len)
{
	struct sink *s = arg;

	if (!s->put(s->arg, data, len))
		return (la_ssize_t)len;
	archive_set_error(a, errno, "cannot write: %s", strerror(errno));
	return -1;
}

/* 0, or -1 with err; also when the sink ended it. */
static int pack_to(struct ga_pack *pack, bool compressed, struct sink *sink, struct ga_err *err)
{
	struct archive *a = archive_write_new();
	size_t i;
	int r = 0;

	if (!a)
		abort(); /* out of memory */
	ga_pack_sort(pack);
	archive_write_set_format_ustar(a);
	archive_write_set_bytes_per_block(a, BLOCK);
	archive_write_set_bytes_in_last_block(a, 1);
	if (compressed &&
	    (archive_write_add_filter_zstd(a) != ARCHIVE_OK ||
	     archive_write_set_filter_option(a, "zstd", "compression-level", LEVEL) != ARCHIVE_OK))
		r = -1;
	if (!r && archive_write_open(a, sink, NULL, sink_write, NULL) != ARCHIVE_OK)
		r = -1;
	for (i = 0; !r && i < pack->files.n; i++)
		r = put_file(a, &pack->files.v[i], pack->seconds);
	if (!r && archive_write_close(a) != ARCHIVE_OK)
		r = -1;
	if (r < 0)
		r = fail_archive(a, "cannot make the archive", err);
	archive_write_free(a);
	return r;
}

static int put_str(void *arg, const void *data, size_t len)
{
	ga_str_add_bytes(arg, data, len);
	return 0;
}

int ga_pack_tar(struct ga_pack *pack, struct ga_str *out, struct ga_err *err)
{
	return pack_to(pack, false, &(struct sink){ put_str, out }, err);
}

static int put_fd(void *arg, const void *data, size_t len)
{
	return ga_write_all(*(const int *)arg, data, len);
}

int ga_pack_write(struct ga_pack *pack, const char *path, struct ga_err *err)
{
	ga_autoreplace struct ga_replace r = GA_REPLACE_INIT;
	ga_autopack struct ga_pack again = { 0 };
	bool exact;

	if (ga_replace_begin(path, &r, err) < 0)
		return -1;
	if (pack_to(pack, true, &(struct sink){ put_fd, &r.fd }, err) < 0)
		return ga_wrap(err, "'%s'", path);
	if (fchmod(r.fd, 0644) < 0 || fsync(r.fd) < 0)
		return ga_fail_sys(err, "cannot write '%s'", r.tmp);
	/* Evidence that nobody can read is none. */
	if (ga_pack_read(r.tmp, &again, &exact, err) < 0)
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("no reader would take the bundle"),
				 ("run fewer scenarios, or attach less"));
	if (renameat2(AT_FDCWD, r.tmp, AT_FDCWD, path, RENAME_NOREPLACE) < 0)
		return errno == EEXIST ? ga_fail(err, GA_CONFLICT, "'%s' exists", path) :
					 ga_fail_sys(err, "cannot rename to '%s'", path);
	free(GA_TAKE(r.tmp));
	return ga_file_sync_dir(path, err);
}

/* ---- reading ---- */

/* Takes one entry into the pack; GA_BADREC. */
static int take_entry(struct archive *a, struct archive_entry *entry, size_t max,
		      struct ga_pack *pack, struct ga_err *err)
{
	const char *name = archive_entry_pathname(entry);
	struct ga_pack_file *file;
	char block[4096];
	la_ssize_t n;

	if (!name || !ga_pack_name_is_valid(name))
		return ga_fail(err, GA_BADREC, "entry '%.300s' has a name that is not allowed",
			       name ? name : "?");
	if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) ||
	    archive_entry_symlink(entry))
		return ga_fail(err, GA_BADREC, "entry '%s' is no regular file", name);
	if (pack->files.n == GA_PACK_FILES_MAX)
		return ga_fail(err, GA_BADREC, "it has more than %d files", GA_PACK_FILES_MAX);
	if (!pack->files.n)
		pack->seconds = archive_entry_mtime(entry);
	/* A sparse file can claim any size. */
	if (archive_entry_size(entry) < 0 || (uint64_t)archive_entry_size(entry) > max)
		return ga_fail(err, GA_BADREC, "entry '%s' is larger than the archive", name);
	file = ga_list_add(&pack->files);
	*file = (struct ga_pack_file){ .name = ga_xstrdup(name), .data = GA_STR_INIT };
	ga_str_reserve(&file->data, (size_t)archive_entry_size(entry));
	while ((n = archive_read_data(a, block, sizeof(block))) > 0) {
		if (file->data.len + (size_t)n > max)
			return ga_fail(err, GA_BADREC, "entry '%s' is larger than the archive",
				       file->name);
		ga_str_add_bytes(&file->data, block, (size_t)n);
	}
	if (n < 0)
		return ga_fail(err, GA_BADREC, "entry '%s' cannot be read: %s", file->name,
			       archive_error_string(a));
	return 0;
}

/* Compares what is packed again with what was read. */
struct comparing {
	const char *at;
	size_t left;
};

static int compare(void *arg, const void *data, size_t len)
{
	struct comparing *c = arg;

	errno = EBADMSG;
	if (len > c->left || memcmp(c->at, data, len))
		return -1;
	c->at += len;
	c->left -= len;
	return 0;
}

static bool is_exact(struct ga_pack *pack, const void *tar, size_t len)
{
	struct comparing c = { tar, len };
	struct ga_err ignored = GA_ERR_INIT;

	return !pack_to(pack, false, &(struct sink){ compare, &c }, &ignored) && !c.left;
}

int ga_pack_read_tar(const void *tar, size_t len, struct ga_pack *ret, bool *exact,
		     struct ga_err *err)
{
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	size_t i, left = len;
	int r = 0, got = ARCHIVE_EOF;

	*ret = (struct ga_pack){ 0 };
	if (!a)
		abort(); /* out of memory */
	archive_read_support_format_tar(a);
	if (archive_read_open_memory(a, tar, len) != ARCHIVE_OK)
		r = ga_fail(err, GA_BADREC, "it is no tar archive");
	while (!r && (got = archive_read_next_header(a, &entry)) == ARCHIVE_OK) {
		r = take_entry(a, entry, left, ret, err);
		if (!r)
			left -= ret->files.v[ret->files.n - 1].data.len;
	}
	if (!r && got != ARCHIVE_EOF)
		r = ga_fail(err, GA_BADREC, "it is no whole tar archive: %s",
			    archive_error_string(a));
	archive_read_free(a);
	if (!r && !ret->files.n)
		r = ga_fail(err, GA_BADREC, "it has no files");
	ga_pack_sort(ret);
	for (i = 1; !r && i < ret->files.n; i++)
		if (!strcmp(ret->files.v[i - 1].name, ret->files.v[i].name))
			r = ga_fail(err, GA_BADREC, "entry '%s' is there twice",
				    ret->files.v[i].name);
	if (!r)
		*exact = is_exact(ret, tar, len);
	else
		ga_pack_release(ret);
	return r;
}

/* Unpacks the zstd of a file that is packed bytes long. */
static int unpack(int fd, int64_t packed, struct ga_str *tar, struct ga_err *err)
{
	struct archive *a = archive_read_new();
	ga_autofree char *block = ga_xcalloc(1, BLOCK);
	struct archive_entry *entry;
	la_ssize_t n = 0;
	int r = 0;

	if (!a)
		abort(); /* out of memory */
	archive_read_support_filter_zstd(a);
	archive_read_support_format_raw(a);
	if (archive_read_open_fd(a, fd, BLOCK) != ARCHIVE_OK ||
	    archive_read_next_header(a, &entry) != ARCHIVE_OK ||
	    archive_filter_code(a, 0) != ARCHIVE_FILTER_ZSTD)
		r = ga_fail(err, GA_BADREC, "it is no zstd archive");
	while (!r && (n = archive_read_data(a, block, BLOCK)) > 0) {
		int64_t all = (int64_t)tar->len + n;

		if (all > GA_PACK_BYTES_MAX)
			r = ga_fail(err, GA_BADREC, "it is larger than %" PRId64 " MiB unpacked",
				    GA_PACK_BYTES_MAX >> 20);
		else if (all > GA_PACK_RATIO_FROM && all / GA_PACK_RATIO_MAX > packed)
			r = ga_fail(err, GA_BADREC, "it is more than %d times larger unpacked",
				    GA_PACK_RATIO_MAX);
		else
			ga_str_add_bytes(tar, block, (size_t)n);
	}
	if (!r && n < 0)
		r = ga_fail(err, GA_BADREC, "it cannot be unpacked: %s", archive_error_string(a));
	archive_read_free(a);
	return r;
}

int ga_pack_read(const char *path, struct ga_pack *ret, bool *exact, struct ga_err *err)
{
	ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ga_autostr struct ga_str tar = GA_STR_INIT;
	struct stat st;

	*ret = (struct ga_pack){ 0 };
	if (fd < 0 && errno == ENOENT)
		return ga_fail(err, GA_NOTFOUND, "there is no bundle '%s'", path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return ga_fail_sys(err, "cannot open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return ga_fail(err, GA_BADREC, "it is no regular file");
	if (unpack(fd, st.st_size, &tar, err) < 0)
		return -1;
	return ga_pack_read_tar(tar.buf, tar.len, ret, exact, err);
}
