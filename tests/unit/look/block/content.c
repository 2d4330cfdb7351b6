/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sample of a disk's blocks: the result for each content, together with the drive's behaviour
 * for deallocated blocks. Also the steps of the guard: evidence must have every one.
 */
#include "decide/wipe/guard_steps.h"
#include "look/block/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "t.h"

#define MIB (INT64_C(1) << 20)
#define SMALL (16 * MIB)
#define LARGE (96 * MIB)
#define ALL -1

/* getrandom(2) as signals that come all the time leave it: never more than 256 bytes, and each
 * second call cut off before its first byte. */
ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	static int calls;

	if (++calls % 2 == 0)
		return errno = EINTR, -1;
	return syscall(SYS_getrandom, buf, len < 256 ? len : 256, flags);
}

static const struct row {
	const char *what;
	int64_t size, from, len; /* filled with byte; len ALL: to the end */
	int byte;
	int64_t dlfeat;
	const char *word;
} rows[] = {
	{ "zeros", SMALL, 0, 0, 0, GA_UNKNOWN, "empty" },
	{ "zeros, sampled", LARGE, 0, 0, 0, 1, "empty" },
	{ "zeros of a drive that reads ones", LARGE, 0, 0, 0, 2, "empty" },
	{ "ones, drive unknown", SMALL, 0, ALL, 0xff, GA_UNKNOWN, "pattern" },
	{ "ones, not reported", SMALL, 0, ALL, 0xff, 0x8, "pattern" },
	{ "ones, as the drive says", LARGE, 0, ALL, 0xff, 0x2, "pattern" },
	{ "ones where the drive reads zeros", SMALL, 0, ALL, 0xff, 0x1, "unknown_content" },
	{ "ones and zeros", LARGE, 48 * MIB, ALL, 0xff, 0x2, "unknown_content" },
	{ "another constant", SMALL, 0, ALL, 'x', GA_UNKNOWN, "unknown_content" },
	{ "the last byte of a small disk", SMALL, SMALL - 1, 1, 1, GA_UNKNOWN, "unknown_content" },
	{ "one byte within a small disk", SMALL, 5 * MIB + 77, 1, 1, GA_UNKNOWN,
	  "unknown_content" },
	{ "the first byte", LARGE, 0, 1, 1, GA_UNKNOWN, "unknown_content" },
	{ "one byte in the first MiB", LARGE, MIB - 1, 1, 1, GA_UNKNOWN, "unknown_content" },
	{ "one byte in the last MiB", LARGE, LARGE - MIB, 1, 1, GA_UNKNOWN, "unknown_content" },
	{ "an eighth of a large disk", LARGE, 40 * MIB, 12 * MIB, 7, GA_UNKNOWN,
	  "unknown_content" },
	{ "no whole block", SMALL + 1000, SMALL + 999, 1, 1, GA_UNKNOWN, "unknown_content" },
};

static void fill(int fd, const struct row *r)
{
	static unsigned char buf[1 << 20];
	int64_t end = r->len == ALL ? r->size : r->from + r->len, at;

	memset(buf, r->byte, sizeof(buf));
	for (at = r->from; at < end; at += MIB)
		t_ok(pwrite(fd, buf, (size_t)(end - at < MIB ? end - at : MIB), at) > 0,
		     "%s: written", r->what);
}

static void words(void)
{
	struct ga_content c;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		ga_autofd int fd = memfd_create("disk", MFD_CLOEXEC);

		t_ok(fd >= 0 && !ftruncate(fd, r->size), "%s: made", r->what);
		fill(fd, r);
		ga_block_content_read(fd, r->size, &c);
		t_str(ga_block_content_word(&c, r->dlfeat), r->word, "%s", r->what);
		if (ga_streq(r->word, "empty"))
			t_ok(c.blocks >= 1024, "%s: %lld blocks", r->what, (long long)c.blocks);
	}
}

static void unread(void)
{
	ga_autofd int fd = memfd_create("disk", MFD_CLOEXEC);
	struct ga_content c;

	t_ok(!ftruncate(fd, SMALL), "made");
	ga_block_content_read(fd, SMALL + 1, &c);
	t_str(ga_block_content_word(&c, GA_UNKNOWN), "unread", "a disk that ends too early");
	ga_block_content_read(-1, SMALL, &c);
	t_str(ga_block_content_word(&c, GA_UNKNOWN), "unread", "a disk that is not open");
	ga_block_content_read(fd, 0, &c);
	t_str(ga_block_content_word(&c, GA_UNKNOWN), "unread", "a disk without a size");
}

static void steps(void)
{
	const struct ga_guard_rule *r, *other;

	for (r = ga_guard_rules; r->step; r++) {
		t_ok(ga_guard_rule(r->step) == r, "step %s is found, and stands there once",
		     r->step);
		for (other = r + 1; other->step; other++)
			if (ga_streq(other->step, r->step))
				t_ok(false, "%s stands there twice", r->step);
	}
	t_ok(!ga_guard_rule("content_of_another"), "and no other");
}

/* A node that is not the device it is named for says nothing of a disk: its content is unread. */
static void nodes(void)
{
	char path[] = "/dev/shm/ga-content-XXXXXX";
	ga_autouses struct ga_block_uses uses = { .signatures_known = true };
	int fd = mkstemp(path);
	int64_t is_block;

	t_ok(fd >= 0 && !ftruncate(fd, SMALL), "an empty file");
	for (is_block = 0; is_block <= 1; is_block++) {
		struct ga_block_dev d = { .path = path, .size_bytes = SMALL, .major = 259,
					  .minor = 700, .is_block = is_block };
		struct ga_nvme n;

		ga_schema_init(&ga_nvme_schema, &n);
		ga_block_show(&d, &uses, &n);
		t_str(n.content, is_block ? "unread" : "empty", "a file in the place of a %s",
		      is_block ? "block device" : "lab's disk");
		ga_schema_release(&ga_nvme_schema, &n);
	}
	unlink(path);
	close(fd);
}

/* The find of an order's last run, and a signature of now: whether it was there. */
static void signatures(void)
{
	static const struct {
		const char *detail, *signature;
		bool saw;
	} cases[] = {
		{ "nvme1n1: gpt, nvme1n1p2: ext4 (expected)", "nvme1n1p2: ext4", true },
		{ "nvme1n1: gpt, nvme1n1p2: ext4 (expected)", "nvme1n1: gpt", true },
		/* the kernel gave the disk another name */
		{ "nvme1n1: gpt, nvme1n1p2: ext4 (expected)", "nvme0n1p2: ext4", true },
		{ "nvme1n1: gpt, nvme1n1p2: ext4 (expected)", "nvme10n1: gpt", true },
		{ "sda: dos, sda12: xfs (to be destroyed, as ordered)", "sdb12: xfs", true },
		{ "loop7: ext4 (expected)", "loop0: ext4", true },
		{ "loop7p1: ext4 (expected)", "loop0p1: ext4", true },
		{ "/labs/one: ext4 (expected)", "/labs/two3: ext4", true },
		/* another type, another partition, a part of a word */
		{ "nvme1n1: gpt, nvme1n1p2: ext4 (expected)", "nvme1n1p2: xfs", false },
		{ "nvme1n1: gpt, nvme1n1p2: ext4 (expected)", "nvme1n1p1: ext4", false },
		{ "nvme1n1: gpt, nvme1n1p2: ext4 (expected)", "nvme1n1: ext4", false },
		{ "sda12: xfs (expected)", "sda2: xfs", false },
		{ "nvme1n1p12: ext4 (expected)", "nvme1n1p1: ext4", false },
		{ "nvme1n1: ext4 (expected)", "nvme1n1: ext", false },
		{ "nvme1n1: ext4 (expected)", "1n1: ext4x", false },
		/* nothing was there, or the last run did not say */
		{ "none", "nvme1n1: gpt", false },
		{ "", "nvme1n1: gpt", false },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		t_int(ga_guard_saw(cases[i].detail, cases[i].signature), cases[i].saw, "'%s': %s",
		      cases[i].detail, cases[i].signature);
}

int main(void)
{
	nodes();
	signatures();
	words();
	unread();
	steps();
	return t_done();
}
