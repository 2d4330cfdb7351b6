/* SPDX-License-Identifier: Apache-2.0 */
/* Placement as operations on the state. Rules as in state/db/db.h. */
#ifndef GA_STATE_ALLOCATION_PLACE_H
#define GA_STATE_ALLOCATION_PLACE_H

#include "state/allocation/plan.h"
#include "state/db/json.h"
#include "state/db/row.h"

/* The plan of an earlier request with the same request_id: 1 with ret filled, which the caller
 * releases (ga_schema_release); 0 when the request is new. GA_CONFLICT "request_id_reused" when the
 * earlier request was different, "request_ended" when its allocation has ended. */
GA_MUST_CHECK int ga_store_placed_before(struct ga_db *db, const struct ga_request *request,
					 struct ga_plan *ret, struct ga_err *err);
/*
 * Commits a decision: stores the allocation, its claims and the plan, and reserves the slots. Fills
 * in ret, and *text with the plan's line, allocated. The request has its defaults filled in;
 * profile is the current version of its name. 1; or 0 with nothing written when slots may not be
 * sold: refused lists them all. GA_CONFLICT when the fleet changed since it was read:
 * "concurrent_update" by a slot; "sold_once" or "no_claim" by a trigger, at a claim that others
 * have. The caller reads again.
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
