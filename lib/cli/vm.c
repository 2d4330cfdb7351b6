/* SPDX-License-Identifier: Apache-2.0 */
/* The question before a rebuild, access records, and ssh. */
#include "cli/vm.h"

#include <stdio.h>
#include <unistd.h>

#include "act/device/virt.h"
#include "base/proc.h"
#include "base/quote.h"
#include "base/texts.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "look/host/host.h"
#include "record/size.h"
#include "state/access/access.h"
#include "state/query/find.h"

/* One for the process, because the callbacks have no argument for it. */
static const char *progress_mode = "auto";

static void say(const char *line)
{
	ga_say("%s", line);
}

static int on_progress(const struct ga_progress *p, struct ga_err *err)
{
	ga_cli_progress_end();
	return ga_result_progress(p, ga_streq(progress_mode, "json"), err);
}

static void moving(const char *what, int64_t done, int64_t total, int64_t started)
{
	ga_cli_progress(progress_mode, what, done, total, started);
}

int ga_vm_tell_begin(const char *progress, bool dry_run, struct ga_vm_opts *ret,
		     struct ga_err *err)
{
	char *node = NULL;

	progress_mode = progress;
	if (ga_host_node_id(ga_cli_setting("GPUAAS_NODE", NULL), &node, err) < 0)
		return -1;
	*ret = (struct ga_vm_opts){
		.program = ga_cli_program(),
		.node = node,
		.host_dir = ga_cli_host_dir(),
		.images_dir = ga_cli_images_dir(),
		.libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", GA_VIRT_URI),
		.state_path = ga_cli_state_path(),
		.fabric = { ga_cli_setting("GPUAAS_LIBNVFM", NULL),
			    ga_cli_setting("GPUAAS_FABRIC_ADDRESS", NULL) },
		.scrub_hooks = ga_cli_setting("GPUAAS_GPU_SCRUB_DIR", "/etc/gpuaas/gpu-scrub.d"),
		.dry_run = dry_run,
		.to = { .result = dry_run ? ga_emit : ga_result_emit, .progress = on_progress,
			.say = say, .moving = moving },
		.fold = ga_result_fold,
	};
	return ga_result_open(ga_cli_state_path(), err);
}

void ga_vm_tell_end(struct ga_vm_opts *o)
{
	ga_result_close();
	free((char *)(uintptr_t)o->node);
	o->node = NULL;
}

int ga_vm_may(const char *id, bool dry_run, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	ga_autofree char *allocation = NULL;
	struct ga_err unknown = GA_ERR_INIT;
	int r;

	if (ga_who()->is_root || access(ga_cli_state_path(), F_OK) < 0)
		return 0;
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err) < 0 ||
	    ga_store_begin(db, ga_cli_program(), err) < 0)
		return -1;
	/* The command itself reports an id that is not in the state. */
	if (ga_store_resolve(db, "allocation", id, &allocation, NULL, &unknown) < 0)
		return 0;
	r = ga_store_may_allocation(db, "release", allocation, err);
	return r < 0 && !dry_run ? ga_store_access_note(db, err) : r;
}

int ga_vm_confirm(const char *id, const struct ga_vm_opts *opts, struct ga_err *err)
{
	ga_autofree char *allocation = NULL, *name = NULL;

	if (ga_vm_resolve(id, opts, &allocation, &name, err) < 0)
		return -1;
	if (!isatty(STDIN_FILENO))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--yes is missing: a rebuild destroys what is on the disks of "
				  "'%s'", allocation),
				 ("'--dry-run' shows what would be done"));
	return ga_cli_confirm(allocation, name, err);
}

int ga_vm_parse_ports(const char *text, int64_t *from, int64_t *to, struct ga_err *err)
{
	ga_autofree char *first = text ? ga_xstrndup(text, strcspn(text, ":")) : NULL;
	const char *colon = text ? strchr(text, ':') : NULL;

	if (!text)
		return ga_fail(err, GA_USAGE, "--port is missing");
	if (colon && !to)
		return ga_fail(err, GA_USAGE, "--port '%s' is not one port", text);
	if (ga_int_parse(first, "--port", 1, 65535, from, err) < 0)
		return -1;
	if (to)
		*to = *from;
	return colon ? ga_int_parse(colon + 1, "--port", 1, 65535, to, err) : 0;
}

int ga_vm_show_access(const char *id, const struct ga_vm_opts *opts, struct ga_err *err)
{
	ga_autofree char *known_hosts = NULL;
	struct ga_reach reach;
	int r = ga_vm_access(id, opts, &reach, &known_hosts, err);

	if (r >= 0)
		r = ga_emit(&ga_reach_schema, &reach, err);
	ga_schema_release(&ga_reach_schema, &reach);
	return r;
}

/* Needs no jump host: this machine is the host of the guest. */
static int exec_ssh(const struct ga_reach *to, const char *known_hosts, char *const *command,
		    struct ga_err *err)
{
	ga_autofree char *file = ga_xprintf("-oUserKnownHostsFile=%s", known_hosts);
	ga_autofree char *target = ga_xprintf("%s%s%s", to->user ? to->user : "",
					      to->user ? "@" : "", to->address);
	struct ga_borrowed_texts argv = { 0 };
	const char *const fixed[] = { "ssh", "-oStrictHostKeyChecking=yes", file,
				      "-oGlobalKnownHostsFile=/dev/null", "-oUpdateHostKeys=no",
				      "-oHostKeyAlgorithms=ssh-ed25519" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(fixed); i++)
		*ga_list_add(&argv) = fixed[i];
	*ga_list_add(&argv) = "--";
	*ga_list_add(&argv) = target;
	for (; *command; command++)
		*ga_list_add(&argv) = *command;
	*ga_list_add(&argv) = NULL;
	ga_proc_default_signals();
	ga_proc_exec(argv.v, environ);
	ga_list_release(&argv);
	return ga_fail_sys(err, "cannot start 'ssh'");
}

int ga_vm_ssh(const char *id, char *const *command, const struct ga_vm_opts *opts,
	      struct ga_err *err)
{
	ga_autofree char *known_hosts = NULL;
	struct ga_reach reach;
	int r = ga_vm_access(id, opts, &reach, &known_hosts, err);

	if (r >= 0 && (!ga_is_plain(reach.address) || (reach.user && !ga_is_plain(reach.user))))
		r = ga_fail_for(err, GA_CONFLICT, "no_address", "allocation '%s' has no address",
				reach.allocation);
	else if (r >= 0 && !known_hosts)
		r = ga_fail_for(err, GA_CONFLICT, "no_host_key",
				"the host key of '%s' was not published: "
				"an impostor could answer", reach.allocation);
	if (r >= 0)
		r = exec_ssh(&reach, known_hosts, command, err);
	ga_schema_release(&ga_reach_schema, &reach);
	return r;
}
