/* SPDX-License-Identifier: Apache-2.0 */
/* Wipe orders in force, evidence, and the state of a slot after its wipe. */
#include "state/allocation/wipe.h"

#include <string.h>

#include "record/rec.h"
#include "record/result.h"
#include "record/time.h"
#include "record/wipe.h"
#include "state/allocation/move.h"
#include "state/db/controller.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/slot/slot.h"

void ga_cleanup_wipe_due(struct ga_wipe_due *d)
{
	char **p[] = { &d->slot,	 &d->node,	    &d->state,	      &d->attempt,
		       &d->cause,	 &d->issued_at,	    &d->minimum_class, &d->verify,
		       &d->gpu_memory,	 &d->nvme_wwid,	    &d->gpu_identity, &d->cordon_reason,
		       &d->health_state, &d->blockers,	    &d->node_state,   &d->node_blockers,
		       &d->claim,	 &d->allocation,    &d->destroy_data_by,
		       &d->dirty_since,	 &d->nvme_serial,   &d->fabric_vf_pci_address };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(p); i++)
		free(*p[i]);
}

#define ORDER GA_SQL_OBJECT("a.order_text")

int ga_store_wipe_due(struct ga_db *db, const char *slot, struct ga_wipe_due *ret,
		      struct ga_err *err)
{
	*ret = (struct ga_wipe_due){ 0 };
	return ga_db_one(db, err,
			 "SELECT s.id, s.node_id, s.state, s.wipe_attempt, s.wipe_generation, "
			 "s.wipe_cause, s.wipe_issued_at, "
			 "coalesce(json_extract(" ORDER ", '$.wipe.minimum_class'), "
			 "s.wipe_minimum_class), "
			 "coalesce(json_extract(" ORDER ", '$.wipe.verify'), s.wipe_verify), "
			 "coalesce(json_extract(" ORDER ", '$.wipe.gpu_memory'), "
			 "s.wipe_gpu_memory), s.nvme_wwid, s.gpu_identity, s.cordon_reason, "
			 "s.health_state, " GA_SQL_REASONS("s.blockers") ", n.state, "
			 GA_SQL_REASONS("n.blockers") ", c.id, c.allocation_id, "
			 "d.destroy_data_by, (SELECT max(dirty_since) FROM device "
			 "WHERE id IN (s.nvme_wwid, s.gpu_id)), s.nvme_serial, s.nvme_size_bytes, "
			 "s.fabric_vf_pci_address FROM slot s "
			 "JOIN node n ON n.id = s.node_id "
			 "LEFT JOIN claim c ON c.slot_id = s.id AND c.live = 1 "
			 "AND c.claim_kind = 'slot' "
			 "LEFT JOIN allocation a ON a.id = c.allocation_id "
			 "AND a.order_kind = 'release-order' "
			 "LEFT JOIN device d ON d.id = s.nvme_wwid WHERE s.id = ?1",
			 "sSSSSISSSSSSSSSSSSSSSSSIS", slot, &ret->slot, &ret->node, &ret->state,
			 &ret->attempt, &ret->generation, &ret->cause, &ret->issued_at,
			 &ret->minimum_class, &ret->verify, &ret->gpu_memory, &ret->nvme_wwid,
			 &ret->gpu_identity, &ret->cordon_reason, &ret->health_state,
			 &ret->blockers, &ret->node_state, &ret->node_blockers, &ret->claim,
			 &ret->allocation, &ret->destroy_data_by, &ret->dirty_since,
			 &ret->nvme_serial, &ret->nvme_size_bytes, &ret->fabric_vf_pci_address);
}

struct ga_wipe_asked ga_wipe_due_asked(const struct ga_wipe_due *due, bool lab)
{
	return (struct ga_wipe_asked){
		.cause = due->cause,
		.claim = due->claim,
		.allocation = due->allocation,
		.wwid = due->nvme_wwid,
		.serial = due->nvme_serial,
		.size_bytes = due->nvme_size_bytes,
		.gpu_identity = due->gpu_identity,
		.minimum_class = due->minimum_class,
		.verify = due->verify,
		.gpu_memory = due->gpu_memory,
		.fabric = due->fabric_vf_pci_address != NULL,
		.lab = lab,
		.may_destroy = ga_wipe_content_expected(due->cause) || due->destroy_data_by,
	};
}

int ga_store_wiping(struct ga_db *db, const char *node, struct ga_texts *ret, struct ga_err *err)
{
	return ga_db_texts(db, ret, err,
			   "SELECT id FROM slot WHERE node_id = ?1 AND state = 'wiping' "
			   "ORDER BY slot_index", "s", node);
}

int ga_store_wipe_order(struct ga_db *db, const char *slot, struct ga_wipe_order *ret,
			struct ga_err *err)
{
	ga_autowipedue struct ga_wipe_due due = { 0 };
	ga_autofree char *command = NULL;
	char controller[GA_CONTROLLER_SIZE];
	struct ga_slot s;

	if (ga_store_controller(db, controller, err) < 0 ||
	    ga_store_wipe_due(db, slot, &due, err) < 0 || ga_store_slot(db, slot, &s, err) < 0)
		return -1;
	if (strcmp(due.state, "wiping") || !due.attempt || !due.minimum_class || !due.nvme_wwid) {
		ga_schema_release(&ga_slot_schema, &s);
		command = ga_store_leave(GA_M_SLOT, due.state, NULL, due.slot);
		return ga_refuse(err, GA_CONFLICT, "wrong_state", due.slot,
				 ("slot '%s' is %s: no wipe is ordered", due.slot, due.state),
				 ("%s%s", command ? "this changes it: " : "",
				  command ? command : ""));
	}
	*ret = (struct ga_wipe_order){
		.node = ga_xstrdup(due.node),
		.object = ga_xstrdup(due.slot),
		.claim = ga_strdup0(due.claim),
		.allocation = ga_strdup0(due.allocation),
		.generation = due.generation,
		.attempt = ga_xstrdup(due.attempt),
		.issued_at = ga_xstrdup(due.issued_at),
		.cause = ga_xstrdup(due.cause),
		.nvme_wwid = ga_xstrdup(due.nvme_wwid),
		.nvme_serial = ga_strdup0(s.nvme_serial),
		.nvme_path = ga_strdup0(s.nvme_path),
		.nvme_size_bytes = s.nvme_size_bytes,
		.destroy_data = due.destroy_data_by ? ga_xstrdup(due.nvme_wwid) : NULL,
		.gpu_identity = ga_strdup0(s.gpu_identity),
		.gpu_pci_address = ga_strdup0(s.gpu_pci_address),
		.gpu_device = ga_strdup0(s.gpu_device),
		.fabric_vf_pci_address = ga_strdup0(s.fabric_vf_pci_address),
		.fabric_pf_pci_address = ga_strdup0(s.fabric_pf_pci_address),
		.wipe = { ga_xstrdup(due.minimum_class), ga_xstrdup(due.verify),
			  ga_xstrdup(due.gpu_memory) },
		.lab = s.lab,
		.controller = ga_xstrdup(controller),
		.epoch = ga_db_epoch(db),
	};
	ga_schema_release(&ga_slot_schema, &s);
	return 0;
}

int ga_store_wipe_counts_from(struct ga_db *db, const char *slot, char **ret, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now(), *used = NULL;

	*ret = NULL;
	if (ga_db_get(db, err,
		      "SELECT max(d.dirty_since) FROM slot s "
		      "JOIN device d ON d.id IN (s.nvme_wwid, s.gpu_id) WHERE s.id = ?1", "sS",
		      slot, &used) < 0)
		return -1;
	if (used && strcmp(used, now) >= 0)
		*ret = GA_TAKE(used);
	return 0;
}

int ga_store_wipe_may_begin(struct ga_db *db, const char *slot, struct ga_err *err)
{
	ga_autofree char *from = NULL;

	if (ga_store_wipe_counts_from(db, slot, &from, err) < 0)
		return -1;
	if (!from)
		return 0;
	return ga_refuse(err, GA_BUSY, "wipe_too_early", slot,
			 ("slot '%s' was used at %s, which this machine's clock has not reached: a "
			  "wipe counts from then on", slot, from),
			 ("check the clock; run the same again after %s", from));
}

int ga_store_wipe_in_force(struct ga_db *db, const struct ga_wipe_order *order, struct ga_err *err)
{
	ga_autowipedue struct ga_wipe_due due = { 0 };
	ga_autofree char *hint = NULL;
	int r = ga_store_wipe_due(db, order->object, &due, err);
	bool same, wiping, blocked;

	if (r <= 0)
		return r;
	same = ga_streq(due.attempt, order->attempt);
	wiping = !strcmp(due.state, "wiping");
	if (same && (wiping || !strcmp(due.state, "releasing")))
		return 0;
	blocked = !strcmp(due.state, "cleanup_blocked");
	/* A slot in another state may have its next tenant: nothing is ordered for it here. */
	hint = wiping || blocked ?
		       ga_xprintf("this continues it: gpuaas-approve repair %s --reason TEXT | "
				  "gpuaas-wipe", due.slot) :
		       ga_xprintf("the order is old, and nothing is to be done for it: gpuaas-show "
				  "%s", due.slot);
	return ga_refuse(err, GA_CONFLICT,
			 same || !wiping ? "wrong_state" : "concurrent_update", due.slot,
			 ("slot '%s' is %s: its wipe order '%s' is no longer in force, and nothing "
			  "was wiped", due.slot, due.state, order->attempt),
			 ("%s", hint));
}

/* The worst outcome of the guard's steps; the trigger judges it. */
static const char *guard_of(const struct ga_wipe_evidence *e)
{
	const char *worst = "confirmed";
	size_t i;

	for (i = 0; i < e->guard.n; i++) {
		if (ga_streq(e->guard.v[i].outcome, "failed"))
			return "failed";
		if (ga_streq(e->guard.v[i].outcome, "not_proven"))
			worst = "not_proven";
	}
	return e->guard.n ? worst : NULL;
}

/* The fabric function is that of the slot's order: a slot's devices change only while it is
 * disabled. */
int ga_store_evidence_add(struct ga_db *db, const struct ga_wipe_evidence *e, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_wipe_evidence_schema, e);
	ga_autofree char *now = ga_time_now();

	return ga_db_change(db, err,
			    "INSERT INTO wipe_evidence (id, slot_id, node_id, attempt, wwid, "
			    "gpu_identity, started_at, finished_at, class, outcome, verify, "
			    "gpu_memory, lab, digest, record, folded_at, rules, gpu_reset, "
			    "vf_state, medium, size_bytes, bytes_read, mismatches, surviving, "
			    "guard, vf_pci_address) VALUES "
			    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
			    "?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, "
			    "(SELECT fabric_vf_pci_address FROM slot WHERE id = ?2))",
			    "ssssssssssssbsssisssiiiis", e->evidence, e->object, e->node,
			    e->attempt, e->device.wwid, e->gpu_identity, e->started_at,
			    e->finished_at, e->class, e->outcome,
			    e->read_back ? e->read_back->verify : NULL, e->gpu_memory.outcome,
			    (int)e->lab, e->digest, text, now, e->rules, e->gpu_reset.outcome,
			    e->vf_state.outcome, e->device.medium, e->device.size_bytes,
			    e->read_back ? e->read_back->bytes_read : GA_UNKNOWN,
			    e->read_back ? e->read_back->mismatches : GA_UNKNOWN,
			    e->markers ? e->markers->surviving : GA_UNKNOWN, guard_of(e));
}

int ga_store_slot_wiped(struct ga_db *db, const char *slot, const char *to, const char *evidence,
			const char *blockers, const char *at, struct ga_err *err)
{
	if (ga_db_change(db, err,
			 "UPDATE slot SET state = ?2, since = ?3, wipe_evidence_id = ?4, "
			 "blockers = ?5, epoch_verified = (SELECT epoch FROM meta), "
			 "generation = generation + 1 WHERE id = ?1",
			 "sssss", slot, to, at, evidence, blockers) < 0)
		return -1;
	/* The permission to destroy the data found on the disk was for this wipe only. */
	return ga_db_change(db, err,
			    "UPDATE device SET destroy_data_by = NULL "
			    "WHERE destroy_data_by IS NOT NULL "
			    "AND id = (SELECT nvme_wwid FROM slot WHERE id = ?1)",
			    "s", slot);
}

int ga_store_folded(struct ga_db *db, const char *digest, struct ga_err *err)
{
	return ga_db_one(db, err, "SELECT 1 FROM folded WHERE digest = ?1", "s", digest);
}

int ga_store_folded_add(struct ga_db *db, const char *digest, const char *kind,
			const char *object, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	return ga_db_change(db, err,
			    "INSERT INTO folded (digest, kind, object, folded_at) "
			    "VALUES (?1, ?2, ?3, ?4)",
			    "ssss", digest, kind, object, now);
}

int ga_query_evidence(struct ga_db *db, const char *object, bool newest, struct ga_rows **ret,
		      struct ga_err *err)
{
	if (object)
		return ga_db_query(db, ret, err,
				   "SELECT record, id FROM wipe_evidence WHERE slot_id = ?1 OR "
				   "id = ?1 "
				   "OR json_extract(" GA_SQL_OBJECT("record") ", '$.allocation') "
				   "= ?1 "
				   "ORDER BY finished_at, id",
				   "s", object);
	if (newest)
		return ga_db_query(db, ret, err,
				   "SELECT record, id FROM wipe_evidence "
				   "ORDER BY finished_at DESC, id DESC", "");
	return ga_db_query(db, ret, err,
			   "SELECT record, id FROM wipe_evidence ORDER BY finished_at, id", "");
}
