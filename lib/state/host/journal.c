/* SPDX-License-Identifier: Apache-2.0 */
/* host.db: attempts (orders begun) and the journal of changes with their inverses. */
#include "state/host/hostdb.h"

#include "record/phase.h"
#include "record/time.h"
#include "state/host/list.h"

/* ---- attempts ---- */

void ga_attempt_release(struct ga_attempt *a)
{
	free(a->attempt);
	free(a->object);
	free(a->program);
	free(a->order);
	free(a->state);
	free(a->phase);
	free(a->result);
	free(a->boot_id);
	free(a->started_at);
	*a = (struct ga_attempt){ 0 };
}

/* Reads at most one row; every query of attempts has these columns in this order. */
static int read_attempt(struct ga_rows *rows, struct ga_attempt *ret, struct ga_err *err)
{
	int r = ga_rows_next(rows, err);

	*ret = (struct ga_attempt){ 0 };
	if (r <= 0)
		return r;
	ret->attempt = ga_rows_dup(rows, 0);
	ret->object = ga_rows_dup(rows, 1);
	ret->program = ga_rows_dup(rows, 2);
	ret->order = ga_rows_dup(rows, 3);
	ret->state = ga_rows_dup(rows, 4);
	ret->phase = ga_rows_dup(rows, 5);
	ret->result = ga_rows_dup(rows, 6);
	ret->boot_id = ga_rows_dup(rows, 7);
	ret->started_at = ga_rows_dup(rows, 8);
	return 1;
}

int ga_attempt_get(struct ga_hostdb *h, const char *attempt, struct ga_attempt *ret,
		   struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;

	if (ga_db_query(
		    h->db, &rows, err,
		    "SELECT attempt, object, program, order_text, state, phase, result, boot_id, "
		    "started_at FROM attempt WHERE attempt = ?1",
		    "s", attempt) < 0)
		return -1;
	return read_attempt(rows, ret, err);
}

int ga_attempt_find(struct ga_hostdb *h, const char *program, const char *object,
		    struct ga_attempt *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;

	if (ga_db_query(
		    h->db, &rows, err,
		    "SELECT attempt, object, program, order_text, state, phase, result, boot_id, "
		    "started_at FROM attempt WHERE program = ?1 AND "
		    "CASE WHEN ?2 IS NULL THEN state = 'working' ELSE object = ?2 END "
		    "ORDER BY seq DESC LIMIT 1",
		    "ss", program, object) < 0)
		return -1;
	return read_attempt(rows, ret, err);
}

static int begin_attempt(struct ga_hostdb *h, const struct ga_attempt *a, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	ga_autoattempt struct ga_attempt known = { 0 };
	int r = ga_attempt_get(h, a->attempt, &known, err);

	if (r < 0)
		return -1;
	if (r && !ga_streq(known.order, a->order))
		return ga_refuse(err, GA_CONFLICT, "old_digest", a->object,
				 ("attempt '%s' of '%s' was begun with another text of its "
				  "order", a->attempt, a->object),
				 ("an order is carried out as it was written: place again"));
	if (r)
		return 0;
	return ga_db_exec(h->db, err,
			  "INSERT INTO attempt (attempt, object, program, order_text, boot_id, "
			  "started_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
			  "ssssss", a->attempt, a->object, a->program, a->order, a->boot_id, now);
}

int ga_attempt_begin(struct ga_hostdb *h, const char *attempt, const char *object,
		     const char *program, const char *order, const char *boot_id,
		     struct ga_err *err)
{
	/* A borrowed view: nothing here is freed. */
	const struct ga_attempt a = {
		.attempt = (char *)(uintptr_t)attempt,
		.object = (char *)(uintptr_t)object,
		.program = (char *)(uintptr_t)program,
		.order = (char *)(uintptr_t)order,
		.boot_id = (char *)(uintptr_t)boot_id,
	};
	int r;

	if (ga_db_begin(h->db, program, err) < 0)
		return -1;
	r = begin_attempt(h, &a, err);
	if (r < 0) {
		ga_db_rollback(h->db);
		return -1;
	}
	return ga_db_commit(h->db, err) < 0 ? -1 : r;
}

/* Ends a write transaction by the number of changed rows; none means an unknown id. */
static int finish(struct ga_hostdb *h, int changed, const char *what, struct ga_err *err)
{
	if (changed > 0)
		return ga_db_commit(h->db, err) < 0 ? -1 : 0;
	ga_db_rollback(h->db);
	return changed < 0 ? -1 : ga_fail(err, GA_NOTFOUND, "%s is not in host.db", what);
}

int ga_attempt_phase(struct ga_hostdb *h, const char *attempt, const char *phase,
		     struct ga_err *err)
{
	if (ga_db_begin(h->db, phase, err) < 0)
		return -1;
	return finish(h,
		      ga_db_exec(h->db, err, "UPDATE attempt SET phase = ?2 WHERE attempt = ?1",
				 "ss", attempt, phase),
		      attempt, err);
}

int ga_attempt_end(struct ga_hostdb *h, const char *attempt, const char *state, const char *result,
		   struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	if (ga_db_begin(h->db, "end of attempt", err) < 0)
		return -1;
	return finish(h,
		      ga_db_exec(h->db, err,
				 "UPDATE attempt SET state = ?2, result = ?3, ended_at = ?4 "
				 "WHERE attempt = ?1",
				 "ssss", attempt, state, result, now),
		      attempt, err);
}

/* ---- the journal ---- */

void ga_journal_entry_release(struct ga_journal_entry *e)
{
	free(e->object);
	free(e->op);
	free(e->subject);
	free(e->inverse);
	free(e->at);
	*e = (struct ga_journal_entry){ 0 };
}

void ga_journal_release(struct ga_journal *j)
{
	size_t i;

	for (i = 0; i < j->n; i++)
		ga_journal_entry_release(&j->v[i]);
	free(j->v);
	*j = (struct ga_journal){ 0 };
}

static int intend(struct ga_hostdb *h, const char *object, const char *op, const char *subject,
		  const char *inverse, int64_t *seq, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	if (ga_db_change(h->db, err,
			 "INSERT INTO journal (object, op, subject, inverse, at) "
			 "VALUES (?1, ?2, ?3, ?4, ?5) "
			 "ON CONFLICT (object, op, subject) WHERE undone = 0 DO NOTHING",
			 "sssss", object, op, subject, inverse, now) < 0 ||
	    ga_db_get(h->db, err,
		      "SELECT seq FROM journal WHERE object = ?1 AND op = ?2 AND subject = ?3 "
		      "AND undone = 0",
		      "sssI", object, op, subject, seq) < 0)
		return -1;
	return 0;
}

int ga_journal_intend(struct ga_hostdb *h, const char *object, const char *op, const char *subject,
		      const char *inverse, int64_t *seq, struct ga_err *err)
{
	if (ga_db_begin(h->db, op, err) < 0)
		return -1;
	if (intend(h, object, op, subject, inverse, seq, err) < 0) {
		ga_db_rollback(h->db);
		return -1;
	}
	return ga_db_commit(h->db, err);
}

int ga_journal_done(struct ga_hostdb *h, int64_t seq, struct ga_err *err)
{
	if (ga_db_begin(h->db, "journal", err) < 0)
		return -1;
	return finish(
		h, ga_db_exec(h->db, err, "UPDATE journal SET done = 1 WHERE seq = ?1", "i", seq),
		"the journal entry", err);
}

int ga_journal_undone(struct ga_hostdb *h, int64_t seq, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	if (ga_db_begin(h->db, "journal", err) < 0)
		return -1;
	return finish(h,
		      ga_db_exec(h->db, err,
				 "UPDATE journal SET undone = 1, undone_at = ?2 WHERE seq = ?1",
				 "is", seq, now),
		      "the journal entry", err);
}

int ga_journal_open_entries(struct ga_hostdb *h, const char *object, struct ga_journal *ret,
			    struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	*ret = (struct ga_journal){ 0 };
	if (ga_db_query(h->db, &rows, err,
			"SELECT seq, object, op, subject, inverse, done, at FROM journal "
			"WHERE undone = 0 AND (?1 IS NULL OR object = ?1) ORDER BY seq DESC",
			"s", object) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_journal_entry *e =
			ga_list_grow((struct ga_any_list *)(void *)ret, sizeof(*e));

		e->seq = ga_rows_int(rows, 0);
		e->object = ga_rows_dup(rows, 1);
		e->op = ga_rows_dup(rows, 2);
		e->subject = ga_rows_dup(rows, 3);
		e->inverse = ga_rows_dup(rows, 4);
		e->done = ga_rows_bool(rows, 5);
		e->at = ga_rows_dup(rows, 6);
	}
	if (r < 0)
		ga_journal_release(ret);
	return r;
}

/* ---- the history of a disk ---- */

int ga_hostdb_wiped_since(struct ga_hostdb *h, const char *wwid, const char *allocation,
			  const char *boot_id, char **at, char **attempt, struct ga_err *err)
{
	ga_autofree char *user = NULL, *holder = NULL;
	int r = ga_hostdb_wiped(h, wwid, "", &user, err);

	if (r <= 0)
		return r;
	r = ga_hostdb_holder_of(h, wwid, &holder, err);
	if (r)
		return r < 0 ? -1 : 0;
	return ga_db_one(h->db, err,
			 "SELECT e.at, coalesce(e.attempt, e.evidence) FROM evidence e "
			 "WHERE e.wwid = ?1 AND e.outcome = 'confirmed' "
			 "AND NOT EXISTS (SELECT 1 FROM evidence n WHERE n.wwid = ?1 "
			 "AND n.seq > e.seq AND n.outcome <> 'not_started') "
			 "AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.program = 'wipe' "
			 "AND a.started_at >= e.at AND a.state <> 'done' "
			 GA_WIPE_LOOKS(GA_SQL_NOT_PHASE)
			 "AND json_extract(a.order_text, '$.nvme_wwid') = ?1) "
			 "AND (?2 IS NULL OR json_extract(e.record, '$.boot_id') IS ?3 "
			 "OR EXISTS (SELECT 1 FROM attempt a WHERE a.object = ?2)) "
			 "ORDER BY e.seq DESC LIMIT 1",
			 "sssSS", wwid, allocation, boot_id, at, attempt);
}
