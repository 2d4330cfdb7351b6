/* SPDX-License-Identifier: Apache-2.0 */
/* The rates of the disk; measure_net.c has that of the network. */
#include "act/setup/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "act/device/disk.h"
#include "act/device/zero.h"
#include "act/image/image.h"
#include "base/clock.h"
#include "base/file.h"
#include "decide/setup/tuning.h"
#include "look/setup/look.h"
#include "look/sys.h"

#define SPARE_BYTES (INT64_C(256) << 20) /* stays free on the file system */

static struct ga_tuning_measure *add(struct ga_tuning *t, const char *name, const char *target)
{
	struct ga_tuning_measure *m = ga_list_add(&t->measured);

	*m = (struct ga_tuning_measure){
		.name = ga_xstrdup(name),
		.target = ga_strdup0(target),
		.bytes = GA_UNKNOWN,
		.micros = GA_UNKNOWN,
		.mib_s_tenths = GA_UNKNOWN,
	};
	return m;
}

/* ---- the image: bytes in memory, which no step can skip as zeros ---- */

static int make_image(struct ga_str *path, struct ga_image_facts *facts, int *ret,
		      struct ga_err *err)
{
	ga_autofd int fd = memfd_create("gpuaas-image", MFD_CLOEXEC);
	uint64_t x = 88172645463325252U, *p;
	int64_t i;

	if (fd < 0 || ftruncate(fd, GA_MEASURE_BYTES) < 0)
		return ga_fail_sys(err, "cannot have %lld bytes of memory",
				   (long long)GA_MEASURE_BYTES);
	p = mmap(NULL, GA_MEASURE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return ga_fail_sys(err, "cannot map %lld bytes of memory",
				   (long long)GA_MEASURE_BYTES);
	p[0] = 0; /* the magic of no other format */
	for (i = 1; i < GA_MEASURE_BYTES / 8; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = x;
	}
	munmap(p, GA_MEASURE_BYTES);
	ga_str_addf(path, "/proc/self/fd/%d", fd);
	*ret = GA_TAKE_FD(fd);
	return ga_image_digest(path->buf, NULL, NULL, facts, err);
}

/* ---- the file ---- */

/* Opens the folder, or the nearest one above it that exists. -1 with errno. */
static int open_folder(const char *folder, bool exactly)
{
	ga_autofree char *path = ga_xstrdup(folder);

	while (!exactly && !ga_sys_exists(path) && strrchr(path, '/') > path)
		*strrchr(path, '/') = '\0';
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Makes a file in the folder and allocates its blocks. The file never has a name: nobody can open
 * it, nothing is removed at its end, and no file of others can be hit. 1; 0 with why when nothing
 * can be measured there. */
static int make_file(int folder, const char *name, int *ret, char **why, struct ga_err *err)
{
	ga_autofd int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
	struct statvfs fs;

	if (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP)) {
		*why = ga_xstrdup("its file system has no direct I/O, or no files without a name");
		return 0;
	}
	if (fd < 0 || fstatvfs(fd, &fs) < 0)
		return ga_fail_sys(err, "cannot make a file in '%s'", name);
	if ((__int128)fs.f_bavail * fs.f_frsize < GA_MEASURE_BYTES + SPARE_BYTES) {
		*why = ga_xprintf("its file system has less than %lld MiB free",
				  (long long)((GA_MEASURE_BYTES + SPARE_BYTES) >> 20));
		return 0;
	}
	errno = posix_fallocate(fd, 0, GA_MEASURE_BYTES);
	if (errno)
		return ga_fail_sys(err, "cannot allocate a file in '%s'", name);
	*ret = GA_TAKE_FD(fd);
	return 1;
}

static int64_t since(int64_t began)
{
	int64_t micros = ga_clock_mono_micros() - began;

	return micros > 0 ? micros : 1;
}

static int clone_once(const char *image, const struct ga_image_facts *facts, int fd,
		      struct ga_tuning_run *run, struct ga_err *err)
{
	const struct ga_image_clone c = {
		.path = image,
		.format = "raw",
		.size_bytes = GA_MEASURE_BYTES,
		.chunks = &facts->chunks,
		.fd = fd,
		.target_bytes = GA_MEASURE_BYTES,
	};
	int64_t began = ga_clock_mono_micros();
	struct ga_image_cloned done;

	if (ga_image_clone(&c, &done, err) < 0)
		return -1;
	*run = (struct ga_tuning_run){ done.written, since(began) };
	return 0;
}

static int read_once(int fd, struct ga_tuning_run *run, struct ga_err *err)
{
	struct ga_disk disk = { .fd = fd, .ops = &ga_disk_real_ops, .size_bytes = GA_MEASURE_BYTES,
				.direct = true };
	struct ga_read_back found = { 0 };
	int64_t began = ga_clock_mono_micros();
	int r = ga_read_back(&disk, false, NULL, &found, err);

	*run = (struct ga_tuning_run){ found.bytes_read, since(began) };
	free(found.verify);
	free(found.started_at);
	free(found.finished_at);
	return r;
}

static bool is_direct(int fd)
{
	return fcntl(fd, F_GETFL) & O_DIRECT;
}

static int run_all(int fd, struct ga_tuning_measure *clone, struct ga_tuning_measure *back,
		   struct ga_err *err)
{
	struct ga_tuning_run runs[GA_MEASURE_RUNS], first;
	ga_autofacts struct ga_image_facts facts = { 0 };
	ga_autostr struct ga_str image = GA_STR_INIT;
	ga_autofd int memory = -1;
	size_t i;

	/* The first clone is not counted: the blocks of a new file are written for the first
	 * time. */
	if (make_image(&image, &facts, &memory, err) < 0 ||
	    clone_once(image.buf, &facts, fd, &first, err) < 0)
		return -1;
	for (i = 0; i < GA_MEASURE_RUNS; i++)
		if (clone_once(image.buf, &facts, fd, &runs[i], err) < 0)
			return -1;
	if (!is_direct(fd)) {
		clone->reason = ga_xstrdup("direct I/O did not work to the end");
		back->reason = ga_xstrdup("direct I/O did not work to the end");
		return 0;
	}
	ga_tuning_median(runs, GA_MEASURE_RUNS, clone);
	for (i = 0; i < GA_MEASURE_RUNS; i++)
		if (read_once(fd, &runs[i], err) < 0)
			return -1;
	if (is_direct(fd))
		ga_tuning_median(runs, GA_MEASURE_RUNS, back);
	else
		back->reason = ga_xstrdup("direct I/O did not work to the end");
	return 0;
}

int ga_measure_disk(const char *folder, const char *images, struct ga_tuning *t,
		    struct ga_err *err)
{
	ga_autofd int dir = open_folder(folder ? folder : images, folder), fd = -1;
	const char *name = folder ? folder : images;
	ga_autofree char *why = NULL, *target = NULL;
	struct ga_err broken = GA_ERR_INIT;
	struct ga_tuning_measure *back;
	size_t at = t->measured.n;
	int r;

	if (dir < 0)
		return ga_fail_sys(err, "cannot open the folder '%s'", name);
	r = make_file(dir, name, &fd, &why, err);
	if (r < 0)
		return -1;
	target = ga_setup_file_system(dir);
	add(t, "clone", target);
	back = add(t, "read_back", target);
	if (r > 0 && run_all(fd, &t->measured.v[at], back, &broken) < 0) {
		if (broken.code == GA_BUSY) {
			*err = broken;
			return -1;
		}
		why = ga_sys_tidy(ga_xstrdup(broken.msg));
	}
	for (; why && at < t->measured.n; at++)
		if (!t->measured.v[at].runs && !t->measured.v[at].reason)
			t->measured.v[at].reason = ga_xstrdup(why);
	return 0;
}
