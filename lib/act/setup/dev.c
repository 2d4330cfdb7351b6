/* SPDX-License-Identifier: Apache-2.0 */
/* The running kernel: its settings, virtual functions, bindings; and who uses a device. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "act/device/openers.h"
#include "act/device/ovs.h"
#include "act/device/vfio.h"
#include "act/setup/internal.h"
#include "act/vm/change.h"
#include "base/file.h"
#include "base/texts.h"
#include "look/iommu.h"
#include "look/pci.h"
#include "look/setup/look.h"
#include "look/sys.h"

/* ---- processes that use a device ---- */

/* "process 12 (name) has /dev/x open", or NULL. When root may not look into every process, it is
 * unknown whether the node is open. */
static char *opener_of(const char *node)
{
	struct ga_openers who;

	ga_openers_of_node(node, &who);
	if (!who.pid && !who.complete && !geteuid())
		return ga_xprintf("not every process could be checked: one may have %s open", node);
	return who.pid ? ga_xprintf("process %" PRId64 " (%s) has %s open", who.pid, who.command,
				    node) :
			 NULL;
}

/* The process that has the vfio group of a function open: a guest uses the function. */
static char *guest_of(const char *address)
{
	int64_t group = ga_iommu_group(address);
	ga_autofree char *node = group == GA_UNKNOWN ? NULL :
						       ga_xprintf("/dev/vfio/%" PRId64, group);

	return node ? opener_of(node) : NULL;
}

/* The process that has a GPU open through its driver's nodes: DRM's, and NVIDIA's by its minor. */
static char *user_of_gpu(const char *address)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s/drm", address);
	ga_autofree char *info = ga_xprintf("/proc/driver/nvidia/gpus/%s", address);
	ga_autofree char *text = ga_sys_attr(info, "information");
	const char *minor = text ? strstr(text, "Device Minor:") : NULL;
	ga_autotexts struct ga_texts nodes = { 0 };
	char *who = NULL;
	size_t i;

	ga_sys_list(dir, &nodes);
	for (i = 0; i < nodes.n && !who; i++) {
		ga_autofree char *node = ga_xprintf("/dev/dri/%s", nodes.v[i]);

		who = opener_of(node);
	}
	if (!who && minor) {
		ga_autofree char *node = ga_xprintf("/dev/nvidia%ld",
						    strtol(minor + strlen("Device Minor:"), NULL,
							   10));

		who = opener_of(node);
	}
	return who;
}

void ga_setup_users(struct ga_setup_facts *f)
{
	struct ga_err ignored = GA_ERR_INIT;
	size_t i, j;

	if (f->bridge_there == 1)
		f->bridge_flows = ga_ovs_is_closed(f->bridge, &ignored);
	for (i = 0; i < f->devs.n; i++) {
		struct ga_setup_dev *d = &f->devs.v[i];
		ga_autofree char *guest = guest_of(d->address);

		for (j = 0; j < f->pfs.n && guest; j++)
			if (ga_streq(f->pfs.v[j].address, d->pf) && !f->pfs.v[j].assigned)
				f->pfs.v[j].assigned = ga_xstrdup(guest);
		if (d->code || !d->driver || ga_streq(d->driver, "vfio-pci"))
			continue;
		d->why = user_of_gpu(d->address);
		if (!d->why)
			continue;
		d->code = ga_xstrdup("in_use");
		d->hint = ga_xstrdup("end it (nvidia-persistenced and monitors, too), then run "
				     "this again");
	}
}

/* ---- kernel settings ---- */

static int write_value(const char *key, const char *value, struct ga_err *err)
{
	ga_autofree char *path = ga_setup_sysctl_path(key);
	/* O_TRUNC as in act/device/vfio.c. */
	ga_autofd int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || ga_write_all(fd, value, strlen(value)) < 0)
		return ga_fail_sys(err, "cannot set '%s' to '%s'", key, value);
	return 0;
}

int ga_setup_do_sysctl(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		       struct ga_err *err)
{
	ga_autofree char *now = ga_setup_sysctl(s->say.subject), *after = NULL;
	int64_t seq;

	if (ga_setup_intend(d, "sysctl", s->say.subject, json_pack("{s:s?}", "value", now), &seq,
			    err) < 0 ||
	    write_value(s->say.subject, s->text, err) < 0)
		return -1;
	/* The value that the kernel accepted, so that undo knows whether it is still ours. */
	after = ga_setup_sysctl(s->say.subject);
	return after ? ga_journal_done(d->h, seq, err) :
		       ga_fail(err, GA_SYSTEM, "cannot read '%s' back", s->say.subject);
}

int ga_setup_undo_sysctl(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	const char *before = json_string_value(json_object_get(u->inverse, "value"));
	ga_autofree char *now = ga_setup_sysctl(u->e->subject);
	const char *ours = NULL;
	size_t i;

	for (i = 0; ga_setup_sysctls[i].key; i++)
		if (ga_streq(ga_setup_sysctls[i].key, u->e->subject))
			ours = ga_setup_sysctls[i].value;
	if (!before || !now || ga_streq(now, before))
		return 1;
	if (!ours || !ga_setup_same_value(now, ours)) {
		u->why = ga_xprintf("it is '%s' now: somebody else set it since", now);
		return 0;
	}
	return write_value(u->e->subject, before, err) < 0 ? -1 : 1;
}

/* ---- virtual functions ---- */

static int write_attr(const char *address, const char *name, int64_t value, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf(GA_PCI_SYSFS "/%s/%s", address, name);
	ga_autofree char *text = ga_xprintf("%" PRId64, value);

	return ga_sysfs_write(path, text, 60 * GA_SECOND, err);
}

static int64_t read_attr(const char *address, const char *name)
{
	ga_autofree char *text = ga_pci_attr(address, name);

	return ga_sys_number(text);
}

/* Whether each of the functions that are made will be ours. */
static bool all_ours(const struct ga_setup_facts *f, const char *address, int64_t n)
{
	const struct ga_setup_pf *pf = NULL;
	int64_t index;
	size_t i;

	for (i = 0; i < f->pfs.n; i++)
		if (ga_streq(f->pfs.v[i].address, address))
			pf = &f->pfs.v[i];
	for (index = 0; pf && f->boot && index < n; index++) {
		ga_autofree char *identity = ga_xprintf("%s/%" PRId64, pf->identity, index);

		if (!ga_setup_list_find(&f->listed, "vf", identity))
			return false;
	}
	return pf != NULL;
}

/* The kernel changes the number only from zero (EBUSY otherwise). */
static int set_vfs(const char *address, int64_t n, struct ga_err *err)
{
	int64_t now = read_attr(address, "sriov_numvfs");

	if (now == n)
		return 0;
	if (now > 0 && write_attr(address, "sriov_numvfs", 0, err) < 0)
		return -1;
	if (n > 0 && write_attr(address, "sriov_numvfs", n, err) < 0)
		return -1;
	now = read_attr(address, "sriov_numvfs");
	if (now == n)
		return 0;
	return ga_refuse(err, GA_HOST, NULL, NULL,
			 ("'%s' has %" PRId64 " virtual functions instead of %" PRId64, address,
			  now, n),
			 ("see 'dmesg | tail'; if their BARs have too little room, use "
			  "'pci=realloc' or a setting of the firmware"));
}

/* Each change of the number has its own inverse. A change that is made again (at boot) has an
 * inverse already: *known then gets the number of the newest entry, if that entry set the same
 * number. */
static int name_vfs(const struct ga_setup_doer *d, const struct ga_setup_step *s, char **subject,
		    int64_t *known, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };
	size_t i, n = 0, len = strlen(s->say.subject);
	json_error_t why;

	*known = 0;
	if (ga_journal_open_entries(d->h, GA_SETUP_OBJECT, &j, err) < 0)
		return -1;
	for (i = 0; i < j.n; i++) {
		ga_autojson json_t *inverse = NULL;

		if (!ga_streq(j.v[i].op, "vfs") || strncmp(j.v[i].subject, s->say.subject, len))
			continue;
		inverse = json_loads(j.v[i].inverse, 0, &why);
		if (!n++ && json_integer_value(json_object_get(inverse, "ours")) == s->number)
			*known = j.v[i].seq;
	}
	*subject = n ? ga_xprintf("%s#%zu", s->say.subject, n + 1) : ga_xstrdup(s->say.subject);
	return 0;
}

int ga_setup_do_vfs(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		    struct ga_err *err)
{
	const char *address = s->say.subject;
	int64_t probe = read_attr(address, "sriov_drivers_autoprobe");
	int64_t now = read_attr(address, "sriov_numvfs"), seq;
	ga_autofree char *subject = NULL;

	if (name_vfs(d, s, &subject, &seq, err) < 0 ||
	    (!seq && ga_setup_intend(d, "vfs", subject,
				     json_pack("{s:s,s:I,s:I,s:I}", "address", address, "vfs",
					       (json_int_t)(now < 0 ? 0 : now), "ours",
					       (json_int_t)s->number, "autoprobe",
					       (json_int_t)(probe == GA_UNKNOWN ? -1 : probe)),
				     &seq, err) < 0))
		return -1;
	/* Without a driver of the host from the start, there is no driver to unbind later. */
	if (probe == 1 && all_ours(d->facts, address, s->number) &&
	    write_attr(address, "sriov_drivers_autoprobe", 0, err) < 0)
		return -1;
	if (set_vfs(address, s->number, err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

/* The process that has one of a physical function's virtual functions open, in words; allocated, or
 * NULL. */
static char *guest_of_vfs(const char *address)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", address);
	ga_autotexts struct ga_texts names = { 0 };
	char *who = NULL;
	size_t i;

	ga_sys_list(dir, &names);
	for (i = 0; i < names.n && !who; i++) {
		ga_autofree char *vf = ga_starts(names.v[i], "virtfn") ?
					       ga_sys_link(dir, names.v[i]) : NULL;

		who = vf ? guest_of(vf) : NULL;
	}
	return who;
}

int ga_setup_undo_vfs(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	int64_t before = json_integer_value(json_object_get(u->inverse, "vfs"));
	int64_t ours = json_integer_value(json_object_get(u->inverse, "ours"));
	int64_t probe = json_integer_value(json_object_get(u->inverse, "autoprobe"));
	const char *address = json_string_value(json_object_get(u->inverse, "address"));
	int64_t now = address ? read_attr(address, "sriov_numvfs") : GA_UNKNOWN;

	if (now == GA_UNKNOWN) /* the adapter is gone, and its functions too */
		return 1;
	u->why = guest_of_vfs(address);
	if (!u->why && now != before && now != ours && now != 0)
		u->why = ga_xprintf("it has %" PRId64 " of them now: somebody else changed it",
				    now);
	if (u->why)
		return 0;
	if (set_vfs(address, before, err) < 0 ||
	    (probe >= 0 && write_attr(address, "sriov_drivers_autoprobe", probe, err) < 0))
		return -1;
	return 1;
}

/* ---- bindings ---- */

int ga_setup_do_bind(const struct ga_setup_doer *d, const struct ga_setup_step *s,
		     struct ga_err *err)
{
	const char *address = s->say.subject;
	ga_autobefore struct ga_vfio_before before = { 0 };
	ga_autofree char *who = guest_of(address);
	int64_t seq;

	if (ga_vfio_look(address, &before, err) < 0)
		return -1;
	if (who && !ga_streq(before.driver, "vfio-pci"))
		return ga_fail_for(err, GA_CONFLICT, "device_busy", "'%s' is in use: %s", address,
				   who);
	if (ga_setup_intend(d, "vfio_bind", address,
			    json_pack("{s:s?,s:s?}", "driver", before.driver, "override",
				      before.override),
			    &seq, err) < 0 ||
	    ga_vfio_bind(address, "vfio-pci", "vfio-pci", err) < 0)
		return -1;
	return ga_journal_done(d->h, seq, err);
}

int ga_setup_undo_bind(struct ga_setup_undo_ctx *u, struct ga_err *err)
{
	ga_autobefore struct ga_vfio_before now = { 0 };
	struct ga_err gone = GA_ERR_INIT;
	const char *driver = json_string_value(json_object_get(u->inverse, "driver"));
	const char *override = json_string_value(json_object_get(u->inverse, "override"));

	/* A virtual function that no longer exists has nothing to restore. */
	if (ga_vfio_look(u->e->subject, &now, &gone) < 0)
		return 1;
	if (ga_streq(now.driver, driver) && ga_streq(now.override, override))
		return 1;
	u->why = guest_of(u->e->subject);
	if (!u->why && now.driver && !ga_streq(now.driver, "vfio-pci"))
		u->why = ga_xprintf("it is bound to %s now: somebody else did that since",
				    now.driver);
	if (u->why)
		return 0;
	return ga_vfio_bind(u->e->subject, driver, override, err) < 0 ? -1 : 1;
}
