/* SPDX-License-Identifier: Apache-2.0 */
/* One run of gpuaas-approve. */
#include "cli_approve.h"

#include <stdlib.h>

#include "block.h"
#include "cli.h"
#include "host.h"
#include "size.h"

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

static void look_at_disk(struct ga_nvme *d)
{
	ga_autoblock struct ga_block_dev dev = { 0 };
	ga_autouses struct ga_block_uses uses = { 0 };
	struct ga_err ignored = GA_ERR_INIT;
	size_t i;

	/* What cannot be looked at stays unknown, and unknown blocks. */
	if (ga_block_find(d->wwid, &dev, &ignored) < 0 ||
	    ga_block_uses(&dev, &uses, &ignored) < 0)
		return;
	d->is_block = dev.is_block;
	if (!uses.signatures_known)
		return;
	for (i = 0; i < d->signatures.n; i++)
		free(d->signatures.v[i]);
	ga_list_release(&d->signatures);
	for (i = 0; i < uses.signatures.n; i++)
		ga_texts_add(&d->signatures, uses.signatures.v[i]);
	d->signatures_known = true;
	for (i = 0; i < uses.mounts.n; i++)
		if (!d->mounts.n)
			ga_texts_add(&d->mounts, uses.mounts.v[i].where);
}

void ga_approve_look_again(struct ga_candidates *candidates)
{
	ga_autofree char *here = NULL;
	struct ga_err ignored = GA_ERR_INIT;
	size_t i;

	if (ga_host_node_id(ga_cli_setting("GPUAAS_NODE", NULL), &here, &ignored) < 0)
		return;
	for (i = 0; i < candidates->n; i++) {
		struct ga_candidate *c = &candidates->v[i];

		if (ga_streq(c->node, here) && c->nvme && c->nvme->wwid && !is_seen(c->nvme))
			look_at_disk(c->nvme);
	}
}

/* ---- approving ---- */

int ga_approve_node(struct ga_approve_run *run, const struct ga_host *host, const char *mode,
		    bool accept_change, struct ga_err *err)
{
	ga_autofree char *id = NULL, *word = NULL;
	struct ga_node_settings s;
	int r;

	if (ga_store_key_learn(run->db, host, accept_change, err) < 0)
		return -1;
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

static int approve_one(struct ga_approve_run *run, const struct ga_candidate *c,
		       struct ga_err *err)
{
	struct ga_approval a = {
		.candidate = c,
		.wipe = run->wipe,
		.destroy_data = may_destroy(run, c),
		.note = run->note,
		.accept_change = run->accept_change,
	};
	struct ga_approve_result r = { 0 };

	if (ga_store_approve(run->db, &a, &r.slot, &r.order, &r.has_order, err) < 0)
		return ga_wrap(err, "candidate %lld of '%s'", (long long)c->slot_index, c->node);
	run->approved += !ga_streq(r.slot.state, "disabled");
	*ga_list_add(&run->results) = r;
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

int ga_approve_candidates(struct ga_approve_run *run, const struct ga_candidates *candidates,
			  struct ga_err *err)
{
	size_t i;

	if (check_destroy(run, candidates, err) < 0)
		return -1;
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

int ga_approve_verb(struct ga_approve_run *run, const char *verb, const char *slot,
		    const char *reason, struct ga_err *err)
{
	ga_autofree char *id = NULL;
	struct ga_approve_result r = { 0 };

	if (ga_store_resolve(run->db, "slot", slot, &id, NULL, err) < 0 ||
	    ga_store_slot_move(run->db, id, verb, reason, run->disposal, GA_UNKNOWN, &r.slot,
			       &r.order, &r.has_order, err) < 0)
		return -1;
	*ga_list_add(&run->results) = r;
	return 0;
}

void ga_approve_results_clear(struct ga_approve_run *run)
{
	size_t i;

	for (i = 0; i < run->results.n; i++) {
		ga_shape_release(&ga_slot_shape, &run->results.v[i].slot);
		if (run->results.v[i].has_order)
			ga_shape_release(&ga_wipe_order_shape, &run->results.v[i].order);
	}
	ga_list_release(&run->results);
}

void ga_approve_release(struct ga_approve_run *run)
{
	ga_approve_results_clear(run);
	free(run->wipe.minimum_class);
	free(run->wipe.verify);
	free(run->wipe.gpu_memory);
}

void ga_approve_explain(const struct ga_slot *s)
{
	size_t i;

	for (i = 0; i < s->blockers.n; i++) {
		const struct ga_reason *r = &s->blockers.v[i];

		ga_say("slot %lld of '%s': %s%s%s%s%s%s%s", (long long)s->slot_index, s->node,
		       r->code, r->subject ? " " : "", r->subject ? r->subject : "",
		       r->evidence ? ": " : "", r->evidence ? r->evidence : "",
		       r->hint ? "; fix: " : "", r->hint ? r->hint : "");
	}
}
