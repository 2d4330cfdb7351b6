/* SPDX-License-Identifier: Apache-2.0 */
/* Journalled changes and their inverses. */
#include "act/vm/change.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/device/fabric.h"
#include "act/device/lease.h"
#include "act/device/nat.h"
#include "act/device/vf.h"
#include "act/device/vfio.h"
#include "base/file.h"
#include "record/size.h"

void ga_changes_close(struct ga_changes *c)
{
	ga_virt_close(GA_TAKE(c->virt));
}

int ga_changes_virt(struct ga_changes *c, struct ga_virt **ret, struct ga_err *err)
{
	if (!c->virt && ga_virt_open(c->libvirt_uri, &c->virt, err) < 0)
		return -1;
	*ret = c->virt;
	return 0;
}

void ga_changes_say(const struct ga_changes *c, const char *fmt, ...)
{
	ga_autofree char *text = NULL;
	char *line, *rest = NULL;
	va_list ap;

	if (!c->dry_run || !c->say)
		return;
	va_start(ap, fmt);
	text = ga_xvprintf(fmt, ap);
	va_end(ap);
	/* The printer replaces control characters, line ends too: give it one line at a time. */
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		c->say(line);
}

void ga_change_reset_say(const struct ga_changes *c, const char *address)
{
	ga_autofree char *words = ga_vfio_reset_words(address);

	ga_changes_say(c, "%s", words);
}

/* Enters a change in the journal. The members of the inverse are pairs of names and texts, ended by
 * NULL. */
__attribute__((sentinel)) static int intend(struct ga_changes *c, const char *object,
					    const char *op, const char *subject, int64_t *seq,
					    struct ga_err *err, ...)
{
	ga_autojson json_t *inverse = json_object();
	ga_autostr struct ga_str text = GA_STR_INIT;
	const char *name;
	va_list ap;

	va_start(ap, err);
	while ((name = va_arg(ap, const char *))) {
		const char *value = va_arg(ap, const char *);

		json_object_set_new(inverse, name, value ? json_string(value) : json_null());
	}
	va_end(ap);
	ga_rec_dump(inverse, &text);
	return ga_journal_intend(c->h, object, op, subject, text.buf, seq, err);
}

/* ---- the changes ---- */

int ga_change_disk(struct ga_changes *c, const char *wwid, const char *what, struct ga_err *err)
{
	int64_t seq;

	ga_changes_say(c, "write %s on disk %s", what, wwid);
	if (c->dry_run)
		return 0;
	if (intend(c, c->object, "disk", wwid, &seq, err, "wipe", wwid, NULL) < 0)
		return -1;
	return ga_journal_done(c->h, seq, err);
}

int ga_change_file(struct ga_changes *c, const char *path, const void *data, size_t len,
		   unsigned int mode, struct ga_err *err)
{
	int64_t seq;

	ga_changes_say(c, "write file %s (%zu bytes, mode %04o)", path, len, mode);
	if (c->dry_run)
		return 0;
	if (intend(c, c->object, "file", path, &seq, err, "remove", path, NULL) < 0 ||
	    ga_file_replace(path, data, len, mode, err) < 0)
		return -1;
	return ga_journal_done(c->h, seq, err);
}

int ga_change_file_by_other(struct ga_changes *c, const char *path, const char *by,
			    struct ga_err *err)
{
	int64_t seq;

	if (by)
		ga_changes_say(c, "%s writes file %s", by, path);
	else
		ga_changes_say(c, "keep file %s", path);
	return c->dry_run ? 0 :
			    intend(c, c->object, "file", path, &seq, err, "remove", path, NULL);
}

int ga_change_folder(struct ga_changes *c, const char *path, unsigned int mode, struct ga_err *err)
{
	int64_t seq;

	ga_changes_say(c, "make folder %s (mode %04o)", path, mode);
	if (c->dry_run)
		return 0;
	if (intend(c, c->object, "folder", path, &seq, err, "remove", path, NULL) < 0 ||
	    ga_file_mkdirs(path, mode, err) < 0)
		return -1;
	/* Set exactly this mode, whatever the umask is: QEMU must be able to enter the folder. */
	if (chmod(path, mode) < 0)
		return ga_fail_sys(err, "cannot change the mode of '%s'", path);
	return ga_journal_done(c->h, seq, err);
}

int ga_change_bind(struct ga_changes *c, const char *address, struct ga_err *err)
{
	ga_autobefore struct ga_vfio_before before = { 0 };
	int64_t seq;

	if (ga_vfio_look(address, &before, err) < 0)
		return -1;
	if (ga_streq(before.driver, "vfio-pci") && ga_streq(before.override, "vfio-pci"))
		return 0;
	ga_changes_say(c, "write vfio-pci to /sys/bus/pci/devices/%s/driver_override", address);
	if (!ga_streq(before.driver, "vfio-pci"))
		ga_changes_say(c, "unbind %s from %s, probe, read back vfio-pci", address,
			       before.driver ? before.driver : "no driver");
	if (c->dry_run)
		return 0;
	if (intend(c, "node", "vfio_bind", address, &seq, err, "driver", before.driver, "override",
		   before.override, NULL) < 0 ||
	    ga_vfio_bind(address, "vfio-pci", "vfio-pci", err) < 0)
		return -1;
	return ga_journal_done(c->h, seq, err);
}

static const char *flag_text(int64_t flag)
{
	return flag == GA_UNKNOWN ? NULL : flag ? "on" : "off";
}

int ga_change_vf(struct ga_changes *c, const char *vf, const char *pf, const char *node,
		 int64_t slot_index, struct ga_err *err)
{
	ga_autovf struct ga_vf now = { 0 }, want = { 0 };
	int r = ga_vf_look(vf, pf, &now, err);
	int64_t seq;

	if (r <= 0)
		return r;
	ga_vf_want(&now, node, slot_index, &want);
	if (!ga_vf_differs(&now, &want))
		return 1;
	ga_changes_say(c, "set virtual function %" PRId64 " of %s: %s %s, trust off%s", want.index,
		       want.netdev, want.mac ? "mac" : "node_guid",
		       want.mac ? want.mac : want.node_guid, want.mac ? ", spoofchk on" : "");
	if (c->dry_run)
		return 1;
	if (intend(c, "node", "vf", vf, &seq, err, "pf", pf, "mac", now.infiniband ? NULL : now.mac,
		   "node_guid", now.node_guid, "port_guid", now.port_guid, "trust",
		   flag_text(now.trust), "spoofchk", flag_text(now.spoofchk), NULL) < 0 ||
	    ga_vf_set(&want, vf, pf, err) < 0)
		return -1;
	return ga_journal_done(c->h, seq, err) < 0 ? -1 : 1;
}

int ga_change_partition(struct ga_changes *c, int64_t partition, struct ga_err *err)
{
	ga_autofree char *number = ga_xprintf("%" PRId64, partition);
	int64_t seq;

	ga_changes_say(c, "activate fabric partition %s, read back", number);
	if (c->dry_run)
		return 0;
	if (intend(c, c->object, "partition", number, &seq, err, "deactivate", number, NULL) < 0 ||
	    ga_fabric_activate(&c->fabric, partition, err) < 0)
		return -1;
	return ga_journal_done(c->h, seq, err);
}

int ga_change_domain(struct ga_changes *c, const char *name, const char *xml, struct ga_err *err)
{
	struct ga_virt *virt;
	int64_t seq;

	ga_changes_say(c, "define domain %s:\n%s", name, xml);
	if (c->dry_run)
		return 0;
	if (ga_changes_virt(c, &virt, err) < 0 ||
	    intend(c, c->object, "domain", name, &seq, err, "undefine", name, NULL) < 0 ||
	    ga_virt_define(virt, xml, err) < 0)
		return -1;
	return ga_journal_done(c->h, seq, err);
}

int ga_change_network(struct ga_changes *c, const struct ga_ovs_port *p, struct ga_err *err)
{
	ga_autostr struct ga_str flows = GA_STR_INIT;
	char cookie[GA_COOKIE_SIZE];
	int64_t seq;

	ga_ovs_cookie(c->object, cookie);
	if (c->dry_run) {
		ga_ovs_flows(p, 0, &flows);
		ga_changes_say(c, "ovs-ofctl add-flows %s - (in_port is the port's number):\n%s",
			       p->bridge, flows.buf);
		return 0;
	}
	if (intend(c, c->object, "ovs_port", p->port, &seq, err, "bridge", p->bridge, "port",
		   p->port, NULL) < 0)
		return -1;
	return intend(c, c->object, "ovs_flow", cookie, &seq, err, "bridge", p->bridge, "cookie",
		      cookie, NULL);
}

int ga_change_lease(struct ga_changes *c, const char *mac, const char *ip, const char *bridge,
		    struct ga_err *err)
{
	int64_t seq;

	if (c->dry_run)
		return 0;
	return intend(c, c->object, "lease", mac, &seq, err, "mac", mac, "ip", ip, "bridge", bridge,
		      NULL);
}

static const char *member(json_t *inverse, const char *name)
{
	return json_string_value(json_object_get(inverse, name));
}

int ga_change_ingress_of(const struct ga_journal_entry *e, struct ga_net_ingress *ret,
			 struct ga_err *err)
{
	ga_autojson json_t *inverse = json_loads(e->inverse, 0, NULL);
	const char *slash = strchr(e->subject, '/'), *ip = member(inverse, "ip");
	const char *to_port = member(inverse, "port");

	*ret = (struct ga_net_ingress){ 0 };
	if (!ga_streq(e->op, "ingress") || !slash || !ip || !to_port ||
	    ga_int_parse(slash + 1, "port", 1, 65535, &ret->port, err) < 0 ||
	    ga_int_parse(to_port, "port", 1, 65535, &ret->to_port, err) < 0)
		return ga_fail(err, GA_BADREC, "the journal's change '%s' of '%s' is no port",
			       e->op, e->subject);
	ret->proto = ga_xstrndup(e->subject, (size_t)(slash - e->subject));
	ret->address = ga_xstrdup(ip);
	ret->allocation = ga_xstrdup(e->object);
	return 0;
}

int ga_change_ingress(struct ga_changes *c, const struct ga_net_ingress *i, struct ga_err *err)
{
	ga_autofree char *subject = ga_xprintf("%s/%" PRId64, i->proto, i->port);
	ga_autofree char *port = ga_xprintf("%" PRId64, i->to_port);
	ga_autoingress struct ga_net_ingress old = { 0 };
	ga_autojournal struct ga_journal j = { 0 };
	struct ga_err ignored = GA_ERR_INIT;
	bool known = false;
	int64_t seq;

	ga_changes_say(c, "publish %s to %s port %s", subject, i->address, port);
	if (c->dry_run)
		return 0;
	if (ga_journal_open_entries(c->h, c->object, &j, err) < 0)
		return -1;
	for (size_t k = 0; k < j.n && !known; k++) {
		known = ga_streq(j.v[k].op, "ingress") && ga_streq(j.v[k].subject, subject);
		if (known && ga_change_ingress_of(&j.v[k], &old, err) < 0)
			return -1;
	}
	if (known && (old.to_port != i->to_port || !ga_streq(old.address, i->address)))
		return ga_fail_for(err, GA_CONFLICT, "port_taken",
				   "port %s leads to %s port %" PRId64
				   " already: unpublish it first",
				   subject, old.address, old.to_port);
	if (intend(c, c->object, "ingress", subject, &seq, err, "ip", i->address, "port", port,
		   NULL) < 0)
		return -1;
	if (ga_nat_publish(i, err) == 0)
		return ga_journal_done(c->h, seq, err);
	/* These errors are refusals before any change. After another error the port may be
	 * published: the entry stays, and its undo checks. */
	if (!known && (err->code == GA_CONFLICT || err->code == GA_HOST || err->code == GA_USAGE))
		(void)ga_journal_undone(c->h, seq, &ignored);
	return -1;
}

/* ---- the inverses ---- */

static int undo_file(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
		     struct ga_err *err)
{
	(void)c;
	(void)inverse;
	if (unlink(e->subject) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "cannot remove '%s'", e->subject);
	return 1;
}

static int undo_folder(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
		       struct ga_err *err)
{
	(void)c;
	(void)inverse;
	if (rmdir(e->subject) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "cannot remove folder '%s'", e->subject);
	return 1;
}

static int undo_bind(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
		     struct ga_err *err)
{
	(void)c;
	return ga_vfio_bind(e->subject, member(inverse, "driver"), member(inverse, "override"),
			    err) < 0
		       ? -1
		       : 1;
}

static int64_t flag_of(const char *text)
{
	return !text ? GA_UNKNOWN : ga_streq(text, "on");
}

/* A function that is gone (no VFs after a reboot) has lost its settings too. */
static int undo_vf(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
		   struct ga_err *err)
{
	const char *pf = member(inverse, "pf");
	ga_autovf struct ga_vf now = { 0 }, want = { .trust = flag_of(member(inverse, "trust")),
			.spoofchk = flag_of(member(inverse, "spoofchk")),
			.mac = ga_strdup0(member(inverse, "mac")),
			.node_guid = ga_strdup0(member(inverse, "node_guid")),
			.port_guid = ga_strdup0(member(inverse, "port_guid")) };
	int r = pf ? ga_vf_look(e->subject, pf, &now, err) : 0;

	(void)c;
	if (r < 0 && err->code == GA_NOTFOUND) {
		ga_err_clear(err);
		return 1;
	}
	if (r <= 0)
		return r < 0 ? -1 : 1;
	want.netdev = ga_xstrdup(now.netdev);
	want.index = now.index;
	want.infiniband = now.infiniband;
	return ga_vf_set(&want, e->subject, pf, err) < 0 ? -1 : 1;
}

static int undo_partition(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
			  struct ga_err *err)
{
	char *end = NULL;
	long long partition = strtoll(e->subject, &end, 10);

	(void)inverse;
	if (*end || end == e->subject)
		return ga_fail(err, GA_BADREC, "'%s' is no fabric partition", e->subject);
	return ga_fabric_deactivate(&c->fabric, partition, err) < 0 ? -1 : 1;
}

static int undo_domain(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
		       struct ga_err *err)
{
	ga_autovirtdomain struct ga_virt_domain d = { 0 };
	struct ga_virt *virt;
	enum ga_virt_state state;
	int r;

	(void)inverse;
	if (ga_changes_virt(c, &virt, err) < 0)
		return -1;
	r = ga_virt_find(virt, e->subject, &d, err);
	if (r < 0)
		return -1;
	if (r && !ga_streq(d.allocation, e->object))
		return ga_fail_for(err, GA_CONFLICT, "domain_exists",
				   "domain '%s' belongs to '%s' now", e->subject, d.allocation);
	if (!r) {
		/* The domain is gone, or it is somebody else's of the same name, which we must not
		 * end. */
		if (ga_virt_state(virt, e->subject, &state, err) < 0)
			return -1;
		if (state == GA_VIRT_ABSENT)
			return 1;
		return ga_refuse(err, GA_CONFLICT, "domain_exists", NULL,
				 ("domain '%s' is not ours: it has no metadata of an allocation",
				  e->subject),
				 ("look at it with 'virsh dumpxml %s'; rename or remove it by "
				  "hand, then run this again", e->subject));
	}
	if (ga_virt_destroy(virt, e->subject, err) < 0 ||
	    ga_virt_undefine(virt, e->subject, err) < 0 ||
	    ga_virt_state(virt, e->subject, &state, err) < 0)
		return -1;
	if (state != GA_VIRT_ABSENT)
		return ga_fail(err, GA_EXTERNAL, "domain '%s' is still there", e->subject);
	return 1;
}

static int undo_flow(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
		     struct ga_err *err)
{
	int64_t left;

	(void)c;
	if (ga_ovs_remove_flows(member(inverse, "bridge"), e->subject, err) < 0)
		return -1;
	left = ga_ovs_count_flows(member(inverse, "bridge"), e->subject, err);
	if (left > 0)
		return ga_fail(err, GA_EXTERNAL, "%" PRId64 " flows with cookie %s are still there",
			       left, e->subject);
	return left < 0 ? -1 : 1;
}

static int undo_port(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
		     struct ga_err *err)
{
	(void)c;
	return ga_ovs_remove_port(member(inverse, "bridge"), e->subject, err) < 0 ? -1 : 1;
}

static int undo_lease(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
		      struct ga_err *err)
{
	const char *bridge = member(inverse, "bridge"), *ip = member(inverse, "ip");

	(void)c;
	/* Without its bridge the address has no connections, and nobody serves the lease. */
	if (bridge && !if_nametoindex(bridge))
		return 1;
	return ga_nat_forget(ip, err) < 0 ||
			       ga_dhcp_release_lease(bridge, ip, e->subject, err) < 0 ?
		       -1 :
		       1;
}

static int undo_ingress(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
			struct ga_err *err)
{
	ga_autoingress struct ga_net_ingress i = { 0 };

	(void)c;
	(void)inverse;
	return ga_change_ingress_of(e, &i, err) < 0 || ga_nat_unpublish(&i, err) < 0 ? -1 : 1;
}

/* The wipe has its own order and evidence; the entry only records that the disk was written. */
static int undo_disk(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
		     struct ga_err *err)
{
	(void)c;
	(void)e;
	(void)inverse;
	(void)err;
	return 0;
}

static const struct {
	const char *op;
	int (*undo)(struct ga_changes *c, const struct ga_journal_entry *e, json_t *inverse,
		    struct ga_err *err);
} inverses[] = {
	{ "disk", undo_disk },		 { "file", undo_file },	    { "folder", undo_folder },
	{ "vfio_bind", undo_bind },	 { "domain", undo_domain }, { "ovs_flow", undo_flow },
	{ "partition", undo_partition }, { "lease", undo_lease },   { "ovs_port", undo_port },
	{ "ingress", undo_ingress },
	{ "vf", undo_vf },
};

int ga_change_undo(struct ga_changes *c, const struct ga_journal_entry *e, struct ga_err *err)
{
	json_error_t why;
	ga_autojson json_t *inverse = json_loads(e->inverse, 0, &why);
	size_t i;
	int r;

	for (i = 0; i < GA_ARRAY_SIZE(inverses); i++)
		if (ga_streq(inverses[i].op, e->op))
			break;
	if (i == GA_ARRAY_SIZE(inverses))
		return ga_fail(err, GA_BADREC, "the journal has an unknown change '%s' of '%s'",
			       e->op, e->subject);
	ga_changes_say(c, "undo %s %s", e->op, e->subject);
	if (c->dry_run)
		return 1;
	r = inverses[i].undo(c, e, inverse, err);
	if (r < 0)
		return ga_wrap(err, "cannot undo %s '%s'", e->op, e->subject);
	return ga_journal_undone(c->h, e->seq, err) < 0 ? -1 : r;
}
