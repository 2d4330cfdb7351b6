/* SPDX-License-Identifier: Apache-2.0 */
/* Clones and digests, made by threads (the crew) that take one chunk after another. */
#include "act/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/image/internal.h"
#include "base/clock.h"

/* Bytes that are read, hashed and written at a time: they stay in a core's cache. */
#define PIECE_BYTES (256 << 10)
/* The grain in which zeros are skipped. */
#define GRAIN_BYTES (64 << 10)

struct worker {
	struct ga_crew *crew;
	unsigned char *buf; /* a chunk when streaming, a piece otherwise */
	int64_t written;
};

/* ---- the target ---- */

static bool is_zero(const unsigned char *p, size_t n)
{
	const uint64_t *w = (const uint64_t *)(const void *)p; /* buffers are page aligned */
	uint64_t any = 0;
	size_t i, k;

	for (i = 0; i + 64 <= n; i += 64, w += 8) {
		for (k = 0; k < 8; k++)
			any |= w[k];
		if (any)
			return false;
	}
	for (; i < n; i++)
		any |= p[i];
	return !any;
}

static int write_at(int fd, const unsigned char *p, int64_t n, int64_t offset)
{
	while (n) {
		ssize_t w = pwrite(fd, p, (size_t)n, offset);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0 && errno == EINVAL && fcntl(fd, F_GETFL) & O_DIRECT) {
			/* A tail that is no multiple of the block size. */
			fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_DIRECT);
			continue;
		}
		if (w <= 0)
			return -1;
		p += w;
		n -= w;
		offset += w;
	}
	return 0;
}

int ga_target_zero(int fd, int64_t offset, int64_t len)
{
	static const unsigned char zeros[PIECE_BYTES] __attribute__((aligned(4096)));
	uint64_t range[2] = { (uint64_t)offset, (uint64_t)len };

	if (!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, len) ||
	    !fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, offset, len) ||
	    !ioctl(fd, BLKZEROOUT, range))
		return 0;
	while (len) {
		int64_t n = len < PIECE_BYTES ? len : PIECE_BYTES;

		if (write_at(fd, zeros, n, offset) < 0)
			return -1;
		offset += n;
		len -= n;
	}
	return 0;
}

/* Writes a piece in grains: neighbouring grains with data in one write, zeros by ga_target_zero. */
static int put(struct worker *w, const unsigned char *p, int64_t n, int64_t offset)
{
	const struct ga_crew *c = w->crew;
	int64_t from = 0;

	while (from < n) {
		int64_t to = from, grain;
		bool zero = false;

		do {
			grain = n - to < GRAIN_BYTES ? n - to : GRAIN_BYTES;
			if (to == from)
				zero = is_zero(p + to, (size_t)grain);
			else if (is_zero(p + to, (size_t)grain) != zero)
				break;
			to += grain;
		} while (to < n);
		if (!zero) {
			if (write_at(c->target, p + from, to - from, offset + from) < 0)
				return -1;
			w->written += to - from;
		} else if (!c->target_is_zero &&
			   ga_target_zero(c->target, offset + from, to - from) < 0) {
			return -1;
		}
		from = to;
	}
	return 0;
}

/* ---- one chunk ---- */

static int cannot_write(struct ga_err *err, int64_t offset)
{
	return ga_fail_sys(err, "cannot write the disk at byte %" PRId64, offset);
}

/* Compares with, or collects, the digest of a chunk. */
static int settle(struct ga_crew *c, int64_t index, char digest[GA_DIGEST_SIZE],
		  struct ga_err *err)
{
	if (c->make) {
		pthread_mutex_lock(&c->lock);
		while (c->make->v.n <= (size_t)index)
			ga_list_add(&c->make->v);
		c->make->v.v[index] = ga_xstrdup(digest);
		pthread_mutex_unlock(&c->lock);
	}
	if (!c->expect || ((size_t)index < c->expect->v.n &&
			   ga_streq(c->expect->v.v[index], digest)))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "image_digest", NULL,
			 ("image '%s' is not what was verified: chunk %" PRId64
			  " has another digest", c->source->name, index),
			 ("gpuaas-image verify FILE; then add it again from a good copy"));
}

/* A chunk that lies in memory. */
static int take_bytes(struct worker *w, int64_t index, int64_t len, struct ga_err *err)
{
	struct ga_crew *c = w->crew;
	int64_t at = index * GA_CHUNK_BYTES, i, n;
	char digest[GA_DIGEST_SIZE];

	if (c->expect || c->make) {
		ga_digest_of(w->buf, (size_t)len, digest);
		if (settle(c, index, digest, err) < 0)
			return -1;
	}
	for (i = 0; c->target >= 0 && i < len; i += n) {
		n = len - i < PIECE_BYTES ? len - i : PIECE_BYTES;
		if (put(w, w->buf + i, n, at + i) < 0)
			return cannot_write(err, at + i);
	}
	return 0;
}

static int read_at(const struct ga_source *s, unsigned char *buf, int64_t n, int64_t offset,
		   struct ga_err *err)
{
	while (n) {
		ssize_t got = pread(s->fd, buf, (size_t)n, offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ga_fail_sys(err, "cannot read '%s'", s->name);
		if (!got)
			return ga_fail_for(err, GA_CONFLICT, "image_size",
					   "image '%s' became shorter while it was read", s->name);
		buf += got;
		n -= got;
		offset += got;
	}
	return 0;
}

/* Whether a range of a raw file is a hole: zeros that need no reading. */
static bool is_hole(const struct ga_source *s, int64_t at, int64_t len)
{
	off_t data = lseek(s->fd, at, SEEK_DATA);

	return (data < 0 && errno == ENXIO) || data >= at + len;
}

static char zeros_digest[GA_DIGEST_SIZE];
static pthread_once_t zeros_once = PTHREAD_ONCE_INIT;

static void make_zeros_digest(void)
{
	ga_autofree void *zeros = ga_xcalloc(1, GA_CHUNK_BYTES);

	ga_digest_of(zeros, GA_CHUNK_BYTES, zeros_digest);
}

/* A chunk of a raw file, piece by piece. */
static int take_file(struct worker *w, int64_t index, int64_t len, struct ga_err *err)
{
	struct ga_crew *c = w->crew;
	int64_t at = index * GA_CHUNK_BYTES, i, n;
	char digest[GA_DIGEST_SIZE];
	struct ga_digest *d;

	if (len == GA_CHUNK_BYTES && is_hole(c->source, at, len)) {
		pthread_once(&zeros_once, make_zeros_digest);
		memcpy(digest, zeros_digest, sizeof(digest));
		if (settle(c, index, digest, err) < 0)
			return -1;
		if (c->target >= 0 && !c->target_is_zero && ga_target_zero(c->target, at, len) < 0)
			return cannot_write(err, at);
		return 0;
	}
	d = c->expect || c->make ? ga_digest_open() : NULL;
	for (i = 0; i < len; i += n) {
		n = len - i < PIECE_BYTES ? len - i : PIECE_BYTES;
		if (is_hole(c->source, at + i, n))
			memset(w->buf, 0, (size_t)n);
		else if (read_at(c->source, w->buf, n, at + i, err) < 0)
			break;
		if (d)
			ga_digest_add(d, w->buf, (size_t)n);
		if (c->target >= 0 && put(w, w->buf, n, at + i) < 0) {
			(void)cannot_write(err, at + i);
			break;
		}
	}
	if (d)
		ga_digest_close(d, digest);
	if (i < len)
		return -1;
	return d ? settle(c, index, digest, err) : 0;
}

/* ---- the crew ---- */

/* Takes the next chunk, under the lock: 1 taken, 0 none left. */
static int next_chunk(struct worker *w, int64_t *index, int64_t *len, struct ga_err *err)
{
	struct ga_source *s = w->crew->source;

	if (s->way == GA_IMAGE_RANDOM) {
		int64_t left = s->size_bytes - s->next * GA_CHUNK_BYTES;

		*len = left < GA_CHUNK_BYTES ? left : GA_CHUNK_BYTES;
	} else {
		*len = ga_source_read(s, w->buf, err);
	}
	*index = s->next;
	if (*len > 0)
		s->next++;
	return *len < 0 && s->way == GA_IMAGE_STREAM ? -1 : *len > 0;
}

static void give_up(struct ga_crew *c, const struct ga_err *err)
{
	if (!c->stop)
		c->err = *err;
	c->stop = true;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct ga_crew *c = w->crew;
	struct ga_err err = GA_ERR_INIT;
	int64_t index, len;
	int more;

	pthread_mutex_lock(&c->lock);
	while (!c->stop && (more = next_chunk(w, &index, &len, &err))) {
		if (more > 0) {
			pthread_mutex_unlock(&c->lock);
			more = c->source->way == GA_IMAGE_RANDOM ? take_file(w, index, len, &err) :
								   take_bytes(w, index, len, &err);
			pthread_mutex_lock(&c->lock);
			c->done += len;
		}
		if (more < 0)
			give_up(c, &err);
	}
	c->written += w->written;
	c->running--;
	pthread_cond_signal(&c->ended);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Reports from this thread until the workers have ended. */
static void attend(struct ga_crew *c)
{
	int64_t total = c->source->way == GA_IMAGE_RANDOM || c->source->exact ?
				c->source->size_bytes :
				0;
	struct ga_err err = GA_ERR_INIT;

	while (c->running) {
		struct timespec until = ga_clock_timespec(ga_clock_micros() + 100000);
		int64_t done = c->done;

		pthread_mutex_unlock(&c->lock);
		if (c->progress && c->progress(done, total, c->arg, &err) < 0) {
			pthread_mutex_lock(&c->lock);
			give_up(c, &err);
			pthread_mutex_unlock(&c->lock);
		}
		pthread_mutex_lock(&c->lock);
		if (c->running)
			pthread_cond_timedwait(&c->ended, &c->lock, &until);
	}
}

int ga_crew_run(struct ga_crew *c, struct ga_err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int n = c->threads > 0 ? c->threads : cpus < 2 ? 2 : cpus > 8 ? 8 : (int)cpus;
	int i, started = 0;
	size_t size = c->source->way == GA_IMAGE_STREAM ? GA_CHUNK_BYTES : PIECE_BYTES;
	ga_autofree struct worker *workers = ga_xcalloc((size_t)n, sizeof(*workers));
	ga_autofree pthread_t *threads = ga_xcalloc((size_t)n, sizeof(*threads));

	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->ended, NULL);
	pthread_mutex_lock(&c->lock);
	for (i = 0; i < n; i++) {
		workers[i].crew = c;
		workers[i].buf = aligned_alloc(4096, size);
		if (!workers[i].buf || pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
			break;
		started++;
		c->running++;
	}
	attend(c);
	pthread_mutex_unlock(&c->lock);
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < n; i++)
		free(workers[i].buf);
	pthread_cond_destroy(&c->ended);
	pthread_mutex_destroy(&c->lock);
	if (!started)
		return ga_fail(err, GA_SYSTEM, "cannot start a thread");
	if (!c->stop)
		return 0;
	*err = c->err;
	return -1;
}

/* ---- clone ---- */

/* qemu-img writes the target, which is then read back and checked. */
static int clone_qcow2(const struct ga_image_clone *c, int from, struct ga_crew *crew,
		       struct ga_err *err)
{
	struct ga_source target = { .way = GA_IMAGE_RANDOM, .name = c->path, .fd = c->fd,
				    .size_bytes = c->size_bytes };
	struct ga_crew reading = *crew;

	if (ga_qcow2_convert(from, c->fd, c->target_is_zero, err) < 0)
		return -1;
	crew->written = c->size_bytes;
	reading.source = &target;
	reading.target = -1;
	return crew->expect ? ga_crew_run(&reading, err) : 0;
}

int ga_image_clone(const struct ga_image_clone *c, struct ga_image_cloned *ret, struct ga_err *err)
{
	ga_autosource struct ga_source source = { .fd = -1 };
	struct ga_crew crew = {
		.source = &source,
		.target = c->fd,
		.target_is_zero = c->target_is_zero,
		.expect = c->chunks,
		.threads = c->threads,
		.progress = c->progress,
		.arg = c->arg,
	};
	bool qcow2 = ga_streq(c->format, "qcow2");
	int64_t makes = c->size_bytes;
	struct stat st;
	int r;

	*ret = (struct ga_image_cloned){ 0 };
	if (ga_source_open(c->path, c->format, false, NULL, &source, err) < 0)
		return -1;
	if (qcow2 && ga_qcow2_check(source.fd, c->path, &makes, err) < 0)
		return -1;
	if (source.way == GA_IMAGE_RANDOM)
		makes = source.size_bytes;
	if (c->size_bytes > c->target_bytes)
		return ga_fail_for(err, GA_CONFLICT, "image_size",
				   "image '%s' makes %" PRId64 " bytes and the disk has %" PRId64,
				   c->path, c->size_bytes, c->target_bytes);
	if (makes != c->size_bytes || (c->chunks && c->chunks->size_bytes != c->size_bytes))
		return ga_fail_for(err, GA_CONFLICT, "image_size",
				   "image '%s' makes another size than the plan's %" PRId64
				   " bytes",
				   c->path, c->size_bytes);
	source.size_bytes = c->size_bytes;
	source.exact = true;
	/* Bypass the page cache where the target is a disk: the image would only displace its
	 * content. */
	ret->direct = !qcow2 && !fstat(c->fd, &st) && S_ISBLK(st.st_mode) &&
		      !fcntl(c->fd, F_SETFL, fcntl(c->fd, F_GETFL) | O_DIRECT);
	r = qcow2 ? clone_qcow2(c, source.fd, &crew, err) : ga_crew_run(&crew, err);
	if (r < 0)
		return -1;
	if (fsync(c->fd) < 0)
		return ga_fail_sys(err, "cannot flush the disk");
	ret->bytes = c->size_bytes;
	ret->written = crew.written;
	return 0;
}
