/* SPDX-License-Identifier: Apache-2.0 */
/* Placement as operations on the state. Rules as in store.h. */
#ifndef GA_STORE_PLACE_H
#define GA_STORE_PLACE_H

#include "place.h"
#include "store.h"

/* The whole of what place.c decides on: every node with its slots, partitions and images, by node
 * id then index. Kept in memory by a streaming placer and brought up to date by
 * ga_store_fleet_refresh (which reads only what changed: PRAGMA data_version and generations). */
int ga_store_fleet_load(struct ga_db *db, struct ga_fleet *ret, struct ga_err *err);
int ga_store_fleet_refresh(struct ga_db *db, struct ga_fleet *fleet, struct ga_err *err);
/* Commits a decision: allocation, claims, slots reserved, plan stored. The same request_id with the
 * same request gives the stored plan again (returns 0; 1 when new). */
int ga_store_place(struct ga_db *db, const struct ga_request *request,
		   const struct ga_profile *profile, const struct ga_decision *decision,
		   int64_t expires_seconds, struct ga_plan *ret, struct ga_err *err);
/* Frees every plan whose time is over; the number freed. */
int ga_store_expire_plans(struct ga_db *db, struct ga_err *err);

#endif
