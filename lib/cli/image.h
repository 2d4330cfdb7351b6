/* SPDX-License-Identifier: Apache-2.0 */
/* The work of the commands of gpuaas-image on the image store; their options are in bin/. */
#ifndef GA_CLI_IMAGE_H
#define GA_CLI_IMAGE_H

#include "act/image/store.h"

/* The settings and the state of one run. */
struct ga_image_run {
	const char *dir; /* the store */
	char *node;	 /* this node's id; allocated */
	const char *progress;
	int64_t started; /* monotonic microseconds, for the progress */
	bool uses_known; /* whether used_by is known for the copies of ga_image_run_each */
	struct ga_err bad; /* the error of the first bad image: it differs from what was added */
};
void ga_image_run_release(struct ga_image_run *run);
#define ga_autoimagerun ga_cleanup(ga_image_run_release)
/* Begins a run: reads the settings and installs the signal handlers (base/stop.h). Release run.
 * progress is auto, json or none, and stays the caller's. GA_USAGE for a wrong GPUAAS_IMAGES or
 * GPUAAS_NODE; GA_HOST when the machine has no id. */
GA_MUST_CHECK int ga_image_run_init(struct ga_image_run *run, const char *progress,
				    struct ga_err *err);
/* The callback for lib/act/image/image.h: draws the progress of the work that "what" names, and
 * checks for signals. */
GA_MUST_CHECK int ga_image_run_bytes(int64_t done, int64_t total, void *what, struct ga_err *err);

/* Reads a file in place and leaves it there, writes its chunk list beside it and emits both
 * records. image gives name, firmware and probe; expected (NULL: any) is the required digest of the
 * file. */
GA_MUST_CHECK int ga_image_run_add_in_place(struct ga_image_run *run, const char *file,
					    const char *expected, const struct ga_image *image,
					    struct ga_err *err);
/* Checks what --cuda-version and --feature say: GA_USAGE. */
GA_MUST_CHECK int ga_image_run_check(const struct ga_image *image, struct ga_err *err);
/* Copies a file, or standard input for "-", into the store and emits both records. bytes is the
 * expected size of a stream; 0: unknown. */
GA_MUST_CHECK int ga_image_run_add(struct ga_image_run *run, const char *operand, int64_t bytes,
				   const char *expected, const struct ga_image *image,
				   struct ga_err *err);

/* Copies the bytes of fd into the store. s names the image and how it boots; the call fills in its
 * facts and its copy. bytes is the expected size, 0: unknown. expected (NULL: any) is the required
 * digest; other as for ga_incoming_keep. 1: copied; 0: the store already had the image. */
GA_MUST_CHECK int ga_image_run_bring(struct ga_image_run *run, int fd, int64_t bytes,
				     const char *expected, bool other, struct ga_stored_image *s,
				     struct ga_err *err);
/* Copies the image of a record from a folder, unless the node has it. The folder is the store of
 * another node, or has files NAME, NAME.raw, NAME.img, NAME.qcow2, also with .gz, .xz or .zst.
 * Emits the node-image record. If the folder lacks an image, names it on stderr, notes the status
 * GA_NOTFOUND, and returns 0, so that the run goes on with the others. */
GA_MUST_CHECK int ga_image_run_prewarm(struct ga_image_run *run, const struct ga_image *image,
				       const char *from, struct ga_err *err);

typedef int (*ga_image_each)(struct ga_image_run *run, struct ga_stored_image *s,
			     struct ga_err *err);
/* Calls act for each copy with the name (NULL: all) and digest (NULL: any); returns the number. */
GA_MUST_CHECK int ga_image_run_each(struct ga_image_run *run, const char *name, const char *digest,
				    ga_image_each act, struct ga_err *err);

/* The same, but GA_NOTFOUND if there is no such copy. */
GA_MUST_CHECK int ga_image_run_named(struct ga_image_run *run, const char *name, const char *digest,
				     ga_image_each act, struct ga_err *err);
/* Emits the record of a copy. */
GA_MUST_CHECK int ga_image_run_show(struct ga_image_run *run, struct ga_stored_image *s,
				    struct ga_err *err);

/*
 * Reads the copies of a name (NULL: all) completely, or else a file, and compares them with the
 * chunk list and, if it is not NULL, with digest. Marks each copy of the store and emits its
 * record; the record of a bad copy withdraws it. Keeps the first bad result for
 * ga_image_run_verdict, so that the run reads the other copies too.
 */
GA_MUST_CHECK int ga_image_run_verify(struct ga_image_run *run, const char *operand,
				      const char *digest, struct ga_err *err);
/* 0, or GA_NO "image_digest" with the first bad image. */
GA_MUST_CHECK int ga_image_run_verdict(const struct ga_image_run *run, struct ga_err *err);
/* Withdraws a copy, emits the record of that, and removes its files. GA_CONFLICT "image_in_use" if
 * allocations on this host need it. */
GA_MUST_CHECK int ga_image_run_remove(struct ga_image_run *run, struct ga_stored_image *s,
				      struct ga_err *err);

#endif
