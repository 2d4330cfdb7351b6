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
#include "record/node.h"
#include "record/plan.h"
#include "record/release.h"
#include "record/state.h"

static struct ga_node_opts opt = {
	.generation = GA_UNKNOWN,
	.change = { .reserved_memory_mib = GA_UNKNOWN, .network.prefix_bits = GA_UNKNOWN },
};
static int64_t reserved_memory = GA_UNKNOWN;

#define SET(option, member, what, text) \
	{ .name = option, .type = GA_O_TEXT, .var = &opt.change.member, .arg = what, .help = text }
#define REASON \
	{ .name = "reason", .type = GA_O_PERSON, .var = &opt.reason, .arg = "TEXT", \
	  .help = "the reason; it is shown in the node and in the audit" }
#define DRY_RUN \
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &opt.dry_run, \
	  .help = "show the changes; change nothing" }
#define GENERATION \
	{ .name = "generation", .type = GA_O_INT, .var = &opt.generation, .arg = "N", \
	  .max = INT32_MAX, .help = "only if the node still has this generation" }
#define YES \
	{ .name = "yes", .type = GA_O_FLAG, .var = &opt.yes, .help = "need no confirmation" }

#define WHERE \
	{ .name = "where", .type = GA_O_TEXTS, .var = &opt.where, .arg = "CONDITION", \
	  .help = "instead of NODE: every node that meets it; several: all of them" }

static const struct ga_opt show_opts[] = { WHERE, GA_OPTS_END };
static const struct ga_opt list_opts[] = {
	{ .name = "where", .type = GA_O_TEXTS, .var = &opt.where, .arg = "CONDITION",
	  .help = "only nodes with state=active,draining, pool!=a, slots>4; several: all of them" },
	GA_OPTS_END,
};
static const struct ga_opt set_opts[] = {
	SET("name", name, "NAME", "name of the node"),
	SET("address", address, "ADDRESS", "address for ssh"),
	SET("region", region, "REGION", "region of the node"),
	SET("pool", pool, "POOL", "pool of the node"),
	SET("reserved-cpus", reserved_cpus, "CPUS", "CPUs kept for the host (0-1,96-97)"),
	{ .name = "reserved-memory", .type = GA_O_SIZE, .var = &reserved_memory,
	  .arg = "SIZE", .help = "memory kept for the host" },
	SET("bridge", network.bridge, "NAME", "Open vSwitch bridge of the private network"),
	SET("uplink", network.uplink, "NAME", "interface through which the NAT leaves the host"),
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
static const struct ga_opt mode_opts[] = { WHERE, DRY_RUN, GA_OPTS_END };
static const struct ga_opt drain_opts[] = {
	REASON,
	{ .name = "deadline", .type = GA_O_TEXT, .var = &opt.deadline, .arg = "TIME",
	  .help = "when the drain should be done (a time, or 24h)" },
	{ .name = "evacuate", .type = GA_O_FLAG, .var = &opt.evacuate,
	  .help = "stop allocations and make them again on other nodes; their disks are not kept" },
	{ .name = "consent", .type = GA_O_TEXTS, .var = &opt.consent, .arg = "ALLOCATION",
	  .help = "allocation whose owner agreed (several times: these)" },
	WHERE, GENERATION, DRY_RUN, GA_OPTS_END,
};
static const struct ga_opt move_opts[] = { REASON, WHERE, GENERATION, DRY_RUN, GA_OPTS_END };
static const struct ga_opt final_opts[] = { REASON, YES, GENERATION, DRY_RUN, GA_OPTS_END };
static const struct ga_opt window_opts[] = {
	{ .name = "from", .type = GA_O_TEXT, .var = &opt.from, .arg = "TIME",
	  .help = "begin of the window (default now): a time, or 24h from now" },
	{ .name = "to", .type = GA_O_TEXT, .var = &opt.to, .arg = "TIME",
	  .help = "end of the window: a time, or 24h from now" },
	REASON, DRY_RUN, GA_OPTS_END,
};

static int run(struct ga_err *err)
{
	if (reserved_memory != GA_UNKNOWN)
		opt.change.reserved_memory_mib = reserved_memory >> 20;
	return ga_node_command(ga_cli_command()->name, &opt, err);
}

static const struct ga_cmd cmds[] = {
	{ .name = "list", .abstract = "list the nodes", .opts = list_opts, .run = run,
	  .prints = &ga_node_schema, .example = "gpuaas-node list --sort name" },
	{ "show", "show a node, its maintenance, and what blocks a drain", "NODE…", 0, -1,
	  show_opts, .run = run, .example = "gpuaas-node show h7" },
	{ "set", "change settings of the node", "NODE", 1, 1, set_opts, .run = run },
	{ "mode", "sell the node in mode slice or baremetal", "NODE… MODE", 1, -1, mode_opts,
	  .run = run, .example = "gpuaas-node mode h7 slice" },
	{ "rename", "give the node another name", "NODE NAME", 2, 2, change_opts, .run = run,
	  .example = "gpuaas-node rename h8 h9" },
	{ "drain", "stop placement on the node; show what is still there", "NODE…", 0, -1,
	  drain_opts, .run = run },
	{ "undrain", "end a drain or a quarantine", "NODE…", 0, -1, move_opts, .run = run,
	  .example = "gpuaas-node undrain h7" },
	{ "quarantine", "stop placement until a person has checked the node", "NODE…", 0, -1,
	  move_opts, .run = run,
	  .example = "gpuaas-node quarantine h7 --reason 'smoke in row 4'" },
	{ "lost", "declare that the host will not come back", "NODE", 1, 1, final_opts,
	  .run = run, .example = "gpuaas-node lost h8 --reason 'fire in row 4' --yes" },
	{ "retire", "take the node out for ever, when nothing of it is in use", "NODE", 1, 1,
	  final_opts, .run = run,
	  .example = "gpuaas-node retire h9 --reason 'it burnt' --yes" },
	{ "revoke-key", "revoke the signing key of the node for ever", "NODE", 1, 1, final_opts,
	  .run = run, .example = "gpuaas-node revoke-key h7 --reason 'its disk was stolen' --yes" },
	{ "maintenance", "plan a maintenance window of the node", "NODE", 1, 1, window_opts,
	  .run = run },
	{ "end-maintenance", "end a window before its time", "MAINTENANCE", 1, 1, change_opts,
	  .run = run, .example = "gpuaas-node end-maintenance "
				 "$(gpuaas-list maintenance --where node=h7 -o name)" },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-node",
	.condition_on = &ga_node_schema,
	.abstract = "nodes: settings, drains, maintenance, lost hosts",
	.cmds = cmds,
	.produces = (const struct ga_schema *const[]){
		&ga_node_schema, &ga_maintenance_schema, &ga_drain_blocker_schema, &ga_plan_schema,
		&ga_refusal_schema, &ga_release_order_schema, NULL },
	.examples = (const char *const[]){
		"gpuaas-node drain h7 --reason 'new firmware' --deadline 24h",
		"gpuaas-node drain --where pool=h200 --reason 'new firmware' --dry-run",
		"gpuaas-node drain h7 --reason 'new firmware' --evacuate --consent job1",
		"gpuaas-node maintenance h7 --from 24h --to 26h --reason 'power supply'",
		"gpuaas-node set h7 --address h7.example.net --pool h200", NULL },
	.needs_state = true,
	.acts = true,
	.looks = "list show",
};

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = ga_cli_command()->run(&err);
	return ga_cli_finish(&prog, r, &err);
}
