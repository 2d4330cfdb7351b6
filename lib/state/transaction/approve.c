/* SPDX-License-Identifier: Apache-2.0 */
/* The transactions of gpuaas-approve. */
#include "state/transaction/approve.h"

#include <inttypes.h>
#include <stdlib.h>

#include "state/access/access.h"
#include "state/allocation/wipe.h"
#include "state/capacity/profile.h"
#include "state/capacity/view.h"
#include "state/node/approve.h"
#include "state/node/key.h"
#include "state/node/node.h"
#include "state/node/settings.h"
#include "state/node/verbs.h"
#include "state/query/find.h"
#include "state/slot/slot.h"

int ga_approve_policy(struct ga_approve_run *run, const char *profile, const char *class,
		      const char *verify, const char *gpu_memory, struct ga_err *err)
{
	struct ga_profile p;
	bool lab = ga_db_is_lab(run->db);

	ga_schema_init(&ga_profile_schema, &p);
	if (profile && ga_store_profile(run->db, profile, &p, err) < 0)
		return -1;
	run->wipe = (struct ga_wipe_policy){
		.minimum_class = ga_xstrdup(class ? class :
					    lab	  ? "clear" :
					    profile ? p.wipe.minimum_class :
						      "purge"),
		.verify = ga_xstrdup(verify ? verify : profile ? p.wipe.verify : "full"),
		.gpu_memory = ga_xstrdup(gpu_memory ? gpu_memory :
					 profile    ? p.wipe.gpu_memory :
						      "if_supported"),
	};
	run->keeps_class = !class && !profile;
	run->keeps_verify = !verify && !profile;
	run->keeps_gpu_memory = !gpu_memory && !profile;
	ga_schema_release(&ga_profile_schema, &p);
	return 0;
}

/* ---- a step ---- */

static void clear(struct ga_approve_run *run)
{
	size_t i;

	for (i = 0; i < run->results.n; i++) {
		struct ga_approve_result *r = &run->results.v[i];

		if (r->has_slot)
			ga_schema_release(&ga_slot_schema, &r->slot);
		if (r->has_order)
			ga_schema_release(&ga_wipe_order_schema, &r->order);
		if (r->has_proposal)
			ga_schema_release(&ga_proposal_schema, &r->proposal);
	}
	ga_list_release(&run->results);
	ga_texts_release(&run->notes);
	run->left = false;
	if (run->has_node)
		ga_schema_release(&ga_node_schema, &run->node);
	run->has_node = false;
	run->content_checked = false;
}

void ga_approve_release(struct ga_approve_run *run)
{
	clear(run);
	free(run->wipe.minimum_class);
	free(run->wipe.verify);
	free(run->wipe.gpu_memory);
	ga_accels_close(run->accels);
}

/* Ends the step with its result r; a refusal of the access check goes into the audit. */
static int end(struct ga_approve_run *run, int r, struct ga_err *err)
{
	size_t i;

	if (r < 0 || run->dry_run || ga_db_commit(run->db, err) < 0) {
		ga_db_rollback(run->db);
		if (r < 0 && !run->dry_run)
			return ga_store_access_note(run->db, err);
		if (r < 0 || !run->dry_run)
			return -1;
	}
	for (i = 0; i < run->results.n; i++) {
		run->results.v[i].slot.dry_run = run->dry_run;
		run->results.v[i].order.dry_run = run->dry_run;
		run->results.v[i].proposal.dry_run = run->dry_run;
	}
	return 0;
}

/* ---- candidates ---- */

/* A second person must confirm: the slot is stored disabled, and waits for the confirmation. */
static int propose_destruction(struct ga_approve_run *run, struct ga_approval *a,
			       struct ga_approve_result *r, struct ga_err *err)
{
	const char *wwid = a->destroy_data;

	a->destroy_data = NULL;
	a->disable = true;
	if (ga_store_approve(run->db, a, &r->slot, &r->order, &r->has_order, err) < 0)
		return -1;
	r->has_slot = true;
	if (ga_store_propose(run->db, GA_DESTROY_DATA, r->slot.slot, wwid,
			     run->reason ? run->reason : run->note, NULL, &r->proposal, err) < 0)
		return -1;
	r->has_proposal = true;
	return 0;
}

/* Notes the effect of --destroy-data; without effect it permits nothing. A disk that counts as
 * wiped leaves sale only when the state has folded the host's report of data on it. */
static int note_destruction(struct ga_approve_run *run, const char *wwid, const struct ga_slot *s,
			    struct ga_err *err)
{
	int allowed = ga_store_destruction_allowed(run->db, wwid, err);

	if (allowed < 0)
		return -1;
	if (allowed)
		*ga_list_add(&run->notes) = ga_xprintf(
			"slot %s: its next wipe destroys the data on disk '%s'", s->slot, wwid);
	else if (ga_streq(s->state, "disabled"))
		*ga_list_add(&run->notes) = ga_xprintf(
			"slot %s stays disabled, and --destroy-data allows nothing: give it again "
			"when nothing else blocks the slot%s%s", s->slot,
			s->cordon	 ? "; first: gpuaas-approve uncordon " :
			s->cordon_reason ? "; first: gpuaas-approve enable " :
					   "",
			s->cordon_reason ? s->slot : "");
	else
		*ga_list_add(&run->notes) = ga_xprintf(
			"slot %s is %s: --destroy-data changed nothing, its disk '%s' counts as "
			"wiped; when gpuaas-provision found data there, fold its results first",
			s->slot, s->state, wwid);
	return 0;
}

/* The policy that the slot of the candidate has stays where this run says nothing else: an approval
 * after a repair must not lower what another person ordered. */
static int keep_policy(const struct ga_approve_run *run, const struct ga_candidate *c,
		       struct ga_wipe_policy *kept, struct ga_wipe_policy *ret, struct ga_err *err)
{
	if (ga_db_one(run->db, err,
		      "SELECT wipe_minimum_class, wipe_verify, wipe_gpu_memory FROM slot "
		      "WHERE node_id = ?1 AND slot_index = ?2 AND retired = 0",
		      "siSSS", c->node, c->slot_index, &kept->minimum_class, &kept->verify,
		      &kept->gpu_memory) < 0)
		return -1;
	if (run->keeps_class && kept->minimum_class)
		ret->minimum_class = kept->minimum_class;
	if (run->keeps_verify && kept->verify)
		ret->verify = kept->verify;
	if (run->keeps_gpu_memory && kept->gpu_memory)
		ret->gpu_memory = kept->gpu_memory;
	return 0;
}

static void cleanup_policy(struct ga_wipe_policy *p)
{
	free(p->minimum_class);
	free(p->verify);
	free(p->gpu_memory);
}

/* by_hand: the type that people recorded for a GPU whose ids leave it open, or NULL. */
static int approve_one(struct ga_approve_run *run, const struct ga_candidate *c,
		       const struct ga_accel_type *by_hand, struct ga_err *err)
{
	struct ga_approval a = {
		.candidate = c,
		.type = by_hand ? by_hand->slug : NULL,
		.type_name = by_hand ? by_hand->name : NULL,
		.wipe = run->wipe,
		.note = run->note,
		.accept_change = run->accept_change,
	};
	struct ga_approve_result *r = ga_list_add(&run->results);
	ga_cleanup(cleanup_policy) struct ga_wipe_policy kept = { 0 };
	int alone = 1;
	size_t i;

	if (keep_policy(run, c, &kept, &a.wipe, err) < 0)
		return -1;
	for (i = 0; c->nvme && i < run->destroy_data.n && !a.destroy_data; i++)
		if (ga_streq(run->destroy_data.v[i], c->nvme->wwid))
			a.destroy_data = run->destroy_data.v[i];
	if (a.destroy_data) {
		alone = ga_store_destruction_check(run->db, a.destroy_data, err) < 0 ? -1 :
			ga_store_destruction_due(run->db, a.destroy_data, err);
		alone = alone > 0 ? ga_store_override(run->db, NULL, c->node, err) :
			alone < 0 ? -1 : 1;
	}
	if (alone < 0 || (!alone && propose_destruction(run, &a, r, err) < 0))
		return -1;
	if (alone) {
		if (ga_store_approve(run->db, &a, &r->slot, &r->order, &r->has_order, err) < 0)
			return -1;
		r->has_slot = true;
		if (a.destroy_data && note_destruction(run, a.destroy_data, &r->slot, err) < 0)
			return -1;
	}
	run->approved += !ga_streq(r->slot.state, "disabled");
	return 0;
}

static const struct ga_candidate *by_index(const struct ga_candidates *candidates, int64_t index)
{
	size_t i;

	for (i = 0; i < candidates->n; i++)
		if (candidates->v[i].slot_index == index)
			return &candidates->v[i];
	return NULL;
}

static bool is_selected(const struct ga_approve_run *run, int64_t index)
{
	size_t i;

	for (i = 0; i < run->slots.n; i++)
		if (run->slots.v[i] == index)
			return true;
	return run->all;
}

/* Every wwid of --destroy-data must belong to a candidate that is approved, so that a typing error
 * permits nothing, and nobody believes that it did. */
static int check_destroy_data(const struct ga_approve_run *run,
			      const struct ga_candidates *candidates, struct ga_err *err)
{
	const struct ga_candidate *c;
	size_t i, j;

	for (i = 0; i < run->destroy_data.n; i++) {
		const char *wwid = run->destroy_data.v[i];

		for (j = 0, c = NULL; j < candidates->n && !c; j++)
			if (candidates->v[j].nvme && ga_streq(candidates->v[j].nvme->wwid, wwid))
				c = &candidates->v[j];
		if (!c)
			return ga_fail(err, GA_NOTFOUND,
				       "--destroy-data: no candidate has the disk '%.128s'", wwid);
		if (!is_selected(run, c->slot_index))
			return ga_refuse(err, GA_USAGE, NULL, wwid,
					 ("--destroy-data: disk '%s' is of candidate %" PRId64
					  ", which is not approved here", wwid, c->slot_index),
					 ("--slot %" PRId64 " approves it", c->slot_index));
	}
	return 0;
}

/* Whether a person retired the hardware of the candidate: 1 with *slot, 0, -1. Retire is for good,
 * so only an approval by number makes a slot of it again. */
static int was_retired(struct ga_db *db, const struct ga_candidate *c, char **slot,
		       struct ga_err *err)
{
	return ga_db_one(db, err,
			 "SELECT s.id FROM slot s WHERE s.node_id = ?1 AND s.slot_index = ?2 AND "
			 "s.retired = 1 AND s.gpu_identity IS ?3 AND s.nvme_wwid IS ?4 AND NOT "
			 "EXISTS (SELECT 1 FROM slot l WHERE l.node_id = ?1 AND l.slot_index = ?2 "
			 "AND l.retired = 0) ORDER BY s.since DESC LIMIT 1",
			 "sissS", c->node, c->slot_index, c->gpu ? c->gpu->identity : NULL,
			 c->nvme ? c->nvme->wwid : NULL, slot);
}

/* Approves the selected candidates; every candidate selected by index must exist. */
static int approve_candidates(struct ga_approve_run *run, const struct ga_candidates *candidates,
			      struct ga_err *err)
{
	const struct ga_accel_type *by_hand = NULL;
	size_t i, n;

	if (check_destroy_data(run, candidates, err) < 0)
		return -1;
	/* People may have recorded the types that ids leave open: gpuaas-profile nodes set. */
	for (i = 0; i < candidates->n; i++)
		if (candidates->v[i].gpu && !candidates->v[i].gpu->type)
			break;
	if (i < candidates->n) {
		if (!run->accels && run->catalogue(&run->accels, err) < 0)
			return -1;
		if (ga_store_manual_of(run->db, run->accels, candidates->v[i].node, &by_hand,
				       err) < 0)
			return -1;
	}

	run->content_checked = run->all;
	n = run->all ? candidates->n : run->slots.n;
	for (i = 0; i < n; i++) {
		const struct ga_candidate *c = run->all ?
						       &candidates->v[i] :
						       by_index(candidates, run->slots.v[i]);
		ga_autofree char *retired = NULL;
		int r = run->all ? was_retired(run->db, c, &retired, err) : 0;

		if (r < 0)
			return -1;
		if (r) {
			*ga_list_add(&run->notes) = ga_xprintf(
				"candidate %lld of '%s' is left out: a person retired its hardware "
				"(slot %s); --slot %lld approves it all the same",
				(long long)c->slot_index, c->node, retired,
				(long long)c->slot_index);
			continue;
		}
		if (!c)
			return ga_fail(err, GA_NOTFOUND,
				       "there is no candidate %lld in the discovery",
				       (long long)run->slots.v[i]);
		if (approve_one(run, c, by_hand, err) == 0)
			continue;
		/* A refusal of the access check gets no index: its sentence already names the
		 * action. */
		return ga_store_access_is_refusal(err) ?
			       -1 :
			       ga_wrap(err, "candidate %lld of '%s'", (long long)c->slot_index,
				       c->node);
	}
	return 0;
}

static int store_discovery(struct ga_approve_run *run, const struct ga_host *host,
			   const struct ga_candidates *candidates, struct ga_err *err)
{
	ga_autofree char *node = ga_xstrdup(host->node), *mode = ga_strdup0(run->mode);
	struct ga_node_settings s;
	int r;

	if (ga_store_observe(run->db, host, candidates, err) < 0 ||
	    ga_store_may_node(run->db, "approve", host->node, err) < 0)
		return -1;
	r = ga_store_key_learn(run->db, host, run->accept_change, err);
	if (r < 0)
		return -1;
	if (r == GA_KEY_WAITS)
		*ga_list_add(&run->notes) = ga_xprintf(
			"the key of node '%s' is not registered: since the restore nobody has said "
			"whether a tenant has the machine ('gpuaas-reconcile --inventory --machine "
			"%s | gpuaas-state adopt --reason TEXT -' on the machine that deploys)",
			host->node, host->node);
	if (r == GA_KEY_AFTER_REVOKED)
		*ga_list_add(&run->notes) = ga_xprintf(
			"the key of node '%s' was revoked, and %s counts from now on; if it is "
			"not the host's own: gpuaas-node revoke-key %s --reason TEXT --yes",
			host->node, host->node_key, host->node);
	if (mode) {
		ga_schema_init(&ga_node_settings_schema, &s);
		s.node = node;
		s.mode = mode;
		if (ga_store_apply_node_settings(run->db, &s, err) < 0)
			return -1;
	}
	if (!run->record_only)
		return approve_candidates(run, candidates, err);
	if (ga_store_node(run->db, host->node, &run->node, err) < 0)
		return -1;
	run->has_node = true;
	return 0;
}

int ga_approve_discovery(struct ga_approve_run *run, const struct ga_host *host,
			 const struct ga_candidates *candidates, struct ga_err *err)
{
	clear(run);
	if (ga_store_begin(run->db, "gpuaas-approve", err) < 0)
		return -1;
	return end(run, store_discovery(run, host, candidates, err), err);
}

/* ---- verbs, and overrides ---- */

static int move(struct ga_approve_run *run, const char *verb, const char *slot,
		const char *reason, const char *disposal, struct ga_approve_result *r,
		struct ga_err *err)
{
	ga_autofree char *ended = NULL;

	if (ga_store_slot_move(run->db, slot, verb, reason, disposal, GA_UNKNOWN, &r->slot,
			       &r->order, &r->has_order, &ended, err) < 0)
		return -1;
	r->has_slot = true;
	if (ended)
		*ga_list_add(&run->notes) = ga_xprintf("slot %s: this ends '%s'", slot,
						       ga_printable(ended));
	return 0;
}

/* Proposes to retire an unwiped slot. The move is done and undone, which finds all its
 * obstacles. */
static int propose_retirement(struct ga_approve_run *run, const char *slot,
			      struct ga_approve_result *r, struct ga_err *err)
{
	struct ga_wipe_order unused;
	bool has_order;
	int moved;

	if (ga_db_savepoint(run->db, err) < 0)
		return -1;
	moved = ga_store_slot_move(run->db, slot, "retire", run->reason, run->disposal, GA_UNKNOWN,
				   &r->slot, &unused, &has_order, NULL, err);
	ga_db_rollback_to(run->db);
	if (moved < 0)
		return -1;
	ga_schema_release(&ga_slot_schema, &r->slot);
	if (ga_store_slot(run->db, slot, &r->slot, err) < 0)
		return -1;
	r->has_slot = true;
	if (ga_store_propose(run->db, GA_RETIRE_UNWIPED, slot, r->slot.nvme_wwid, run->reason,
			     run->disposal, &r->proposal, err) < 0)
		return -1;
	r->has_proposal = true;
	return 0;
}

static int is_unwiped(struct ga_approve_run *run, const char *slot, struct ga_err *err)
{
	struct ga_slot s;
	bool unwiped;

	if (ga_store_slot(run->db, slot, &s, err) < 0)
		return -1;
	/* Without a disk there is no disposal to record. */
	unwiped = s.tainted && s.nvme_wwid && !ga_streq(s.state, "retired");
	ga_schema_release(&ga_slot_schema, &s);
	return unwiped;
}

/* Moves a slot; a move that needs two persons is proposed instead. */
static int move_or_propose(struct ga_approve_run *run, const char *verb, const char *slot,
			   struct ga_err *err)
{
	bool repair = ga_streq(verb, "repair"), retire = ga_streq(verb, "retire");
	ga_autofree char *id = NULL;
	struct ga_approve_result *r;
	int unwiped, alone, meant;

	if (ga_store_resolve(run->db, "slot", slot, &id, NULL, err) < 0)
		return -1;
	meant = ga_store_still(run->db, run->still, id, err);
	if (meant <= 0) {
		run->left |= !meant;
		return meant;
	}
	r = ga_list_add(&run->results);
	run->sells = repair || ga_streq(verb, "enable");
	unwiped = retire && run->disposal ? is_unwiped(run, id, err) : 0;
	if (unwiped < 0)
		return -1;
	if (unwiped) {
		alone = ga_store_override(run->db, id, NULL, err);
		if (alone <= 0)
			return alone < 0 ? -1 : propose_retirement(run, id, r, err);
	} else if (ga_store_may_slot(run->db, repair ? "wipe" : "approve", id, err) < 0) {
		return -1;
	}
	return move(run, verb, id, run->reason, run->disposal, r, err);
}

/* Refuses a confirmation that allows nothing, so that it is not used up. */
static int check_allows(struct ga_approve_run *run, const struct ga_proposal *p,
			const struct ga_slot *s, struct ga_err *err)
{
	int allowed = ga_store_destruction_allowed(run->db, p->device, err);
	const struct ga_reason *why = NULL;
	size_t i;

	if (allowed)
		return allowed < 0 ? -1 : 0;
	for (i = 0; i < s->blockers.n && !why; i++)
		if (!ga_streq(s->blockers.v[i].code, "tainted"))
			why = &s->blockers.v[i];
	if (!ga_streq(s->state, "disabled") || !why)
		return ga_refuse(err, GA_CONFLICT, "wrong_state", s->slot,
				 ("proposal '%s' has nothing to allow: disk '%.64s' of slot '%s' "
				  "counts as wiped", p->proposal, p->device, s->slot),
				 ("gpuaas-approve withdraw %s withdraws it", p->proposal));
	return ga_refuse(err, GA_CONFLICT, why->code, s->slot,
			 ("proposal '%s' waits: something else blocks slot '%s': %s%s%s",
			  p->proposal, s->slot, why->code, why->evidence ? ": " : "",
			  why->evidence ? why->evidence : ""),
			 ("%s%sthen 'gpuaas-discover | gpuaas-approve --record-only', and confirm "
			  "again before %s", why->hint ? why->hint : "", why->hint ? "; " : "",
			  p->expires_at));
}

/* The confirmation by the second person. */
static int confirm(struct ga_approve_run *run, const char *proposal, struct ga_err *err)
{
	struct ga_approve_result *r = ga_list_add(&run->results);
	const struct ga_proposal *p = &r->proposal;
	ga_autofree char *persons = NULL;

	if (ga_store_confirm(run->db, proposal, &r->proposal, err) < 0)
		return -1;
	r->has_proposal = true;
	/* Both persons stand in the record, too, not only in the audit. */
	persons = ga_xprintf("%s%sproposed by %s, confirmed by %s",
			     p->disposal ? p->disposal : "", p->disposal ? "; " : "",
			     p->proposed_by, p->decided_by);
	if (!ga_streq(p->action, GA_DESTROY_DATA))
		return move(run, "retire", p->object, p->reason, persons, r, err);

	if (ga_store_destruction_check(run->db, p->device, err) < 0 ||
	    ga_store_allow_destruction(run->db, p->device, p->node, persons, p->reason, err) < 0 ||
	    ga_store_slot(run->db, p->object, &r->slot, err) < 0)
		return -1;
	r->has_slot = true;
	if (ga_streq(r->slot.state, "disabled")) {
		ga_schema_release(&ga_slot_schema, &r->slot);
		r->has_slot = false;
		if (move(run, "enable", p->object, NULL, NULL, r, err) < 0)
			return -1;
	}
	if (check_allows(run, p, &r->slot, err) < 0)
		return -1;
	if (r->has_order || !ga_streq(r->slot.state, "wiping"))
		return 0;
	if (ga_store_wipe_order(run->db, p->object, &r->order, err) < 0)
		return -1;
	r->has_order = true;
	return 0;
}

static int withdraw(struct ga_approve_run *run, const char *proposal, struct ga_err *err)
{
	struct ga_approve_result *r = ga_list_add(&run->results);

	if (ga_store_withdraw(run->db, proposal, &r->proposal, err) < 0)
		return -1;
	r->has_proposal = true;
	return 0;
}

int ga_approve_move(struct ga_approve_run *run, const char *verb, char *const *objects, size_t n,
		    struct ga_err *err)
{
	bool confirms = ga_streq(verb, "confirm"), withdraws = ga_streq(verb, "withdraw");
	size_t i;
	int r = 0;

	clear(run);
	if (ga_store_begin(run->db, "gpuaas-approve", err) < 0)
		return -1;
	for (i = 0; r == 0 && i < n; i++)
		r = confirms  ? confirm(run, objects[i], err) :
		    withdraws ? withdraw(run, objects[i], err) :
				move_or_propose(run, verb, objects[i], err);
	return end(run, r, err);
}
