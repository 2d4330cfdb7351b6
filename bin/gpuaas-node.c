/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-node: the daily management of hosts.
 *
 * Lists nodes and changes their settings, takes them out of placement and puts them back, shows
 * what blocks a drain, moves allocations whose owner agreed, plans maintenance, and gives up lost
 * hosts. For single slots use gpuaas-approve.
 */
#include "cli/frame/cli.h"
#include "cli/node/node.h"
#include "record/plan.h"
#include "record/release.h"

static struct ga_node_opts opt = {
	.generation = GA_UNKNOWN,
	.change = { .reserved_memory_mib = GA_UNKNOWN, .network.prefix_bits = GA_UNKNOWN },
};
static int64_t reserved_memory = GA_UNKNOWN;

#define SET(option, member, what, text) \
	{ .name = option, .type = GA_O_TEXT, .var = &opt.change.member, .arg = what, .help = text }
#define REASON \
	{ .name = "reason", .type = GA_O_TEXT, .var = &opt.reason, .arg = "TEXT", \
	  .help = "why, for whoever looks later" }
#define DRY_RUN \
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &opt.dry_run, \
	  .help = "show what would be done; change nothing" }
#define GENERATION \
	{ .name = "generation", .type = GA_O_INT, .var = &opt.generation, .arg = "N", \
	  .max = INT32_MAX, .help = "only if the node did not change since" }
#define YES \
	{ .name = "yes", .type = GA_O_FLAG, .var = &opt.yes, .help = "do not ask" }

static const struct ga_opt no_opts[] = { GA_OPTS_END };
static const struct ga_opt list_opts[] = {
	{ .name = "where", .type = GA_O_TEXTS, .var = &opt.where, .arg = "MEMBER=VALUE",
	  .help = "only nodes with this value; several: all of them" },
	GA_OPTS_END,
};
static const struct ga_opt set_opts[] = {
	SET("name", name, "NAME", "its name"),
	SET("address", address, "ADDRESS", "where ssh reaches it"),
	SET("region", region, "NAME", "its region"),
	SET("pool", pool, "NAME", "its pool"),
	SET("reserved-cpus", reserved_cpus, "CPUS", "CPUs kept for the host (0-1,96-97)"),
	{ .name = "reserved-memory", .type = GA_O_SIZE, .var = &reserved_memory,
	  .arg = "SIZE", .help = "memory kept for the host" },
	SET("bridge", network.bridge, "NAME", "Open vSwitch bridge of its private network"),
	SET("uplink", network.uplink, "NAME", "interface the NAT leaves by"),
	SET("gateway", network.gateway, "ADDRESS", "address of the bridge"),
	{ .name = "prefix", .type = GA_O_INT, .var = &opt.change.network.prefix_bits, .arg = "BITS",
	  .min = 8, .max = 30, .help = "prefix of the private network" },
	SET("dhcp-hosts", network.dhcp_hosts_dir, "FOLDER", "folder of DHCP reservations"),
	SET("leases", network.lease_file, "FILE", "lease file of dnsmasq"),
	{ .name = "fabric-mode", .type = GA_O_WORD, .var = &opt.change.fabric_mode, .arg = "MODE",
	  .values = (const char *const[]){ "none", "partitions", NULL },
	  .help = "whether NVSwitch partitions are used" },
	DRY_RUN, GA_OPTS_END,
};
static const struct ga_opt change_opts[] = { DRY_RUN, GA_OPTS_END };
static const struct ga_opt drain_opts[] = {
	REASON,
	{ .name = "deadline", .type = GA_O_TEXT, .var = &opt.deadline, .arg = "TIME",
	  .help = "until when it is to be done (a time, or 24h); after it, it needs attention" },
	{ .name = "evacuate", .type = GA_O_FLAG, .var = &opt.evacuate,
	  .help = "stop allocations and make them again elsewhere; their disks are not kept" },
	{ .name = "consent", .type = GA_O_TEXTS, .var = &opt.consent, .arg = "ALLOCATION",
	  .help = "whose owner agreed to that (several times: these)" },
	GENERATION, DRY_RUN, GA_OPTS_END,
};
static const struct ga_opt move_opts[] = { REASON, GENERATION, DRY_RUN, GA_OPTS_END };
static const struct ga_opt final_opts[] = { REASON, YES, GENERATION, DRY_RUN, GA_OPTS_END };
static const struct ga_opt window_opts[] = {
	{ .name = "from", .type = GA_O_TEXT, .var = &opt.from, .arg = "TIME",
	  .help = "when it begins (default now): a time, or 24h for so long from now" },
	{ .name = "to", .type = GA_O_TEXT, .var = &opt.to, .arg = "TIME",
	  .help = "when it is over: a time, or so long from now" },
	REASON, DRY_RUN, GA_OPTS_END,
};

static int run(struct ga_err *err)
{
	if (reserved_memory != GA_UNKNOWN)
		opt.change.reserved_memory_mib = reserved_memory >> 20;
	return ga_node_command(ga_cli_command()->name, &opt, err);
}

static const struct ga_cmd cmds[] = {
	{ .name = "list", .abstract = "every node", .opts = list_opts, .run = run },
	{ "show", "a node, its maintenance, and what keeps a drain from being done", "NODE", 1, 1,
	  no_opts, run },
	{ "set", "change settings", "NODE", 1, 1, set_opts, run },
	{ "mode", "sell it as slices or whole (slice, baremetal)", "NODE MODE", 2, 2, change_opts,
	  run },
	{ "rename", "give it another name", "NODE NAME", 2, 2, change_opts, run },
	{ "drain", "place nothing more on it; say what is still there", "NODE", 1, 1, drain_opts,
	  run },
	{ "undrain", "back into placement, also from quarantine", "NODE", 1, 1, move_opts, run },
	{ "quarantine", "out of placement until somebody has looked", "NODE", 1, 1, move_opts,
	  run },
	{ "lost", "give up a host that will not come back", "NODE", 1, 1, final_opts, run },
	{ "retire", "out for ever, when nothing of it is in use", "NODE", 1, 1, final_opts, run },
	{ "revoke-key", "take nothing more that is signed with its key", "NODE", 1, 1, final_opts,
	  run },
	{ "maintenance", "plan a time in which nothing may run there", "NODE", 1, 1, window_opts,
	  run },
	{ "end-maintenance", "end one before its time", "MAINTENANCE", 1, 1, change_opts, run },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-node",
	.abstract = "nodes: settings, drains, maintenance, lost hosts",
	.cmds = cmds,
	.produces = (const struct ga_schema *const[]){
		&ga_node_schema, &ga_maintenance_schema, &ga_drain_blocker_schema, &ga_plan_schema,
		&ga_refusal_schema, &ga_release_order_schema, NULL },
	.examples = (const char *const[]){
		"gpuaas-node drain h7 --reason 'new firmware' --deadline 24h",
		"gpuaas-node drain h7 --evacuate --consent 7f3c",
		"gpuaas-node maintenance h7 --from 24h --to 26h --reason 'power supply'",
		"gpuaas-node set h7 --address h7.example.net --pool h200", NULL },
	.needs_state = true,
	.acts = true,
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	return ga_cli_finish(&prog, r, &err);
}
