/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repairs one drift after another, each under the lock of its object: devices, domains, attempts,
 * then the remains of allocations that have ended. The network is in repair_net.c.
 */
#include "act/reconcile/repair.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/reconcile/internal.h"
#include "act/vm/provision.h"
#include "act/vm/release.h"
#include "base/file.h"
#include "base/texts.h"
#include "look/dhcp.h"
#include "record/bundle.h"
#include "record/expectation.h"
#include "record/plan.h"
#include "record/release.h"
#include "state/host/list.h"

static void GA_PRINTF(2, 3) say(const struct ga_repairer *r, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->opts->to.say(text);
}

/* ---- devices and fabric ---- */

/* A running guest keeps its device, whatever driver the device has. */
static int no_running_user(struct ga_repairer *r, const char *address, struct ga_err *err)
{
	ga_autotexts struct ga_texts names = { 0 };
	struct ga_virt *virt;
	enum ga_virt_state state;
	int result = ga_changes_virt(&r->changes, &virt, err);

	if (!result)
		result = ga_virt_domains_using_pci(virt, address, &names, err);
	for (size_t i = 0; i < names.n; i++) {
		if (result >= 0 && ga_virt_state(virt, names.v[i], &state, err) < 0)
			result = -1;
		if (result >= 0 && state != GA_VIRT_OFF && state != GA_VIRT_ABSENT)
			result = ga_fail_for(err, GA_CONFLICT, "in_use",
					     "'%s' is in the running domain '%s'", address,
					     names.v[i]);
	}
	return result < 0 ? -1 : 0;
}

static int bind_vfio(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	return no_running_user(r, d->subject, err) < 0
		       ? -1
		       : ga_change_bind(&r->changes, d->subject, err);
}

/* Repairs only while its domain is off; the expectation gives its GPUs to nobody else. */
static int activate_partition(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	const struct ga_expected_allocation *a = ga_drift_allocation(r->want, d->allocation);
	struct ga_virt *virt;
	enum ga_virt_state state;

	if (ga_changes_virt(&r->changes, &virt, err) < 0 ||
	    ga_virt_state(virt, a->domain, &state, err) < 0)
		return -1;
	if (state != GA_VIRT_OFF)
		return ga_fail_for(err, GA_CONFLICT, "in_use", "domain '%s' is not off", a->domain);
	return ga_change_partition(&r->changes, d->number, err);
}

/* ---- domains ---- */

/* Starts the domain paused until its flows are in effect, as provision does. */
static int start_domain(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	const struct ga_expected_slot *s = ga_drift_first_slot(r->want, d->allocation);
	bool flows = !r->want->lab && r->want->network.bridge && s && s->bundle.port;
	ga_autofree char *why = NULL;
	struct ga_virt *virt;

	if (!ga_drift_may_start(r->want, r->seen, r->drifts, d->allocation, &why))
		return ga_fail_for(err, GA_CONFLICT, "not_startable", "%s", why);
	/* After a reboot the fabric functions are new and lack the addresses of their tenant. */
	for (size_t i = 0; !r->want->lab && i < r->want->slots.n; i++) {
		const struct ga_bundle *b = &r->want->slots.v[i].bundle;

		if (ga_streq(r->want->slots.v[i].allocation, d->allocation) &&
		    b->fabric_vf_pci_address && b->fabric_pf_pci_address &&
		    ga_change_vf(&r->changes, b->fabric_vf_pci_address, b->fabric_pf_pci_address,
				 r->want->node, b->slot_index, err) < 0)
			return -1;
	}
	if (ga_changes_virt(&r->changes, &virt, err) < 0 ||
	    ga_virt_start(virt, d->subject, flows, err) < 0)
		return -1;
	if (flows && (ga_repair_protect(r, d->allocation, err) < 0 ||
		      ga_virt_resume(virt, d->subject, err) < 0))
		return -1;
	return 0;
}

/* ---- attempts ---- */

static int resume_release(struct ga_repairer *r, const struct ga_attempt *a, struct ga_err *err)
{
	const struct ga_repair_opts *o = r->opts;
	const struct ga_release_opts release = {
		.program = o->program,
		.node = o->node,
		.host_dir = o->host_dir,
		.libvirt_uri = o->libvirt_uri,
		.fabric = o->fabric,
		.baremetal_dir = o->baremetal_dir,
		.to = o->to,
	};
	struct ga_release_order order;
	enum ga_virt_state state;
	struct ga_virt *virt;
	int result;

	if (ga_rec_parse_text(a->order, &ga_release_order_schema, &order, err) < 0)
		return -1;
	result = ga_changes_virt(&r->changes, &virt, err);
	if (!result)
		result = ga_virt_state(virt, order.domain, &state, err);
	if (!result && state != GA_VIRT_OFF && state != GA_VIRT_ABSENT)
		result = ga_fail_for(err, GA_CONFLICT, "in_use",
				     "domain '%s' is not off: a person has to run its release "
				     "again",
				     order.domain);
	if (!result)
		result = ga_release_on_host(&order, &release, err);
	ga_schema_release(&ga_release_order_schema, &order);
	return result;
}

static int resume(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	const struct ga_repair_opts *o = r->opts;
	ga_autofree char *user_data = ga_xprintf("%s/user-data", o->host_dir);
	const struct ga_provision_opts provision = {
		.program = o->program,
		.node = o->node,
		.host_dir = o->host_dir,
		.user_data_dir = user_data,
		.images_dir = o->images_dir,
		.libvirt_uri = o->libvirt_uri,
		.fabric = o->fabric,
		.baremetal_dir = o->baremetal_dir,
		.holds_state = o->holds_state,
		.to = o->to,
	};
	ga_autoattempt struct ga_attempt a = { 0 };
	int found = ga_attempt_newest(&r->h, d->allocation, &a, err);

	if (found <= 0)
		return found < 0 ? -1 : ga_fail(err, GA_NOTFOUND, "its attempt is gone");
	close(GA_TAKE_FD(r->hold)); /* provision and release take the lock themselves */
	if (ga_streq(a.program, "release"))
		return resume_release(r, &a, err);
	return ga_provision_resume(a.attempt, &provision, err);
}

/* A restored state that is older than the last tenant could take the wipe before that tenant for
 * the wipe after it. */
static int check_still_wiped(struct ga_repairer *r, const struct ga_attempt *a, json_t *evidence,
			     struct ga_err *err)
{
	json_t *device = json_object_get(evidence, "device");
	const char *wwid = json_string_value(json_object_get(device, "wwid"));
	ga_autofree char *by = NULL;
	int written;

	if (!ga_streq(a->program, "wipe") || !wwid)
		return 0;
	written = ga_hostdb_unwiped(&r->h, wwid, "", &by, err);
	if (written <= 0)
		return written;
	return ga_refuse(err, GA_CONFLICT, "not_wiped", NULL,
			 ("disk '%s' was written by allocation '%s' after this wipe of slot '%s'",
			  wwid, by, a->object),
			 ("gpuaas-approve repair %s --reason TEXT | gpuaas-wipe", a->object));
}

static int tell_again(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	ga_autoattempt struct ga_attempt a = { 0 };
	ga_autojson json_t *json = NULL;
	const struct ga_schema *schema = NULL;
	const char *kind;
	json_error_t why;
	void *obj;
	int result;

	if (ga_attempt_newest(&r->h, d->allocation, &a, err) < 0)
		return -1;
	json = a.result ? json_loads(a.result, JSON_REJECT_DUPLICATES, &why) : NULL;
	kind = json_string_value(json_object_get(json, "kind"));
	if (!kind || ga_kind_find(kind, &schema, err) < 0 || !schema)
		return ga_fail(err, GA_NOTFOUND, "attempt '%s' of '%s' left no result", a.attempt,
			       d->allocation);
	if (check_still_wiped(r, &a, json, err) < 0)
		return -1;
	obj = ga_xcalloc(1, schema->size);
	result = ga_schema_parse(schema, json, obj, err);
	if (!result) {
		result = r->opts->to.result(schema, obj, err);
		ga_schema_release(schema, obj);
	}
	free(obj);
	return result;
}

/* ---- remains of allocations that have ended ---- */

/* Checks again under the lock: the allocation of these things has ended, and it has no domain,
 * neither ours nor another one of that name. */
static int is_over(struct ga_repairer *r, const char *allocation, struct ga_err *err)
{
	ga_autofree char *name = ga_xprintf("gpuaas-%s", allocation);
	enum ga_virt_state state;
	struct ga_virt *virt;

	if (!ga_drift_is_over(r->want, r->seen, allocation))
		return ga_fail_for(err, GA_CONFLICT, "live", "allocation '%s' has not ended",
				   allocation);
	if (ga_changes_virt(&r->changes, &virt, err) < 0 ||
	    ga_virt_state(virt, name, &state, err) < 0)
		return -1;
	if (state == GA_VIRT_ABSENT)
		return 0;
	return ga_fail_for(err, GA_CONFLICT, "domain_exists", "domain '%s' is there", name);
}

/* ---- the journal ---- */

/* The allocation that has the subject of an old entry now, or NULL. Ports, leases and partitions
 * belong to slots: the next allocation on the slot has the same ones, and undoing the old entry
 * must not remove them. */
static const char *new_owner(const struct ga_repairer *r, const struct ga_journal_entry *e)
{
	bool port = ga_streq(e->op, "ovs_port"), lease = ga_streq(e->op, "lease");

	for (size_t i = 0; (port || lease) && i < r->want->slots.n; i++) {
		const struct ga_expected_slot *s = &r->want->slots.v[i];

		if (ga_streq(port ? s->bundle.port : s->bundle.mac, e->subject) &&
		    ga_drift_is_live(r->want, s->allocation))
			return s->allocation;
	}
	for (size_t i = 0; ga_streq(e->op, "partition") && i < r->want->allocations.n; i++) {
		const struct ga_expected_allocation *a = &r->want->allocations.v[i];
		ga_autofree char *number = ga_xprintf("%lld", (long long)a->fabric_partition);

		if (ga_streq(number, e->subject) && ga_drift_is_live(r->want, a->allocation))
			return a->allocation;
	}
	return NULL;
}

static int undo(struct ga_repairer *r, const struct ga_journal_entry *e, struct ga_err *err)
{
	const char *owner = new_owner(r, e);
	enum ga_virt_state state;
	struct ga_virt *virt;

	if (owner) {
		say(r, "%s %s of '%s' is left alone: it belongs to '%s' now", e->op,
			      e->subject, e->object, owner);
		return ga_journal_undone(&r->h, e->seq, err);
	}
	if (ga_streq(e->op, "domain")) { /* the inverse would end any domain of that name */
		if (ga_changes_virt(&r->changes, &virt, err) < 0 ||
		    ga_virt_state(virt, e->subject, &state, err) < 0)
			return -1;
		if (state != GA_VIRT_ABSENT)
			return ga_fail_for(err, GA_CONFLICT, "domain_exists",
					   "domain '%s' is there", e->subject);
	}
	return ga_change_undo(&r->changes, e, err);
}

static int undo_journal(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };
	ga_autoattempt struct ga_attempt a = { 0 };
	int found;

	if (is_over(r, d->allocation, err) < 0 ||
	    ga_journal_open_entries(&r->h, d->allocation, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++)
		if (undo(r, &j.v[i], err) < 0)
			return -1;
	found = ga_attempt_newest(&r->h, d->allocation, &a, err);
	if (found <= 0 || !ga_streq(a.state, "working"))
		return found < 0 ? -1 : 0;
	return ga_attempt_end(&r->h, a.attempt, "failed", NULL, err);
}

/* ---- remains without a journal entry ---- */

static int remove_port(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	int dead;

	if (d->allocation) {
		if (is_over(r, d->allocation, err) < 0)
			return -1;
		return ga_ovs_remove_port(r->want->network.bridge, d->subject, err);
	}
	/* Without an allocation, only a port without interface is removed, because no guest can
	 * have it. */
	dead = ga_ovs_port_is_dead(d->subject, err);
	if (dead < 0)
		return -1;
	if (!dead)
		return ga_fail_for(err, GA_CONFLICT, "in_use", "port '%s' has an interface",
				   d->subject);
	return ga_ovs_remove_port(r->want->network.bridge, d->subject, err);
}

static int remove_flows(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	char cookie[GA_COOKIE_SIZE];

	return is_over(r, d->allocation, err) < 0 ?
		       -1 :
		       ga_ovs_remove_flows(r->want->network.bridge,
					   ga_ovs_cookie(d->allocation, cookie), err);
}

static int remove_file(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	if (is_over(r, d->allocation, err) < 0)
		return -1;
	if (unlink(d->subject) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "cannot remove '%s'", d->subject);
	return 0;
}

/* Removes the folder of the VM with its plain files; any other thing in it is an error. */
static int remove_vm(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/vm/%s", r->opts->host_dir, d->allocation);
	ga_autodir DIR *dir = NULL;
	const struct dirent *e;
	int fd;

	if (is_over(r, d->allocation, err) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && errno == ENOENT)
		return 0; /* the inverses of the journal have removed it */
	if (!dir)
		return ga_fail_sys(err, "cannot open folder '%s'", path);
	while ((e = readdir(dir))) {
		if (ga_streq(e->d_name, ".") || ga_streq(e->d_name, ".."))
			continue;
		if (unlinkat(dirfd(dir), e->d_name, 0) < 0 && errno != ENOENT)
			return ga_fail_sys(err, "cannot remove '%s/%s'", path, e->d_name);
	}
	if (rmdir(path) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "cannot remove folder '%s'", path);
	return 0;
}

/* ---- all of them ---- */

static int (*const repairs[GA_R_COUNT])(struct ga_repairer *r, struct ga_drift_item *d,
					struct ga_err *err) = {
	[GA_R_BIND_VFIO] = bind_vfio,
	[GA_R_ACTIVATE_PARTITION] = activate_partition,
	[GA_R_WRITE_DHCP_HOST] = ga_repair_write_dhcp_host,
	[GA_R_SETUP_BRIDGE] = ga_repair_setup_bridge,
	[GA_R_ADD_PORT] = ga_repair_add_port,
	[GA_R_ADD_FLOWS] = ga_repair_add_flows,
	[GA_R_FORWARD] = ga_repair_forward,
	[GA_R_SETUP_NAT] = ga_repair_setup_nat,
	[GA_R_PUBLISH] = ga_repair_publish,
	[GA_R_RESUME] = resume,
	[GA_R_TELL_AGAIN] = tell_again,
	[GA_R_START_DOMAIN] = start_domain,
	[GA_R_UNDO_JOURNAL] = undo_journal,
	[GA_R_UNPUBLISH] = ga_repair_unpublish,
	[GA_R_REMOVE_PORT] = remove_port,
	[GA_R_REMOVE_FLOWS] = remove_flows,
	[GA_R_REMOVE_DHCP_HOST] = remove_file,
	[GA_R_RELEASE_LEASE] = ga_repair_release_lease,
	[GA_R_REMOVE_SEED] = remove_vm,
	[GA_R_REMOVE_NVRAM] = remove_file,
};

/* Things may have changed since the look: compare the newest attempt with the one that was seen. */
static int is_as_seen(struct ga_repairer *r, const char *object, struct ga_err *err)
{
	const struct ga_seen_work *w = ga_seen_work_of(r->seen, object);
	ga_autoattempt struct ga_attempt a = { 0 };
	int found = ga_attempt_newest(&r->h, object, &a, err);

	if (found < 0)
		return -1;
	if (found ? w && ga_streq(w->attempt, a.attempt) : !w)
		return 0;
	return ga_fail_for(err, GA_BUSY, "moved", "'%s' changed since it was checked",
			   object);
}

static int repair(struct ga_repairer *r, struct ga_drift_item *d, struct ga_err *err)
{
	const char *object = d->allocation ? d->allocation : d->slot ? d->slot : d->drift.object;
	int result;

	r->changes = (struct ga_changes){ .h = &r->h, .object = d->allocation,
					  .libvirt_uri = r->opts->libvirt_uri,
					  .fabric = r->opts->fabric };
	r->hold = -1;
	result = ga_object_lock(r->opts->host_dir, object, r->opts->program, &r->hold, err);
	if (!result)
		result = is_as_seen(r, object, err);
	if (!result)
		result = repairs[d->repair](r, d, err);
	ga_changes_close(&r->changes);
	if (r->hold >= 0)
		close(r->hold);
	return result;
}

/* One repair undoes an attempt and its journal: it repairs both drifts. */
static bool is_done_before(struct ga_drifts *d, size_t i)
{
	for (size_t j = 0; j < i && d->v[i].repair == GA_R_UNDO_JOURNAL; j++)
		if (d->v[j].repair == GA_R_UNDO_JOURNAL && d->v[j].drift.repaired &&
		    ga_streq(d->v[j].allocation, d->v[i].allocation))
			d->v[i].drift.repaired = true;
	return d->v[i].drift.repaired;
}

int ga_repair(const struct ga_expectation *want, const struct ga_seen *seen, struct ga_drifts *d,
	      const struct ga_repair_opts *opts, struct ga_err *err)
{
	struct ga_repairer r = { .want = want, .seen = seen, .drifts = d, .opts = opts };
	ga_autohostdb struct ga_hostdb h = { 0 };

	if (!opts->dry_run && d->n && ga_hostdb_open_or_make(opts->host_dir, &h, err) < 0)
		return -1;
	r.h = h;
	for (enum ga_repair kind = GA_R_BIND_VFIO; kind < GA_R_COUNT; kind++) {
		for (size_t i = 0; i < d->n; i++) {
			struct ga_err why = GA_ERR_INIT;
			struct ga_drift_item *v = &d->v[i];

			if (v->repair != kind || v->drift.repaired || !repairs[kind] ||
			    (kind == GA_R_START_DOMAIN && !opts->boot) || is_done_before(d, i))
				continue;
			if (opts->dry_run) {
				say(&r, "%s %s: would %s%s%s", v->drift.code,
					      v->drift.object, ga_repair_doc(kind),
					      v->subject ? ": " : "", v->subject ? v->subject : "");
				continue;
			}
			v->drift.repaired = !repair(&r, v, &why);
			if (!v->drift.repaired)
				say(&r, "%s %s: %s did not succeed: %s%s%s",
					      v->drift.code, v->drift.object, ga_repair_word(kind),
					      why.msg, *why.hint ? "; " : "", why.hint);
		}
	}
	return 0;
}

/* ---- the second look ---- */

static bool is_same(const struct ga_drift_item *a, const struct ga_drift_item *b)
{
	return a->code == b->code && ga_streq(a->drift.object, b->drift.object) &&
	       ga_streq(a->subject, b->subject) && ga_streq(a->drift.expected, b->drift.expected);
}

/* The state has a result that was sent again, but the expectation does not have it yet. */
static bool is_reported(const struct ga_drift_item *b, const struct ga_drift_item *after)
{
	return b->drift.repaired && (b->repair == GA_R_RESUME || b->repair == GA_R_TELL_AGAIN) &&
	       after->code == GA_D_RESULT_UNTOLD && ga_streq(b->allocation, after->allocation);
}

void ga_repair_outcome(struct ga_drifts *before, struct ga_drifts *after, struct ga_drifts *ret)
{
	for (size_t i = 0; i < before->n; i++) {
		struct ga_drift_item *b = &before->v[i];
		bool still = false;

		for (size_t j = 0; j < after->n && b->drift.repaired; j++) {
			if (is_reported(b, &after->v[j]))
				after->v[j].drift.repaired = true;
			else if (is_same(b, &after->v[j]))
				still = true;
		}
		if (b->drift.repaired && !still) {
			*ga_list_add(ret) = *b;
			*b = (struct ga_drift_item){ 0 };
		}
	}
	for (size_t j = 0; j < after->n; j++) {
		if (after->v[j].drift.repaired)
			continue;
		*ga_list_add(ret) = after->v[j];
		after->v[j] = (struct ga_drift_item){ 0 };
	}
}
