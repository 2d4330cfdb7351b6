/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of nodes, and the checks of results by them. */
#include "state/node/key.h"

#include <string.h>

#include "record/digest.h"
#include "record/inventory.h"
#include "record/result.h"
#include "record/sign.h"
#include "record/time.h"
#include "state/allocation/provision.h"
#include "state/db/attend.h"
#include "state/db/audit.h"
#include "state/db/json.h"
#include "state/db/row.h"

/* The sentence about a bad signature, and the command for a host whose key was revoked or belongs
 * to another node. */
#define CHANGED_ON_ITS_WAY "the record does not fit its signature: it was changed on its way"
#define NEW_KEY \
	"gpuaas-host-bootstrap --new-key && gpuaas-discover | gpuaas-approve --record-only"

struct owner {
	char *node;
	bool revoked;
};

static void cleanup_owner(struct owner *o)
{
	free(o->node);
}

/* Finds the node of the key: NULL when no node has it. */
static int find_owner(struct ga_db *db, const char *key, struct owner *ret, struct ga_err *err)
{
	return ga_db_get(db, err,
			 "SELECT node_id, revoked_at IS NOT NULL FROM node_key WHERE key = ?1",
			 "sSB", key, &ret->node, &ret->revoked);
}

int ga_store_key_of(struct ga_db *db, const char *node, char **ret, struct ga_err *err)
{
	*ret = NULL;
	return ga_db_get(db, err,
			 "SELECT key FROM node_key WHERE node_id = ?1 AND revoked_at IS NULL", "sS",
			 node, ret);
}

int ga_store_key_revoke(struct ga_db *db, const char *node, const char *reason, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now(), *key = NULL;

	if (ga_store_key_of(db, node, &key, err) < 0)
		return -1;
	if (!key)
		return 0;
	if (ga_db_change(db, err,
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
	return ga_refuse(err, code, reason, node,
			 ("node '%s': %s", node, sentence),
			 ("%s", hint));
}

/* Whether the node ever had a key: after its last key was revoked it is trusted less, not more. */
static int had_key(struct ga_db *db, const char *node, struct ga_err *err)
{
	return ga_db_one(db, err, "SELECT 1 FROM node_key WHERE node_id = ?1", "s", node);
}

/* A baremetal tenant has the machine until the release proves a trusted system, which orders the
 * wipe of every slot. */
#define OF_A_TENANT \
	"n.held_by IS NOT NULL AND n.held_by <> 'slices' AND NOT EXISTS (SELECT 1 FROM claim c " \
	"JOIN slot s ON s.id = c.slot_id WHERE c.allocation_id = n.held_by AND c.live = 1 AND " \
	"s.state = 'wiping')"
int ga_store_no_tenant(struct ga_db *db, const char *node, const char *what, struct ga_err *err)
{
	int r = ga_db_one(db, err, "SELECT 1 FROM node n WHERE n.id = ?1 AND " OF_A_TENANT, "s",
			  node);

	if (r <= 0)
		return r;
	return ga_refuse(err, GA_CONFLICT, "held_by_baremetal", node,
			 ("a tenant has node '%s', and %s may be the tenant's", node, what),
			 ("release the allocation first ('gpuaas-list claims --where node=%s "
			  "--where live=true'); what the trusted system shows then counts", node));
}

/* After a restore nobody knows whether a tenant has a baremetal machine, and so whose key it shows,
 * until the machine that deploys says so. */
static int is_unverified(struct ga_db *db, const char *node, struct ga_err *err)
{
	return ga_db_one(db, err, "SELECT 1 FROM node WHERE id = ?1 AND mode = 'baremetal' AND "
			 "epoch_verified < ?2", "si", node, ga_db_epoch(db));
}

int ga_store_key_learn(struct ga_db *db, const struct ga_host *host, bool accept_change,
		       struct ga_err *err)
{
	ga_cleanup(cleanup_owner) struct owner o = { 0 };
	ga_autofree char *now = ga_time_now(), *known = NULL;
	int had, unverified;

	if (!host->node_key)
		return 0;
	if (find_owner(db, host->node_key, &o, err) < 0 ||
	    ga_store_key_of(db, host->node, &known, err) < 0)
		return -1;
	if (o.node && !o.revoked && ga_streq(o.node, host->node))
		return 0;
	if (o.revoked)
		return refuse(err, GA_DENIED, "key_revoked", host->node,
			      "it shows a key that was revoked",
			      "on the host: '" NEW_KEY "'; if somebody else may have had the key, "
			      "find out how first");
	if (o.node)
		return refuse(err, GA_DENIED, "key_of_another", host->node,
			      "it shows the key of another node",
			      "a cloned disk brought it: on the clone '" NEW_KEY "'");
	if (ga_store_no_tenant(db, host->node, "the key that it shows", err) < 0 ||
	    (unverified = is_unverified(db, host->node, err)) < 0)
		return -1;
	if (known && !accept_change)
		return refuse(err, GA_CONFLICT, "node_key_changed", host->node,
			      "it shows another key than the registered one",
			      "if the host was reinstalled: gpuaas-approve --accept-change; if "
			      "not, somebody else answers in its name");
	if (unverified && known)
		return ga_refuse(err, GA_CONFLICT, "unverified_since_restore", host->node,
				 ("node '%s' shows a key that is not registered, and since the "
				  "restore nobody has said whether a tenant has it", host->node),
				 ("on the machine that deploys: gpuaas-reconcile --inventory "
				  "--machine %s | gpuaas-state adopt --reason TEXT -", host->node));
	if (unverified)
		return GA_KEY_WAITS;
	had = known ? 0 : had_key(db, host->node, err);
	if (had < 0 || (known && ga_store_key_revoke(db, host->node, "replaced", err) < 0))
		return -1;
	if (ga_db_change(db, err,
			 "INSERT INTO node_key (node_id, key, registered_at) VALUES (?1, ?2, ?3)",
			 "sss", host->node, host->node_key, now) < 0 ||
	    ga_audit_add(db, "key_registered", host->node,
			 json_pack("{s:s, s:s*}", "key", host->node_key, "after",
				   had ? "key_revoked" : NULL), err) < 0)
		return -1;
	return had ? GA_KEY_AFTER_REVOKED : 1;
}

/* ---- results ---- */

static const char *member(const struct ga_rec *rec, const char *name)
{
	return json_string_value(json_object_get(rec->json, name));
}

/* The object of the result: an allocation or a slot; NULL when it names neither. */
static const char *object_of(const struct ga_rec *rec)
{
	const char *allocation = member(rec, "allocation");

	return allocation ? allocation : member(rec, "object");
}

/* Results that move nothing and need no signature: a failure without an attempt, which gpuaas-on
 * may report for a node that it could not reach; and the inventory of a host that never worked,
 * which has no key and no work yet. */
static bool needs_none(const struct ga_rec *rec)
{
	if (ga_rec_is(rec, &ga_failure_schema))
		return !member(rec, "attempt");
	return ga_rec_is(rec, &ga_inventory_schema) &&
	       !json_integer_value(json_object_get(rec->json, "count"));
}

static int check_unsigned(struct ga_db *db, const struct ga_rec *rec, const char *on,
			  struct ga_err *err)
{
	const char *said = member(rec, "node");
	const char *nodes[] = { said, on };
	size_t i;

	if (needs_none(rec))
		return 0;
	for (i = 0; i < GA_ARRAY_SIZE(nodes); i++) {
		int had = nodes[i] ? had_key(db, nodes[i], err) : 0;

		if (had < 0)
			return -1;
		if (had)
			return refuse(err, GA_DENIED, "unsigned", nodes[i],
				      "a result of it is not signed, and it has a key",
				      "results come from the node's own programs; if its folder "
				      "was lost, 'gpuaas-wipe --pending' on it makes a new key, "
				      "and 'gpuaas-discover | gpuaas-approve --record-only "
				      "--accept-change' registers that");
	}
	return refuse(err, GA_DENIED, "unsigned", on ? on : said ? said : "?",
		      "a result of it is not signed, so that anybody can have written it",
		      "hosts sign what they did: bring the programs of the host up to date, and "
		      "take the record from them unchanged");
}

/* Whether the result answers the order in force of its object, on the node that it names: no other
 * node got that attempt. For an inventory, a person runs the command and is shown the key. */
static int answers_order(struct ga_db *db, const struct ga_rec *rec, const char *key,
			 struct ga_err *err)
{
	const char *said = member(rec, "node"), *attempt = member(rec, "attempt");
	/* Evidence names its allocation, too; the order that it answers is its slot's. */
	const char *object = member(rec, "object") ? member(rec, "object") : object_of(rec);
	json_t *generation = json_object_get(rec->json, "generation");

	if (ga_rec_is(rec, &ga_inventory_schema))
		return ga_streq(key, json_string_value(json_object_get(
					     json_object_get(rec->json, "host"), "node_key")));
	if (!said || !attempt || !object)
		return 0;
	return ga_db_one(db, err,
			 "SELECT 1 FROM allocation WHERE id = ?1 AND node_id = ?2 AND attempt = ?3 "
			 "AND (?4 IS NULL OR attempt_generation = ?4) UNION ALL "
			 "SELECT 1 FROM slot WHERE id = ?1 AND node_id = ?2 AND wipe_attempt = ?3 "
			 "AND (?4 IS NULL OR wipe_generation = ?4)",
			 "sssi", object, said, attempt,
			 json_is_integer(generation) ? json_integer_value(generation) :
						       (json_int_t)GA_UNKNOWN);
}

static int insert(struct ga_db *db, const char *node, const char *key, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	return ga_db_exec(db, err,
			  "INSERT INTO node_key (node_id, key, registered_at) SELECT id, ?2, ?3 "
			  "FROM node WHERE id = ?1",
			  "sss", node, key, now);
}

/* Results are denied where a discovery conflicts. */
static int deny_tenant(struct ga_db *db, const char *node, const char *what, struct ga_err *err)
{
	int r = ga_store_no_tenant(db, node, what, err);

	if (r < 0 && ga_streq(err->reason, "held_by_baremetal"))
		err->code = GA_DENIED;
	return r;
}

/* A key that no node has becomes the key of a node that never had one, with its first answer. */
static int take_first(struct ga_db *db, const struct ga_rec *rec, const char *on, const char *key,
		      struct ga_err *err)
{
	const char *node = member(rec, "node");
	int had = had_key(db, node ? node : "", err);
	int answers = had ? had : answers_order(db, rec, key, err), made;
	int unverified = answers > 0 ? is_unverified(db, node, err) : 0;

	if (had < 0 || answers < 0 || unverified < 0 ||
	    (answers > 0 && deny_tenant(db, node, "the key of the signature", err) < 0))
		return -1;
	if (unverified)
		return refuse(err, GA_DENIED, "unknown_key", node,
			      "the key of the signature is not registered, and since the restore "
			      "nobody has said whether a tenant has the machine",
			      "take the inventory of the machine that deploys first");
	if (had || !answers || (on && !ga_streq(on, node)))
		return refuse(err, GA_DENIED, "unknown_key", node ? node : on ? on : "?",
			      had ? "the key of the signature is not registered" :
				    "the key of the signature is not registered, and it is no "
				    "answer to an order in force, with which the first key is "
				    "taken",
			      "'gpuaas-discover | gpuaas-approve --record-only' registers a node's "
			      "key");
	made = insert(db, node, key, err);
	if (made <= 0) /* the inventory of an unknown node: the adoption learns its key */
		return made;
	return ga_audit_add(db, "node_key_first_use", node,
			    json_pack("{s:s, s:s, s:s?, s:s?}", "key", key, "kind",
				      rec->schema->kind, "object", object_of(rec), "attempt",
				      member(rec, "attempt")),
			    err) < 0 ? -1 : 1;
}

/* Whether the last row of the object is the same: a host repeats results that were refused. */
static int is_recorded(struct ga_db *db, const char *action, const char *object, json_t *detail,
		       struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autofree char *last = NULL;

	ga_rec_dump(detail, &text);
	if (ga_store_last_audit(db, object, action, &last, err) < 0)
		return -1;
	return ga_streq(last, text.buf);
}

int ga_store_key_here(struct ga_db *db, const char *node, const char *key, struct ga_err *err)
{
	ga_cleanup(cleanup_owner) struct owner o = { 0 };
	ga_autojson json_t *detail = NULL;
	ga_autofree char *known = NULL;
	int had = ga_store_key_of(db, node, &known, err) < 0 ? -1 : had_key(db, node, err);
	int made, recorded;

	if (had < 0 || (had && ga_streq(known, key)))
		return had < 0 ? -1 : 0;
	/* A program that may write the state needs no signature here. When it signs with another
	 * key than the state knows, for example after its folder was lost, the audit and standard
	 * error show that. */
	if (had) {
		detail = json_pack("{s:s}", "key", key);
		recorded = is_recorded(db, "node_key_differs", node, detail, err);
		if (!recorded)
			recorded = ga_audit_add(db, "node_key_differs", node, GA_TAKE(detail), err);
		return recorded < 0 ? -1 : known ? GA_KEY_DIFFERS : GA_KEY_REVOKED;
	}
	if (find_owner(db, key, &o, err) < 0)
		return -1;
	/* The key of another node is not taken: attention shows this node as one without a key. */
	made = o.node ? 0 : insert(db, node, key, err);
	if (made <= 0)
		return made;
	return ga_audit_add(db, "node_key_first_use", node,
			    json_pack("{s:s, s:n, s:n, s:n}", "key", key, "kind", "object",
				      "attempt"),
			    err) < 0 ? -1 : 1;
}

int ga_store_key_check(struct ga_db *db, const struct ga_rec *rec, struct ga_err *err)
{
	const char *said = member(rec, "node"), *object = object_of(rec), *key;
	ga_cleanup(cleanup_owner) struct owner o = { 0 };
	ga_autofree char *on = NULL; /* the node that the object is on, or NULL */

	if (object && ga_db_get(db, err,
				"SELECT node_id FROM allocation WHERE id = ?1 UNION ALL "
				"SELECT node_id FROM slot WHERE id = ?1",
				"sS", object, &on) < 0)
		return -1;
	if (!rec->signature)
		return check_unsigned(db, rec, on, err);
	key = json_string_value(json_object_get(rec->signature, "key"));
	if (!key || !ga_sign_is_of(rec->signature, rec->json))
		return refuse(err, GA_DENIED, "bad_signature", said ? said : "?",
			      CHANGED_ON_ITS_WAY "; fold what the node prints, unchanged: "
			      "'gpuaas-reconcile --repair' there gives it again",
			      "find what changes it between the host's program and gpuaas-state "
			      "fold");
	if (find_owner(db, key, &o, err) < 0)
		return -1;
	if (!o.node)
		return take_first(db, rec, on, key, err);
	if (o.revoked)
		return refuse(err, GA_DENIED, "key_revoked", o.node,
			      "the key of the signature was revoked",
			      "what it says is kept in its journal; enrol it again with a new key");
	/* Its host does not work for us then, and the tenant may have found the key. */
	if (deny_tenant(db, o.node, "what it signs", err) < 0)
		return -1;
	if ((said && !ga_streq(said, o.node)) || (on && !ga_streq(on, o.node)))
		return refuse(err, GA_DENIED, "wrong_node", o.node,
			      "it signed a result of another node's object",
			      "check the host: it reports on an object of another node");
	return 0;
}

bool ga_store_key_is_refusal(const struct ga_err *err)
{
	static const char *const reasons[] = { "unsigned", "bad_signature", "unknown_key",
					       "key_revoked", "wrong_node",
					       "held_by_baremetal" };
	size_t i;

	for (i = 0; err->code == GA_DENIED && i < GA_ARRAY_SIZE(reasons); i++)
		if (ga_streq(err->reason, reasons[i]))
			return true;
	return false;
}

int ga_store_key_note(struct ga_db *db, const struct ga_rec *rec, const struct ga_err *refusal,
		      struct ga_err *err)
{
	char digest[GA_DIGEST_SIZE];
	ga_autojson json_t *detail = NULL;
	int recorded;

	ga_digest_of(rec->raw, rec->raw_len, digest);
	detail = json_pack("{s:s, s:s, s:s?, s:s, s:s?}", "reason", refusal->reason, "kind",
			   rec->schema->kind, "object", object_of(rec), "record", digest, "key",
			   json_string_value(json_object_get(rec->signature, "key")));
	if (ga_db_begin(db, "gpuaas-state", err) < 0)
		return -1;
	recorded = is_recorded(db, "result_refused", refusal->object, detail, err);
	if (!recorded)
		recorded = ga_audit_add(db, "result_refused", refusal->object, GA_TAKE(detail),
					err);
	if (recorded < 0 || ga_db_commit(db, err) < 0) {
		ga_db_rollback(db);
		return -1;
	}
	return 0;
}

/* ---- nodes whose results were refused ---- */

enum { R_NODE, R_STATE, R_AT, R_REASON, R_KEY, R_KNOWN };

static char *refused_sentence(const struct ga_rows *r)
{
	const char *key = ga_rows_text(r, R_KEY), *known = ga_rows_text(r, R_KNOWN);
	const char *reason = ga_rows_text(r, R_REASON);

	if (ga_streq(reason, "bad_signature"))
		return ga_xprintf("a result was refused (%s): " CHANGED_ON_ITS_WAY
				  "; fold what the host prints, unchanged: 'gpuaas-reconcile "
				  "--repair' there gives it again", reason);
	return ga_xprintf("a result was refused (%s): signed with %s%s, and the state has %s%s; "
			  "'gpuaas-discover' on the host shows which it is",
			  reason, key ? "key " : "no key", key ? key : "",
			  known ? "key " : "no key", known ? known : "");
}

/* A new discovery of the host settles it: its key is the registered one, or becomes so. A second
 * key is registered only when a person accepts it. */
static const char *refused_command(const struct ga_rows *r)
{
	bool other = ga_streq(ga_rows_text(r, R_REASON), "unknown_key") && ga_rows_text(r, R_KNOWN);

	if (ga_streq(ga_rows_text(r, R_REASON), "key_revoked"))
		return NEW_KEY;
	return other ? "gpuaas-discover | gpuaas-approve --record-only --accept-change" :
		       "gpuaas-discover | gpuaas-approve --record-only";
}

#define DETAIL GA_SQL_OBJECT("a.detail")

int ga_attend_refused(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	/* A later discovery or a later key settles it. ga_attend_keys reports a node whose key was
	 * revoked and that has no new one. */
	if (ga_db_query(db, &rows, err,
			"SELECT n.id, n.state, a.at, json_extract(" DETAIL ", '$.reason'), "
			"json_extract(" DETAIL ", '$.key'), k.key FROM audit a "
			"INDEXED BY audit_refused CROSS JOIN node n ON n.id = a.object "
			"LEFT JOIN node_key k ON k.node_id = n.id AND k.revoked_at IS NULL "
			"WHERE n.state <> 'retired' AND a.action = 'result_refused' AND "
			"NOT EXISTS (SELECT 1 FROM audit b WHERE b.object = n.id AND "
			"b.seq > a.seq AND b.action IN ('result_refused', 'observed', "
			"'key_registered', 'node_key_first_use')) AND "
			"(k.key IS NOT NULL OR json_extract(" DETAIL ", '$.reason') <> "
			"'key_revoked') ORDER BY n.id", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_attend f = {
			.object = ga_rows_text(rows, R_NODE),
			.object_kind = "node",
			.state = ga_rows_text(rows, R_STATE),
			.code = "result_refused",
			.since = ga_rows_text(rows, R_AT),
			.node = ga_rows_text(rows, R_NODE),
			.sentence = refused_sentence(rows),
			.command = ga_xstrdup(refused_command(rows)),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}

/* ---- nodes without a key ---- */

int ga_attend_keys(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT n.id, n.state, coalesce((SELECT max(k.revoked_at) FROM node_key k "
			"WHERE k.node_id = n.id), n.since), EXISTS (SELECT 1 FROM node_key k "
			"WHERE k.node_id = n.id) FROM node n WHERE n.state <> 'retired' "
			"AND NOT (" OF_A_TENANT ") AND NOT EXISTS (SELECT 1 FROM node_key k "
			"WHERE k.node_id = n.id AND k.revoked_at IS NULL) ORDER BY n.id", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_attend f = {
			.object = ga_rows_text(rows, 0),
			.object_kind = "node",
			.state = ga_rows_text(rows, 1),
			.code = "node_without_key",
			.since = ga_rows_text(rows, 2),
			.node = ga_rows_text(rows, 0),
			.sentence = ga_xstrdup(
				ga_rows_bool(rows, 3) ?
				"its key was revoked: its results are refused until it has a new "
				"one" :
				"its key is not known: its results are refused, but the first of "
				"an order"),
			.command = ga_xstrdup(ga_rows_bool(rows, 3) ?
						      NEW_KEY :
						      "gpuaas-wipe --pending && gpuaas-discover | "
						      "gpuaas-approve --record-only"),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}
