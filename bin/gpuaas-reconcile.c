/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-reconcile: compares this host with its expected state; repairs drift where that is safe.
 *
 * Reads expectation records from a pipe ("-"), or from the state if it is on this machine. Writes a
 * drift record for each difference, and one observation. Without drift it is silent and ends with
 * status 0.
 */
#include "base/stop.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "cli/reconcile.h"
#include "record/expectation.h"
#include "record/inventory.h"
#include "record/schema.h"
#include "record/wipe.h"

#include <sys/stat.h>
#include <unistd.h>

static struct {
	const char *node;
	struct ga_borrowed_texts machines;
	bool repair, plan, boot, inventory, take_over;
} opt;

static struct ga_reconcile_opts how;
static int64_t remaining, expectations;

static const struct ga_opt opts[] = {
	{ .name = "node", .type = GA_O_TEXT, .var = &opt.node, .arg = "NODE",
	  .help = "the node's id (default $GPUAAS_NODE, else made from the machine id)" },
	{ .name = "repair", .type = GA_O_FLAG, .var = &opt.repair,
	  .help = "do the safe repairs; never ends a domain, never writes to a disk" },
	{ .name = "plan", .type = GA_O_FLAG, .var = &opt.plan, .looks = true,
	  .help = "show what --repair would do, and change nothing" },
	{ .name = "boot", .type = GA_O_FLAG, .var = &opt.boot,
	  .help = "after a reboot: start recorded domains that are off again" },
	{ .name = "take-over", .type = GA_O_FLAG, .var = &opt.take_over,
	  .help = "from now on carry out the orders of this state, and of no other state" },
	{ .name = "inventory", .type = GA_O_FLAG, .var = &opt.inventory,
	  .help = "write the knowledge of this host, for gpuaas-state adopt; needs no state" },
	{ .name = "machine", .type = GA_O_TEXTS, .var = &opt.machines, .arg = "NODE",
	  .help = "with --inventory: ask baremetal.d/status who has this machine" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-reconcile",
	.abstract = "find drift between this host and the state, and repair what is safe",
	.args = "[-|FILE]",
	.args_max = 1,
	.opts = opts,
	.consumes = (const struct ga_schema *const[]){ &ga_expectation_schema, NULL },
	.produces =
		(const struct ga_schema *const[]){
			&ga_drift_schema, &ga_observation_schema, &ga_allocation_schema,
			&ga_released_schema, &ga_wipe_order_schema, &ga_wipe_evidence_schema,
			&ga_inventory_work_schema, &ga_inventory_schema, &ga_failure_schema, NULL },
	.examples =
		(const char *const[]){
			"gpuaas-reconcile --plan", "gpuaas-reconcile --repair --boot",
			"gpuaas-state expect --node h7 | ssh h7 gpuaas-reconcile - | "
			"gpuaas-state fold -",
			"gpuaas-reconcile | jq 'select(.severity==\"error\")'", NULL },
	.needs_state = true,
	.acts = true,
};

static int reconcile(const struct ga_expectation *want, struct ga_err *err)
{
	int64_t n = ga_reconcile(want, &how, err);

	expectations++;
	remaining += n;
	return n < 0 ? -1 : 0;
}

static int take(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_expectation want;
	int r;

	if (ga_rec_parse(rec, &ga_expectation_schema, &want, err) < 0)
		return -1;
	r = reconcile(&want, err);
	ga_schema_release(&ga_expectation_schema, &want);
	return r;
}

static int from_stream(const char *operand, struct ga_err *err)
{
	static const struct ga_consumer table[] = { { &ga_expectation_schema, take }, { 0 } };

	return ga_cli_stream_from(operand, "an expectation", table, err);
}

static int from_state(struct ga_err *err)
{
	struct ga_expectation want;
	int r;

	if (ga_cli_reconcile_want(how.node, &want, err) < 0)
		return -1;
	how.take_over = true; /* the state on this machine is the controller */
	r = reconcile(&want, err);
	ga_schema_release(&ga_expectation_schema, &want);
	return r;
}

static int run(struct ga_err *err)
{
	ga_autofree char *node = NULL;
	struct stat in;
	int n, r = 0;
	char *const *args = ga_cli_args(&n);
	bool piped = n || (fstat(0, &in) == 0 && S_ISFIFO(in.st_mode));

	if (opt.inventory && (opt.repair || opt.plan || opt.boot || n))
		return ga_fail(err, GA_USAGE, "--inventory only reports: it takes nothing else");
	if (opt.machines.n && !opt.inventory)
		return ga_fail(err, GA_USAGE, "--machine belongs to --inventory");
	if (opt.take_over && (opt.plan || opt.inventory))
		return ga_fail(err, GA_USAGE, "--take-over changes who is served: not with %s",
			       opt.plan ? "--plan" : "--inventory");
	if (opt.repair && opt.plan)
		return ga_fail(err, GA_USAGE,
			       "--repair and --plan exclude each other");
	if (opt.inventory) {
		r = ga_cli_reconcile_look(&how.look, opt.node, &node, err);
		r = r < 0 ? -1 : ga_cli_inventory(node, &how.look, opt.machines.v, opt.machines.n,
						  err);
		ga_result_close();
		return r;
	}
	if (ga_cli_reconcile_opts(&how, prog.name, opt.node, &node, err) < 0)
		return -1;
	how.repairs = opt.repair;
	how.take_over = opt.take_over;
	how.repair.dry_run = opt.plan;
	how.repair.boot = how.look.booting = opt.boot;
	ga_stop_install();
	if (piped || !how.repair.holds_state)
		r = from_stream(n ? args[0] : "-", err);
	if (!r && !n && !expectations) /* an empty pipe (as of cron) counts as none */
		r = from_state(err);
	if (!opt.plan)
		ga_result_tidy();
	ga_result_close();
	return r < 0 ? -1 : remaining > 0;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = run(&err);
	return ga_cli_finish(&prog, r, &err);
}
