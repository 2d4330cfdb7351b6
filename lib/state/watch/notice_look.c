/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The present attention records, compared with the open notices. A record belongs to a notice when
 * object and code are equal; when several have the same object and code, equal records belong
 * together, then those with the same time, and the others in their order. A record that somebody
 * acknowledged raises no notice, and its notice is cleared. It belongs only to an equal record: an
 * open notice of another one would be cleared with an acknowledgement that is not its own.
 */
#include <stdlib.h>
#include <string.h>

#include "record/rec.h"
#include "record/schema_write.h"
#include "record/state.h"
#include "record/time.h"
#include "state/watch/attention.h"
#include "state/watch/notice.h"

struct item {
	char *object_kind, *object, *code, *since;
	char *record; /* without the acknowledgement, as notices are stored */
	char *acknowledged; /* the record with its acknowledgement; NULL: nobody acknowledged it */
	int64_t id; /* of a notice; 0: a record */
	const struct item *match; /* in the other list; NULL: none */
};

struct items {
	struct item *v;
	size_t n;
};

static void cleanup_items(struct items *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].object_kind);
		free(list->v[i].object);
		free(list->v[i].code);
		free(list->v[i].since);
		free(list->v[i].record);
		free(list->v[i].acknowledged);
	}
	ga_list_release(list);
}

struct ga_notice_look {
	struct items open, now;
};

void ga_store_notice_forget(struct ga_notice_look **look)
{
	if (!*look)
		return;
	cleanup_items(&(*look)->open);
	cleanup_items(&(*look)->now);
	free(*look);
	*look = NULL;
}

static int compare(const struct item *x, const struct item *y)
{
	int r = strcmp(x->object_kind, y->object_kind);

	if (!r)
		r = strcmp(x->object, y->object);
	return r ? r : strcmp(x->code, y->code);
}

static int by_subject(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int r = compare(x, y);

	if (!r)
		r = strcmp(x->since, y->since);
	if (!r)
		r = (x->id > y->id) - (x->id < y->id);
	return r ? r : strcmp(x->record, y->record);
}

static int add_attention(const struct ga_schema *schema, const void *obj, void *arg,
			 struct ga_err *err)
{
	const struct ga_attention *a = obj;
	ga_autostr struct ga_str text = GA_STR_INIT, whole = GA_STR_INIT;
	struct item *i = ga_list_add((struct items *)arg);
	struct ga_attention plain = *a;

	(void)err;
	plain.acknowledged = NULL;
	ga_schema_write(schema, &plain, &text);
	if (a->acknowledged)
		ga_schema_write(schema, a, &whole);
	*i = (struct item){
		.object_kind = ga_xstrdup(a->object_kind),
		.object = ga_xstrdup(a->object),
		.code = ga_xstrdup(a->code),
		.since = ga_xstrdup(a->since),
		.record = ga_str_take(&text),
		.acknowledged = a->acknowledged ? ga_str_take(&whole) : NULL,
	};
	return 0;
}

static int read_open(struct ga_db *db, struct items *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT id, object_kind, object, code, since, record FROM notice "
			"WHERE cleared_at IS NULL", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(ret) = (struct item){
			.id = ga_rows_int(rows, 0),
			.object_kind = ga_rows_dup(rows, 1),
			.object = ga_rows_dup(rows, 2),
			.code = ga_rows_dup(rows, 3),
			.since = ga_rows_dup(rows, 4),
			.record = ga_rows_dup(rows, 5),
		};
	return r;
}

/* The items with one object and code, as a range of each list. */
struct range {
	struct item *from, *to;
};

enum how { SAME_RECORD, SAME_TIME, ANY };

static void match(struct range open, struct range now, enum how how)
{
	struct item *o, *n;

	for (o = open.from; o < open.to; o++) {
		if (o->match)
			continue;
		for (n = now.from; n < now.to; n++) {
			if (n->match || (how == SAME_RECORD && strcmp(o->record, n->record)) ||
			    (how != SAME_RECORD && n->acknowledged) ||
			    (how == SAME_TIME && strcmp(o->since, n->since)))
				continue;
			o->match = n;
			n->match = o;
			break;
		}
	}
}

static struct item *end_of(struct items *list, struct item *from, const struct item *subject)
{
	struct item *end = list->v + list->n;

	while (from < end && compare(from, subject) == 0)
		from++;
	return from;
}

/* Both lists are sorted. */
static void match_all(struct items *open, struct items *now)
{
	struct item *o = open->v, *n = now->v;
	struct item *o_end = o ? o + open->n : o, *n_end = n ? n + now->n : n;

	while (o < o_end && n < n_end) {
		int r = compare(o, n);

		if (r < 0) {
			o++;
		} else if (r > 0) {
			n++;
		} else {
			struct range a = { o, end_of(open, o, o) }, b = { n, end_of(now, n, n) };

			match(a, b, SAME_RECORD);
			match(a, b, SAME_TIME);
			match(a, b, ANY);
			o = a.to;
			n = b.to;
		}
	}
}

static bool is_to_clear(const struct item *notice)
{
	return !notice->match || notice->match->acknowledged;
}

static bool is_to_raise(const struct item *record)
{
	return !record->match && !record->acknowledged;
}

static bool has_any(const struct items *list, bool (*is)(const struct item *))
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (is(&list->v[i]))
			return true;
	return false;
}

int ga_store_notice_write(struct ga_db *db, const struct ga_notice_look *look, struct ga_err *err)
{
	const struct items *open = &look->open, *now = &look->now;
	ga_autofree char *at = ga_time_now();
	size_t i;

	for (i = 0; i < open->n; i++) {
		const struct item *n = open->v[i].match;

		if (is_to_clear(&open->v[i]) &&
		    ga_db_change(db, err, "UPDATE notice SET cleared_at = ?2, "
				 "record = coalesce(?3, record) WHERE id = ?1 AND "
				 "cleared_at IS NULL", "iss", open->v[i].id, at,
				 n ? n->acknowledged : NULL) < 0)
			return -1;
	}
	for (i = 0; i < now->n; i++) {
		const struct item *n = &now->v[i];

		if (is_to_raise(n) &&
		    ga_db_change(db, err,
				 "INSERT INTO notice (object_kind, object, code, since, record, "
				 "raised_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
				 "ssssss", n->object_kind, n->object, n->code, n->since, n->record,
				 at) < 0)
			return -1;
	}
	return 0;
}

static int read_both(struct ga_db *db, const struct ga_attend_to *to, struct ga_notice_look *look,
		     struct ga_err *err)
{
	int r;

	if (ga_db_begin_read(db, err) < 0)
		return -1;
	r = ga_store_list_attention(db, to, err);
	if (r == 0)
		r = read_open(db, &look->open, err);
	ga_db_rollback(db);
	return r < 0 ? -1 : 0;
}

int ga_store_notice_look(struct ga_db *db, int64_t stale_seconds, const char *here,
			 struct ga_notice_look **ret, struct ga_err *err)
{
	ga_autolook struct ga_notice_look *look = ga_xcalloc(1, sizeof(*look));
	const struct ga_attend_to to = { .each = add_attention, .arg = &look->now,
					 .here = here, .stale_seconds = stale_seconds };
	struct items *open = &look->open, *now = &look->now;

	if (read_both(db, &to, look, err) < 0)
		return -1;
	if (open->n)
		qsort(open->v, open->n, sizeof(*open->v), by_subject);
	if (now->n)
		qsort(now->v, now->n, sizeof(*now->v), by_subject);
	match_all(open, now);
	*ret = GA_TAKE(look);
	return has_any(open, is_to_clear) || has_any(now, is_to_raise);
}
