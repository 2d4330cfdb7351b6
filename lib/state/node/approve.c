/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate that makes capacity: a candidate becomes a slot, or an existing slot is renewed. A slot
 * is written only while it is disabled; a device that another slot already has stays empty in its
 * row.
 */
#include "state/node/approve.h"

#include <string.h>

#include "record/cpuset.h"
#include "record/id.h"
#include "record/rec.h"
#include "record/time.h"
#include "state/allocation/wipe.h"
#include "state/db/audit.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/node/health.h"
#include "state/slot/facts.h"
#include "state/slot/slot.h"

#define COLUMNS \
	"accelerator_type = ?3, type_name = ?4, gpu_id = ?5, gpu_identity = ?6, " \
	"gpu_pci_address = ?7, gpu_device = ?8, module_id = ?9, nvme_wwid = ?10, " \
	"nvme_serial = ?11, nvme_path = ?12, nvme_size_bytes = ?13, fabric_claim_mode = ?14, " \
	"fabric_vf_pci_address = ?15, fabric_pf_pci_address = ?16, numa_node = ?17, " \
	"cpuset = ?18, memory_mib = ?19, mac = ?20, private_ip = ?21, bridge = ?22, " \
	"port = ?23, storage_ownership = 'tenant_slice', wipe_minimum_class = ?24, " \
	"wipe_verify = ?25, wipe_gpu_memory = ?26, blockers = ?27"
#define DIFFERENT \
	"(accelerator_type IS NOT ?3 OR type_name IS NOT ?4 OR gpu_id IS NOT ?5 OR " \
	"gpu_identity IS NOT ?6 OR gpu_pci_address IS NOT ?7 OR gpu_device IS NOT ?8 OR " \
	"module_id IS NOT ?9 OR nvme_wwid IS NOT ?10 OR nvme_serial IS NOT ?11 OR " \
	"nvme_path IS NOT ?12 OR nvme_size_bytes IS NOT ?13 OR fabric_claim_mode IS NOT ?14 OR " \
	"fabric_vf_pci_address IS NOT ?15 OR fabric_pf_pci_address IS NOT ?16 OR " \
	"numa_node IS NOT ?17 OR cpuset IS NOT ?18 OR memory_mib IS NOT ?19 OR mac IS NOT ?20 OR " \
	"private_ip IS NOT ?21 OR bridge IS NOT ?22 OR port IS NOT ?23 OR " \
	"storage_ownership IS NOT 'tenant_slice' OR wipe_minimum_class IS NOT ?24 OR " \
	"wipe_verify IS NOT ?25 OR wipe_gpu_memory IS NOT ?26 OR blockers IS NOT ?27)"

static void release_reasons(struct ga_reasons *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		ga_schema_release(&ga_reason_schema, &r->v[i]);
	ga_list_release(r);
}

static char *reasons_text(const struct ga_reasons *reasons)
{
	ga_autojson json_t *list = json_array();
	struct ga_str out = GA_STR_INIT;
	size_t i;

	for (i = 0; i < reasons->n; i++)
		json_array_append_new(list, ga_schema_format(&ga_reason_schema, &reasons->v[i]));
	ga_rec_dump(list, &out);
	return ga_str_take(&out);
}

/* Writes the candidate's hardware into a disabled slot; 1 when something changed. A slot of a
 * baremetal node has no CPUs, memory and addresses of a slice. */
static int write_hardware(struct ga_db *db, const char *slot, const struct ga_approval *a,
			  bool baremetal, const struct ga_taken *t, const char *blockers,
			  struct ga_err *err)
{
	static const struct ga_suggestion nothing = { .memory_mib = GA_UNKNOWN };
	const struct ga_candidate *c = a->candidate;
	const struct ga_gpu *g = t->gpu ? NULL : c->gpu;
	const struct ga_nvme *d = t->nvme ? NULL : c->nvme;
	const struct ga_fabric *f = t->vf || t->pf ? NULL : c->fabric;
	const struct ga_suggestion *s = baremetal ? &nothing : &c->suggested;
	bool by_hand = g && !g->type && a->type;
	ga_autofree char *gpu_id = g ? ga_xprintf("%s/%s", c->node, g->identity) : NULL;
	ga_autofree char *ids = g ? ga_xprintf("%s:%s", g->vendor_id, g->device_id) : NULL;

	return ga_db_exec(
		db, err,
		"UPDATE slot SET " COLUMNS ", generation = generation + 1 "
		"WHERE id = ?1 AND state = ?2 AND " DIFFERENT,
		"ssssssssisssisssisissssssss", slot, "disabled",
		by_hand ? a->type : g ? g->type : NULL,
		by_hand ? a->type_name : g ? g->type_name : NULL, gpu_id, g ? g->identity : NULL,
		g ? g->pci_address : NULL, ids, g ? g->module_id : GA_UNKNOWN,
		d ? d->wwid : NULL, d ? d->serial : NULL, d ? d->path : NULL,
		d ? d->size_bytes : GA_UNKNOWN, f ? f->claim_mode : NULL,
		f ? f->vf_pci_address : NULL, f ? f->pf_pci_address : NULL, c->numa_node,
		t->cpus ? NULL : s->cpuset, t->memory ? GA_UNKNOWN : s->memory_mib,
		t->mac ? NULL : s->mac, t->ip || t->network ? NULL : s->private_ip, s->bridge,
		s->port,
		a->wipe.minimum_class, a->wipe.verify, a->wipe.gpu_memory, blockers);
}

int ga_store_slot_cpus(struct ga_db *db, const char *slot, const char *node, const char *cpus,
		       struct ga_err *err)
{
	struct ga_cpuset set;
	int cpu, left;

	if (ga_db_change(db, err, "DELETE FROM slot_cpu WHERE slot_id = ?1", "s", slot) < 0)
		return -1;
	if (!cpus)
		return 0;
	if (ga_cpuset_parse(cpus, &set, err) < 0)
		return -1;
	for (cpu = 0, left = ga_cpuset_count(&set); left && cpu < GA_CPU_MAX; cpu++) {
		if (!ga_cpuset_has(&set, cpu))
			continue;
		left--;
		if (ga_db_change(db, err,
				 "INSERT INTO slot_cpu (node_id, cpu, slot_id) VALUES (?1, ?2, ?3)",
				 "sis", node, (int64_t)cpu, slot) < 0)
			return -1;
	}
	return 0;
}

/* ---- the node ---- */

static int set_fingerprint(struct ga_db *db, const struct ga_candidate *c, struct ga_err *err)
{
	return ga_db_change(db, err,
			    "UPDATE node SET fingerprint = ?2, blockers = (SELECT "
			    "json_group_array(json(value)) FROM "
			    "json_each(" GA_SQL_REASONS("blockers") ") WHERE "
			    "json_extract(value, '$.code') <> 'fingerprint_changed'), "
			    "generation = generation + 1 WHERE id = ?1",
			    "ss", c->node, c->fingerprint);
}

/* The operator accepted the change: the hardware that the host shows now is the approved hardware.
 * 1 when it differs from the hardware approved before. */
static int accept_change(struct ga_db *db, const struct ga_approval *a,
			 const struct ga_place_of *at, struct ga_err *err)
{
	const struct ga_candidate *c = a->candidate;
	ga_autofree char *seen = NULL;

	if (!a->accept_change || !at->node_fingerprint ||
	    ga_streq(at->node_fingerprint, c->fingerprint))
		return 0;
	if (set_fingerprint(db, c, err) < 0 ||
	    ga_audit_add(db, "change_accepted", c->node,
			 json_pack("{s:s, s:s}", "from", at->node_fingerprint, "to",
				   c->fingerprint),
			 err) < 0)
		return -1;
	/* A device that the accepted change removed fails the health of its slot. */
	if (ga_db_get(db, err, "SELECT observed_at FROM node WHERE id = ?1", "sS", c->node,
		      &seen) < 0 ||
	    (seen && ga_store_health_seen(db, c->node, seen, err) < 0))
		return -1;
	return 1;
}

/* ---- the slot ---- */

int ga_store_allow_destruction(struct ga_db *db, const char *wwid, const char *node, const char *by,
			       const char *note, struct ga_err *err)
{
	int r = ga_db_exec(db, err,
			   "UPDATE device SET destroy_data_by = ?2 WHERE id = ?1 "
			   "AND dirty_since IS NOT NULL AND destroy_data_by IS NULL",
			   "ss", wwid, by);

	if (r <= 0)
		return r;
	if (ga_audit_add(db, "destroy_data_allowed", wwid,
			 json_pack("{s:s, s:s?}", "node", node, "note", note), err) < 0)
		return -1;
	return 1;
}

static int order_wipe(struct ga_db *db, const char *slot, const char *cause, const char *now,
		      struct ga_err *err)
{
	ga_autofree char *attempt = ga_id_new();

	return ga_db_change(db, err,
			    "UPDATE slot SET state = 'wiping', since = ?2, wipe_attempt = ?3, "
			    "wipe_generation = generation + 1, wipe_cause = ?4, wipe_issued_at = "
			    "?2, generation = generation + 1 WHERE id = ?1",
			    "ssss", slot, now, attempt, cause);
}

/* 1 when the slot left disabled. */
static int enter_state(struct ga_db *db, const struct ga_approval *a,
		       const struct ga_place_of *at, const char *slot,
		       const struct ga_reasons *blockers, const char *now, struct ga_err *err)
{
	/* Complete, and only the taint blocks it: it is to be wiped. */
	bool tainted = blockers->n == 1 && ga_streq(blockers->v[0].code, "tainted");

	if ((blockers->n && !tainted) || a->disable || at->cordon_reason)
		return 0;
	/* The first approval makes the node active and approves its hardware. */
	if ((!at->node_fingerprint && set_fingerprint(db, a->candidate, err) < 0) ||
	    (ga_streq(at->node_state, "enrolled") &&
	     ga_db_change(db, err,
			  "UPDATE node SET state = 'active', since = ?2, "
			  "generation = generation + 1 WHERE id = ?1",
			  "ss", a->candidate->node, now) < 0) ||
	    ga_db_change(db, err,
			 "UPDATE slot SET approved_by = ?2, approved_at = ?3, fingerprint = ?4, "
			 "generation = generation + 1 WHERE id = ?1 "
			 "AND (approved_by IS NULL OR fingerprint IS NOT ?4)",
			 "ssss", slot, ga_audit_actor(), now, a->candidate->fingerprint) < 0)
		return -1;
	if (tainted) {
		int ours = ga_store_disk_is_ours(db, a->candidate->nvme->wwid, err);

		if (ours < 0)
			return -1;
		return order_wipe(db, slot, ours ? "repair" : "first", now, err) < 0 ? -1 : 1;
	}
	return ga_db_change(db, err,
			    "UPDATE slot SET state = 'available', since = ?2, "
			    "generation = generation + 1 WHERE id = ?1",
			    "ss", slot, now) < 0 ? -1 : 1;
}

/* Makes a slot, or writes one that is not live again, from the candidate. */
static int renew(struct ga_db *db, const struct ga_approval *a, struct ga_place_of *at,
		 struct ga_err *err)
{
	ga_cleanup(release_reasons) struct ga_reasons blockers = { 0 };
	ga_autofree char *now = ga_time_now(), *text = NULL;
	const struct ga_candidate *c = a->candidate;
	bool is_new = !at->slot;
	struct ga_taken taken;
	int changed, moved, r;
	json_t *codes;
	size_t i;

	/* First, because the reasons name the slot. */
	if (is_new) {
		at->slot = ga_id_new();
		if (ga_db_change(db, err,
				 "INSERT INTO slot (id, node_id, slot_index, since) "
				 "VALUES (?1, ?2, ?3, ?4)",
				 "ssis", at->slot, c->node, c->slot_index, now) < 0)
			return -1;
		r = ga_store_health_inherit(db, at->slot, c, err);
		if (r < 0)
			return -1;
		at->health = r ? ga_xstrdup("failed") : NULL;
	}
	if (ga_store_taken(db, c, at->slot, &taken, err) < 0)
		return -1;
	/* The slot's own GPU is gone when no candidate of the node has it. */
	if (taken.gpu && at->gpu_identity && c->gpu &&
	    !ga_streq(at->gpu_identity, c->gpu->identity)) {
		r = ga_db_one(db, err,
			      "SELECT 1 FROM candidate WHERE node_id = ?1 AND "
			      "json_extract(record, '$.gpu.identity') = ?2", "ss", c->node,
			      at->gpu_identity);
		if (r < 0)
			return -1;
		taken.moved = !r;
	}
	if (ga_store_blockers(db, a, at, &taken, &blockers, err) < 0)
		return -1;
	text = reasons_text(&blockers);
	changed = taken.moved ?
			  ga_db_exec(db, err,
				     "UPDATE slot SET blockers = ?2, generation = generation + 1 "
				     "WHERE id = ?1 AND state = 'disabled' AND blockers IS NOT ?2",
				     "ss", at->slot, text) :
			  write_hardware(db, at->slot, a, at->baremetal, &taken, text, err);
	if (changed < 0)
		return -1;
	if (changed && !taken.moved &&
	    ga_store_slot_cpus(db, at->slot, c->node,
			       taken.cpus || at->baremetal ? NULL : c->suggested.cpuset,
			       err) < 0)
		return -1;
	moved = enter_state(db, a, at, at->slot, &blockers, now, err);
	if (moved < 0)
		return -1;
	if (!is_new && !changed && !moved)
		return 0;
	codes = json_array();
	for (i = 0; i < blockers.n; i++)
		json_array_append_new(codes, json_string(blockers.v[i].code));
	return ga_audit_add(db, "approved", at->slot,
			    json_pack("{s:s, s:I, s:o, s:s?}", "node", c->node, "index",
				      (json_int_t)c->slot_index, "blockers", codes, "note",
				      a->note),
			    err);
}

int ga_store_approve(struct ga_db *db, const struct ga_approval *a, struct ga_slot *ret_slot,
		     struct ga_wipe_order *ret_order, bool *has_order, struct ga_err *err)
{
	ga_cleanup(ga_cleanup_place_of) struct ga_place_of at = { 0 };
	const struct ga_candidate *c = a->candidate;
	int r;

	*has_order = false;
	r = ga_store_place_of(db, c, &at, err) < 0 ? -1 : accept_change(db, a, &at, err);
	if (r > 0) {
		/* The accepted change may have failed the slot's health. */
		ga_cleanup_place_of(&at);
		r = ga_store_place_of(db, c, &at, err);
	}
	if (r < 0)
		return -1;
	if (c->nvme && c->nvme->wwid && ga_streq(a->destroy_data, c->nvme->wwid) &&
	    ga_store_allow_destruction(db, c->nvme->wwid, c->node, ga_audit_actor(), a->note,
				       err) < 0)
		return -1;
	/* A live slot is not rewritten: its devices must be those of the candidate. */
	if (!at.slot || ga_streq(at.state, "disabled")) {
		if (renew(db, a, &at, err) < 0)
			return -1;
	} else if (!ga_streq(at.gpu_identity, c->gpu ? c->gpu->identity : NULL) ||
		   !ga_streq(at.nvme_wwid, c->nvme ? c->nvme->wwid : NULL)) {
		return ga_refuse(err, GA_CONFLICT, "wrong_state", at.slot,
				 ("slot '%s' (index %lld of '%s') is %s with other devices than "
				  "the host shows now", at.slot, (long long)c->slot_index, c->node,
				  at.state),
				 ("free it, then gpuaas-approve disable %s --reason …, then "
				  "approve again", at.slot));
	}
	if (ga_store_slot(db, at.slot, ret_slot, err) < 0)
		return -1;
	/* The permission to destroy data is for the wipe ordered here: it does not stay with a slot
	 * that stays disabled. */
	if (ga_streq(ret_slot->state, "disabled") && a->destroy_data &&
	    ga_db_change(db, err, "UPDATE device SET destroy_data_by = NULL WHERE id = ?1 AND "
			 "destroy_data_by IS NOT NULL", "s", a->destroy_data) < 0)
		return -1;
	/* Only an order of this gate is given again: the wipe of a release has its own order. */
	if (!ga_streq(ret_slot->state, "wiping") || ret_slot->claim)
		return 0;
	*has_order = ga_store_wipe_order(db, at.slot, ret_order, err) == 0;
	if (!*has_order)
		ga_schema_release(&ga_slot_schema, ret_slot);
	return *has_order ? 0 : -1;
}

int ga_store_order_wipe(struct ga_db *db, const char *slot, const char *cause, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	return order_wipe(db, slot, cause, now, err);
}
