/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a placement, made from the rows of node, slots and image. Private to the store. */
#ifndef GA_STATE_ALLOCATION_PLAN_H
#define GA_STATE_ALLOCATION_PLAN_H

#include "state/allocation/place.h"

/* Fills what the rows say: node, bundles (in the decision's order; claims are the caller's), image,
 * sizes, wipe policy. ret was made by ga_schema_init. 1, or 0 when slots of the decision may not be
 * sold: each of these is in refused. */
GA_MUST_CHECK int ga_store_plan_fill(struct ga_db *db, const struct ga_request *request,
				     const struct ga_profile *profile,
				     const struct ga_decision *decision,
				     struct ga_plan_maker *maker, struct ga_plan *ret,
				     struct ga_refused_slots *refused, struct ga_err *err);
/* p becomes the stricter of two wipe policies, member by member: an order never asks for less than
 * the policy of a slot. */
void ga_store_tighten(struct ga_wipe_policy *p, const char *class, const char *verify,
		      const char *gpu_memory);
/* Sets the digest, last of all; the plan's line, allocated. */
char *ga_store_plan_seal(struct ga_plan *plan);

/* 0 what an image of that name is probed by counts in this state, else GA_CONFLICT (lab_probe):
 * that a guest runs proves nothing outside a lab. */
GA_MUST_CHECK int ga_store_probe_counts(struct ga_db *db, const char *name, const char *probe,
					struct ga_err *err);
GA_MUST_CHECK int ga_query_plans(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);

#endif
