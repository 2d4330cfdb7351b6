/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-release: ends allocations.
 *
 * With ids it is the state side: the intent is committed and billing ends; what lies on this
 * machine is then taken back at once, and for another node, or run by a user who may not act on
 * the host, its gpuaas.release-order goes out. With orders on stdin it is the host side. Either way
 * the host's answer is gpuaas.released and a gpuaas.wipe-order for each slot:
 * gpuaas-release 7f3c | gpuaas-wipe.
 */
#include <errno.h>
#include <unistd.h>

#include "cli.h"
#include "cli_discover.h"
#include "host.h"
#include "result.h"
#include "stop.h"
#include "store.h"
#include "takeback.h"
#include "virt.h"

static const char *reason, *progress = "auto";
static bool dry_run;
static int64_t jobs = 4;
static char *node;

static const struct ga_opt opts[] = {
	{ .name = "reason", .type = GA_O_TEXT, .var = &reason, .arg = "TEXT",
	  .help = "why, for the audit" },
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &dry_run,
	  .help = "print what would be done; change nothing" },
	{ .name = "jobs", .type = GA_O_INT, .var = &jobs, .arg = "N", .min = 1, .max = 64,
	  .help = "orders at a time (default 4)" },
	{ .name = "progress", .type = GA_O_WORD, .var = &progress, .arg = "HOW",
	  .values = ga_progress_words, .help = "auto, json or none" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-release",
	.abstract = "end allocations and take their devices back",
	.args = "ID…|-",
	.args_max = -1,
	.opts = opts,
	.consumes = (const struct ga_shape *const[]){ &ga_release_order_shape, NULL },
	.produces = (const struct ga_shape *const[]){
		&ga_release_order_shape, &ga_released_shape, &ga_wipe_order_shape,
		&ga_allocation_shape, &ga_progress_shape, &ga_failure_shape, NULL },
	.examples = (const char *const[]){ "gpuaas-release 7f3c | gpuaas-wipe",
					   "gpuaas-release 7f3c | ssh h7 gpuaas-release - | "
					   "gpuaas-state fold -",
					   NULL },
	.needs_state = true,
	.acts = true,
};

/* ---- the host side ---- */

static void say(const char *line)
{
	ga_say("%s", line);
}

static int on_progress(const struct ga_progress *p, struct ga_err *err)
{
	return ga_result_progress(p, ga_streq(progress, "json"), err);
}

/* Orders are no results and dry runs are shown only: neither is folded. */
static int on_result(const struct ga_shape *shape, const void *obj, struct ga_err *err)
{
	if (dry_run || shape == &ga_wipe_order_shape)
		return ga_emit(shape, obj, err);
	return ga_result_emit(shape, obj, err);
}

static int carry_out(const struct ga_release_order *order, struct ga_err *err)
{
	const struct ga_takeback_opts o = {
		.program = prog.name,
		.node = node,
		.host_dir = ga_cli_host_dir(),
		.libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", GA_VIRT_URI),
		.fabric = { ga_cli_setting("GPUAAS_LIBNVFM", NULL),
			    ga_cli_setting("GPUAAS_FABRIC_ADDRESS", NULL) },
		.baremetal_dir = ga_cli_setting("GPUAAS_BAREMETAL_DIR", "/etc/gpuaas/baremetal.d"),
		.dry_run = dry_run,
		.result = on_result,
		.progress = on_progress,
		.say = say,
	};

	return ga_takeback(order, &o, err);
}

static int take_order(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_release_order order;
	int r;

	if (ga_rec_parse(rec, &ga_release_order_shape, &order, err) < 0)
		return -1;
	r = carry_out(&order, err);
	ga_shape_release(&ga_release_order_shape, &order);
	return r;
}

static const struct ga_consumer consumers[] = {
	{ &ga_release_order_shape, take_order },
	{ NULL, NULL },
};

static int take_stream(struct ga_err *err)
{
	if (ga_cli_need_pipe("release orders, or name allocations", err) < 0 ||
	    ga_result_open(ga_cli_state_path(), err) < 0)
		return -1;
	return ga_cli_stream_jobs(0, "standard input", consumers, (int)jobs, err);
}

/* ---- the state side ---- */

/* Commits the intent. order is filled when there is something on a host; a plan nobody took up is
 * cancelled and shown instead. */
static int intend(const char *id, struct ga_release_order *order, bool *has_order,
		  struct ga_allocation *cancelled, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	ga_autofree char *full = NULL;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err) < 0 ||
	    ga_db_begin(db, prog.name, err) < 0 ||
	    ga_store_resolve(db, "allocation", id, &full, NULL, err) < 0 ||
	    ga_store_release(db, full, reason, order, has_order, err) < 0 ||
	    (!*has_order && ga_store_allocation(db, full, cancelled, err) < 0))
		return -1;
	if (dry_run) {
		order->dry_run = true;
		cancelled->dry_run = true;
		return 0; /* closing rolls back */
	}
	return ga_db_commit(db, err);
}

/* Who owns the state need not be root: the order then goes on to who is. */
static bool may_act_here(void)
{
	return !geteuid() || access(ga_cli_host_dir(), R_OK | W_OK | X_OK) == 0 || errno != EACCES;
}

static int release(const char *id, struct ga_err *err)
{
	struct ga_release_order order;
	struct ga_allocation cancelled;
	bool has_order = false;
	int r;

	ga_shape_init(&ga_release_order_shape, &order);
	ga_shape_init(&ga_allocation_shape, &cancelled);
	r = intend(id, &order, &has_order, &cancelled, err);
	if (r >= 0 && !has_order)
		r = ga_emit(&ga_allocation_shape, &cancelled, err);
	else if (r >= 0 && ga_streq(order.node, node) && ga_streq(order.shape, "slice") &&
		 may_act_here())
		r = carry_out(&order, err);
	else if (r >= 0)
		r = ga_emit(&ga_release_order_shape, &order, err);
	ga_shape_release(&ga_release_order_shape, &order);
	ga_shape_release(&ga_allocation_shape, &cancelled);
	return r;
}

static int run(struct ga_err *err)
{
	int n, i, r = 0;
	char *const *args = ga_cli_args(&n);

	ga_stop_install();
	if (ga_host_node_id(ga_cli_setting("GPUAAS_NODE", NULL), &node, err) < 0 ||
	    ga_cli_accelerators(err) < 0)
		return -1;
	if (!n || (n == 1 && ga_streq(args[0], "-")))
		r = take_stream(err);
	else if (ga_result_open(ga_cli_state_path(), err) < 0)
		r = -1;
	for (i = 0; n && !ga_streq(args[0], "-") && i < n && r >= 0; i++)
		r = release(args[i], err);
	ga_result_close();
	free(node);
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
