/* SPDX-License-Identifier: Apache-2.0 */
/* Private to act/image: the source of chunks, the threads that copy them (the crew), and the files
 * of the store. */
#ifndef GA_ACT_IMAGE_INTERNAL_H
#define GA_ACT_IMAGE_INTERNAL_H

#include <pthread.h>

#include "act/image/image.h"

enum ga_image_way {
	GA_IMAGE_RANDOM, /* each worker reads its own chunk: raw files */
	GA_IMAGE_STREAM, /* chunks come one after another under the lock */
};

struct ga_source {
	enum ga_image_way way;
	const char *name; /* for messages */
	int fd;
	int64_t size_bytes; /* of the disk; stream: the upper limit */
	bool exact;	    /* stream: its length must be exactly size_bytes */
	struct archive *archive; /* of raw_compressed */
	struct ga_digest *digest; /* of the file's bytes, or NULL */
	int64_t file_bytes;
	int64_t next; /* index of the next chunk */
	int64_t got;  /* stream: bytes of the disk read so far */
	bool ended;
	void *block; /* libarchive's read buffer */
};

/* Opens path. format NULL: the magic bytes decide it, and it is written to found[16]. with_digest:
 * makes the digest of the file in the same pass, which makes a raw file a stream. */
GA_MUST_CHECK int ga_source_open(const char *path, const char *format, bool with_digest,
				 char *found, struct ga_source *ret, struct ga_err *err);
void ga_source_close(struct ga_source *s);
#define ga_autosource ga_cleanup(ga_source_close)
/* Stream only, under the crew's lock: reads the next chunk into buf. Returns its length, 0 at the
 * end. */
GA_MUST_CHECK int64_t ga_source_read(struct ga_source *s, unsigned char *buf, struct ga_err *err);

/* Checks that a qcow2 file refers to no other file, and reads its virtual size. */
GA_MUST_CHECK int ga_qcow2_check(int fd, const char *name, int64_t *size_bytes, struct ga_err *err);
/* Converts by qemu-img between descriptors, named /proc/PID/fd/N so that no path is opened twice.
 */
GA_MUST_CHECK int ga_qcow2_convert(int from, int to, bool target_is_zero, struct ga_err *err);

struct ga_crew {
	struct ga_source *source;
	int target;	 /* -1: none, digests only */
	bool target_is_zero;
	const struct ga_chunks *expect; /* or NULL */
	struct ga_chunks *make;		/* or NULL: digests are collected */
	int threads;
	ga_image_progress progress;
	void *arg;
	/* shared, under lock */
	pthread_mutex_t lock;
	pthread_cond_t ended;
	int running;
	bool stop;
	int64_t done, written;
	struct ga_err err;
};

/* Runs the crew to the end of the source. */
GA_MUST_CHECK int ga_crew_run(struct ga_crew *crew, struct ga_err *err);
/* Zeroes a range of the target in the cheapest way that works there; -1 with errno. */
GA_MUST_CHECK int ga_target_zero(int fd, int64_t offset, int64_t len);

/* ---- the store ---- */

struct ga_stored_image;
/* DIR/NAME/HEX and the suffix, allocated. */
char *ga_image_file_path(const char *dir, const char *name, const char *digest, const char *suffix);
/* Locks the store and returns a descriptor; closing it unlocks the store. */
GA_MUST_CHECK int ga_image_dir_lock(const char *dir, struct ga_err *err);
/* Under the lock. */
GA_MUST_CHECK int ga_store_write_records(const char *dir, const struct ga_stored_image *s,
					 struct ga_err *err);
GA_MUST_CHECK int ga_store_remove_files(const char *dir, const char *name, const char *digest,
					struct ga_err *err);

#endif
