/* SPDX-License-Identifier: Apache-2.0 */
/* Carries steps out: the journal around them, programs, and changes that other programs make for
 * us. */
#include "act/setup/do.h"

#include <inttypes.h>
#include <net/if.h>

#include "act/device/nat.h"
#include "act/device/ovs.h"
#include "act/setup/internal.h"
#include "base/proc.h"
#include "look/setup/look.h"
#include "look/sys.h"

int ga_setup_program(const char *const *argv, int64_t seconds, struct ga_err *err)
{
	const struct ga_proc p = { .argv = argv, .timeout_micros = seconds * GA_SECOND };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	return ga_proc_check(&p, &out, err);
}

int ga_setup_intend(const struct ga_setup_doer *d, const char *op, const char *subject,
		    json_t *inverse, int64_t *seq, struct ga_err *err)
{
	ga_autojson json_t *own = inverse;
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (!own)
		return ga_fail(err, GA_SYSTEM, "the inverse of '%s' '%s' is no JSON", op, subject);
	ga_rec_dump(own, &text);
	return ga_journal_intend(d->h, GA_SETUP_OBJECT, op, subject, text.buf, seq, err);
}

/* ---- programs run after files ---- */

static const struct {
	unsigned int run;
	const char *subject;
} runs[] = {
	{ GA_SETUP_RUN_GRUB, "update-grub" },
	{ GA_SETUP_RUN_INITRAMFS, "update-initramfs" },
	{ GA_SETUP_RUN_UDEV, "udevadm" },
	{ GA_SETUP_RUN_SYSTEMD, "daemon-reload" },
	{ GA_SETUP_RUN_MULTIPATH, "multipath" },
};

static unsigned int run_of(const char *subject)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(runs); i++)
		if (ga_streq(runs[i].subject, subject))
			return runs[i].run;
	return 0;
}

/* Enters the programs before one of their files is written: after a kill in between, the next run
 * still runs them. */
static int intend_runs(const struct ga_setup_doer *d, unsigned int mask, struct ga_err *err)
{
	for (size_t i = 0; i < GA_ARRAY_SIZE(runs); i++) {
		ga_autojournal struct ga_journal j = { 0 };
		const struct ga_journal_entry *last = NULL;
		int64_t again;

		if (!(mask & runs[i].run))
			continue;
		if (ga_journal_open_entries(d->h, GA_SETUP_OBJECT, &j, err) < 0)
			return -1;
		for (size_t k = 0; k < j.n; k++)
			if (ga_streq(j.v[k].op, "run") && ga_streq(j.v[k].subject, runs[i].subject))
				last = &j.v[k];
		if ((last && last->done && ga_journal_undone(d->h, last->seq, err) < 0) ||
		    ga_setup_intend(d, "run", runs[i].subject, json_object(), &again, err) < 0)
			return -1;
	}
	return 0;
}

/* Applies the rules to the slots' disks immediately, and to no other disk. */
static int run_udev(const struct ga_setup_doer *d, struct ga_err *err)
{
	static const char *const reload[] = { "udevadm", "control", "--reload", NULL };
	size_t i;

	if (!ga_sys_exists("/run/udev/control"))
		return 0; /* no udev runs here; it reads its rules when it starts */
	if (ga_setup_program(reload, 30, err) < 0)
		return -1;
	for (i = 0; i < d->facts->disks.n; i++) {
		const char *path = d->facts->disks.v[i].path;
		ga_autofree char *dir = path ? ga_xprintf("/sys/class/block/%s",
							  strrchr(path, '/') + 1) : NULL;
		const char *argv[] = { "udevadm", "trigger", "--action=change", dir, NULL };

		if (dir && ga_setup_program(argv, 30, err) < 0)
			return -1;
	}
	return 0;
}

static int run_one(const struct ga_setup_doer *d, unsigned int run, struct ga_err *err)
{
	static const char *const grub[] = { "update-grub", NULL };
	static const char *const irfs[] = { "update-initramfs", "-u", NULL };
	static const char *const reload[] = { "systemctl", "daemon-reload", NULL };
	static const char *const mp[] = { "multipathd", "reconfigure", NULL };

	if (d->root->image)
		return 0;
	switch (run) {
	case GA_SETUP_RUN_GRUB:
		return ga_setup_program(grub, 180, err);
	case GA_SETUP_RUN_INITRAMFS:
		return ga_setup_program(irfs, 600, err);
	case GA_SETUP_RUN_UDEV:
		return run_udev(d, err);
	case GA_SETUP_RUN_SYSTEMD:
		return d->facts->systemd ? ga_setup_program(reload, 60, err) : 0;
	case GA_SETUP_RUN_MULTIPATH:
		return ga_sys_exists("/run/multipathd.pid") ? ga_setup_program(mp, 60, err) : 0;
	default:
		return 0;
	}
}

static int do_run(const struct ga_setup_doer *d, const struct ga_setup_step *s, struct ga_err *err)
{
	int64_t seq;

	if (intend_runs(d, (unsigned int)s->number, err) < 0 ||
	    run_one(d, (unsigned int)s->number, err) < 0 ||
	    ga_setup_intend(d, "run", s->say.subject, json_object(), &seq, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

/* ---- remains of an interrupted run ---- */

static int read_journal(const struct ga_setup_doer *d, bool settle, unsigned int *pending,
			struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };

	*pending = 0;
	if (ga_journal_open_entries(d->h, GA_SETUP_OBJECT, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++) {
		const struct ga_journal_entry *e = &j.v[i];
		ga_autojson json_t *inverse = NULL;
		int r;

		if (e->done)
			continue;
		if (ga_streq(e->op, "run"))
			*pending |= run_of(e->subject);
		/* Other changes are entered once, and made again unchanged. */
		if (!settle || !ga_streq(e->op, "etc_file"))
			continue;
		inverse = json_loads(e->inverse, 0, NULL);
		r = ga_setup_file_stands(d, inverse, err);
		if (r == -1)
			return -1;
		/* A file that somebody else has written since needs no undo. */
		r = r == 1 ? ga_journal_done(d->h, e->seq, err) :
			     ga_journal_undone(d->h, e->seq, err);
		if (r < 0)
			return -1;
	}
	return 0;
}

int ga_setup_settle(const struct ga_setup_doer *d, unsigned int *pending, struct ga_err *err)
{
	return read_journal(d, true, pending, err);
}

int ga_setup_pending(const struct ga_setup_doer *d, unsigned int *pending, struct ga_err *err)
{
	return read_journal(d, false, pending, err);
}

/* ---- the network ---- */

static int do_bridge(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		     struct ga_err *err)
{
	const char *br = s->say.subject;
	const char *make[] = { "ovs-vsctl", "--timeout=20", "--may-exist", "add-br", br, "--",
			       "set-fail-mode", br, "secure", NULL };
	bool existed = d->facts->bridge_there == 1;
	int64_t seq;

	if (ga_setup_intend(d, "bridge", br,
			    json_pack("{s:b,s:s?}", "existed", existed, "fail_mode",
				      d->facts->bridge_mode),
			    &seq, err) < 0 ||
	    ga_setup_program(make, 30, err) < 0)
		return -1;
	if (!if_nametoindex(br))
		return ga_refuse(err, GA_HOST, NULL, NULL,
				 ("Open vSwitch has bridge '%s' and the kernel does not", br),
				 ("modprobe openvswitch; see 'ovs-vsctl show' and "
				  "/var/log/openvswitch/ovs-vswitchd.log"));
	return ga_journal_done(d->h, seq, err);
}

static int do_flows(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		    struct ga_err *err)
{
	const char *br = s->say.subject;
	const char *get[] = { "ovs-vsctl", "--timeout=20", "--if-exists", "get", "Bridge", br,
			      "other-config:hwaddr", NULL };
	ga_autoproc struct ga_proc_result mac = GA_PROC_RESULT_INIT;
	int64_t seq;

	if (ga_proc_check(&(const struct ga_proc){ .argv = get }, &mac, err) < 0 ||
	    ga_setup_intend(d, "bridge_flows", br, json_pack("{s:b}", "mac", mac.out.len > 0), &seq,
			    err) < 0 ||
	    ga_ovs_setup_bridge(br, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

static int do_address(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		      struct ga_err *err)
{
	const char *br = s->say.subject;
	ga_autofree char *address = ga_xprintf("%s/%" PRId64, d->facts->gateway,
					       d->facts->prefix_bits);
	const char *set[] = { "ip", "address", "replace", address, "dev", br, NULL };
	const char *up[] = { "ip", "link", "set", br, "up", NULL };
	int64_t seq;

	if (ga_setup_intend(d, "bridge_address", br, json_pack("{s:s}", "address", address), &seq,
			    err) < 0 ||
	    ga_setup_program(set, 30, err) < 0 || ga_setup_program(up, 30, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

static char *unconst(const char *s)
{
	return (char *)(uintptr_t)s;
}

static int do_nat(const struct ga_setup_doer *d, const struct ga_setup_step *s, struct ga_err *err)
{
	const struct ga_setup_facts *f = d->facts;
	const struct ga_network n = {
		.bridge = unconst(f->bridge),
		.uplink = unconst(f->uplink),
		.gateway = unconst(f->gateway),
		.prefix_bits = f->prefix_bits,
		.dhcp_hosts_dir = unconst(f->dhcp_hosts),
		.lease_file = unconst(f->leases),
	};
	int64_t seq;

	if (ga_setup_intend(d, "nat", s->say.subject, json_object(), &seq, err) < 0 ||
	    ga_nat_setup(&n, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

/* ---- modules, tuned, units ---- */

static int do_module(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		     struct ga_err *err)
{
	const char *argv[] = { "modprobe", s->say.subject, NULL };
	int64_t seq;

	if (ga_setup_intend(d, "module", s->say.subject, json_object(), &seq, err) < 0 ||
	    ga_setup_program(argv, 60, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

static int do_tuned(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		    struct ga_err *err)
{
	const char *argv[] = { "tuned-adm", "profile", s->say.subject, NULL };
	int64_t seq;

	if (ga_setup_intend(d, "tuned", s->say.subject,
			    json_pack("{s:s?}", "profile", d->facts->tuned_profile), &seq,
			    err) < 0 ||
	    ga_setup_program(argv, 120, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

static int do_unit(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		   struct ga_err *err)
{
	const char *verb = s->op == GA_SETUP_DO_ENABLE  ? "enable" :
			   s->op == GA_SETUP_DO_DISABLE ? "disable" : "start";
	const char *op = s->op == GA_SETUP_DO_START ? "start" : "unit";
	ga_autofree char *root = d->root_dir ? ga_xprintf("--root=%s", d->root_dir) : NULL;
	/* systemd reads its units once, after the last of them. */
	const char *argv[] = { "systemctl", "--quiet", "--no-reload", verb, s->say.subject, root,
			       NULL };
	int64_t seq;

	if (ga_setup_intend(d, op, s->say.subject, json_pack("{s:s}", "was", verb), &seq,
			    err) < 0 ||
	    ga_setup_program(argv, 120, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

int ga_setup_do(const struct ga_setup_doer *d, const struct ga_setup_step *s, struct ga_err *err)
{
	if (s->runs && intend_runs(d, s->runs, err) < 0)
		return -1;
	switch (s->op) {
	case GA_SETUP_DO_NOTE:
		return 0;
	case GA_SETUP_DO_FILE:
		return ga_setup_do_file(d, s, err);
	case GA_SETUP_DO_UNLINK:
		return ga_setup_do_link(d, s, err);
	case GA_SETUP_DO_FOLDER:
		return ga_setup_do_folder(d, s, err);
	case GA_SETUP_DO_MODULE:
		return do_module(d, s, err);
	case GA_SETUP_DO_VALUE:
		return ga_setup_do_sysctl(d, s, err);
	case GA_SETUP_DO_VFS:
		return ga_setup_do_vfs(d, s, err);
	case GA_SETUP_DO_BIND:
		return ga_setup_do_bind(d, s, err);
	case GA_SETUP_DO_BRIDGE:
		return do_bridge(d, s, err);
	case GA_SETUP_DO_ADDRESS:
		return do_address(d, s, err);
	case GA_SETUP_DO_FLOWS:
		return do_flows(d, s, err);
	case GA_SETUP_DO_NAT:
		return do_nat(d, s, err);
	case GA_SETUP_DO_TUNED:
		return do_tuned(d, s, err);
	case GA_SETUP_DO_ENABLE:
	case GA_SETUP_DO_DISABLE:
	case GA_SETUP_DO_START:
		return do_unit(d, s, err);
	case GA_SETUP_DO_RUN:
		return do_run(d, s, err);
	}
	return 0;
}

int ga_setup_run_by_name(const struct ga_setup_doer *d, const char *subject, struct ga_err *err)
{
	return run_one(d, run_of(subject), err);
}
