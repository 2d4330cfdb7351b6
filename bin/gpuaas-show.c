/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-show: everything in the state about one node, slot or allocation: the record, its claims,
 * timeline, evidence, usage and audit; or about a team, a grant, a proposal or an app. Sections on
 * a terminal, records in a pipe.
 */
#include "cli/frame/cli.h"
#include "cli/frame/watch.h"
#include "record/access.h"
#include "record/app.h"
#include "record/match.h"
#include "record/result.h"
#include "record/state.h"
#include "state/db/row.h"
#include "state/query/find.h"
#include "state/query/show.h"

static bool watch;

static const struct ga_opt opts[] = {
	{ .name = "watch", .type = GA_O_FLAG, .var = &watch,
	  .help = "show it on the whole terminal, anew when the state changes; q ends it" },
	GA_OPTS_END,
};

static const struct ga_schema *const produces[] = {
	&ga_node_schema, &ga_slot_schema,		 &ga_allocation_schema, &ga_claim_schema,
	&ga_allocation_match_schema,
	&ga_task_schema, &ga_wipe_evidence_schema, &ga_usage_schema,      &ga_audit_schema,
	&ga_team_schema, &ga_grant_schema,	 &ga_proposal_schema,   &ga_app_schema, NULL,
};

static const char *const examples[] = {
	"gpuaas-show 7f3c",
	"gpuaas-show 7f3c --watch",
	"gpuaas-show h7 --json | jq -c 'select(.kind==\"gpuaas.slot/1\")'",
	NULL,
};

static const struct ga_prog prog = {
	.name = "gpuaas-show",
	.abstract = "show everything of one node, slot, allocation, app, team or grant",
	.args = "OBJECT",
	.args_min = 1,
	.args_max = 1,
	.opts = opts,
	.produces = produces,
	.examples = examples,
	.needs_state = true,
	.looks = "*",
};

static const struct {
	const struct ga_schema *schema;
	const char *title;
} sections[] = {
	{ &ga_slot_schema, "Slots" },
	{ &ga_allocation_match_schema, "Match" },
	{ &ga_claim_schema, "Claims" },
	{ &ga_task_schema, "Timeline" },
	{ &ga_wipe_evidence_schema, "Wipe evidence" },
	{ &ga_usage_schema, "Usage" },
	{ &ga_proposal_schema, "Overrides proposed" },
	{ &ga_audit_schema, "Audit" },
};

/* The section that is being printed; each section begins with its heading. */
struct shown {
	const struct ga_schema *section;
	bool begun;
};

static int show(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	struct shown *s = arg;
	size_t i;

	if (!s->begun && ga_emit_is_table()) {
		ga_autojson json_t *json = ga_schema_format(schema, obj);

		s->begun = true;
		json_object_del(json, "phases"); /* the timeline has them */
		ga_print_record(schema, json, NULL);
		return 0;
	}
	for (i = 0; s->section != schema && i < GA_ARRAY_SIZE(sections); i++)
		if (sections[i].schema == schema)
			ga_print("\n%s", sections[i].title);
	s->section = schema;
	return ga_emit(schema, obj, err);
}

static int run(struct ga_err *err)
{
	ga_autodb_leave struct ga_db *db = NULL;
	struct shown shown = { 0 };
	ga_autofree char *id = NULL;
	const char *kind = NULL;
	int n;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0 ||
	    ga_store_resolve(db, NULL, ga_cli_args(&n)[0], &id, &kind, err) < 0)
		return -1;
	return ga_store_show(db, kind, id, show, &shown, err);
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = watch ? ga_watch(ga_cli_state_path(), run, &err) : run(&err);
	return ga_cli_finish(&prog, r, &err);
}
