/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-list: lists the records of the state, one a line or as a table. "list attention" lists the
 * objects that need a person, with the command; "list plan" prints stored plans again.
 */
#include <unistd.h>

#include "base/clock.h"
#include "base/texts.h"
#include "cli/app.h"
#include "cli/frame/cli.h"
#include "cli/frame/follow.h"
#include "cli/frame/watch.h"
#include "cli/objects/where.h"
#include "cli/list.h"
#include "look/host/host.h"
#include "record/access.h"
#include "record/app.h"
#include "record/node.h"
#include "record/plan.h"
#include "record/request.h"
#include "record/result.h"
#include "record/state.h"
#include "record/syslog.h"
#include "record/time.h"
#include "state/db/row.h"
#include "state/query/list.h"

static struct ga_list_ask ask;
static int64_t limit;
static char hostname[256];

static const struct ga_opt opts[] = {
	{ .name = "where", .type = GA_O_TEXTS, .var = &ask.where, .arg = "CONDITION",
	  .help = "only records with state=wiping,active, state!=available, count>2; several: "
		  "all of them" },
	{ .name = "since", .type = GA_O_TEXT, .var = &ask.since, .arg = "TIME",
	  .help = "only records from this time on (2026-11-25, '2026-11-25 03:56:13Z', 24h)" },
	{ .name = "limit", .type = GA_O_INT, .var = &limit, .arg = "N", .min = 1,
	  .max = INT32_MAX, .help = "at most this many records" },
	{ .name = "after", .type = GA_O_TEXT, .var = &ask.after, .arg = "ID",
	  .help = "start after the record of this id (histories: after the row of this number)" },
	{ .name = "newest", .type = GA_O_FLAG, .var = &ask.newest,
	  .help = "newest first (tasks, usage, evidence, audit, events, refusals)" },
	{ .name = "follow", .type = GA_O_FLAG, .var = &ask.follow,
	  .help = "print new rows as they are written, each once (audit, events)" },
	{ .name = "all", .type = GA_O_FLAG, .var = &ask.all,
	  .help = "also entries that somebody acknowledged (attention)" },
	{ .name = "watch", .type = GA_O_FLAG, .var = &ask.watch,
	  .help = "show the list on the whole terminal, anew when the state changes; q ends it" },
	{ .name = "app", .type = GA_O_TEXT, .var = &ask.app, .arg = "APP",
	  .help = "only live allocations that this app can run on (allocations)" },
	{ .name = "explain", .type = GA_O_FLAG, .var = &ask.explain,
	  .prints = &ga_app_fit_schema,
	  .help = "with --app: every live allocation, and why the app cannot run on it" },
	GA_OPTS_END,
};

static const struct ga_schema *const produces[] = {
	&ga_node_schema,	      &ga_slot_schema,	&ga_candidate_schema,	 &ga_profile_schema,
	&ga_image_schema,      &ga_node_image_schema, &ga_allocation_schema, &ga_plan_schema,
	&ga_claim_schema,      &ga_task_schema,	&ga_usage_schema,	 &ga_wipe_evidence_schema,
	&ga_audit_schema,      &ga_pool_schema,	&ga_region_schema,	&ga_attention_schema,
	&ga_maintenance_schema, &ga_event_schema, &ga_team_schema, &ga_grant_schema,
	&ga_access_settings_schema,     &ga_proposal_schema, &ga_app_schema, &ga_app_fit_schema,
	&ga_kept_refusal_schema, NULL,
};

static const char *const examples[] = {
	"gpuaas-list attention",
	"gpuaas-list attention --watch",
	"gpuaas-list slots --where state=available --where node=h7",
	"gpuaas-list plan --where allocation=job1 | gpuaas-provision",
	"gpuaas-list tasks --where object=job1 --newest --limit 20",
	"gpuaas-list allocations --app vllm --explain",
	"gpuaas-list audit --since 24h --json | jq .action",
	"gpuaas-list refusals --since 24h --newest",
	"gpuaas-list events --follow --after 42",
	"gpuaas-list audit --follow -o syslog",
	NULL,
};

static const struct ga_prog prog = {
	.name = "gpuaas-list",
	.abstract = "list nodes, slots, allocations, pools, the audit, and what needs attention",
	.args = "KIND",
	.kinds = ga_list_kinds,
	.args_min = 0,
	.args_max = 1,
	.opts = opts,
	.produces = produces,
	.examples = examples,
	.forms = (const char *const[]){ "syslog", NULL }, /* RFC 5424 */
	.forms_of = "audit",
	.needs_state = true,
	.looks = "*",
};

static int64_t left_out, shown;

static void tell_unreadable(const char *kind, const char *object, const struct ga_err *why)
{
	left_out++;
	ga_say("%s: the %s of '%s' is left out: %s", prog.name, kind, object ? object : "?",
	       why->msg);
}

static int show(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	ga_autostr struct ga_str line = GA_STR_INIT;

	(void)arg;
	shown++;
	if (!ga_streq(ga_cli_form(), "syslog"))
		return ga_emit(schema, obj, err);
	ga_syslog_format(obj, hostname, &line);
	return ga_emit_line(line.buf, err);
}

static int run(struct ga_err *err)
{
	ga_autofree char *after_id = NULL;
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	ga_autodb_leave struct ga_db *db = NULL;
	ga_cleanup(ga_cli_where_release) struct ga_cli_where names = { .where = { 0 } };
	struct ga_list_query q = { .limit = limit, .newest = ask.newest, .here = here,
				   .unreadable = tell_unreadable };
	char time[GA_TIME_SIZE];
	int64_t hidden = 0;
	int r;

	left_out = shown = 0;
	if (ga_list_check(&ask, &q.kind, err) < 0 ||
	    ga_cli_stale_after(&q.stale_seconds, err) < 0 ||
	    (ask.since && ga_cli_when("--since", ask.since, false, time, err) < 0))
		return -1;
	q.since = ask.since ? time : NULL;
	q.hidden = ask.all ? NULL : &hidden;
	if (gethostname(hostname, sizeof(hostname) - 1) < 0)
		hostname[0] = '\0';
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0 ||
	    ga_cli_where(db, ask.where.v, ask.where.n, ask.explain ? &ga_app_fit_schema : NULL,
			 &q, &names, err) < 0 ||
	    (ask.after && ga_cli_after(db, q.kind, ask.after, &after_id, err) < 0))
		return -1;
	q.after = after_id;
	if (ask.follow) {
		if (names.unknown.code)
			ga_say("%s: %s: %s", prog.name, names.unknown.msg, names.unknown.hint);
		ga_db_close(GA_TAKE(db));
		r = ga_follow(ga_cli_state_path(), &q, show, NULL, err);
	} else if (ask.app) {
		r = ga_cli_list_for_app(db, ask.app, ask.explain, &q, show, NULL, err);
	} else {
		r = ga_store_list(db, &q, show, NULL, err);
	}
	ga_list_tell_hidden(hidden);
	if (!r && !shown && !ask.follow && names.unknown.code) {
		*err = names.unknown;
		return -1;
	}
	if (!r && !ask.follow)
		ga_cli_where_warn(&names);
	if (!r && !shown && !left_out && !hidden && !ask.follow)
		ga_list_say_none(&ask, q.kind);
	/* All readable records have been printed. */
	if (!r && left_out)
		return ga_refuse(err, GA_BADREC, "row_damaged", NULL,
				 ("%lld stored records cannot be read", (long long)left_out),
				 ("'gpuaas-state check' shows what is wrong"));
	return r;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ask.watch ? ga_watch(ga_cli_state_path(), run, &err) : run(&err);
	ga_list_release(&ask.where);
	return ga_cli_finish(&prog, r, &err);
}
