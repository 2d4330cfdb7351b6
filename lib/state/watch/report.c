/* SPDX-License-Identifier: Apache-2.0 */
/* The use within a time window, span by span. */
#include "state/watch/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record/rec.h"
#include "record/state.h"
#include "state/access/access.h"
#include "state/db/row.h"

/* The length classes of share/sql/0012-usage-line.sql, in days: a span of the class is shorter. */
static const int class_days[] = { 1, 8, 64, 512 };
/* Times at or beyond this are no valid times of a span. */
#define NEVER INT64_C(9007199254740991)

/* Spans that may have a second in [?1, ?2): spans that ended after ?1, and open spans. In each
 * class, spans that began before ?3 .. ?6 are too short to reach into the window. */
#define SPANS(columns, more) \
	"SELECT " columns " FROM (SELECT 0 AS class, ?3 AS since UNION ALL SELECT 1, ?4 " \
	"UNION ALL SELECT 2, ?5 UNION ALL SELECT 3, ?6 UNION ALL SELECT 4, ?7) k " \
	"CROSS JOIN usage u INDEXED BY usage_line ON u.length_class = k.class AND " \
	"u.began_second >= k.since AND u.began_second < ?2 " more \
	"WHERE (u.ended_second > ?1 OR u.ended_second IS NULL)"
/* The index has all of these columns; the rows are large. */
#define COLUMNS \
	"u.id, u.usage_kind, u.count, u.price_micros, u.began_second, u.ended_second, " \
	"u.accelerator_type, u.allocation_id, u.number, u.project, u.profile, u.node_id"
#define FACTS ", a.name, a.shape, n.region, a.profile_version, a.created_by"
#define FACTS_OF \
	"CROSS JOIN allocation a ON a.id = u.allocation_id LEFT JOIN node n ON n.id = u.node_id "

struct reading {
	struct ga_db *db;
	const struct ga_report_window *w;
	bool facts;
	ga_report_each each;
	void *arg;
};

static int kind_of(const char *word, enum ga_cost_kind *ret)
{
	int i;

	for (i = 0; ga_cost_kind_words[i]; i++) {
		if (strcmp(ga_cost_kind_words[i], word))
			continue;
		*ret = (enum ga_cost_kind)i;
		return 0;
	}
	return -1;
}

static int bad_row(const struct ga_rows *rows, const char *what, struct ga_err *err)
{
	return ga_refuse(err, GA_SYSTEM, NULL, ga_rows_text(rows, 7),
			 ("span %" PRId64 " of allocation '%s' cannot be counted: %s",
			  ga_rows_int(rows, 0), ga_rows_text(rows, 7), what),
			 ("'gpuaas-state check' shows what else is wrong with the state"));
}

/* Allocations with devices of several types: a line for each type. */
static int each_type(struct reading *r, struct ga_cost_line *line,
		     const struct ga_report_facts *facts, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int64_t left = line->count;
	int more;

	if (ga_db_query(r->db, &rows, err,
			"SELECT c.accelerator_type, count(*) FROM claim c WHERE c.claim_kind = "
			"'slot' AND c.allocation_id = ?1 GROUP BY 1 ORDER BY 1",
			"s", line->by[GA_BY_ALLOCATION]) < 0)
		return -1;
	while ((more = ga_rows_next(rows, err)) > 0) {
		int64_t n = ga_rows_int(rows, 1);

		if (!ga_rows_text(rows, 0))
			continue;
		line->by[GA_BY_TYPE] = ga_rows_text(rows, 0);
		line->count = n < left ? n : left;
		left -= line->count;
		if (line->count && r->each(line, facts, r->arg, err) < 0)
			return -1;
	}
	if (more < 0)
		return -1;
	line->by[GA_BY_TYPE] = NULL;
	line->count = left;
	return left ? r->each(line, facts, r->arg, err) : 0;
}

static int read_line(const struct ga_rows *rows, const struct reading *r,
		     struct ga_cost_line *line, struct ga_err *err)
{
	const struct ga_report_window *w = r->w;
	int64_t began = ga_rows_int(rows, 4), ended = ga_rows_int(rows, 5), from, to;
	bool open = ended == GA_UNKNOWN;
	int64_t end = open ? w->now : ended;

	if (kind_of(ga_rows_text(rows, 1), &line->kind) < 0)
		return bad_row(rows, "its kind is unknown", err);
	if (began <= -NEVER || end >= NEVER)
		return bad_row(rows, "its times are none", err);
	from = w->from > began ? w->from : began;
	to = w->to < end ? w->to : end;
	*line = (struct ga_cost_line){
		.by = { [GA_BY_PROJECT] = ga_rows_text(rows, 9),
			[GA_BY_TYPE] = ga_rows_text(rows, 6),
			[GA_BY_PROFILE] = ga_rows_text(rows, 10),
			[GA_BY_NODE] = ga_rows_text(rows, 11),
			[GA_BY_ALLOCATION] = ga_rows_text(rows, 7) },
		.kind = line->kind,
		.allocation = ga_rows_int(rows, 8),
		.count = ga_rows_int(rows, 2),
		.price_micros = ga_rows_int(rows, 3),
		.from = from - began,
		.to = to > from ? to - began : from - began,
		.open = open,
	};
	if (line->count < 0 || line->count > GA_COST_COUNT_MAX || line->price_micros < 0 ||
	    line->price_micros > GA_COST_PRICE_MAX)
		return bad_row(rows, "its GPUs or its price are out of range", err);
	return 0;
}

static int each_row(struct reading *r, const struct ga_rows *rows, struct ga_err *err)
{
	struct ga_report_facts facts;
	struct ga_cost_line line = { 0 };

	if (read_line(rows, r, &line, err) < 0)
		return -1;
	if (line.from == line.to)
		return 0;
	if (r->facts)
		line.by[GA_BY_USER] = ga_rows_text(rows, 16);
	if (r->facts)
		facts = (struct ga_report_facts){
			.name = ga_rows_text(rows, 12),
			.shape = ga_rows_text(rows, 13),
			.region = ga_rows_text(rows, 14),
			.profile_version = ga_rows_int(rows, 15),
			.began = ga_rows_int(rows, 4),
		};
	if (!line.by[GA_BY_TYPE])
		return each_type(r, &line, r->facts ? &facts : NULL, err);
	return r->each(&line, r->facts ? &facts : NULL, r->arg, err);
}

int ga_store_report(struct ga_db *db, const struct ga_report_window *w, bool facts,
		    ga_report_each each, void *arg, struct ga_err *err)
{
	struct reading reading = { db, w, facts, each, arg };
	int64_t since[GA_ARRAY_SIZE(class_days)];
	ga_autorows struct ga_rows *rows = NULL;
	size_t i;
	int r;

	for (i = 0; i < GA_ARRAY_SIZE(since); i++)
		since[i] = w->from - class_days[i] * INT64_C(86400);
	r = ga_db_query(db, &rows, err,
			facts ? SPANS(COLUMNS FACTS, FACTS_OF) " ORDER BY u.started_at, u.id" :
				SPANS(COLUMNS, ""),
			"iiiiiii", w->from, w->to, since[0], since[1], since[2], since[3], -NEVER);
	while (r >= 0 && (r = ga_rows_next(rows, err)) > 0)
		if (each_row(&reading, rows, err) < 0)
			return -1;
	return r;
}

int ga_store_report_open(struct ga_db *db, ga_report_each each, void *arg, struct ga_err *err)
{
	struct ga_report_window hour;
	struct reading reading = { db, &hour, false, each, arg };
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	r = ga_db_query(db, &rows, err,
			"SELECT " COLUMNS " FROM usage u INDEXED BY usage_line "
			"WHERE u.length_class = 4 AND u.ended_second IS NULL", "");
	while (r >= 0 && (r = ga_rows_next(rows, err)) > 0) {
		int64_t began = ga_rows_int(rows, 4);

		hour = (struct ga_report_window){ began, began + 3600, began + 3600 };
		if (each_row(&reading, rows, err) < 0)
			return -1;
	}
	return r;
}

/* ---- teams ---- */

int ga_store_report_teams(struct ga_db *db, struct ga_team_projects *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	*ret = (struct ga_team_projects){ 0 };
	if (ga_query_teams(db, NULL, &rows, err) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_team t;

		if (ga_rec_parse_text(ga_rows_text(rows, 0), &ga_team_schema, &t, err) < 0)
			return ga_wrap(err, "a stored team");
		ga_team_projects_add(ret, &t);
		ga_schema_release(&ga_team_schema, &t);
	}
	return r;
}

/* ---- prices ---- */

static void cleanup_profile(struct ga_profile *p)
{
	ga_schema_release(&ga_profile_schema, p);
}

struct prices {
	const char *type, *profile, *currency;
	struct ga_report_price *ret;
	struct ga_str names; /* the profiles that name the type, with their prices */
	bool several;	     /* the prices differ */
};

static int each_profile(struct prices *all, const char *record, struct ga_err *err)
{
	ga_cleanup(cleanup_profile) struct ga_profile p = { 0 };

	if (ga_rec_parse_text(record, &ga_profile_schema, &p, err) < 0)
		return ga_wrap(err, "a stored profile");
	if ((p.retired && !all->profile) || !ga_texts_has(&p.types, all->type))
		return 0;
	ga_str_addf(&all->names, "%s%s at ", all->names.len ? ", " : "", p.name);
	ga_cost_format(p.price_micros, &all->names);
	if (all->currency)
		ga_str_addf(&all->names, " %s", all->currency);
	if (!all->ret->profile)
		*all->ret = (struct ga_report_price){ ga_xstrdup(p.name), p.version,
						      p.price_micros };
	all->several = all->several || all->ret->price_micros != p.price_micros;
	return 0;
}

static int no_price(const struct prices *all, struct ga_err *err)
{
	if (all->profile)
		return ga_refuse(err, GA_NOTFOUND, NULL, NULL,
				 ("there is no profile '%s' that names the type '%s'", all->profile,
				  all->type),
				 ("'gpuaas-list profiles' shows them with their types"));
	return ga_refuse(err, GA_NOTFOUND, NULL, NULL,
			 ("no profile names the type '%s': it has no price here", all->type),
			 ("'gpuaas-list profiles' shows which types have one"));
}

int ga_store_report_price(struct ga_db *db, const char *type, const char *profile,
			  const char *currency, struct ga_report_price *ret, struct ga_err *err)
{
	struct prices all = { type, profile, currency, ret, GA_STR_INIT, false };
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	*ret = (struct ga_report_price){ 0 };
	r = ga_db_query(db, &rows, err,
			"SELECT record FROM profile WHERE current = 1 "
			"AND (?1 IS NULL OR name = ?1) ORDER BY name",
			"s", profile);
	while (r >= 0 && (r = ga_rows_next(rows, err)) > 0)
		r = each_profile(&all, ga_rows_text(rows, 0), err);
	if (r == 0 && !ret->profile)
		r = no_price(&all, err);
	if (r == 0 && all.several) {
		ga_err_set(err, GA_CONFLICT, "the type '%s' has several prices: %s", type,
			   all.names.buf);
		r = ga_hint(err, "name the profile: --what-if "
			    "type=%s,profile=%s", type, ret->profile);
	}
	ga_str_release(&all.names);
	if (r < 0) {
		free(ret->profile);
		ret->profile = NULL;
	}
	return r;
}
