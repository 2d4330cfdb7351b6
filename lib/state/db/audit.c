/* SPDX-License-Identifier: Apache-2.0 */
/* The audit chain: the actor, adding a row, verifying all rows. */
#include "state/db/audit.h"

#include <errno.h>

#include "base/clock.h"
#include "record/digest.h"
#include "record/rec.h"
#include "record/time.h"
#include "record/who.h"

#define FIRST "sha256:0000000000000000000000000000000000000000000000000000000000000000"

static const char *program; /* NULL: the name that this program was started as */

void ga_audit_program(const char *name)
{
	program = name;
}

static void name_actor(char *actor, size_t size)
{
	const struct ga_who *w = ga_who();
	uid_t uid = w->has_sudo ? w->sudo : w->real;
	char name[GA_WHO_SIZE];
	int n = snprintf(actor, size, "%s%s", ga_who_name(uid, name),
			 w->has_sudo ? " via sudo" : "");

	if (w->has_login && w->login != uid)
		snprintf(actor + n, size - (size_t)n, ", login %s", ga_who_name(w->login, name));
}

/* Looked up once: the user of a process does not change while it runs. */
const char *ga_audit_actor(void)
{
	static char actor[320];

	if (!actor[0])
		name_actor(actor, sizeof(actor));
	return actor;
}

struct row {
	const char *previous, *at, *actor, *program, *action, *object, *detail;
	int64_t seq;
};

/* Writes a text in jansson's compact form. Whole chains are verified through this function, so it
 * is small and fast. */
static void add_text(struct ga_str *out, const char *text)
{
	static const char plain[] = "\"\\\b\f\n\r\t", named[] = "\"\\bfnrt";
	const char *p = text, *from, *found;

	ga_str_addc(out, '"');
	while (*p) {
		for (from = p; (unsigned char)*p >= 0x20 && *p != '"' && *p != '\\'; p++)
			;
		ga_str_add_bytes(out, from, (size_t)(p - from));
		if (!*p)
			break;
		found = strchr(plain, *p);
		if (found) {
			ga_str_addc(out, '\\');
			ga_str_addc(out, named[found - plain]);
		} else {
			ga_str_addf(out, "\\u%04X", (unsigned int)(unsigned char)*p);
		}
		p++;
	}
	ga_str_addc(out, '"');
}

/* The canonical array; the stored text of detail goes into it unchanged. */
static void hash_row(const struct row *r, struct ga_str *text, char out[GA_DIGEST_SIZE])
{
	const char *const members[] = { r->at, r->actor, r->program, r->action, r->object };
	char number[32];
	size_t i;

	ga_str_clear(text);
	ga_str_addc(text, '[');
	add_text(text, r->previous);
	snprintf(number, sizeof(number), ",%lld", (long long)r->seq);
	ga_str_add(text, number);
	for (i = 0; i < GA_ARRAY_SIZE(members); i++) {
		ga_str_addc(text, ',');
		add_text(text, members[i]);
	}
	ga_str_addc(text, ',');
	ga_str_add(text, r->detail);
	ga_str_addc(text, ']');
	ga_digest_of(text->buf, text->len, out);
}

int ga_audit_head(struct ga_db *db, int64_t *seq, char hash[GA_DIGEST_SIZE], struct ga_err *err)
{
	ga_autofree char *last = NULL;

	*seq = 0;
	if (ga_db_get(db, err, "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1", "IS", seq,
		      &last) < 0)
		return -1;
	snprintf(hash, GA_DIGEST_SIZE, "%s", last ? last : FIRST);
	return 0;
}

int ga_audit_add(struct ga_db *db, const char *action, const char *object, json_t *detail,
		 struct ga_err *err)
{
	ga_autojson json_t *owned = detail;
	ga_autostr struct ga_str text = GA_STR_INIT, array = GA_STR_INIT;
	char previous[GA_DIGEST_SIZE], hash[GA_DIGEST_SIZE], at[GA_TIME_SIZE];
	struct row r = { .previous = previous, .actor = ga_audit_actor(),
			 .program = program ? program : program_invocation_short_name,
			 .action = action, .object = object };
	int64_t counted = 0;
	int n;

	if (ga_audit_head(db, &r.seq, previous, err) < 0 ||
	    ga_db_get(db, err, "SELECT audit_seq FROM meta", "I", &counted) < 0)
		return -1;
	/* The next row continues from the counter, so that rows cut off the end before it stay
	 * missing. */
	r.seq = (counted > r.seq ? counted : r.seq) + 1;
	if (owned)
		ga_rec_dump(owned, &text);
	r.at = ga_time_format(ga_clock_micros(), at);
	r.detail = text.len ? text.buf : "{}";
	hash_row(&r, &array, hash);
	if (ga_db_change(db, err,
			 "INSERT INTO audit (seq, at, actor, program, action, object, detail, "
			 "previous_hash, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
			 "issssssss", r.seq, r.at, r.actor, r.program, r.action, r.object,
			 r.detail, r.previous, hash) < 0)
		return -1;
	/* A chain without its last rows is still a valid chain; the number of the newest row shows
	 * the loss. No trigger writes this number: in the statement of the row it costs three times
	 * as much. */
	n = ga_db_exec(db, err, "UPDATE meta SET audit_seq = ?1 WHERE one = 1", "i", r.seq);
	if (n < 0)
		return -1;
	return n == 1 ? 0 : ga_fail(err, GA_BADREC, "audit row %lld was not counted: something in "
						    "the state prevents changes of meta.audit_seq",
				    (long long)r.seq);
}

/* "sha256:" and 64 digits, as every program of ours writes it. */
static bool is_hash(const char *hash)
{
	return ga_starts(hash, "sha256:") && strlen(hash) == strlen(FIRST) &&
	       strspn(hash + 7, "0123456789abcdef") == strlen(FIRST) - 7;
}

/* The reason why the row does not continue the chain; NULL when it does. */
static const char *look_at(const struct ga_rows *rows, int64_t seq, const char *previous,
			   struct ga_str *text, char hash[GA_DIGEST_SIZE])
{
	struct row r = { .seq = ga_rows_int(rows, 0), .at = ga_rows_text(rows, 1),
			 .actor = ga_rows_text(rows, 2), .program = ga_rows_text(rows, 3),
			 .action = ga_rows_text(rows, 4), .object = ga_rows_text(rows, 5),
			 .detail = ga_rows_text(rows, 6), .previous = ga_rows_text(rows, 7) };

	if (r.seq != seq)
		return "a row before it is missing";
	if (!ga_streq(r.previous, previous))
		return "it does not name the row before it";
	if (!is_hash(ga_rows_text(rows, 8)))
		return "its hash is not valid: no program of gpuaas wrote it";
	hash_row(&r, text, hash);
	return ga_streq(hash, ga_rows_text(rows, 8)) ? NULL : "it was changed after it was written";
}

int ga_audit_verify(struct ga_db *db, int64_t *bad_seq, char why[128], struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	ga_autostr struct ga_str text = GA_STR_INIT;
	char previous[GA_DIGEST_SIZE] = FIRST, hash[GA_DIGEST_SIZE];
	const char *wrong;
	int64_t seq = 0;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT seq, at, actor, program, action, object, detail, previous_hash, "
			"hash FROM audit ORDER BY seq", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		wrong = look_at(rows, ++seq, previous, &text, hash);
		if (wrong) {
			*bad_seq = ga_rows_int(rows, 0);
			snprintf(why, 128, "%s", wrong);
			return 1;
		}
		snprintf(previous, sizeof(previous), "%s", hash);
	}
	return r;
}

int ga_audit_span(struct ga_db *db, int64_t *rows, char **from, char **to, struct ga_err *err)
{
	*from = *to = NULL;
	return ga_db_get(db, err,
			 "SELECT (SELECT count(*) FROM audit), (SELECT at FROM audit ORDER BY seq "
			 "LIMIT 1), (SELECT at FROM audit ORDER BY seq DESC LIMIT 1)", "ISS", rows,
			 from, to);
}

/* Objects that the state has, each of which the audit must name in the transaction that made it.
 * The row of an adopted node stands for all that was adopted with it. */
#define NAMED(action) "(SELECT object FROM audit WHERE action IN (" action "))"
#define ADOPTED_WITH(table, at) \
	"EXISTS (SELECT 1 FROM audit a WHERE a.object = " table ".node_id AND " \
	"a.action = 'adopted' AND a.at >= " table "." at ")"
static const char unnamed[] =
	"SELECT 'state', 'the making of the state' WHERE NOT EXISTS (SELECT 1 FROM audit WHERE "
	"action = 'state_made' OR action = 'state_migrated') "
	"UNION ALL SELECT 'audit', 'rows ' || (have + 1) || ' to ' || audit_seq || "
	"', which were counted' FROM meta, (SELECT coalesce(max(seq), 0) AS have FROM audit) a "
	"WHERE have < audit_seq "
	"UNION ALL SELECT id, 'its placement' FROM allocation WHERE id NOT IN "
	NAMED("'placed', 'adopted', 'taken_in'")
	" UNION ALL SELECT id, 'that it became active' FROM allocation WHERE state = 'active' AND "
	"id NOT IN " NAMED("'active', 'adopted', 'taken_in'")
	" UNION ALL SELECT id, 'its release' FROM allocation WHERE state = 'released' AND "
	"id NOT IN " NAMED("'released'")
	" UNION ALL SELECT id, 'its approval' FROM slot WHERE id NOT IN " NAMED("'approved'")
	" AND NOT " ADOPTED_WITH("slot", "approved_at")
	" UNION ALL SELECT id, 'the evidence' FROM wipe_evidence WHERE id NOT IN (SELECT "
	"json_extract(detail, '$.evidence') FROM audit WHERE action IN ('wiped', "
	"'wipe_not_confirmed', 'rebuild_wiped') AND json_valid(detail) AND "
	"json_extract(detail, '$.evidence') IS NOT NULL) "
	/* Evidence that clears a device ended after the device was tainted, whatever folded_at
	 * shows. */
	"AND NOT (" ADOPTED_WITH("wipe_evidence", "folded_at") " AND "
	ADOPTED_WITH("wipe_evidence", "finished_at") ") ORDER BY 1";

int ga_audit_missing(struct ga_db *db,
		     int (*each)(const char *object, const char *sentence, void *arg,
				 struct ga_err *err),
		     void *arg, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err, unnamed, "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		ga_autofree char *sentence = ga_xprintf("the audit does not have %s: rows of it "
							"are gone", ga_rows_text(rows, 1));

		if (each(ga_rows_text(rows, 0), sentence, arg, err) < 0)
			return -1;
	}
	return r;
}
