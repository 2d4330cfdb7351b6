/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of host.db, and the holders of disks and locks. */
#include "state/host/list.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/file.h"
#include "record/digest.h"
#include "record/phase.h"
#include "record/rec.h"
#include "record/result.h"

#define LOCKS_MAX (4 << 20)

void ga_attempts_release(struct ga_attempts *list)
{
	for (size_t i = 0; i < list->n; i++)
		ga_attempt_release(&list->v[i]);
	ga_list_release(list);
}

static struct ga_attempt read_attempt(const struct ga_rows *rows)
{
	return (struct ga_attempt){
		.attempt = ga_rows_dup(rows, 0),
		.object = ga_rows_dup(rows, 1),
		.program = ga_rows_dup(rows, 2),
		.order = ga_rows_dup(rows, 3),
		.state = ga_rows_dup(rows, 4),
		.phase = ga_rows_dup(rows, 5),
		.result = ga_rows_dup(rows, 6),
		.boot_id = ga_rows_dup(rows, 7),
		.started_at = ga_rows_dup(rows, 8),
	};
}

int ga_attempts_newest(struct ga_hostdb *h, struct ga_attempts *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(
		    h->db, &rows, err,
		    "SELECT attempt, object, program, order_text, state, phase, result, boot_id, "
		    "started_at FROM attempt WHERE seq IN (SELECT max(seq) FROM attempt GROUP BY "
		    "object) ORDER BY seq DESC LIMIT 4096",
		    "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(ret) = read_attempt(rows);
	return r;
}

int ga_attempts_newest_works(struct ga_hostdb *h, struct ga_attempts *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	/* Allocations that were released and wiped long ago are left out: the list has allocations
	 * that are not released, and those within the newest 2048 attempts. */
	if (ga_db_query(
		    h->db, &rows, err,
		    "SELECT attempt, object, program, order_text, state, phase, result, boot_id, "
		    "started_at FROM attempt WHERE seq IN (SELECT max(seq) FROM attempt "
		    "WHERE program IN ('provision', 'release', 'wipe') GROUP BY object, program) "
		    "AND (program = 'wipe' OR object IN (SELECT object FROM attempt "
		    "ORDER BY seq DESC LIMIT 2048) OR NOT EXISTS (SELECT 1 FROM attempt r "
		    "WHERE r.object = attempt.object AND r.program = 'release' "
		    "AND r.state = 'done')) ORDER BY seq LIMIT 4097",
		    "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(ret) = read_attempt(rows);
	if (r == 0 && ret->n > 4096)
		return ga_fail(err, GA_SYSTEM, "host.db knows of more than 4096 works");
	return r;
}

int ga_attempt_newest(struct ga_hostdb *h, const char *object, struct ga_attempt *ret,
		      struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	*ret = (struct ga_attempt){ 0 };
	if (ga_db_query(
		    h->db, &rows, err,
		    "SELECT attempt, object, program, order_text, state, phase, result, boot_id, "
		    "started_at FROM attempt WHERE object = ?1 ORDER BY seq DESC LIMIT 1",
		    "s", object) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r > 0)
		*ret = read_attempt(rows);
	return r;
}

/* Whether the record itself, by the digest of its text, agrees with its row. */
static bool is_confirmed(const char *record, const char *wwid)
{
	struct ga_err ignored = GA_ERR_INIT; /* a record that cannot be read proves nothing */
	char digest[GA_DIGEST_SIZE] = "";
	struct ga_wipe_evidence e;
	bool ret;

	if (ga_rec_parse_text(record, &ga_wipe_evidence_schema, &e, &ignored) < 0)
		return false;
	ga_rec_digest(&ga_wipe_evidence_schema, &e, "digest", digest);
	ret = ga_streq(e.outcome, "confirmed") && !e.dry_run && ga_streq(e.device.wwid, wwid) &&
	      ga_streq(e.digest, digest);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	return ret;
}

/* The end of the disk's last wipe here that counts (the caller frees it), or NULL. */
static int wiped_at(struct ga_hostdb *h, const char *wwid, char **ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	*ret = NULL;
	if (ga_db_query(h->db, &rows, err,
			"SELECT record, at FROM evidence WHERE wwid = ?1 "
			"AND outcome = 'confirmed' ORDER BY seq DESC",
			"s", wwid) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (is_confirmed(ga_rows_text(rows, 0), wwid)) {
			*ret = ga_rows_dup(rows, 1);
			return 1;
		}
	return r;
}

int ga_hostdb_unwiped(struct ga_hostdb *h, const char *wwid, const char *object, char **ret,
		      struct ga_err *err)
{
	ga_autofree char *at = NULL;

	if (wiped_at(h, wwid, &at, err) < 0)
		return -1;
	return ga_db_one(
		       h->db, err,
		       "SELECT j.object FROM journal j WHERE j.op = 'disk' AND j.subject = ?1 "
		       "AND j.object <> ?2 AND (?3 IS NULL OR j.at >= ?3) "
		       "ORDER BY j.seq DESC LIMIT 1",
		       "sssS", wwid, object, at, ret);
}

int ga_hostdb_holder_of(struct ga_hostdb *h, const char *wwid, char **ret, struct ga_err *err)
{
	return ga_db_one(h->db, err,
			 "SELECT object FROM journal WHERE op = 'disk' AND subject = ?1 AND "
			 "undone = 0 ORDER BY seq DESC LIMIT 1", "sS", wwid, ret);
}

int ga_hostdb_wiped(struct ga_hostdb *h, const char *wwid, const char *object, char **by,
		    struct ga_err *err)
{
	ga_autofree char *at = NULL;
	int r;

	*by = NULL;
	if (!h->db)
		return 0; /* a host that never worked */
	r = ga_hostdb_unwiped(h, wwid, object, by, err);
	if (r)
		return r < 0 ? -1 : 0;
	return wiped_at(h, wwid, &at, err);
}

int ga_hostdb_wipe_begun(struct ga_hostdb *h, const char *object, const char *wwid,
			 struct ga_err *err)
{
	/* An attempt whose phase only looks (record/phase.h) wrote nothing; after a confirmed
	 * wipe the disk is empty. */
	return ga_db_one(h->db, err,
			 "SELECT 1 FROM attempt a WHERE a.program = 'wipe' AND a.object = ?1 "
			 GA_WIPE_LOOKS(GA_SQL_NOT_PHASE)
			 "AND a.state <> 'done' "
			 "AND json_extract(a.order_text, '$.nvme_wwid') = ?2 "
			 "AND NOT EXISTS (SELECT 1 FROM attempt b WHERE b.program = 'wipe' "
			 "AND b.seq > a.seq AND b.state = 'done' "
			 "AND json_extract(b.order_text, '$.nvme_wwid') = ?2) "
			 "AND NOT EXISTS (SELECT 1 FROM evidence e WHERE e.wwid = ?2 "
			 "AND e.outcome = 'confirmed' AND e.at > a.started_at)",
			 "ss", object, wwid);
}

/* Lines of /proc/locks: "1: FLOCK  ADVISORY  WRITE 708 00:1a:1234 0 EOF" (proc(5)). Comparing the
 * inode is enough: file systems with devices of their own (btrfs) show another device there than
 * stat(2) does, and an unrelated file with the same inode only makes the result "locked". */
int ga_object_is_locked(const char *dir, const char *object)
{
	ga_autofree char *path = ga_xprintf("%s/hold/%s", dir, object), *inode = NULL;
	ga_autostr struct ga_str locks = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	const char *line, *end;
	struct stat st;

	for (char *p = path + strlen(dir) + 6; *p; p++)
		if (*p == '/' || (unsigned char)*p < ' ')
			*p = '_'; /* the name that ga_object_lock uses */
	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0 : -1;
	if (ga_file_read("/proc/locks", LOCKS_MAX, &locks, &ignored) < 0)
		return -1;
	inode = ga_xprintf(":%" PRIu64 " ", (uint64_t)st.st_ino);
	for (line = locks.buf; *line; line = *end ? end + 1 : end) {
		const char *flock = strstr(line, " FLOCK "), *at = strstr(line, inode);

		end = line + strcspn(line, "\n");
		if (flock && flock < end && at && at < end)
			return 1;
	}
	return 0;
}

/* ---- names that people type ---- */

char *ga_hostdb_name(struct ga_hostdb *h, const char *object)
{
	ga_autoattempt struct ga_attempt a = { 0 };
	ga_autojson json_t *order = NULL;
	struct ga_err ignored = GA_ERR_INIT;
	json_error_t why;

	if (ga_attempt_find(h, "provision", object, &a, &ignored) <= 0)
		return NULL;
	order = json_loads(a.order, 0, &why);
	return ga_strdup0(json_string_value(json_object_get(order, "name")));
}

/* An id ranks before a name, a name before a prefix; a name means the allocation that has
 * it now. */
static int rank(struct ga_hostdb *h, const struct ga_attempt *a, const char *text)
{
	ga_autofree char *name = NULL;

	if (ga_streq(a->program, "wipe"))
		return 0;
	if (ga_streq(a->object, text))
		return 3;
	name = ga_streq(a->program, "release") ? NULL : ga_hostdb_name(h, a->object);
	if (ga_streq(name, text))
		return 2;
	return *text && ga_starts(a->object, text);
}

int ga_hostdb_resolve(struct ga_hostdb *h, const char *text, char **ret, struct ga_err *err)
{
	ga_autoattempts struct ga_attempts list = { 0 };
	const char *found = NULL, *other = NULL;
	int best = 0;

	if (ga_attempts_newest(h, &list, err) < 0)
		return -1;
	for (size_t i = 0; i < list.n; i++) {
		int r = rank(h, &list.v[i], text);

		if (!r || r < best)
			continue;
		other = r == best ? list.v[i].object : NULL;
		if (r > best)
			found = list.v[i].object;
		best = r;
	}
	if (found && !other) {
		*ret = ga_xstrdup(found);
		return 0;
	}
	if (found)
		return ga_refuse(err, GA_USAGE, "ambiguous", NULL,
				 ("'%s' could be %s or %s", text, found, other),
				 ("give more of the id"));
	return ga_refuse(err, GA_NOTFOUND, NULL, text,
			 ("this host has no allocation '%s'", text),
			 ("'gpuaas-list allocations' shows the node of each"));
}

/* ---- evidence ---- */

/* Adds the newest evidence of each disk of an allocation. */
static int add_of_allocation(struct ga_hostdb *h, const char *allocation, struct ga_texts *ret,
			     struct ga_err *err)
{
	return ga_db_texts(h->db, ret, err,
			   "SELECT e.evidence FROM evidence e WHERE e.seq IN (SELECT max(n.seq) "
			   "FROM evidence n WHERE json_extract(n.record, '$.allocation') = ?1 "
			   "GROUP BY n.wwid) ORDER BY e.seq", "s", allocation);
}

/* The newest allocation of this host whose plan has the name, also when it has ended; NULL: none.
 * The caller frees it. */
static int allocation_named(struct ga_hostdb *h, const char *name, char **ret, struct ga_err *err)
{
	ga_autoattempts struct ga_attempts list = { 0 };

	*ret = NULL;
	if (ga_attempts_newest(h, &list, err) < 0)
		return -1;
	for (size_t i = 0; !*ret && i < list.n; i++) {
		ga_autofree char *of = ga_streq(list.v[i].program, "wipe") ?
					       NULL : ga_hostdb_name(h, list.v[i].object);

		if (ga_streq(of, name))
			*ret = ga_xstrdup(list.v[i].object);
	}
	return 0;
}

/* Resolves a unique prefix of the id of evidence, a slot or an allocation; NULL: there is none. */
static int id_of_prefix(struct ga_hostdb *h, const char *text, char **ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts ids = { 0 };

	*ret = NULL;
	if (ga_db_texts(h->db, &ids, err,
			"SELECT evidence AS id FROM evidence WHERE evidence >= ?1 AND evidence < "
			"?1 || '~' UNION SELECT object FROM evidence WHERE object >= ?1 AND object "
			"< ?1 || '~' UNION SELECT json_extract(record, '$.allocation') FROM "
			"evidence WHERE json_extract(record, '$.allocation') >= ?1 AND "
			"json_extract(record, '$.allocation') < ?1 || '~' ORDER BY id LIMIT 3",
			"s", text) < 0)
		return -1;
	if (ids.n > 1)
		return ga_refuse(err, GA_USAGE, "ambiguous", NULL,
				 ("'%s' could be %s, %s%s", text, ids.v[0], ids.v[1],
				  ids.n > 2 ? " or others" : ""), ("give more of the id"));
	if (ids.n)
		*ret = ga_xstrdup(ids.v[0]);
	return 0;
}

int ga_evidence_words(struct ga_hostdb *h, struct ga_texts *ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts allocations = { 0 };

	if (ga_db_texts(h->db, &allocations, err,
			"SELECT json_extract(record, '$.allocation') FROM evidence "
			"WHERE json_extract(record, '$.allocation') IS NOT NULL GROUP BY 1 "
			"ORDER BY max(seq) DESC", "") < 0)
		return -1;
	for (size_t i = 0; i < allocations.n; i++) {
		char *name = ga_hostdb_name(h, allocations.v[i]);

		/* A name means the newest allocation that has it. */
		if (name && !ga_texts_has(ret, name))
			*(char **)ga_list_add(ret) = GA_TAKE(name);
		free(name);
		*(char **)ga_list_add(ret) = ga_xstrdup(allocations.v[i]);
	}
	return ga_db_texts(h->db, ret, err,
			   "SELECT evidence FROM evidence UNION SELECT object FROM evidence "
			   "WHERE object IS NOT NULL UNION SELECT wwid FROM evidence ORDER BY 1",
			   "");
}

int ga_evidence_find(struct ga_hostdb *h, const char *text, struct ga_texts *ret,
		     struct ga_err *err)
{
	ga_autofree char *allocation = NULL, *id = NULL;

	if (ga_db_texts(h->db, ret, err,
			"SELECT evidence FROM evidence WHERE evidence = ?1 OR attempt = ?1 OR "
			"object = ?1 OR wwid = ?1 ORDER BY seq DESC LIMIT 1", "s", text) < 0 ||
	    (!ret->n && add_of_allocation(h, text, ret, err) < 0) ||
	    (!ret->n && allocation_named(h, text, &allocation, err) < 0) ||
	    (allocation && add_of_allocation(h, allocation, ret, err) < 0))
		return -1;
	if (ret->n || !*text)
		return 0;
	if (id_of_prefix(h, text, &id, err) < 0)
		return -1;
	return id ? ga_evidence_find(h, id, ret, err) : 0;
}
