/* SPDX-License-Identifier: Apache-2.0 */
/* Removing what is left of allocations that have ended. */
#include "act/reconcile/repair_part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state/host/list.h"

/* Told once more under the hold: whatever is removed, its allocation has ended and has no domain,
 * neither ours nor one that only has the name. */
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

/* Ports, leases and partitions belong to slots: the next allocation on the slot has the same ones,
 * and an old entry must not take them away from it. NULL: nobody's. */
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
		ga_repair_say(r, "%s %s of '%s' is left to '%s', which has it now", e->op,
			      e->subject, e->object, owner);
		return ga_journal_undone(&r->h, e->seq, err);
	}
	if (ga_streq(e->op, "domain")) { /* the inverse would end whatever has the name */
		if (ga_changes_virt(&r->changes, &virt, err) < 0 ||
		    ga_virt_state(virt, e->subject, &state, err) < 0)
			return -1;
		if (state != GA_VIRT_ABSENT)
			return ga_fail_for(err, GA_CONFLICT, "domain_exists",
					   "domain '%s' is there", e->subject);
	}
	return ga_change_undo(&r->changes, e, err);
}

int ga_repair_undo_journal(struct ga_repairer *r, struct ga_deviation *d, struct ga_err *err)
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

/* ---- what no journal entry tells of ---- */

/* Of no allocation: only a port without interface, which no guest can have. */
static int remove_dead_port(struct ga_repairer *r, struct ga_deviation *d, struct ga_err *err)
{
	int dead = ga_ovs_port_is_dead(d->subject, err);

	if (dead <= 0)
		return dead < 0 ? -1 :
				  ga_fail_for(err, GA_CONFLICT, "in_use",
					      "port '%s' has an interface", d->subject);
	return ga_ovs_remove_port(r->want->network.bridge, d->subject, err);
}

int ga_repair_remove_port(struct ga_repairer *r, struct ga_deviation *d, struct ga_err *err)
{
	if (!d->allocation)
		return remove_dead_port(r, d, err);
	return is_over(r, d->allocation, err) < 0 ?
		       -1 :
		       ga_ovs_remove_port(r->want->network.bridge, d->subject, err);
}

int ga_repair_remove_flows(struct ga_repairer *r, struct ga_deviation *d, struct ga_err *err)
{
	char cookie[GA_COOKIE_SIZE];

	return is_over(r, d->allocation, err) < 0 ?
		       -1 :
		       ga_ovs_remove_flows(r->want->network.bridge,
					   ga_ovs_cookie(d->allocation, cookie), err);
}

int ga_repair_remove_file(struct ga_repairer *r, struct ga_deviation *d, struct ga_err *err)
{
	if (is_over(r, d->allocation, err) < 0)
		return -1;
	if (unlink(d->subject) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "cannot remove '%s'", d->subject);
	return 0;
}

/* The folder of the VM with the plain files in it; anything else in it stops the work. */
int ga_repair_remove_vm(struct ga_repairer *r, struct ga_deviation *d, struct ga_err *err)
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
		return 0; /* the journal's inverses were here before */
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
