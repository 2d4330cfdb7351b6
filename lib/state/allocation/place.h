/* SPDX-License-Identifier: Apache-2.0 */
/* Placement as operations on the state. Rules as in state/db/db.h. */
#ifndef GA_STATE_ALLOCATION_PLACE_H
#define GA_STATE_ALLOCATION_PLACE_H

#include "decide/place/place.h"
#include "record/plan.h"
#include "record/state.h"
#include "state/db/json.h"
#include "state/db/row.h"

/*
 * Loads the whole fleet that decide/place/place.c decides on: every node with its slots, partitions
 * and images, ordered by node id, then index. ret is overwritten except for stale_micros; begin
 * with { .version = GA_FLEET_UNREAD }. refresh updates a fleet inside a transaction: it reads only
 * the nodes that the audit names since the last read. seen skips the caller's own rows, whose
 * changes the caller has already applied with ga_fleet_take. After a rollback set version to
 * GA_FLEET_UNREAD.
 */
GA_MUST_CHECK int ga_store_fleet_load(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err);
/* Loads only nodes that already run slices, if there are few of them. Enough when the decision
 * would not use an empty node anyway (beats_clean). 1 with held_only set, 0 when there are too many
 * and nothing was read. */
GA_MUST_CHECK int ga_store_fleet_load_held(struct ga_db *db, struct ga_fleet *ret,
					   struct ga_err *err);
GA_MUST_CHECK int ga_store_fleet_refresh(struct ga_db *db, struct ga_fleet *fleet,
					 struct ga_err *err);
GA_MUST_CHECK int ga_store_fleet_seen(struct ga_db *db, struct ga_fleet *fleet, struct ga_err *err);
/* Changes a fleet just loaded to its content after ga_store_expire_plans at fleet->now_micros. For
 * readers that only show the result of a placement: no placement is committed on this fleet. */
GA_MUST_CHECK int ga_store_fleet_expire(struct ga_db *db, struct ga_fleet *fleet,
					struct ga_err *err);

/*
 * Fleet for counting free GPUs only (decide/offer/offer.h). Identical nodes are merged into one
 * entry with a count, taken from the counters in node_capacity. Expired plans count as freed. Nodes
 * with maintenance windows or expired plans get an entry each; when there are many of them, all
 * nodes do.
 */
GA_MUST_CHECK int ga_store_fleet_load_grouped(struct ga_db *db, struct ga_fleet *ret,
					      struct ga_err *err);
/* The same, but only nodes where capacity becomes free by itself: nodes with maintenance windows,
 * wipes or holds, an entry each; when there are many of them, all nodes. */
GA_MUST_CHECK int ga_store_fleet_load_ending(struct ga_db *db, struct ga_fleet *ret,
					     struct ga_err *err);

/* The plan of an earlier request with the same request_id: 1 with ret filled, 0 when the request is
 * new. GA_CONFLICT "request_id_reused" when the earlier request was different, "request_ended" when
 * its allocation has ended. */
GA_MUST_CHECK int ga_store_placed_before(struct ga_db *db, const struct ga_request *request,
					 struct ga_plan *ret, struct ga_err *err);
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
/*
 * Commits a decision: stores the allocation, its claims and the plan, and reserves the slots. Fills
 * in ret, and *text with the plan's line, allocated. The request has its defaults filled in;
 * profile is the current version of its name. 1; or 0 with nothing written when slots may not be
 * sold: refused lists them all. GA_CONFLICT "concurrent_update" when a slot changed since the fleet
 * was read.
 */
GA_MUST_CHECK int ga_store_place(struct ga_db *db, const struct ga_request *request,
				 const struct ga_profile *profile,
				 const struct ga_decision *decision, struct ga_plan_maker *maker,
				 struct ga_plan *ret, char **text,
				 struct ga_refused_slots *refused, struct ga_err *err);
/* Condition on the table allocation: no host took the plan up before ?1, a time. After a restore
 * the host may have taken the plan up since the backup, so an unverified node keeps its plans. Rows
 * that cannot be changed any more are left out. */
#define GA_SQL_PLAN_EXPIRED \
	"allocation.state = 'placed' AND allocation.expires_at <= ?1 AND NOT EXISTS (SELECT 1 " \
	"FROM node n WHERE n.id = allocation.node_id AND (n.epoch_verified < " \
	"(SELECT epoch FROM meta WHERE epoch > 1) OR NOT " GA_SQL_CAN_CHANGE("n") ")) AND " \
	GA_SQL_CAN_CHANGE("allocation") " AND " \
	"NOT EXISTS (SELECT 1 FROM claim c JOIN slot s ON s.id = c.slot_id WHERE " \
	"c.allocation_id = allocation.id AND c.live = 1 AND NOT " GA_SQL_CAN_CHANGE("s") ") "
/* Frees every plan whose time is over; returns the number freed. */
GA_MUST_CHECK int ga_store_expire_plans(struct ga_db *db, struct ga_err *err);

#endif
