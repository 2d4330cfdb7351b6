/* SPDX-License-Identifier: Apache-2.0 */
/* Undoes the preparation of the host, newest change first; a change that somebody else changed
 * since stays. */
#include <net/if.h>

#include "act/device/nat.h"
#include "act/device/ovs.h"
#include "act/device/virt.h"
#include "act/setup/internal.h"
#include "base/proc.h"
#include "look/sys.h"
#include "record/time.h"

static const char *member(struct ga_setup_undo_ctx *u, const char *name)
{
	return json_string_value(json_object_get(u->inverse, name));
}

/* ---- the network ---- */

static int undo_bridge(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	const char *br = u->e->subject, *mode = member(u, "fail_mode");
	const char *exists[] = { "ovs-vsctl", "--timeout=20", "br-exists", br, NULL };
	const char *ports[] = { "ovs-vsctl", "--timeout=20", "list-ports", br, NULL };
	const char *del[] = { "ovs-vsctl", "--timeout=20", "--if-exists", "del-br", br, NULL };
	const char *set[] = { "ovs-vsctl", "--timeout=20", "set-fail-mode", br, mode, NULL };
	const char *unset[] = { "ovs-vsctl", "--timeout=20", "del-fail-mode", br, NULL };
	ga_autoproc struct ga_proc_result one = GA_PROC_RESULT_INIT, two = GA_PROC_RESULT_INIT;

	if (ga_proc_run(&(const struct ga_proc){ .argv = exists }, &one, err) < 0)
		return -1;
	if (one.status == 2) /* there is none (ovs-vsctl(8)) */
		return 1;
	if (json_is_true(json_object_get(u->inverse, "existed")))
		return ga_setup_program(mode ? set : unset, 30, err) < 0 ? -1 : 1;
	if (ga_proc_check(&(const struct ga_proc){ .argv = ports }, &two, err) < 0)
		return -1;
	if (two.out.len) {
		two.out.buf[strcspn(two.out.buf, "\n")] = '\0';
		u->why = ga_xprintf("it has port '%s'", ga_sys_tidy(two.out.buf));
		return 0;
	}
	return ga_setup_program(del, 30, err) < 0 ? -1 : 1;
}

static int undo_flows(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	const char *br = u->e->subject;
	const char *mac[] = { "ovs-vsctl", "--timeout=20", "--if-exists", "remove", "Bridge", br,
			      "other-config", "hwaddr", NULL };

	if (!if_nametoindex(br))
		return 1;
	if (ga_ovs_remove_flows(br, GA_OVS_BRIDGE_COOKIE, err) < 0)
		return -1;
	/* A MAC that the bridge had before stays. */
	if (json_is_true(json_object_get(u->inverse, "mac")))
		return 1;
	return ga_setup_program(mac, 30, err) < 0 ? -1 : 1;
}

static int undo_address(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	const char *argv[] = { "ip", "address", "del", member(u, "address"), "dev", u->e->subject,
			       NULL };
	const struct ga_proc p = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	if (!if_nametoindex(u->e->subject))
		return 1;
	if (ga_proc_run(&p, &out, err) < 0)
		return -1;
	/* 2 means that the address was no longer there (ip-address(8)). */
	return out.status == 0 || out.status == 2 ?
		       1 :
		       ga_fail(err, GA_EXTERNAL, "ip address del: %.200s", out.err.buf);
}

static int undo_nat(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	(void)u;
	return ga_nat_remove(err) < 0 ? -1 : 1;
}

/* ---- tuned, units, modules ---- */

static int undo_tuned(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	const char *before = member(u, "profile");
	const char *set[] = { "tuned-adm", "profile", before, NULL };
	static const char *const off[] = { "tuned-adm", "off", NULL };
	ga_autofree char *now = ga_sys_attr("/etc/tuned", "active_profile");

	if (!ga_streq(now, u->e->subject)) {
		u->why = ga_xprintf("the active profile is '%s' now", now ? now : "none");
		return 0;
	}
	return ga_setup_program(before ? set : off, 120, err) < 0 ? -1 : 1;
}

static int undo_unit(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	const char *was = member(u, "was");
	const char *verb = ga_streq(was, "enable")  ? "disable" :
			   ga_streq(was, "disable") ? "enable" : "stop";
	ga_autofree char *root = u->d->root_dir ? ga_xprintf("--root=%s", u->d->root_dir) : NULL;
	const char *argv[] = { "systemctl", "--quiet", verb, u->e->subject, root, NULL };
	size_t i;

	for (i = 0; i < u->d->facts->units.n; i++)
		if (ga_streq(u->d->facts->units.v[i].name, u->e->subject) &&
		    !u->d->facts->units.v[i].there)
			return 1; /* the unit is gone, and its effect too */
	return ga_setup_program(argv, 120, err) < 0 ? -1 : 1;
}

static int undo_module(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	(void)u;
	(void)err;
	return 1; /* it stays loaded: others may use it by now */
}

static int undo_run(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	return ga_setup_run_by_name(u->d, u->e->subject, err) < 0 ? -1 : 1;
}

static const struct {
	const char *op;
	int (*undo)(struct ga_setup_undo_ctx *u, struct ga_err *err);
	bool runtime; /* has no meaning in an image */
} inverses[] = {
	{ "etc_file", ga_setup_undo_file, false },
	{ "etc_folder", ga_setup_undo_folder, false },
	{ "etc_link", ga_setup_undo_link, false },
	{ "module", undo_module, true },
	{ "sysctl", ga_setup_undo_sysctl, true },
	{ "vfs", ga_setup_undo_vfs, true },
	{ "vfio_bind", ga_setup_undo_bind, true },
	{ "bridge", undo_bridge, true },
	{ "bridge_flows", undo_flows, true },
	{ "bridge_address", undo_address, true },
	{ "nat", undo_nat, true },
	{ "tuned", undo_tuned, true },
	{ "unit", undo_unit, false },
	{ "start", undo_unit, true },
	{ "run", undo_run, true },
};

/* ---- everything ---- */

/* 1 undone, 0 left, -1 with err. */
static int undo_entry(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	json_error_t why;
	ga_autojson json_t *inverse = json_loads(u->e->inverse, 0, &why);
	size_t i;
	int r;

	for (i = 0; i < GA_ARRAY_SIZE(inverses); i++)
		if (ga_streq(inverses[i].op, u->e->op))
			break;
	if (i == GA_ARRAY_SIZE(inverses))
		return ga_fail(err, GA_BADREC, "the journal has an unknown change '%s'", u->e->op);
	u->inverse = inverse;
	r = inverses[i].runtime && u->d->root->image ? 1 : inverses[i].undo(u, err);
	u->inverse = NULL;
	if (r == 1 && ga_journal_undone(u->d->h, u->e->seq, err) < 0)
		return -1;
	return r;
}

static int tell_entry(const struct ga_setup_undo_ctx *u, int r, const struct ga_err *why,
		      ga_setup_tell_fn tell, struct ga_err *err)
{
	struct ga_bootstrap_step s;
	int t;

	ga_schema_init(&ga_bootstrap_step_schema, &s);
	s.step = ga_xstrdup(u->e->op);
	s.subject = ga_xstrdup(u->e->subject);
	s.state = ga_xstrdup(r > 0 ? "undone" : r ? "failed" : "left");
	s.reason = ga_sys_tidy(ga_xstrdup(r < 0 ? why->msg : u->why ? u->why :
						  "changed by gpuaas-host-bootstrap"));
	s.hint = r < 0 && why->hint[0] ? ga_sys_tidy(ga_xstrdup(why->hint)) :
		 !r ? ga_xstrdup("look at it, then run this again") : NULL;
	t = tell(&s, err);
	ga_schema_release(&ga_bootstrap_step_schema, &s);
	return t;
}

/* Programs run last: they read the final files. */
static int undo_pass(const struct ga_setup_doer *d, const struct ga_journal *j, bool programs,
		     ga_setup_tell_fn tell, struct ga_err *err)
{
	int kept = 0;
	size_t i;

	for (i = 0; i < j->n; i++) {
		struct ga_setup_undo_ctx u = { .d = d, .e = &j->v[i] };
		struct ga_err why = GA_ERR_INIT;
		int r, t;

		if (ga_streq(j->v[i].op, "run") != programs)
			continue;
		r = undo_entry(&u, &why);
		kept += r != 1;
		t = tell_entry(&u, r, &why, tell, err);
		free(u.why);
		if (t < 0)
			return -1;
	}
	return kept;
}

int ga_setup_undo(const struct ga_setup_doer *d, ga_setup_tell_fn tell, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };
	int kept, more;

	if (ga_journal_open_entries(d->h, GA_SETUP_OBJECT, &j, err) < 0)
		return -1;
	kept = undo_pass(d, &j, false, tell, err);
	if (kept < 0)
		return -1;
	more = undo_pass(d, &j, true, tell, err);
	return more < 0 ? -1 : kept + more;
}

/* ---- whether undo is allowed ---- */

int ga_setup_undo_allowed(const struct ga_setup_doer *d, struct ga_err *err)
{
	ga_autovirtdomains struct ga_virt_domains list = { 0 };
	ga_autovirt struct ga_virt *virt = NULL;
	ga_autojournal struct ga_journal j = { 0 };

	if (ga_journal_open_entries(d->h, NULL, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++) {
		const struct ga_journal_entry *e = &j.v[i];

		if (ga_streq(e->object, GA_SETUP_OBJECT) || ga_streq(e->object, "node"))
			continue;
		return ga_refuse(err, GA_CONFLICT, "slices_live", e->object,
				 ("'%s' is on this host: its %s '%s' is not undone", e->object,
				  e->op, e->subject),
				 ("release it with 'gpuaas-release %s', then run this again",
				  e->object));
	}
	if (d->root->image || !d->facts->libvirt)
		return 0;
	if (ga_virt_open(d->libvirt_uri, &virt, err) < 0 || ga_virt_list(virt, &list, err) < 0) {
		(void)ga_wrap(err, "cannot see whether slices run");
		return ga_hint(err, "start libvirt, then run this again");
	}
	for (size_t i = 0; i < list.n; i++) {
		const char *of = list.v[i].allocation;

		if (list.v[i].state == GA_VIRT_ABSENT)
			continue;
		return ga_refuse(err, GA_CONFLICT, "slices_live", list.v[i].name,
				 ("domain '%s' of allocation '%s' is on this host", list.v[i].name,
				  of ? of : "?"),
				 ("release it with 'gpuaas-release %s', then run this again",
				  of ? of : "ID"));
	}
	return 0;
}
