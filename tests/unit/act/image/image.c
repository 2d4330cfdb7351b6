/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clones every format onto a disk full of old bytes: the copy equals the image, zeros are written,
 * the space after the image stays unchanged, and a chunk that differs from the verified image stops
 * the clone.
 */
#include "t.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/image/image.h"
#include "base/proc.h"

#define MIB 1048576
#define DISK (24 * MIB)
#define SIZE (17 * MIB + 4096) /* four whole chunks and a short one */

static char dir[] = "/dev/shm/ga-image.XXXXXX";
static unsigned char want[DISK], got[DISK];

static char *in_dir(const char *name)
{
	return ga_xprintf("%s/%s", dir, name);
}

/* Data at the start, a page in the middle of zeros, a hole of more than a chunk, data at the end.
 */
static void make_raw(const char *path)
{
	ga_autofd int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	unsigned int seed = 7;
	size_t i;

	memset(want, 0xee, sizeof(want));
	memset(want, 0, SIZE);
	for (i = 0; i < 3 * MIB + 77; i++)
		want[i] = (unsigned char)(seed = seed * 1103515245 + 12345);
	want[5 * MIB + 5000] = 1;
	for (i = SIZE - 5000; i < SIZE; i++)
		want[i] = (unsigned char)(seed = seed * 1103515245 + 12345);
	t_ok(fd >= 0 && !ftruncate(fd, SIZE) && pwrite(fd, want, 6 * MIB, 0) == 6 * MIB &&
		     pwrite(fd, want + SIZE - 8192, 8192, SIZE - 8192) == 8192,
	     "a raw image with a hole");
}

static void run(const char *const *argv)
{
	const struct ga_proc p = { .argv = argv, .output_max = 64 << 20 };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_proc_check(&p, &out, &err), 0, "%s %s", argv[0], err.msg);
}

static int clone_to(const char *image, const char *format, const struct ga_chunks *chunks,
		    int64_t disk, bool zero, struct ga_err *err)
{
	ga_autofree char *path = in_dir("disk");
	ga_autofd int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct ga_image_cloned done;
	const struct ga_image_clone c = {
		.path = image, .format = format, .size_bytes = SIZE, .chunks = chunks, .fd = fd,
		.target_bytes = disk, .target_is_zero = zero, .threads = 3,
	};
	int r;

	memset(got, zero ? 0 : 0xee, sizeof(got));
	if (pwrite(fd, got, (size_t)disk, 0) != disk)
		return -2;
	r = ga_image_clone(&c, &done, err);
	if (r == 0 && pread(fd, got, sizeof(got), 0) != disk)
		return -3;
	return r;
}

static void one_format(const char *image, const char *format)
{
	ga_autofacts struct ga_image_facts f = { 0 };
	ga_autochunks struct ga_chunks back = { 0 };
	struct ga_err err = GA_ERR_INIT;
	char digest[GA_DIGEST_SIZE], alone[GA_DIGEST_SIZE];

	t_int(ga_image_digest(image, NULL, NULL, &f, &err), 0, "digests of %s %s", format, err.msg);
	t_ok(ga_streq(f.format, format), "its format is found: %s", f.format);
	t_int(f.size_bytes, SIZE, "the disk it makes");
	t_int((int64_t)f.chunks.v.n, 5, "chunks");
	t_int(ga_image_file_digest(image, alone, &err), 0, "the digest alone");
	t_ok(ga_streq(alone, f.digest), "is the same");
	t_int(ga_chunks_write(image, &f.chunks, digest, &err), 0, "the list is kept");
	t_int(ga_chunks_read(image, digest, &back, &err), 0, "and read");
	t_int(clone_to(image, format, &back, DISK, false, &err), 0, "clone of %s %s", format,
	      err.msg);
	t_ok(!memcmp(got, want, sizeof(want)), "%s: equal, old bytes gone, the rest left alone",
	     format);
	t_int(clone_to(image, format, NULL, DISK, false, &err), 0, "clone without digests");
	t_ok(!memcmp(got, want, sizeof(want)), "%s: equal", format);
	/* The last digest of the list swapped for the first. */
	free(back.v.v[4]);
	back.v.v[4] = ga_xstrdup(back.v.v[0]);
	t_int(clone_to(image, format, &back, DISK, false, &err), -1, "a wrong digest stops it");
	t_ok(ga_streq(err.reason, "image_digest"), "%s: %s", format, err.reason);
	ga_err_clear(&err);
	t_int(clone_to(image, format, NULL, 16 * MIB, false, &err), -1, "a disk that is too small");
	t_ok(ga_streq(err.reason, "image_size"), "%s: %s", format, err.reason);
}

static void zero_target(const char *image)
{
	struct ga_err err = GA_ERR_INIT;

	t_int(clone_to(image, "raw", NULL, DISK, true, &err), 0, "onto a disk known to be zero");
	t_ok(!memcmp(got, want, SIZE), "equal");
}

/* A qcow2 header that points somewhere else must never reach qemu-img. */
static void hostile_qcow2(const char *qcow2)
{
	ga_autofd int fd = open(qcow2, O_RDWR | O_CLOEXEC);
	static const struct {
		off_t at;
		unsigned char byte;
		const char *what;
	} cases[] = { { 15, 0x68, "a backing file" }, { 79, 4, "an external data file" } };
	struct ga_err err = GA_ERR_INIT;
	unsigned char old;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		t_ok(pread(fd, &old, 1, cases[i].at) == 1 &&
			     pwrite(fd, &cases[i].byte, 1, cases[i].at) == 1,
		     "a header with %s", cases[i].what);
		t_int(clone_to(qcow2, "qcow2", NULL, DISK, false, &err), -1, "is refused");
		t_ok(ga_streq(err.reason, "image_refers"), "%s: %s", cases[i].what, err.reason);
		t_ok(pwrite(fd, &old, 1, cases[i].at) == 1, "mended");
		ga_err_clear(&err);
	}
}

static void bad_lists(const char *image)
{
	static const char *const cases[] = {
		"",
		"x",
		"gpuaas-chunks/1 5\n",
		"gpuaas-chunks/1 -5\n",
		"gpuaas-chunks/1 4096\nzz\n",
		"gpuaas-chunks/2 4096\n",
		"gpuaas-chunks/1 99999999999999999999\n",
	};
	ga_autofree char *path = ga_xprintf("%s.chunks", image);
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autofd int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		ga_autochunks struct ga_chunks c = { 0 };
		struct ga_err err = GA_ERR_INIT;
		ssize_t n = write(fd, cases[i], strlen(cases[i]));

		t_int(n < 0 ? 0 : ga_chunks_read(image, NULL, &c, &err), -1, "bad list %zu: %s", i,
		      err.msg);
	}
}

static int stop_at_once(int64_t done, int64_t total, void *arg, struct ga_err *err)
{
	(void)done;
	(void)total;
	(void)arg;
	return ga_fail_for(err, GA_BUSY, "interrupted", "asked to stop");
}

static void interrupted(const char *image)
{
	ga_autofacts struct ga_image_facts f = { 0 };
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_image_digest(image, stop_at_once, NULL, &f, &err), -1, "it can be stopped");
	t_int(err.code, GA_BUSY, "with the caller's reason");
}

int main(void)
{
	ga_autofree char *raw = NULL, *gz = NULL, *xz = NULL, *qcow2 = NULL, *zst = NULL;

	if (!mkdtemp(dir))
		return 1;
	raw = in_dir("raw");
	gz = ga_xprintf("%s.gz", raw);
	xz = ga_xprintf("%s.xz", raw);
	zst = ga_xprintf("%s.zst", raw);
	qcow2 = in_dir("qcow2");
	make_raw(raw);
	run((const char *const[]){ "gzip", "-1k", raw, NULL });
	run((const char *const[]){ "xz", "-0k", raw, NULL });
	run((const char *const[]){ "qemu-img", "convert", "-f", "raw", "-O", "qcow2", raw, qcow2,
				   NULL });
	one_format(raw, "raw");
	one_format(gz, "raw_compressed");
	one_format(xz, "raw_compressed");
	one_format(qcow2, "qcow2");
	if (!access("/usr/bin/zstd", X_OK)) {
		run((const char *const[]){ "zstd", "-q1k", raw, NULL });
		one_format(zst, "raw_compressed");
	}
	zero_target(raw);
	hostile_qcow2(qcow2);
	bad_lists(raw);
	interrupted(raw);
	run((const char *const[]){ "rm", "-rf", "--", dir, NULL });
	return t_done();
}
