/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-host-bootstrap: sets up a plain machine as a host of slices (or of baremetal), once.
 *
 * It checks the machine, shows the changes it will make, makes each change with its inverse in the
 * journal, and checks again. A second run finds nothing to do. --boot restores the settings that a
 * reboot loses; --undo reverts the changes. --record measures the host as it is now, to compare it
 * untuned and tuned.
 */
#include "base/stop.h"
#include "cli/bootstrap/bootstrap.h"
#include "cli/frame/cli.h"
#include "state/host/hostdb.h"

static struct ga_cli_boot_opts opt = { .vfs = GA_UNKNOWN };

static bool new_key;

static const char *const modes[] = { "slice", "baremetal", NULL };

static const struct ga_opt opts[] = {
	{ .name = "mode", .type = GA_O_WORD, .var = &opt.mode, .arg = "MODE", .values = modes,
	  .help = "mode of the host (default GPUAAS_MODE, else a tag of MAAS)" },
	{ .name = "check", .type = GA_O_FLAG, .var = &opt.check, .looks = true,
	  .help = "show whether the host is ready (status 0, else 1), and change nothing" },
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &opt.dry_run,
	  .help = "show the changes, and change nothing" },
	{ .name = "undo", .type = GA_O_FLAG, .var = &opt.undo,
	  .help = "undo the changes; refused while slices live here" },
	{ .name = "boot", .type = GA_O_FLAG, .var = &opt.boot,
	  .help = "restore the settings that a reboot loses (gpuaas-host.service)" },
	{ .name = "record", .type = GA_O_FLAG, .var = &opt.record,
	  .help = "measure the host, and show it untuned beside tuned; changes nothing" },
	{ .name = "scratch", .type = GA_O_PATH, .var = &opt.scratch, .arg = "FOLDER",
	  .help = "with --record: folder whose disk is measured (default: that of the images)" },
	{ .name = "new-key", .type = GA_O_FLAG, .var = &new_key,
	  .help = "replace the key that the host signs its results with, and change nothing else" },
	{ .name = "hugepages", .type = GA_O_TEXTS, .var = &opt.hugepages, .arg = "SIZE:N",
	  .help = "reserve N pages of 1G or 2M at boot; once for each size" },
	{ .name = "vfs", .type = GA_O_INT, .var = &opt.vfs, .arg = "N", .min = 0, .max = 65535,
	  .help = "virtual functions of each fabric port (default: as now, or as GPUs need)" },
	{ .name = "bridge", .type = GA_O_TEXT, .var = &opt.bridge, .arg = "INTERFACE",
	  .help = "the Open vSwitch bridge (default $GPUAAS_BRIDGE, ovsbr0)" },
	{ .name = "network", .type = GA_O_TEXT, .var = &opt.network, .arg = "NETWORK",
	  .help = "the private network (default $GPUAAS_NETWORK, 10.100.0.0/24)" },
	{ .name = "uplink", .type = GA_O_TEXT, .var = &opt.uplink, .arg = "INTERFACE",
	  .help = "interface of slices to the outside (default: that of the default route)" },
	{ .name = "node", .type = GA_O_TEXT, .var = &opt.node, .arg = "NAME",
	  .help = "the node's id (default $GPUAAS_NODE, else made from the machine id)" },
	{ .name = "root", .type = GA_O_PATH, .var = &opt.root, .arg = "DIR",
	  .help = "prepare the mounted image in DIR: files only" },
	{ .name = "yes", .type = GA_O_FLAG, .var = &opt.yes,
	  .help = "need no confirmation on a terminal" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-host-bootstrap",
	.abstract = "prepare a machine as a gpuaas host, and undo the preparation",
	.opts = opts,
	.produces = (const struct ga_schema *const[]){ &ga_bootstrap_step_schema,
						      &ga_bootstrap_schema, &ga_tuning_schema,
						      NULL },
	.examples =
		(const char *const[]){
			"gpuaas-host-bootstrap --mode slice --dry-run",
			"gpuaas-host-bootstrap --mode slice --hugepages 1G:512 --yes && reboot",
			"gpuaas-host-bootstrap --mode slice --check | "
			"jq -r 'select(.state==\"manual\").hint'",
			"gpuaas-host-bootstrap --record --table",
			"gpuaas-host-bootstrap --undo", NULL },
	.acts = true,
};

static struct ga_cli_boot boot;
static struct ga_setup_facts facts;
static struct ga_setup_plan plan;

static int refuse(struct ga_err *err)
{
	return ga_refuse(err, GA_CONFLICT, plan.blockers.v[0].code, NULL,
			 ("nothing was changed: %s: %s", plan.blockers.v[0].subject,
			  plan.blockers.v[0].evidence),
			 ("%s", plan.blockers.v[0].hint));
}

static int prepare(struct ga_err *err)
{
	ga_autofd int hold = -1;
	unsigned int pending = 0;
	int r;

	if (ga_object_lock(boot.h.dir, GA_SETUP_OBJECT, prog.name, &hold, err) < 0 ||
	    ga_setup_settle(&boot.doer, &pending, err) < 0 ||
	    ga_cli_boot_look(&boot, pending, &facts, &plan, err) < 0)
		return -1;
	if (plan.blockers.n)
		return refuse(err);
	r = ga_cli_boot_ask(&boot, &plan, err);
	if (r <= 0)
		return r < 0 ? -1 : ga_fail(err, GA_NO, "nothing was changed");
	if (ga_cli_boot_apply(&boot, &facts, &plan, err) < 0)
		return -1;
	/* Start daemons only after the lock is released: they need gpuaas-host.service. */
	ga_cleanup_fd(&hold);
	hold = -1;
	if (ga_cli_boot_start(&boot, &facts, &plan, err) < 0 ||
	    ga_cli_boot_tell_rest(&boot, &plan, err) < 0 ||
	    ga_cli_boot_finish(&boot, &plan, err) < 0)
		return -1;
	return boot.failure ? boot.failure : boot.sum.left > 0;
}

static int look_only(struct ga_err *err)
{
	unsigned int pending = 0;

	if ((boot.h.db && ga_setup_pending(&boot.doer, &pending, err) < 0) ||
	    ga_cli_boot_look(&boot, pending, &facts, &plan, err) < 0 ||
	    ga_cli_boot_tell_rest(&boot, &plan, err) < 0 ||
	    ga_cli_boot_finish(&boot, &plan, err) < 0)
		return -1;
	return opt.check && !boot.sum.ready;
}

static int record(struct ga_err *err)
{
	ga_autofd int hold = -1;

	if (ga_object_lock(boot.h.dir, GA_SETUP_OBJECT, prog.name, &hold, err) < 0)
		return -1;
	return ga_cli_boot_record(&boot, &facts, &plan, err);
}

static int tell_undone(const struct ga_bootstrap_step *s, struct ga_err *err)
{
	boot.sum.changes += ga_streq(s->state, "undone");
	/* The running kernel still has the old arguments. */
	if (ga_streq(s->state, "undone") && ga_starts(s->subject, GA_SETUP_GRUB) && !opt.root)
		boot.sum.reboot_required = true;
	return ga_cli_boot_tell(&boot, s, NULL, NULL, err);
}

static int undo(struct ga_err *err)
{
	ga_autosetupplan struct ga_setup_plan none = { 0 };
	ga_autofd int hold = -1;
	unsigned int pending = 0;
	int r;

	if (ga_object_lock(boot.h.dir, GA_SETUP_OBJECT, prog.name, &hold, err) < 0 ||
	    ga_setup_settle(&boot.doer, &pending, err) < 0 ||
	    ga_cli_boot_look(&boot, pending, &facts, &plan, err) < 0 ||
	    ga_setup_undo_allowed(&boot.doer, err) < 0)
		return -1;
	r = ga_setup_undo(&boot.doer, tell_undone, err);
	if (r < 0)
		return -1;
	boot.sum.left = r;
	if (ga_cli_boot_finish(&boot, &none, err) < 0)
		return -1;
	return r > 0;
}

/* The next discovery reports the new key to the state. */
static int renew_key(struct ga_err *err)
{
	struct ga_sign_key *key = NULL;

	if (ga_hostdb_renew_key(ga_cli_host_dir(), err) < 0 ||
	    ga_hostdb_key(ga_cli_host_dir(), &key, err) < 0)
		return -1;
	ga_say("%s: the key of this host is %s now; next: gpuaas-discover | gpuaas-approve "
	       "--record-only, with --accept-change where the old key was not revoked", prog.name,
	       key ? ga_sign_public(key) : "gone");
	ga_sign_close(key);
	return 0;
}

static int run(struct ga_err *err)
{
	if (opt.check + opt.dry_run + opt.undo + opt.boot + opt.record + new_key > 1)
		return ga_fail(err, GA_USAGE,
			       "--check, --dry-run, --undo, --boot, --record and --new-key "
			       "exclude each other");
	if (new_key)
		return opt.root ?
			       ga_fail(err, GA_USAGE, "an image has no key: --new-key and --root "
						      "exclude each other") :
			       renew_key(err);
	if ((opt.boot || opt.record) && opt.root)
		return ga_fail(err, GA_USAGE,
			       "an image is not booted: --%s and --root exclude each other",
			       opt.boot ? "boot" : "record");
	if (opt.scratch && !opt.record)
		return ga_fail(err, GA_USAGE, "--scratch is for --record");
	ga_stop_install();
	if (ga_cli_boot_open(&opt, &boot, err) < 0)
		return -1;
	if (opt.record)
		return record(err);
	return opt.undo ? undo(err) : opt.check || opt.dry_run ? look_only(err) : prepare(err);
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = run(&err);
	return ga_cli_finish(&prog, r, &err);
}
