/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node, slots and an allocation that the host knows and the state does not: made from the host's
 * record, the plan and the evidence of the wipe before it, over the usual edges.
 */
#include "state/recovery/internal.h"

#include <inttypes.h>

#include "record/bundle.h"
#include "record/id.h"
#include "record/phase.h"
#include "record/plan.h"
#include "record/rec.h"
#include "record/request.h"
#include "record/result.h"
#include "record/state.h"
#include "state/access/access.h"
#include "state/allocation/provision.h"
#include "state/allocation/wipe.h"
#include "state/db/audit.h"
#include "state/db/row.h"
#include "state/fold/fold.h"
#include "state/node/approve.h"
#include "state/node/key.h"
#include "state/node/observe.h"

/* The beginning is not known: earlier than any wipe. */
#define SINCE_EVER "1970-01-01T00:00:00.000000Z"

/* ---- the node ---- */

static bool is_deployer(const struct ga_adopting *a)
{
	bool deploys = false;

	for (size_t i = 0; i < a->of->works.n; i++) {
		const struct ga_inventory_work *w = &a->of->works.v[i];
		const char *node = json_string_value(json_object_get(w->order, "node"));

		if (!node || ga_streq(node, a->of->end.node))
			return false;
		deploys = true;
	}
	return deploys && !a->of->end.candidates.n;
}

int ga_adopt_node(struct ga_adopting *a, struct ga_err *err)
{
	const struct ga_inventory *end = &a->of->end;
	const struct ga_candidates none = { 0 };
	int r = ga_db_one(a->db, err, "SELECT 1 FROM node WHERE id = ?1", "s", end->node);

	if (r)
		return r < 0 ? -1 : ga_store_no_tenant(a->db, end->node, "its inventory", err);
	/* A machine without GPUs that only deploys others is no node. */
	if (is_deployer(a))
		return 0;
	if (!end->host)
		return ga_fail_for(err, GA_CONFLICT, "no_host",
				   "node '%s' is not known, and its inventory has no host record",
				   end->node);
	if (!ga_streq(end->host->node, end->node))
		return ga_fail_for(err, GA_CONFLICT, "wrong_node",
				   "the inventory of '%s' has the host record of '%s'", end->node,
				   end->host->node);
	/* Without its candidates: a device first seen now would count as dirty from now on, and the
	 * host's earlier proof would not count. gpuaas-discover brings the candidates. */
	return ga_store_observe(a->db, end->host, &none, err) < 0 ||
			       (a->of->is_signed &&
				ga_store_key_learn(a->db, end->host, false, err) < 0) ?
		       -1 :
		       1;
}

/* ---- a slot ---- */

static int make_device(struct ga_adopting *a, const char *id, const char *kind,
		       struct ga_err *err)
{
	return ga_db_change(a->db, err,
			    "INSERT INTO device (id, device_kind, node_id, dirty_since, "
			    "dirtied_by, first_seen_at) SELECT ?1, ?2, ?3, '" SINCE_EVER "', "
			    "'adopted', ?4 WHERE NOT EXISTS (SELECT 1 FROM device WHERE id = ?1)",
			    "ssss", id, kind, a->of->end.node, a->now);
}

static int make_slot(struct ga_adopting *a, const struct ga_bundle *b, struct ga_err *err)
{
	ga_autofree char *gpu_id = ga_xprintf("%s/%s", a->of->end.node,
					      b->gpu_identity ? b->gpu_identity : "");
	const char *node = a->of->end.node;
	const struct ga_gpu *g = NULL;
	struct ga_wipe_evidence e;
	int r = ga_adopt_evidence(a, b->slot, &e, err);

	if (r < 0)
		return -1;
	if (!r)
		return ga_refuse(err, GA_CONFLICT, "no_evidence", NULL,
				 ("the host has no confirmed wipe of slot '%s' from before",
				  b->slot),
				 ("let it end, then approve the host's hardware again"));
	for (size_t i = 0; !g && i < a->of->end.candidates.n; i++)
		if (a->of->end.candidates.v[i].gpu &&
		    ga_streq(a->of->end.candidates.v[i].gpu->identity, b->gpu_identity))
			g = a->of->end.candidates.v[i].gpu;
	/* The slot gets the policy that it was wiped by. */
	if (!b->nvme_wwid || !b->gpu_identity)
		r = ga_fail(err, GA_BADREC, "the plan names no disk or GPU for slot '%s'", b->slot);
	else if (make_device(a, b->nvme_wwid, "disk", err) < 0 ||
		 make_device(a, gpu_id, "gpu", err) < 0 ||
		 ga_db_change_by(
			 a->db, err,
			 "INSERT INTO slot (id, node_id, slot_index, since, generation, "
			 "accelerator_type, type_name, gpu_id, gpu_identity, gpu_pci_address, "
			 "gpu_device, module_id, nvme_wwid, nvme_serial, nvme_path, "
			 "nvme_size_bytes, fabric_claim_mode, fabric_vf_pci_address, "
			 "fabric_pf_pci_address, numa_node, cpuset, memory_mib, mac, private_ip, "
			 "bridge, port, storage_ownership, wipe_minimum_class, wipe_verify, "
			 "wipe_gpu_memory, approved_by, approved_at, fingerprint) VALUES (?1, ?2, "
			 "?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, "
			 "'per_slot_vf', ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, "
			 "'tenant_slice', ?26, ?27, ?28, ?29, ?4, ?30)",
			 "ssisissssssisssissisisssssssss", b->slot, node, b->slot_index, a->now,
			 b->generation, g ? g->type : NULL, g ? g->type_name : NULL, gpu_id,
			 b->gpu_identity, b->gpu_pci_address, b->gpu_device, b->module_id,
			 b->nvme_wwid, b->nvme_serial, b->nvme_path, b->nvme_size_bytes,
			 b->fabric_vf_pci_address, b->fabric_pf_pci_address, b->numa_node,
			 b->cpuset, b->memory_mib, b->mac, b->private_ip, b->bridge, b->port,
			 e.policy.minimum_class, e.policy.verify, e.policy.gpu_memory,
			 ga_audit_actor(),
			 a->of->end.host ? a->of->end.host->fingerprint : NULL) < 0 ||
		 ga_store_slot_cpus(a->db, b->slot, node, b->cpuset, err) < 0)
		r = -1;
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	return r < 0 ? -1 : 0;
}

/* ---- a slot made free by the host's proof ---- */

/* Whether the fold would accept the evidence for the order that it answers. */
static int judge(struct ga_adopting *a, const char *slot, const struct ga_wipe_evidence *e,
		 struct ga_err *err)
{
	ga_autoverdict struct ga_wipe_verdict v = { 0 };
	ga_autowipedue struct ga_wipe_due due = { 0 };
	struct ga_wipe_asked asked;

	if (ga_store_wipe_due(a->db, slot, &due, err) < 0)
		return -1;
	asked = ga_wipe_due_asked(&due, ga_db_is_lab(a->db));
	/* A host does not keep the permission to destroy data. */
	asked.may_destroy = true;
	if (ga_wipe_proves(&asked, e, &v))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "no_evidence", NULL,
			 ("the host's last wipe of slot '%s' does not prove it (%s): %s", slot,
			  v.code, v.sentence),
			 ("let it end, then approve the host's hardware again"));
}

/* disabled, wiping or blocked → available by the evidence. */
static int prove(struct ga_adopting *a, const char *slot, const char *state, struct ga_err *err)
{
	struct ga_wipe_evidence e;
	int r = ga_adopt_evidence(a, slot, &e, err), known;

	if (r < 0)
		return -1;
	if (!r)
		return ga_fail_for(err, GA_CONFLICT, "no_evidence",
				   "slot '%s' is %s, and the host has no confirmed wipe of it",
				   slot, state);
	known = ga_db_one(a->db, err, "SELECT 1 FROM wipe_evidence WHERE id = ?1", "s",
			  e.evidence);
	r = known < 0 || ga_adopt_order(a, slot, &e, err) < 0 || judge(a, slot, &e, err) < 0 ||
			    (!known && ga_store_evidence_add(a->db, &e, err) < 0) ||
			    ga_store_slot_wiped(a->db, slot, "available", e.evidence, "[]",
						e.finished_at, err) < 0 ?
		    -1 :
		    0;
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	return r;
}

/* Makes the slot as it was before the allocation: known, with these devices, available. */
static int free_slot(struct ga_adopting *a, const char *on, const struct ga_bundle *b,
		     struct ga_err *err)
{
	ga_autofree char *state = NULL, *gpu = NULL, *wwid = NULL, *node = NULL;
	int r = ga_db_one(a->db, err,
			  "SELECT state, gpu_identity, nvme_wwid, node_id FROM slot WHERE id = ?1",
			  "sSSSS", b->slot, &state, &gpu, &wwid, &node);

	if (r < 0)
		return -1;
	if (r && (!ga_streq(gpu, b->gpu_identity) || !ga_streq(wwid, b->nvme_wwid) ||
		  !ga_streq(node, on)))
		return ga_fail_for(err, GA_CONFLICT, "wrong_device",
				   "slot '%s' has other devices in the state than in the plan",
				   b->slot);
	/* The inventory has the hardware and the wipes of its own host alone. */
	if (!r && !ga_streq(on, a->of->end.node))
		return ga_refuse(err, GA_CONFLICT, "no_evidence", NULL,
				 ("the state does not know slot '%s' of node '%s', and '%s' has no "
				  "proof of its wipe", b->slot, on, a->of->end.node),
				 ("gpuaas-state adopt --machine %s takes the machine in, with its "
				  "slots from its last discovery", on));
	if (!r) {
		if (make_slot(a, b, err) < 0)
			return -1;
		state = ga_xstrdup("disabled");
	}
	if (ga_streq(state, "available"))
		return 0;
	if (!ga_streq(state, "disabled") && !ga_streq(state, "wiping") &&
	    !ga_streq(state, "cleanup_blocked"))
		return ga_fail_for(err, GA_CONFLICT, "wrong_state",
				   "slot '%s' is %s in the state, and the allocation of the host "
				   "has it too",
				   b->slot, state);
	return prove(a, b->slot, state, err);
}

/* ---- the allocation ---- */

/* Whether the profile names the type of every slot of the plan. If not, it is another profile than
 * the plan's: after a restore, a version number may be given a second time. */
static int is_of_profile(struct ga_adopting *a, const struct ga_plan *plan, const char *record,
			 struct ga_err *err)
{
	size_t i;
	int r = 1;

	for (i = 0; r > 0 && i < plan->bundles.n; i++)
		r = ga_db_one(a->db, err,
			      "SELECT 1 WHERE coalesce(json_array_length(?1, '$.types'), 0) = 0 "
			      "OR (SELECT accelerator_type FROM slot WHERE id = ?2) IN "
			      "(SELECT value FROM json_each(?1, '$.types'))", "ss", record,
			      plan->bundles.v[i].slot);
	return r;
}

static char *profile_record(struct ga_adopting *a, const struct ga_plan *plan, struct ga_err *err)
{
	struct ga_profile p;
	char *text = NULL;
	int r;

	if (ga_db_get(a->db, err, "SELECT record FROM profile WHERE name = ?1 AND version = ?2",
		      "siS", plan->profile, plan->profile_version, &text) < 0)
		return NULL;
	r = text ? is_of_profile(a, plan, text, err) : 0;
	if (r > 0)
		return text;
	free(text);
	if (r < 0)
		return NULL;
	/* Makes a profile from the plan: enough for the release and the price of the allocation. */
	ga_schema_init(&ga_profile_schema, &p);
	p.name = plan->profile;
	p.version = plan->profile_version;
	p.shape = plan->shape;
	p.price_micros = plan->price_micros;
	p.wipe = plan->wipe;
	p.domain_type = plan->domain_type;
	p.image = plan->image ? plan->image->name : NULL;
	if (ga_streq(plan->shape, "slice")) {
		p.vcpus_per_gpu = plan->count > 0 ? plan->vcpus / plan->count : plan->vcpus;
		p.memory_mib_per_gpu =
			plan->count > 0 ? plan->memory_mib / plan->count : plan->memory_mib;
	}
	p.hugepage_kib = plan->hugepage_kib;
	return ga_rec_format_text(&ga_profile_schema, &p); /* p borrows its members: not released */
}

/* Whether the state has the app of the plan in that version; 0 with a finding when it has not. The
 * app is what the host says: besides its columns it is a part of the request. */
static int has_app(struct ga_adopting *a, const struct ga_plan *plan, struct ga_err *err)
{
	ga_autofree char *version = NULL, *sentence = NULL;
	int r = !plan->app ? 0 :
			     ga_db_one(a->db, err, "SELECT 1 FROM app WHERE name = ?1 AND "
				       "version = ?2", "si", plan->app, plan->app_version);

	if (r || !plan->app)
		return r;
	version = plan->app_version == GA_UNKNOWN ?
			  ga_xprintf("the plan has no version") :
			  ga_xprintf("the state has no version %" PRId64, plan->app_version);
	sentence = ga_xprintf("%s of app '%s': the allocation is taken in without it", version,
			      plan->app);
	ga_adopt_finding(a, "not_recorded", plan->allocation, sentence,
			 "'gpuaas-state apply' of the manifest before adopt keeps the next ones");
	return 0;
}

static char *request_record(const struct ga_plan *plan, const char *app)
{
	struct ga_request r;
	char *text;

	ga_schema_init(&ga_request_schema, &r);
	r.name = plan->name;
	r.profile = plan->profile;
	r.shape = plan->shape;
	r.count = plan->count;
	r.project = plan->project;
	r.priority = GA_PRIORITY_DEFAULT;
	r.image = plan->image ? plan->image->name : NULL;
	r.user_data_digest = plan->user_data_digest;
	r.app = (char *)(uintptr_t)app;
	text = ga_rec_format_text(&ga_request_schema, &r);
	return text;
}

/* The type of all its GPUs; NULL when they have several types, or no known one. */
static int one_type(struct ga_adopting *a, const struct ga_plan *plan, char **ret,
		    struct ga_err *err)
{
	size_t i;

	*ret = NULL;
	for (i = 0; i < plan->bundles.n; i++) {
		ga_autofree char *type = NULL;

		if (ga_db_get(a->db, err, "SELECT accelerator_type FROM slot WHERE id = ?1", "sS",
			      plan->bundles.v[i].slot, &type) < 0)
			return -1;
		if (!i)
			*ret = GA_TAKE(type);
		if (!*ret || (i && !ga_streq(*ret, type))) {
			free(*ret);
			*ret = NULL;
			return 0;
		}
	}
	return 0;
}

static int insert_allocation(struct ga_adopting *a, const struct ga_plan *plan,
			     struct ga_err *err)
{
	ga_autofree char *profile = profile_record(a, plan, err), *request = NULL, *type = NULL;
	int known = profile ? has_app(a, plan, err) : -1;
	const char *app = known > 0 ? plan->app : NULL;

	if (known < 0 || one_type(a, plan, &type, err) < 0)
		return -1;
	request = request_record(plan, app);
	return ga_db_change(
		       a->db, err,
		       "INSERT INTO allocation (id, name, request, project, shape, count, since, "
		       "generation, node_id, accelerator_type, profile, profile_version, "
		       "profile_record, price_micros, created_at, created_by, profile_types, app, "
		       "app_version) "
		       "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
		       "?16, (SELECT char(10) || group_concat(value, char(10)) || char(10) FROM "
		       "json_each(?13, '$.types')), ?17, ?18)",
		       "sssssisisssisisssi", plan->allocation, plan->name, request, plan->project,
		       plan->shape, (int64_t)plan->bundles.n, a->now, plan->generation - 1,
		       plan->node, type, plan->profile, plan->profile_version, profile,
		       plan->price_micros, plan->created_at, ga_audit_actor(), app,
		       app ? plan->app_version : GA_UNKNOWN);
}

static bool only_looks(const char *phase)
{
	return false GA_PROVISION_LOOKS(GA_PHASE_IS);
}

/* A deployment that failed: its release proves what became of the machine, unless nothing was
 * written. 1: there is nothing to take. */
static int check_failed(struct ga_adopting *a, const struct ga_inventory_work *w,
			const struct ga_plan *plan, struct ga_err *err)
{
	ga_autofree char *sentence = NULL;
	struct ga_failure f;
	bool looked;

	if (ga_adopt_speaker(a, plan->node, err) < 0 ||
	    ga_adopt_record(w->result, &ga_failure_schema, &f, err) < 0)
		return -1;
	looked = only_looks(f.phase);
	if (looked)
		sentence = ga_xprintf("its deployment on '%s' failed in the phase '%s', before it "
				      "wrote: nothing of it is taken", plan->node, f.phase);
	ga_schema_release(&ga_failure_schema, &f);
	if (!looked)
		return 0;
	ga_adopt_finding(a, "not_recorded", plan->allocation, sentence, NULL);
	return 1;
}

/* A tenant has a machine when its executables say so. 1: there is nothing to take. */
static int check_machine(struct ga_adopting *a, const struct ga_inventory_work *w,
			 const struct ga_plan *plan, struct ga_err *err)
{
	json_t *answer;

	if (ga_store_may_node(a->db, "administer", plan->node, err) < 0)
		return -1;
	if (!w->result)
		return ga_refuse(err, GA_CONFLICT, "wrong_state", plan->allocation,
				 ("the deployment of allocation '%s' on '%s' has not ended",
				  plan->allocation, plan->node),
				 ("on '%s': gpuaas-provision --resume %s, then take its inventory "
				  "again", a->of->end.node, plan->allocation));
	return ga_streq(w->state, "failed") ?
		       check_failed(a, w, plan, err) :
		       ga_adopt_tenant(a, plan->node, plan->allocation, &answer, err);
}

int ga_adopt_claim(struct ga_adopting *a, const struct ga_adopt_claim *c, struct ga_err *err)
{
	ga_autofree char *made = c->id ? NULL : ga_id_new();

	return ga_db_change(a->db, err,
			    "INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, "
			    "live, held_by, created_at, accelerator_type) VALUES (?1, ?2, ?3, ?4, "
			    "?5, 1, ?6, ?7, (SELECT accelerator_type FROM slot WHERE id = ?4))",
			    "sssssss", c->id ? c->id : made, c->allocation, c->node, c->slot,
			    c->slot ? "slot" : "node", c->holder, c->at);
}

int ga_adopt_take(struct ga_adopting *a, const struct ga_inventory_work *w,
		  const struct ga_plan *plan, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_plan_schema, plan);
	const struct ga_host *host = a->of->end.host;
	ga_autoallocation struct ga_allocation_row h = { 0 };
	bool baremetal = ga_streq(plan->shape, "baremetal");
	const char *holder = baremetal ? plan->allocation : "slices";
	const char *node = baremetal ? plan->node : a->of->end.node;
	struct ga_adopt_claim claim = { .allocation = plan->allocation, .node = plan->node,
					.holder = holder, .at = plan->created_at };
	int r = baremetal ? check_machine(a, w, plan, err) : 0;

	if (r)
		return r;
	if (plan->lab != ga_db_is_lab(a->db))
		return ga_fail_for(err, GA_CONFLICT, "lab", "allocation '%s' is of %s",
				   plan->allocation, plan->lab ? "a lab" : "real disks");
	for (size_t i = 0; i < plan->bundles.n; i++)
		if (free_slot(a, node, &plan->bundles.v[i], err) < 0)
			return -1;
	/* A node with sold slots was approved, with the hardware it has. */
	if (ga_db_change(a->db, err,
			 "UPDATE node SET state = 'active', since = ?2, "
			 "fingerprint = coalesce(fingerprint, ?3), generation = generation + 1 "
			 "WHERE id = ?1 AND state = 'enrolled'",
			 "sss", node, a->now,
			 baremetal || !host ? plan->fingerprint : host->fingerprint) < 0 ||
	    insert_allocation(a, plan, err) < 0 ||
	    ga_db_change(a->db, err,
			 "UPDATE node SET held_by = ?2, generation = generation + 1 "
			 "WHERE id = ?1 AND held_by IS NULL", "ss", plan->node, holder) < 0 ||
	    (baremetal && ga_adopt_claim(a, &claim, err) < 0))
		return -1;
	for (size_t i = 0; i < plan->bundles.n; i++) {
		const struct ga_bundle *b = &plan->bundles.v[i];

		claim.id = b->claim;
		claim.slot = b->slot;
		if (ga_adopt_claim(a, &claim, err) < 0 ||
		    ga_db_change(a->db, err,
				 "UPDATE slot SET state = 'reserved', since = ?2, "
				 "epoch_verified = (SELECT epoch FROM meta), "
				 "generation = generation + 1 WHERE id = ?1",
				 "ss", b->slot, a->now) < 0)
			return -1;
	}
	if (ga_db_change(a->db, err,
			 "UPDATE allocation SET state = 'placed', plan = ?2, attempt = ?3, "
			 "attempt_generation = ?4, order_kind = 'plan', expires_at = ?5, "
			 "image_digest = ?6, fabric_partition = ?7, power_wanted = 'on', "
			 "generation = generation + 1 WHERE id = ?1",
			 "sssissi", plan->allocation, text, plan->attempt, plan->generation,
			 plan->expires_at, plan->image ? plan->image->digest : NULL,
			 plan->fabric_partition) < 0 ||
	    ga_audit_add(a->db, "adopted", plan->allocation,
			 json_pack("{s:s, s:s, s:s?, s:i}", "node", plan->node, "reason",
				   a->out->reason, "plan", plan->digest, "slots",
				   (int)plan->bundles.n),
			 err) < 0)
		return -1;
	/* It was begun and has not ended: provisioning, whichever program continues it. */
	if (w->result ? ga_adopt_fold(a, w, err) < 0 :
			ga_store_allocation_row(a->db, w->object, &h, err) < 0 ||
				ga_fold_start(a->db, &h, w->started_at ? w->started_at : a->now,
					      err) < 0)
		return -1;
	return w->power && !ga_streq(w->power, "absent") ?
		       ga_store_power(a->db, plan->allocation, plan->node, w->power, err) :
		       0;
}
