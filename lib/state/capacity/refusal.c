/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping refusals, and counting the demand in them. */
#include "state/capacity/refusal.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "record/rec.h"
#include "record/time.h"
#include "state/db/audit.h"

#define DAY_TEXT 10 /* characters of a day in the text of a time */

void ga_store_refusal_of(const struct ga_request *request, const struct ga_profile *profile,
			 const struct ga_refusal *refusal, struct ga_kept_refusal *ret)
{
	const char *shape = request->shape ? request->shape : profile ? profile->shape : NULL;
	bool unknown = ga_streq(refusal->code, "unknown_type");
	size_t i;

	ga_schema_init(&ga_kept_refusal_schema, ret);
	ret->project = ga_xstrdup(request->project ? request->project : GA_PROJECT_DEFAULT);
	ret->profile = ga_xstrdup(request->profile);
	ret->shape = ga_xstrdup(shape ? shape : "slice");
	/* A word that is no type is in the sentence alone: users cannot fill the sums with
	 * words. */
	for (i = 0; i < request->types.n && !unknown; i++)
		ga_texts_add(&ret->types, request->types.v[i]);
	if (ret->types.n)
		ret->type = ga_xstrdup(ret->types.v[0]);
	else if (!unknown && profile && profile->types.n == 1)
		ret->type = ga_xstrdup(profile->types.v[0]);
	ret->count = request->count;
	if (ret->count == GA_UNKNOWN && strcmp(ret->shape, "baremetal"))
		ret->count = 1;
	ret->name = ga_strdup0(request->name);
	ret->request_id = ga_strdup0(request->request_id);
	ret->code = ga_xstrdup(refusal->code);
	ret->sentence = ga_xstrdup(refusal->sentence);
	ret->hint = ga_strdup0(refusal->hint);
}

/* ---- demand, or a mistake ---- */

/* Refusals of a request that names what does not exist, or what the profile does not sell: more
 * GPUs would not have helped. */
static const char *const mistakes[] = {
	"count_not_allowed", "image_missing",	"image_not_named", "no_app",	   "node_missing",
	"other_pool_wanted", "other_region_wanted", "profile_retired", "profile_shape",
	"unknown_type",
};

bool ga_store_refusal_is_demand(const char *code)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(mistakes); i++)
		if (ga_streq(mistakes[i], code))
			return false;
	return true;
}

/* ---- keeping ---- */

/* The values of a row as SQL has them. */
struct row {
	char day[DAY_TEXT + 1], now[GA_TIME_SIZE];
	const char *actor, *project, *type, *name, *request_id;
	char *types;
	int64_t count;
};

static void cleanup_row(struct row *r)
{
	free(r->types);
}

static char *types_text(const struct ga_texts *types)
{
	ga_autojson json_t *list = json_array();
	size_t i;
	char *text, *copy;

	for (i = 0; i < types->n; i++)
		json_array_append_new(list, json_string(types->v[i]));
	text = json_dumps(list, JSON_COMPACT);
	copy = ga_xstrdup(text ? text : "[]");
	free(text);
	return copy;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* The number of changed rows: 0 when the row is not there yet. */
static int count_attempt(struct ga_db *db, const struct row *r, const struct ga_kept_refusal *k,
			 struct ga_err *err)
{
	return ga_db_exec(db, err,
			  "UPDATE refusal SET attempts = attempts + 1, last_at = ?11, "
			  "sentence = ?12, hint = ?13 WHERE day = ?1 AND actor = ?2 AND "
			  "project = ?3 AND profile = ?4 AND shape = ?5 AND types = ?6 AND "
			  "count = ?7 AND name = ?8 AND request_id = ?9 AND code = ?10",
			  "ssssssissssss", r->day, r->actor, r->project, k->profile, k->shape,
			  r->types, r->count, r->name, r->request_id, k->code, r->now, k->sentence,
			  k->hint);
}

/* Whether the user has as many rows of the day as a user can have. */
static int has_many(struct ga_db *db, const struct row *r, struct ga_err *err)
{
	int64_t n = 0;

	if (ga_db_get(db, err, "SELECT count(*) FROM refusal WHERE day = ?1 AND actor = ?2", "ssI",
		      r->day, r->actor, &n) < 0)
		return -1;
	return n >= GA_REFUSAL_ROWS;
}

static int add_row(struct ga_db *db, const struct row *r, const struct ga_kept_refusal *k,
		   struct ga_err *err)
{
	char past[GA_TIME_SIZE];

	ga_time_format(ga_clock_micros() - GA_REFUSAL_DAYS * INT64_C(86400) * GA_SECOND, past);
	past[DAY_TEXT] = '\0';
	if (ga_db_change(db, err, "DELETE FROM refusal WHERE day < ?1", "s", past) < 0)
		return -1;
	return ga_db_change(db, err,
			    "INSERT INTO refusal (day, actor, project, profile, shape, types, "
			    "count, name, request_id, code, type, sentence, hint, attempts, "
			    "first_at, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
			    "?11, ?12, ?13, 1, ?14, ?14)",
			    "ssssssisssssss", r->day, r->actor, r->project, k->profile, k->shape,
			    r->types, r->count, r->name, r->request_id, k->code, r->type,
			    k->sentence, k->hint, r->now);
}

/* Whether the request was refused for want of GPUs in this month already; 0 also when only the row
 * of this attempt is there. A seek a day: the days begin the index. */
static int was_counted(struct ga_db *db, const struct row *r, const struct ga_kept_refusal *k,
		       struct ga_err *err)
{
	ga_autotexts struct ga_texts codes = { 0 };
	size_t i;

	if (ga_db_texts(db, &codes, err,
			"WITH RECURSIVE d(day) AS (SELECT substr(?1, 1, 8) || '01' UNION ALL "
			"SELECT date(day, '+1 day') FROM d WHERE day < ?1) "
			"SELECT f.code FROM d JOIN refusal f ON f.day = d.day AND f.actor = ?2 AND "
			"f.project = ?3 AND f.profile = ?4 AND f.shape = ?5 AND f.types = ?6 AND "
			"f.count = ?7 AND f.name = ?8 AND f.request_id = ?9 AND "
			"(f.day <> ?1 OR f.code <> ?10)",
			"ssssssisss", r->day, r->actor, r->project, k->profile, k->shape, r->types,
			r->count, r->name, r->request_id, k->code) < 0)
		return -1;
	for (i = 0; i < codes.n; i++)
		if (ga_store_refusal_is_demand(codes.v[i]))
			return 1;
	return 0;
}

/* gpus: of a request that counts; -1: it is one more attempt. */
static int add_sums(struct ga_db *db, const struct row *r, const struct ga_kept_refusal *k,
		    int64_t gpus, struct ga_err *err)
{
	bool counts = gpus >= 0;
	int n = ga_db_exec(db, err,
			   "UPDATE refusal_total SET requests = requests + ?3, gpus = gpus + ?4, "
			   "attempts = attempts + 1 WHERE code = ?1 AND type = ?2",
			   "ssbi", k->code, r->type, counts,
			    counts ? gpus : 0);

	if (n)
		return n < 0 ? -1 : 0;
	return ga_db_change(db, err,
			    "INSERT INTO refusal_total (code, type, requests, gpus, attempts) "
			    "VALUES (?1, ?2, ?3, ?4, 1)", "ssbi", k->code, r->type, counts,
			    counts ? gpus : 0);
}

/* The row of a user who has many of the day: it has only what operator and catalogue bound. */
static void share(struct row *r, const struct ga_kept_refusal *k)
{
	const struct ga_texts type = { (char **)(uintptr_t)&k->type, k->type != NULL };

	r->project = r->name = r->request_id = "";
	r->count = 0;
	free(r->types);
	r->types = types_text(&type);
}

int ga_store_refusal_keep(struct ga_db *db, const struct ga_kept_refusal *k, struct ga_err *err)
{
	ga_cleanup(cleanup_row) struct row r = {
		.actor = ga_audit_actor(),
		.project = or_empty(k->project),
		.type = or_empty(k->type),
		.name = or_empty(k->name),
		.request_id = or_empty(k->request_id),
		.types = types_text(&k->types),
		.count = k->count == GA_UNKNOWN ? 0 : k->count,
	};
	int64_t gpus = r.count;
	int n, many;

	/* A profile that does not exist is a mistake, and no demand. */
	n = ga_db_one(db, err, "SELECT 1 FROM profile WHERE name = ?1", "s", k->profile);
	if (n <= 0)
		return n;
	ga_time_format(ga_clock_micros(), r.now);
	memcpy(r.day, r.now, DAY_TEXT);
	n = count_attempt(db, &r, k, err);
	many = n ? 0 : has_many(db, &r, err);
	if (n < 0 || many < 0)
		return -1;
	if (many) {
		share(&r, k);
		n = count_attempt(db, &r, k, err);
	}
	if (n < 0 || (!n && add_row(db, &r, k, err) < 0))
		return -1;
	if (!ga_store_refusal_is_demand(k->code))
		return 0;
	n = n ? 1 : was_counted(db, &r, k, err);
	return n < 0 ? -1 : add_sums(db, &r, k, n ? -1 : gpus, err);
}

int ga_query_refusals(struct ga_db *db, const struct ga_page *page, struct ga_rows **ret,
		      struct ga_err *err)
{
	/* In the order of ga_kept_refusal_schema. */
	return GA_QUERY_PAGE(db, page, ret, err,
			     "SELECT seq, day, actor, nullif(project, ''), profile, shape, "
			     "nullif(type, ''), types, nullif(count, 0), nullif(name, ''), "
			     "nullif(request_id, ''), code, sentence, hint, attempts, first_at, "
			     "last_at FROM refusal ", "seq", "last_at");
}

/* ---- counting ---- */

const char *const ga_refused_words[] = { "code", "type", "project", "profile", "user", "day",
					 NULL };
/* The columns of the query below: the members of ga_refused_words, then what tells requests apart
 * beside them, then the numbers. */
enum { R_CODE, R_TYPE, R_PROJECT, R_PROFILE, R_USER, R_DAY, R_SHAPE, R_TYPES, R_NAME,
       R_REQUEST_ID, R_COUNT, R_ATTEMPTS };
#define WORDS 6

struct group {
	char *of[WORDS];
	int64_t requests, gpus, gpu_days, attempts;
};

struct groups {
	struct group **v;
	size_t n;
	void *tree; /* of the same groups, by their members: tsearch(3) */
};

static void keep_node(void *group)
{
	(void)group;
}

static void cleanup_groups(struct groups *list)
{
	size_t i, k;

	tdestroy(list->tree, keep_node);
	for (i = 0; i < list->n; i++) {
		for (k = 0; k < WORDS; k++)
			free(list->v[i]->of[k]);
		free(list->v[i]);
	}
	ga_list_release(list);
}

static int by_members(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int k, r = 0;

	for (k = 0; k < WORDS && !r; k++)
		r = strcmp(or_empty(x->of[k]), or_empty(y->of[k]));
	return r;
}

static struct group *group_of(struct groups *list, const struct ga_rows *rows,
			      const bool by[WORDS])
{
	struct group asked = { .requests = 0 }, *g, **found;
	struct ga_err no_memory = GA_ERR_INIT;
	int k;

	for (k = 0; k < WORDS; k++)
		asked.of[k] = by[k] ? (char *)(uintptr_t)ga_rows_text(rows, k) : NULL;
	found = tfind(&asked, &list->tree, by_members);
	if (found)
		return *found;
	g = ga_xcalloc(1, sizeof(*g));
	for (k = 0; k < WORDS; k++)
		g->of[k] = ga_strdup0(asked.of[k]);
	*ga_list_add(list) = g;
	if (!tsearch(g, &list->tree, by_members)) {
		ga_err_set(&no_memory, GA_SYSTEM, "out of memory");
		ga_die(&no_memory);
	}
	return g;
}

/* Whether the row is of the same request as the one before it; then keeps what tells it apart. */
static bool is_same(char **before, const struct ga_rows *rows)
{
	static const int apart[] = { R_USER, R_PROJECT, R_PROFILE, R_SHAPE, R_TYPES, R_NAME,
				     R_REQUEST_ID };
	ga_autostr struct ga_str s = GA_STR_INIT;
	bool same;
	size_t i;

	/* A line feed is in none of them. */
	for (i = 0; i < GA_ARRAY_SIZE(apart); i++)
		ga_str_addf(&s, "%s\n", ga_rows_text(rows, apart[i]));
	ga_str_addf(&s, "%lld", (long long)ga_rows_int(rows, R_COUNT));
	same = ga_streq(*before, s.buf);
	free(*before);
	*before = ga_str_take(&s);
	return same;
}

static int by_gpus(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;

	if (x->gpus != y->gpus)
		return x->gpus < y->gpus ? 1 : -1;
	if (x->requests != y->requests)
		return x->requests < y->requests ? 1 : -1;
	return by_members(x, y);
}

/* The rows of a request stand together, by time: the group of its first row counts the request,
 * that of the first row of each day a day of its GPUs, and each row its attempts. So every number
 * of the groups adds up to that of all. */
static int sum(struct ga_rows *rows, const bool by[WORDS], struct groups *list, struct ga_err *err)
{
	ga_autofree char *before = NULL, *day_before = NULL;
	int r;

	while ((r = ga_rows_next(rows, err)) > 0) {
		int64_t gpus = ga_rows_int(rows, R_COUNT);
		const char *day = ga_rows_text(rows, R_DAY);
		struct group *g;
		bool first;

		if (!ga_store_refusal_is_demand(ga_rows_text(rows, R_CODE)))
			continue;
		g = group_of(list, rows, by);
		first = !is_same(&before, rows);
		if (first) {
			g->requests++;
			g->gpus += gpus;
		}
		if (first || !ga_streq(day_before, day))
			g->gpu_days += gpus;
		free(day_before);
		day_before = ga_xstrdup(day);
		g->attempts += ga_rows_int(rows, R_ATTEMPTS);
	}
	return r;
}

static char *said(const struct group *g, int word)
{
	return g->of[word] && *g->of[word] ? g->of[word] : NULL;
}

int ga_store_refused(struct ga_db *db, const char *from, const char *to, const struct ga_texts *by,
		     int (*each)(const struct ga_refusal_report *group, void *arg,
				 struct ga_err *err),
		     void *arg, struct ga_err *err)
{
	ga_cleanup(cleanup_groups) struct groups list = { 0 };
	ga_autorows struct ga_rows *rows = NULL;
	bool of[WORDS];
	size_t i;

	for (i = 0; i < WORDS; i++)
		of[i] = ga_texts_has(by, ga_refused_words[i]);
	if (ga_db_query(db, &rows, err,
			"SELECT code, type, project, profile, actor, day, shape, types, name, "
			"request_id, count, attempts FROM refusal WHERE last_at >= ?1 AND "
			"first_at < ?2 ORDER BY actor, project, profile, shape, types, count, "
			"name, request_id, first_at, seq", "ss", from, to) < 0 ||
	    sum(rows, of, &list, err) < 0)
		return -1;
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), by_gpus);
	for (i = 0; i < list.n; i++) {
		const struct group *g = list.v[i];
		const struct ga_refusal_report group = {
			.code = said(g, R_CODE), .type = said(g, R_TYPE),
			.project = said(g, R_PROJECT), .profile = said(g, R_PROFILE),
			.user = said(g, R_USER), .day = said(g, R_DAY),
			.requests = g->requests, .gpus = g->gpus, .gpu_days = g->gpu_days,
			.attempts = g->attempts,
		};

		if (each(&group, arg, err) < 0)
			return -1;
	}
	return 0;
}
