/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-release: ends allocations, or holds them for a while (--hold, --undo, --pending).
 *
 * With ids it is the state side: it commits the intent, and billing ends. It then releases an
 * allocation on this machine at once. For another node, or for a user who may not act on the host,
 * it writes the gpuaas.release-order. With orders on stdin it is the host side. In both cases the
 * host's answer is gpuaas.released and a gpuaas.wipe-order for each slot:
 * gpuaas-release job1 | gpuaas-wipe.
 */
#include "base/stop.h"
#include "base/texts.h"
#include "cli/discover.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "cli/objects/several.h"
#include "cli/release.h"
#include "look/host/host.h"
#include "record/release.h"
#include "record/schema.h"
#include "record/vm.h"
#include "record/wipe.h"

static struct ga_release_ask ask = { .hold_seconds = GA_UNKNOWN, .progress = "auto" };
static bool pending;
static struct ga_borrowed_texts where;
static int64_t jobs = 4;

static const struct ga_opt opts[] = {
	{ .name = "reason", .type = GA_O_PERSON, .var = &ask.reason, .arg = "TEXT",
	  .help = "the reason, for the audit" },
	{ .name = "hold", .type = GA_O_DURATION, .var = &ask.hold_seconds, .arg = "DURATION",
	  .help = "stop the VM and keep its disk for this time; 0: release at once" },
	{ .name = "undo", .type = GA_O_FLAG, .var = &ask.undo,
	  .help = "end a hold and start the VM again" },
	{ .name = "pending", .type = GA_O_FLAG, .var = &pending,
	  .help = "release every held allocation whose time is over" },
	{ .name = "where", .type = GA_O_TEXTS, .var = &where, .arg = "CONDITION",
	  .help = "instead of ALLOCATION: every one that meets it; several: all of them" },
	{ .name = "yes", .type = GA_O_FLAG, .var = &ask.yes,
	  .help = "need no confirmation on a terminal: the content of the disks is destroyed" },
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &ask.dry_run,
	  .help = "print the changes; change nothing" },
	{ .name = "jobs", .type = GA_O_INT, .var = &jobs, .arg = "N", .min = 1, .max = 64,
	  .help = "orders at a time (default 4)" },
	{ .name = "progress", .type = GA_O_WORD, .var = &ask.progress, .arg = "HOW",
	  .values = ga_progress_words, .help = "auto, json or none" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-release",
	.condition_on = &ga_allocation_schema,
	.abstract = "end allocations and release their devices",
	.args = "ALLOCATION…|-",
	.args_max = -1,
	.opts = opts,
	.consumes = (const struct ga_schema *const[]){ &ga_release_order_schema,
						      &ga_hold_order_schema, NULL },
	.produces = (const struct ga_schema *const[]){
		&ga_release_order_schema, &ga_hold_order_schema, &ga_released_schema,
		&ga_wipe_order_schema, &ga_allocation_schema, &ga_power_schema,
		&ga_progress_schema, &ga_failure_schema, NULL },
	.examples = (const char *const[]){ "gpuaas-release job1 | gpuaas-wipe",
					   "gpuaas-release job2 | gpuaas-on gpuaas-release - | "
					   "gpuaas-on gpuaas-wipe | gpuaas-state fold -",
					   "gpuaas-release --where project=vision --dry-run",
					   "gpuaas-release job1 --hold 24h --reason 'not paid'",
					   "gpuaas-release job1 --undo",
					   NULL },
	.needs_state = true,
	.acts = true,
};

/* ---- orders ---- */

static int take_order(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_release_order order;
	int r;

	if (ga_rec_parse(rec, &ga_release_order_schema, &order, err) < 0)
		return -1;
	r = ga_release_carry_out(&order, &ask, err);
	ga_schema_release(&ga_release_order_schema, &order);
	return r;
}

static int take_hold_order(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_hold_order order;
	int r;

	if (ga_rec_parse(rec, &ga_hold_order_schema, &order, err) < 0)
		return -1;
	r = ga_release_hold_do(&order, &ask, err);
	ga_schema_release(&ga_hold_order_schema, &order);
	return r;
}

static const struct ga_consumer consumers[] = {
	{ &ga_release_order_schema, take_order },
	{ &ga_hold_order_schema, take_hold_order },
	{ NULL, NULL },
};

static int take_stream(struct ga_err *err)
{
	if (ga_cli_need_pipe("without an ALLOCATION, release orders", err) < 0 ||
	    ga_result_open(ga_cli_state_path(), err) < 0)
		return -1;
	return ga_cli_stream_jobs(0, "standard input", consumers, (int)jobs, err);
}

/* ---- ids ---- */

static int release_one(const char *id, struct ga_err *err)
{
	/* Opens the state again: the hold of an earlier id may have closed it. */
	if (ga_result_open(ga_cli_state_path(), err) < 0)
		return -1;
	return pending ? ga_release_end(id, &ask, err) : ga_release_one(id, &ask, err);
}

/* A refusal of one does not keep the others, a signal to stop does. With --pending a timer runs
 * this: nobody would run it again for the other ids. */
static int release_all(const struct ga_texts *ids, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < ids->n; i++) {
		if (release_one(ids->v[i], err) >= 0)
			continue;
		if (ga_streq(err->reason, "interrupted"))
			return -1;
		if (!pending) {
			if (!ga_cli_several_goes_on(ids->n, -1, err))
				return -1;
			continue;
		}
		ga_say("%s: %s", ids->v[i], err->msg);
		ga_cli_note_status(err->code);
		ga_err_clear(err);
	}
	return 0;
}

static int run(struct ga_err *err)
{
	ga_cleanup(ga_texts_release) struct ga_texts ids = { 0 }, typed = { 0 };
	int n, r;
	char *const *args = ga_cli_args(&n);
	ga_cleanup(ga_cli_several_release) struct ga_several several = {
		.kind = "allocation", .operands = args, .n = (size_t)n,
		.where = where.v, .n_where = where.n,
	};
	bool reads = !pending && !where.n && (!n || (n == 1 && ga_streq(args[0], "-")));

	ga_stop_install();
	ask.only_over = pending;
	if (ga_release_check(&ask, pending, (n || where.n) && !reads, err) < 0 ||
	    ga_host_node_id(ga_cli_setting("GPUAAS_NODE", NULL), &ask.node, err) < 0 ||
	    ga_cli_accelerators(err) < 0)
		return -1;
	if (reads)
		r = take_stream(err);
	else if (pending)
		r = ga_release_over(&ids, err);
	else
		r = ga_release_pick(&several, &ask, &ids, err);
	if (r >= 0 && !reads && !pending)
		r = ga_release_confirm(&ask, &ids, &typed, err);
	if (r >= 0 && !reads)
		r = release_all(&ids, err);
	if (!ask.dry_run)
		ga_result_tidy();
	ga_result_close();
	free(ask.node);
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
