/* SPDX-License-Identifier: Apache-2.0 */
/* Restores a state: a copy is prepared beside the state, and replaces it under the writer lock. */
#include "state/recovery/restore.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/schema.h"
#include "record/time.h"
#include "state/db/audit.h"
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
	    ga_db_change(*db, err, "UPDATE meta SET epoch = ?1", "i", ret->epoch) < 0)
		return -1;
	detail = json_pack("{s:s, s:s, s:I, s:I, s:s?}", "from", from, "reason", reason, "epoch",
			   (json_int_t)ret->epoch, "backup_seq", (json_int_t)seq, "kept",
			   ret->kept);
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
