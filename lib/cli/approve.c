/* SPDX-License-Identifier: Apache-2.0 */
/* One run of gpuaas-approve. */
#include "cli/approve.h"

#include <stdlib.h>

#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "look/block/block.h"
#include "look/host/host.h"
#include "record/size.h"
#include "state/allocation/wipe.h"
#include "state/capacity/profile.h"
#include "state/capacity/view.h"
#include "state/node/settings.h"
#include "state/node/verbs.h"
#include "state/query/find.h"
#include "state/slot/slot.h"

int ga_approve_policy(struct ga_approve_run *run, const char *profile, const char *class,
		      const char *verify, const char *gpu_memory, struct ga_err *err)
{
	struct ga_profile p;
	bool lab = ga_db_is_lab(run->db);

	ga_shape_init(&ga_profile_shape, &p);
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
	ga_shape_release(&ga_profile_shape, &p);
	return 0;
}

/* ---- looking again ---- */

static bool is_seen(const struct ga_nvme *d)
{
	return d->signatures_known && d->is_block != GA_UNKNOWN;
}

/* A disk that could be two by now: what an older discovery saw of it is no longer known, and what
 * is unknown blocks. */
static void forget(struct ga_nvme *d)
{
	d->is_block = GA_UNKNOWN;
	d->uses_known = d->signatures_known = false;
	free(d->content);
	d->content = ga_xstrdup("unread");
}

static void look_at_disk(const struct ga_block_table *table, struct ga_nvme *d)
{
	ga_autoblock struct ga_block_dev dev = { 0 };
	ga_autouses struct ga_block_uses uses = { 0 };
	struct ga_err why = GA_ERR_INIT;

	if (ga_block_find(d->wwid, &dev, &why) < 0) {
		/* One that is not here is not wiped either: nothing is known better than before. */
		if (why.code == GA_NOTFOUND)
			return;
		ga_say("%s: %s", ga_cli_program(), why.msg);
		forget(d);
		return;
	}
	ga_block_uses_in(table, &dev, true, &uses);
	/* A discovery by root knows more than a look by somebody else. */
	if (uses.signatures_known || !is_seen(d) || ga_block_is_used(&uses))
		ga_block_show(&dev, &uses, d);
}

void ga_approve_look_again(struct ga_candidates *candidates)
{
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	ga_autoblocktable struct ga_block_table *table = NULL;
	size_t i;

	for (i = 0; here && i < candidates->n; i++) {
		struct ga_candidate *c = &candidates->v[i];

		if (!ga_streq(c->node, here) || !c->nvme || !c->nvme->wwid)
			continue;
		table = table ? table : ga_block_table_read();
		look_at_disk(table, c->nvme);
	}
}

/* ---- approving ---- */

int ga_approve_node(struct ga_approve_run *run, const struct ga_host *host, const char *mode,
		    bool accept_change, struct ga_err *err)
{
	ga_autofree char *id = NULL, *word = NULL;
	struct ga_node_settings s;
	int r;

	r = ga_store_may_node(run->db, "approve", host->node, err) < 0 ?
		    -1 :
		    ga_store_key_learn(run->db, host, accept_change, err);
	if (r < 0)
		return -1;
	if (r == GA_KEY_AFTER_REVOKED)
		ga_say("%s: the key of node '%s' was revoked, and %s counts from now on; if it is "
		       "not the host's own: gpuaas-node revoke-key %s --reason TEXT --yes",
		       ga_cli_program(), host->node, host->node_key, host->node);
	if (!mode)
		return 0;
	ga_shape_init(&ga_node_settings_shape, &s);
	s.node = id = ga_xstrdup(host->node);
	s.mode = word = ga_xstrdup(mode);
	r = ga_store_apply_node_settings(run->db, &s, err);
	return r < 0 ? -1 : 0;
}

static const char *may_destroy(const struct ga_approve_run *run, const struct ga_candidate *c)
{
	size_t i;

	for (i = 0; c->nvme && i < run->destroy_data.n; i++)
		if (ga_streq(run->destroy_data.v[i], c->nvme->wwid))
			return run->destroy_data.v[i];
	return NULL;
}

/* A second person has to agree: the slot is stored as it is, and waits for that. */
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

/* A word that changed nothing is no leave: what the state has as wiped is out of sale only when it
 * has heard what its host found. */
static int tell_destruction(struct ga_approve_run *run, const char *wwid, const struct ga_slot *s,
			    struct ga_err *err)
{
	int allowed = ga_store_destruction_allowed(run->db, wwid, err);

	if (allowed > 0)
		ga_say("%s: slot %s: its next wipe destroys what disk '%s' holds",
		       ga_cli_program(), s->slot, wwid);
	else if (!allowed && ga_streq(s->state, "disabled"))
		ga_say("%s: slot %s stays disabled, and --destroy-data allows nothing: give it "
		       "again when nothing else stands against the slot%s%s", ga_cli_program(),
		       s->slot, s->cordon_reason ? "; first: gpuaas-approve uncordon " : "",
		       s->cordon_reason ? s->slot : "");
	else if (!allowed)
		ga_say("%s: slot %s is %s: --destroy-data changed nothing, its disk '%s' counts as "
		       "wiped; when gpuaas-provision found data there, fold what it said first",
		       ga_cli_program(), s->slot, s->state, wwid);
	return allowed < 0 ? -1 : 0;
}

static int approve_with(struct ga_approve_run *run, struct ga_approval *a,
			struct ga_approve_result *r, struct ga_err *err)
{
	int alone = 1;

	if (a->destroy_data) {
		alone = ga_store_destruction_due(run->db, a->destroy_data, err);
		alone = alone > 0 ? ga_store_override(run->db, NULL, a->candidate->node, err) :
			alone < 0 ? -1 : 1;
	}
	if (alone < 0)
		return -1;
	if (!alone)
		return propose_destruction(run, a, r, err);
	if (ga_store_approve(run->db, a, &r->slot, &r->order, &r->has_order, err) < 0)
		return -1;
	r->has_slot = true;
	return a->destroy_data ? tell_destruction(run, a->destroy_data, &r->slot, err) : 0;
}

static int approve_one(struct ga_approve_run *run, const struct ga_candidate *c,
		       struct ga_err *err)
{
	struct ga_approval a = {
		.candidate = c,
		.type = run->by_hand ? run->by_hand->slug : NULL,
		.type_name = run->by_hand ? run->by_hand->name : NULL,
		.wipe = run->wipe,
		.destroy_data = may_destroy(run, c),
		.note = run->note,
		.accept_change = run->accept_change,
	};
	struct ga_approve_result *r = ga_list_add(&run->results);

	if (approve_with(run, &a, r, err) < 0) {
		/* The index is no part of a refusal, whose sentence says what was asked. */
		return ga_store_access_is_refusal(err) ?
			       -1 :
			       ga_wrap(err, "candidate %lld of '%s'", (long long)c->slot_index,
				       c->node);
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

/* Every wwid that may be destroyed has to be one of those seen: a slip of the pen is no leave. */
static int check_destroy(const struct ga_approve_run *run, const struct ga_candidates *candidates,
			 struct ga_err *err)
{
	size_t i, j;

	for (i = 0; i < run->destroy_data.n; i++) {
		for (j = 0; j < candidates->n; j++)
			if (candidates->v[j].nvme &&
			    ga_streq(candidates->v[j].nvme->wwid, run->destroy_data.v[i]))
				break;
		if (j == candidates->n)
			return ga_fail(err, GA_NOTFOUND,
				       "--destroy-data: no candidate has the disk "
				       "'%.128s'",
				       run->destroy_data.v[i]);
	}
	return 0;
}

/* By what the content of the disks was judged: who approves all of them has not named one. */
static void tell_content(const struct ga_candidates *candidates)
{
	static const struct {
		const char *content, *what;
	} words[] = {
		{ "empty", "no known signature, all zero" },
		{ "pattern", "no known signature, all 0xff, as erased flash reads" },
		{ "unknown_content", "no known signature, and not empty" },
		{ "signatures", "known signatures" },
		{ "unread", "it could not be read" },
	};
	size_t i, j;

	for (j = 0; j < GA_ARRAY_SIZE(words); j++) {
		const char *node = NULL;
		int64_t blocks = 0;
		size_t n = 0;

		for (i = 0; i < candidates->n; i++) {
			const struct ga_nvme *d = candidates->v[i].nvme;

			if (!d || !ga_streq(d->content ? d->content : "unread", words[j].content))
				continue;
			blocks = n && blocks < d->content_blocks ? blocks : d->content_blocks;
			node = candidates->v[i].node;
			n++;
		}
		if (n && j < 3)
			ga_say("%s: content of %zu disk%s of '%s': %s (%lld block%s of 4 KiB "
			       "sampled of each)",
			       ga_cli_program(), n, n > 1 ? "s" : "", node, words[j].what,
			       (long long)blocks, blocks == 1 ? "" : "s");
		else if (n)
			ga_say("%s: content of %zu disk%s of '%s': %s", ga_cli_program(), n,
			       n > 1 ? "s" : "", node, words[j].what);
	}
}

/* What ids leave open people may have told: gpuaas-profile nodes set. */
static int find_type(struct ga_approve_run *run, const struct ga_candidates *candidates,
		     struct ga_err *err)
{
	size_t i;

	run->by_hand = NULL;
	for (i = 0; i < candidates->n; i++)
		if (candidates->v[i].gpu && !candidates->v[i].gpu->type)
			break;
	if (i == candidates->n)
		return 0;
	if (!run->accels && ga_cli_catalogue(&run->accels, err) < 0)
		return -1;
	return ga_store_manual_of(run->db, run->accels, candidates->v[i].node, &run->by_hand, err);
}

int ga_approve_candidates(struct ga_approve_run *run, const struct ga_candidates *candidates,
			  struct ga_err *err)
{
	size_t i;

	if (check_destroy(run, candidates, err) < 0 || find_type(run, candidates, err) < 0)
		return -1;
	if (run->all)
		tell_content(candidates);
	for (i = 0; run->all && i < candidates->n; i++)
		if (approve_one(run, &candidates->v[i], err) < 0)
			return -1;
	for (i = 0; !run->all && i < run->slots.n; i++) {
		const struct ga_candidate *c;
		int64_t index;

		if (ga_int_parse(run->slots.v[i], "--slot", 0, 255, &index, err) < 0)
			return -1;
		c = by_index(candidates, index);
		if (!c)
			return ga_fail(err, GA_NOTFOUND,
				       "there is no candidate %lld in the discovery",
				       (long long)index);
		if (approve_one(run, c, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- verbs, and overrides ---- */

/* All that stands against it is found by doing it and taking that back. */
static int try_retire(struct ga_approve_run *run, const char *slot, const char *reason,
		      struct ga_slot *ret, struct ga_err *err)
{
	struct ga_wipe_order unused;
	bool has_order;
	int r;

	if (ga_db_savepoint(run->db, err) < 0)
		return -1;
	r = ga_store_slot_move(run->db, slot, "retire", reason, run->disposal, GA_UNKNOWN, ret,
			       &unused, &has_order, err);
	ga_db_rollback_to(run->db);
	if (r < 0)
		return -1;
	ga_shape_release(&ga_slot_shape, ret);
	return ga_store_slot(run->db, slot, ret, err);
}

/* Of an unwiped slot: 1 done by a proposal, 0 it may be done by one person. */
static int retire_unwiped(struct ga_approve_run *run, const char *slot, const char *reason,
			  struct ga_approve_result *r, struct ga_err *err)
{
	int alone = ga_store_override(run->db, slot, NULL, err);

	if (alone)
		return alone < 0 ? -1 : 0;
	if (try_retire(run, slot, reason, &r->slot, err) < 0)
		return -1;
	r->has_slot = true;
	if (ga_store_propose(run->db, GA_RETIRE_UNWIPED, slot, r->slot.nvme_wwid, reason,
			     run->disposal, &r->proposal, err) < 0)
		return -1;
	r->has_proposal = true;
	return 1;
}

static int is_unwiped(struct ga_approve_run *run, const char *slot, struct ga_err *err)
{
	struct ga_slot s;
	bool unwiped;

	if (ga_store_slot(run->db, slot, &s, err) < 0)
		return -1;
	/* Without a disk there is nothing whose disposal could be recorded. */
	unwiped = s.tainted && s.nvme_wwid && !ga_streq(s.state, "retired");
	ga_shape_release(&ga_slot_shape, &s);
	return unwiped;
}

static int move(struct ga_approve_run *run, const char *verb, const char *slot,
		const char *reason, const char *disposal, struct ga_approve_result *r,
		struct ga_err *err)
{
	if (ga_store_slot_move(run->db, slot, verb, reason, disposal, GA_UNKNOWN, &r->slot,
			       &r->order, &r->has_order, err) < 0)
		return -1;
	r->has_slot = true;
	return 0;
}

int ga_approve_of_nothing(const char *verb, struct ga_err *err)
{
	if (ga_streq(verb, "confirm") || ga_streq(verb, "withdraw"))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("%s needs a proposal", verb),
				 ("'gpuaas-list proposals' shows those that are open"));
	(void)ga_fail(err, GA_USAGE, "%s needs a slot", verb);
	if (ga_streq(verb, "repair"))
		return ga_hint(err, "'gpuaas-list attention' shows which need one: "
				    "gpuaas-approve repair SLOT --reason TEXT");
	return ga_hint(err, "'gpuaas-list slots' shows them");
}

int ga_approve_verb(struct ga_approve_run *run, const char *verb, const char *slot,
		    const char *reason, struct ga_err *err)
{
	bool repair = ga_streq(verb, "repair"), retire = ga_streq(verb, "retire");
	struct ga_approve_result *r = ga_list_add(&run->results);
	ga_autofree char *id = NULL;
	int unwiped, done;

	if (ga_store_resolve(run->db, "slot", slot, &id, NULL, err) < 0)
		return -1;
	run->wanted = repair || ga_streq(verb, "enable");
	unwiped = retire && run->disposal ? is_unwiped(run, id, err) : 0;
	if (unwiped < 0)
		return -1;
	done = unwiped ? retire_unwiped(run, id, reason, r, err) :
			 ga_store_may_slot(run->db, repair ? "wipe" : "approve", id, err);
	if (done)
		return done < 0 ? -1 : 0;
	return move(run, verb, id, reason, run->disposal, r, err);
}

/* Both stand in the record too, not only in the audit. */
static char *both(const struct ga_proposal *p)
{
	return ga_xprintf("%s%sproposed by %s, confirmed by %s", p->disposal ? p->disposal : "",
			  p->disposal ? "; " : "", p->proposed_by, p->decided_by);
}

static int destroy(struct ga_approve_run *run, const struct ga_proposal *p,
		   struct ga_approve_result *r, struct ga_err *err)
{
	ga_autofree char *by = both(p);

	if (ga_store_allow_destruction(run->db, p->device, p->node, by, p->reason, err) < 0 ||
	    ga_store_slot(run->db, p->object, &r->slot, err) < 0)
		return -1;
	r->has_slot = true;
	if (ga_streq(r->slot.state, "disabled")) {
		ga_shape_release(&ga_slot_shape, &r->slot);
		r->has_slot = false;
		return move(run, "enable", p->object, NULL, NULL, r, err);
	}
	if (!ga_streq(r->slot.state, "wiping"))
		return 0;
	if (ga_store_wipe_order(run->db, p->object, &r->order, err) < 0)
		return -1;
	r->has_order = true;
	return 0;
}

int ga_approve_confirm(struct ga_approve_run *run, const char *proposal, struct ga_err *err)
{
	struct ga_approve_result *r = ga_list_add(&run->results);
	const struct ga_proposal *p = &r->proposal;
	ga_autofree char *disposal = NULL;

	if (ga_store_confirm(run->db, proposal, &r->proposal, err) < 0)
		return -1;
	r->has_proposal = true;
	if (ga_streq(p->action, GA_DESTROY_DATA))
		return destroy(run, p, r, err);
	disposal = both(p);
	return move(run, "retire", p->object, p->reason, disposal, r, err);
}

int ga_approve_withdraw(struct ga_approve_run *run, const char *proposal, struct ga_err *err)
{
	struct ga_approve_result *r = ga_list_add(&run->results);

	if (ga_store_withdraw(run->db, proposal, &r->proposal, err) < 0)
		return -1;
	r->has_proposal = true;
	return 0;
}

void ga_approve_results_clear(struct ga_approve_run *run)
{
	size_t i;

	for (i = 0; i < run->results.n; i++) {
		struct ga_approve_result *r = &run->results.v[i];

		if (r->has_slot)
			ga_shape_release(&ga_slot_shape, &r->slot);
		if (r->has_order)
			ga_shape_release(&ga_wipe_order_shape, &r->order);
		if (r->has_proposal)
			ga_shape_release(&ga_proposal_shape, &r->proposal);
	}
	ga_list_release(&run->results);
}

/* Nothing is done yet: the status says so, and whom it waits for. */
static int emit_proposal(struct ga_proposal *p, bool dry_run, struct ga_err *err)
{
	p->dry_run = dry_run;
	if (ga_streq(p->state, "pending")) {
		ga_cli_note_status(GA_NO);
		ga_say("%s: slot %s: %s, once another person has confirmed it before %s%s%s",
		       ga_cli_program(), p->object,
		       ga_streq(p->action, GA_DESTROY_DATA) ? "what its disk holds is destroyed" :
							      "it is retired unwiped",
		       p->expires_at, dry_run ? "" : ": gpuaas-approve confirm ",
		       dry_run ? "" : p->proposal);
	}
	return ga_emit(&ga_proposal_shape, p, err);
}

/* Whether to print what blocks the slot: the user named it, or asked for all and got none. */
static bool is_asked_for(const struct ga_approve_run *run, const struct ga_approve_result *r)
{
	return r->has_slot && !r->has_proposal && ga_streq(r->slot.state, "disabled") &&
	       (run->wanted || run->slots.n || (run->all && !run->approved));
}

bool ga_approve_is_refused(const struct ga_approve_run *run)
{
	size_t i;

	for (i = 0; run->wanted && i < run->results.n; i++) {
		const struct ga_slot *s = &run->results.v[i].slot;

		if (run->results.v[i].has_slot && ga_streq(s->state, "disabled") &&
		    !s->cordon_reason && s->blockers.n)
			return true;
	}
	return false;
}

int ga_approve_emit(struct ga_approve_run *run, bool dry_run, bool explain, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < run->results.n; i++) {
		struct ga_approve_result *r = &run->results.v[i];

		r->slot.dry_run = r->order.dry_run = dry_run;
		if (is_asked_for(run, r) ||
		    (explain && r->has_slot && ga_streq(r->slot.state, "disabled")))
			ga_approve_explain(&r->slot, explain);
		if ((r->has_slot && ga_emit(&ga_slot_shape, &r->slot, err) < 0) ||
		    (r->has_order && ga_emit(&ga_wipe_order_shape, &r->order, err) < 0) ||
		    (r->has_proposal && emit_proposal(&r->proposal, dry_run, err) < 0))
			return -1;
	}
	return 0;
}

void ga_approve_release(struct ga_approve_run *run)
{
	ga_approve_results_clear(run);
	free(run->wipe.minimum_class);
	free(run->wipe.verify);
	free(run->wipe.gpu_memory);
	ga_accels_close(run->accels);
}

void ga_approve_explain(const struct ga_slot *s, bool all)
{
	size_t i;

	if (s->cordon_reason)
		ga_say("slot %lld of '%s': a person disabled it: %s; fix: gpuaas-approve enable %s "
		       "| gpuaas-wipe",
		       (long long)s->slot_index, s->node, s->cordon_reason, s->slot);
	for (i = 0; i < s->blockers.n && (all || !i); i++) {
		const struct ga_reason *r = &s->blockers.v[i];

		ga_say("slot %lld of '%s': %s%s%s%s%s%s%s", (long long)s->slot_index, s->node,
		       r->code, r->subject ? " " : "", r->subject ? r->subject : "",
		       r->evidence ? ": " : "", r->evidence ? r->evidence : "",
		       r->hint ? "; fix: " : "", r->hint ? r->hint : "");
	}
}
