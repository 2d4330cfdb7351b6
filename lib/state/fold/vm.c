/* SPDX-License-Identifier: Apache-2.0 */
/* Folds the results of gpuaas-vm: power, consoles shown, ports opened, disks of rebuilds. */
#include <inttypes.h>

#include "record/digest.h"
#include "record/rec.h"
#include "record/state.h"
#include "state/allocation/provision.h"
#include "state/allocation/wipe.h"
#include "state/db/audit.h"
#include "state/fold/internal.h"
#include "state/node/health.h"

/* Checks that the record's allocation is in use by the order that the record names. */
static int in_use(struct ga_db *db, const char *allocation, const char *attempt,
		  int64_t generation, struct ga_allocation_row *h, struct ga_err *err)
{
	if (ga_fold_allocation_row(db, allocation, attempt, generation, h, err) < 0)
		return -1;
	if (!strcmp(h->state, "active") || !strcmp(h->state, "held"))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "wrong_state", allocation,
			 ("allocation '%s' is %s: nothing is done with its VM", allocation,
			  h->state),
			 ("'gpuaas-show %s' shows what happened", allocation));
}

/* Some records count in any state of the allocation, because they happened: it only must exist. */
static int is_known(struct ga_db *db, const char *allocation, struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	int r = ga_store_allocation_row(db, allocation, &h, err);

	if (r)
		return r < 0 ? -1 : 0;
	return ga_refuse(err, GA_NOTFOUND, NULL, allocation,
			 ("there is no allocation '%s'", allocation),
			 ("is this the state that issued the order?"));
}

int ga_fold_power(struct ga_db *db, const struct ga_power *p, struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	int changed, later = 0;

	if (ga_fold_check(db, p->allocation, p->dry_run, p->lab, err) < 0 ||
	    in_use(db, p->allocation, p->attempt, p->generation, &h, err) < 0)
		return -1;
	/* A VM of a held allocation that somebody starts by hand would run unbilled. */
	if (!strcmp(h.state, "held") && !strcmp(p->power_wanted, "on"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", h.id,
				 ("allocation '%s' is held: its VM must be off", h.id),
				 ("gpuaas-release --undo %s ends the hold", h.id));
	/* The plan and its attempt outlast holds. The order of an undone hold, or of an undo before
	 * another hold, is recognised by its time: it was issued before the present state began. */
	if (p->order_issued_at)
		later = ga_store_entered_after(db, h.id, p->order_issued_at, err);
	if (later < 0)
		return -1;
	if (later)
		return ga_refuse(err, GA_CONFLICT, "concurrent_update", h.id,
				 ("'%s' has changed since: it is %s by a later order than the one "
				  "of %s that this answers", h.id, h.state, p->order_issued_at),
				 ("gpuaas-reconcile on its node corrects the power"));
	changed = ga_store_power_wanted(db, h.id, p->power_wanted, p->power_observed, err);
	if (changed < 0 || (!changed && ga_starts(p->reason, "already_")))
		return changed;
	return ga_audit_add(db, "power", h.id,
			    json_pack("{s:s, s:s?, s:s, s:s}", "wanted", p->power_wanted,
				      "observed", p->power_observed, "reason", p->reason, "node",
				      p->node),
			    err) < 0 ? -1 : 1;
}

int ga_fold_console(struct ga_db *db, const struct ga_console *c, struct ga_err *err)
{
	json_t *detail;

	if (ga_fold_check(db, c->allocation, false, c->lab, err) < 0 ||
	    is_known(db, c->allocation, err) < 0)
		return -1;
	detail = json_pack("{s:s, s:s, s:s}", "node", c->node, "path", c->path, "started_at",
			   c->started_at);
	if (c->digest) {
		json_object_set_new(detail, "digest", json_string(c->digest));
		json_object_set_new(detail, "bytes", json_integer(c->bytes));
	}
	return ga_audit_add(db, c->ended_at ? "console_closed" : "console_opened", c->allocation,
			    detail, err) < 0 ? -1 : 1;
}

int ga_fold_ingress(struct ga_db *db, const struct ga_ingress *i, struct ga_err *err)
{
	ga_autofree char *phase = ga_xprintf("%s_%s_%" PRId64, i->published ? "publish" :
					     "unpublish", i->proto, i->port);
	ga_autofree char *detail = ga_xprintf("%s port %" PRId64 " to %s port %" PRId64, i->proto,
					      i->port, i->address, i->to_port);
	const struct ga_task t = {
		.node = i->node,
		.object = i->allocation,
		.attempt = i->attempt,
		.phase = phase,
		.state = (char *)(uintptr_t) "finished",
		.started_at = i->at,
		.finished_at = i->at,
		.elapsed_micros = GA_UNKNOWN,
		.bytes = GA_UNKNOWN,
		.detail = detail,
	};
	ga_autoallocation struct ga_allocation_row h = { 0 };

	if (ga_fold_check(db, i->allocation, i->dry_run, i->lab, err) < 0)
		return -1;
	/* A port may be closed in any state of the allocation, but opened only while it is
	 * in use. */
	if (i->published ? in_use(db, i->allocation, i->attempt, i->generation, &h, err) < 0 :
			   is_known(db, i->allocation, err) < 0)
		return -1;
	if (ga_store_task(db, &t, err) < 0)
		return -1;
	return ga_audit_add(db, i->published ? "published" : "unpublished", i->allocation,
			    json_pack("{s:s, s:s, s:I, s:s, s:I}", "node", i->node, "proto",
				      i->proto, "port", (json_int_t)i->port, "address",
				      i->address, "to_port", (json_int_t)i->to_port),
			    err) < 0 ? -1 : 1;
}

/* ---- hold and undo ---- */

/* Recorded once: a host that gets the order again and fails in the same way adds nothing. */
int ga_fold_hold_failed(struct ga_db *db, const struct ga_allocation_row *h,
			const struct ga_failure *f, struct ga_err *err)
{
	return ga_fold_audit(db, "hold_failed", h->id,
			     json_pack("{s:s?, s:s, s:s}", "phase", f->phase, "code", f->code,
				       "sentence", f->sentence),
			     err);
}

/* ---- rebuild ---- */

int ga_fold_rebuild_failed(struct ga_db *db, const struct ga_allocation_row *h,
			   const struct ga_failure *f, struct ga_err *err)
{
	ga_autofree char *reason = ga_xprintf("%s: %s", f->phase ? f->phase : f->code, f->sentence);

	/* These phases touch nothing of the VM: it gets no order to stop before them. */
	if (!strcmp(h->state, "active") && !ga_streq(f->phase, "rebuild_hold") &&
	    !ga_streq(f->phase, "rebuild_check") &&
	    ga_store_active_reason(db, h->id, reason, err) < 0)
		return -1;
	return ga_audit_add(db, "rebuild_failed", h->id,
			    json_pack("{s:s?, s:s, s:s}", "phase", f->phase, "code", f->code,
				      "sentence", f->sentence),
			    err) < 0 ? -1 : 1;
}

int ga_fold_rebuild_evidence(struct ga_db *db, const struct ga_wipe_evidence *e,
			     const struct ga_wipe_due *due, struct ga_err *err)
{
	char digest[GA_DIGEST_SIZE] = "";

	if (!ga_streq(due->node, e->node))
		return ga_fail_for(err, GA_CONFLICT, "wrong_node",
				   "evidence '%s' is of node '%s', the slot is on '%s'",
				   e->evidence, e->node ? e->node : "unknown", due->node);
	/* That attempt is the order's own: its evidence is judged, not only kept. */
	if (ga_streq(due->attempt, e->attempt))
		return ga_fail_for(err, GA_CONFLICT, "wrong_cause",
				   "evidence '%s' says it is of a rebuild and answers the wipe "
				   "order of slot '%s'",
				   e->evidence, due->slot);
	/* A rebuild has no order in the state: it wiped the disk of the allocation that has the
	 * slot. Its evidence may prove nothing about another allocation, nor about the health of
	 * its devices. */
	if (!ga_streq(due->nvme_wwid, e->device.wwid) || !due->allocation ||
	    !ga_streq(due->allocation, e->allocation))
		return ga_refuse(err, GA_CONFLICT, "wrong_cause", due->slot,
				 ("evidence '%s' is of a rebuild of allocation '%s' on disk '%s', "
				  "and slot '%s' with disk '%s' belongs to %s", e->evidence,
				  e->allocation ? e->allocation : "none", e->device.wwid,
				  due->slot, due->nvme_wwid ? due->nvme_wwid : "none",
				  due->allocation ? due->allocation : "nobody"),
				 ("gpuaas-show %s", due->slot));
	ga_rec_digest(&ga_wipe_evidence_schema, e, "digest", digest);
	if (strcmp(digest, e->digest))
		return ga_fail_for(err, GA_BADREC, "digest",
				   "evidence '%s' was changed: its digest differs", e->evidence);
	/* The disk is written again at once: the taint stays, and no slot moves. */
	if (ga_store_evidence_add(db, e, err) < 0 ||
	    ga_store_health_wiped(db, e, NULL, err) < 0)
		return -1;
	return ga_audit_add(db, "rebuild_wiped", due->slot,
			    json_pack("{s:s, s:s, s:s, s:s, s:s, s:s?}", "evidence", e->evidence,
				      "outcome", e->outcome, "class", e->class, "wwid",
				      e->device.wwid, "digest", e->digest, "allocation",
				      e->allocation),
			    err) < 0 ? -1 : 1;
}
