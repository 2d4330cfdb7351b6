/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: their digests, and clones of them onto a tenant's disk.
 *
 * The whole image is verified when it is added. A list of chunk digests (a chunk is 4 MiB of the
 * disk that the image makes, the last one is shorter) stays beside it as FILE.chunks, and every
 * plan names the digest of that list. So several threads can check each copy while they make it.
 *
 * Formats: raw; raw_compressed (gzip, xz, zstd, bzip2, lz4 by libarchive); qcow2 (by qemu-img, and
 * refused when it refers to any other file). Zeros are skipped in the source and made in the
 * target; the bytes of the target behind the image stay as they are.
 */
#ifndef GA_ACT_IMAGE_IMAGE_H
#define GA_ACT_IMAGE_IMAGE_H

#include "base/ga.h"
#include "base/str.h"
#include "base/texts.h"
#include "base/vec.h"
#include "record/digest.h"

#define GA_CHUNK_BYTES (4 << 20)
#define GA_IMAGE_MAX (INT64_C(4) << 40) /* bytes of the largest disk that an image may make */

/* ---- chunk lists ---- */

struct ga_chunks {
	int64_t size_bytes;
	struct ga_texts v; /* "sha256:…" of each chunk */
};
void ga_chunks_release(struct ga_chunks *c);
#define ga_autochunks ga_cleanup(ga_chunks_release)
/* The list as text: "gpuaas-chunks/1 SIZE", then one digest a line. */
void ga_chunks_format(const struct ga_chunks *c, struct ga_str *out);
/* Reads IMAGE.chunks and compares its bytes with digest (NULL: no comparison). GA_CONFLICT
 * "image_digest". */
GA_MUST_CHECK int ga_chunks_read(const char *image, const char *digest, struct ga_chunks *ret,
				 struct ga_err *err);
/* Writes the list to IMAGE.chunks (0600) and sets digest to the digest of that text. */
GA_MUST_CHECK int ga_chunks_write(const char *image, const struct ga_chunks *c,
				  char digest[GA_DIGEST_SIZE], struct ga_err *err);

/* ---- digests ---- */

/* Reports bytes done of total (0: unknown) about ten times a second, from the caller's thread;
 * -1 with err filled stops the work. */
typedef int (*ga_image_progress)(int64_t done, int64_t total, void *arg, struct ga_err *err);

struct ga_image_facts {
	char format[16]; /* raw, qcow2, raw_compressed */
	char digest[GA_DIGEST_SIZE];
	int64_t file_bytes, size_bytes;
	struct ga_chunks chunks;
};
void ga_image_facts_release(struct ga_image_facts *f);
#define ga_autofacts ga_cleanup(ga_image_facts_release)

/* Makes the digest of the file and of each chunk of its disk, in one pass (qcow2: through a
 * temporary raw file beside it). The magic bytes decide the format. */
GA_MUST_CHECK int ga_image_digest(const char *path, ga_image_progress progress, void *arg,
				  struct ga_image_facts *ret, struct ga_err *err);
/* The digest of the file alone. */
GA_MUST_CHECK int ga_image_file_digest(const char *path, char digest[GA_DIGEST_SIZE],
				       struct ga_err *err);

/* ---- clones ---- */

struct ga_image_clone {
	const char *path, *format;
	int64_t size_bytes;		/* of the disk that the image makes */
	const struct ga_chunks *chunks; /* NULL: do not check the copy */
	int fd;				/* the target, open for reading and writing */
	int64_t target_bytes;
	bool target_is_zero; /* skipped ranges need not be zeroed */
	int threads;	     /* 0: one a CPU, 2 to 8 */
	ga_image_progress progress;
	void *arg;
};

struct ga_image_cloned {
	int64_t bytes;	 /* bytes of the disk, written or skipped */
	int64_t written; /* bytes written */
	bool direct;	 /* O_DIRECT was in use */
};

/* Writes the image to the target; ends with fsync. GA_CONFLICT "image_digest" when a chunk differs
 * from the list, "image_size" when the image is larger than the target or makes a disk of another
 * size than size_bytes. */
GA_MUST_CHECK int ga_image_clone(const struct ga_image_clone *c, struct ga_image_cloned *ret,
				 struct ga_err *err);

#endif
