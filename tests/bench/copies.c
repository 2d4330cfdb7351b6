/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copies clone IMAGE TARGET [THREADS]: the clone of lib/act/image/image.h; checked when
 *   IMAGE.chunks is there
 * copies chunks IMAGE: makes IMAGE.chunks
 * copies read-back TARGET: the read-back of lib/act/device/zero.h
 *
 * clone and read-back write one JSON object: seconds, bytes, and whether direct I/O was in use.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/device/disk.h"
#include "act/device/zero.h"
#include "act/image/image.h"
#include "base/clock.h"
#include "base/file.h"

static void report(int64_t began, int64_t bytes, bool direct)
{
	printf("{\"seconds\":%.6f,\"bytes\":%" PRId64 ",\"direct\":%s}\n",
	       (double)(ga_clock_mono_micros() - began) / 1e6, bytes, direct ? "true" : "false");
}

static int clone(const char *image, const char *target, int threads, struct ga_err *err)
{
	ga_autochunks struct ga_chunks chunks = { 0 };
	ga_autofree char *list = ga_xprintf("%s.chunks", image);
	ga_autofd int fd = open(target, O_RDWR | O_CLOEXEC);
	struct ga_image_cloned done;
	struct ga_image_clone c = { .path = image, .format = "raw", .fd = fd, .threads = threads };
	int64_t began = ga_clock_mono_micros();
	struct stat st;

	if (fd < 0 || stat(image, &st) < 0)
		return ga_fail_sys(err, "cannot open '%s' or '%s'", image, target);
	if (access(list, F_OK) == 0) {
		if (ga_chunks_read(image, NULL, &chunks, err) < 0)
			return -1;
		c.chunks = &chunks;
	}
	c.size_bytes = st.st_size;
	c.target_bytes = lseek(fd, 0, SEEK_END);
	if (ga_image_clone(&c, &done, err) < 0)
		return -1;
	report(began, done.written, done.direct);
	return 0;
}

static int make_chunks(const char *image, struct ga_err *err)
{
	ga_autofacts struct ga_image_facts facts = { 0 };
	char digest[GA_DIGEST_SIZE];

	if (ga_image_digest(image, NULL, NULL, &facts, err) < 0)
		return -1;
	return ga_chunks_write(image, &facts.chunks, digest, err);
}

static int read_back(const char *target, struct ga_err *err)
{
	ga_autodisk struct ga_disk disk = GA_DISK_INIT;
	struct ga_read_back found = { 0 };
	int64_t began;

	disk.fd = open(target, O_RDONLY | O_CLOEXEC);
	if (disk.fd < 0)
		return ga_fail_sys(err, "cannot open '%s'", target);
	disk.size_bytes = lseek(disk.fd, 0, SEEK_END);
	ga_disk_set_direct(&disk);
	began = ga_clock_mono_micros();
	if (ga_read_back(&disk, false, NULL, &found, err) < 0)
		return -1;
	report(began, found.bytes_read, disk.direct);
	free(found.verify);
	free(found.started_at);
	free(found.finished_at);
	return 0;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r;

	if (argc >= 4 && !strcmp(argv[1], "clone")) {
		r = clone(argv[2], argv[3], argc > 4 ? (int)strtol(argv[4], NULL, 10) : 0, &err);
	} else if (argc == 3 && !strcmp(argv[1], "chunks")) {
		r = make_chunks(argv[2], &err);
	} else if (argc == 3 && !strcmp(argv[1], "read-back")) {
		r = read_back(argv[2], &err);
	} else {
		fprintf(stderr, "usage: copies clone IMAGE TARGET [THREADS] | chunks IMAGE | "
				"read-back TARGET\n");
		return GA_USAGE;
	}
	if (r < 0)
		fprintf(stderr, "copies: %s\n", err.msg);
	return r < 0 ? (int)err.code : 0;
}
