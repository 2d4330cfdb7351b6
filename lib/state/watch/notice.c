/* SPDX-License-Identifier: Apache-2.0 */
/* The notices sent to each hook, and the hooks that fail. */
#include "state/watch/notice.h"

#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/texts.h"
#include "record/rec.h"
#include "record/state.h"
#include "record/time.h"
#include "state/db/attend.h"
#include "state/db/audit.h"
#include "state/db/row.h"

int ga_store_notice_lock(struct ga_db *db, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s.notify", ga_db_path(db));
	ga_autofd int fd = ga_file_open_like(path, ga_db_path(db), err);

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return ga_refuse(err, GA_BUSY, "locked", NULL,
				 ("another gpuaas-state notify is at work ('%s' is locked)", path),
				 ("it ends by itself: each call of a hook has a deadline"));
	return GA_TAKE_FD(fd);
}

/* ---- owed ---- */

void ga_notices_release(struct ga_notices *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_schema_release(&ga_notice_schema, &list->v[i]);
	ga_list_release(list);
}

enum { O_ID, O_CLEARED_AT, O_RAISED_AT, O_RECORD };

static int add_owed(const struct ga_rows *r, const char *hook, struct ga_notices *ret,
		    struct ga_err *err)
{
	const char *cleared = ga_rows_text(r, O_CLEARED_AT);
	struct ga_attention a;
	struct ga_notice *n;

	if (ga_rec_parse_text(ga_rows_text(r, O_RECORD), &ga_attention_schema, &a, err) < 0)
		return ga_wrap(err, "stored notice %lld", (long long)ga_rows_int(r, O_ID));
	n = ga_list_add(ret);
	*n = (struct ga_notice){
		.notice = ga_rows_int(r, O_ID),
		.change = ga_xstrdup(cleared ? "cleared" : "raised"),
		.hook = ga_xstrdup(hook),
		.told = GA_UNKNOWN,
		.at = ga_xstrdup(cleared ? cleared : ga_rows_text(r, O_RAISED_AT)),
		.object = GA_TAKE(a.object),
		.object_kind = GA_TAKE(a.object_kind),
		.state = GA_TAKE(a.state),
		.code = GA_TAKE(a.code),
		.since = GA_TAKE(a.since),
		.node = GA_TAKE(a.node),
		.project = GA_TAKE(a.project),
		.sentence = GA_TAKE(a.sentence),
		.command = GA_TAKE(a.command),
		.acknowledged = GA_TAKE(a.acknowledged),
	};
	ga_schema_release(&ga_attention_schema, &a);
	return 0;
}

int ga_store_notice_owed(struct ga_db *db, const char *hook, struct ga_notices *ret,
			 struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT n.id, n.cleared_at, n.raised_at, n.record FROM notice n "
			"LEFT JOIN notice_told t ON t.notice_id = n.id AND t.hook = ?1 "
			"WHERE ((n.cleared_at IS NULL AND t.hook IS NULL) OR "
			"(n.cleared_at IS NOT NULL AND t.raised_at IS NOT NULL "
			"AND t.cleared_at IS NULL)) "
			"AND NOT (n.object_kind = 'hook' AND n.object = ?1) ORDER BY n.id",
			"s", hook) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (add_owed(rows, hook, ret, err) < 0)
			return -1;
	return r;
}

/* ---- sent ---- */

/* 1: the hook did fail before. */
static int forget_failing(struct ga_db *db, const char *hook, struct ga_err *err)
{
	return ga_db_exec(db, err, "DELETE FROM notice_hook WHERE hook = ?1", "s", hook);
}

/* The audit has the end of a failure as well as its beginning. */
static int stop_failing(struct ga_db *db, const char *hook, struct ga_err *err)
{
	int failed = forget_failing(db, hook, err);

	if (failed <= 0)
		return failed;
	return ga_audit_add(db, "notify_works", hook, NULL, err);
}

int ga_store_notice_well(struct ga_db *db, const char *hook, struct ga_err *err)
{
	ga_autonotices struct ga_notices owed = { 0 };

	if (ga_store_notice_owed(db, hook, &owed, err) < 0)
		return -1;
	return owed.n ? 0 : stop_failing(db, hook, err);
}

int ga_store_notice_told(struct ga_db *db, const struct ga_notice *n, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	bool cleared = !strcmp(n->change, "cleared");

	if (ga_db_change(db, err,
			 "INSERT INTO notice_told (notice_id, hook, raised_at) VALUES (?1, ?2, ?3) "
			 "ON CONFLICT (notice_id, hook) DO NOTHING",
			 "iss", n->notice, n->hook, now) < 0 ||
	    (cleared && ga_db_change(db, err,
				     "UPDATE notice_told SET cleared_at = ?3 WHERE notice_id = ?1 "
				     "AND hook = ?2",
				     "iss", n->notice, n->hook, now) < 0) ||
	    stop_failing(db, n->hook, err) < 0)
		return -1;
	return ga_audit_add(db, "notified", n->object,
			    json_pack("{s:s, s:I, s:s, s:s}", "hook", n->hook, "notice",
				      (json_int_t)n->notice, "change", n->change, "code",
				      n->code),
			    err);
}

int ga_store_notice_failed(struct ga_db *db, const char *hook, const char *sentence,
			   struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	int known = ga_db_exec(db, err,
			       "UPDATE notice_hook SET failed_at = ?2, attempts = attempts + 1, "
			       "sentence = ?3 WHERE hook = ?1",
			       "sss", hook, now, sentence);

	if (known)
		return known < 0 ? -1 : 0;
	if (ga_db_change(db, err,
			 "INSERT INTO notice_hook (hook, failing_since, failed_at, attempts, "
			 "sentence) VALUES (?1, ?2, ?2, 1, ?3)",
			 "sss", hook, now, sentence) < 0)
		return -1;
	return ga_audit_add(db, "notify_failed", hook, json_pack("{s:s}", "sentence", sentence),
			    err);
}

/* ---- removal ---- */

static bool is_among(const char *hook, const char *const *hooks)
{
	for (; *hooks; hooks++)
		if (!strcmp(*hooks, hook))
			return true;
	return false;
}

int ga_store_notice_tidy(struct ga_db *db, const char *const *hooks, struct ga_err *err)
{
	ga_autotexts struct ga_texts known = { 0 };
	size_t i;

	if (ga_db_texts(db, &known, err,
			"SELECT hook FROM notice_told UNION SELECT hook FROM notice_hook", "") < 0)
		return -1;
	for (i = 0; i < known.n; i++)
		if (!is_among(known.v[i], hooks) &&
		    (forget_failing(db, known.v[i], err) < 0 ||
		     ga_db_change(db, err, "DELETE FROM notice_told WHERE hook = ?1", "s",
				  known.v[i]) < 0))
			return -1;
	return ga_db_change(db, err,
			    "DELETE FROM notice WHERE cleared_at IS NOT NULL AND NOT EXISTS "
			    "(SELECT 1 FROM notice_told t WHERE t.notice_id = notice.id "
			    "AND t.cleared_at IS NULL)", "");
}

/* ---- hooks that fail ---- */

int ga_attend_hooks(struct ga_db *db, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT hook, failing_since, attempts, sentence, failed_at "
			"FROM notice_hook ORDER BY hook", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_attend f = {
			.object = ga_rows_text(rows, 0),
			.object_kind = "hook",
			.state = "failing",
			.code = "notify_failed",
			.since = ga_rows_text(rows, 1),
			.sentence = ga_xprintf("it failed to deliver a notice %lld time%s, last at "
					       "%s: %s",
					       (long long)ga_rows_int(rows, 2),
					       ga_rows_int(rows, 2) == 1 ? "" : "s",
					       ga_rows_text(rows, 4), ga_rows_text(rows, 3)),
			.command = ga_xstrdup("gpuaas-state notify"),
		};

		if (ga_attention_emit(&f, to, err) < 0)
			return -1;
	}
	return r;
}
