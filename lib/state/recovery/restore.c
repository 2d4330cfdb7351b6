/* SPDX-License-Identifier: Apache-2.0 */
/* Restores a state: a copy is prepared beside the state, and replaces it under the writer lock. */
#include "state/recovery/restore.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/schema.h"
#include "record/time.h"
#include "state/db/audit.h"
#include "state/db/row.h"
#include "state/db/writers_queue.h"
#include "state/recovery/check.h"

/* The facts of the replaced state, if it can be read. */
struct before {
	bool there, readable, lab;
	int64_t epoch, seq;
	char hash[GA_DIGEST_SIZE];
};

void ga_restored_release(struct ga_restored *r)
{
	free(r->kept);
	ga_texts_release(&r->unkept);
	*r = (struct ga_restored){ 0 };
}

static void cleanup_turn(struct ga_writers_queue *t)
{
	ga_writers_queue_close(t);
}

/* A damaged file cannot be read; it is kept all the same. */
static void look_before(const char *path, struct before *b)
{
	struct ga_err ignored = GA_ERR_INIT;
	ga_autodb struct ga_db *db = NULL;

	*b = (struct before){ .there = access(path, F_OK) == 0, .epoch = GA_UNKNOWN };
	if (!b->there || ga_db_open(path, GA_DB_STATE, GA_DB_READ, &db, &ignored) < 0 ||
	    ga_audit_head(db, &b->seq, b->hash, &ignored) < 0)
		return;
	b->readable = true;
	b->epoch = ga_db_epoch(db);
	b->lab = ga_db_is_lab(db);
}

static char *kept_name(const char *path)
{
	ga_autofree char *now = ga_time_now();
	char *name = ga_xprintf("%s.replaced-%.26sZ", path, now), *p;

	/* "2026-11-21T01:38:34.123456" as 20261121T013834.123456: other tools have trouble with
	 * colons. */
	char *to = name + strlen(path) + strlen(".replaced-");

	for (p = to; *p; p++)
		if (*p != '-' && *p != ':')
			*to++ = *p;
	*to = '\0';
	return name;
}

/* ---- keys that were revoked since the backup ---- */

struct revoked {
	char *node, *key, *registered, *at, *reason;
};

struct revocations {
	struct revoked *v;
	size_t n;
};

static void cleanup_revocations(struct revocations *list)
{
	for (size_t i = 0; i < list->n; i++) {
		char *texts[] = { list->v[i].node, list->v[i].key, list->v[i].registered,
				  list->v[i].at, list->v[i].reason };

		for (size_t k = 0; k < GA_ARRAY_SIZE(texts); k++)
			free(texts[k]);
	}
	ga_list_release(list);
}

/* Reads all of them before one counts: a damaged file may end in the middle. */
static int read_revoked(const char *path, struct revocations *ret, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_open(path, GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_query(db, &rows, err,
			"SELECT node_id, key, registered_at, revoked_at, reason FROM node_key "
			"WHERE revoked_at IS NOT NULL AND reason IS NOT NULL AND length(key) = 44 "
			"AND registered_at IS NOT NULL ORDER BY number", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(ret) = (struct revoked){
			.node = ga_rows_dup(rows, 0),	    .key = ga_rows_dup(rows, 1),
			.registered = ga_rows_dup(rows, 2), .at = ga_rows_dup(rows, 3),
			.reason = ga_rows_dup(rows, 4),
		};
	ga_rows_close(GA_TAKE(rows));
	return r;
}

/* Revokes the key in the copy: 1 changed, 0 known as revoked or its node is unknown there. */
static int revoke_again(struct ga_db *db, const struct revoked *k, struct ga_restored *ret,
			struct ga_err *err)
{
	int known = ga_db_one(db, err, "SELECT 1 FROM node WHERE id = ?1", "s", k->node);
	int n = known <= 0 ? known :
		ga_db_exec(db, err, "UPDATE node_key SET revoked_at = ?2, reason = ?3 WHERE "
			   "key = ?1 AND revoked_at IS NULL", "sss", k->key, k->at, k->reason);

	if (!known)
		ga_texts_add(&ret->unkept, k->node);
	if (known > 0 && n == 0)
		n = ga_db_exec(db, err, "INSERT INTO node_key (node_id, key, registered_at, "
			       "revoked_at, reason) SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS "
			       "(SELECT 1 FROM node_key WHERE key = ?2)", "sssss", k->node, k->key,
			       k->registered, k->at, k->reason);
	if (n <= 0)
		return n;
	return ga_audit_add(db, "key_revoked", k->node,
			    json_pack("{s:s, s:s, s:s}", "key", k->key, "reason", k->reason,
				      "after", "state_restored"), err) < 0 ? -1 : 1;
}

/* A key that a person revoked stays revoked: whoever has it would sign inventories that are
 * adopted. Without the replaced state nobody knows them. */
static int keep_revoked(const char *path, struct ga_db *db, struct ga_restored *ret,
			struct ga_err *err)
{
	ga_cleanup(cleanup_revocations) struct revocations list = { 0 };
	struct ga_err unreadable = GA_ERR_INIT; /* told by revoked = GA_UNKNOWN */

	ret->revoked = GA_UNKNOWN;
	if (access(path, F_OK) < 0 || read_revoked(path, &list, &unreadable) < 0)
		return 0;
	ret->revoked = 0;
	for (size_t i = 0; i < list.n; i++) {
		int r = revoke_again(db, &list.v[i], ret, err);

		if (r < 0)
			return -1;
		ret->revoked += r;
	}
	return 0;
}

/* Under the writer lock of the present state, so that no writer is in the middle of its work. */
static int swap(const char *path, const char *copy, const char *from, const char *reason,
		struct ga_db **db, struct ga_restored *ret, struct ga_err *err)
{
	ga_cleanup(cleanup_turn) struct ga_writers_queue turn = GA_WRITERS_QUEUE_INIT;
	int64_t own = ga_db_epoch(*db), seq = 0;
	char hash[GA_DIGEST_SIZE];
	struct before b;
	json_t *detail;

	if (access(path, F_OK) == 0 &&
	    (ga_writers_queue_open(&turn, path, err) < 0 ||
	     ga_writers_queue_enter(&turn, "gpuaas-state restore", err) < 0))
		return -1;
	look_before(path, &b);
	ret->kept = b.there ? kept_name(path) : NULL;
	if (b.readable && b.lab != ga_db_is_lab(*db))
		return ga_fail_for(err, GA_CONFLICT, "lab", "the state is of %s, the backup of %s",
				   b.lab ? "a lab" : "real disks", b.lab ? "real disks" : "a lab");
	ret->epoch_before = b.epoch;
	ret->epoch = (b.epoch != GA_UNKNOWN && b.epoch > own ? b.epoch : own) + 1;
	if (ga_db_begin(*db, "gpuaas-state restore", err) < 0 ||
	    ga_audit_head(*db, &seq, hash, err) < 0 ||
	    ga_db_change(*db, err, "UPDATE meta SET epoch = ?1", "i", ret->epoch) < 0 ||
	    keep_revoked(path, *db, ret, err) < 0)
		return -1;
	detail = json_pack("{s:s, s:s, s:I, s:I, s:s?}", "from", from, "reason", reason, "epoch",
			   (json_int_t)ret->epoch, "backup_seq", (json_int_t)seq, "kept",
			   ret->kept);
	if (ret->revoked == GA_UNKNOWN)
		json_object_set_new(detail, "revocations", json_string("unknown"));
	if (b.readable) {
		json_object_set_new(detail, "replaced_seq", json_integer(b.seq));
		json_object_set_new(detail, "replaced_hash", json_string(b.hash));
	}
	if (ga_audit_add(*db, "state_restored", "state", detail, err) < 0 ||
	    ga_db_commit(*db, err) < 0)
		return -1;
	/* The last connection that closes empties the WAL. */
	ga_db_close(GA_TAKE(*db));
	return ga_db_replace(path, copy, ret->kept, err);
}

int ga_state_restore(const char *path, const char *from, const char *reason,
		     int (*each)(const struct ga_finding *finding, void *arg, struct ga_err *err),
		     void *arg, struct ga_restored *ret, struct ga_err *err)
{
	ga_autofree char *copy = ga_xprintf("%s.restoring-%ld", path, (long)getpid());
	ga_autodb struct ga_db *db = NULL;
	struct stat a, b;
	int r;

	*ret = (struct ga_restored){ .epoch_before = GA_UNKNOWN };
	if (stat(path, &a) == 0 && stat(from, &b) == 0 && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino)
		return ga_fail_for(err, GA_USAGE, "same_file",
				   "'%s' is the state itself, not a backup", from);
	if (ga_db_copy(from, copy, err) < 0)
		return -1;
	r = ga_db_open(copy, GA_DB_STATE, GA_DB_CREATE, &db, err);
	if (r < 0)
		(void)ga_wrap(err, "the backup '%s'", from);
	else
		r = ga_state_check(db, each, arg, err);
	if (r > 0)
		r = ga_refuse(err, GA_CONFLICT, "findings", NULL,
			      ("the check of '%s' has %d finding%s: nothing was restored", from, r,
			       r > 1 ? "s" : ""),
			      ("take an older backup, or make a state from what the hosts know: "
			       "gpuaas-state rebuild"));
	else if (r == 0)
		r = swap(path, copy, from, reason, &db, ret, err);
	ga_db_close(GA_TAKE(db));
	/* After a failure between the renames, the copy is the only file left to put in place by
	 * hand. */
	if (r == 0 || access(path, F_OK) == 0)
		ga_db_remove(copy);
	return r;
}
