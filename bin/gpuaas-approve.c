/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-approve: turns candidates into slots; no other program creates capacity.
 *
 * Without operands it reads discoveries and makes slots of their candidates. A slot whose devices
 * were never wiped here enters wiping first. With operands it changes the state of slots:
 * VERB SLOT… (--reason).
 */
#include "base/texts.h"
#include "cli/approve.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "look/host/stream.h"
#include "record/size.h"
#include "record/state.h"
#include "record/wipe.h"
#include "record/words.h"
#include "state/db/audit.h"

static struct {
	bool all_ready, record_only, dry_run, explain, accept_change;
	struct ga_borrowed_texts slots, destroy_data, where;
	const char *profile, *wipe_class, *verify, *gpu_memory, *mode, *by, *reason, *disposal;
} opt;

static const struct ga_opt opts[] = {
	{ .name = "all-ready", .type = GA_O_FLAG, .var = &opt.all_ready,
	  .help = "approve every candidate that nothing blocks" },
	{ .name = "slot", .type = GA_O_TEXTS, .var = &opt.slots, .arg = "INDEX",
	  .help = "approve this candidate (several times: these)" },
	{ .name = "record-only", .type = GA_O_FLAG, .var = &opt.record_only,
	  .help = "store the observations, approve nothing" },
	{ .name = "destroy-data", .type = GA_O_TEXTS, .var = &opt.destroy_data, .arg = "WWID",
	  .help = "allow the first wipe to destroy the data on this disk" },
	{ .name = "profile", .type = GA_O_TEXT, .var = &opt.profile, .arg = "PROFILE",
	  .help = "take the wipe policy from this profile" },
	{ .name = "wipe-class", .type = GA_O_WORD, .var = &opt.wipe_class, .arg = "CLASS",
	  .values = ga_class_words, .help = "least class of a wipe (default purge; lab: clear)" },
	{ .name = "verify", .type = GA_O_WORD, .var = &opt.verify, .arg = "HOW",
	  .values = ga_verify_words, .help = "how much of the disk is read back (default full)" },
	{ .name = "gpu-memory", .type = GA_O_WORD, .var = &opt.gpu_memory, .arg = "HOW",
	  .values = ga_gpu_memory_words,
	  .help = "whether wiping GPU memory needs proof (default if_supported)" },
	{ .name = "mode", .type = GA_O_WORD, .var = &opt.mode, .arg = "MODE",
	  .values = ga_mode_words, .help = "sell the node as slices or as baremetal" },
	{ .name = "accept-change", .type = GA_O_FLAG, .var = &opt.accept_change,
	  .help = "the hardware may differ from what was approved before" },
	{ .name = "reason", .type = GA_O_PERSON, .var = &opt.reason, .arg = "TEXT",
	  .help = "the reason (disable, repair, cordon, quarantine, retire)" },
	{ .name = "disposal", .type = GA_O_PERSON, .var = &opt.disposal, .arg = "TEXT",
	  .help = "how a disk that was not wiped was destroyed (retire)" },
	{ .name = "where", .type = GA_O_TEXTS, .var = &opt.where, .arg = "CONDITION",
	  .help = "instead of SLOT: every slot that meets it; several: all of them" },
	{ .name = "by", .type = GA_O_PERSON, .var = &opt.by, .arg = "TEXT",
	  .help = "a note for the audit, beside your user name" },
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &opt.dry_run,
	  .help = "show the changes, change nothing" },
	{ .name = "explain", .type = GA_O_FLAG, .var = &opt.explain,
	  .help = "show everything that blocks each slot that is not ready, and the fix" },
	GA_OPTS_END,
};

static const char *const lines[][2] = {
	{ "disable", "take slots out of sale" },
	{ "enable", "put disabled slots on sale again" },
	{ "repair", "wipe blocked slots again, after a person has looked" },
	{ "cordon", "place nothing new on slots" },
	{ "uncordon", "end a cordon" },
	{ "quarantine", "keep slots out of use until a person has checked them" },
	{ "retire", "take slots out for ever" },
	{ "confirm", "agree to the override that another person proposed" },
	{ "withdraw", "end a proposal" },
	{ NULL, NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-approve",
	.condition_on = &ga_slot_schema,
	.abstract = "make slots from discovered hardware, or change the state of slots",
	.args = "[disable|enable|repair|cordon|uncordon|quarantine|retire SLOT…|"
		"confirm|withdraw PROPOSAL…]",
	.args_max = -1,
	.opts = opts,
	.lines = lines,
	.consumes = (const struct ga_schema *const[]){ &ga_host_schema, &ga_candidate_schema,
						       &ga_end_schema, NULL },
	.produces = (const struct ga_schema *const[]){ &ga_slot_schema, &ga_wipe_order_schema,
						       &ga_node_schema, &ga_proposal_schema,
						       NULL },
	.examples = (const char *const[]){
		"gpuaas-discover | gpuaas-approve --all-ready | gpuaas-wipe",
		"gpuaas-discover | gpuaas-approve --all-ready --dry-run --explain",
		"gpuaas-discover | gpuaas-approve --slot 3 --destroy-data eui.002538b5410a1031",
		"gpuaas-approve cordon --where node=h7 --reason 'fan noise' --dry-run",
		"gpuaas-approve repair SLOT --reason 'cable replaced' | gpuaas-wipe", NULL },
	.needs_state = true,
	.acts = true,
};

static struct ga_approve_run run_state;
static struct ga_host_stream stream;
static size_t discoveries;

static int take(const struct ga_rec *rec, struct ga_err *err)
{
	int whole = ga_host_stream_take(&stream, rec, err), r;

	if (whole <= 0)
		return whole;
	discoveries++;
	ga_approve_look_again(&stream.candidates);
	r = ga_approve_discovery(&run_state, &stream.host, &stream.candidates, err);
	if (run_state.content_checked)
		ga_approve_tell_content(&stream.candidates);
	return r < 0 ? -1 : ga_approve_emit(&run_state, opt.explain, err);
}

static int run_stream(struct ga_err *err)
{
	const struct ga_consumer table[] = { { &ga_host_schema, take },
					     { &ga_candidate_schema, take },
					     { &ga_end_schema, take },
					     { NULL, NULL } };
	int r;

	if (!opt.all_ready && !opt.record_only && !opt.slots.n)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("an option is missing"),
				 ("--all-ready, --slot INDEX or --record-only"));
	if (ga_cli_need_pipe("discoveries", err) < 0)
		return -1;
	r = ga_cli_stream(0, "standard input", table, err);
	if (r >= 0)
		r = ga_host_stream_end(&stream, err);
	if (r >= 0 && !discoveries) {
		r = ga_fail(err, GA_BADREC, "standard input brought no discovery");
		(void)ga_hint(err, "look for the error of gpuaas-discover, and run it again");
	}
	ga_host_stream_release(&stream);
	if (r < 0)
		return -1;
	return opt.record_only || run_state.approved ? GA_OK : GA_NO;
}

static int run(struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	struct ga_ints slots = { NULL, 0 };
	char *const *args;
	size_t i;
	int n, r = 0;

	args = ga_cli_args(&n);
	ga_audit_program(prog.name);
	if (n)
		r = ga_approve_check_verb(args[0], (size_t)n - 1, opt.where.n, err);
	else if (opt.where.n)
		r = ga_fail(err, GA_USAGE, "--where is for a verb, as 'cordon'");
	if (r == 0 && opt.destroy_data.n && (n || opt.record_only))
		r = ga_refuse(err, GA_USAGE, NULL, NULL,
			      ("--destroy-data allows nothing with %s: only an approval orders the "
			       "wipe", n ? args[0] : "--record-only"),
			      ("--slot INDEX or --all-ready"));
	for (i = 0; r == 0 && i < opt.slots.n; i++)
		r = ga_int_parse(opt.slots.v[i], "--slot", 0, 255, ga_list_add(&slots), err);
	if (r == 0)
		r = ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err);
	if (r < 0) {
		ga_list_release(&slots);
		return -1;
	}
	run_state = (struct ga_approve_run){
		.db = db,
		.slots = slots,
		.destroy_data = opt.destroy_data,
		.note = opt.by,
		.reason = opt.reason,
		.disposal = opt.disposal,
		.mode = opt.mode,
		.accept_change = opt.accept_change,
		.all = opt.all_ready,
		.record_only = opt.record_only,
		.dry_run = opt.dry_run,
		.catalogue = ga_cli_catalogue,
	};
	r = ga_approve_policy(&run_state, opt.profile, opt.wipe_class, opt.verify, opt.gpu_memory,
			      err);
	if (r >= 0)
		r = n ? ga_approve_each(&run_state, args, (size_t)n, &opt.where, opt.explain, err) :
			run_stream(err);
	ga_approve_say_next(&run_state, n ? args[0] : NULL);
	ga_approve_release(&run_state);
	ga_list_release(&slots);
	return r;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = run(&err);
	return ga_cli_finish(&prog, r, &err);
}
