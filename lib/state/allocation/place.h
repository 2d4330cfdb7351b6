/* SPDX-License-Identifier: Apache-2.0 */
/* Placement as operations on the state. Rules as in state/db/db.h. */
#ifndef GA_STATE_ALLOCATION_PLACE_H
#define GA_STATE_ALLOCATION_PLACE_H

#include "decide/place/place.h"
#include "record/plan.h"
#include "record/state.h"
#include "state/db/json.h"
#include "state/db/row.h"

/* The whole of what decide/place/place.c decides on: every node with its slots, partitions and
 * images, by node id then index. ret is overwritten but for stale_micros; begin with { .version =
 * GA_FLEET_UNREAD }. refresh brings it up to date in a transaction, reading only the nodes that the
 * audit names since; seen tells it of the caller's own rows, whose changes it has by ga_fleet_take.
 * After a rollback set version to GA_FLEET_UNREAD. */
GA_MUST_CHECK int ga_store_fleet_load(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err);
/* The same of the nodes that slices hold, where they are few: a decision that beats_clean needs no
 * more. 1 with held_only set, 0 when they are many and nothing was read. */
GA_MUST_CHECK int ga_store_fleet_load_held(struct ga_db *db, struct ga_fleet *ret,
					   struct ga_err *err);
GA_MUST_CHECK int ga_store_fleet_refresh(struct ga_db *db, struct ga_fleet *fleet,
					 struct ga_err *err);
GA_MUST_CHECK int ga_store_fleet_seen(struct ga_db *db, struct ga_fleet *fleet, struct ga_err *err);
/* A fleet just loaded as it is once ga_store_expire_plans has run at fleet->now_micros: for those
 * who only read and say what a placement would find. Nothing is placed on it. */
GA_MUST_CHECK int ga_store_fleet_expire(struct ga_db *db, struct ga_fleet *fleet,
					struct ga_err *err);

/* For those who count what is free (decide/offer/offer.h), as it is once expired plans are freed:
 * nodes that are alike stand once, with how many they are, from what is counted as slots move.
 * Those with windows of maintenance or expired plans stand for themselves; where they are many
 * all nodes do. */
GA_MUST_CHECK int ga_store_fleet_load_grouped(struct ga_db *db, struct ga_fleet *ret,
					      struct ga_err *err);
/* Of the same the nodes of which something becomes free by itself, each for itself: those with
 * windows of maintenance, wipes and holds; where they are many all nodes. */
GA_MUST_CHECK int ga_store_fleet_load_ending(struct ga_db *db, struct ga_fleet *ret,
					     struct ga_err *err);

/* The plan that this request_id was answered with before: 1 with ret filled, 0 when it is new.
 * GA_CONFLICT "request_id_reused" when it was another request, "request_ended" when the
 * allocation is no longer alive. */
GA_MUST_CHECK int ga_store_placed_before(struct ga_db *db, const struct ga_request *request,
					 struct ga_plan *ret, struct ga_err *err);
/* How plans are made; the rest is what the last one was made of, used again while the stored text
 * is the same. All zero at first. */
struct ga_plan_maker {
	int64_t expires_seconds;
	char *network_text, *image_text, *controller;
	struct ga_network network;
	struct ga_image image;
};
void ga_plan_maker_release(struct ga_plan_maker *maker);
/* Slots of a decision that the predicate refuses (GA_GATE_PLACE), whatever their state says. */
struct ga_refused_slot {
	size_t slot; /* its place in the decision's slots */
	bool by_hint; /* no column of it stands against it: the hint says what to do */
	struct ga_reasons reasons;
};
struct ga_refused_slots {
	struct ga_refused_slot *v;
	size_t n;
};
void ga_refused_slots_release(struct ga_refused_slots *list);
/* Commits a decision: allocation, claims, slots reserved, plan stored, filled in and in *text its
 * line, allocated. The request has its defaults filled in; profile is the current version of its
 * name. 1; or 0 with nothing written where slots of it may not be sold, each of which is in
 * refused. GA_CONFLICT "concurrent_update" when a slot moved since the fleet was read. */
GA_MUST_CHECK int ga_store_place(struct ga_db *db, const struct ga_request *request,
				 const struct ga_profile *profile,
				 const struct ga_decision *decision, struct ga_plan_maker *maker,
				 struct ga_plan *ret, char **text,
				 struct ga_refused_slots *refused, struct ga_err *err);
/* Of the table allocation: its plan was not taken up until ?1, a time. After a restore the host may
 * have taken it up since the backup: it is asked first. What cannot be changed any more stays. */
#define GA_SQL_PLAN_EXPIRED \
	"allocation.state = 'placed' AND allocation.expires_at <= ?1 AND NOT EXISTS (SELECT 1 " \
	"FROM node n WHERE n.id = allocation.node_id AND (n.epoch_verified < " \
	"(SELECT epoch FROM meta WHERE epoch > 1) OR NOT " GA_SQL_CAN_CHANGE("n") ")) AND " \
	GA_SQL_CAN_CHANGE("allocation") " AND " \
	"NOT EXISTS (SELECT 1 FROM claim c JOIN slot s ON s.id = c.slot_id WHERE " \
	"c.allocation_id = allocation.id AND c.live = 1 AND NOT " GA_SQL_CAN_CHANGE("s") ") "
/* Frees every plan whose time is over; the number freed. */
GA_MUST_CHECK int ga_store_expire_plans(struct ga_db *db, struct ga_err *err);

#endif
