/* SPDX-License-Identifier: Apache-2.0 */
/* Declarative objects: images, verified copies, node settings; applied idempotently. */
#include "record/mac.h"
#include "record/rec.h"
#include "record/time.h"
#include "state/allocation/move.h"
#include "state/db/audit.h"
#include "state/node/json.h"
#include "state/query/query.h"
#include "state/query/row.h"
#include "state/store.h"

/* ---- images ---- */

int ga_store_probe_counts(struct ga_db *db, const char *name, const char *probe,
			  struct ga_err *err)
{
	if (ga_db_is_lab(db) || !ga_streq(probe, "running"))
		return 0;
	(void)ga_fail_for(err, GA_CONFLICT, "lab_probe", "image '%s' proves readiness by 'running' "
			  "only, which counts in a lab state alone", name);
	return ga_hint(err, "give the image the probe ssh, serial or agent");
}

int ga_store_apply_image(struct ga_db *db, const struct ga_image *i, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_image_shape, i), *now = ga_time_now();
	ga_autofree char *old = NULL;
	struct ga_rows *rows = NULL;
	int r;

	if (ga_store_probe_counts(db, i->name, i->probe, err) < 0 ||
	    ga_db_query(db, &rows, err, "SELECT record FROM image WHERE name = ?1", "s",
			i->name) < 0)
		return -1;
	r = ga_row_text(rows, &old, err);
	ga_rows_close(rows);
	if (r < 0)
		return -1;
	if (ga_streq(old, text))
		return 0;
	/* A copy that was verified against another digest is a copy of another image. */
	if (ga_db_exec(db, err,
		       "INSERT INTO image (name, digest, record, updated_at) "
		       "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO UPDATE SET "
		       "digest = excluded.digest, record = excluded.record, "
		       "updated_at = excluded.updated_at",
		       "ssss", i->name, i->digest, text, now) < 0 ||
	    ga_db_exec(db, err, "DELETE FROM node_image WHERE image = ?1 AND digest <> ?2", "ss",
		       i->name, i->digest) < 0 ||
	    ga_audit_add(db, "image_applied", i->name, json_pack("{s:s}", "digest", i->digest),
			 err) < 0)
		return -1;
	return 1;
}

static int image_digest(struct ga_db *db, const char *name, char **ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;

	if (ga_db_query(db, &rows, err, "SELECT digest FROM image WHERE name = ?1", "s",
			name) < 0 ||
	    ga_row_text(rows, ret, err) < 0)
		return -1;
	if (!*ret) {
		ga_err_set(err, GA_NOTFOUND, "there is no image '%s'", name);
		ga_err_reason(err, "no_image");
		return ga_hint(err, "apply its gpuaas.image record first");
	}
	return 0;
}

int ga_store_image_known(struct ga_db *db, const char *name, struct ga_err *err)
{
	ga_autofree char *digest = NULL;

	return image_digest(db, name, &digest, err);
}

/* Takes the copy away; one that was verified again since, or has another digest, stays. */
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
	ga_shape_release(&ga_node_shape, &node);
	if (strcmp(digest, i->digest)) {
		ga_err_set(err, GA_CONFLICT,
			   "the copy of '%s' on '%s' has digest %s, the image has %s", i->image,
			   i->node, i->digest, digest);
		ga_err_reason(err, "image_digest");
		return ga_hint(err, "copy the image again, or apply the new image record first");
	}
	changed = ga_db_exec(db, err,
			     "INSERT INTO node_image (node_id, image, digest, path, verified_at) "
			     "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (node_id, image) DO UPDATE "
			     "SET digest = excluded.digest, path = excluded.path, "
			     "verified_at = excluded.verified_at WHERE digest <> excluded.digest "
			     "OR path <> excluded.path OR verified_at <> excluded.verified_at",
			     "sssss", i->node, i->image, i->digest, i->path, i->verified_at);
	if (changed <= 0)
		return changed;
	if (ga_audit_add(db, "node_image_applied", i->node,
			 json_pack("{s:s, s:s}", "image", i->image, "digest", i->digest), err) < 0)
		return -1;
	return 1;
}

/* ---- node settings ---- */

static int node_exists(struct ga_db *db, const char *id, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;

	if (ga_db_query(db, &rows, err, "SELECT 1 FROM node WHERE id = ?1", "s", id) < 0)
		return -1;
	return ga_rows_next(rows, err);
}

/* Memory kept for the host is taken evenly from its NUMA nodes; row -1 is the whole host. */
static int spread_reserve(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	if (s->reserved_memory_mib == GA_UNKNOWN)
		return 0;
	return ga_db_exec(db, err,
			  "UPDATE node_memory SET "
			  "reserve_mib = iif(numa_node < 0, ?2, (?2 + k - 1) / k) FROM (SELECT "
			  "max(sum(numa_node >= 0), 1) AS k FROM node_memory WHERE node_id = ?1) "
			  "WHERE node_id = ?1 "
			  "AND reserve_mib <> iif(numa_node < 0, ?2, (?2 + k - 1) / k)",
			  "si", s->node, s->reserved_memory_mib) < 0 ? -1 : 0;
}

/* Slots of a node that sold whole machines were approved for these: what a VM needs of its GPU was
 * not asked (decide/slot/verdict.h). They are approved anew before they are sold as slices. */
static int refuse_slices(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (!ga_streq(s->mode, "slice"))
		return 0;
	if (ga_db_query(db, &rows, err,
			"SELECT count(*) FROM node n, slot s ON s.node_id = n.id WHERE n.id = ?1 "
			"AND n.mode = 'baremetal' AND s.retired = 0 "
			"AND s.state NOT IN ('disabled', 'quarantined') HAVING count(*) > 0",
			"s", s->node) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r <= 0)
		return r;
	ga_err_set(err, GA_CONFLICT,
		   "node '%s' has %lld slots that were approved to be sold as a whole machine: its "
		   "mode cannot become slice",
		   s->node, (long long)ga_rows_int(rows, 0));
	ga_err_reason(err, "node_in_use");
	return ga_hint(err,
		       "disable them first ('gpuaas-list slots --where node=%s'; gpuaas-approve "
		       "disable SLOT --reason TEXT), then 'gpuaas-approve --mode slice' judges "
		       "them as slices",
		       s->node);
}

static int refuse_mode(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (!s->mode)
		return 0;
	if (ga_db_query(db, &rows, err,
			"SELECT held_by FROM node WHERE id = ?1 AND mode <> ?2 "
			"AND held_by IS NOT NULL",
			"ss", s->node, s->mode) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r <= 0)
		return r;
	ga_err_set(err, GA_CONFLICT, "node '%s' is in use: its mode cannot become %s", s->node,
		   s->mode);
	ga_err_reason(err, "node_in_use");
	return ga_hint(err, "drain it first: 'gpuaas-list claims --where node=%s --where "
		"live=true'",
		       s->node);
}

/* 1 when a column changed. Each setting has its own condition, so that nothing else moves. */
static int update_settings(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	ga_autofree char *network =
		s->network ? ga_rec_format_text(&ga_network_shape, s->network) : NULL;

	return ga_db_exec(
		db, err,
		"UPDATE node SET name = nullif(coalesce(?2, name), ''), "
		"address = nullif(coalesce(?3, address), ''), "
		"region = nullif(coalesce(?4, region), ''), "
		"pool = nullif(coalesce(?5, pool), ''), "
		"mode = coalesce(?6, mode), network = coalesce(?7, network), "
		"network_set = network_set OR ?7 IS NOT NULL, "
		"reserved_memory_mib = coalesce(?8, reserved_memory_mib), "
		"reserved_cpus = nullif(coalesce(?9, reserved_cpus), ''), "
		"fabric_mode = coalesce(?10, fabric_mode), generation = generation + 1 "
		"WHERE id = ?1 AND (name IS NOT nullif(coalesce(?2, name), '') OR "
		"address IS NOT nullif(coalesce(?3, address), '') OR "
		"region IS NOT nullif(coalesce(?4, region), '') OR "
		"pool IS NOT nullif(coalesce(?5, pool), '') OR mode IS NOT coalesce(?6, mode) OR "
		"network IS NOT coalesce(?7, network) OR "
		"network_set IS NOT (network_set OR ?7 IS NOT NULL) OR "
		"reserved_memory_mib IS NOT coalesce(?8, reserved_memory_mib) OR "
		"reserved_cpus IS NOT nullif(coalesce(?9, reserved_cpus), '') OR "
		"fabric_mode IS NOT coalesce(?10, fabric_mode))",
		"sssssssiss", s->node, s->name, s->address, s->region, s->pool, s->mode, network,
		s->reserved_memory_mib, s->reserved_cpus, s->fabric_mode);
}

/* As it was asked for; what was cleared is null. */
static json_t *settings_detail(const struct ga_node_settings *s)
{
	json_t *detail = ga_shape_format(&ga_node_settings_shape, s), *value;
	const char *name;

	json_object_foreach(detail, name, value)
		if (json_is_string(value) && !*json_string_value(value))
			json_object_set_new(detail, name, json_null());
	return detail;
}

/* A slot has its address for as long as it stands: the network may not take it for itself. */
static int refuse_address(struct ga_db *db, const struct ga_node_settings *s, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (!s->network)
		return 0;
	if (ga_db_query(db, &rows, err,
			"SELECT id, private_ip FROM slot WHERE node_id = ?1 AND retired = 0 AND "
			"private_ip IS NOT NULL ORDER BY slot_index", "s", s->node) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		const char *ip = ga_rows_text(rows, 1);

		if (!ga_ip_is_of_network(ip, s->network->gateway, s->network->prefix_bits))
			continue;
		ga_err_set(err, GA_CONFLICT, "slot '%s' of node '%s' has the address %s, which "
			   "would be the network's own: its gateway %s, or the first or last "
			   "address of it", ga_rows_text(rows, 0), s->node, ip,
			   s->network->gateway);
		ga_err_reason(err, "duplicate_identity");
		ga_err_object(err, s->node);
		return ga_hint(err, "give the gateway another address, or retire the slot first");
	}
	return r;
}

int ga_store_apply_node_settings(struct ga_db *db, const struct ga_node_settings *s,
				 struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	int known = node_exists(db, s->node, err), changed;

	if (known < 0 || refuse_mode(db, s, err) < 0 || refuse_slices(db, s, err) < 0 ||
	    refuse_address(db, s, err) < 0)
		return -1;
	if (!known && ga_db_exec(db, err, "INSERT INTO node (id, since) VALUES (?1, ?2)", "ss",
				 s->node, now) < 0)
		return -1;
	changed = update_settings(db, s, err);
	if (changed < 0 || spread_reserve(db, s, err) < 0)
		return -1;
	if (known && !changed)
		return 0;
	if (ga_audit_add(db, "node_settings_applied", s->node, settings_detail(s), err) < 0)
		return -1;
	return 1;
}

/* ---- as rows ---- */

#define NODE_IMAGE \
	"SELECT node_id, image, digest, path, verified_at, NULL, NULL, NULL FROM node_image "

int ga_store_node_image(struct ga_db *db, const char *node, const char *image,
			struct ga_node_image *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err, NODE_IMAGE "WHERE node_id = ?1 AND image = ?2", "ss", node,
			image) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	return r <= 0 ? r : ga_row_read(rows, 0, &ga_node_image_shape, ret, err) < 0 ? -1 : 1;
}

int ga_query_node_images(struct ga_db *db, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err, NODE_IMAGE "ORDER BY node_id, image", "");
}

int ga_query_images(struct ga_db *db, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err, "SELECT record, name FROM image ORDER BY name", "");
}

int ga_query_candidates(struct ga_db *db, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err,
			   "SELECT record, node_id FROM candidate ORDER BY node_id, "
			   "slot_index", "");
}

int ga_query_plans(struct ga_db *db, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err,
			   "SELECT plan, id FROM allocation WHERE plan IS NOT NULL "
			   "AND state IN ('placed', 'provisioning') ORDER BY created_at, id",
			   "");
}

int ga_query_evidence(struct ga_db *db, const char *object, struct ga_rows **ret,
		      struct ga_err *err)
{
	if (object)
		return ga_db_query(db, ret, err,
				   "SELECT record, id FROM wipe_evidence WHERE slot_id = ?1 OR "
				   "id = ?1 "
				   "OR json_extract(" GA_SQL_OBJECT("record") ", '$.allocation') "
				   "= ?1 "
				   "ORDER BY finished_at, id",
				   "s", object);
	return ga_db_query(db, ret, err,
			   "SELECT record, id FROM wipe_evidence ORDER BY finished_at, id", "");
}
