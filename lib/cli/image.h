/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of gpuaas-image do with the store of images; the program has their options. */
#ifndef GA_CLI_IMAGE_H
#define GA_CLI_IMAGE_H

#include "act/image/store.h"

/* Where and how, of one run. */
struct ga_image_run {
	const char *dir; /* the store */
	char *node;	 /* this node's id; allocated */
	const char *progress;
	int64_t started; /* monotonic microseconds, for the progress */
	bool uses_known; /* of the copies of ga_image_run_each */
	struct ga_err bad; /* the first image that was found to be not what was added */
};
void ga_image_run_release(struct ga_image_run *run);
#define ga_autoimagerun ga_cleanup(ga_image_run_release)
GA_MUST_CHECK int ga_image_run_init(struct ga_image_run *run, const char *progress,
				    struct ga_err *err);
/* For lib/act/image/image.h: draws the progress of what is named and asks for signals. */
GA_MUST_CHECK int ga_image_run_bytes(int64_t done, int64_t total, void *what, struct ga_err *err);

/* Reads a file where it is and stays, writes its chunk list beside it and emits both records. image
 * says name, firmware and probe; expected (NULL: none) is the digest that the file must have. */
GA_MUST_CHECK int ga_image_run_add_in_place(struct ga_image_run *run, const char *file,
					    const char *expected, const struct ga_image *image,
					    struct ga_err *err);
/* Brings a file, or "-", into the store and emits both records. bytes (0: unknown) is what a stream
 * will take. */
GA_MUST_CHECK int ga_image_run_add(struct ga_image_run *run, const char *operand, int64_t bytes,
				   const char *expected, const struct ga_image *image,
				   struct ga_err *err);

/* Brings the bytes of fd into the store. s names the image and how it boots; its facts and the copy
 * are filled in. bytes: what it will take, 0: unknown. expected (NULL: none) is the digest that it
 * must have; other as for ga_incoming_keep. 1 brought, 0 was there. */
GA_MUST_CHECK int ga_image_run_bring(struct ga_image_run *run, int fd, int64_t bytes,
				     const char *expected, bool other, struct ga_stored_image *s,
				     struct ga_err *err);
/* Brings the image of a record from a folder, unless the node has it: the store of another node,
 * or files named NAME, NAME.raw, NAME.img, NAME.qcow2, with .gz, .xz or .zst. Emits the
 * node-image record. An image that the folder lacks is named on stderr and noted as the status
 * GA_NOTFOUND: the others come all the same. */
GA_MUST_CHECK int ga_image_run_prewarm(struct ga_image_run *run, const struct ga_image *image,
				       const char *from, struct ga_err *err);

typedef int (*ga_image_each)(struct ga_image_run *run, struct ga_stored_image *s,
			     struct ga_err *err);
/* Calls act for each copy of the name (NULL: all) and digest (NULL: any); their number. */
GA_MUST_CHECK int ga_image_run_each(struct ga_image_run *run, const char *name, const char *digest,
				    ga_image_each act, struct ga_err *err);

/* The same where there must be one: GA_NOTFOUND. */
GA_MUST_CHECK int ga_image_run_named(struct ga_image_run *run, const char *name, const char *digest,
				     ga_image_each act, struct ga_err *err);
/* Emits the record of a copy. */
GA_MUST_CHECK int ga_image_run_show(struct ga_image_run *run, struct ga_stored_image *s,
				    struct ga_err *err);

/*
 * Reads whole the copies of a name (NULL: all), or else a file, and compares with the chunk list
 * and, where it is not NULL, the digest. A copy of the store is marked and its record emitted,
 * which withdraws a bad one. What is bad is kept for the verdict, so that the others are read too.
 */
GA_MUST_CHECK int ga_image_run_verify(struct ga_image_run *run, const char *operand,
				      const char *digest, struct ga_err *err);
/* 0, or GA_NO "image_digest" for the first that was not what was added. */
GA_MUST_CHECK int ga_image_run_verdict(const struct ga_image_run *run, struct ga_err *err);
/* Withdraws a copy, emits the record that says so, and removes its files. GA_CONFLICT
 * "image_in_use" where allocations on this host need it. */
GA_MUST_CHECK int ga_image_run_remove(struct ga_image_run *run, struct ga_stored_image *s,
				      struct ga_err *err);

#endif
