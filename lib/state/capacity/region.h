/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that an operator declared, and their capacity. */
#ifndef GA_STATE_CAPACITY_REGION_H
#define GA_STATE_CAPACITY_REGION_H

#include "decide/place/place.h"
#include "record/state.h"
#include "state/db/row.h"

/* Declares the region, or with retired declares it no more; its counts are ignored. 1 changed, 0
 * it is so already, -1. GA_BADREC: it is not open and has no reason. */
GA_MUST_CHECK int ga_store_apply_region(struct ga_db *db, const struct ga_region *r,
					struct ga_err *err);
/* Each region that is declared, or that a node has which is not retired, with its counts; by
 * name. */
GA_MUST_CHECK int ga_store_list_regions(struct ga_db *db, ga_store_each each, void *arg,
					struct ga_err *err);
/* Replaces the fleet's regions by those declared. */
GA_MUST_CHECK int ga_store_fleet_regions(struct ga_db *db, struct ga_fleet *f, struct ga_err *err);

#endif
