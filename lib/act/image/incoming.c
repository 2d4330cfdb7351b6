/* SPDX-License-Identifier: Apache-2.0 */
/* Brings an image into the store: fills a locked file, then moves it into place in one step. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "act/image/internal.h"
#include "act/image/store.h"
#include "base/file.h"
#include "record/time.h"

#define RESERVE_BYTES (INT64_C(256) << 20)
#define PIECE_BYTES (1 << 20)
#define GRAIN_BYTES (64 << 10)
#define LOOK_EVERY (INT64_C(64) << 20) /* bytes between two looks at the free space */

void ga_incoming_release(struct ga_incoming *in)
{
	if (in->path)
		unlink(in->path);
	free(in->path);
	ga_cleanup_fd(&in->fd);
	*in = (struct ga_incoming)GA_INCOMING_INIT;
}

/* Removes the files that killed programs left: those that nobody has locked. */
static void sweep(const char *folder)
{
	ga_autodir DIR *d = opendir(folder);
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		ga_autofree char *path = ga_xprintf("%s/%s", folder, e->d_name);
		ga_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		struct stat st;

		if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		    !flock(fd, LOCK_EX | LOCK_NB))
			unlink(path);
	}
}

static int check_space(const char *dir, int64_t need, struct ga_err *err)
{
	struct statvfs st;
	int64_t have;

	if (statvfs(dir, &st) < 0)
		return ga_fail_sys(err, "cannot look at '%s'", dir);
	have = (int64_t)st.f_bavail * (int64_t)st.f_frsize;
	if (have - RESERVE_BYTES >= need)
		return 0;
	return ga_refuse(err, GA_HOST, "no_space", NULL,
			 ("'%s' has %" PRId64 " MiB free; the image needs %" PRId64
			  " MiB and 256 MiB must stay", dir, have >> 20, need >> 20),
			 ("gpuaas-image list shows what is kept, gpuaas-image rm NAME removes it; "
			  "GPUAAS_IMAGES names another folder"));
}

int ga_incoming_open(const char *dir, int64_t need_bytes, struct ga_incoming *ret,
		     struct ga_err *err)
{
	ga_autofree char *folder = ga_xprintf("%s/.incoming", dir);
	struct stat st = { 0 };

	*ret = (struct ga_incoming)GA_INCOMING_INIT;
	if (ga_file_mkdirs(dir, 0700, err) < 0 || ga_file_mkdirs(folder, 0700, err) < 0)
		return ga_hint(err, "GPUAAS_IMAGES names the folder that images are kept in");
	sweep(folder);
	if (check_space(dir, need_bytes, err) < 0)
		return -1;
	ret->dir = dir;
	/* Between making and locking the file, the sweep of another program may remove it. */
	while (!st.st_nlink) {
		free(ret->path);
		ga_cleanup_fd(&ret->fd);
		ret->path = ga_xprintf("%s/XXXXXX", folder);
		ret->fd = mkostemp(ret->path, O_CLOEXEC);
		if (ret->fd < 0 || flock(ret->fd, LOCK_EX) < 0 || fstat(ret->fd, &st) < 0) {
			ga_err_set_sys(err, "cannot make a file in '%s'", folder);
			ga_incoming_release(ret);
			return -1;
		}
	}
	return 0;
}

/* ---- the bytes of the file ---- */

static bool is_zero(const unsigned char *p, size_t n)
{
	return !*p && !memcmp(p, p + 1, n - 1);
}

/* Fills a whole piece if possible, so that zeros are found in whole grains. */
static ssize_t read_piece(int fd, unsigned char *buf)
{
	size_t n = 0;

	while (n < PIECE_BYTES) {
		ssize_t got = read(fd, buf + n, PIECE_BYTES - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

static int write_piece(const struct ga_incoming *in, const unsigned char *buf, size_t n)
{
	size_t at, len;

	for (at = 0; at < n; at += len) {
		size_t done = 0;

		len = n - at < GRAIN_BYTES ? n - at : GRAIN_BYTES;
		while (!is_zero(buf + at, len) && done < len) {
			ssize_t w = pwrite(in->fd, buf + at + done, len - done,
					   in->bytes + (off_t)(at + done));

			if (w < 0 && errno != EINTR)
				return -1;
			done += w > 0 ? (size_t)w : 0;
		}
	}
	return 0;
}

int ga_incoming_fill(struct ga_incoming *in, int fd, int64_t total, ga_image_progress progress,
		     void *arg, struct ga_err *err)
{
	ga_autofree unsigned char *buf = ga_xcalloc(1, PIECE_BYTES);
	ssize_t n;

	while ((n = read_piece(fd, buf)) > 0) {
		if (write_piece(in, buf, (size_t)n) < 0)
			return ga_fail_sys(err, "cannot write '%s'", in->path);
		in->bytes += n;
		if (in->bytes > GA_IMAGE_MAX)
			return ga_fail_for(err, GA_CONFLICT, "image_size",
					   "the image has more than %" PRId64 " bytes",
					   (int64_t)GA_IMAGE_MAX);
		if (!(in->bytes % LOOK_EVERY) && check_space(in->dir, 0, err) < 0)
			return -1;
		if (progress && progress(in->bytes, total, arg, err) < 0)
			return -1;
	}
	if (n < 0)
		return ga_fail_sys(err, "cannot read the image");
	if (!in->bytes)
		return ga_fail_for(err, GA_CONFLICT, "image_size", "the image has no bytes");
	if (ftruncate(in->fd, in->bytes) < 0 || fsync(in->fd) < 0)
		return ga_fail_sys(err, "cannot write '%s'", in->path);
	return 0;
}

/* ---- in place ---- */

/* Looks for copies under the name. 1: the same copy exists, and there has it; 0: it does not
 * exist. */
static int find_same(const char *dir, const struct ga_image *image, const char *node, bool other,
		struct ga_node_image *there, struct ga_err *err)
{
	ga_autostoredlist struct ga_stored_images list = { 0 };

	if (ga_image_store_list(dir, image->name, node, &list, err) < 0)
		return -1;
	for (size_t i = 0; i < list.n; i++) {
		struct ga_stored_image *s = &list.v[i];

		if (s->copy.withdrawn_at || s->in_place)
			continue;
		if (ga_streq(s->image.digest, image->digest)) {
			*there = s->copy;
			s->copy = (struct ga_node_image){ 0 };
			return 1;
		}
		if (!other)
			return ga_refuse(err, GA_CONFLICT, "image_exists", NULL,
					 ("image '%s' is here already, with digest %s; this one "
					  "has %s", image->name, s->image.digest, image->digest),
					 ("give it another name; or remove the old one first: "
					  "gpuaas-image rm %s", image->name));
	}
	return 0;
}

static int put_in_place(struct ga_incoming *in, const struct ga_chunks *chunks,
			struct ga_stored_image *s, struct ga_err *err)
{
	const char *name = s->image.name, *digest = s->image.digest;
	ga_autofree char *folder = ga_xprintf("%s/%s", in->dir, name);
	ga_autofree char *path = ga_image_file_path(in->dir, name, digest, ".image");
	char list[GA_DIGEST_SIZE];

	/* Files without records and withdrawn ones are no copies: remove them. */
	if (ga_file_mkdirs(folder, 0700, err) < 0 ||
	    ga_store_remove_files(in->dir, name, digest, err) < 0 ||
	    ga_chunks_write(path, chunks, list, err) < 0)
		return -1;
	if (renameat2(AT_FDCWD, in->path, AT_FDCWD, path, RENAME_NOREPLACE) < 0)
		return ga_fail_sys(err, "cannot put the image at '%s'", path);
	free(GA_TAKE(in->path));
	free(s->image.chunks_digest);
	s->image.chunks_digest = ga_xstrdup(list);
	free(s->copy.path);
	s->copy.path = GA_TAKE(path);
	free(s->copy.verified_at);
	s->copy.verified_at = ga_time_now();
	s->copy.file_bytes = in->bytes;
	return ga_store_write_records(in->dir, s, err);
}

int ga_incoming_keep(struct ga_incoming *in, const struct ga_chunks *chunks, bool other,
		     struct ga_stored_image *s, struct ga_err *err)
{
	ga_autofd int lock = ga_image_dir_lock(in->dir, err);
	char list[GA_DIGEST_SIZE];
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_node_image there;
	int r = lock < 0 ? -1 : find_same(in->dir, &s->image, s->copy.node, other, &there, err);

	if (r < 0)
		return -1;
	if (!r)
		return put_in_place(in, chunks, s, err) < 0 ? -1 : 1;
	ga_chunks_format(chunks, &text);
	free(s->image.chunks_digest);
	s->image.chunks_digest = ga_xstrdup(ga_digest_of(text.buf, text.len, list));
	ga_schema_release(&ga_node_image_schema, &s->copy);
	s->copy = there;
	return ga_store_write_records(in->dir, s, err); /* its way to boot may have changed */
}
