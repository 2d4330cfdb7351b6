/* SPDX-License-Identifier: Apache-2.0 */
/* Images, and the verified copies that nodes have of them; applied idempotently. */
#include "record/rec.h"
#include "record/time.h"
#include "state/allocation/plan.h"
#include "state/db/audit.h"
#include "state/db/json.h"
#include "state/db/near.h"
#include "state/db/row.h"
#include "state/node/image.h"
#include "state/node/node.h"

int ga_store_apply_image(struct ga_db *db, const struct ga_image *i, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_image_schema, i), *now = ga_time_now();
	ga_autofree char *old = NULL;

	if (ga_store_probe_counts(db, i->name, i->probe, err) < 0 ||
	    ga_db_get(db, err, "SELECT record FROM image WHERE name = ?1", "sS", i->name,
		      &old) < 0)
		return -1;
	if (ga_streq(old, text))
		return 0;
	/* A copy that was verified against another digest is a copy of another image. */
	if (ga_db_change(db, err,
			 "INSERT INTO image (name, digest, record, updated_at) "
			 "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO UPDATE SET "
			 "digest = excluded.digest, record = excluded.record, "
			 "updated_at = excluded.updated_at",
			 "ssss", i->name, i->digest, text, now) < 0 ||
	    ga_db_change(db, err, "DELETE FROM node_image WHERE image = ?1 AND digest <> ?2", "ss",
			 i->name, i->digest) < 0 ||
	    ga_audit_add(db, "image_applied", i->name, json_pack("{s:s}", "digest", i->digest),
			 err) < 0)
		return -1;
	return 1;
}

static int image_digest(struct ga_db *db, const char *name, char **ret, struct ga_err *err)
{
	*ret = NULL;
	if (ga_db_get(db, err, "SELECT digest FROM image WHERE name = ?1", "sS", name, ret) < 0)
		return -1;
	if (!*ret) {
		ga_autofree char *near = ga_db_near(db, "image", name);

		return ga_refuse(err, GA_NOTFOUND, "no_image", NULL,
				 ("there is no image '%s'", name),
				 ("%sapply its gpuaas.image record first", near));
	}
	return 0;
}

int ga_store_image_known(struct ga_db *db, const char *name, struct ga_err *err)
{
	ga_autofree char *digest = NULL;

	return image_digest(db, name, &digest, err);
}

int ga_store_image(struct ga_db *db, const char *name, struct ga_image *ret, struct ga_err *err)
{
	ga_autofree char *text = NULL;
	int r = ga_db_one(db, err, "SELECT record FROM image WHERE name = ?1", "sS", name, &text);

	if (r <= 0)
		return r;
	return ga_rec_parse_text(text, &ga_image_schema, ret, err) < 0 ?
		       ga_wrap(err, "image '%s'", name) :
		       1;
}

/* Removes the copy; a copy that was verified again since, or has another digest, stays. */
static int withdraw(struct ga_db *db, const struct ga_node_image *i, struct ga_err *err)
{
	int gone = ga_db_exec(db, err,
			      "DELETE FROM node_image WHERE node_id = ?1 AND image = ?2 "
			      "AND digest = ?3 AND verified_at <= ?4",
			      "ssss", i->node, i->image, i->digest, i->withdrawn_at);

	if (gone <= 0)
		return gone;
	if (ga_audit_add(db, "node_image_withdrawn", i->node,
			 json_pack("{s:s, s:s}", "image", i->image, "digest", i->digest), err) < 0)
		return -1;
	return 1;
}

int ga_store_apply_node_image(struct ga_db *db, const struct ga_node_image *i, struct ga_err *err)
{
	ga_autofree char *digest = NULL;
	struct ga_node node;
	int changed;

	if (i->withdrawn_at)
		return withdraw(db, i, err);
	if (image_digest(db, i->image, &digest, err) < 0 ||
	    ga_store_node(db, i->node, &node, err) < 0)
		return -1;
	ga_schema_release(&ga_node_schema, &node);
	if (strcmp(digest, i->digest))
		return ga_refuse(err, GA_CONFLICT, "image_digest", NULL,
				 ("the copy of '%s' on '%s' has digest %s, the image has %s",
				  i->image, i->node, i->digest, digest),
				 ("copy the image again, or apply the new image record first"));
	changed = ga_db_exec(db, err,
			     "INSERT INTO node_image (node_id, image, digest, path, verified_at) "
			     "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (node_id, image) DO UPDATE "
			     "SET digest = excluded.digest, path = excluded.path, "
			     "verified_at = excluded.verified_at "
			     "WHERE node_image.digest <> excluded.digest "
			     "OR node_image.path <> excluded.path "
			     "OR node_image.verified_at <> excluded.verified_at",
			     "sssss", i->node, i->image, i->digest, i->path, i->verified_at);
	if (changed <= 0)
		return changed;
	if (ga_audit_add(db, "node_image_applied", i->node,
			 json_pack("{s:s, s:s}", "image", i->image, "digest", i->digest), err) < 0)
		return -1;
	return 1;
}

#define NODE_IMAGE \
	"SELECT node_id, image, digest, path, verified_at, NULL, NULL, NULL FROM node_image "

int ga_store_node_image(struct ga_db *db, const char *node, const char *image,
			struct ga_node_image *ret, struct ga_err *err)
{
	struct ga_rows *rows = NULL;

	if (ga_db_query(db, &rows, err, NODE_IMAGE "WHERE node_id = ?1 AND image = ?2", "ss", node,
			image) < 0)
		return -1;
	return ga_row_first(rows, &ga_node_image_schema, ret, err);
}

int ga_query_node_images(struct ga_db *db, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err, NODE_IMAGE "ORDER BY node_id, image", "");
}

int ga_store_images_on_nodes(struct ga_db *db, struct ga_texts *ret, struct ga_err *err)
{
	return ga_db_texts(db, ret, err,
			   "SELECT DISTINCT image FROM node_image ORDER BY image", "");
}

int ga_query_images(struct ga_db *db, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err, "SELECT record, name FROM image ORDER BY name", "");
}
