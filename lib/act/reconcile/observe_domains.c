/* SPDX-License-Identifier: Apache-2.0 */
/* Domains as libvirt shows them: whose they are, how they are, why, and what they have. */
#include "act/reconcile/observe_part.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

#include "act/device/virt.h"
#include "base/texts.h"

static struct ga_seen_domain *domain_named(const struct ga_look *l, const char *name)
{
	struct ga_seen_domain *d;

	for (size_t i = 0; i < l->seen->domains.n; i++)
		if (ga_streq(l->seen->domains.v[i].name, name))
			return &l->seen->domains.v[i];
	d = ga_list_add(&l->seen->domains);
	d->name = ga_xstrdup(name);
	d->agent = GA_UNKNOWN;
	return d;
}

/* ---- why ---- */

static const char *cause_of(int state, int reason)
{
	switch (state) {
	case VIR_DOMAIN_SHUTOFF:
		return reason == VIR_DOMAIN_SHUTOFF_SHUTDOWN  ? "guest" :
		       reason == VIR_DOMAIN_SHUTOFF_DESTROYED ? "destroyed" :
		       reason == VIR_DOMAIN_SHUTOFF_CRASHED   ? "crashed" :
		       reason == VIR_DOMAIN_SHUTOFF_FAILED    ? "failed" :
								NULL;
	case VIR_DOMAIN_PAUSED:
		return reason == VIR_DOMAIN_PAUSED_IOERROR	  ? "ioerror" :
		       reason == VIR_DOMAIN_PAUSED_USER		  ? "user" :
		       reason == VIR_DOMAIN_PAUSED_MIGRATION ||
				       reason == VIR_DOMAIN_PAUSED_SAVE ||
				       reason == VIR_DOMAIN_PAUSED_DUMP ||
				       reason == VIR_DOMAIN_PAUSED_SNAPSHOT ||
				       reason == VIR_DOMAIN_PAUSED_STARTING_UP ||
				       reason == VIR_DOMAIN_PAUSED_FROM_SNAPSHOT ?
								    "busy" :
								    NULL;
	default:
		return NULL;
	}
}

/* A connection of its own, read only: the cause is this program's question alone. */
static void look_causes(const struct ga_look *l)
{
	virConnectPtr conn = virConnectOpen(l->opts->libvirt_uri);

	for (size_t i = 0; conn && i < l->seen->domains.n; i++) {
		struct ga_seen_domain *d = &l->seen->domains.v[i];
		virDomainPtr dom = virDomainLookupByName(conn, d->name);
		int state = VIR_DOMAIN_NOSTATE, reason = 0;

		if (dom && virDomainGetState(dom, &state, &reason, 0) == 0)
			d->cause = ga_strdup0(cause_of(state, reason));
		if (dom)
			virDomainFree(dom);
	}
	if (conn)
		virConnectClose(conn);
}

/* ---- what they have ---- */

static int look_users(const struct ga_look *l, struct ga_virt *v, const char *device, bool is_pci,
		      struct ga_err *err)
{
	struct ga_texts names = { 0 };
	struct ga_any_list *any = (struct ga_any_list *)(void *)&names;
	int r;

	if (!device)
		return 0;
	r = is_pci ? ga_virt_domains_using_pci(v, device, any, err) :
		     ga_virt_domains_using(v, device, any, err);
	for (size_t i = 0; i < names.n; i++) {
		ga_texts_add(&domain_named(l, names.v[i])->devices, device);
		free(names.v[i]);
	}
	ga_list_release(&names);
	return r;
}

/* The path the disk has now; the bundle's is only a cache. */
static const char *path_of(const struct ga_look *l, const char *wwid)
{
	for (size_t i = 0; wwid && i < l->seen->disks.n; i++)
		if (ga_streq(l->seen->disks.v[i].wwid, wwid))
			return l->seen->disks.v[i].path;
	return NULL;
}

static int look_devices(const struct ga_look *l, struct ga_virt *v, struct ga_err *err)
{
	for (size_t i = 0; i < l->want->slots.n; i++) {
		const struct ga_bundle *b = &l->want->slots.v[i].bundle;

		if (look_users(l, v, path_of(l, b->nvme_wwid), false, err) < 0 ||
		    look_users(l, v, b->gpu_pci_address, true, err) < 0 ||
		    look_users(l, v, b->fabric_vf_pci_address, true, err) < 0)
			return -1;
	}
	return 0;
}

static const char *state_word(enum ga_virt_state state)
{
	switch (state) {
	case GA_VIRT_OFF:
		return "shutoff";
	case GA_VIRT_ON:
		return "running";
	case GA_VIRT_PAUSED:
		return "paused";
	case GA_VIRT_CRASHED:
		return "crashed";
	case GA_VIRT_ABSENT:
		break;
	}
	return NULL;
}

/* Its channel is there when its image names the probe "agent" (look/domain.c). */
static int64_t look_agent(struct ga_virt *v, const char *name)
{
	struct ga_err ignored = GA_ERR_INIT;
	int r = ga_virt_has_agent(v, name, &ignored);

	if (r > 0)
		r = ga_virt_agent(v, name, &ignored);
	else
		r = -1;
	return r < 0 ? GA_UNKNOWN : r;
}

void ga_look_domains(const struct ga_look *l)
{
	ga_autovirtdomains struct ga_virt_domains list = { 0 };
	ga_autovirt struct ga_virt *v = NULL;
	struct ga_err err = GA_ERR_INIT;

	if (ga_virt_open(l->opts->libvirt_uri, &v, &err) < 0 || ga_virt_list(v, &list, &err) < 0) {
		ga_seen_blind(l->seen, GA_A_DOMAINS, err.msg);
		return;
	}
	for (size_t i = 0; i < list.n; i++) {
		struct ga_seen_domain *d;

		/* Another node's: a lab has several nodes behind one libvirt. */
		if (list.v[i].node && !ga_streq(list.v[i].node, l->want->node))
			continue;
		d = domain_named(l, list.v[i].name);
		d->allocation = ga_strdup0(list.v[i].allocation);
		d->state = ga_strdup0(state_word(list.v[i].state));
		if (list.v[i].state == GA_VIRT_ON)
			d->agent = look_agent(v, d->name);
	}
	if (look_devices(l, v, &err) < 0)
		ga_seen_blind(l->seen, GA_A_DOMAINS, err.msg);
	look_causes(l);
	/* An interrupted release goes on by itself only where nothing runs that it would end. */
	for (size_t i = 0; i < l->seen->works.n; i++) {
		struct ga_seen_work *w = &l->seen->works.v[i];

		if (ga_streq(w->program, "release"))
			w->resumable = ga_streq(ga_seen_power(l->seen, w->object), "off");
	}
}
