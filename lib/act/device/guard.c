/* SPDX-License-Identifier: Apache-2.0 */
/* The in-use guard. */
#include "act/device/guard.h"

#include <unistd.h>

#include "act/device/openers.h"
#include "act/device/virt.h"
#include "base/clock.h"
#include "base/quote.h"
#include "decide/wipe/guard_steps.h"
#include "look/nvme_id.h"
#include "record/fault.h"
#include "record/result.h"

#define TRANSIENT (3 * GA_SECOND) /* udev opens new disks for a moment */

static void GA_PRINTF(4, 5) add_step(struct ga_guard_steps *steps, const char *name,
				     const char *outcome, const char *fmt, ...)
{
	struct ga_step *s = ga_list_add(steps);
	ga_autofree char *detail = NULL;
	va_list ap;

	va_start(ap, fmt);
	detail = ga_xvprintf(fmt, ap); /* must not be cut: the next run of the order reads it */
	va_end(ap);
	s->step = ga_xstrdup(name);
	s->outcome = ga_xstrdup(outcome);
	/* The detail has names of mounts, domains and processes; a record takes no control
	 * characters. */
	s->detail = *detail ? ga_printable(GA_TAKE(detail)) : NULL;
}

static bool any_failed(const struct ga_guard_steps *steps)
{
	size_t i;

	for (i = 0; i < steps->n; i++)
		if (ga_streq(steps->v[i].outcome, "failed"))
			return true;
	return false;
}

/* "a, b, c" of a list of texts. */
static char *joined(const struct ga_texts *list)
{
	ga_autostr struct ga_str s = GA_STR_INIT;
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_str_addf(&s, "%s%s", i ? ", " : "", list->v[i]);
	return ga_str_take(&s);
}

/* ---- the disk and its identity ---- */

static void check_medium(const struct ga_disk *d, const struct ga_guard_opts *o,
			 struct ga_guard_steps *steps)
{
	bool file = ga_streq(d->medium, "file");

	if (o->lab == 0 && file)
		add_step(steps, "medium", "failed",
			 "nvme_not_block: '%s' is a file, and %s",
			 d->dev.path, o->ordered ? "the order is for a real disk" :
			 "only a lab has files for disks: --lab marks this host as one, unless the "
			 "state of this machine says otherwise");
	else if (o->lab == 1 && !file)
		add_step(steps, "medium", "failed",
			 "lab_refuses_block: '%s' is a block device, and the order is of a lab",
			 d->dev.path);
	else
		add_step(steps, "medium", "confirmed", "%s", d->medium);
}

static void check_identity(const struct ga_disk *d, const struct ga_guard_opts *o, const char *name,
			   bool any_diskseq, struct ga_guard_steps *steps)
{
	ga_autofree char *wwid = ga_disk_wwid(d);
	ga_autofree char *seq = ga_disk_diskseq(d);
	int64_t size = ga_disk_size(d);

	if (!wwid)
		add_step(steps, name, "failed", "identity_changed: '%s' no longer has an identity",
			 d->dev.path);
	else if (!ga_streq(wwid, o->wwid))
		add_step(steps, name, "failed", "identity_changed: '%s' is %s, not %s", d->dev.path,
			 wwid, o->wwid);
	else if (o->size_bytes != GA_UNKNOWN && size != o->size_bytes)
		add_step(steps, name, "failed",
			 "size_changed: '%s' has %lld bytes, and the order says %lld", d->dev.path,
			 (long long)size, (long long)o->size_bytes);
	else if (size != d->size_bytes)
		add_step(steps, name, "failed",
			 "size_changed: '%s' has %lld bytes and had %lld", d->dev.path,
			 (long long)size, (long long)d->size_bytes);
	else if (!any_diskseq && o->diskseq && seq && !ga_streq(seq, o->diskseq))
		add_step(steps, name, "failed",
			 "identity_changed: '%s' was removed and came back (diskseq %s, was %s)",
			 d->dev.path, seq, o->diskseq);
	else if (!seq && !ga_streq(d->medium, "file"))
		/* Without a wwid the evidence would prove nothing: do not begin the wipe. */
		add_step(steps, name, "failed",
			 "wrong_device: the kernel shows no disk sequence number of '%s', so "
			 "nothing proves that it stays the same disk: Linux 5.15 or newer is "
			 "needed", d->dev.path);
	else
		add_step(steps, name, "confirmed", "%s, %lld bytes, diskseq %s", wwid,
			 (long long)size, seq ? seq : "unknown");
}

/* ---- uses of a disk ---- */

static void check_mounts(const struct ga_block_uses *u, bool file, struct ga_guard_steps *steps)
{
	if (u->mounts.n) {
		const struct ga_block_mount *m = &u->mounts.v[0];

		add_step(steps, "mounts", "failed",
			 "nvme_mounted: %s is mounted on %s (seen by process %lld)%s; unmount it, "
			 "and remove what is built on the disk, first", m->device,
			 m->where, (long long)(m->pid ? m->pid : getpid()),
			 u->mounts.n > 1 ? " and elsewhere" : "");
	} else if (!u->namespaces_known && !file) {
		add_step(steps, "mounts", "failed",
			 "nvme_in_use: the mounts of other processes cannot be read: run as root");
	} else {
		add_step(steps, "mounts", "confirmed", "%s",
			 u->namespaces_known ? "" : "of this mount namespace only");
	}
}

static void check_list(const struct ga_texts *list, const char *name, const char *what,
		       struct ga_guard_steps *steps)
{
	ga_autofree char *names = joined(list);

	if (list->n)
		add_step(steps, name, "failed", "nvme_in_use: %s %s", what, names);
	else
		add_step(steps, name, "confirmed", "%s", "");
}

/* Adds a step for a list of uses. An empty list that could not be read completely proves
 * nothing. */
static void check_seen(const struct ga_texts *list, bool known, bool file, const char *name,
		       const char *what, const char *unseen, struct ga_guard_steps *steps)
{
	if (list->n || known)
		check_list(list, name, what, steps);
	else
		add_step(steps, name, file ? "not_proven" : "failed", "nvme_in_use: %s", unseen);
}
#define UNSEEN_LOOPS \
	"what is below the loop devices of this host cannot be read: run as root on the host"
#define UNSEEN_EXPORTS "the exports in configfs cannot be read: mount it, and run as root"

static bool may_destroy(const struct ga_guard_opts *o)
{
	return o->content_expected || ga_streq(o->destroy_data, o->wwid);
}

/* The hint for a person whose disk has content that the wipe must not destroy. */
static char *way_out(const struct ga_guard_opts *o)
{
	ga_autofree char *command = ga_command("gpuaas-discover | gpuaas-approve --slot INDEX "
					       "--destroy-data %s", o->wwid);

	return o->seen ? ga_xstrdup("it may be newer than the last run of this order: "
				    "'gpuaas-approve repair SLOT --reason TEXT | gpuaas-wipe' "
				    "orders a new wipe") :
			 ga_xprintf("%s%s'%s' allows its wipe", o->wiped ? o->wiped : "",
				    o->wiped ? "; " : "", command);
}

/* Whether a signature has come since the order's last run. */
static bool is_new(const struct ga_block_uses *u, const char *seen)
{
	size_t i;

	for (i = 0; seen && i < u->signatures.n; i++)
		if (!ga_guard_saw(seen, u->signatures.v[i]))
			return true;
	return false;
}

static void check_signatures(const struct ga_disk *d, const struct ga_block_uses *u,
			     const struct ga_guard_opts *o, struct ga_guard_steps *steps)
{
	ga_autofree char *found = joined(&u->signatures), *way = way_out(o);
	bool may = may_destroy(o) && !(o->content_expected && is_new(u, o->seen));

	if (!u->signatures_known)
		add_step(steps, "signatures", may ? "not_proven" : "failed",
			 GA_FAULT_NVME_SIGNATURE ": the content of '%s' cannot be read",
			 d->dev.path);
	else if (!u->signatures.n)
		add_step(steps, "signatures", "confirmed", "none");
	else if (may)
		add_step(steps, "signatures", "confirmed", "%s (%s)", found,
			 o->content_expected ? "expected" : "to be destroyed, as ordered");
	else
		add_step(steps, "signatures", "failed",
			 GA_FAULT_NVME_SIGNATURE ": there is data on it: %s; %s", found, way);
}

/* A disk without a signature may still have data. */
static void check_content(const struct ga_disk *d, const struct ga_guard_opts *o,
			  struct ga_guard_steps *steps)
{
	struct ga_err none = GA_ERR_INIT; /* a drive without NVMe commands does not report how its
					     blocks read */
	ga_autofree char *text = NULL, *way = way_out(o);
	bool may = may_destroy(o);
	struct ga_nvme_id id = { .caps.dlfeat = GA_UNKNOWN };
	struct ga_content c = { 0 };
	const char *word;

	if (d->fd >= 0)
		ga_block_content_read(d->fd, d->size_bytes, &c);
	if (!ga_streq(d->medium, "nvme") || ga_nvme_identify(d->fd, d->dev.nsid, &id, &none) < 0)
		id.caps.dlfeat = GA_UNKNOWN;
	/* Markers and the remains of a purge look like any data; they have no signature. */
	may = may || (o->begun && c.known);
	word = ga_block_content_word(&c, id.caps.dlfeat);
	text = ga_block_content_text(word, &c);
	if (ga_streq(word, "empty") || ga_streq(word, "pattern"))
		add_step(steps, "content", "confirmed", "%s: %s", word, text);
	else if (may)
		add_step(steps, "content", c.known ? "confirmed" : "not_proven", "%s (%s)", text,
			 o->content_expected || o->begun ? "expected" :
							   "to be destroyed, as ordered");
	else if (!c.known)
		add_step(steps, "content", "failed", GA_FAULT_NVME_SIGNATURE ": '%s': %s",
			 d->dev.path, text);
	else
		add_step(steps, "content", "failed",
			 GA_FAULT_NVME_SIGNATURE ": %s; %s", text, way);
}

static int check_uses(struct ga_disk *d, const struct ga_guard_opts *o,
		      struct ga_guard_steps *steps, struct ga_err *err)
{
	ga_autouses struct ga_block_uses u = { 0 };
	bool file = ga_streq(d->medium, "file");

	if (ga_block_uses(&d->dev, true, &u, err) < 0)
		return -1;
	/* For a file that is named by its path, the descriptor has the signatures. */
	if (strchr(d->dev.name, '/') && d->fd >= 0)
		u.signatures_known = ga_block_signatures(d->fd, d->dev.name,
							    &u.signatures) >= 0;
	if (u.same.n) {
		ga_autofree char *same = joined(&u.same);

		add_step(steps, "other_names", "failed",
			 "duplicate_identity: %s has the same wwid", same);
	} else {
		add_step(steps, "other_names", "confirmed", "%s", "");
	}
	check_mounts(&u, file, steps);
	check_list(&u.holders, "holders", "it is part of", steps);
	check_seen(&u.loops, u.loops_known, file, "loops", "it is below loop device", UNSEEN_LOOPS,
		   steps);
	check_list(&u.slaves, "slaves", "it is built on", steps);
	check_list(&u.swap, "swap", "there is swap on", steps);
	check_list(&u.md, "md", "it is in the array", steps);
	check_seen(&u.exports, u.exports_known, file, "exports", "it is exported by",
		   UNSEEN_EXPORTS, steps);
	check_signatures(d, &u, o, steps);
	check_content(d, o, steps);
	return 0;
}

/* Uses that do not open the disk, and that may have come since the first look: a loop device, an
 * export, a mount of either. */
static int check_uses_again(const struct ga_disk *d, const char *name,
			    struct ga_guard_steps *steps, struct ga_err *err)
{
	ga_autouses struct ga_block_uses u = { 0 };
	ga_autofree char *text = NULL;
	bool file = ga_streq(d->medium, "file");

	if (ga_block_uses(&d->dev, false, &u, err) < 0)
		return -1;
	text = ga_block_uses_text(&u);
	if (ga_block_is_used(&u))
		add_step(steps, name, "failed", "nvme_in_use: %s", text);
	else if (u.same.n)
		add_step(steps, name, "failed", "duplicate_identity: %s has the same wwid",
			 u.same.v[0]);
	else if (ga_block_uses_known(&u))
		add_step(steps, name, "confirmed", "%s", "");
	else
		add_step(steps, name, file ? "not_proven" : "failed",
			 "nvme_in_use: not everything that could use it can be read: run as root");
	return 0;
}

/* The names of domains that use the disk or the whole drive; as o->domains (guard.h). */
static int ask_libvirt(const char *uri, const struct ga_disk *d, struct ga_str *names,
		       struct ga_err *err)
{
	ga_autovirt struct ga_virt *v = NULL;
	ga_autotexts struct ga_texts list = { 0 };
	int r = uri ? ga_virt_open(uri, &v, err) : -1;
	size_t i;

	if (r >= 0 && d->dev.pci_address)
		r = ga_virt_domains_using_pci(v, d->dev.pci_address, &list, err);
	if (r >= 0)
		r = ga_virt_domains_using(v, d->dev.path, &list, err);
	r = r < 0 ? -1 : (int)list.n;
	for (i = 0; i < list.n; i++)
		ga_str_addf(names, "%s%s", i ? ", " : "", list.v[i]);
	return r;
}

/* Whether the domains are only the one that ends before the wipe. */
static bool only_ends(const struct ga_guard_opts *o, const struct ga_str *names)
{
	return o->ends && ga_streq(names->buf, o->ends);
}

/* A hypervisor that does not answer is usually no refusal: a running domain has the disk open, and
 * check_openers sees that. But a domain that is off has its disk too: where the journal of this
 * host gives the disk to an allocation, libvirt must have answered. */
static void check_domains(const struct ga_disk *d, const struct ga_guard_opts *o,
			  struct ga_guard_steps *steps)
{
	ga_autostr struct ga_str names = GA_STR_INIT;
	struct ga_err silent = GA_ERR_INIT;
	int n = o->domains ? o->domains(d->dev.path, d->dev.wwid, &names, &silent) :
			     ask_libvirt(o->libvirt_uri, d, &names, &silent);

	if (n > 0 && only_ends(o, &names))
		add_step(steps, "domains", "not_proven",
			 "libvirt domain %s uses it, and ends with the release", names.buf);
	else if (n > 0)
		add_step(steps, "domains", "failed", "nvme_in_use: libvirt domain %s uses it",
			 names.buf);
	else if (!n && silent.code)
		add_step(steps, "domains", "failed", "nvme_in_use: %s", silent.msg);
	else if (o->holder && !o->ordered)
		add_step(steps, "domains", "failed", "nvme_in_use: the journal of this "
			 "host gives it to allocation %s; 'gpuaas-release %s' orders its wipe",
			 o->holder, o->holder);
	else if (!n)
		add_step(steps, "domains", "confirmed", "%s", "");
	else if (o->holder)
		add_step(steps, "domains", "failed", "nvme_in_use: the journal of this host gives "
			 "it to allocation %s, and it is unknown whether libvirt still has its "
			 "VM%s%s",
			 o->holder, silent.msg[0] ? ": " : "", silent.msg);
	else
		add_step(steps, "domains", "not_proven", "libvirt was not asked%s%s",
			 silent.msg[0] ? ": " : "", silent.msg);
}

/* Openers that close the disk by themselves within a moment do not count: udev looks at new
 * disks. ends: as in guard.h. */
static void check_openers(const struct ga_disk *d, const char *name, const char *ends,
			  struct ga_guard_steps *steps)
{
	int64_t deadline = ga_clock_mono_micros() + TRANSIENT;
	bool file = ga_streq(d->medium, "file");
	struct ga_openers who;

	do
		ga_openers_find(d, &who);
	while (who.pid && ga_clock_wait(deadline, GA_SECOND / 5));
	if (who.pid && ends && ga_starts(who.command, "qemu"))
		add_step(steps, name, "not_proven",
			 "process %lld (%s) has it open, and ends with the release of %s",
			 (long long)who.pid, who.command, ends);
	else if (who.pid)
		add_step(steps, name, "failed", "nvme_in_use: process %lld (%s) has it open%s",
			 (long long)who.pid, who.command, who.mapped ? " (mapped)" : "");
	else if (!who.complete && who.hidden && !geteuid())
		add_step(steps, name, file ? "not_proven" : "failed",
			 "%sthe open files of process %lld cannot be read, even by root",
			 file ? "" : "nvme_in_use: ", (long long)who.hidden);
	else if (!who.complete && !file)
		add_step(steps, name, "failed",
			 "nvme_in_use: the open files of other processes cannot be read: run as "
			 "root");
	else
		add_step(steps, name, who.complete ? "confirmed" : "not_proven", "%s",
			 !who.complete	 ? "only this user's processes could be checked" :
			 who.init_hidden ? "of all processes but init, which even root may not "
					   "read here" :
					   "");
}

int ga_guard_take(struct ga_disk *d, const struct ga_guard_opts *o, bool write,
		  struct ga_guard_steps *steps, struct ga_err *err)
{
	struct ga_err open_err = GA_ERR_INIT;

	if (ga_disk_open(d, write, &open_err) < 0) {
		if (!open_err.reason[0]) {
			*err = open_err;
			return -1;
		}
		add_step(steps, "exclusive_open", "failed", "%s: %s", open_err.reason,
			 open_err.msg);
		/* The uses name the process that has the disk, for the person who has to look. */
		if (!d->medium)
			d->medium = "block";
		return check_uses(d, o, steps, err);
	}
	add_step(steps, "exclusive_open", "confirmed", "%s", "");
	check_medium(d, o, steps);
	check_identity(d, o, "identity", false, steps);
	if (check_uses(d, o, steps, err) < 0)
		return -1;
	check_domains(d, o, steps);
	check_openers(d, "open_files", o->ends, steps);
	return !any_failed(steps);
}

int ga_guard_again(struct ga_disk *d, const struct ga_guard_opts *o, const char *step,
		   bool format_ran, struct ga_guard_steps *steps, struct ga_err *err)
{
	ga_autofree char *openers = ga_xprintf("%s_open_files", step);
	ga_autofree char *uses = ga_xprintf("%s_uses", step);

	check_identity(d, o, step, format_ran, steps);
	if (check_uses_again(d, uses, steps, err) < 0)
		return -1;
	check_openers(d, openers, NULL, steps);
	return !any_failed(steps);
}
