/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-report: the use of GPUs in a period and its cost by project or team, from the spans of use
 * in the state. Only reads. Active time is billed at the price of that time; other time is shown by
 * its kind. Writes records, a table, or FOCUS rows for a billing system. "refusals" counts the
 * requests that placement refused.
 */
#include "cli/frame/cli.h"
#include "cli/report.h"
#include "decide/match/cost.h"
#include "record/report.h"
#include "state/capacity/refusal.h"

static struct ga_report_opts opt;

#define BY \
	{ .name = "by", .type = GA_O_TEXT, .var = &opt.by, .arg = "MEMBER,…", \
	  .values = ga_cost_by_words, \
	  .help = "a record for each team,project,type,profile,node,allocation,user (any of them)" }
#define FROM \
	{ .name = "from", .type = GA_O_TEXT, .var = &opt.from, .arg = "TIME", \
	  .help = "begin of the period: a month alone (2026-10), 2026-11-01, " \
		  "2026-11-01T08:15:00Z, or 24h for 24 hours ago (default: the month of --to)" }
#define TO \
	{ .name = "to", .type = GA_O_TEXT, .var = &opt.to, .arg = "TIME", \
	  .help = "first second after the period (default: now)" }

static const struct ga_opt usage_opts[] = {
	BY, FROM, TO,
	GA_OPTS_END,
};
static const struct ga_opt cost_opts[] = {
	BY, FROM, TO,
	{ .name = "currency", .type = GA_O_TEXT, .var = &opt.currency, .arg = "CODE",
	  .help = "currency of the prices (ISO 4217); default GPUAAS_CURRENCY" },
	{ .name = "what-if", .type = GA_O_TEXT, .var = &opt.what_if,
	  .arg = "type=TYPE[,profile=PROFILE]",
	  .help = "also show the cost of the same use on another type; never recorded" },
	GA_OPTS_END,
};

static const struct ga_opt refusals_opts[] = {
	{ .name = "by", .type = GA_O_TEXT, .var = &opt.by, .arg = "MEMBER,…",
	  .values = ga_refused_words,
	  .help = "a record for each code,type,project,profile,user,day (any of them; default "
		  "code,type)" },
	FROM, TO,
	GA_OPTS_END,
};

static int usage(struct ga_err *err)
{
	return ga_report(&opt, false, err);
}

static int cost(struct ga_err *err)
{
	return ga_report(&opt, true, err);
}

static int refusals(struct ga_err *err)
{
	return ga_report_refusals(&opt, err);
}

static const struct ga_cmd cmds[] = {
	{ .name = "usage", .abstract = "GPU seconds by the kind of time", .opts = usage_opts,
	  .run = usage, .prints = &ga_usage_report_schema },
	{ .name = "cost", .abstract = "cost of the time in use, at the prices of the placement",
	  .opts = cost_opts, .run = cost, .prints = &ga_cost_report_schema },
	{ .name = "refusals", .abstract = "GPUs of refused requests, by reason and type",
	  .opts = refusals_opts, .run = refusals,
	  .prints = &ga_refusal_report_schema },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-report",
	.abstract = "use, cost and refused requests in a period, by team, project and type",
	.cmds = cmds,
	.produces = (const struct ga_schema *const[]){ &ga_usage_report_schema,
						      &ga_cost_report_schema,
						      &ga_refusal_report_schema, NULL },
	.examples = (const char *const[]){
		"gpuaas-report cost --by team,type",
		"gpuaas-report cost --from 2026-11-01 --to 2026-12-01 --currency EUR -o focus "
		"> focus.csv",
		"gpuaas-report usage --from 24h --by node",
		"gpuaas-report refusals --from 2026-11-01 --by code,type",
		"gpuaas-report cost --by project --what-if type=nvidia-h200-141gb,"
		"profile=h200-slice", NULL },
	.forms = (const char *const[]){ "focus", NULL }, /* CSV of FOCUS 1.2 */
	.forms_of = "cost",
	.needs_state = true,
	.looks = "*",
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	return ga_cli_finish(&prog, r, &err);
}
