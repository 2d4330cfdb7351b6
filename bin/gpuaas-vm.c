/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-vm: the VM of a running allocation, on its host.
 *
 * Starts, stops and reboots it, rebuilds it with an empty disk under the same claim, shows its
 * console and records that, leads ports of the host to it, and says how it is reached. Acts only on
 * active allocations of this host and on domains that carry their id.
 */
#include <unistd.h>

#include "cli.h"
#include "host.h"
#include "result.h"
#include "stop.h"
#include "virt.h"
#include "vm.h"
#include "vm_tell.h"

static int64_t timeout_seconds = 120;
static bool force, dry_run, yes;
static const char *progress = "auto";
static char *node;

#define OPT_TIMEOUT \
	{ .name = "timeout", .type = GA_O_DURATION, .var = &timeout_seconds, .arg = "DURATION", \
	  .help = "how long the guest may take to stop (default 2m)" }
#define OPT_FORCE(when) { .name = "force", .type = GA_O_FLAG, .var = &force, .help = (when) }
#define OPT_DRY_RUN \
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &dry_run, \
	  .help = "print what would be done; change nothing" }
#define OPT_PROGRESS \
	{ .name = "progress", .type = GA_O_WORD, .var = &progress, .arg = "HOW", \
	  .values = ga_progress_words, .help = "auto, json or none" }

static const struct ga_opt start_opts[] = { OPT_DRY_RUN, OPT_PROGRESS, GA_OPTS_END };
static const struct ga_opt stop_opts[] = {
	OPT_TIMEOUT, OPT_FORCE("power it off when the guest does not stop in time"), OPT_DRY_RUN,
	OPT_PROGRESS, GA_OPTS_END,
};
static const struct ga_opt rebuild_opts[] = {
	OPT_TIMEOUT,
	{ .name = "yes", .type = GA_O_FLAG, .var = &yes,
	  .help = "do not ask: the content of its disks is destroyed" },
	OPT_DRY_RUN, OPT_PROGRESS, GA_OPTS_END,
};
static const struct ga_opt no_opts[] = { GA_OPTS_END };

/* ---- what the work needs ---- */

static void say(const char *line)
{
	ga_say("%s", line);
}

static int on_progress(const struct ga_progress *p, struct ga_err *err)
{
	ga_cli_progress_end();
	return ga_result_progress(p, ga_streq(progress, "json"), err);
}

static int on_result(const struct ga_shape *shape, const void *obj, struct ga_err *err)
{
	return dry_run ? ga_emit(shape, obj, err) : ga_result_emit(shape, obj, err);
}

static void moving(const char *what, int64_t done, int64_t total, int64_t started)
{
	ga_cli_progress(progress, what, done, total, started);
}

static struct ga_vm_opts options(void)
{
	return (struct ga_vm_opts){
		.program = ga_cli_program(),
		.node = node,
		.host_dir = ga_cli_host_dir(),
		.libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", GA_VIRT_URI),
		.state_path = ga_cli_state_path(),
		.fabric = { ga_cli_setting("GPUAAS_LIBNVFM", NULL),
			    ga_cli_setting("GPUAAS_FABRIC_ADDRESS", NULL) },
		.scrub_hooks = ga_cli_setting("GPUAAS_GPU_SCRUB_DIR", "/etc/gpuaas/gpu-scrub.d"),
		.dry_run = dry_run,
		.result = on_result,
		.progress = on_progress,
		.fold = ga_result_fold,
		.say = say,
		.moving = moving,
	};
}

static const char *operand(void)
{
	int n;

	return ga_cli_args(&n)[0];
}

/* ---- the commands ---- */

static int run_start(struct ga_err *err)
{
	const struct ga_vm_opts o = options();

	return ga_vm_start(operand(), &o, err);
}

static int run_stop(struct ga_err *err)
{
	const struct ga_vm_opts o = options();

	return ga_vm_stop(operand(), timeout_seconds, force, &o, err);
}

static int run_reboot(struct ga_err *err)
{
	const struct ga_vm_opts o = options();

	return ga_vm_reboot(operand(), timeout_seconds, force, &o, err);
}

static int run_rebuild(struct ga_err *err)
{
	const struct ga_vm_opts o = options();

	if (!yes && !dry_run && ga_vm_confirm(operand(), &o, err) < 0)
		return -1;
	return ga_vm_rebuild(operand(), timeout_seconds, &o, err);
}

static int run_access(struct ga_err *err)
{
	const struct ga_vm_opts o = options();

	return ga_vm_show_access(operand(), &o, err);
}

static int run_ssh(struct ga_err *err)
{
	const struct ga_vm_opts o = options();
	int n;
	char *const *args = ga_cli_args(&n);

	return ga_vm_ssh(args[0], args + 1, &o, err);
}

static const struct ga_cmd cmds[] = {
	{ "start", "switch it on", "ALLOCATION", 1, 1, start_opts, run_start },
	{ "stop", "ask the guest to stop, and wait", "ALLOCATION", 1, 1, stop_opts, run_stop },
	{ "reboot", "stop and start it", "ALLOCATION", 1, 1, stop_opts, run_reboot },
	{ "rebuild", "wipe its disks and make it anew, under the same claim", "ALLOCATION", 1, 1,
	  rebuild_opts, run_rebuild },
	{ "access", "show how it is reached", "ALLOCATION", 1, 1, no_opts, run_access },
	{ "ssh", "log in, or run a command, with its published host key",
	  "ALLOCATION [-- COMMAND…]", 1, -1, no_opts, run_ssh },
	{ .name = NULL },
};

static const struct ga_prog prog = {
	.name = "gpuaas-vm",
	.abstract = "the VM of an allocation, on its host",
	.cmds = cmds,
	.produces = (const struct ga_shape *const[]){
		&ga_power_shape, &ga_allocation_shape, &ga_wipe_evidence_shape, &ga_console_shape,
		&ga_ingress_shape, &ga_reach_shape, &ga_progress_shape, &ga_failure_shape, NULL },
	.examples = (const char *const[]){ "gpuaas-vm stop 7f3c --timeout 5m --force",
					   "gpuaas-vm rebuild 7f3c --yes",
					   "gpuaas-vm ssh 7f3c -- nvidia-smi", NULL },
	.needs_state = true,
	.acts = true,
};

static int run(struct ga_err *err)
{
	int r;

	if (ga_host_node_id(ga_cli_setting("GPUAAS_NODE", NULL), &node, err) < 0 ||
	    ga_result_open(ga_cli_state_path(), err) < 0)
		return -1;
	ga_stop_install();
	r = ga_cli_command()->run(err);
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
