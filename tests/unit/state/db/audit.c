/* SPDX-License-Identifier: Apache-2.0 */
/* The audit chain: rows, their hash computed independently, every kind of forgery found at its
 * row. */
#include "state/db/audit.h"

#include "base/str.h"
#include "record/digest.h"
#include "world.h"

static struct ga_err err;

/* The row's hash from the definition in state/db/audit.h, by jansson's own compact text. */
static void expected(sqlite3 *db, int64_t seq, char out[GA_DIGEST_SIZE])
{
	ga_autofree char *sql = ga_xprintf("SELECT json_array(previous_hash, seq, at, actor, "
					   "program, action, object, json(detail)) "
					   "FROM audit WHERE seq = %lld",
					   (long long)seq);
	json_t *array = json_loads(w_get(db, sql), 0, NULL);
	ga_autofree char *text = json_dumps(array, JSON_COMPACT);

	json_decref(array);
	ga_digest_of(text, strlen(text), out);
}

static void add(struct ga_db *db, const char *action, const char *object, json_t *detail)
{
	int r = ga_db_begin(db, "test", &err);

	if (r == 0)
		r = ga_audit_add(db, action, object, detail, &err);
	if (r == 0)
		r = ga_db_commit(db, &err);
	t_int(r, 0, "%s is added", action);
}

static int note(const char *object, const char *sentence, void *arg, struct ga_err *e)
{
	(void)e;
	ga_str_addf(arg, "%s: %s\n", object, sentence);
	return 0;
}

/* Rows cut off the end leave a whole chain. They are missed, and what is written next continues the
 * chain behind a gap, so that it stays known. */
static void cut_off(sqlite3 *raw, struct ga_db *db, int first, int last)
{
	ga_autofree char *cut = ga_xprintf("SAVEPOINT s; DELETE FROM audit WHERE seq >= %d", first);
	ga_autofree char *want = ga_xprintf("audit: the audit does not have rows %d to %d, which "
					    "were counted: rows of it are gone\n", first, last);
	ga_autofree char *kept =
		ga_xstrdup(w_get(raw, "SELECT sql FROM sqlite_schema WHERE name = 'audit_kept'"));
	ga_autostr struct ga_str found = GA_STR_INIT;
	char why[128] = "";
	int64_t seq = 0;

	w_must(raw, "DROP TRIGGER audit_kept");
	w_must(raw, cut);
	w_must(raw, "RELEASE s");
	w_must(raw, kept);
	t_int(ga_audit_verify(db, &seq, why, &err), 0, "without row %d and later it is whole",
	      first);
	t_int(ga_audit_missing(db, note, &found, &err), 0, "what is missing");
	t_ok(found.len && strstr(found.buf, want), "they are missed: %s",
	     found.len ? found.buf : "no");
	add(db, "later", "s1", NULL);
	t_int(ga_audit_verify(db, &seq, why, &err), 1, "the next row shows the gap");
	t_int(seq, last + 1, "it has the number after the last that was counted");
	t_str(why, "a row before it is missing", "and says so");
}

static void forge(sqlite3 *raw, struct ga_db *db, const char *sql, int64_t bad, const char *name)
{
	char why[128] = "";
	int64_t seq = 0;
	int r;

	w_must(raw, "SAVEPOINT s; DROP TRIGGER audit_unchanged; DROP TRIGGER audit_kept; "
		    "DROP TRIGGER audit_insert");
	w_must(raw, sql);
	w_must(raw, "RELEASE s");
	r = ga_audit_verify(db, &seq, why, &err);
	t_ok(r == 1 && seq == bad && why[0], "%s is found at row %d", name, (int)bad);
	if (seq != bad)
		printf("# r %d row %d: %s\n", r, (int)seq, why);
}

/* A trigger that keeps the count as it is keeps the row from being written. */
static void is_counted_or_not_written(struct ga_db *db)
{
	t_int(ga_db_begin(db, "test", &err), 0, "a transaction");
	t_ok(ga_db_exec(db, &err, "CREATE TEMP TRIGGER swallow BEFORE UPDATE OF audit_seq ON "
				  "main.meta BEGIN SELECT RAISE(IGNORE); END", "") >= 0,
	     "a trigger swallows the count");
	t_int(ga_audit_add(db, "plain", "s1", NULL, &err), -1, "then no row is added");
	t_ok(strstr(err.msg, "was not counted") != NULL, "which says why: %s", err.msg);
	ga_db_rollback(db);
}

int main(void)
{
	static const struct {
		const char *name, *sql;
		int64_t bad;
	} forgeries[] = {
		{ "a changed actor", "UPDATE audit SET actor = 'nobody' WHERE seq = 3", 3 },
		{ "a changed time", "UPDATE audit SET at = 'x' WHERE seq = 2", 2 },
		{ "a changed detail", "UPDATE audit SET detail = '{\"a\":2}' WHERE seq = 2", 2 },
		{ "a detail spaced differently",
		  "UPDATE audit SET detail = '{\"a\": 1}' WHERE seq = 2", 2 },
		{ "a changed hash", "UPDATE audit SET hash = 'sha256:00' WHERE seq = 4", 4 },
		{ "a row that is gone", "DELETE FROM audit WHERE seq = 3", 4 },
		{ "the first row gone", "DELETE FROM audit WHERE seq = 1", 2 },
		{ "rows exchanged",
		  "UPDATE audit SET seq = 9 WHERE seq = 2; UPDATE audit SET seq = 2 "
		  "WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 9",
		  2 },
	};
	sqlite3 *raw = w_open();
	ga_autodb struct ga_db *db = NULL;
	char hash[GA_DIGEST_SIZE], want[GA_DIGEST_SIZE], why[128];
	int64_t seq = 0;
	size_t i;

	t_int(ga_db_open(w_path, GA_DB_STATE, GA_DB_WRITE, &db, &err), 0, "opened");
	add(db, "slot_approved", "s1", json_pack("{s:i}", "a", 1));
	add(db, "quote_\"_slash_/", "s\xc3\xbc\n\x01\\", json_pack("{s:{s:s}}", "b", "c", "d/e\t"));
	add(db, "plain", "s1", NULL);
	t_int(ga_audit_verify(db, &seq, why, &err), 0, "the chain is whole");
	t_int(ga_audit_head(db, &seq, hash, &err), 0, "its head");
	t_int(seq, 4, "is the fourth row");
	t_str(w_get(raw, "SELECT audit_seq FROM meta"), "4", "and is counted");
	is_counted_or_not_written(db);
	for (seq = 1; seq <= 4; seq++) {
		ga_autofree char *sql =
			ga_xprintf("SELECT hash FROM audit WHERE seq = %d", (int)seq);

		expected(raw, seq, want);
		t_str(w_get(raw, sql), want, "the hash of row %d is as defined", (int)seq);
	}
	t_ok(strchr(w_get(raw, "SELECT actor FROM audit"), '(') != NULL, "the actor has a number");
	t_str(w_get(raw, "SELECT program FROM audit WHERE seq = 2"), "audit", "the program's name");
	for (i = 0; i < GA_ARRAY_SIZE(forgeries); i++) {
		w_must(raw, "CREATE TABLE saved AS SELECT * FROM audit; CREATE TABLE triggers AS "
			    "SELECT sql FROM sqlite_schema WHERE name LIKE 'audit_%' AND type = "
			    "'trigger'");
		forge(raw, db, forgeries[i].sql, forgeries[i].bad, forgeries[i].name);
		w_must(raw, "DELETE FROM audit; INSERT INTO audit SELECT * FROM saved");
		{
			ga_autofree char *sql =
				ga_xstrdup(w_get(raw, "SELECT sql FROM triggers WHERE "
						      "sql LIKE '%audit_kept %'"));
			ga_autofree char *two =
				ga_xstrdup(w_get(raw, "SELECT sql FROM triggers WHERE "
						      "sql LIKE '%audit_unchanged %'"));
			ga_autofree char *three = ga_xstrdup(w_get(raw, "SELECT sql FROM triggers "
								       "WHERE sql LIKE "
								       "'%audit_insert %'"));

			w_must(raw, sql);
			w_must(raw, two);
			w_must(raw, three);
		}
		w_must(raw, "DROP TABLE saved; DROP TABLE triggers");
		t_int(ga_audit_verify(db, &seq, why, &err), 0, "and whole again");
	}
	cut_off(raw, db, 4, 4);
	cut_off(raw, db, 3, 5);
	ga_db_close(GA_TAKE(db));
	w_close(raw);
	return t_done();
}
