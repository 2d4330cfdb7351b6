/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-state: makes, fills, checks and copies the state file, and alone creates or migrates it.
 * "apply" stores declarative objects, "fold" commits results of hosts, "expect" prints the expected
 * state of a node. Each record is one transaction; its change is printed after the commit.
 */
#include <sys/stat.h>

#include "cli/frame/tell_state.h"
#include "cli/frame/types.h"
#include "cli/state/state.h"
#include "record/expectation.h"
#include "record/notice.h"
#include "record/result.h"
#include "record/state.h"
#include "record/vm.h"
#include "record/wipe.h"
#include "state/allocation/userdata.h"
#include "state/fold/take.h"

static bool lab;
static const char *node;
static struct ga_db *db;

static const struct ga_opt init_opts[] = {
	{ .name = "lab", .type = GA_O_FLAG, .var = &lab,
	  .help = "files are the disks; block devices are refused, for ever" },
	GA_OPTS_END,
};
static const struct ga_opt expect_opts[] = {
	{ .name = "node", .type = GA_O_TEXT, .var = &node, .arg = "NODE",
	  .help = "only for this node (default: for every node)" },
	GA_OPTS_END,
};

static int run_init(struct ga_err *err), run_migrate(struct ga_err *err),
	run_fold(struct ga_err *err), run_expect(struct ga_err *err), run_check(struct ga_err *err);

static const struct ga_cmd cmds[] = {
	{ .name = "init", .abstract = "make a new state file", .opts = init_opts, .run = run_init },
	{ .name = "migrate", .abstract = "migrate an older file to the schema of this version",
	  .run = run_migrate, .example = "gpuaas-state migrate" },
	{ .name = "apply",
	  .abstract = "store profiles, apps, images, node settings, regions, teams and grants",
	  .args = "FILE|-…", .args_min = 1, .args_max = -1, .opts = ga_cli_apply_opts,
	  .run = ga_cli_apply },
	{ .name = "fold", .abstract = "commit results of hosts", .args = "FILE|-", .args_max = 1,
	  .run = run_fold },
	{ .name = "expect", .abstract = "print the expected state of the nodes",
	  .opts = expect_opts, .run = run_expect, .prints = &ga_expectation_schema },
	{ .name = "check", .abstract = "check the promises of the state", .run = run_check,
	  .prints = &ga_finding_schema, .example = "gpuaas-state check" },
	{ .name = "backup", .abstract = "copy the file while it is in use", .args = "FILE",
	  .args_min = 1, .args_max = 1, .opts = ga_cli_backup_opts, .run = ga_cli_backup,
	  .example = "gpuaas-state backup --keep 48 /var/lib/gpuaas/backup" },
	{ .name = "restore", .abstract = "replace the state by a backup, in a new epoch",
	  .args = "FILE", .args_min = 1, .args_max = 1, .opts = ga_cli_restore_opts,
	  .run = ga_cli_restore,
	  .example = "gpuaas-state restore /backup/state.db "
		     "--reason 'the disk of the controller died'" },
	{ .name = "adopt", .abstract = "add the knowledge of hosts to the state",
	  .args = "FILE|-", .args_max = 1, .opts = ga_cli_adopt_opts, .run = ga_cli_adopt,
	  .example = "ssh h7 gpuaas-reconcile --inventory | "
		     "gpuaas-state adopt --reason restored -" },
	{ .name = "rebuild", .abstract = "make a lost state from the inventories of all hosts",
	  .args = "FILE|-", .args_max = 1, .opts = ga_cli_rebuild_opts, .run = ga_cli_rebuild,
	  .example = "ssh h7 gpuaas-reconcile --inventory | "
		     "gpuaas-state rebuild --reason 'state and backups are lost' -" },
	{ .name = "notify",
	  .abstract = "report to hooks objects that need a person, or no longer do",
	  .opts = ga_cli_notify_opts, .run = ga_cli_notify, .prints = &ga_notice_schema,
	  .example = "gpuaas-state notify" },
	{ .name = "acknowledge", .abstract = "hide an entry of attention, with a reason and an end",
	  .args = "OBJECT", .args_min = 1, .args_max = 1, .opts = ga_cli_acknowledge_opts,
	  .run = ga_cli_acknowledge, .prints = &ga_attention_schema },
	{ .name = "audit", .abstract = "verify the audit, or print its head", .args = "verify|head",
	  .args_min = 1, .args_max = 1, .run = ga_cli_audit,
	  .example = "gpuaas-state audit verify" },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-state",
	.abstract = "make, fill, check, copy and restore the state file",
	.cmds = cmds,
	.consumes = ga_store_takes,
	.produces =
		(const struct ga_schema *const[]){ &ga_state_schema, &ga_finding_schema,
						  &ga_expectation_schema, &ga_audit_schema,
						  &ga_allocation_schema, &ga_slot_schema,
						  &ga_wipe_order_schema, &ga_notice_schema,
						  &ga_attention_schema, &ga_change_schema, NULL },
	.examples = (const char *const[]){
		"gpuaas-state init --lab", "gpuaas-state apply share/objects/h200-slice.json",
		"gpuaas-list plan | gpuaas-on gpuaas-provision | gpuaas-state fold -",
		"gpuaas-state acknowledge SLOT --reason 'a NIC comes on Friday' --until 3d",
		"gpuaas-state expect | gpuaas-on gpuaas-reconcile - | gpuaas-state fold -", NULL },
	.needs_state = true,
	.acts = true,
	.looks = "check",
};

static int open_state(enum ga_db_mode mode, struct ga_err *err)
{
	return ga_db_open(ga_cli_state_path(), GA_DB_STATE, mode, &db, err);
}

static int run_init(struct ga_err *err)
{
	if (ga_db_init(ga_cli_state_path(), lab, &db, err) < 0)
		return -1;
	return ga_tell_state(db, "init", ga_cli_state_path(), err);
}

static int run_migrate(struct ga_err *err)
{
	struct stat st;

	/* GA_DB_CREATE would make a new state, and we could not know whether it is a lab. */
	if (stat(ga_cli_state_path(), &st) < 0)
		return open_state(GA_DB_WRITE, err);
	if (open_state(GA_DB_CREATE, err) < 0)
		return -1;
	return ga_tell_unsellable(db, err) < 0 ? -1 :
						 ga_tell_state(db, "migrate",
							       ga_cli_state_path(), err);
}

/* A refused result, such as one that came too late, does not stop the results after it. */
static int fold(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	bool first = false;
	int r = ga_store_take_result(db, rec, &first, &why, err);

	if (r >= 0) {
		if (first)
			ga_tell_first_key(rec);
		if (why.code)
			ga_cli_say_error(&why);
		return ga_emit_raw(rec, err);
	}
	if (err->code != GA_CONFLICT && err->code != GA_NOTFOUND && !ga_store_key_is_refusal(err))
		return -1;
	ga_say("gpuaas-state: line %llu is not folded: %s", (unsigned long long)rec->line,
	       err->msg);
	ga_cli_note_status((int)err->code);
	ga_err_clear(err);
	return 0;
}

static int stream(const struct ga_consumer *table, struct ga_err *err)
{
	int n;
	char *const *args = ga_cli_args(&n);

	if (open_state(GA_DB_WRITE, err) < 0)
		return -1;
	return ga_cli_stream_from(n ? args[0] : NULL, "records", table, err);
}

static int run_fold(struct ga_err *err)
{
	struct ga_err later = GA_ERR_INIT;
	int r;
	static const struct ga_consumer table[] = {
		{ &ga_progress_schema, fold },	 { &ga_allocation_schema, fold },
		{ &ga_released_schema, fold },	 { &ga_wipe_evidence_schema, fold },
		{ &ga_observation_schema, fold }, { &ga_drift_schema, fold },
		{ &ga_failure_schema, fold },	 { &ga_power_schema, fold },
		{ &ga_console_schema, fold },	 { &ga_ingress_schema, fold }, { NULL, NULL },
	};

	r = stream(table, err);
	if (db && ga_store_user_data_tidy(db, r < 0 ? &later : err) < 0)
		r = -1;
	return r;
}

static int run_expect(struct ga_err *err)
{
	return open_state(GA_DB_READ, err) < 0 ? -1 : ga_tell_expect(db, node, err);
}

static int run_check(struct ga_err *err)
{
	int found;

	if (open_state(GA_DB_READ, err) < 0)
		return -1;
	ga_tell_engine();
	ga_tell_open(db);
	found = ga_tell_check(db, err);
	return found < 0 ? -1 : found > 0;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	ga_db_close(db);
	return ga_cli_finish(&prog, r, &err);
}
