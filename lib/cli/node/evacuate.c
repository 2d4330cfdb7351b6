/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evacuation moves an allocation from a node in draining to another node. It claims the new place
 * first, so that no failure in between loses the old place without a new one. If it runs again,
 * both steps find their earlier work.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/frame/cli.h"
#include "cli/node/node.h"
#include "cli/place/place.h"
#include "cli/release.h"
#include "look/host/host.h"
#include "record/plan.h"
#include "state/allocation/release.h"
#include "state/transaction/release.h"

/* Whether the text has the id of the node as a word. */
static bool names(const char *text, const char *node)
{
	static const char of_ids[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789.-_";
	size_t n = strlen(node);
	const char *at = text;

	for (; at && (at = strstr(at, node)); at++)
		if ((at == text || !strchr(of_ids, at[-1])) && (!at[n] || !strchr(of_ids, at[n])))
			return true;
	return false;
}

/* The node of the allocation drains, so it is never the way out of a refusal: where it is the
 * nearest one, no node is named. The refusal has the reason of each other node. */
static void point_elsewhere(struct ga_refusal *refusal, const char *node, const char *id)
{
	if (!names(refusal->sentence, node) && !names(refusal->hint, node))
		return;
	free(refusal->code);
	refusal->code = ga_xstrdup("no_capacity");
	free(refusal->sentence);
	refusal->sentence = ga_xstrdup("no other node has room for it");
	free(refusal->hint);
	refusal->hint = ga_xprintf("it moves when another node has room: gpuaas-list nodes and "
				   "gpuaas-list slots show them; gpuaas-show %s shows the owner, "
				   "who can end it", id);
}

/* Places the request of the allocation again, and emits the plan (1: it has a new place) or the
 * refusal (0). */
static int find_place(struct ga_placer *p, const char *node, const char *allocation,
		      struct ga_err *err)
{
	struct ga_placed *placed;
	struct ga_request request;
	int r;

	if (ga_db_begin_read(p->db, err) < 0)
		return -1;
	r = ga_store_evacuation(p->db, node, allocation, &request, err);
	ga_db_rollback(p->db);
	if (r < 0)
		return -1;
	r = ga_placer_run(p, &request, 1, err);
	ga_schema_release(&ga_request_schema, &request);
	if (r < 0)
		return ga_wrap(err, "a new place for '%s'", allocation);
	placed = &p->results.v[0];
	if (!placed->is_plan) {
		point_elsewhere(&placed->refusal, node, allocation);
		ga_say("allocation %s goes on running: it has no other place", allocation);
	}
	return ga_placer_emit(p, err) < 0 ? -1 : placed->is_plan;
}

int ga_node_evacuate(struct ga_db *db, const char *node, const char *allocation,
		     const char *reason, struct ga_err *err)
{
	/* admitted: the new place is for the owner, but ordered by an administrator of the node. */
	struct ga_placer p = { .db = db, .fleet = { .version = GA_FLEET_UNREAD },
			       .admitted = true,
			       .maker.expires_seconds = 3600 };
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	ga_autofree char *why = NULL;
	struct ga_release_outcome old = { 0 };
	int r = ga_cli_stale_after(&p.stale_seconds, err);

	if (r == 0)
		r = find_place(&p, node, allocation, err);
	/* If the plan of an earlier try expires just now, its request ends with it; the second call
	 * makes a new request. */
	if (r < 0 && ga_streq(err->reason, "request_ended")) {
		ga_err_clear(err);
		r = find_place(&p, node, allocation, err);
	}
	if (r > 0) {
		why = ga_xprintf("evacuated to '%s' as '%s': %s", p.results.v[0].plan.node,
				 p.results.v[0].plan.allocation, reason ? reason : "drain");
		r = ga_release_moved(db, allocation, ga_cli_program(), why, &old, err);
		if (r == 0 && old.has_order) {
			r = ga_emit(&ga_release_order_schema, &old.order, err);
			ga_release_say_next(&old.order, here);
		}
		ga_release_outcome_clear(&old);
	}
	ga_placer_release(&p);
	return r;
}
