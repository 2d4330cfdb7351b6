/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan's part for devices: makes virtual functions, binds functions to vfio-pci, and keeps the
 * list from which a reboot restores both. A device that the host uses, or may use, is left alone
 * and reported.
 */
#include <inttypes.h>

#include "decide/setup/internal.h"

static size_t count_gpus(const struct ga_setup_facts *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->devs.n; i++)
		n += ga_streq(f->devs.v[i].sort, "gpu") && !f->devs.v[i].code;
	return n;
}

static size_t count_pfs(const struct ga_setup_facts *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->pfs.n; i++)
		n += !f->pfs.v[i].code;
	return n;
}

/* The wanted number of virtual functions of a physical function. */
static int64_t vfs_wanted(const struct ga_setup_facts *f, const struct ga_setup_pf *pf)
{
	const struct ga_setup_listed *l = ga_setup_list_find(&f->listed, "pf", pf->identity);
	int64_t n;

	if (f->boot)
		return l ? l->vfs : pf->vfs;
	if (f->vfs_wanted != GA_UNKNOWN)
		n = f->vfs_wanted;
	else if (pf->vfs > 0)
		return pf->vfs;
	else if (l)
		n = l->vfs;
	else
		n = (int64_t)((count_gpus(f) + count_pfs(f) - 1) / count_pfs(f));
	return n > pf->total_vfs ? pf->total_vfs : n;
}

/* A virtual function of the host: it has a driver and is not on our list. NULL: none. */
static const struct ga_setup_dev *host_vf(const struct ga_setup_facts *f,
					  const struct ga_setup_pf *pf)
{
	size_t i;

	for (i = 0; i < f->devs.n; i++)
		if (ga_streq(f->devs.v[i].pf, pf->address) && f->devs.v[i].code)
			return &f->devs.v[i];
	return NULL;
}

/* The reason why the number of VFs of a physical function must not change now, or NULL. The kernel
 * goes from one number to another only through 0. */
static const char *keep_vfs(const struct ga_setup_facts *f, const struct ga_setup_pf *pf)
{
	if (pf->vfs == 0)
		return NULL;
	if (f->boot || f->vfs_wanted == GA_UNKNOWN)
		return "it has another number of them already, and changing the number removes all";
	if (pf->assigned)
		return "one of them is in use by a guest, and a change removes all";
	if (host_vf(f, pf))
		return "one of them is in use by the host, and a change removes all";
	return NULL;
}

static void plan_pf(const struct ga_setup_facts *f, struct ga_setup_plan *plan,
		    const struct ga_setup_pf *pf)
{
	int64_t want = pf->code ? 0 : vfs_wanted(f, pf);
	ga_autofree char *change = NULL, *inverse = NULL;
	const char *why;
	struct ga_setup_step *s;

	if (pf->code) {
		ga_setup_add(plan, GA_SETUP_DO_NOTE, "vfs", pf->address, "ok", pf->why);
		return;
	}
	why = pf->vfs == want ? NULL : keep_vfs(f, pf);
	s = ga_setup_add(plan, pf->vfs == want || why ? GA_SETUP_DO_NOTE : GA_SETUP_DO_VFS, "vfs",
			 pf->address, pf->vfs == want ? "ok" : why ? "manual" : "pending",
			 why ? why : "each slice has its own function of the fabric");
	s->number = want;
	if (pf->vfs == want)
		return;
	change = ga_xprintf("%" PRId64 " -> %" PRId64 " virtual functions, for vfio-pci", pf->vfs,
			    want);
	inverse = ga_xprintf("%" PRId64 " again", pf->vfs);
	ga_setup_emit(s, why ? NULL : change, why ? NULL : inverse,
		      why ? "drain the node, then run this with --vfs N" : NULL);
}

/* ---- binding ---- */

static void plan_dev(const struct ga_setup_facts *f, struct ga_setup_plan *plan,
		     const struct ga_setup_dev *d)
{
	bool bound = ga_streq(d->driver, "vfio-pci");
	bool ok = bound && ga_streq(d->override, "vfio-pci");
	const char *reason = "a slice gets the whole device through vfio-pci";
	ga_autofree char *change = NULL, *inverse = NULL;
	struct ga_setup_step *s;

	if (f->boot && d->code && ga_streq(d->code, "not_listed"))
		return;
	if (d->code) {
		s = ga_setup_add(plan, GA_SETUP_DO_NOTE, "bind", d->address,
				 !ok && d->hint && ga_streq(d->sort, "gpu") ? "manual" : "ok",
				 d->why);
		ga_setup_emit(s, NULL, NULL, d->hint);
		return;
	}
	if (!ok && !bound && !f->iommu_groups) {
		s = ga_setup_add(plan, GA_SETUP_DO_NOTE, "bind", d->address, "waiting",
				 "vfio-pci takes no device while the IOMMU is off");
		ga_setup_emit(s, "bound by gpuaas-host-bootstrap --boot after the reboot", NULL,
			      NULL);
		s->say.reboot = true;
		plan->reboot_required = true;
		return;
	}
	s = ga_setup_add(plan, ok ? GA_SETUP_DO_NOTE : GA_SETUP_DO_BIND, "bind", d->address,
			 ok ? "ok" : "pending", reason);
	if (ok)
		return;
	change = bound ? ga_xstrdup("no other driver may take it (driver_override)") :
			 ga_xprintf("%s -> vfio-pci", d->driver ? d->driver : "no driver");
	inverse = bound ? ga_xstrdup("any driver may take it") :
			  ga_xprintf("%s again", d->driver ? d->driver : "no driver");
	ga_setup_emit(s, change, inverse, NULL);
}

/* ---- the list ---- */

static void list_add(struct ga_setup_list *list, const char *sort, const char *address,
		     const char *identity, int64_t vfs)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		struct ga_setup_listed *l = &list->v[i];

		if (!ga_streq(l->sort, sort) || !ga_streq(l->identity, identity))
			continue;
		free(l->address);
		l->address = ga_xstrdup(address);
		l->vfs = vfs;
		return;
	}
	*ga_list_add(list) = (struct ga_setup_listed){ .sort = ga_xstrdup(sort),
						      .address = ga_xstrdup(address),
						      .identity = ga_xstrdup(identity),
						      .vfs = vfs };
}

/* Lists also the functions that the plan will make; leaves out existing ones that the host uses. */
static void list_vfs(const struct ga_setup_facts *f, struct ga_setup_list *list,
		     const struct ga_setup_pf *pf, int64_t n)
{
	int64_t index;
	size_t i;

	for (index = 0; index < n; index++) {
		ga_autofree char *identity = ga_xprintf("%s/%" PRId64, pf->identity, index);

		for (i = 0; i < f->devs.n; i++)
			if (ga_streq(f->devs.v[i].identity, identity) && f->devs.v[i].code)
				break;
		if (i == f->devs.n)
			list_add(list, "vf", "-", identity, GA_UNKNOWN);
	}
}

/* Devices of the file stay on the list: a device that is missing today may be back tomorrow. */
static void make_list(const struct ga_setup_facts *f, struct ga_setup_list *ret)
{
	size_t i;

	for (i = 0; i < f->listed.n; i++)
		list_add(ret, f->listed.v[i].sort, f->listed.v[i].address,
			 f->listed.v[i].identity, f->listed.v[i].vfs);
	for (i = 0; i < f->devs.n; i++)
		if (ga_streq(f->devs.v[i].sort, "gpu") && !f->devs.v[i].code)
			list_add(ret, "gpu", f->devs.v[i].address, f->devs.v[i].identity,
				 GA_UNKNOWN);
	for (i = 0; i < f->pfs.n; i++) {
		const struct ga_setup_pf *pf = &f->pfs.v[i];
		int64_t want = pf->code ? 0 : vfs_wanted(f, pf);

		if (want <= 0 || (want != pf->vfs && keep_vfs(f, pf)))
			continue;
		list_add(ret, "pf", pf->address, pf->identity, want);
		list_vfs(f, ret, pf, want);
	}
}

/* Reports listed devices that are missing. */
static void plan_missing(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	size_t i, j;

	for (i = 0; i < f->listed.n; i++) {
		const struct ga_setup_listed *l = &f->listed.v[i];
		bool seen = false;
		struct ga_setup_step *s;

		for (j = 0; j < f->devs.n && !seen; j++)
			seen = ga_streq(f->devs.v[j].identity, l->identity);
		for (j = 0; j < f->pfs.n && !seen; j++)
			seen = ga_streq(f->pfs.v[j].identity, l->identity);
		if (seen || ga_streq(l->sort, "vf"))
			continue;
		s = ga_setup_add(plan, GA_SETUP_DO_NOTE, "missing", l->identity, "manual",
				 "listed in " GA_SETUP_DEVICES " and not on this machine");
		ga_setup_emit(s, NULL, NULL, "look for it with lspci; if it was removed, remove "
					    "its line, discover and approve again");
	}
}

void ga_setup_plan_devices(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	const struct ga_setup_wish w = {
		.step = "devices", .path = GA_SETUP_DEVICES, .mode = 0644,
		.reason = "a reboot loses virtual functions and bindings",
	};
	ga_autosetuplist struct ga_setup_list list = { 0 };
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i;

	if (f->rooted)
		return;
	if (!f->boot) {
		make_list(f, &list);
		ga_setup_text_devices(&list, &text);
		ga_setup_add_file(f, plan, &w, &text);
	}
	for (i = 0; i < f->pfs.n; i++)
		plan_pf(f, plan, &f->pfs.v[i]);
	for (i = 0; i < f->devs.n; i++)
		plan_dev(f, plan, &f->devs.v[i]);
	plan_missing(f, plan);
}
