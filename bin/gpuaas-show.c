/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-show: everything in the state about one node, slot or allocation: the record, its claims,
 * timeline, evidence, usage and audit; or about a team, a grant, a proposal or an app. Sections on
 * a terminal, records in a pipe.
 */
#include <string.h>

#include "base/texts.h"
#include "cli/frame/cli.h"
#include "cli/frame/form.h"
#include "cli/objects/several.h"
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
static struct ga_borrowed_texts where;

static const struct ga_opt opts[] = {
	{ .name = "watch", .type = GA_O_FLAG, .var = &watch,
	  .help = "show it on the whole terminal, anew when the state changes; q ends it" },
	{ .name = "where", .type = GA_O_TEXTS, .var = &where, .arg = "CONDITION",
	  .help = "every node, slot or allocation that meets it; the operand is the kind" },
	GA_OPTS_END,
};

static const struct ga_schema *const produces[] = {
	&ga_node_schema, &ga_slot_schema,		 &ga_allocation_schema, &ga_claim_schema,
	&ga_allocation_match_schema,
	&ga_task_schema, &ga_wipe_evidence_schema, &ga_usage_schema,      &ga_audit_schema,
	&ga_team_schema, &ga_grant_schema,	 &ga_proposal_schema,   &ga_app_schema, NULL,
};

static const char *const examples[] = {
	"gpuaas-show job1",
	"gpuaas-show job1 --watch",
	"gpuaas-show allocations --where state=failed",
	"gpuaas-show h7 --json | jq -c 'select(.kind==\"gpuaas.slot/1\")'",
	NULL,
};

static const char *const kind_words[] = { "nodes", "slots", "allocations", NULL };

static const struct ga_prog prog = {
	.name = "gpuaas-show",
	.abstract = "show everything of one node, slot, allocation, app, team or grant",
	.args = "OBJECT…|nodes|slots|allocations",
	.kinds = kind_words,
	.args_min = 1,
	.args_max = -1,
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

/* The kind that the word names, also in the plural; NULL: none. */
static const char *kind_of(const char *word)
{
	static const char *const kinds[] = { "node", "slot", "allocation" };
	size_t i, n;

	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++) {
		n = strlen(kinds[i]);
		if (ga_starts(word, kinds[i]) && (!word[n] || !strcmp(word + n, "s")))
			return kinds[i];
	}
	return NULL;
}

/* With --where the operand is a kind of object. */
static int pick(const char *word, struct ga_texts *ret, struct ga_err *err)
{
	ga_cleanup(ga_cli_several_release) struct ga_several ask = {
		.kind = kind_of(word), .where = where.v, .n_where = where.n, .shows = true,
	};

	if (ask.kind)
		return ga_cli_several(&ask, ret, err);
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("with --where the operand is a kind, and '%.64s' is none", word),
			 ("nodes, slots or allocations"));
}

/* "gpuaas-show nodes" most likely means all of them. */
static int resolve(struct ga_db *db, const char *text, char **id, const char **kind,
		   struct ga_err *err)
{
	const char *several = kind_of(text);

	if (ga_store_resolve(db, NULL, text, id, kind, err) == 0)
		return 0;
	if (several && err->code == GA_NOTFOUND) {
		err->hint[0] = '\0';
		(void)ga_hint(err, "'gpuaas-show %ss --where CONDITION' shows several, and "
			      "'gpuaas-list %ss' lists them", several, several);
	}
	return -1;
}

/* Shows the object that a text names, unless it was shown before. */
static int show_one(struct ga_db *db, const char *text, struct ga_texts *shown, struct ga_err *err)
{
	ga_autotexts struct ga_texts others = { 0 };
	struct shown state = { 0 };
	ga_autofree char *id = NULL;
	const char *kind = NULL;
	size_t i;

	if (ga_db_begin_read(db, err) < 0 ||
	    resolve(db, text, &id, &kind, err) < 0 ||
	    ga_store_also_named(db, kind, text, &others, err) < 0)
		return -1;
	for (i = 0; i < others.n; i++)
		ga_say("gpuaas-show: note: the %s '%s' is shown; 'gpuaas-list %s' lists another "
		       "object of that name", kind, text, others.v[i]);
	if (ga_texts_has(shown, id))
		return 0;
	if (shown->n)
		ga_print("%s", "");
	ga_texts_add(shown, id);
	return ga_store_show(db, kind, id, show, &state, err);
}

static int run(struct ga_err *err)
{
	ga_autotexts struct ga_texts names = { 0 }, shown = { 0 };
	ga_autodb_leave struct ga_db *db = NULL;
	char *const *args;
	size_t i;
	int n;

	args = ga_cli_args(&n);
	if (ga_emit_is_table() && ga_form()->columns.n)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--columns is for tables of one kind, and this is a page of "
				  "several"),
				 ("'gpuaas-list KIND --where CONDITION --columns NAME -o table' "
				  "prints a table; -o csv --columns prints members of "
				  "each record"));
	if (where.n && n > 1)
		return ga_fail(err, GA_USAGE, "with --where there is one operand, the kind");
	if (where.n && pick(args[0], &names, err) < 0)
		return -1;
	for (i = 0; !where.n && i < (size_t)n; i++)
		ga_texts_add(&names, args[i]);
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0)
		return -1;
	for (i = 0; i < names.n; i++) {
		int r = show_one(db, names.v[i], &shown, err);

		ga_db_rollback(db);
		if (!ga_cli_several_goes_on(names.n, r, err))
			return r;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = watch ? ga_watch(ga_cli_state_path(), run, &err) : run(&err);
	return ga_cli_finish(&prog, r, &err);
}
