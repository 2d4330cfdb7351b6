/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of nodes, and what they are asked for. */
#include "store_key.h"

#include <string.h>

#include "audit.h"
#include "digest.h"
#include "kind_result.h"
#include "sign.h"
#include "store_provision.h"
#include "time.h"

struct owner {
	char *node;
	bool found, revoked;
};

static void cleanup_owner(struct owner *o)
{
	free(o->node);
}

/* Whose key it is. */
static int find_owner(struct ga_db *db, const char *key, struct owner *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT node_id, revoked_at IS NOT NULL FROM node_key WHERE key = ?1", "s",
			key) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r <= 0)
		return r;
	ret->found = true;
	ret->node = ga_rows_dup(rows, 0);
	ret->revoked = ga_rows_bool(rows, 1);
	return 0;
}

int ga_store_key_of(struct ga_db *db, const char *node, char **ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	*ret = NULL;
	if (ga_db_query(db, &rows, err,
			"SELECT key FROM node_key WHERE node_id = ?1 AND revoked_at IS NULL", "s",
			node) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r > 0)
		*ret = ga_rows_dup(rows, 0);
	return r < 0 ? -1 : 0;
}

int ga_store_key_revoke(struct ga_db *db, const char *node, const char *reason, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now(), *key = NULL;

	if (ga_store_key_of(db, node, &key, err) < 0)
		return -1;
	if (!key)
		return 0;
	if (ga_db_exec(db, err,
		       "UPDATE node_key SET revoked_at = ?2, reason = ?3 "
		       "WHERE key = ?1 AND revoked_at IS NULL",
		       "sss", key, now, reason) < 0 ||
	    ga_audit_add(db, "key_revoked", node,
			 json_pack("{s:s, s:s}", "key", key, "reason", reason), err) < 0)
		return -1;
	return 1;
}

static int refuse(struct ga_err *err, enum ga_code code, const char *reason, const char *node,
		  const char *sentence, const char *hint)
{
	ga_err_set(err, code, "node '%s': %s", node, sentence);
	ga_err_reason(err, reason);
	ga_err_object(err, node);
	return ga_hint(err, "%s", hint);
}

static int refuse_known(const struct owner *o, const char *node, struct ga_err *err)
{
	if (o->revoked)
		return refuse(err, GA_DENIED, "key_revoked", node,
			      "it shows a key that was revoked",
			      "remove node.key in the host's folder (GPUAAS_HOST_DIR) and enrol it "
			      "again with 'gpuaas-discover | gpuaas-approve --record-only'");
	return refuse(err, GA_DENIED, "key_of_another", node,
		      "it shows the key of another node",
		      "a cloned disk brought it: remove node.key in the host's folder "
		      "(GPUAAS_HOST_DIR) on the clone, and enrol it again");
}

int ga_store_key_learn(struct ga_db *db, const struct ga_host *host, bool accept_change,
		       struct ga_err *err)
{
	ga_cleanup(cleanup_owner) struct owner o = { 0 };
	ga_autofree char *now = ga_time_now(), *known = NULL;

	if (!host->node_key)
		return 0;
	if (find_owner(db, host->node_key, &o, err) < 0 ||
	    ga_store_key_of(db, host->node, &known, err) < 0)
		return -1;
	if (o.found && !o.revoked && ga_streq(o.node, host->node))
		return 0;
	if (o.found)
		return refuse_known(&o, host->node, err);
	if (known && !accept_change)
		return refuse(err, GA_CONFLICT, "node_key_changed", host->node,
			      "it shows another key than the registered one",
			      "if the host was installed anew: gpuaas-approve --accept-change; if "
			      "not, somebody else answers in its name");
	if (known && ga_store_key_revoke(db, host->node, "replaced", err) < 0)
		return -1;
	if (ga_db_exec(db, err,
		       "INSERT INTO node_key (node_id, key, registered_at) VALUES (?1, ?2, ?3)",
		       "sss", host->node, host->node_key, now) < 0 ||
	    ga_audit_add(db, "key_registered", host->node,
			 json_pack("{s:s}", "key", host->node_key), err) < 0)
		return -1;
	return 1;
}

/* ---- results ---- */

static const char *member(const struct ga_rec *rec, const char *name)
{
	return json_string_value(json_object_get(rec->json, name));
}

/* What the result is of: an allocation or a slot; NULL when it names neither. */
static const char *object_of(const struct ga_rec *rec)
{
	const char *allocation = member(rec, "allocation");

	return allocation ? allocation : member(rec, "object");
}

/* The node that an allocation or slot is on, or NULL. */
static int node_of(struct ga_db *db, const char *object, char **ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	*ret = NULL;
	if (!object)
		return 0;
	if (ga_db_query(db, &rows, err,
			"SELECT node_id FROM allocation WHERE id = ?1 UNION ALL "
			"SELECT node_id FROM slot WHERE id = ?1",
			"s", object) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r > 0)
		*ret = ga_rows_dup(rows, 0);
	return r < 0 ? -1 : 0;
}

/* Whether it ever had one: with its last key revoked it is heard less than before, not more. */
static int had_key(struct ga_db *db, const char *node, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;

	if (ga_db_query(db, &rows, err, "SELECT 1 FROM node_key WHERE node_id = ?1", "s", node) < 0)
		return -1;
	return ga_rows_next(rows, err);
}

static bool needs_none(const struct ga_rec *rec)
{
	return ga_rec_is(rec, &ga_failure_shape) && !member(rec, "attempt");
}

static int check_unsigned(struct ga_db *db, const struct ga_rec *rec, const char *on,
			  struct ga_err *err)
{
	const char *nodes[] = { member(rec, "node"), on };
	size_t i;

	for (i = 0; !needs_none(rec) && i < GA_ARRAY_SIZE(nodes); i++) {
		int had = nodes[i] ? had_key(db, nodes[i], err) : 0;

		if (had < 0)
			return -1;
		if (had)
			return refuse(err, GA_DENIED, "unsigned", nodes[i],
				      "a result of it is not signed, and it has a key",
				      "results come from the node's own programs; by hand, look at "
				      "them with 'gpuaas-show' first");
	}
	return 0;
}

int ga_store_key_check(struct ga_db *db, const struct ga_rec *rec, struct ga_err *err)
{
	const char *said = member(rec, "node"), *object = object_of(rec), *key;
	ga_cleanup(cleanup_owner) struct owner o = { 0 };
	ga_autofree char *on = NULL;

	if (node_of(db, object, &on, err) < 0)
		return -1;
	if (!rec->signature)
		return check_unsigned(db, rec, on, err);
	key = json_string_value(json_object_get(rec->signature, "key"));
	if (!key || !ga_sign_is_of(rec->signature, rec->json))
		return refuse(err, GA_DENIED, "bad_signature", said ? said : "?",
			      "the signature is not of this record",
			      "it was changed on the way; ask the node for it again");
	if (find_owner(db, key, &o, err) < 0)
		return -1;
	if (!o.found && !check_unsigned(db, rec, on, err))
		return 0; /* a node that nobody enrolled with a key is believed on its word */
	if (!o.found)
		return refuse(err, GA_DENIED, "unknown_key", said ? said : "?",
			      "the key of the signature is not registered",
			      "'gpuaas-discover | gpuaas-approve --record-only' registers a node's "
			      "key");
	if (o.revoked)
		return refuse(err, GA_DENIED, "key_revoked", o.node,
			      "the key of the signature was revoked",
			      "what it says is kept in its journal; enrol it again with a new key");
	if ((said && !ga_streq(said, o.node)) || (on && !ga_streq(on, o.node)))
		return refuse(err, GA_DENIED, "wrong_node", o.node,
			      "it signed a result of another node's object",
			      "look at the host: it says what is not its to say");
	return 0;
}

bool ga_store_key_is_refusal(const struct ga_err *err)
{
	static const char *const reasons[] = { "unsigned", "bad_signature", "unknown_key",
					       "key_revoked", "wrong_node" };
	size_t i;

	for (i = 0; err->code == GA_DENIED && i < GA_ARRAY_SIZE(reasons); i++)
		if (ga_streq(err->reason, reasons[i]))
			return true;
	return false;
}

/* The very same refusal again: a host tells what it was not heard with at every run. */
static int is_told(struct ga_db *db, const char *object, json_t *detail, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autofree char *last = NULL;

	ga_rec_dump(detail, &text);
	if (ga_store_last_audit(db, object, "result_refused", &last, err) < 0)
		return -1;
	return ga_streq(last, text.buf);
}

int ga_store_key_note(struct ga_db *db, const struct ga_rec *rec, const struct ga_err *refusal,
		      struct ga_err *err)
{
	char digest[GA_DIGEST_SIZE];
	ga_autojson json_t *detail = NULL;
	int told;

	ga_digest_of(rec->raw, rec->raw_len, digest);
	detail = json_pack("{s:s, s:s, s:s?, s:s}", "reason", refusal->reason, "kind",
			   rec->shape->kind, "object", object_of(rec), "record", digest);
	if (ga_db_begin(db, "gpuaas-state", err) < 0)
		return -1;
	told = is_told(db, refusal->object, detail, err);
	if (!told)
		told = ga_audit_add(db, "result_refused", refusal->object, GA_TAKE(detail), err);
	if (told < 0 || ga_db_commit(db, err) < 0) {
		ga_db_rollback(db);
		return -1;
	}
	return 0;
}
