/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state as domain operations. Each changing operation runs inside the caller's transaction
 * (ga_db_begin … ga_db_commit), moves states only over edges (state/db/fsm.h), bumps generations,
 * and adds its audit row; the caller writes records after COMMIT. Reading operations may run in any
 * transaction. Approval is in state/node/approve.h, placement in state/allocation/place.h.
 *
 * A generation the caller saw and that moved is GA_CONFLICT "concurrent_update" with expected and
 * found. Unknown ids are GA_NOTFOUND, an ambiguous prefix GA_USAGE naming the matches.
 */
#ifndef GA_STORE_H
#define GA_STORE_H

#include "base/vec.h"
#include "record/state.h"
#include "state/db/db.h"

/* ---- finding ---- */

/* Resolves an id, a unique prefix of one, or a name; kind is "allocation", "slot", "node" or NULL
 * for any, also "team", "grant" and "proposal" (then *kind_found tells). ret is allocated. */
GA_MUST_CHECK int ga_store_resolve(struct ga_db *db, const char *kind, const char *text, char **ret,
				   const char **kind_found, struct ga_err *err);
GA_MUST_CHECK int ga_store_slot(struct ga_db *db, const char *id, struct ga_slot *ret,
				struct ga_err *err);
GA_MUST_CHECK int ga_store_node(struct ga_db *db, const char *id, struct ga_node *ret,
				struct ga_err *err);
GA_MUST_CHECK int ga_store_allocation(struct ga_db *db, const char *id, struct ga_allocation *ret,
				      struct ga_err *err);
/* Whether the profile is still the current version of its name: 1, 0, -1. */
GA_MUST_CHECK int ga_store_profile_is_current(struct ga_db *db, const struct ga_profile *profile,
					      struct ga_err *err);
GA_MUST_CHECK int ga_store_profile(struct ga_db *db, const char *name, struct ga_profile *ret,
				   struct ga_err *err);

/* 0 the state has the image, else GA_NOTFOUND (no_image). */
GA_MUST_CHECK int ga_store_image_known(struct ga_db *db, const char *name, struct ga_err *err);

/* ---- declarative objects (gpuaas-state apply) ---- */

/* Idempotent: 1 when something changed, 0 when it was so already. */
GA_MUST_CHECK int ga_store_apply_profile(struct ga_db *db, const struct ga_profile *p,
					 struct ga_err *err);
GA_MUST_CHECK int ga_store_apply_image(struct ga_db *db, const struct ga_image *i,
				       struct ga_err *err);
/* 0 what an image of that name is probed by counts in this state, else GA_CONFLICT (lab_probe):
 * that a guest runs proves nothing outside a lab. */
GA_MUST_CHECK int ga_store_probe_counts(struct ga_db *db, const char *name, const char *probe,
					struct ga_err *err);
/* A withdrawal takes the copy of its digest away, unless that was verified since. */
GA_MUST_CHECK int ga_store_apply_node_image(struct ga_db *db, const struct ga_node_image *i,
					    struct ga_err *err);
/* The verified copy of an image on a node; 1 found, 0 none. Release it. */
GA_MUST_CHECK int ga_store_node_image(struct ga_db *db, const char *node, const char *image,
				      struct ga_node_image *ret, struct ga_err *err);
GA_MUST_CHECK int ga_store_apply_node_settings(struct ga_db *db, const struct ga_node_settings *s,
					       struct ga_err *err);

/* ---- release and wipe ---- */

/* Release intent: billing ends, slots releasing, a release-order with attempt ids. A placed plan
 * nobody took up is cancelled instead (has_order false). Called again: the same order. */
GA_MUST_CHECK int ga_store_release(struct ga_db *db, const char *allocation, const char *reason,
				   struct ga_release_order *ret, bool *has_order,
				   struct ga_err *err);
/* The wipe-order in force of a slot in wiping; GA_CONFLICT in another state. */
GA_MUST_CHECK int ga_store_wipe_order(struct ga_db *db, const char *slot, struct ga_wipe_order *ret,
				      struct ga_err *err);

/* ---- who orders ---- */

#define GA_CONTROLLER_SIZE 17 /* 16 hexadecimal digits and the end */
/* Which state this is, as its orders say it: the first digits of the hash of the audit row that its
 * epoch began with. A state that was restored or rebuilt is another one than the state it was. */
GA_MUST_CHECK int ga_store_controller(struct ga_db *db, char ret[GA_CONTROLLER_SIZE],
				      struct ga_err *err);

/* ---- reconcile ---- */

GA_MUST_CHECK int ga_store_expectation(struct ga_db *db, const char *node,
				       struct ga_expectation *ret, struct ga_err *err);
GA_MUST_CHECK int ga_store_node_lost(struct ga_db *db, const char *node, const char *reason,
				     struct ga_err *err);

/* ---- the fold ---- */

/* Commits one result: progress, allocation, released, wipe-evidence, observation, drift, failure,
 * power, console, ingress.
 * 1 when it changed something, 0 when it was folded before. A result of an attempt or generation
 * that is not the one in force is GA_CONFLICT "concurrent_update"; a dry_run one GA_CONFLICT
 * "dry_run"; another lab-ness GA_CONFLICT "lab". */
GA_MUST_CHECK int ga_fold(struct ga_db *db, const struct ga_shape *shape, const void *obj,
			  struct ga_err *err);

/* Whether the state took a result and did not believe it: 1, and why has the slot that is blocked
 * for it, the sentence and what to do, and from when; 0; -1. After ga_fold, also of a result that
 * was folded before. What failed on the host says so itself: 0. */
GA_MUST_CHECK int ga_fold_unbelieved(struct ga_db *db, const struct ga_shape *shape,
				     const void *obj, struct ga_err *why, struct ga_err *err);

/* Whether this very result was folded before: 1, 0, -1. */
GA_MUST_CHECK int ga_fold_is_known(struct ga_db *db, const struct ga_shape *shape, const void *obj,
				   struct ga_err *err);

/* ---- listing ---- */

struct ga_list_query {
	const char *kind; /* node, slot, candidate, profile, image, node-image, allocation, plan,
			     claim, task, usage, evidence, audit, team, grant,
			     access-settings, proposal,
			     pool, attention; or the plural */
	const char *const *where; /* "member=value", NULL-terminated, or NULL */
	const char *since;	  /* RFC 3339: rows not older */
	const char *after;	  /* id or seq: rows behind it */
	int64_t limit;		  /* 0: all */
	int64_t stale_seconds;	  /* attention, pools: nodes not seen for so long; 0: not told */
	/* Of records that are stored as they are: one that cannot be read is left out and told
	 * here, with whose it is; NULL: the list fails. */
	void (*unreadable)(const char *kind, const char *object, const struct ga_err *why);
	const char *here; /* attention: the node that this machine is; NULL: none, or not known */
};
typedef int (*ga_store_each)(const struct ga_shape *shape, const void *obj, void *arg,
			     struct ga_err *err);
/* Calls each with every record in deterministic order (node, then slot index; else time, id).
 * GA_USAGE: no such kind or member; GA_NOTFOUND: nothing has the id of after. */
GA_MUST_CHECK int ga_store_list(struct ga_db *db, const struct ga_list_query *q, ga_store_each each,
				void *arg, struct ga_err *err);
/* Where the audit ends, and the epoch it is of. */
struct ga_events_end {
	int64_t seq, epoch;
};
GA_MUST_CHECK int ga_store_events_end(struct ga_db *db, struct ga_events_end *ret,
				      struct ga_err *err);
/* Everything of one object (kind and id as ga_store_resolve found them): itself; of a node its
 * slots, of slot and allocation claims, timeline, evidence, usage and proposals; then its audit
 * rows. */
GA_MUST_CHECK int ga_store_show(struct ga_db *db, const char *kind, const char *id,
				ga_store_each each, void *arg, struct ga_err *err);

#endif
