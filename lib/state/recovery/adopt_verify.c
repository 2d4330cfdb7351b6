/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verifies by the host's report which slots of a node are as in the state. Sold: the slot's
 * allocation is on the host, with these devices. Idle: the last work of the host on its disk was a
 * confirmed wipe, and no domain of gpuaas runs there that the state does not know. All other slots
 * are reported as findings, with the next command.
 */
#include "state/recovery/internal.h"

#include "base/texts.h"
#include "record/bundle.h"
#include "record/plan.h"
#include "record/rec.h"
#include "record/result.h"
#include "record/words.h"
#include "state/allocation/wipe.h"
#include "state/db/audit.h"
#include "state/db/row.h"
#include "state/node/approve.h"

struct slot {
	char *id, *state, *wwid, *gpu, *cleared_by, *allocation;
	bool clean;
};

struct slots {
	struct slot *v;
	size_t n;
};

static void cleanup_slots(struct slots *list)
{
	for (size_t i = 0; i < list->n; i++) {
		char **p[] = { &list->v[i].id,	 &list->v[i].state,	 &list->v[i].wwid,
			       &list->v[i].gpu,	 &list->v[i].cleared_by, &list->v[i].allocation };

		for (size_t k = 0; k < GA_ARRAY_SIZE(p); k++)
			free(*p[k]);
	}
	ga_list_release(list);
}

static int read_slots(struct ga_adopting *a, struct slots *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(
		    a->db, &rows, err,
		    "SELECT s.id, s.state, s.nvme_wwid, s.gpu_identity, d.cleared_by, "
		    "d.dirty_since IS NULL AND d.id IS NOT NULL, c.allocation_id FROM slot s "
		    "LEFT JOIN device d ON d.id = s.nvme_wwid "
		    "LEFT JOIN claim c ON c.slot_id = s.id AND c.live = 1 WHERE s.node_id = ?1 "
		    "AND s.epoch_verified < (SELECT epoch FROM meta) "
		    "ORDER BY s.slot_index, s.id",
		    "s", a->of->end.node) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(ret) = (struct slot){
			.id = ga_rows_dup(rows, 0),	    .state = ga_rows_dup(rows, 1),
			.wwid = ga_rows_dup(rows, 2),	    .gpu = ga_rows_dup(rows, 3),
			.cleared_by = ga_rows_dup(rows, 4), .clean = ga_rows_bool(rows, 5),
			.allocation = ga_rows_dup(rows, 6),
		};
	return r;
}

static int verify(struct ga_adopting *a, const struct slot *s, const char *by, struct ga_err *err)
{
	if (ga_db_change(a->db, err,
			 "UPDATE slot SET epoch_verified = (SELECT epoch FROM meta), "
			 "generation = generation + 1 WHERE id = ?1",
			 "s", s->id) < 0)
		return -1;
	ga_texts_add(&a->out->slots, s->id);
	return ga_audit_add(a->db, "adopted", s->id,
			    json_pack("{s:s, s:s, s:s}", "by", by, "state", s->state, "reason",
				      a->out->reason),
			    err);
}

/* ---- sold ---- */

static bool has_bundle(const struct ga_plan *plan, const struct slot *s)
{
	for (size_t i = 0; i < plan->bundles.n; i++) {
		const struct ga_bundle *b = &plan->bundles.v[i];

		if (ga_streq(b->slot, s->id) && ga_streq(b->nvme_wwid, s->wwid) &&
		    ga_streq(b->gpu_identity, s->gpu))
			return true;
	}
	return false;
}

static int verify_sold(struct ga_adopting *a, const struct slot *s, struct ga_err *err)
{
	const struct ga_inventory_work *w = ga_adopt_work(a, "provision", s->allocation);
	struct ga_plan plan;
	bool same;

	if (!w) {
		ga_autofree char *sentence =
			ga_xprintf("the state has it for allocation %s, which the host does not "
				   "know", s->allocation);
		ga_autofree char *hint = ga_xprintf("gpuaas-release %s | gpuaas-wipe",
						    s->allocation);

		ga_adopt_finding(a, "unknown_to_host", s->id, sentence, hint);
		return 0;
	}
	if (ga_adopt_record(w->order, &ga_plan_schema, &plan, err) < 0)
		return -1;
	same = has_bundle(&plan, s);
	ga_schema_release(&ga_plan_schema, &plan);
	if (same)
		return verify(a, s, s->allocation, err);
	ga_adopt_finding(a, "other_devices", s->id,
			 "its allocation runs on the host with other devices than the state has",
			 NULL);
	return 0;
}

/* ---- idle ---- */

/* The reason why the content of the evidence is no proof, or NULL. Evidence older than the rules
 * cleared the slot when it was folded. */
static const char *judge(struct ga_adopting *a, const struct slot *s,
			 const struct ga_wipe_evidence *e, struct ga_err *err)
{
	ga_autoverdict struct ga_wipe_verdict v = { 0 };
	ga_autowipedue struct ga_wipe_due due = { 0 };
	struct ga_wipe_asked asked;

	if (ga_wipe_is_old(e))
		return NULL;
	if (ga_store_wipe_due(a->db, s->id, &due, err) < 0)
		return err->msg;
	asked = ga_wipe_due_asked(&due, ga_db_is_lab(a->db));
	asked.may_destroy = true;
	/* The restored state may not know the order that the host answered last. */
	if (!ga_streq(due.attempt, e->attempt))
		asked.cause = NULL;
	asked.fabric = GA_UNKNOWN;
	return ga_wipe_proves(&asked, e, &v) ? NULL :
					       "the last wipe of it on the host does not prove it";
}

/* The reason why an idle slot cannot be taken as it is, or NULL. */
static const char *idle_why(struct ga_adopting *a, const struct slot *s, bool strangers,
			    char **evidence, struct ga_err *err)
{
	const struct ga_inventory_work *w = ga_adopt_work(a, "wipe", s->id);
	struct ga_wipe_evidence e;
	const char *why;
	int r;

	if (!a->of->end.domains_known)
		return "libvirt of the host did not say what runs";
	if (strangers)
		return "an unknown domain runs on the host";
	if (!w)
		return "the host has no record of a wipe of it";
	if (w->unwiped_by)
		return "the host wrote on its disk since it was wiped";
	r = ga_adopt_evidence(a, s->id, &e, err);
	if (r <= 0)
		return r < 0 ? err->msg : "the last wipe of it on the host is not confirmed";
	if (!ga_streq(e.device.wwid, s->wwid) || !ga_streq(e.gpu_identity, s->gpu))
		why = "the host wiped other devices for it";
	else
		why = judge(a, s, &e, err);
	if (!why)
		*evidence = ga_xstrdup(e.evidence);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	return why;
}

static int verify_idle(struct ga_adopting *a, const struct slot *s, bool strangers,
		       struct ga_err *err)
{
	const struct ga_inventory_work *w = ga_adopt_work(a, "wipe", s->id);
	ga_autofree char *evidence = NULL;
	const char *why = idle_why(a, s, strangers, &evidence, err);
	bool ours = w && w->unwiped_by;

	if (err->code)
		return -1;
	if (!why)
		return verify(a, s, evidence, err);
	if (!a->out->wipe || !ga_streq(s->state, "available")) {
		ga_adopt_finding(a, "unverified_since_restore", s->id, why,
				 "gpuaas-state adopt --wipe orders its wipe");
		return 0;
	}
	/* Data that the host wrote on the disk since its wipe is a tenant's, and is wiped. Without
	 * such a report, the disk may have had another use since the backup: the guard looks, as at
	 * a first wipe. */
	if (ga_store_order_wipe(a->db, s->id, ours ? "repair" : "first", err) < 0 ||
	    ga_store_taint_slot(a->db, s->id, ours ? "unverified_since_restore" : "doubted",
				err) < 0)
		return -1;
	ga_texts_add(&a->out->wipes, s->id);
	return ga_audit_add(a->db, "wipe_ordered", s->id,
			    json_pack("{s:s, s:s}", "cause", "unverified_since_restore", "reason",
				      a->out->reason),
			    err);
}

/* ---- domains that nobody knows ---- */

static int look_strangers(struct ga_adopting *a, bool *found, struct ga_err *err)
{
	int64_t forgotten = 0;

	for (size_t i = 0; i < a->of->works.n; i++) {
		const struct ga_inventory_work *w = &a->of->works.v[i];
		bool domain = ga_streq(w->object_kind, "domain");
		bool released = ga_streq(w->program, "release") && ga_streq(w->state, "done");
		ga_autoallocation struct ga_allocation_row h = { 0 };

		if ((domain || released) && ga_store_allocation_row(a->db, w->object, &h, err) < 0)
			return -1;
		forgotten += released && !h.id;
		if (!domain || (h.id && !ga_allocation_has_ended(h.state)))
			continue;
		*found = true;
		ga_adopt_finding(a, "not_adopted", w->object,
				 "its domain is on the host, and host.db has no plan of it: "
				 "its owner and its devices are unknown",
				 "look at it with virsh on the host; if nobody needs it, end it "
				 "there, and adopt again");
	}
	if (forgotten) {
		ga_autofree char *sentence =
			ga_xprintf("%lld allocation%s that the state does not know came to an end "
				   "on the host: that use is not billed",
				   (long long)forgotten, forgotten == 1 ? "" : "s");

		ga_adopt_finding(a, "not_recorded", a->of->end.node, sentence,
				 "gpuaas-reconcile --inventory on the host has their plans");
	}
	return 0;
}

int ga_adopt_verify(struct ga_adopting *a, struct ga_err *err)
{
	ga_cleanup(cleanup_slots) struct slots slots = { 0 };
	bool strangers = false;

	if (look_strangers(a, &strangers, err) < 0 || read_slots(a, &slots, err) < 0)
		return -1;
	for (size_t i = 0; i < slots.n; i++) {
		const struct slot *s = &slots.v[i];
		bool idle = ga_streq(s->state, "available") ||
			    (ga_streq(s->state, "disabled") && s->clean);
		int r = 0;

		if (idle)
			r = verify_idle(a, s, strangers, err);
		else if (s->allocation && (ga_streq(s->state, "active") ||
					   ga_streq(s->state, "provisioning")))
			r = verify_sold(a, s, err);
		if (r < 0)
			return -1;
	}
	return 0;
}
