/* SPDX-License-Identifier: Apache-2.0 */
/* host.db: opening, locks of objects, wipe evidence, waiting wipe orders, facts that outlive a
 * driver. */
#include "state/host/hostdb.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "record/result.h"
#include "record/time.h"
#include "record/wipe.h"

int ga_hostdb_open_image(const char *dir, struct ga_hostdb *ret, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/host.db", dir);

	*ret = (struct ga_hostdb){ 0 };
	if (ga_file_mkdirs(dir, 0700, err) < 0) {
		if (err->code == GA_DENIED && geteuid())
			return ga_hint(err,
				       "what this host keeps is root's: give the command to sudo");
		return ga_hint(err,
			       "GPUAAS_HOST_DIR names the folder this host keeps its own data in");
	}
	if (ga_db_open(path, GA_DB_HOST, GA_DB_CREATE, &ret->db, err) < 0)
		return -1;
	ret->dir = ga_xstrdup(dir);
	return 0;
}

int ga_hostdb_open_or_make(const char *dir, struct ga_hostdb *ret, struct ga_err *err)
{
	ga_autosign struct ga_sign_key *key = NULL;

	if (ga_hostdb_open_image(dir, ret, err) < 0)
		return -1;
	/* Opening host.db also creates the host's signing key: every result must be signed. */
	if (ga_hostdb_make_key(dir, &key, err) < 0) {
		ga_hostdb_close(ret);
		return -1;
	}
	return 0;
}

int ga_hostdb_open_read(const char *dir, struct ga_hostdb *ret, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/host.db", dir);

	*ret = (struct ga_hostdb){ 0 };
	if (ga_db_open(path, GA_DB_HOST, GA_DB_READ, &ret->db, err) < 0) {
		if (err->code != GA_NOTFOUND)
			return -1;
		ga_err_clear(err);
	}
	ret->dir = ga_xstrdup(dir);
	return 0;
}

void ga_hostdb_close(struct ga_hostdb *h)
{
	if (h->db)
		ga_db_close(h->db);
	free(h->dir);
	*h = (struct ga_hostdb){ 0 };
}

/* ---- locks of objects ---- */

#define HOLD_GRACE 500000 /* microseconds to wait for a program that is ending */

/* An object may be a wwid or a path: characters that a file name cannot have become '_'. */
static char *hold_path(const char *dir, const char *object)
{
	char *path = ga_xprintf("%s/hold/%s", dir, object), *p;

	for (p = path + strlen(dir) + 6; *p; p++)
		if (*p == '/' || (unsigned char)*p < ' ')
			*p = '_';
	return path;
}

/* The sentence names the holder as the holder wrote itself down; that text is only for people. */
static int hold_refused(const char *path, const char *object, struct ga_err *err)
{
	ga_autostr struct ga_str who = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;

	if (ga_file_read(path, 4096, &who, &ignored) < 0 || !who.len)
		ga_str_add(&who, "another program");
	while (who.len && who.buf[who.len - 1] == '\n')
		who.buf[--who.len] = '\0';
	return ga_refuse(err, GA_BUSY, "held", object,
			 ("'%s' is being worked on by %s", object, who.buf),
			 ("wait until it ends; when it is stuck, end that process: the work can be "
			  "run again"));
}

int ga_object_lock(const char *dir, const char *object, const char *program, int *fd,
		   struct ga_err *err)
{
	ga_autofree char *folder = ga_xprintf("%s/hold", dir), *path = hold_path(dir, object);
	ga_autofree char *who = ga_xprintf("%s (pid %ld)\n", program, (long)getpid());
	int64_t deadline = ga_clock_mono_micros() + HOLD_GRACE;
	ga_autofd int f = -1;

	*fd = -1;
	if (ga_file_mkdirs(folder, 0700, err) < 0)
		return -1;
	f = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (f < 0)
		return ga_fail_sys(err, "cannot open '%s'", path);
	/* A program that has just written its record may still be exiting. */
	while (flock(f, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return ga_fail_sys(err, "cannot lock '%s'", path);
		if (ga_stop_asked() || !ga_clock_wait(deadline, 10000))
			return hold_refused(path, object, err);
	}
	if (ftruncate(f, 0) < 0 || ga_write_all(f, who, strlen(who)) < 0)
		return ga_fail_sys(err, "cannot write '%s'", path);
	*fd = GA_TAKE_FD(f);
	return 0;
}

/* ---- evidence ---- */

static int insert_evidence(struct ga_hostdb *h, struct ga_wipe_evidence *e, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now(), *text = NULL;

	free(GA_TAKE(e->previous_digest));
	if (ga_db_get(h->db, err, "SELECT digest FROM evidence ORDER BY seq DESC LIMIT 1", "S",
		      &e->previous_digest) < 0)
		return -1;
	ga_wipe_evidence_seal(e);
	text = ga_rec_format_text(&ga_wipe_evidence_schema, e);
	return ga_db_change(
		h->db, err,
		"INSERT INTO evidence (evidence, attempt, object, wwid, outcome, digest, "
		"previous_digest, record, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
		"sssssssss", e->evidence, e->attempt, e->object, e->device.wwid, e->outcome,
		e->digest, e->previous_digest, text, now);
}

int ga_evidence_add(struct ga_hostdb *h, struct ga_wipe_evidence *e, struct ga_err *err)
{
	if (ga_db_begin(h->db, "wipe evidence", err) < 0)
		return -1;
	if (insert_evidence(h, e, err) < 0) {
		ga_db_rollback(h->db);
		return -1;
	}
	return ga_db_commit(h->db, err);
}

int ga_evidence_get(struct ga_hostdb *h, const char *key, struct ga_wipe_evidence *ret,
		    struct ga_err *err)
{
	ga_autofree char *text = NULL;
	int r = ga_db_one(h->db, err,
			  "SELECT record FROM evidence WHERE evidence = ?1 OR attempt = ?1 OR "
			  "object = ?1 OR wwid = ?1 ORDER BY seq DESC LIMIT 1",
			  "sS", key, &text);

	if (r <= 0)
		return r;
	if (ga_rec_parse_text(text, &ga_wipe_evidence_schema, ret, err) < 0)
		return ga_wrap(err, "evidence of '%s' in host.db", key);
	return 1;
}

/* ---- waiting wipe orders ---- */

char *ga_hostdb_order_text(const struct ga_wipe_order *o)
{
	struct ga_wipe_order bare = *o;

	bare.controller = NULL;
	bare.epoch = GA_UNKNOWN;
	return ga_rec_format_text(&ga_wipe_order_schema, &bare);
}

int ga_hostdb_keep_order(struct ga_hostdb *h, const struct ga_wipe_order *o, struct ga_err *err)
{
	ga_autofree char *text = ga_hostdb_order_text(o);
	ga_autofree char *now = ga_time_now();

	if (o->dry_run)
		return ga_fail_for(err, GA_CONFLICT, "dry_run",
				   "the wipe order of '%s' is of a dry run", o->object);
	if (ga_db_begin(h->db, "wipe order", err) < 0)
		return -1;
	if (ga_db_change(h->db, err,
			 "INSERT INTO wipe_order (attempt, object, order_text, at) "
			 "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (attempt) DO NOTHING",
			 "ssss", o->attempt, o->object, text, now) < 0) {
		ga_db_rollback(h->db);
		return -1;
	}
	return ga_db_commit(h->db, err);
}

int ga_hostdb_pending_wipes(struct ga_hostdb *h, bool unanswered, struct ga_texts *texts,
			    struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	/* Only the newest order of each object: an older one names a generation that is past. */
	if (ga_db_query(
		    h->db, &rows, err,
		    "WITH seen (attempt, object, order_text, at) AS ("
		    " SELECT attempt, object, order_text, at FROM wipe_order UNION"
		    " SELECT attempt, object, order_text, started_at FROM attempt"
		    " WHERE program = 'wipe' AND attempt NOT IN (SELECT attempt FROM wipe_order)) "
		    "SELECT order_text FROM seen o WHERE NOT EXISTS (SELECT 1 FROM evidence e"
		    " WHERE e.attempt = o.attempt AND (?1 OR e.outcome = 'confirmed')) "
		    "AND NOT EXISTS ("
		    " SELECT 1 FROM seen n WHERE n.object = o.object AND n.at > o.at) "
		    "ORDER BY at, attempt",
		    "b", unanswered) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(texts) = ga_rows_dup(rows, 0);
	return r;
}

/* ---- errors of GPUs ---- */

int ga_hostdb_gpu_errors(struct ga_hostdb *h, const char *gpu_identity, const char *boot_id,
			 int64_t *fatal, struct ga_err *err)
{
	*fatal = 0;
	if (!h->db)
		return 0;
	return ga_db_get(h->db, err,
			 "SELECT fatal FROM gpu_errors WHERE gpu_identity = ?1 AND boot_id = ?2",
			 "ssI", gpu_identity, boot_id, fatal);
}

int ga_hostdb_keep_gpu_errors(struct ga_hostdb *h, const char *gpu_identity, const char *boot_id,
			      int64_t fatal, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	if (ga_db_begin(h->db, "errors of a GPU", err) < 0)
		return -1;
	if (ga_db_change(h->db, err,
			 "INSERT INTO gpu_errors (gpu_identity, boot_id, fatal, at) "
			 "VALUES (?1, ?2, ?3, ?4) ON CONFLICT (gpu_identity) DO UPDATE SET "
			 "boot_id = excluded.boot_id, fatal = excluded.fatal, at = excluded.at",
			 "ssis", gpu_identity, boot_id, fatal, now) < 0) {
		ga_db_rollback(h->db);
		return -1;
	}
	return ga_db_commit(h->db, err);
}
