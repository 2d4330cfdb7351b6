/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a placement, made from the rows of node, slots and image. Private to lib/state. */
#ifndef GA_STATE_ALLOCATION_PLAN_H
#define GA_STATE_ALLOCATION_PLAN_H

#include "state/allocation/place.h"

/* Fills the plan from the rows: node, bundles (in the decision's order; the caller adds the
 * claims), image, sizes, wipe policy. The caller made ret with ga_schema_init. 1, or 0 when slots
 * of the decision may not be sold: refused has each of these. */
GA_MUST_CHECK int ga_store_plan_fill(struct ga_db *db, const struct ga_request *request,
				     const struct ga_profile *profile,
				     const struct ga_decision *decision,
				     struct ga_plan_maker *maker, struct ga_plan *ret,
				     struct ga_refused_slots *refused, struct ga_err *err);
/* Makes p the stricter of two wipe policies, member by member, so that an order never requires less
 * than the policy of a slot. */
void ga_store_tighten(struct ga_wipe_policy *p, const char *class, const char *verify,
		      const char *gpu_memory);
/* Sets the digest, after all other members; returns the plan's line, allocated. */
char *ga_store_plan_seal(struct ga_plan *plan);

/* 0 when the probe of an image of that name counts in this state, else GA_CONFLICT (lab_probe):
 * outside a lab, a guest that only runs proves nothing. */
GA_MUST_CHECK int ga_store_probe_counts(struct ga_db *db, const char *name, const char *probe,
					struct ga_err *err);
GA_MUST_CHECK int ga_query_plans(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);

#endif
