/* SPDX-License-Identifier: Apache-2.0 */
/* The zero pass and the read-back. */
#include "act/device/zero.h"

#include <errno.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "record/time.h"

#define ZERO_CHUNK (INT64_C(256) << 20)
#define READ_CHUNK (INT64_C(4) << 20)
#define THREADS 2

bool ga_is_zero(const void *p, size_t n)
{
	static const char zeros[16];
	const char *c = p;

	if (n < sizeof(zeros))
		return !memcmp(c, zeros, n);
	/* Each byte equals the one 16 before it, and the first 16 are zero. */
	return !memcmp(c, zeros, sizeof(zeros)) && !memcmp(c, c + 16, n - 16);
}

static int64_t at_most(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int write_zeros(struct ga_disk *d, int64_t offset, int64_t len, struct ga_err *err)
{
	ga_autofree void *zeros = ga_disk_buffer((size_t)READ_CHUNK);

	while (len) {
		int64_t n = at_most(len, READ_CHUNK);

		if (ga_stop_check("the zero pass", err) < 0 ||
		    ga_disk_write(d, zeros, (size_t)n, offset, err) < 0)
			return -1;
		offset += n;
		len -= n;
	}
	return 0;
}

int ga_zero_pass(struct ga_disk *d, const struct ga_watch *watch, struct ga_err *err)
{
	int64_t offset, n;

	for (offset = 0; offset < d->size_bytes; offset += n) {
		n = at_most(d->size_bytes - offset, ZERO_CHUNK);
		if (ga_stop_check("the zero pass", err) < 0)
			return -1;
		/* If the drive refuses, for any reason, write zeros: the result is the same. */
		if (d->ops->zero(d, offset, n) < 0 && write_zeros(d, offset, n, err) < 0)
			return -1;
		ga_watch_tell(watch, offset + n, d->size_bytes);
	}
	return ga_disk_sync(d, err);
}

/* ---- reading back ---- */

struct extent {
	int64_t offset, len;
};

/* Shared by the threads; the lock guards every member that changes. */
struct reading {
	struct ga_disk *disk;
	const struct ga_watch *watch;
	const struct extent *extents;
	size_t n;
	pthread_mutex_t lock;
	size_t next;
	int64_t at; /* offset within the extent */
	int64_t bytes, mismatches, total;
	bool failed;
	struct ga_err err;
};

/* Takes the next chunk; false when there is none or the reading ends early. */
static bool take_chunk(struct reading *r, struct extent *ret)
{
	bool more;

	pthread_mutex_lock(&r->lock);
	if (!r->failed && ga_stop_check("the read-back", &r->err) < 0)
		r->failed = true;
	more = !r->failed && r->next < r->n;
	if (more) {
		const struct extent *e = &r->extents[r->next];

		ret->offset = e->offset + r->at;
		ret->len = at_most(e->len - r->at, READ_CHUNK);
		r->at += ret->len;
		if (r->at == e->len) {
			r->next++;
			r->at = 0;
		}
	}
	pthread_mutex_unlock(&r->lock);
	return more;
}

static int64_t count_mismatches(const char *p, int64_t len)
{
	int64_t i, n = 0;

	if (ga_is_zero(p, (size_t)len))
		return 0;
	for (i = 0; i < len; i += 4096)
		n += !ga_is_zero(p + i, (size_t)at_most(4096, len - i));
	return n;
}

static void read_chunks(struct reading *r, bool tells)
{
	ga_autofree void *buf = ga_disk_buffer((size_t)READ_CHUNK);
	struct extent e;

	while (take_chunk(r, &e)) {
		struct ga_err err = GA_ERR_INIT;
		int rc = ga_disk_read(r->disk, buf, (size_t)e.len, e.offset, &err);
		int64_t bad = rc < 0 ? 0 : count_mismatches(buf, e.len), done;

		pthread_mutex_lock(&r->lock);
		if (rc < 0 && !r->failed) {
			r->failed = true;
			r->err = err;
		}
		if (rc == 0)
			r->bytes += e.len;
		r->mismatches += bad;
		done = r->bytes;
		pthread_mutex_unlock(&r->lock);
		if (tells)
			ga_watch_tell(r->watch, done, r->total);
	}
}

static void *reader_thread(void *arg)
{
	read_chunks(arg, false);
	return NULL;
}

static int read_extents(struct reading *r, struct ga_err *err)
{
	pthread_t threads[THREADS - 1];
	int i, started = 0;

	/* A thread that cannot be started only makes the reading slower. */
	while (started < THREADS - 1 &&
	       !pthread_create(&threads[started], NULL, reader_thread, r))
		started++;
	read_chunks(r, true);
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (!r->failed)
		return 0;
	*err = r->err;
	return -1;
}

static int draw_samples(int64_t size, struct extent *e, struct ga_err *err)
{
	uint64_t places = (uint64_t)(size / GA_SAMPLE_BYTES), r;
	size_t i;

	for (i = 0; i < GA_SAMPLES; i++) {
		if (ga_random_all(&r, sizeof(r)) < 0)
			return ga_fail_sys(err, "cannot get random bytes");
		e[i] = (struct extent){ (int64_t)(r % places) * GA_SAMPLE_BYTES, GA_SAMPLE_BYTES };
	}
	e[GA_SAMPLES] = (struct extent){ 0, GA_SAMPLE_EDGE };
	e[GA_SAMPLES + 1] = (struct extent){ size - GA_SAMPLE_EDGE, GA_SAMPLE_EDGE };
	return 0;
}

int ga_read_back(struct ga_disk *d, bool sampled, const struct ga_watch *watch,
		 struct ga_read_back *ret, struct ga_err *err)
{
	const int64_t sample = (int64_t)GA_SAMPLES * GA_SAMPLE_BYTES + 2 * GA_SAMPLE_EDGE;
	ga_autofree struct extent *e = ga_xcalloc(GA_SAMPLES + 2, sizeof(*e));
	struct reading r = { .disk = d, .watch = watch, .extents = e,
			     .lock = PTHREAD_MUTEX_INITIALIZER };
	int rc;

	sampled = sampled && d->size_bytes > 2 * sample;
	e[0] = (struct extent){ 0, d->size_bytes };
	if (sampled && draw_samples(d->size_bytes, e, err) < 0)
		return -1;
	r.n = sampled ? GA_SAMPLES + 2 : 1;
	r.total = sampled ? sample : d->size_bytes;
	ret->verify = ga_xstrdup(sampled ? "sampled" : "full");
	ret->started_at = ga_time_now();
	ret->remnant_bound_ppb = sampled ? ga_wipe_remnant_ppb(GA_SAMPLES) : 0;
	rc = read_extents(&r, err);
	ret->bytes_read = r.bytes;
	ret->mismatches = r.mismatches;
	if (rc < 0)
		return -1;
	ret->finished_at = ga_time_now();
	return 0;
}

int64_t ga_read_rate(struct ga_disk *d)
{
	const int64_t most = INT64_C(128) << 20, longest = 300000;
	ga_autofree void *buf = ga_disk_buffer((size_t)READ_CHUNK);
	int64_t began = ga_clock_mono_micros(), at = 0, spent = 0;
	struct ga_err unreadable = GA_ERR_INIT; /* no estimate then */

	while (at + READ_CHUNK <= at_most(d->size_bytes, most) && spent < longest) {
		if (ga_disk_read(d, buf, (size_t)READ_CHUNK, at, &unreadable) < 0)
			return 0;
		at += READ_CHUNK;
		spent = ga_clock_mono_micros() - began;
	}
	return spent > 0 ? (int64_t)((double)at * 1e6 / (double)spent) : 0;
}
