/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a disk without a known signature is empty: reads the first and the last MiB and some
 * hundred blocks between, drawn at random, so that nobody can know beforehand which blocks are not
 * read.
 */
#include "look/block/block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define BLOCK INT64_C(4096)
#define EDGE (INT64_C(1) << 20)
/* A disk up to this size is read completely: it takes no longer. */
#define WHOLE (INT64_C(16) << 20)
#define CHUNK (INT64_C(256) << 10)
#define SAMPLES 512

/* DLFEAT bits 2:0, Identify Namespace, NVMe Base 2.0: the value that deallocated blocks read as. */
#define DLFEAT_READS 0x7
#define DLFEAT_READS_ONES 0x2
#define DLFEAT_NOT_REPORTED 0x0

static bool all_are(const unsigned char *p, size_t n, unsigned char byte)
{
	/* Each byte is equal to the one before it, and the first one is byte. */
	return !n || (*p == byte && !memcmp(p, p + 1, n - 1));
}

static int read_all(int fd, unsigned char *buf, int64_t len, int64_t offset)
{
	while (len) {
		ssize_t n = pread(fd, buf, (size_t)len, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		buf += n;
		offset += n;
		len -= n;
	}
	return 0;
}

/* Reads a range: 1 go on, 0 a byte differs from the first byte of the disk, -1 a read failed. */
static int look(int fd, int64_t offset, int64_t len, unsigned char *buf, struct ga_content *c)
{
	while (len) {
		int64_t n = len < CHUNK ? len : CHUNK, at;

		if (read_all(fd, buf, n, offset) < 0)
			return -1;
		if (!c->blocks)
			c->byte = buf[0];
		for (at = 0; at < n; at += BLOCK) {
			c->blocks++;
			if (all_are(buf + at, (size_t)(n - at < BLOCK ? n - at : BLOCK), c->byte))
				continue;
			c->differs_at = offset + at;
			return 0;
		}
		offset += n;
		len -= n;
	}
	return 1;
}

static int look_all(int fd, int64_t size, unsigned char *buf, struct ga_content *c)
{
	uint64_t draw[SAMPLES], places = (uint64_t)(size / BLOCK);
	int i, r;

	if (size <= WHOLE)
		return look(fd, 0, size, buf, c);
	if (ga_random_all(draw, sizeof(draw)) < 0)
		return -1;
	/* The kernel starts all reads at once: one after the other they would take ten times as
	 * long. */
	for (i = 0; i < SAMPLES; i++)
		posix_fadvise(fd, (off_t)(draw[i] % places) * BLOCK, BLOCK, POSIX_FADV_WILLNEED);
	r = look(fd, 0, EDGE, buf, c);
	if (r > 0)
		r = look(fd, size - EDGE, EDGE, buf, c);
	for (i = 0; r > 0 && i < SAMPLES; i++)
		r = look(fd, (int64_t)(draw[i] % places) * BLOCK, BLOCK, buf, c);
	return r;
}

void ga_block_content_read(int fd, int64_t size, struct ga_content *ret)
{
	ga_autofree unsigned char *buf = ga_xcalloc(1, (size_t)CHUNK);
	int r;

	*ret = (struct ga_content){ .differs_at = GA_UNKNOWN };
	/* Empty the page cache first: it may have older blocks than the drive. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	r = size > 0 ? look_all(fd, size, buf, ret) : -1;
	posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
	ret->known = r >= 0;
}

const char *ga_block_content_word(const struct ga_content *c, int64_t dlfeat)
{
	int64_t reads = dlfeat == GA_UNKNOWN ? DLFEAT_NOT_REPORTED : dlfeat & DLFEAT_READS;

	if (!c->known)
		return "unread";
	if (c->differs_at != GA_UNKNOWN)
		return "unknown_content";
	if (!c->byte)
		return "empty";
	/* All ones is erased flash, unless the drive reports that its deallocated blocks read as
	 * something else. */
	return c->byte == 0xff && (reads == DLFEAT_READS_ONES || reads == DLFEAT_NOT_REPORTED) ?
		       "pattern" :
		       "unknown_content";
}

char *ga_block_content_text(const char *word, const struct ga_content *c)
{
	if (!c->known)
		return ga_xstrdup("it cannot be read");
	if (c->differs_at != GA_UNKNOWN)
		return ga_xprintf("unknown content in the block at byte %lld (%lld block%s of "
				  "4 KiB looked at)",
				  (long long)c->differs_at, (long long)c->blocks,
				  c->blocks == 1 ? "" : "s");
	return ga_xprintf("%s%lld block%s of 4 KiB looked at, all 0x%02x",
			  ga_streq(word, "unknown_content") ? "unknown content: " : "",
			  (long long)c->blocks, c->blocks == 1 ? "" : "s", c->byte);
}
