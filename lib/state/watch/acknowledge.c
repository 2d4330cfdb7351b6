/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of attention that a person acknowledged. */
#include "state/watch/acknowledge.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "record/time.h"
#include "state/access/access.h"
#include "state/db/audit.h"
#include "state/watch/attention.h"

#define DAY_MICROS (INT64_C(86400) * GA_SECOND)

void ga_acknowledgements_release(struct ga_acknowledgements *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		struct ga_acknowledgement *a = &list->v[i];

		free(a->object_kind);
		free(a->object);
		free(a->code);
		free(a->state);
		free(a->since);
		free(a->sentence);
		free(a->shown.by);
		free(a->shown.at);
		free(a->shown.until);
		free(a->shown.reason);
	}
	ga_list_release(list);
}

int ga_store_acknowledgements(struct ga_db *db, struct ga_acknowledgements *ret,
			      struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	ga_autofree char *now = ga_time_now();
	int r;

	*ret = (struct ga_acknowledgements){ 0 };
	if (ga_db_query(db, &rows, err,
			"SELECT object_kind, object, code, state, since, sentence, actor, at, "
			"until, reason FROM acknowledgement WHERE until > ?1", "s", now) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(ret) = (struct ga_acknowledgement){
			.object_kind = ga_rows_dup(rows, 0),
			.object = ga_rows_dup(rows, 1),
			.code = ga_rows_dup(rows, 2),
			.state = ga_rows_dup(rows, 3),
			.since = ga_rows_dup(rows, 4),
			.sentence = ga_rows_dup(rows, 5),
			.shown = { ga_rows_dup(rows, 6), ga_rows_dup(rows, 7),
				   ga_rows_dup(rows, 8), ga_rows_dup(rows, 9) },
		};
	return r;
}

/* ---- the rows that a person means ---- */

void ga_attentions_release(struct ga_attentions *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_schema_release(&ga_attention_schema, &list->v[i]);
	ga_list_release(list);
}

struct rows {
	struct ga_attentions *list;
	const char *object, *code;
	struct ga_texts codes; /* all codes of the object */
	struct ga_str last;    /* of the row that gather sees (state/db/attend.h) */
	struct ga_texts lasting; /* of each row of list */
};

static void cleanup_rows(struct rows *r)
{
	ga_texts_release(&r->codes);
	ga_str_release(&r->last);
	ga_texts_release(&r->lasting);
}

static int gather(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	const struct ga_attention *a = obj;
	struct rows *r = arg;

	(void)err;
	if (!ga_streq(a->object, r->object))
		return 0;
	if (!ga_texts_has(&r->codes, a->code))
		ga_texts_add(&r->codes, a->code);
	if (r->code && !ga_streq(a->code, r->code))
		return 0;
	ga_schema_copy(schema, a, ga_list_add(r->list));
	ga_texts_add(&r->lasting, r->last.buf);
	return 0;
}

static int check_rows(const struct rows *r, const struct ga_acknowledge *a, struct ga_err *err)
{
	ga_autostr struct ga_str codes = GA_STR_INIT;
	bool known = false;
	size_t i;

	for (i = 0; i < r->codes.n; i++)
		ga_str_addf(&codes, "%s%s", i ? ", " : "", r->codes.v[i]);
	for (i = 0; i < r->list->n; i++)
		known |= r->list->v[i].acknowledged != NULL;
	if (!r->list->n)
		return ga_refuse(err, GA_NOTFOUND, "not_listed", a->object,
				 ("attention has no entry of '%s'%s%s%s", a->object,
				  a->code ? " with the code '" : "", a->code ? a->code : "",
				  a->code ? "'" : ""),
				 ("%s%s", codes.len ? "its codes: " :
				  "'gpuaas-list attention' shows the entries", codes.len ?
				  codes.buf : ""));
	if (!a->code && r->codes.n > 1)
		return ga_refuse(err, GA_USAGE, NULL, a->object,
				 ("'%s' has entries of several codes: %s", a->object, codes.buf),
				 ("--code names the one that is meant"));
	if (a->reason || known)
		return 0;
	return ga_refuse(err, GA_NOTFOUND, "not_listed", a->object,
			 ("no entry of '%s' is acknowledged", a->object),
			 ("'gpuaas-list attention --all' shows those that are"));
}

/* The state itself, hooks and others of no node and no allocation are a matter of the state. */
static int may(struct ga_db *db, const struct ga_attention *a, struct ga_err *err)
{
	if (ga_streq(a->object_kind, "slot"))
		return ga_store_may_slot(db, "administer", a->object, err);
	if (ga_streq(a->object_kind, "node"))
		return ga_store_may_node(db, "administer", a->object, err);
	if (ga_streq(a->object_kind, "allocation") || ga_streq(a->object_kind, "plan"))
		return ga_store_may_allocation(db, "administer", a->object, err);
	return ga_store_may_state(db, "the state", err);
}

/* ---- writing ---- */

static int check_end(const struct ga_acknowledge *a, struct ga_err *err)
{
	int64_t now = ga_clock_micros();

	if (!a->reason || (a->until > now && a->until <= now + GA_ACKNOWLEDGE_DAYS * DAY_MICROS))
		return 0;
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("the end is %s", a->until <= now ? "over already" :
			  "more than 90 days from now"),
			 ("--until 3d, or a time such as 2026-01-31T08:15:00Z"));
}

static int write_row(struct ga_db *db, struct ga_attention *row, const char *lasting,
		     const struct ga_acknowledge *a, const char *now, const char *until,
		     struct ga_err *err)
{
	/* Two rows that differ in nothing else are one. */
	if (ga_db_change(db, err,
			 "DELETE FROM acknowledgement WHERE object_kind = ?1 AND object = ?2 AND "
			 "code = ?3 AND since = ?4 AND sentence = ?5", "sssss", row->object_kind,
			 row->object, row->code, row->since, lasting) < 0 ||
	    ga_db_change(db, err,
			 "INSERT INTO acknowledgement (object_kind, object, code, state, since, "
			 "sentence, reason, actor, at, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, "
			 "?8, ?9, ?10)", "ssssssssss", row->object_kind, row->object, row->code,
			 row->state, row->since, lasting, a->reason, ga_audit_actor(), now,
			 until) < 0)
		return -1;
	row->acknowledged = ga_xcalloc(1, sizeof(*row->acknowledged));
	*row->acknowledged = (struct ga_acknowledged){
		.by = ga_xstrdup(ga_audit_actor()), .at = ga_xstrdup(now),
		.until = ga_xstrdup(until), .reason = ga_xstrdup(a->reason),
	};
	return 0;
}

static void forget(struct ga_attention *row)
{
	if (!row->acknowledged)
		return;
	free(row->acknowledged->by);
	free(row->acknowledged->at);
	free(row->acknowledged->until);
	free(row->acknowledged->reason);
	free(row->acknowledged);
	row->acknowledged = NULL;
}

static int write_all(struct ga_db *db, struct rows *rows, const struct ga_acknowledge *a,
		     struct ga_err *err)
{
	const struct ga_attention *first = &rows->list->v[0];
	ga_autofree char *now = ga_time_now();
	char until[GA_TIME_SIZE];
	size_t i;

	ga_time_format(a->until, until);
	/* Those that are over, and older ones of this object and code: the entry was another. */
	if (ga_db_change(db, err,
			 "DELETE FROM acknowledgement WHERE until <= ?4 OR (object_kind = ?1 AND "
			 "object = ?2 AND code = ?3)", "ssss", first->object_kind, first->object,
			 first->code, now) < 0)
		return -1;
	for (i = 0; i < rows->list->n; i++) {
		forget(&rows->list->v[i]);
		if (a->reason && write_row(db, &rows->list->v[i], rows->lasting.v[i], a, now,
					   until, err) < 0)
			return -1;
	}
	return ga_audit_add(db, a->reason ? "acknowledged" : "acknowledge_removed", first->object,
			    json_pack("{s:s, s:s, s:s*, s:s*}", "object_kind", first->object_kind,
				      "code", first->code, "reason", a->reason, "until",
				      a->reason ? until : NULL), err);
}

struct look {
	const struct rows *rows;
	const char *code;
	bool shown; /* a row of the object and code is not acknowledged */
};

static int look_again(const struct ga_schema *schema, const void *obj, void *arg,
		      struct ga_err *err)
{
	const struct ga_attention *a = obj;
	struct look *l = arg;

	(void)schema;
	(void)err;
	l->shown = l->shown || (!a->acknowledged && ga_streq(a->object, l->rows->object) &&
				ga_streq(a->code, l->code));
	return 0;
}

/* A list made now leaves each of the rows out: else nothing was done, and the person would believe
 * that it was. */
static int check_hidden(struct ga_db *db, const struct rows *rows, const struct ga_acknowledge *a,
			struct ga_err *err)
{
	struct look look = { .rows = rows, .code = rows->list->v[0].code };
	const struct ga_attend_to to = { .each = look_again, .arg = &look, .here = a->here,
					 .stale_seconds = a->stale_seconds };

	if (!a->reason)
		return 0;
	if (ga_store_list_attention(db, &to, err) < 0)
		return -1;
	if (!look.shown)
		return 0;
	return ga_refuse(err, GA_CONFLICT, NULL, a->object,
			 ("the entry '%s' of '%s' changed meanwhile, and is not acknowledged",
			  look.code, a->object),
			 ("look at it in 'gpuaas-list attention', and acknowledge it again"));
}

int ga_store_acknowledge(struct ga_db *db, const struct ga_acknowledge *a,
			 struct ga_attentions *ret, struct ga_err *err)
{
	ga_cleanup(cleanup_rows) struct rows rows = { .list = ret, .object = a->object,
						      .code = a->code, .last = GA_STR_INIT };
	const struct ga_attend_to to = { .each = gather, .arg = &rows, .here = a->here,
					 .stale_seconds = a->stale_seconds,
					 .lasting = &rows.last };
	size_t i;
	int r;

	*ret = (struct ga_attentions){ 0 };
	r = check_end(a, err);
	if (r == 0)
		r = ga_store_list_attention(db, &to, err);
	if (r == 0)
		r = check_rows(&rows, a, err);
	for (i = 0; i < ret->n && r == 0; i++)
		r = may(db, &ret->v[i], err);
	if (r == 0)
		r = write_all(db, &rows, a, err);
	return r == 0 ? check_hidden(db, &rows, a, err) : r;
}
