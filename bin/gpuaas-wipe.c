/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-wipe: erases the disks and devices of slots and proves it. Answers each wipe order of the
 * pipe (or each that is pending on this host) with evidence. Alone: --device and --confirm.
 */
#include "act/device/virt.h"
#include "base/stop.h"
#include "cli/discover.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "cli/frame/tell.h"
#include "cli/wipe.h"
#include "look/host/host.h"
#include "record/id.h"
#include "record/result.h"
#include "record/wipe.h"
#include "record/words.h"

static struct ga_wipe_hand hand;
static const char *certificate, *progress = "auto";
static bool list, pending, unanswered;
static int64_t jobs = 4;
static char *node;

static const struct ga_opt opts[] = {
	{ .name = "device", .type = GA_O_TEXT, .var = &hand.device, .arg = "PATH|WWID",
	  .help = "wipe this disk, without any order or state" },
	{ .name = "confirm", .type = GA_O_TEXT, .var = &hand.confirm, .arg = "WWID",
	  .help = "with --device: identity of the disk, as --dry-run shows it" },
	{ .name = "class", .type = GA_O_WORD, .var = &hand.class, .arg = "CLASS",
	  .values = ga_class_words, .help = "with --device: purge (default) or clear" },
	{ .name = "verify", .type = GA_O_WORD, .var = &hand.verify, .arg = "HOW",
	  .values = ga_verify_words, .help = "with --device: full (default) or sampled" },
	{ .name = "lab", .type = GA_O_FLAG, .var = &hand.lab,
	  .help = "with --device: the disk may be a regular file, as in a lab" },
	{ .name = "pending", .type = GA_O_FLAG, .var = &pending,
	  .help = "carry out the orders that this host has read and not confirmed" },
	{ .name = "unanswered", .type = GA_O_FLAG, .var = &unanswered,
	  .help = "with --pending: only the orders without evidence" },
	{ .name = "certificate", .type = GA_O_TEXT, .var = &certificate, .arg = "EVIDENCE",
	  .help = "print kept evidence for a tenant", .prints = &ga_prints_text },
	{ .name = "list", .type = GA_O_FLAG, .var = &list, .prints = &ga_prints_text,
	  .help = "print what --certificate takes, one a line" },
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &hand.dry_run,
	  .help = "show identity, guard and methods; touch nothing" },
	{ .name = "jobs", .type = GA_O_INT, .var = &jobs, .arg = "N", .min = 1, .max = 64,
	  .help = "disks at a time (default 4)" },
	{ .name = "progress", .type = GA_O_WORD, .var = &progress, .arg = "HOW",
	  .values = ga_progress_words, .help = "auto, json or none" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-wipe",
	.abstract = "erase the disks of slots and prove it",
	.args = "[FILE|-]", .args_max = 1, .opts = opts,
	.consumes = (const struct ga_schema *const[]){ &ga_wipe_order_schema, NULL },
	.produces = (const struct ga_schema *const[]){ &ga_wipe_evidence_schema,
						       &ga_progress_schema, NULL },
	.examples = (const char *const[]){ "gpuaas-release job1 | gpuaas-wipe",
					   "gpuaas-wipe --pending",
					   "gpuaas-wipe --device /dev/nvme3n1 --dry-run", NULL },
	.needs_state = true, .acts = true,
};

static struct ga_wipe_opts options(const struct ga_wipe_order *order, struct ga_tell *tell)
{
	return (struct ga_wipe_opts){
		.order = order,
		.alone = !order->object,
		.dry_run = hand.dry_run,
		.node = node,
		.tool = "gpuaas-wipe " GA_VERSION,
		.scrub_hooks = ga_cli_setting("GPUAAS_GPU_SCRUB_DIR", "/etc/gpuaas/gpu-scrub.d"),
		.libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", GA_VIRT_URI),
		.phase = tell ? ga_tell_phase : NULL,
		.arg = tell,
	};
}

static int carry_out(const struct ga_wipe_order *order, struct ga_wipe_evidence *e,
		     struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	struct ga_tell tell = { .mode = progress, .node = node, .object = order->object,
				.attempt = order->attempt, .generation = order->generation,
				.folds = true };
	struct ga_wipe_opts o = options(order, &tell);
	struct ga_err lost = GA_ERR_INIT, no = GA_ERR_INIT;
	int r;

	if (ga_hostdb_open_or_make(ga_cli_host_dir(), &h, err) < 0)
		return -1;
	/* A state on this machine gets the result at once; a lost state never stops a wipe. */
	if (ga_result_open(ga_cli_state_path(), &lost) < 0) {
		(void)ga_wrap(&lost, "nothing is folded into the state");
		ga_cli_say_error(&lost);
	}
	r = ga_result_may_wipe(order, &no, err);
	o.refused = no.code ? &no : NULL;
	ga_wipe_warn(&o);
	if (r >= 0 && (r = ga_wipe_job(&h, &o, e, err)) >= 0) {
		ga_wipe_say(e);
		r = ga_result_emit(&ga_wipe_evidence_schema, e, err);
	}
	ga_result_close();
	return r;
}

static int plan(const struct ga_wipe_order *order, struct ga_wipe_evidence *e, struct ga_err *err)
{
	ga_automemory struct ga_wipe_memory m = { 0 };
	struct ga_wipe_opts o = options(order, NULL);

	if (ga_wipe_remember(ga_cli_host_dir(), &o, &m, err) < 0)
		return -1;
	ga_wipe_warn(&o);
	ga_wipe_run(&o, e);
	ga_wipe_evidence_seal(e);
	return ga_wipe_show(e, err);
}

static int take_order(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_wipe_evidence e = { 0 };
	struct ga_wipe_order order;
	int r;

	if (ga_rec_parse(rec, &ga_wipe_order_schema, &order, err) < 0)
		return -1;
	r = ga_wipe_order_check(&order, node, hand.dry_run, err);
	if (r >= 0)
		r = hand.dry_run ? plan(&order, &e, err) : carry_out(&order, &e, err);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	ga_schema_release(&ga_wipe_order_schema, &order);
	return r;
}

static const struct ga_consumer consumers[] = { { &ga_wipe_order_schema, take_order },
						{ NULL, NULL } };

static int keep_order(const struct ga_rec *rec, struct ga_err *err)
{
	return ga_wipe_keep(rec, node, err);
}

static const struct ga_consumer keepers[] = { { &ga_wipe_order_schema, keep_order },
					      { NULL, NULL } };

/* Wipes only if the host can keep the evidence. If keeping fails afterwards, the program shows the
 * evidence and ends with the status of the failure. */
static int wipe_alone(struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_automemory struct ga_wipe_memory m = { 0 };
	ga_autofree char *id = ga_id_new();
	struct ga_wipe_order order = { 0 };
	struct ga_wipe_evidence e = { 0 };
	struct ga_tell tell = { .mode = progress, .node = node, .object = id, .attempt = id };
	struct ga_wipe_opts o = options(&order, &tell);
	int r;

	ga_stop_install();
	if (ga_wipe_by_hand(&hand, &order, err) < 0)
		return -1;
	r = hand.dry_run ? 0 : ga_hostdb_open_or_make(ga_cli_host_dir(), &h, err);
	if (r < 0)
		(void)ga_wrap(err, "nothing was wiped: its evidence could not be kept");
	if (r < 0 || ga_wipe_remember(ga_cli_host_dir(), &o, &m, err) < 0) {
		ga_schema_release(&ga_wipe_order_schema, &order);
		return -1;
	}
	ga_wipe_run(&o, &e);
	ga_wipe_keep_evidence(hand.dry_run ? NULL : &h, &e);
	r = ga_wipe_show(&e, err);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	ga_schema_release(&ga_wipe_order_schema, &order);
	return r;
}

static int run(struct ga_err *err)
{
	int n, r, fd = 0;
	char *const *args = ga_cli_args(&n);
	const char *name = pending ? "the pending orders" : n ? args[0] : "standard input";

	if (!!hand.device + pending + !!certificate + list + n > 1)
		return ga_fail(err, GA_USAGE, "--device, --pending, --certificate, --list and "
			       "FILE exclude each other");
	if ((hand.confirm || hand.class || hand.verify || hand.lab) && !hand.device)
		return ga_fail(err, GA_USAGE, "--confirm, --class, --verify and --lab go with "
			       "--device: an order names its own class and verification");
	if (unanswered && !pending)
		return ga_fail(err, GA_USAGE, "--unanswered goes with --pending");
	if (certificate || list)
		return ga_wipe_print_certificate(certificate, err);
	if (ga_host_node_id(ga_cli_setting("GPUAAS_NODE", NULL), &node, err) < 0 ||
	    ga_cli_accelerators(err) < 0)
		return -1;
	if (hand.device)
		return wipe_alone(err);
	r = pending ? ga_wipe_pending(node, unanswered, &fd, err) : ga_wipe_open(args[0], &fd, err);
	if (r <= 0)
		return r;
	/* A dry run is quick, and this process prints its text. */
	r = hand.dry_run ? ga_cli_stream(fd, name, consumers, err) :
			   ga_cli_stream_jobs_here(fd, name, consumers, keepers, (int)jobs, err);
	return r >= 0 && pending && ga_wipe_refuse_piped(0, err) < 0 ? -1 : r;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = run(&err);
	free(node);
	return ga_cli_finish(&prog, r, &err);
}
