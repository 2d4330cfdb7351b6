/* SPDX-License-Identifier: Apache-2.0 */
/* Images, and the verified copies that nodes have of them; applied idempotently. */
#ifndef GA_STATE_NODE_IMAGE_H
#define GA_STATE_NODE_IMAGE_H

#include "state/db/row.h"

struct ga_image;
struct ga_node_image;

/* 0 when the state has the image, else GA_NOTFOUND (no_image). */
GA_MUST_CHECK int ga_store_image_known(struct ga_db *db, const char *name, struct ga_err *err);
/* Idempotent: 1 changed, 0 the state had it already. A new digest also removes the node images of
 * the old one. GA_CONFLICT as of ga_store_probe_counts. */
GA_MUST_CHECK int ga_store_apply_image(struct ga_db *db, const struct ga_image *i,
				       struct ga_err *err);
/* A withdrawal removes the copy of its digest, unless the copy was verified since. */
GA_MUST_CHECK int ga_store_apply_node_image(struct ga_db *db, const struct ga_node_image *i,
					    struct ga_err *err);
/* The verified copy of an image on a node; 1 found, 0 none. Release it. */
GA_MUST_CHECK int ga_store_node_image(struct ga_db *db, const char *node, const char *image,
				      struct ga_node_image *ret, struct ga_err *err);
/* Rows of the verified copies, by node and image; the caller closes ret. */
GA_MUST_CHECK int ga_query_node_images(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);
/* Adds the names of the images that have a verified copy on any node, by name. */
GA_MUST_CHECK int ga_store_images_on_nodes(struct ga_db *db, struct ga_texts *ret,
					   struct ga_err *err);
/* Rows of the images, by name; the caller closes ret. */
GA_MUST_CHECK int ga_query_images(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);

/* The record of an image; release it with its schema: 1; 0 when the state has none of that name;
 * -1. */
GA_MUST_CHECK int ga_store_image(struct ga_db *db, const char *name, struct ga_image *ret,
				 struct ga_err *err);

#endif
