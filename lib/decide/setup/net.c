/* SPDX-License-Identifier: Apache-2.0 */
/* The plan's part for the private network, its daemons, libvirt and the units of gpuaas. */
#include <inttypes.h>

#include "decide/setup/internal.h"

const struct ga_setup_unit_wish ga_setup_units[] = {
	{ "gpuaas-host.service", true, false, "brings back what a reboot loses" },
	{ "gpuaas-dnsmasq.service", true, true, "gives slices their addresses" },
	{ "gpuaas-reconcile-boot.service", true, false, "starts the recorded domains again" },
	{ "gpuaas-reconcile.timer", true, true, "looks for drift" },
	{ "gpuaas-wipe.timer", true, true, "wipes what waits" },
	{ "gpuaas-publish.timer", true, true, "publishes what is available" },
	{ "gpuaas-backup.timer", true, true, "keeps backups of a state that is here" },
	{ "libvirt-guests.service", false, false,
	  "it would suspend or start slices without a record" },
	{ NULL, false, false, NULL },
};

/* Adds a step: ok, or pending with change and inverse. */
static struct ga_setup_step *add(struct ga_setup_plan *plan, enum ga_setup_op op, const char *step,
				 const char *subject, bool ok, const char *reason,
				 const char *change, const char *inverse)
{
	struct ga_setup_step *s = ga_setup_add(plan, ok ? GA_SETUP_DO_NOTE : op, step, subject,
					       ok ? "ok" : "pending", reason);

	if (!ok)
		ga_setup_emit(s, change, inverse, NULL);
	return s;
}

static void add_manual(struct ga_setup_plan *plan, const char *step, const char *subject,
		       const char *reason, const char *hint)
{
	ga_setup_emit(ga_setup_add(plan, GA_SETUP_DO_NOTE, step, subject, "manual", reason), NULL,
		      NULL, hint);
}

static void plan_bridge(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	ga_autofree char *address = ga_xprintf("%s/%" PRId64, f->gateway, f->prefix_bits);
	bool there = f->bridge_there == 1, secure = ga_streq(f->bridge_mode, "secure");

	if (!f->ovs || f->bridge_there == GA_UNKNOWN) {
		add_manual(plan, "bridge", f->bridge,
			   f->ovs ? "Open vSwitch does not answer" :
				    "Open vSwitch is not installed",
			   f->ovs ? "systemctl start openvswitch-switch" :
				    "apt install openvswitch-switch");
		return;
	}
	if (there && f->bridge_guests && !f->bridge_foreign && !secure) {
		add_manual(plan, "bridge", f->bridge,
			   "it forwards everything when the switch restarts, and closing it loses "
			   "the flows of the slices on it",
			   "run 'gpuaas-reconcile --repair', which closes it and protects its "
			   "ports again");
		return;
	}
	if (there && f->bridge_foreign && !secure) {
		ga_autofree char *hint = ga_xprintf("give slices a bridge of their own (--bridge), "
						    "or, when '%s' may be cut off, ovs-vsctl "
						    "set-fail-mode %s secure", f->bridge_foreign,
						    f->bridge);

		add_manual(plan, "bridge", f->bridge,
			   "it has ports of others, and forwards everything when the switch "
			   "restarts", hint);
		return;
	}
	/* Fail mode secure: after a restart of the switch no packet passes until the flows that
	 * keep slices apart are back. Fail mode standalone would pass everything until then. */
	add(plan, GA_SETUP_DO_BRIDGE, "bridge", f->bridge,
	    there && secure, "the private network of the slices",
	    there ? "fail mode secure: nothing passes without a flow" :
		    "make it, with fail mode secure: nothing passes without a flow",
	    there ? "the fail mode before" : "remove it when no port is left");
	add(plan, GA_SETUP_DO_FLOWS, "bridge_flows", f->bridge, there && f->bridge_flows == 1,
	    "the host's DHCP answers reach the slices, and its MAC stays when ports come and go",
	    "its own flow and a fixed MAC", "removed");
	add(plan, GA_SETUP_DO_ADDRESS, "bridge_address", f->bridge,
	    there && f->bridge_address == 1 && f->bridge_up == 1,
	    "the gateway of the slices", address, "take it away");
}

void ga_setup_plan_network(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	const struct ga_setup_wish dns = {
		.step = "dnsmasq", .path = GA_SETUP_DNSMASQ, .mode = 0644,
		.reason = "slices get their addresses and names from the host",
	};
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (!f->boot) {
		ga_setup_text_dnsmasq(f, &text);
		ga_setup_add_file(f, plan, &dns, &text);
	}
	if (f->rooted)
		return;
	if (!f->dnsmasq && !f->boot)
		add_manual(plan, "dnsmasq", "dnsmasq", "it is not installed",
			   "apt install dnsmasq-base");
	if (!f->conntrack)
		add_manual(plan, "conntrack", "conntrack",
			   "it is not installed, and a release needs it", "apt install conntrack");
	plan_bridge(f, plan);
	if (!f->nft)
		add_manual(plan, "nat", f->network, "nftables is not installed",
			   "apt install nftables");
	else
		add(plan, GA_SETUP_DO_NAT, "nat", f->network, f->nat == 1,
		    "slices leave by the host's address, and no slice reaches another",
		    "load the table 'ip gpuaas'", "remove the table");
}

/* ---- services ---- */

static const struct ga_setup_unit *unit(const struct ga_setup_facts *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->units.n; i++)
		if (ga_streq(f->units.v[i].name, name))
			return &f->units.v[i];
	return NULL;
}

static void plan_unit(const struct ga_setup_facts *f, struct ga_setup_plan *plan,
		      const struct ga_setup_unit_wish *w)
{
	const struct ga_setup_unit *u = unit(f, w->name);
	struct ga_setup_step *s;
	ga_autofree char *hint = ga_xprintf("systemctl %s %s", w->enable ? "enable" : "disable",
					    w->name);

	if (!u || !u->there)
		return;
	if (u->enabled != w->enable && !f->systemd && !f->rooted) {
		add_manual(plan, "unit", w->name, "systemd does not run here", hint);
	} else {
		s = add(plan, w->enable ? GA_SETUP_DO_ENABLE : GA_SETUP_DO_DISABLE, "unit", w->name,
			u->enabled == w->enable, w->why, w->enable ? "enable it" : "disable it",
			w->enable ? "disable it" : "enable it");
		s->runs = f->rooted ? 0 : GA_SETUP_RUN_SYSTEMD;
	}
	if (w->start && f->systemd && !f->rooted)
		add(plan, GA_SETUP_DO_START, "start", w->name, u->active == 1, w->why, "start it",
		    "stop it");
}

void ga_setup_plan_services(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	const struct ga_setup_file *link = ga_setup_file(f, GA_SETUP_AUTOSTART);
	size_t i;

	if (link && link->state == GA_SETUP_LINK)
		add(plan, GA_SETUP_DO_UNLINK, "libvirt_network", GA_SETUP_AUTOSTART, false,
		    "libvirt's own network is not used here and brings its own NAT",
		    "it is no longer started", "the link again");
	for (i = 0; ga_setup_units[i].name; i++)
		plan_unit(f, plan, &ga_setup_units[i]);
}
