/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose objects an inventory may change: those of its own node, which signed it. One exception: no
 * program of gpuaas runs on a machine that a baremetal tenant has, so the machine that deployed it
 * reports the end of its allocation; it shows that by an order that the state gave. A wipe is never
 * reported for another node. And an inventory from before a restore shows what was then, not what
 * the host did since.
 */
#include "state/recovery/internal.h"

#include <string.h>

#include "base/texts.h"
#include "record/bundle.h"
#include "record/plan.h"
#include "record/release.h"
#include "record/result.h"
#include "record/state.h"
#include "record/time.h"
#include "record/wipe.h"
#include "state/access/access.h"
#include "state/db/row.h"

#define REFUSE_OBJECT(err, object, ...) \
	ga_refuse(err, GA_CONFLICT, "wrong_node", object, (__VA_ARGS__), \
		  ("take the inventory of the node that the object is on: gpuaas-show %s", object))

/* ---- the time of an inventory ---- */

/* The hosts worked for the state that the restore replaced until the restore, and what they did is
 * in an inventory from after it alone: from an older one, a slot would count as wiped that was sold
 * since. The two times are of two clocks, so that the message has both. */
int ga_adopt_is_fresh(struct ga_adopting *a, struct ga_err *err)
{
	ga_autofree char *opened = NULL, *seen = NULL;
	const struct ga_inventory *end = &a->of->end;
	const char *looked = end->host ? end->host->observed_at : end->at;

	if (ga_store_refuse_ahead("the inventory", end->node, end->at, err) < 0 ||
	    ga_db_one(a->db, err,
		      "SELECT (SELECT max(at) FROM audit WHERE object = 'state' AND action IN "
		      "('state_restored', 'state_rebuilt')), (SELECT observed_at FROM node WHERE "
		      "id = ?1)", "sSS", end->node, &opened, &seen) < 0)
		return -1;
	if (opened && strcmp(end->at, opened) <= 0)
		return ga_refuse(err, GA_CONFLICT, "old_inventory", end->node,
				 ("the inventory of '%s' is from %s by its clock, and the state "
				  "was restored or rebuilt at %s by the clock here: it does not "
				  "show what the host did until then", end->node, end->at, opened),
				 ("take it again now, on the host: gpuaas-reconcile --inventory | "
				  "gpuaas-state adopt --reason TEXT -; if it was taken since, the "
				  "clock of the host is behind ('timedatectl' shows that): set it "
				  "first"));
	if (seen && strcmp(looked, seen) < 0 && !ga_time_is_ahead(seen))
		return ga_refuse(err, GA_CONFLICT, "old_inventory", end->node,
				 ("the inventory of '%s' is from %s, and the state has a "
				  "discovery of it from %s", end->node, looked, seen),
				 ("take it again now, on the host: gpuaas-reconcile --inventory | "
				  "gpuaas-state adopt --reason TEXT -"));
	return 0;
}

/* ---- the speaker of a machine ---- */

/* A machine with slots of its own speaks for itself alone: its tenants may have changed what it
 * says. */
static int check_has_none(struct ga_adopting *a, const char *node, struct ga_err *err)
{
	int r = ga_streq(node, a->of->end.node) ? 0 :
		ga_db_one(a->db, err, "SELECT 1 FROM slot WHERE node_id = ?1 AND retired = 0", "s",
			  a->of->end.node);

	if (r <= 0)
		return r;
	return ga_refuse(err, GA_CONFLICT, "wrong_node", node,
			 ("node '%s' has slots of its own: it does not speak for node '%s'",
			  a->of->end.node, node),
			 ("take the inventory where baremetal.d is, on the machine that "
			  "deploys"));
}

static int fail_old(const char *node, const char *what, const char *when, const char *at,
		    struct ga_err *err)
{
	return ga_refuse(err, GA_CONFLICT, "not_deployed", node,
			 ("node '%s' %s at %s, and the inventory is from %s: it does not show the "
			  "tenant since then", node, what, when, at),
			 ("take the inventory again: gpuaas-reconcile --inventory --machine %s",
			  node));
}

/* A later discovery, end of an allocation or wipe of a slot shows that the operator has it back. */
static int check_newest(struct ga_adopting *a, const char *node, struct ga_err *err)
{
	ga_autofree char *seen = NULL, *ended = NULL, *wiped = NULL;
	const char *at = a->of->end.at;

	if (ga_db_one(a->db, err,
		      "SELECT (SELECT observed_at FROM node WHERE id = ?1), "
		      "(SELECT max(max(coalesce(c.use_ended_at, ''), coalesce(c.ended_at, ''), "
		      "iif(x.state = 'released', x.since, ''))) FROM allocation x JOIN claim c ON "
		      "c.allocation_id = x.id WHERE x.node_id = ?1), "
		      "(SELECT max(e.finished_at) FROM slot s JOIN wipe_evidence e ON "
		      "e.slot_id = s.id WHERE s.node_id = ?1)", "sSSS", node, &seen, &ended,
		      &wiped) < 0)
		return -1;
	if (ga_time_is_ahead(at))
		return ga_refuse(err, GA_CONFLICT, "not_deployed", node,
				 ("the inventory is from %s, and here it is %s: it does not show "
				  "the tenant of node '%s'", at, a->now, node),
				 ("set the clock of '%s', then take the inventory again",
				  a->of->end.node));
	if (seen && strcmp(seen, at) >= 0)
		return fail_old(node, "was discovered", seen, at, err);
	if (ended && strcmp(ended, at) > 0)
		return fail_old(node, "came back from its last tenant", ended, at, err);
	if (wiped && strcmp(wiped, at) > 0)
		return fail_old(node, "was wiped", wiped, at, err);
	return 0;
}

/* Anybody can sign an inventory with some key: who speaks for another machine has a key that the
 * state registered, or is the host that adopts. */
static int check_known(struct ga_adopting *a, const char *node, struct ga_err *err)
{
	const char *own = a->of->end.node;
	int r = ga_streq(node, own) || a->of->is_own ?
			1 :
			ga_db_one(a->db, err, "SELECT 1 FROM node_key WHERE node_id = ?1 AND "
				  "revoked_at IS NULL", "s", own);

	if (r)
		return r < 0 ? -1 : 0;
	return ga_refuse(err, GA_CONFLICT, "wrong_node", node,
			 ("the state has no key of '%s', which speaks for node '%s'", own, node),
			 ("adopt on the machine that deploys, or register its key first, there: "
			  "gpuaas-discover | gpuaas-approve --record-only"));
}

int ga_adopt_speaker(struct ga_adopting *a, const char *node, struct ga_err *err)
{
	return check_known(a, node, err) < 0 || check_has_none(a, node, err) < 0 ?
		       -1 :
		       check_newest(a, node, err);
}

/* ---- objects ---- */

int ga_adopt_may_change(struct ga_adopting *a, const struct ga_allocation_row *h,
			struct ga_err *err)
{
	if (h->node && ga_streq(h->node, a->of->end.node))
		return 0;
	if (!h->node || !ga_streq(h->shape, "baremetal"))
		return REFUSE_OBJECT(err, h->id,
				     "allocation '%s' is on %s, and the inventory is of '%s'",
				     h->id, h->node ? h->node : "no node", a->of->end.node);
	if (ga_adopt_speaker(a, h->node, err) < 0)
		return ga_wrap(err, "allocation '%s'", h->id);
	return ga_store_may_node(a->db, "administer", h->node, err);
}

int ga_adopt_may_wipe(const struct ga_adopting *a, const char *slot, struct ga_err *err)
{
	ga_autofree char *node = NULL;

	if (ga_db_get(a->db, err, "SELECT node_id FROM slot WHERE id = ?1", "sS", slot, &node) < 0)
		return -1;
	if (!node || ga_streq(node, a->of->end.node))
		return 0;
	return REFUSE_OBJECT(err, slot, "slot '%s' is of node '%s', and '%s' has no proof of its "
			     "wipe", slot, node, a->of->end.node);
}

/* The state does not note which machine deploys. But it made the attempt of each order, which only
 * the machine that got the order has in its inventory. */
static int check_deployed(struct ga_adopting *a, const struct ga_allocation_row *h,
			  struct ga_err *err)
{
	for (size_t i = 0; i < a->of->works.n; i++) {
		const struct ga_inventory_work *w = &a->of->works.v[i];
		int r;

		if (!w->attempt || !ga_streq(w->object, h->id))
			continue;
		r = ga_streq(w->attempt, h->attempt) ? 1 :
			ga_db_one(a->db, err, "SELECT 1 FROM task WHERE object = ?1 AND "
				  "attempt = ?2", "ss", h->id, w->attempt);
		if (r)
			return r < 0 ? -1 : 0;
	}
	return ga_refuse(err, GA_CONFLICT, "not_deployed", h->id,
			 ("the inventory of '%s' has no order that the state gave for allocation "
			  "'%s': that machine did not deploy node '%s'", a->of->end.node, h->id,
			  h->node),
			 ("take the inventory on the machine that did; if it is gone, release it "
			  "again from where baremetal.d is: gpuaas-release %s | gpuaas-release -",
			  h->id));
}

int ga_adopt_may_take_order(struct ga_adopting *a, const struct ga_allocation_row *h,
			    const struct ga_release_order *o, struct ga_err *err)
{
	ga_autotexts struct ga_texts slots = { 0 };
	bool same;

	if (ga_adopt_may_change(a, h, err) < 0 ||
	    (!ga_streq(h->node, a->of->end.node) && check_deployed(a, h, err) < 0))
		return -1;
	if (!ga_streq(o->allocation, h->id) || !ga_streq(o->node, h->node))
		return REFUSE_OBJECT(err, h->id,
				     "the release of allocation '%s' on '%s' has an order for '%s' "
				     "on '%s'", h->id, h->node, o->allocation, o->node);
	if (ga_store_claimed(a->db, h->id, NULL, &slots, err) < 0)
		return -1;
	same = o->bundles.n == slots.n && !ga_bundle_twice(o->bundles.v, o->bundles.n, h->id);
	for (size_t i = 0; same && i < o->bundles.n; i++)
		same = ga_texts_has(&slots, o->bundles.v[i].slot);
	if (same)
		return 0;
	return ga_refuse(err, GA_CONFLICT, "wrong_device", h->id,
			 ("the release order of allocation '%s' is not for the slots that it has "
			  "in the state", h->id),
			 ("'gpuaas-list claims --where allocation=%s' shows them; release it "
			  "again: gpuaas-release %s", h->id, h->id));
}

int ga_adopt_may_take(struct ga_adopting *a, const struct ga_inventory_work *w,
		      const struct ga_plan *plan, struct ga_err *err)
{
	if (ga_streq(plan->allocation, w->object) &&
	    (ga_streq(plan->shape, "baremetal") || ga_streq(plan->node, a->of->end.node)))
		return 0;
	return REFUSE_OBJECT(err, w->object,
			     "the plan of allocation '%s' is for '%s' on '%s', and the inventory "
			     "is of '%s'", w->object, plan->allocation, plan->node,
			     a->of->end.node);
}

/* The object and the node that the result names. */
static void read_result(const struct ga_schema *schema, const void *obj, const char **object,
			const char **node)
{
	if (schema == &ga_allocation_schema) {
		*object = ((const struct ga_allocation *)obj)->allocation;
		*node = ((const struct ga_allocation *)obj)->node;
	} else if (schema == &ga_released_schema) {
		*object = ((const struct ga_released *)obj)->allocation;
		*node = ((const struct ga_released *)obj)->node;
	} else if (schema == &ga_wipe_evidence_schema) {
		*object = ((const struct ga_wipe_evidence *)obj)->object;
		*node = ((const struct ga_wipe_evidence *)obj)->node;
	} else {
		*object = ((const struct ga_failure *)obj)->object;
		*node = ((const struct ga_failure *)obj)->node;
	}
}

int ga_adopt_may_fold(struct ga_adopting *a, const struct ga_inventory_work *w,
		      const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	ga_autoallocation struct ga_allocation_row h = { 0 };
	const char *object, *node, *own = a->of->end.node;
	bool wipe = schema == &ga_wipe_evidence_schema || ga_streq(w->program, "wipe");
	/* A failure names the machine that failed, which may be the one that deploys. */
	bool failed = schema == &ga_failure_schema;
	int r;

	read_result(schema, obj, &object, &node);
	if (wipe && ga_adopt_may_wipe(a, w->object, err) < 0)
		return -1;
	r = wipe ? 0 : ga_store_allocation_row(a->db, w->object, &h, err);
	if (r < 0 || (r > 0 && ga_adopt_may_change(a, &h, err) < 0))
		return -1;
	if (ga_streq(object, w->object) &&
	    (ga_streq(node, r ? h.node : own) || (failed && (!node || ga_streq(node, own)))))
		return 0;
	return REFUSE_OBJECT(err, w->object, "the result of '%s' is of '%s' on '%s'", w->object,
			     object ? object : "nobody", node ? node : "no node");
}
