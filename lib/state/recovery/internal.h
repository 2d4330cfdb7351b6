/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files adopt*.c. */
#ifndef GA_STATE_RECOVERY_INTERNAL_H
#define GA_STATE_RECOVERY_INTERNAL_H

#include "state/allocation/move.h"
#include "state/recovery/adopt.h"

struct ga_plan;
struct ga_release_order;
struct ga_schema;
struct ga_wipe_evidence;

struct ga_adopting {
	struct ga_db *db;
	const struct ga_inventory_of *of;
	struct ga_adoption *out;
	const char *now;
};

/* The work of a program on an object, or NULL. */
const struct ga_inventory_work *ga_adopt_work(const struct ga_adopting *a, const char *program,
					      const char *object);
/* The confirmed evidence that ended the slot's last wipe on this host: 1 with ret filled, 0, -1. */
GA_MUST_CHECK int ga_adopt_evidence(const struct ga_adopting *a, const char *slot,
				    struct ga_wipe_evidence *ret, struct ga_err *err);
/* Parses order or result of a work by a schema; GA_BADREC when it does not fit. */
GA_MUST_CHECK int ga_adopt_record(json_t *json, const struct ga_schema *schema, void *ret,
				  struct ga_err *err);
/* Folds the result of a work; does nothing when there is none. */
GA_MUST_CHECK int ga_adopt_fold(struct ga_adopting *a, const struct ga_inventory_work *w,
				struct ga_err *err);
/* Adds a finding with copies of the texts; object and hint may be NULL. */
void ga_adopt_finding(struct ga_adopting *a, const char *check, const char *object,
		      const char *sentence, const char *hint);
/* Moves the slot to wiping, for the order that the evidence answers. */
GA_MUST_CHECK int ga_adopt_order(struct ga_adopting *a, const char *slot,
				 const struct ga_wipe_evidence *e, struct ga_err *err);

/* adopt_whose.c: what an inventory may change; else GA_CONFLICT "wrong_node". */
/* The inventory is from after the last restore or rebuild of the state, and not older than the last
 * discovery of its node; GA_CONFLICT "old_inventory", or "observation_ahead" for one from the
 * future. */
GA_MUST_CHECK int ga_adopt_is_fresh(struct ga_adopting *a, struct ga_err *err);
/* Whether the machine of the inventory may say who has the node: the state has its key or it is the
 * host that adopts, it has no slots of its own, and nothing is known of the node that is newer.
 * GA_CONFLICT "wrong_node" or "not_deployed". */
GA_MUST_CHECK int ga_adopt_speaker(struct ga_adopting *a, const char *node, struct ga_err *err);
/* An allocation of its own node; or a baremetal one of a node that it speaks for, and that the user
 * may administer. */
GA_MUST_CHECK int ga_adopt_may_change(struct ga_adopting *a, const struct ga_allocation_row *h,
				      struct ga_err *err);
/* The wipe of a slot of its own node, or of a slot that the state does not know. */
GA_MUST_CHECK int ga_adopt_may_wipe(const struct ga_adopting *a, const char *slot,
				    struct ga_err *err);
/* The release order is of the allocation, and for the slots that it has; GA_CONFLICT
 * "wrong_device" when for others. An inventory of another machine than the node also has to show an
 * order that the state gave for the allocation: GA_CONFLICT "not_deployed". */
GA_MUST_CHECK int ga_adopt_may_take_order(struct ga_adopting *a, const struct ga_allocation_row *h,
					  const struct ga_release_order *o, struct ga_err *err);
/* The plan is of the work's allocation, and for slices of the inventory's node. */
GA_MUST_CHECK int ga_adopt_may_take(struct ga_adopting *a, const struct ga_inventory_work *w,
				    const struct ga_plan *plan, struct ga_err *err);
/* The result is of the work's object, and of the node that this is on. */
GA_MUST_CHECK int ga_adopt_may_fold(struct ga_adopting *a, const struct ga_inventory_work *w,
				    const struct ga_schema *schema, const void *obj,
				    struct ga_err *err);

/* adopt_take.c: makes an allocation that the state does not know from its plan. 0 made; 1 nothing
 * is to be made, which a finding says: a baremetal deployment that failed before it wrote. */
GA_MUST_CHECK int ga_adopt_take(struct ga_adopting *a, const struct ga_inventory_work *w,
				const struct ga_plan *plan, struct ga_err *err);
/* A live claim of an adopted allocation. */
struct ga_adopt_claim {
	const char *id; /* NULL: a new one */
	const char *allocation, *node, *holder, *at;
	const char *slot; /* NULL: the claim on the node */
};
GA_MUST_CHECK int ga_adopt_claim(struct ga_adopting *a, const struct ga_adopt_claim *c,
				 struct ga_err *err);
/* adopt_machine.c: whether the operator's executables say that the node is deployed for the
 * allocation (NULL: for a tenant that gpuaas does not know). 0 with their answer, borrowed from the
 * inventory; GA_CONFLICT "no_status", "not_deployed" or "wrong_node" when there is no proof. */
GA_MUST_CHECK int ga_adopt_tenant(struct ga_adopting *a, const char *node, const char *allocation,
				  json_t **answer, struct ga_err *err);
/* Verifies the slots and the node of each baremetal allocation that is active in the state and that
 * the executables confirm. */
GA_MUST_CHECK int ga_adopt_machines(struct ga_adopting *a, struct ga_err *err);
/* Makes the node of the inventory if the state lacks it: 1 made, 0 known, or a machine without GPUs
 * that only deploys others. GA_CONFLICT "no_host"
 * when the inventory has no host record. */
GA_MUST_CHECK int ga_adopt_node(struct ga_adopting *a, struct ga_err *err);
/* adopt_verify.c: verifies the slots of the node that are as in the state. */
GA_MUST_CHECK int ga_adopt_verify(struct ga_adopting *a, struct ga_err *err);

#endif
