/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines that their tenants have: baremetal. No program of gpuaas runs there, so the proof is the
 * answer of the operator's executables (baremetal.d/status), which the machine that deploys puts
 * into its inventory, newer than the last discovery of the node. Here also: a machine that a tenant
 * had before gpuaas knew it becomes an allocation.
 */
#include "state/recovery/internal.h"

#include <string.h>

#include "base/quote.h"
#include "base/texts.h"
#include "record/id.h"
#include "record/rec.h"
#include "record/request.h"
#include "record/result.h"
#include "record/state.h"
#include "record/time.h"
#include "record/wipe.h"
#include "state/access/access.h"
#include "state/allocation/provision.h"
#include "state/capacity/profile.h"
#include "state/db/audit.h"
#include "state/db/row.h"
#include "state/node/approve.h"
#include "state/node/key.h"
#include "state/slot/facts.h"

/* ---- the tenant of a machine ---- */

static const char *member(const json_t *json, const char *name)
{
	return json_string_value(json_object_get(json, name));
}

/* The allocation that the work is about: of the question or, when that named none, of the answer.
 * NULL: a tenant from before gpuaas, or none. */
static const char *allocation_of(const struct ga_inventory_work *w)
{
	const char *asked = member(w->order, "allocation");

	return asked || !ga_streq(w->state, "done") ? asked : member(w->result, "allocation");
}

/* The answer to the question about the allocation, or to one that named none. */
static const struct ga_inventory_work *answer_of(const struct ga_adopting *a, const char *node,
						 const char *allocation)
{
	const struct ga_inventory_work *other = NULL;

	for (size_t i = 0; i < a->of->works.n; i++) {
		const struct ga_inventory_work *w = &a->of->works.v[i];

		if (!ga_streq(w->program, "status") || !ga_streq(w->object, node))
			continue;
		if (ga_streq(member(w->order, "allocation"), allocation))
			return w;
		if (!other && ga_streq(allocation_of(w), allocation))
			other = w;
	}
	return other;
}

/* Why the answer has not the form of gpuaas-host(7), or NULL: the executables are the operator's,
 * and what they say is kept. */
static const char *fault_of(json_t *answer, const char *node)
{
	const char *key, *whose = member(answer, "allocation"), *said = member(answer, "node");
	json_t *value;

	json_object_foreach(answer, key, value)
		if (!json_is_string(value) && !json_is_null(value))
			return "a member is neither a text nor null";
	if (!member(answer, "state"))
		return "it has no state";
	if (whose && !ga_id_is_valid(whose))
		return "its allocation is no id";
	if (said && !ga_streq(said, node))
		return "it is about another node";
	if (member(answer, "address") && !ga_is_plain(member(answer, "address")))
		return "its address is none";
	return NULL;
}

int ga_adopt_tenant(struct ga_adopting *a, const char *node, const char *allocation,
		    json_t **answer, struct ga_err *err)
{
	const struct ga_inventory_work *w = answer_of(a, node, allocation);
	const char *state = w ? member(w->result, "state") : NULL;
	const char *whose = w ? member(w->result, "allocation") : NULL;

	const char *fault;

	if (ga_adopt_speaker(a, node, err) < 0)
		return -1;
	if (!w || !ga_streq(w->state, "done"))
		return ga_refuse(err, GA_CONFLICT, "no_status", node,
				 ("the inventory does not show the tenant of node '%s'%s%s", node,
				  w ? ": " : "",
				  w && member(w->result, "error") ? member(w->result, "error") :
				  w ? "the executables of baremetal.d/status failed" : ""),
				 ("on the machine that deploys: gpuaas-reconcile --inventory "
				  "--machine %s, with an executable in baremetal.d/status "
				  "(gpuaas-host(7))", node));
	fault = fault_of(w->result, node);
	if (fault)
		return ga_refuse(err, GA_CONFLICT, "no_status", node,
				 ("the answer of baremetal.d/status about node '%s' does not "
				  "count: %s", node, fault),
				 ("its form stands in gpuaas-host(7), BAREMETAL"));
	if (!ga_streq(state, "tenant"))
		return ga_refuse(err, GA_CONFLICT, "not_deployed", node,
				 ("no tenant has node '%s': baremetal.d/status says '%s'", node,
				  state ? state : "nothing"),
				 ("release it by hand if it needs that, then discover it again: "
				  "gpuaas-discover | gpuaas-approve --all-ready | gpuaas-wipe"));
	if (!ga_streq(whose, allocation))
		return ga_refuse(err, GA_CONFLICT, "not_deployed", node,
				 ("node '%s' is deployed for %s%s%s, not for %s%s%s", node,
				  whose ? "allocation '" : "nobody of gpuaas", whose ? whose : "",
				  whose ? "'" : "", allocation ? "allocation '" : "a tenant from "
				  "before gpuaas", allocation ? allocation : "",
				  allocation ? "'" : ""),
				 ("'gpuaas-list allocations' and the operator's own records show "
				  "whose it is"));
	*answer = w->result;
	return 0;
}

/* ---- machines that the state knows as given ---- */

static int verify_one(struct ga_adopting *a, const char *node, const char *allocation,
		      struct ga_err *err)
{
	ga_autotexts struct ga_texts slots = { 0 };

	if (ga_db_texts(a->db, &slots, err,
			"SELECT s.id FROM slot s JOIN claim c ON c.slot_id = s.id AND c.live = 1 "
			"WHERE c.allocation_id = ?1 AND s.epoch_verified < (SELECT epoch FROM "
			"meta) ORDER BY s.slot_index", "s", allocation) < 0 ||
	    ga_db_change(a->db, err,
			 "UPDATE slot SET epoch_verified = (SELECT epoch FROM meta), "
			 "generation = generation + 1 WHERE epoch_verified < (SELECT epoch FROM "
			 "meta) AND id IN (SELECT slot_id FROM claim WHERE allocation_id = ?1 AND "
			 "live = 1)", "s", allocation) < 0 ||
	    ga_db_change(a->db, err,
			 "UPDATE node SET epoch_verified = (SELECT epoch FROM meta), "
			 "generation = generation + 1 WHERE id = ?1 AND held_by = ?2 AND "
			 "epoch_verified < (SELECT epoch FROM meta)", "ss", node, allocation) < 0)
		return -1;
	for (size_t i = 0; i < slots.n; i++) {
		ga_texts_add(&a->out->slots, slots.v[i]);
		if (ga_audit_add(a->db, "adopted", slots.v[i],
				 json_pack("{s:s, s:s, s:s}", "by", allocation, "state", "active",
					   "reason", a->out->reason),
				 err) < 0)
			return -1;
	}
	return 0;
}

/* Whether the state has the active allocation on the node, and it was not verified since the
 * restore. */
static int is_to_verify(struct ga_adopting *a, const char *node, const char *allocation,
			struct ga_err *err)
{
	return ga_db_one(a->db, err,
			 "SELECT 1 FROM allocation x JOIN node n ON n.id = x.node_id AND "
			 "n.held_by = x.id WHERE x.id = ?1 AND x.node_id = ?2 AND "
			 "x.shape = 'baremetal' AND x.state = 'active' AND (n.epoch_verified < "
			 "(SELECT epoch FROM meta) OR EXISTS (SELECT 1 FROM claim c JOIN slot s ON "
			 "s.id = c.slot_id WHERE c.allocation_id = x.id AND c.live = 1 AND "
			 "s.epoch_verified < (SELECT epoch FROM meta)))", "ss", allocation, node);
}

/* Notes why an answer changes nothing, with what a person does next. Only for a question about a
 * machine that a person named: each inventory asks about those of host.db. */
static int note_unchanged(struct ga_adopting *a, const struct ga_inventory_work *w,
			  struct ga_err *err)
{
	const char *node = w->object, *allocation = allocation_of(w);
	const char *state = member(w->result, "state"), *error = member(w->result, "error");
	ga_autofree char *known = NULL, *on = NULL, *next = NULL, *sentence = NULL;

	if (allocation && ga_db_one(a->db, err, "SELECT state, node_id FROM allocation WHERE "
				    "id = ?1", "sSS", allocation, &known, &on) < 0)
		return -1;
	if (!ga_streq(w->state, "done"))
		next = ga_xprintf("its executables failed%s%s", error ? ": " : "",
				  error ? error : "");
	else if (!ga_streq(state, "tenant"))
		next = ga_xprintf("baremetal.d/status says '%s', so no tenant has it", state ?
				  state : "nothing");
	else if (!allocation)
		next = ga_xprintf("a tenant has it, for no allocation: 'gpuaas-state adopt "
				  "--machine %s' takes it in", node);
	else if (!known)
		next = ga_xprintf("allocation '%s' is not in this state: the inventory of the "
				  "machine that deployed it has its plan", allocation);
	else if (!ga_streq(on, node))
		next = ga_xprintf("allocation '%s' is on node '%s'", allocation, on ? on : "none");
	else
		next = ga_xprintf("allocation '%s' is %s, and nothing of it is left to verify",
				  allocation, known);
	sentence = ga_xprintf("the answer about node '%s' changes nothing: %s", node, next);
	ga_texts_add(&a->out->unchanged, sentence);
	return 0;
}

static int verify_by(struct ga_adopting *a, const struct ga_inventory_work *w,
		     const char *allocation, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	json_t *answer;

	if (ga_store_may_node(a->db, "administer", w->object, err) < 0)
		return -1;
	if (ga_adopt_tenant(a, w->object, allocation, &answer, &why) == 0)
		return verify_one(a, w->object, allocation, err);
	if (why.code != GA_CONFLICT) {
		*err = why;
		return -1;
	}
	ga_adopt_finding(a, "not_adopted", allocation, why.msg, why.hint[0] ? why.hint : NULL);
	ga_err_clear(&why);
	return 0;
}

int ga_adopt_machines(struct ga_adopting *a, struct ga_err *err)
{
	for (size_t i = 0; i < a->of->works.n; i++) {
		const struct ga_inventory_work *w = &a->of->works.v[i];
		const char *allocation = allocation_of(w);
		int r;

		if (!ga_streq(w->program, "status"))
			continue;
		r = allocation ? is_to_verify(a, w->object, allocation, err) : 0;
		if (r > 0)
			r = verify_by(a, w, allocation, err);
		else if (!r && !member(w->order, "allocation") &&
			 answer_of(a, w->object, allocation) == w)
			r = note_unchanged(a, w, err);
		if (r < 0)
			return -1;
	}
	return 0;
}

/* ---- a machine that a tenant had before gpuaas knew it ---- */

struct taking {
	struct ga_adopting a;
	struct ga_take_in *in;
	json_t *answer;
	struct ga_profile profile;
	struct ga_texts slots;
	char *fingerprint;
};

static void cleanup_taking(struct taking *t)
{
	ga_schema_release(&ga_profile_schema, &t->profile);
	ga_texts_release(&t->slots);
	free(t->fingerprint);
}

/* Enrolled, discovered, in mode baremetal, and held by nobody. */
static int check_node(struct taking *t, struct ga_err *err)
{
	ga_autofree char *state = NULL, *mode = NULL, *held = NULL, *changed = NULL;
	const char *node = t->in->node;
	int r = ga_db_one(t->a.db, err,
			  "SELECT n.state, n.mode, n.held_by, (SELECT json_extract(k.record, "
			  "'$.fingerprint') FROM candidate k WHERE k.node_id = n.id LIMIT 1), "
			  "(SELECT s.id || ' is ' || s.state FROM slot s WHERE s.node_id = n.id "
			  "AND s.retired = 0 AND s.state <> 'disabled' LIMIT 1) FROM node n WHERE "
			  "n.id = ?1", "sSSSSS", node, &state, &mode, &held, &t->fingerprint,
			  &changed);

	if (r < 0)
		return -1;
	if (!r || !t->fingerprint)
		return ga_refuse(err, GA_NOTFOUND, "no_discovery", node,
				 ("%s '%s'", r ? "no discovery shows a GPU of node" :
						 "there is no node", node),
				 ("discover it, which the tenant can do, too: 'gpuaas-discover | "
				  "gpuaas-approve --record-only'; then take the inventory again"));
	if (!ga_streq(state, "enrolled") && !ga_streq(state, "active"))
		return ga_refuse(err, GA_CONFLICT, "wrong_state", node,
				 ("node '%s' is %s: nothing is taken in there", node, state),
				 ("gpuaas-node undrain %s", node));
	if (!ga_streq(mode, "baremetal"))
		return ga_refuse(err, GA_CONFLICT, "node_mode", node,
				 ("node '%s' sells slices, and a tenant has all of it", node),
				 ("gpuaas-node mode %s baremetal", node));
	if (held || changed)
		return ga_refuse(err, GA_CONFLICT, "node_in_use", node,
				 ("node '%s' is not taken in: %s%s", node,
				  held ? "it is held by " : "its slot ", held ? held : changed),
				 ("'gpuaas-list claims --where node=%s --where live=true' and "
				  "'gpuaas-list slots --where node=%s' show that", node, node));
	return 0;
}

/* The profile that it is billed by. */
static int read_profile(struct taking *t, struct ga_err *err)
{
	const char *name = t->in->request->profile;

	if (ga_store_profile(t->a.db, name, &t->profile, err) < 0)
		return -1;
	if (t->profile.retired)
		return ga_refuse(err, GA_NO, "profile_retired", name,
				 ("profile '%s' is retired: it takes no new work", name),
				 ("'gpuaas-profile list' shows the others"));
	if (ga_streq(t->profile.shape, "baremetal"))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "node_mode", t->in->node,
			 ("profile '%s' is for slices, and a tenant has all of node '%s'", name,
			  t->in->node),
			 ("'gpuaas-profile list' shows those of the shape baremetal"));
}

/* Makes a disabled slot of the candidate, or writes its row again. Without both devices its end
 * would wipe nothing. */
static int make_slot(struct taking *t, const struct ga_candidate *c, struct ga_err *err)
{
	struct ga_approval a = { .candidate = c, .wipe = t->profile.wipe, .disable = true,
				 .note = t->in->reason };
	struct ga_wipe_order unused;
	struct ga_slot slot;
	bool has_order, whole;

	if (ga_db_is_lab(t->a.db))
		a.wipe.minimum_class = (char *)(uintptr_t) "clear";
	if (ga_store_approve(t->a.db, &a, &slot, &unused, &has_order, err) < 0)
		return ga_wrap(err, "candidate %lld of '%s'", (long long)c->slot_index, c->node);
	if (has_order)
		ga_schema_release(&ga_wipe_order_schema, &unused);
	whole = slot.gpu_identity && slot.nvme_wwid && ga_streq(slot.state, "disabled");
	if (whole)
		ga_texts_add(&t->slots, slot.slot);
	ga_schema_release(&ga_slot_schema, &slot);
	return whole ? 0 :
		       ga_refuse(err, GA_CONFLICT, "no_discovery", t->in->node,
				 ("candidate %lld of node '%s' has no GPU or disk of its own",
				  (long long)c->slot_index, c->node),
				 ("'gpuaas-list candidates --where node=%s' shows what its host "
				  "saw", c->node));
}

static int make_slots(struct taking *t, struct ga_err *err)
{
	ga_autotexts struct ga_texts records = { 0 };

	if (ga_db_texts(t->a.db, &records, err,
			"SELECT record FROM candidate WHERE node_id = ?1 ORDER BY slot_index", "s",
			t->in->node) < 0)
		return -1;
	for (size_t i = 0; i < records.n; i++) {
		struct ga_candidate c;
		int r;

		if (ga_rec_parse_text(records.v[i], &ga_candidate_schema, &c, err) < 0)
			return -1;
		r = make_slot(t, &c, err);
		ga_schema_release(&ga_candidate_schema, &c);
		if (r < 0)
			return -1;
	}
	return 0;
}

/* The tenant has all of the machine: a slot that no discovery shows would be on sale beside him. */
static int check_slots(struct taking *t, struct ga_err *err)
{
	ga_autotexts struct ga_texts all = { 0 };

	if (ga_db_texts(t->a.db, &all, err,
			"SELECT id FROM slot WHERE node_id = ?1 AND retired = 0 ORDER BY "
			"slot_index", "s", t->in->node) < 0)
		return -1;
	for (size_t i = 0; i < all.n; i++)
		if (!ga_texts_has(&t->slots, all.v[i]))
			return ga_refuse(err, GA_CONFLICT, "no_discovery", t->in->node,
					 ("slot '%s' of node '%s' is not in its last discovery",
					  all.v[i], t->in->node),
					 ("if its devices are gone: gpuaas-approve retire %s "
					  "--reason TEXT", all.v[i]));
	return 0;
}

static int insert_allocation(struct taking *t, struct ga_err *err)
{
	ga_autofree char *request = NULL, *type = NULL;
	ga_autostr struct ga_str answer = GA_STR_INIT;
	struct ga_request r = *t->in->request; /* a view: it is not released */

	r.shape = t->profile.shape;
	request = ga_rec_format_text(&ga_request_schema, &r);
	ga_rec_dump(t->answer, &answer);
	if (ga_db_get(t->a.db, err,
		      "SELECT max(accelerator_type) FROM slot WHERE node_id = ?1 AND retired = 0 "
		      "HAVING count(DISTINCT accelerator_type) = 1 AND "
		      "count(accelerator_type) = count(*)", "sS", t->in->node, &type) < 0)
		return -1;
	return ga_db_change(
		       t->a.db, err,
		       "INSERT INTO allocation (id, name, request, project, shape, count, since, "
		       "node_id, accelerator_type, profile, profile_version, profile_record, "
		       "price_micros, created_at, created_by, profile_types, taken_in) SELECT ?1, "
		       "?2, ?3, ?4, 'baremetal', ?5, ?6, ?7, ?8, p.name, p.version, p.record, ?9, "
		       "?6, ?10, (SELECT char(10) || group_concat(value, char(10)) || char(10) "
		       "FROM json_each(p.record, '$.types')), ?11 FROM profile p WHERE "
		       "p.name = ?12 AND p.version = ?13",
		       "ssssisssisssi", t->in->allocation, r.name, request, r.project,
		       (int64_t)t->slots.n, t->a.now, t->in->node, type, t->profile.price_micros,
		       ga_audit_actor(), answer.buf, t->profile.name, t->profile.version);
}

/* Claims the node and each slot; the slots go from disabled to in use, tainted, never on sale. */
static int claim_all(struct taking *t, struct ga_allocation_row *h, struct ga_err *err)
{
	struct ga_db *db = t->a.db;
	const char *id = t->in->allocation, *node = t->in->node;

	if (ga_db_change(db, err,
			 "UPDATE node SET state = 'active', since = iif(state = 'active', since, "
			 "?3), held_by = ?2, fingerprint = coalesce(fingerprint, ?4), "
			 "epoch_verified = (SELECT epoch FROM meta), generation = generation + 1 "
			 "WHERE id = ?1", "ssss", node, id, t->a.now, t->fingerprint) < 0)
		return -1;
	for (size_t i = 0; i <= t->slots.n; i++) {
		const struct ga_adopt_claim c = {
			.allocation = id, .node = node, .slot = i ? t->slots.v[i - 1] : NULL,
			.holder = id, .at = t->a.now,
		};

		if (ga_adopt_claim(&t->a, &c, err) < 0)
			return -1;
	}
	if (ga_store_move_allocation(db, h, "placed", t->a.now, NULL, err) < 0 ||
	    ga_store_move_allocation(db, h, "provisioning", t->a.now, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < t->slots.n; i++)
		if (ga_db_change(db, err,
				 "UPDATE slot SET state = 'provisioning', since = ?2, "
				 "approved_by = ?3, approved_at = ?2, fingerprint = ?4, "
				 "epoch_verified = (SELECT epoch FROM meta), "
				 "generation = generation + 1 WHERE id = ?1", "ssss", t->slots.v[i],
				 t->a.now, ga_audit_actor(), t->fingerprint) < 0)
			return -1;
	if (ga_store_move_claimed(db, id, "provisioning", "active", t->a.now, err) < 0 ||
	    ga_store_move_allocation(db, h, "active", t->a.now, NULL, err) < 0)
		return -1;
	return ga_store_usage_open(db, id, "active", t->a.now, err);
}

/* Stores the tenant's address, and audits what the executables said. */
static int record_taken_in(struct taking *t, struct ga_err *err)
{
	struct ga_access access = { .address = (char *)(uintptr_t)member(t->answer, "address") };
	struct ga_allocation now = {
		.allocation = t->in->allocation,
		.node = (char *)(uintptr_t)t->in->node,
		.shape = t->profile.shape,
		.access = access.address ? &access : NULL,
	};

	if (ga_store_running(t->a.db, &now, err) < 0)
		return -1;
	return ga_audit_add(t->a.db, "taken_in", t->in->allocation,
			    json_pack("{s:s, s:s, s:s, s:i, s:s, s:s?, s:s?, s:s?, s:s}", "node",
				      t->in->node, "project", t->in->request->project, "profile",
				      t->profile.name, "slots", (int)t->slots.n, "said_by",
				      t->a.of->end.node, "machine", member(t->answer, "machine"),
				      "image", member(t->answer, "image"), "owner",
				      member(t->answer, "owner"), "reason", t->in->reason),
			    err);
}

int ga_store_take_in(struct ga_db *db, const struct ga_inventory_of *inventory,
		     struct ga_take_in *in, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	ga_cleanup(cleanup_taking) struct taking t = {
		.a = { .db = db, .of = inventory, .now = now }, .in = in,
	};
	ga_autoallocation struct ga_allocation_row h = { 0 };

	ga_schema_init(&ga_profile_schema, &t.profile);
	in->allocation = ga_id_new();
	if (ga_adopt_is_fresh(&t.a, err) < 0 || check_node(&t, err) < 0 ||
	    ga_adopt_tenant(&t.a, in->node, NULL, &t.answer, err) < 0 ||
	    read_profile(&t, err) < 0 || make_slots(&t, err) < 0 || check_slots(&t, err) < 0 ||
	    insert_allocation(&t, err) < 0 ||
	    ga_store_allocation_row(db, in->allocation, &h, err) < 0 || claim_all(&t, &h, err) < 0)
		return -1;
	/* The tenant, who may have made the discovery, has shown the key that is registered. */
	if (ga_store_key_revoke(db, in->node, "a tenant had the machine", err) < 0)
		return -1;
	return record_taken_in(&t, err);
}
