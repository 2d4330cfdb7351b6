/* SPDX-License-Identifier: Apache-2.0 */
/* GPU reset, GPU memory, fabric function. */
#include "act/device/gpuwipe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/device/gpuuse.h"
#include "act/device/hooks.h"
#include "act/device/vfio.h"
#include "base/proc.h"
#include "look/pci.h"
#include "look/sys.h"
#include "record/result.h"

void ga_step_set(struct ga_step *s, const char *step, const char *outcome, const char *fmt, ...)
{
	char buf[1024] = "";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	free(s->step);
	free(s->outcome);
	free(s->detail);
	s->step = ga_xstrdup(step);
	s->outcome = ga_xstrdup(outcome);
	s->detail = *buf ? ga_printable(ga_xstrdup(buf)) : NULL;
}

/* ---- checks: the intended device, and free ---- */

static char *ids_of(const char *address)
{
	ga_autofree char *vendor = ga_pci_attr(address, "vendor");
	ga_autofree char *device = ga_pci_attr(address, "device");

	if (!vendor || !device || !ga_starts(vendor, "0x") || !ga_starts(device, "0x"))
		return NULL;
	return ga_xprintf("%s:%s", vendor + 2, device + 2);
}

/* Whether a process uses the function, with the reason in the step. A reset would take the device
 * from a VM, and a process that uses the device would write into scrubbed memory again. */
static bool is_held(const char *address, const char *step, struct ga_step *ret)
{
	struct ga_err err = GA_ERR_INIT;

	if (ga_gpu_use_refuse(address, false, &err) == 0)
		return false;
	ga_step_set(ret, step, err.code == GA_DENIED ? "not_proven" : "failed", "%s", err.msg);
	return true;
}

/* Whether the function may be reset; if not, the step gets the reason. */
static bool may_touch(const char *address, const char *identity, const char *ids,
		      const char *step, struct ga_step *ret)
{
	ga_autofree char *driver = ga_pci_driver(address);
	ga_autofree char *now = ids_of(address);
	ga_autofree char *id = NULL;
	ga_autopci struct ga_pci pci = { 0 };
	struct ga_err ignored = GA_ERR_INIT; /* then the identity is unknown */
	const struct ga_pci_dev *dev;

	if (!now) {
		ga_step_set(ret, step, "not_proven", "there is no device at %s", address);
		return false;
	}
	if (ids && !ga_streq(ids, now)) {
		ga_step_set(ret, step, "failed", "the device at %s is %s, not %s", address, now,
			    ids);
		return false;
	}
	/* Identities of another form (serial numbers) cannot be read here and are not compared. */
	if (identity && ga_starts(identity, "slot:") && ga_pci_scan(&pci, &ignored) == 0) {
		dev = ga_pci_find(&pci, address);
		id = dev ? ga_pci_identity(dev) : NULL;
	}
	if (identity && ga_starts(identity, "slot:") && !ga_streq(identity, id)) {
		ga_step_set(ret, step, "failed", "the device at %s is '%s', not '%s'", address,
			    id ? id : "unknown", identity);
		return false;
	}
	if (is_held(address, step, ret))
		return false;
	if (driver && !ga_streq(driver, "vfio-pci")) {
		ga_step_set(ret, step, "not_proven", "driver '%s' uses %s", driver, address);
		return false;
	}
	return true;
}

/* ---- reset ---- */

void ga_gpu_reset(const char *address, const char *identity, const char *ids, const char *step,
		  struct ga_step *ret, char **method)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_vfio_reset how;
	const char *why;
	int r;

	if (!address) {
		ga_step_set(ret, step, "not_needed", "no such device in the order");
		return;
	}
	if (!may_touch(address, identity, ids, step, ret))
		return;
	r = ga_vfio_reset(address, &how, &err);
	why = how.why_not_bus;
	if (r < 0)
		ga_step_set(ret, step, err.code == GA_DENIED ? "not_proven" : "failed", "%s",
			    err.msg);
	else if (!r)
		ga_step_set(ret, step, "not_proven", "the kernel has no reset method for %s%s%s",
			    address, *why ? " alone: " : "", why);
	else /* "0000:18:00.0 by pm reset, 0.52 s (no bus reset: …)" */
		ga_step_set(ret, step, "confirmed", "%s by %s reset, %.2f s%s%s%s", address,
			    how.method[0] ? how.method : "the kernel's", (double)how.micros / 1e6,
			    *why ? " (no bus reset: " : "", why, *why ? ")" : "");
	if (r > 0 && method && how.method[0])
		*method = ga_xstrdup(how.method);
}

/* ---- memory ---- */

/* The reason not to run the scrub hook of a folder; NULL: it may run. */
static char *why_not_run(const char *folder, const char *name)
{
	ga_autofd int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct ga_err err = GA_ERR_INIT;
	const char *why;
	struct stat st;

	if (dir < 0 || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return ga_xprintf("it cannot be checked: %s", strerror(errno));
	if (ga_hooks_check_folder(folder, dir, &err) < 0)
		return ga_xstrdup(err.msg);
	why = ga_hook_why_refused(&st);
	return ga_strdup0(why || st.st_mode & S_IXUSR ? why : "it is not executable");
}

static const char *last_line(struct ga_str *s)
{
	char *p;

	while (s->len && (s->buf[s->len - 1] == '\n' || s->buf[s->len - 1] == ' '))
		s->buf[--s->len] = '\0';
	for (p = s->buf; *p; p++)
		if ((unsigned char)*p < ' ' && *p != '\n')
			*p = ' ';
	p = strrchr(s->buf, '\n');
	return p ? p + 1 : s->buf;
}

void ga_gpu_scrub(const char *hooks, const char *address, const char *ids, struct ga_step *ret)
{
	static const char step[] = "gpu_memory";
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	ga_autofree char *now = address ? ids_of(address) : NULL;
	ga_autofree char *hook = now ? ga_xprintf("%s/%s", hooks, now) : NULL, *why = NULL;
	struct ga_err err = GA_ERR_INIT;

	if (!address) {
		ga_step_set(ret, step, "not_needed", "no GPU in the order");
		return;
	}
	if (!now || (ids && !ga_streq(ids, now))) {
		ga_step_set(ret, step, "not_proven", "there is no %s at %s", ids ? ids : "device",
			    address);
		return;
	}
	if (access(hook, F_OK) < 0) {
		ga_step_set(ret, step, "not_proven", "no scrub method for %s", now);
		return;
	}
	why = why_not_run(hooks, now);
	if (why) {
		ga_step_set(ret, step, "not_proven", "'%s' is not run: %s", hook, why);
		return;
	}
	/* Checked also when there was no reset: programs of its driver may have it open. */
	if (is_held(address, step, ret))
		return;
	if (ga_proc_check(&(struct ga_proc){ .argv = (const char *const[]){ hook, address, NULL },
					     .timeout_micros = 600 * GA_SECOND },
			  &out, &err) < 0)
		ga_step_set(ret, step, "failed", "%s", err.msg);
	else
		ga_step_set(ret, step, "confirmed", "%s: %.512s", hook, last_line(&out.out));
}

/* ---- the fabric function ---- */

/* The index of a VF among the virtfnN links of its physical function, or -1. */
static int vf_index(const char *pf, const char *vf)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", pf);

	for (int i = 0; i < 1024; i++) {
		ga_autofree char *name = ga_xprintf("virtfn%d", i);
		ga_autofree char *address = ga_sys_link(dir, name);

		if (!address || ga_streq(address, vf))
			return address ? i : -1;
	}
	return -1;
}

/* A GUID that was set through the physical function (mlx5: sriov/N/{node,port}), or NULL. */
static char *guid_left(const char *pf, int index)
{
	static const char *const attrs[] = { "node", "port" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(attrs); i++) {
		ga_autofree char *name = ga_xprintf("sriov/%d/%s", index, attrs[i]);
		ga_autofree char *guid = ga_pci_attr(pf, name);

		if (guid && guid[strspn(guid, "0:")])
			return GA_TAKE(guid);
	}
	return NULL;
}

void ga_vf_check(const char *vf_address, const char *pf_address, struct ga_step *ret)
{
	static const char step[] = "vf_state";
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", vf_address ? vf_address : "");
	ga_autofree char *pf = vf_address ? ga_sys_link(dir, "physfn") : NULL;
	ga_autofree char *guid = NULL;
	int index;

	if (!vf_address) {
		ga_step_set(ret, step, "not_needed", "none: the slot has no fabric function");
		return;
	}
	if (!pf) {
		ga_step_set(ret, step, "not_proven", "there is no virtual function at %s",
			    vf_address);
		return;
	}
	if (pf_address && !ga_streq(pf, pf_address)) {
		ga_step_set(ret, step, "failed", "%s belongs to %s, not to %s", vf_address, pf,
			    pf_address);
		return;
	}
	/* The reset clears the settings that the tenant made through the function itself. */
	ga_gpu_reset(vf_address, NULL, NULL, step, ret, NULL);
	index = vf_index(pf, vf_address);
	guid = index < 0 ? NULL : guid_left(pf, index);
	if (ga_streq(ret->outcome, "confirmed") && index < 0)
		ga_step_set(ret, step, "not_proven", "%s is not listed by %s", vf_address, pf);
	else if (ga_streq(ret->outcome, "confirmed") && guid)
		/* Only the host can have set the GUID (vf.h): the slot keeps it from tenant to
		 * tenant. */
		ga_step_set(ret, step, "confirmed", "%s, GUID %s of this host", vf_address, guid);
}
