/* SPDX-License-Identifier: Apache-2.0 */
/* The source of an image's bytes: raw files, compressed streams, qcow2 through qemu-img. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/image/internal.h"
#include "base/proc.h"

#define BLOCK_BYTES (256 << 10)

static ssize_t read_some(int fd, void *buf, size_t n)
{
	ssize_t got;

	do
		got = read(fd, buf, n);
	while (got < 0 && errno == EINTR);
	return got;
}

static la_ssize_t archive_block(struct archive *a, void *arg, const void **block)
{
	struct ga_source *s = arg;
	ssize_t n = read_some(s->fd, s->block, BLOCK_BYTES);

	if (n < 0) {
		archive_set_error(a, errno, "%s", strerror(errno));
		return -1;
	}
	if (n && s->digest)
		ga_digest_add(s->digest, s->block, (size_t)n);
	*block = s->block;
	return n;
}

static int open_archive(struct ga_source *s, struct ga_err *err)
{
	struct archive_entry *entry;

	s->archive = archive_read_new();
	if (!s->archive)
		abort(); /* out of memory */
	s->block = ga_xcalloc(1, BLOCK_BYTES);
	archive_read_support_filter_gzip(s->archive);
	archive_read_support_filter_xz(s->archive);
	archive_read_support_filter_zstd(s->archive);
	archive_read_support_filter_bzip2(s->archive);
	archive_read_support_filter_lz4(s->archive);
	archive_read_support_format_raw(s->archive);
	if (archive_read_open(s->archive, s, NULL, archive_block, NULL) != ARCHIVE_OK ||
	    archive_read_next_header(s->archive, &entry) != ARCHIVE_OK)
		return ga_fail(err, GA_BADREC, "cannot decompress '%s': %s", s->name,
			       archive_error_string(s->archive));
	return 0;
}

static const char *format_of(const unsigned char *p, ssize_t n)
{
	static const struct {
		const char *magic;
		size_t n;
		const char *format;
	} magics[] = {
		{ "QFI\xfb", 4, "qcow2" },
		{ "\x1f\x8b", 2, "raw_compressed" },
		{ "\xfd"
		  "7zXZ",
		  5, "raw_compressed" },
		{ "\x28\xb5\x2f\xfd", 4, "raw_compressed" },
		{ "BZh", 3, "raw_compressed" },
		{ "\x04\x22\x4d\x18", 4, "raw_compressed" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(magics); i++)
		if (n >= (ssize_t)magics[i].n && !memcmp(p, magics[i].magic, magics[i].n))
			return magics[i].format;
	return "raw";
}

static int check_file(struct ga_source *s, struct ga_err *err)
{
	struct stat st;

	if (fstat(s->fd, &st) < 0)
		return ga_fail_sys(err, "cannot read '%s'", s->name);
	if (!S_ISREG(st.st_mode))
		return ga_fail(err, GA_CONFLICT, "image '%s' is not a regular file", s->name);
	if (!st.st_size || st.st_size > GA_IMAGE_MAX)
		return ga_fail_for(err, GA_CONFLICT, "image_size",
				   "image '%s' has %" PRId64 " bytes", s->name,
				   (int64_t)st.st_size);
	s->file_bytes = st.st_size;
	return 0;
}

int ga_source_open(const char *path, const char *format, bool with_digest, char *found,
		   struct ga_source *ret, struct ga_err *err)
{
	unsigned char head[8];
	ssize_t n;

	*ret = (struct ga_source){ .name = path,
				   .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) };
	if (ret->fd < 0)
		return ga_refuse(err, errno == ENOENT ? GA_NOTFOUND : GA_SYSTEM, "image_missing",
				 NULL, ("cannot open image '%s': %s", path, strerror(errno)),
				 ("gpuaas-image add FILE --name NAME puts an image on a node"));
	n = check_file(ret, err) < 0 ? -2 : pread(ret->fd, head, sizeof(head), 0);
	if (n < 0) {
		ga_source_close(ret);
		return n == -2 ? -1 : ga_fail_sys(err, "cannot read '%s'", path);
	}
	if (!format)
		format = format_of(head, n);
	if (found)
		snprintf(found, 16, "%s", format);
	ret->size_bytes = ga_streq(format, "raw") ? ret->file_bytes : GA_IMAGE_MAX;
	ret->way = ga_streq(format, "raw") && !with_digest ? GA_IMAGE_RANDOM : GA_IMAGE_STREAM;
	if (with_digest)
		ret->digest = ga_digest_open();
	if (ga_streq(format, "raw_compressed") && open_archive(ret, err) < 0) {
		ga_source_close(ret);
		return -1;
	}
	return 0;
}

void ga_source_close(struct ga_source *s)
{
	char unused[GA_DIGEST_SIZE];

	if (s->archive)
		archive_read_free(s->archive);
	if (s->digest)
		ga_digest_close(s->digest, unused);
	free(s->block);
	ga_cleanup_fd(&s->fd);
	*s = (struct ga_source){ .fd = -1 };
}

static ssize_t source_some(struct ga_source *s, unsigned char *buf, size_t n, struct ga_err *err)
{
	ssize_t got;

	if (s->archive) {
		got = archive_read_data(s->archive, buf, n);
		if (got < 0)
			return ga_fail(err, GA_CONFLICT, "cannot decompress '%s': %s", s->name,
				       archive_error_string(s->archive));
		return got;
	}
	got = read_some(s->fd, buf, n);
	if (got < 0)
		return ga_fail_sys(err, "cannot read '%s'", s->name);
	if (s->digest)
		ga_digest_add(s->digest, buf, (size_t)got);
	return got;
}

int64_t ga_source_read(struct ga_source *s, unsigned char *buf, struct ga_err *err)
{
	int64_t n = 0;

	while (n < GA_CHUNK_BYTES && !s->ended) {
		ssize_t got = source_some(s, buf + n, (size_t)(GA_CHUNK_BYTES - n), err);

		if (got < 0)
			return -1;
		s->ended = !got;
		n += got;
	}
	s->got += n;
	if (s->got > s->size_bytes || (s->exact && s->ended && s->got < s->size_bytes))
		return ga_fail_for(err, GA_CONFLICT, "image_size",
				   "image '%s' makes %s than the %" PRId64 " bytes it should",
				   s->name, s->got > s->size_bytes ? "more" : "less",
				   s->size_bytes);
	return n;
}

/* ---- qcow2 ---- */

static uint64_t be(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | *p++;
	return v;
}

int ga_qcow2_check(int fd, const char *name, int64_t *size_bytes, struct ga_err *err)
{
	unsigned char h[104] = { 0 };
	uint64_t size, incompatible;
	ssize_t n = pread(fd, h, sizeof(h), 0);

	/* qemu docs/interop/qcow2.txt: version at 4, backing file offset at 8, size at 24,
	 * incompatible features at 72 (bit 2: external data file). */
	if (n < 72 || memcmp(h, "QFI\xfb", 4) != 0 || be(h + 4, 4) < 2 || be(h + 4, 4) > 3)
		return ga_fail(err, GA_BADREC, "'%s' is not a qcow2 image of version 2 or 3", name);
	incompatible = be(h + 4, 4) == 3 ? be(h + 72, 8) : 0;
	if (be(h + 8, 8) || incompatible & 4)
		return ga_fail_for(err, GA_DENIED, "image_refers",
				   "image '%s' refers to another file (a backing or data file)",
				   name);
	size = be(h + 24, 8);
	if (!size || size > (uint64_t)GA_IMAGE_MAX)
		return ga_fail_for(err, GA_CONFLICT, "image_size",
				   "image '%s' makes %" PRIu64 " bytes", name, size);
	*size_bytes = (int64_t)size;
	return 0;
}

int ga_qcow2_convert(int from, int to, bool target_is_zero, struct ga_err *err)
{
	ga_autofree char *source = ga_xprintf("/proc/%ld/fd/%d", (long)getpid(), from);
	ga_autofree char *target = ga_xprintf("/proc/%ld/fd/%d", (long)getpid(), to);
	const char *argv[] = { "qemu-img", "convert", "-n", "-W", "-f", "qcow2", "-O", "raw",
			       target_is_zero ? "--target-is-zero" : "-q", source, target, NULL };
	const struct ga_proc p = { .argv = argv, .timeout_micros = 3600 * GA_SECOND };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	if (ga_proc_check(&p, &out, err) < 0)
		return ga_wrap(err, "cannot convert the qcow2 image");
	return 0;
}
