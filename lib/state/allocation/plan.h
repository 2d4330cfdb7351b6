/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a placement, made from the rows of node, slots and image. Private to lib/state. */
#ifndef GA_STATE_ALLOCATION_PLAN_H
#define GA_STATE_ALLOCATION_PLAN_H

#include "decide/place/place.h"
#include "record/state.h"
#include "state/db/row.h"

struct ga_plan;

/* Inputs of plans, kept from one plan to the next: a parsed value is used again while the stored
 * text is the same. All zero at first. */
struct ga_plan_maker {
	int64_t expires_seconds;
	char *network_text, *image_text, *controller;
	struct ga_network network;
	struct ga_image image;
};
void ga_plan_maker_release(struct ga_plan_maker *maker);
/* Slots of a decision that the predicate refuses (GA_GATE_PLACE) although their state allows a
 * sale. */
struct ga_refused_slot {
	size_t slot; /* its position in the decision's slots */
	bool by_hint; /* no column of the slot is wrong: the hint shows the cure */
	struct ga_reasons reasons;
};
struct ga_refused_slots {
	struct ga_refused_slot *v;
	size_t n;
};
void ga_refused_slots_release(struct ga_refused_slots *list);

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
/* 0 when domains of the profile's type count in this state, else GA_CONFLICT (lab_domain):
 * libvirt's test driver runs no guest, and the host refuses such a plan outside a lab. */
GA_MUST_CHECK int ga_store_domain_counts(struct ga_db *db, const struct ga_profile *p,
					 struct ga_err *err);
/* Rows of the plans of placed and provisioning allocations, oldest first: plan and allocation id.
 * The caller closes ret. */
GA_MUST_CHECK int ga_query_plans(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);

#endif
