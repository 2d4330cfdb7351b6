/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of gpuaas-report: reading the options, the sums, the output. */
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/frame/cli.h"
#include "cli/frame/emit.h"
#include "cli/frame/types.h"
#include "exchange/focus.h"
#include "record/closest.h"
#include "record/report.h"
#include "record/time.h"
#include "state/capacity/refusal.h"
#include "state/watch/report.h"

struct report {
	const struct ga_report_opts *o;
	bool cost;
	struct ga_report_window w;
	char from[GA_TIME_SIZE], to[GA_TIME_SIZE], at[GA_TIME_SIZE];
	const char *by[GA_BY_N]; /* the members grouped by, in order */
	size_t n_by;
	const char *currency; /* NULL: not known */
	const char *provider; /* of FOCUS rows */
	char *type;	      /* of --what-if; NULL: not given */
	char *profile;	      /* of it, or NULL */
	struct ga_report_price price;
	struct ga_team_projects teams;
	bool of_teams; /* each line says its team */
	struct ga_cost_sums sums;
};

static void cleanup_report(struct report *r)
{
	free(r->type);
	free(r->profile);
	free(r->price.profile);
	ga_team_projects_release(&r->teams);
	ga_cost_sums_release(&r->sums);
}

/* ---- options ---- */

static int64_t in_seconds(int64_t micros)
{
	return micros / GA_SECOND - (micros % GA_SECOND < 0);
}

static int read_when(const char *option, const char *text, int64_t now, struct ga_when *ret,
		     struct ga_err *err)
{
	if (ga_when_parse(text, now * GA_SECOND, false, ret, err) < 0)
		return ga_wrap(err, "%s", option);
	return 0;
}

/* A month alone, as "--from 2026-10", ends with its last second. */
static int read_window(struct report *r, struct ga_err *err)
{
	struct ga_when when = { 0 };
	int64_t behind;

	r->w.now = ga_clock_micros() / GA_SECOND;
	r->w.to = r->w.now;
	if (r->o->from && read_when("--from", r->o->from, r->w.now, &when, err) < 0)
		return -1;
	r->w.from = in_seconds(when.since);
	if (when.is_month && in_seconds(when.end) < r->w.now)
		r->w.to = in_seconds(when.end);
	if (r->o->to && read_when("--to", r->o->to, r->w.now, &when, err) < 0)
		return -1;
	r->w.to = r->o->to ? in_seconds(when.since) : r->w.to;
	if (!r->o->from)
		ga_focus_month(r->w.to - 1, &r->w.from, &behind);
	ga_time_format(ga_time_after(0, r->w.from), r->from);
	ga_time_format(ga_time_after(0, r->w.to), r->to);
	ga_time_format(ga_time_after(0, r->w.now), r->at);
	if (r->w.from < r->w.to)
		return 0;
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("there is no time from %.19sZ to %.19sZ", r->from, r->to),
			 ("--from is before --to; without --to it is now, without --from the month "
			  "of --to"));
}

static int unknown_by(const char *asked, const char *what, const char *const *words,
		      struct ga_err *err)
{
	ga_autostr struct ga_str names = GA_STR_INIT;
	ga_autofree char *hint = NULL;
	struct ga_closest_names near;
	size_t i;

	ga_closest_begin(&near, asked);
	ga_closest_words(&near, words);
	for (i = 0; words[i]; i++)
		ga_str_addf(&names, " %s", words[i]);
	hint = ga_closest_hint(&near);
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("%s cannot be grouped by '%.64s'", what, asked),
			 ("%s--by takes, with commas:%s", hint, names.buf));
}

/* Reads --by: some of words (NULL-terminated), each once, in the order of text. */
static int read_by(const char *text, const char *what, const char *const *words,
		   struct ga_texts *ret, struct ga_err *err)
{
	for (; text && *text; text += *text == ',') {
		ga_autofree char *word = ga_xstrndup(text, strcspn(text, ","));
		size_t i;

		for (i = 0; words[i] && strcmp(words[i], word) != 0; i++)
			;
		if (!words[i])
			return unknown_by(word, what, words, err);
		if (!ga_texts_has(ret, word))
			ga_texts_add(ret, word);
		text += strlen(word);
		if (*text == ',' && !text[1])
			return unknown_by("", what, words, err);
	}
	return 0;
}

static int read_what_if(struct report *r, struct ga_err *err)
{
	const char *p = r->o->what_if;

	for (; p && *p; p += *p == ',') {
		size_t len = strcspn(p, ",");

		if (ga_starts(p, "type=") && len > 5 && !r->type)
			r->type = ga_xstrndup(p + 5, len - 5);
		else if (ga_starts(p, "profile=") && len > 8 && !r->profile)
			r->profile = ga_xstrndup(p + 8, len - 8);
		else
			break;
		p += len;
		if (*p == ',' && !p[1])
			break;
	}
	if (!p || (!*p && r->type))
		return 0;
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("--what-if does not take '%.128s'", r->o->what_if),
			 ("type=TYPE, or type=TYPE,profile=NAME for the price of a profile"));
}

static int read_currency(struct report *r, struct ga_err *err)
{
	const char *text = r->o->currency ? r->o->currency :
					    ga_cli_setting("GPUAAS_CURRENCY", NULL);

	if (!text || !*text) {
		if (!ga_streq(ga_cli_form(), "focus"))
			return 0;
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("FOCUS rows name their currency, and it is not known"),
				 ("--currency EUR, or GPUAAS_CURRENCY=EUR in "
				  "/etc/gpuaas/gpuaas.conf"));
	}
	r->currency = text;
	return ga_currency_check(text, err);
}

static int read_format(struct report *r, struct ga_err *err)
{
	ga_autojson json_t *text = NULL;

	if (!ga_streq(ga_cli_form(), "focus"))
		return 0;
	if (!r->cost)
		return ga_fail(err, GA_USAGE, "FOCUS rows are charges: 'gpuaas-report cost -o "
					      "focus'");
	if (r->o->by || r->o->what_if)
		return ga_fail(err, GA_USAGE, "FOCUS rows are spans of use, each a charge: --by "
					      "and --what-if are for the other formats");
	r->provider = ga_cli_setting("GPUAAS_PROVIDER", "gpuaas");
	text = json_string(r->provider); /* NULL unless it is UTF-8 */
	return text ? 0 :
		      ga_fail(err, GA_USAGE, "GPUAAS_PROVIDER is not text in UTF-8: FOCUS rows "
					     "cannot say who issues the bill");
}

/* ---- records ---- */

static char *borrow(const char *text)
{
	return (char *)(uintptr_t)text;
}

static int fit(const struct report *r, __int128 n, int64_t *ret, struct ga_err *err)
{
	/* FOCUS rows exist only for cost, and not with --what-if. */
	bool focus = r->cost && !r->type;

	*ret = (int64_t)n;
	if (n <= GA_INT_MAX_SAFE && n >= -GA_INT_MAX_SAFE)
		return 0;
	return ga_refuse(err, GA_CONFLICT, "too_large", NULL,
			 ("a sum is too large for an integer of a record"),
			 ("ask for less time or group by more%s",
			  focus ? "; FOCUS rows have no such limit" : ""));
}

#define SAME(r, g) \
	.from = (r)->from, .to = (r)->to, .at = (r)->at, \
	.by = { (char **)(uintptr_t)(r)->by, (r)->n_by }, .team = (g)->by[GA_BY_TEAM], \
	.project = (g)->by[GA_BY_PROJECT], .type = (g)->by[GA_BY_TYPE], \
	.profile = (g)->by[GA_BY_PROFILE], .node = (g)->by[GA_BY_NODE], \
	.allocation = (g)->by[GA_BY_ALLOCATION], .user = (g)->by[GA_BY_USER], \
	.allocations = (g)->allocations, .spans = (g)->spans, .open_spans = (g)->open

static int emit_usage(struct report *r, const struct ga_cost_group *g, struct ga_err *err)
{
	struct ga_usage_report u = { SAME(r, g) };

	if (fit(r, g->gpu_seconds[GA_COST_ACTIVE], &u.active_gpu_seconds, err) < 0 ||
	    fit(r, g->gpu_seconds[GA_COST_PROVISIONING], &u.provisioning_gpu_seconds, err) < 0 ||
	    fit(r, g->gpu_seconds[GA_COST_HOLD], &u.hold_gpu_seconds, err) < 0 ||
	    fit(r, g->gpu_seconds[GA_COST_CLEANUP], &u.cleanup_gpu_seconds, err) < 0)
		return -1;
	return ga_emit(&ga_usage_report_schema, &u, err);
}

static int emit_cost(struct report *r, const struct ga_cost_group *g, struct ga_err *err)
{
	bool billed = g->price_min <= g->price_max;
	struct ga_cost_what_if what_if = {
		.type = r->type,
		.profile = r->price.profile,
		.profile_version = r->price.version,
		.price_micros = r->price.price_micros,
		.basis = borrow("the same GPU seconds at that price; another type may take longer "
				"or not have the memory"),
	};
	struct ga_cost_report c = {
		SAME(r, g),
		.price_min_micros = billed ? g->price_min : GA_UNKNOWN,
		.price_max_micros = billed ? g->price_max : GA_UNKNOWN,
		.currency = borrow(r->currency),
		.what_if = r->type ? &what_if : NULL,
	};
	__int128 rest = g->gpu_seconds[GA_COST_PROVISIONING] + g->gpu_seconds[GA_COST_HOLD] +
			g->gpu_seconds[GA_COST_CLEANUP];

	if (fit(r, g->gpu_seconds[GA_COST_ACTIVE], &c.billed_gpu_seconds, err) < 0 ||
	    fit(r, rest, &c.not_billed_gpu_seconds, err) < 0 ||
	    fit(r, g->cost, &c.cost_micros, err) < 0 ||
	    fit(r, g->what_if, &what_if.cost_micros, err) < 0 ||
	    fit(r, g->what_if - g->cost, &what_if.difference_micros, err) < 0)
		return -1;
	return ga_emit(&ga_cost_report_schema, &c, err);
}

/* Prints the totals of the rows of a table. */
static void print_total(const struct report *r)
{
	ga_autostr struct ga_str hours = GA_STR_INIT, cost = GA_STR_INIT;
	__int128 seconds = 0, micros = 0;
	size_t i;

	for (i = 0; i < r->sums.groups.n; i++) {
		seconds += r->sums.groups.v[i].gpu_seconds[GA_COST_ACTIVE];
		micros += r->sums.groups.v[i].cost;
	}
	ga_cost_hours(seconds, 3, &hours);
	ga_cost_format(ga_cost_round(micros), &cost);
	ga_print("%s to %s: %s GPU hours in use%s%s%s%s", r->from, r->to, hours.buf,
		 r->cost ? ", " : "", r->cost ? cost.buf : "", r->cost && r->currency ? " " : "",
		 r->cost && r->currency ? r->currency : "");
}

/* ---- teams ---- */

static const char *team_of(struct report *r, const struct ga_cost_line *line)
{
	return r->of_teams ? ga_team_projects_of(&r->teams, line->by[GA_BY_PROJECT]) : NULL;
}

/* ---- records and table ---- */

static int add_line(const struct ga_cost_line *line, const struct ga_report_facts *facts,
		    void *arg, struct ga_err *err)
{
	struct report *r = arg;
	struct ga_cost_line of = *line;

	(void)facts;
	(void)err;
	of.by[GA_BY_TEAM] = team_of(r, line);
	ga_cost_sums_add(&r->sums, &of);
	return 0;
}

/* For a name that means several types: uses the first one with a price, unless the prices of these
 * types differ. */
static int price_of_several(struct ga_db *db, struct report *r, const struct ga_accel_named *named,
			    struct ga_err *err)
{
	ga_autostr struct ga_str priced = GA_STR_INIT;
	bool several = false;
	const char *type = NULL;

	for (size_t i = 0; i < named->types.n; i++) {
		struct ga_report_price price = { 0 };
		struct ga_err none = GA_ERR_INIT;
		int found = ga_store_report_price(db, named->types.v[i], r->profile, r->currency,
						  &price, &none);

		if (found < 0 && none.code == GA_NOTFOUND)
			continue;
		if (found < 0 && none.code != GA_CONFLICT) {
			*err = none;
			return -1;
		}
		ga_str_addf(&priced, "%s%s at %s", priced.len ? ", " : "", named->types.v[i],
			    found < 0 ? "several prices" : "");
		if (found == 0)
			ga_cost_format(price.price_micros, &priced);
		several |= found < 0 || (type && price.price_micros != r->price.price_micros);
		if (type)
			free(price.profile);
		else
			r->price = price;
		type = type ? type : named->types.v[i];
	}
	if (!priced.len)
		return ga_cli_type_several(r->type, named, err);
	if (several)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("'%.64s' means several types with several prices: %s", r->type,
				  priced.buf),
				 ("name the type, or a profile with its price: "
				  "type=TYPE,profile=NAME"));
	ga_say("type '%.64s' is taken as %s: there is one price, %s", r->type, type, priced.buf);
	free(r->type);
	r->type = ga_xstrdup(type);
	return 0;
}

/* The price of the type of --what-if. A name that is not in the catalogue is used unchanged: a
 * profile may name it. */
static int read_price(struct ga_db *db, struct report *r, struct ga_err *err)
{
	ga_autonamed struct ga_accel_named named = { 0 };
	ga_autoaccels struct ga_accels *list = NULL;
	struct ga_err unknown = GA_ERR_INIT;

	if (!r->type)
		return 0;
	if (ga_cli_catalogue(&list, err) < 0)
		return -1;
	if (ga_cli_type_named(list, r->type, &named, &unknown) < 0) {
		if (!ga_streq(unknown.reason, "unknown_type")) {
			*err = unknown;
			return -1;
		}
	} else if (named.types.n > 1) {
		return price_of_several(db, r, &named, err);
	} else if (strcmp(r->type, named.types.v[0]) != 0) {
		ga_say("type '%.64s' is %s", r->type, named.types.v[0]);
		free(r->type);
		r->type = ga_xstrdup(named.types.v[0]);
	}
	if (ga_store_report_price(db, r->type, r->profile, r->currency, &r->price, err) == 0)
		return 0;
	if (err->code == GA_NOTFOUND && unknown.code)
		*err = unknown;
	return -1;
}

static int write_groups(struct ga_db *db, struct report *r, const bool by[GA_BY_N],
			struct ga_err *err)
{
	size_t i;

	if (read_price(db, r, err) < 0)
		return -1;
	ga_cost_sums_init(&r->sums, by, r->type ? r->price.price_micros : -1);
	if (ga_store_report(db, &r->w, by[GA_BY_USER], add_line, r, err) < 0)
		return -1;
	ga_cost_sums_finish(&r->sums);
	for (i = 0; i < r->sums.groups.n; i++) {
		const struct ga_cost_group *g = &r->sums.groups.v[i];

		if ((r->cost ? emit_cost(r, g, err) : emit_usage(r, g, err)) < 0)
			return -1;
	}
	if (ga_emit_is_table()) {
		ga_table_flush();
		print_total(r);
	}
	return 0;
}

/* ---- FOCUS ---- */

/* Each month of a line is a separate charge. */
static int write_charges(const struct ga_cost_line *line, const struct ga_report_facts *facts,
			 void *arg, struct ga_err *err)
{
	struct report *r = arg;
	struct ga_cost_line part = *line;
	struct ga_focus f = {
		.provider = r->provider,
		.currency = r->currency,
		.team = line->kind == GA_COST_ACTIVE ? team_of(r, line) : NULL,
		.project = line->by[GA_BY_PROJECT],
		.allocation = line->by[GA_BY_ALLOCATION],
		.name = facts->name,
		.shape = facts->shape,
		.region = facts->region,
		.type = line->by[GA_BY_TYPE],
		.profile = line->by[GA_BY_PROFILE],
		.profile_version = facts->profile_version,
		.count = line->count,
		.price_micros = line->price_micros,
	};

	for (; line->kind == GA_COST_ACTIVE && part.from < line->to; part.from = part.to) {
		ga_autostr struct ga_str row = GA_STR_INIT;

		f.from = facts->began + part.from;
		ga_focus_month(f.from, &f.month_from, &f.month_to);
		f.to = facts->began + line->to;
		f.to = f.to < f.month_to ? f.to : f.month_to;
		part.to = f.to - facts->began;
		f.cost_micros = ga_cost_of(&part);
		ga_focus_row(&f, &row);
		if (ga_emit_line(row.buf, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- refused demand ---- */

static int emit_refused(const struct ga_refusal_report *group, void *arg, struct ga_err *err)
{
	const struct report *r = arg;
	struct ga_refusal_report of = *group; /* borrows every member */

	of.from = borrow(r->from);
	of.to = borrow(r->to);
	of.at = borrow(r->at);
	of.by = (struct ga_texts){ (char **)(uintptr_t)r->by, r->n_by };
	return ga_emit(&ga_refusal_report_schema, &of, err);
}

/* Keeps the numbers of the one group of all. */
static int keep_total(const struct ga_refusal_report *group, void *arg, struct ga_err *err)
{
	struct ga_refusal_report *total = arg;

	(void)err;
	total->requests = group->requests;
	total->gpus = group->gpus;
	total->attempts = group->attempts;
	return 0;
}

/* Prints the total below a table: the sum of its rows. */
static int print_refused(struct ga_db *db, const struct report *r, struct ga_err *err)
{
	const struct ga_texts none = { NULL, 0 };
	struct ga_refusal_report all = { 0 };

	if (ga_store_refused(db, r->from, r->to, &none, keep_total, &all, err) < 0)
		return -1;
	ga_table_flush();
	ga_print_item("%s to %s: %lld request%s for %lld GPU%s refused, in %lld attempt%s",
		      r->from, r->to, (long long)all.requests, all.requests == 1 ? "" : "s",
		      (long long)all.gpus, all.gpus == 1 ? "" : "s", (long long)all.attempts,
		      all.attempts == 1 ? "" : "s");
	return 0;
}

int ga_report_refusals(const struct ga_report_opts *o, struct ga_err *err)
{
	ga_cleanup(cleanup_report) struct report r = { .o = o };
	ga_autotexts struct ga_texts by = { NULL, 0 };
	ga_autodb_leave struct ga_db *db = NULL;
	size_t i;

	if (read_window(&r, err) < 0 ||
	    read_by(o->by ? o->by : "code,type", "refusals", ga_refused_words, &by, err) < 0)
		return -1;
	if (!o->to) /* what was refused in this second counts, too */
		ga_time_format(ga_time_after(0, r.w.to + 1), r.to);
	for (i = 0; i < by.n; i++)
		r.by[r.n_by++] = by.v[i];
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0 ||
	    ga_store_refused(db, r.from, r.to, &by, emit_refused, &r, err) < 0)
		return -1;
	return ga_emit_is_table() ? print_refused(db, &r, err) : 0;
}

int ga_report(const struct ga_report_opts *o, bool cost, struct ga_err *err)
{
	ga_cleanup(cleanup_report) struct report r = { .o = o, .cost = cost };
	ga_autodb_leave struct ga_db *db = NULL;
	ga_autostr struct ga_str header = GA_STR_INIT, text = GA_STR_INIT;
	ga_autotexts struct ga_texts asked = { NULL, 0 };
	bool by[GA_BY_N] = { false }, focus = ga_streq(ga_cli_form(), "focus");
	size_t i;

	if (read_format(&r, err) < 0 || read_window(&r, err) < 0 ||
	    read_by(o->by, "use", ga_cost_by_words, &asked, err) < 0 ||
	    (cost && (read_what_if(&r, err) < 0 || read_currency(&r, err) < 0)))
		return -1;
	for (i = 0; i < GA_BY_N; i++)
		if ((by[i] = ga_texts_has(&asked, ga_cost_by_words[i])))
			r.by[r.n_by++] = ga_cost_by_words[i];
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_keep_pages(db, GA_DB_KEEP_MUCH, err) < 0 || ga_db_begin_read(db, err) < 0)
		return -1;
	if (by[GA_BY_TEAM] || focus) {
		if (ga_store_report_teams(db, &r.teams, err) < 0)
			return -1;
		/* Without teams, FOCUS rows have projects, and no warning is needed. */
		r.of_teams = by[GA_BY_TEAM] || r.teams.any;
	}
	if (focus) {
		ga_focus_header(&header);
		if (ga_emit_line(header.buf, err) < 0 ||
		    ga_store_report(db, &r.w, true, write_charges, &r, err) < 0)
			return -1;
	} else if (write_groups(db, &r, by, err) < 0) {
		return -1;
	}
	/* Warns once of use that belongs to no team, not for each line. */
	ga_team_projects_say(&r.teams, &text);
	if (text.len)
		ga_say("%s; 'gpuaas-list teams' lists the projects of each team", text.buf);
	return 0;
}
