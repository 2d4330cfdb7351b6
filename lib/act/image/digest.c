/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of images, and the lists of chunk digests beside them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/image/internal.h"
#include "base/file.h"
#include "record/size.h"

#define LIST_MAX (80 << 20) /* bytes of the longest chunk list: GA_IMAGE_MAX in chunks */

static const char list_head[] = "gpuaas-chunks/1 ";

void ga_chunks_release(struct ga_chunks *c)
{
	ga_texts_release(&c->v);
	c->size_bytes = 0;
}

void ga_image_facts_release(struct ga_image_facts *f)
{
	ga_chunks_release(&f->chunks);
}

void ga_chunks_format(const struct ga_chunks *c, struct ga_str *out)
{
	size_t i;

	ga_str_clear(out);
	ga_str_addf(out, "%s%" PRId64 "\n", list_head, c->size_bytes);
	for (i = 0; i < c->v.n; i++) {
		ga_str_add(out, c->v.v[i]);
		ga_str_addc(out, '\n');
	}
}

/* Reads the lines of a list that is in memory; they are cut in place. */
static int parse_list(char *text, const char *path, struct ga_chunks *ret, struct ga_err *err)
{
	char *line = text, *end = strchr(text, '\n');

	if (!end || !ga_starts(line, list_head))
		return ga_fail(err, GA_BADREC, "'%s' is not a chunk list", path);
	*end = '\0';
	if (ga_int_parse(line + strlen(list_head), "size of the image", 1, GA_IMAGE_MAX,
			 &ret->size_bytes, err) < 0)
		return ga_wrap(err, "'%s'", path);
	for (line = end + 1; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			break;
		*end = '\0';
		if (!ga_digest_is_valid(line))
			return ga_fail(err, GA_BADREC, "'%s' has a line that is no digest", path);
		*ga_list_add(&ret->v) = ga_xstrdup(line);
	}
	if ((int64_t)ret->v.n != (ret->size_bytes + GA_CHUNK_BYTES - 1) / GA_CHUNK_BYTES)
		return ga_fail(err, GA_BADREC, "'%s' has %zu digests for %" PRId64 " bytes", path,
			       ret->v.n, ret->size_bytes);
	return 0;
}

int ga_chunks_read(const char *image, const char *digest, struct ga_chunks *ret,
		   struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s.chunks", image);
	ga_autostr struct ga_str text = GA_STR_INIT;
	char found[GA_DIGEST_SIZE];

	*ret = (struct ga_chunks){ 0 };
	if (ga_file_read(path, LIST_MAX, &text, err) < 0)
		return ga_hint(err,
			       "gpuaas-image add FILE --name NAME makes the list of chunk digests");
	if (digest && !ga_streq(ga_digest_of(text.buf, text.len, found), digest))
		return ga_refuse(err, GA_CONFLICT, "image_digest", NULL,
				 ("'%s' has digest %s instead of %s", path, found, digest),
				 ("gpuaas-image verify FILE; then add it again from a good copy"));
	if (parse_list(text.buf, path, ret, err) < 0) {
		ga_chunks_release(ret);
		return -1;
	}
	return 0;
}

int ga_chunks_write(const char *image, const struct ga_chunks *c, char digest[GA_DIGEST_SIZE],
		    struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s.chunks", image);
	ga_autostr struct ga_str text = GA_STR_INIT;

	ga_chunks_format(c, &text);
	ga_digest_of(text.buf, text.len, digest);
	return ga_file_replace(path, text.buf, text.len, 0600, err);
}

/* ---- digests ---- */

static int digest_fd(int fd, const char *path, char digest[GA_DIGEST_SIZE], struct ga_err *err)
{
	struct ga_digest *d = ga_digest_open();
	ga_autofree unsigned char *buf = ga_xcalloc(1, 1 << 18);
	int64_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, 1 << 18, at)) > 0 || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		ga_digest_add(d, buf, (size_t)n);
		at += n;
	}
	ga_digest_close(d, digest);
	return n < 0 ? ga_fail_sys(err, "cannot read '%s'", path) : 0;
}

int ga_image_file_digest(const char *path, char digest[GA_DIGEST_SIZE], struct ga_err *err)
{
	ga_autosource struct ga_source s = { .fd = -1 };

	if (ga_source_open(path, "raw", false, NULL, &s, err) < 0)
		return -1;
	return digest_fd(s.fd, path, digest, err);
}

/* Adds the bytes of the file that libarchive did not need to read. */
static int digest_rest(struct ga_source *s, struct ga_err *err)
{
	ga_autofree unsigned char *buf = ga_xcalloc(1, 1 << 18);
	ssize_t n;

	while ((n = read(s->fd, buf, 1 << 18)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			ga_digest_add(s->digest, buf, (size_t)n);
	return n < 0 ? ga_fail_sys(err, "cannot read '%s'", s->name) : 0;
}

static int run_digest(struct ga_source *s, ga_image_progress progress, void *arg,
		      struct ga_chunks *make, struct ga_err *err)
{
	struct ga_crew crew = { .source = s, .target = -1, .make = make, .progress = progress,
				.arg = arg };

	return ga_crew_run(&crew, err);
}

static int digest_qcow2(const char *path, struct ga_source *file, ga_image_progress progress,
			void *arg, struct ga_image_facts *ret, struct ga_err *err)
{
	ga_autofree char *tmp = ga_xprintf("%s.raw.XXXXXX", path);
	ga_autofd int fd = -1;
	struct ga_source raw = { .way = GA_IMAGE_RANDOM, .name = path };

	if (ga_qcow2_check(file->fd, path, &ret->size_bytes, err) < 0 ||
	    digest_fd(file->fd, path, ret->digest, err) < 0)
		return -1;
	/* The disk that the image makes, as a raw file without a name beside it. */
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return ga_fail_sys(err, "cannot create '%s'", tmp);
	unlink(tmp);
	if (ftruncate(fd, ret->size_bytes) < 0)
		return ga_fail_sys(err, "cannot make a file of %" PRId64 " bytes", ret->size_bytes);
	if (ga_qcow2_convert(file->fd, fd, true, err) < 0)
		return -1;
	raw.fd = fd;
	raw.size_bytes = ret->size_bytes;
	return run_digest(&raw, progress, arg, &ret->chunks, err);
}

int ga_image_digest(const char *path, ga_image_progress progress, void *arg,
		    struct ga_image_facts *ret, struct ga_err *err)
{
	ga_autosource struct ga_source s = { .fd = -1 };
	int r;

	*ret = (struct ga_image_facts){ 0 };
	if (ga_source_open(path, NULL, true, ret->format, &s, err) < 0)
		return -1;
	ret->file_bytes = s.file_bytes;
	if (ga_streq(ret->format, "qcow2")) {
		r = digest_qcow2(path, &s, progress, arg, ret, err);
	} else {
		r = run_digest(&s, progress, arg, &ret->chunks, err);
		if (!r)
			r = digest_rest(&s, err);
		ret->size_bytes = s.got;
		ga_digest_close(GA_TAKE(s.digest), ret->digest);
	}
	ret->chunks.size_bytes = ret->size_bytes;
	if (r < 0)
		ga_image_facts_release(ret);
	return r;
}
