/* SPDX-License-Identifier: Apache-2.0 */
/* Folds the results of gpuaas-release: the devices are free of the allocation, or not. */
#include "record/fault.h"
#include "record/release.h"
#include "record/state.h"
#include "state/allocation/provision.h"
#include "state/db/audit.h"
#include "state/fold/internal.h"
#include "state/node/health.h"
#include "state/node/node.h"

/* The disk of a step: in a slot of the node, and tainted, it is wiped before that slot is sold. */
static int is_in_slot(struct ga_db *db, const char *node, const char *wwid, struct ga_err *err)
{
	return ga_db_one(db, err,
			 "SELECT 1 FROM slot s JOIN device d ON d.id = s.nvme_wwid WHERE "
			 "s.node_id = ?1 AND s.retired = 0 AND d.id = ?2 AND "
			 "d.dirty_since IS NOT NULL", "ss", node, wwid);
}

/* Nothing wipes a disk of a baremetal allocation that is in no slot. The reason of the node names
 * each from now on, whatever the state of the node: nobody else gets the machine until a person
 * says how it was erased (gpuaas-node undrain). */
static int drain_for_disks(struct ga_db *db, const struct ga_released *r, struct ga_err *err)
{
	struct ga_node_move move = { .verb = "drain", .generation = GA_UNKNOWN };
	ga_autostr struct ga_str why = GA_STR_INIT;
	struct ga_node n;
	size_t i, added = 0;
	int e = 0;

	if (ga_store_node(db, r->node, &n, err) < 0)
		return -1;
	if (ga_streq(n.state, "quarantined"))
		move.verb = "quarantine";
	if (n.cordon_reason)
		ga_str_add(&why, n.cordon_reason);
	for (i = 0; i < r->steps.n && e >= 0; i++) {
		const struct ga_step *s = &r->steps.v[i];
		const char *detail = s->detail ? s->detail : "unknown";
		const char *end = strstr(detail, ": ");
		ga_autofree char *wwid = ga_xstrndup(detail, end ? (size_t)(end - detail) :
								   strlen(detail));
		ga_autofree char *fact = ga_xprintf("disk %s: " GA_DISK_IN_NO_SLOT, wwid);

		if (!ga_streq(s->step, "disk") || ga_streq(s->outcome, "confirmed") ||
		    (why.len && strstr(why.buf, fact)))
			continue;
		e = is_in_slot(db, r->node, wwid, err);
		if (e)
			continue;
		ga_str_addf(&why, "%s%s, after allocation %s had the machine", why.len ? "; " : "",
			    fact, r->allocation);
		added++;
		e = ga_audit_add(db, "disk_not_wiped", r->node,
				 json_pack("{s:s, s:s}", "disk", wwid, "allocation",
					   r->allocation), err);
	}
	if (ga_streq(n.state, "retired"))
		added = 0;
	ga_schema_release(&ga_node_schema, &n);
	if (e < 0 || !added)
		return e < 0 ? -1 : 0;
	move.reason = why.buf;
	if (ga_store_node_move(db, r->node, &move, &n, err) < 0)
		return -1;
	ga_schema_release(&ga_node_schema, &n);
	return 0;
}

/* Stores each step as a phase of the timeline, which has a phase once: the second "disk" is
 * "disk_2". A phase is finished or failed; the detail has any other outcome than confirmed. */
static int store_steps(struct ga_db *db, const struct ga_released *r, struct ga_err *err)
{
	for (size_t i = 0; i < r->steps.n; i++) {
		const struct ga_step *s = &r->steps.v[i];
		bool failed = !strcmp(s->outcome, "failed");
		bool plain = failed || !strcmp(s->outcome, "confirmed");
		ga_autofree char *phase = NULL, *detail = NULL;
		size_t nth = 1;
		struct ga_task t = {
			.node = r->node,
			.object = r->allocation,
			.attempt = r->attempt,
			.state = (char *)(uintptr_t)(failed ? "failed" : "finished"),
			.started_at = r->at,
			.finished_at = r->at,
			.elapsed_micros = GA_UNKNOWN,
			.bytes = GA_UNKNOWN,
		};

		for (size_t k = 0; k < i; k++)
			nth += ga_streq(r->steps.v[k].step, s->step);
		t.phase = phase = nth > 1 ? ga_xprintf("%s_%zu", s->step, nth) :
					    ga_xstrdup(s->step);
		if (!plain)
			t.detail = detail = s->detail ?
						    ga_xprintf("%s: %s", s->outcome, s->detail) :
						    ga_xstrdup(s->outcome);
		else
			t.detail = s->detail; /* the state of the task has the outcome */
		if (ga_store_task(db, &t, err) < 0)
			return -1;
	}
	return 0;
}

int ga_fold_released(struct ga_db *db, const struct ga_released *r, struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };

	if (ga_fold_check(db, r->allocation, r->dry_run, r->lab, err) < 0 ||
	    ga_fold_allocation_row(db, r->allocation, r->attempt, r->generation, &h, err) < 0)
		return -1;
	if (!strcmp(h.state, "released"))
		return 0;
	/* After a reported failure the same order may still have been completed. */
	if (!strcmp(h.state, "release_failed") &&
	    (ga_store_move_claimed(db, h.id, "cleanup_blocked", "releasing", r->at, err) < 0 ||
	     ga_store_move_allocation(db, &h, "releasing", r->at, NULL, err) < 0))
		return -1;
	if (store_steps(db, r, err) < 0 || ga_store_health_released(db, r, err) < 0 ||
	    ga_store_move_claimed(db, h.id, "releasing", "wiping", r->at, err) < 0 ||
	    ga_store_power(db, h.id, h.node, "off", err) < 0 ||
	    ga_store_move_allocation(db, &h, "released", r->at, NULL, err) < 0 ||
	    ga_store_end_allocation(db, h.id, r->at, err) < 0 || drain_for_disks(db, r, err) < 0)
		return -1;
	return ga_audit_add(db, "released", h.id,
			    json_pack("{s:s, s:s, s:i}", "node", r->node, "attempt", r->attempt,
				      "slots", (int)r->slots.n),
			    err) < 0 ? -1 : 1;
}

int ga_fold_release_failed(struct ga_db *db, struct ga_allocation_row *h,
			   const struct ga_failure *f, struct ga_err *err)
{
	ga_autofree char *reason = ga_xprintf("%s: %s", f->phase ? f->phase : f->code, f->sentence);
	const char *code = ga_streq(f->code, GA_FAULT_UNTRUSTED_HOST) ? f->code : "release_failed";

	/* The phase "hold" refuses the order itself: nothing was done. */
	if (!ga_streq(f->phase, "hold") && !strcmp(h->state, "releasing")) {
		if (ga_store_block_claimed(db, h->id, code, reason, f->at, err) < 0 ||
		    ga_store_move_allocation(db, h, "release_failed", f->at, reason, err) < 0)
			return -1;
	}
	return ga_audit_add(db, "release_failed", h->id,
			    json_pack("{s:s?, s:s, s:s}", "phase", f->phase, "code", f->code,
				      "sentence", f->sentence),
			    err) < 0 ? -1 : 1;
}
