/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The images that a node keeps: a folder (GPUAAS_IMAGES) of verified copies, each under its own
 * digest, so that a path always means the same bytes.
 *
 *   NAME/HEX.image         the file as it came
 *   NAME/HEX.image.chunks  digests of its chunks
 *   NAME/HEX.records       its image record and its node-image record; written last, removed last
 *   NAME/HEX.in-place      the same two records of an image whose file lies elsewhere: the file is
 *                          its owner's, nothing here moves or removes it
 *   NAME/HEX.withdrawn     the same two records of an image in place that was removed: no plan of
 *                          it is carried out until it is added again, in place or as a copy
 *   .incoming/             files that are being read, each under a lock; others are removed
 *
 * Folders are 0700 and files 0600. A copy counts once its records are written, and no file is ever
 * overwritten: a killed program leaves no half image. Programs lock the folder while they change
 * it.
 */
#ifndef GA_ACT_IMAGE_STORE_H
#define GA_ACT_IMAGE_STORE_H

#include "act/image/image.h"
#include "record/state.h"

struct ga_stored_image {
	struct ga_image image;
	struct ga_node_image copy; /* withdrawn_at set: it is no verified copy any more */
	bool in_place;		   /* copy.path is a file outside the folder */
};
void ga_stored_image_release(struct ga_stored_image *s);
#define ga_autostored ga_cleanup(ga_stored_image_release)

struct ga_stored_images {
	struct ga_stored_image *v;
	size_t n;
};
void ga_stored_images_release(struct ga_stored_images *list);
#define ga_autostoredlist ga_cleanup(ga_stored_images_release)

/* The copies of one name (NULL: all), ordered by name and digest. node is written into the records.
 * A folder that does not exist has no copies. */
GA_MUST_CHECK int ga_image_store_list(const char *dir, const char *name, const char *node,
				      struct ga_stored_images *ret, struct ga_err *err);

/* ---- a new copy ---- */

struct ga_incoming {
	const char *dir; /* the store's; borrowed */
	char *path;	 /* of the file that is being filled; NULL when there is none */
	int fd;
	int64_t bytes; /* filled so far */
};
#define GA_INCOMING_INIT { .fd = -1 }
/* Removes the file unless it was kept. */
void ga_incoming_release(struct ga_incoming *in);
#define ga_autoincoming ga_cleanup(ga_incoming_release)

/* Removes the files that killed programs left, and begins a new file. need_bytes (0: unknown) and
 * 256 MiB must be free: GA_HOST "no_space". */
GA_MUST_CHECK int ga_incoming_open(const char *dir, int64_t need_bytes, struct ga_incoming *ret,
				   struct ga_err *err);
/* Reads fd to its end; zeros become holes. total is for the progress (0: unknown). GA_HOST
 * "no_space" when less than 256 MiB would stay free. */
GA_MUST_CHECK int ga_incoming_fill(struct ga_incoming *in, int fd, int64_t total,
				   ga_image_progress progress, void *arg, struct ga_err *err);
/*
 * Moves the file to its name and digest, durably. s has the records; this call sets their path,
 * chunks_digest and verified_at. Returns 0 when a copy with this digest exists already, which
 * stays; else 1. With other false, a verified copy with another digest under the name is
 * GA_CONFLICT "image_exists".
 */
GA_MUST_CHECK int ga_incoming_keep(struct ga_incoming *in, const struct ga_chunks *chunks,
				   bool other, struct ga_stored_image *s, struct ga_err *err);

/* Records an image whose file stays where it is, so that it can be listed, verified and withdrawn
 * like a copy. Replaces an earlier record of that file under the same name. */
GA_MUST_CHECK int ga_image_store_note(const char *dir, const struct ga_stored_image *s,
				      struct ga_err *err);

/* ---- changes of a copy ---- */

/* Writes the records of a copy again (verified_at, withdrawn_at). */
GA_MUST_CHECK int ga_image_store_mark(const char *dir, const struct ga_stored_image *s,
				      struct ga_err *err);
/* Removes the files of a copy, its records last. For an image in place it removes no file; the
 * records stay as NAME/HEX.withdrawn. */
GA_MUST_CHECK int ga_image_store_remove(const char *dir, const struct ga_stored_image *s,
					struct ga_err *err);
/* Whether this node has a record that the image was withdrawn and not added again since. 1: *since
 * is the time (allocated); 0: it was not withdrawn, or the node has no record of it, and *since is
 * NULL. */
GA_MUST_CHECK int ga_image_store_withdrawn(const char *dir, const char *name, const char *digest,
					   char **since, struct ga_err *err);
/* Fills copy.used_by: the allocations of this host that were made, or are being made, from the
 * image; a rebuild reads the image again. 1; 0 when only root may read host.db. */
GA_MUST_CHECK int ga_image_store_uses(const char *host_dir, struct ga_stored_images *list,
				      struct ga_err *err);

#endif
