/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-vm: the VM of a running allocation, on its host.
 *
 * Starts, stops and reboots the VM, rebuilds it with an empty disk under the same claim, shows and
 * records its console, forwards ports of the host to it, and shows how to reach it. Acts only on
 * active allocations of this host and on domains that carry their id.
 */
#include "base/stop.h"
#include "cli/discover.h"
#include "cli/frame/cli.h"
#include "cli/vm.h"

static int64_t timeout_seconds = 120;
static bool force, dry_run, yes;
static const char *progress = "auto", *port, *proto = "tcp";
static struct ga_vm_opts o; /* for every command; made in run() */

#define OPT_TIMEOUT \
	{ .name = "timeout", .type = GA_O_DURATION, .var = &timeout_seconds, .arg = "DURATION", \
	  .help = "time that the guest has to stop (default 2m)" }
#define OPT_DRY_RUN \
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &dry_run, \
	  .help = "print the changes; change nothing" }
#define OPT_PROGRESS \
	{ .name = "progress", .type = GA_O_WORD, .var = &progress, .arg = "HOW", \
	  .values = ga_progress_words, .help = "auto, json or none" }

#define OPT_PROTO \
	{ .name = "proto", .type = GA_O_WORD, .var = &proto, .arg = "PROTO", \
	  .values = ga_proto_words, .help = "tcp (default) or udp" }

static const struct ga_opt start_opts[] = { OPT_DRY_RUN, OPT_PROGRESS, GA_OPTS_END };
static const struct ga_opt stop_opts[] = {
	OPT_TIMEOUT,
	{ .name = "force", .type = GA_O_FLAG, .var = &force,
	  .help = "power the VM off if the guest does not stop in time" },
	OPT_DRY_RUN, OPT_PROGRESS, GA_OPTS_END,
};
static const struct ga_opt rebuild_opts[] = {
	OPT_TIMEOUT,
	{ .name = "yes", .type = GA_O_FLAG, .var = &yes,
	  .help = "need no confirmation: the content of the disks is destroyed" },
	OPT_DRY_RUN, OPT_PROGRESS, GA_OPTS_END,
};
static const struct ga_opt publish_opts[] = {
	{ .name = "port", .type = GA_O_TEXT, .var = &port, .arg = "PORT[:GUEST_PORT]",
	  .help = "port of the host, and of the guest if it is a different one" },
	OPT_PROTO, OPT_DRY_RUN, GA_OPTS_END,
};
static const struct ga_opt unpublish_opts[] = {
	{ .name = "port", .type = GA_O_TEXT, .var = &port, .arg = "PORT",
	  .help = "port of the host" },
	OPT_PROTO, OPT_DRY_RUN, GA_OPTS_END,
};
static const struct ga_opt no_opts[] = { GA_OPTS_END };

static const char *operand(void)
{
	int n;

	return ga_cli_args(&n)[0];
}

/* ---- the commands ---- */

static int run_start(struct ga_err *err)
{
	if (ga_cli_accelerators(err) < 0)
		return -1;
	return ga_vm_start(operand(), &o, err);
}

static int run_stop(struct ga_err *err)
{
	return ga_vm_stop(operand(), timeout_seconds, force, &o, err);
}

static int run_reboot(struct ga_err *err)
{
	if (ga_cli_accelerators(err) < 0)
		return -1;
	return ga_vm_reboot(operand(), timeout_seconds, force, &o, err);
}

static int run_rebuild(struct ga_err *err)
{
	if (!yes && !dry_run && ga_vm_confirm(operand(), &o, err) < 0)
		return -1;
	if (ga_cli_accelerators(err) < 0)
		return -1;
	return ga_vm_rebuild(operand(), timeout_seconds, &o, err);
}

static int run_publish(struct ga_err *err)
{
	int64_t from, to;

	if (ga_vm_parse_ports(port, &from, &to, err) < 0)
		return -1;
	return ga_vm_publish(operand(), proto, from, to, &o, err);
}

static int run_unpublish(struct ga_err *err)
{
	int64_t from;

	if (ga_vm_parse_ports(port, &from, NULL, err) < 0)
		return -1;
	return ga_vm_unpublish(operand(), proto, from, &o, err);
}

static size_t ports;

static int emit_port(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	ports++;
	return ga_emit(schema, obj, err);
}

static int run_published(struct ga_err *err)
{
	int r;

	o.to.result = emit_port;
	r = ga_vm_published(operand(), &o, err);
	if (!r && !ports)
		ga_cli_say_none("published port", "published ports", "");
	return r;
}

static int run_console(struct ga_err *err)
{
	return ga_vm_console(operand(), 0, 1, &o, err);
}

static int run_access(struct ga_err *err)
{
	return ga_vm_show_access(operand(), &o, err);
}

static int run_ssh(struct ga_err *err)
{
	int n;

	return ga_vm_ssh(operand(), ga_cli_args(&n) + 1, &o, err);
}

static const struct ga_cmd cmds[] = {
	{ "start", "start the VM", "ALLOCATION", 1, 1, start_opts, .run = run_start,
	  .example = "gpuaas-vm start job1" },
	{ "stop", "ask the guest to stop, and wait", "ALLOCATION", 1, 1, stop_opts,
	  .run = run_stop },
	{ "reboot", "stop and start the VM", "ALLOCATION", 1, 1, stop_opts, .run = run_reboot,
	  .example = "gpuaas-vm reboot job1 --timeout 2m --force" },
	{ "rebuild", "wipe the disks and make the VM again, under the same claim", "ALLOCATION", 1,
	  1, rebuild_opts, .run = run_rebuild },
	{ "console", "attach this terminal to the serial console; ^] leaves it", "ALLOCATION", 1, 1,
	  no_opts, .run = run_console, .example = "gpuaas-vm console job1" },
	{ "publish", "lead a port of the host to the guest", "ALLOCATION", 1, 1, publish_opts,
	  .run = run_publish },
	{ "unpublish", "close that port", "ALLOCATION", 1, 1, unpublish_opts,
	  .run = run_unpublish, .example = "gpuaas-vm unpublish job1 --port 8080" },
	{ "published", "list the published ports", "ALLOCATION", 1, 1, no_opts, run_published,
	  .prints = &ga_ingress_schema, .example = "gpuaas-vm published job1" },
	{ "access", "show how to reach the guest", "ALLOCATION", 1, 1, no_opts, run_access,
	  .prints = &ga_reach_schema, .example = "gpuaas-vm access job1" },
	{ "ssh", "log in, or run a command, with the published host key",
	  "ALLOCATION [-- COMMAND…]", 1, -1, no_opts, .run = run_ssh },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-vm",
	.abstract = "the VM of an allocation, on its host",
	.cmds = cmds,
	.produces = (const struct ga_schema *const[]){
		&ga_power_schema, &ga_allocation_schema, &ga_wipe_evidence_schema,
		&ga_console_schema, &ga_ingress_schema, &ga_reach_schema, &ga_progress_schema,
		&ga_failure_schema, NULL },
	.examples = (const char *const[]){ "gpuaas-vm stop job1 --timeout 5m --force",
					   "gpuaas-vm rebuild job1 --yes",
					   "gpuaas-vm publish job1 --port 8080:80",
					   "gpuaas-vm ssh job1 -- nvidia-smi", NULL },
	.needs_state = true,
	.acts = true,
};

/* Commands that only look; every user may run these. The others need the permission to release the
 * allocation. */
static bool only_looks(void)
{
	const char *name = ga_cli_command()->name;

	return ga_streq(name, "published") || ga_streq(name, "access") || ga_streq(name, "ssh");
}

static int run(struct ga_err *err)
{
	int r;

	ga_stop_install();
	if (!only_looks() && ga_vm_may(operand(), dry_run, err) < 0)
		return -1;
	r = ga_vm_tell_begin(progress, dry_run, &o, err);
	if (r == 0)
		r = ga_cli_command()->run(err);
	ga_vm_tell_end(&o);
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
