/* SPDX-License-Identifier: Apache-2.0 */
/* Capacity by pool, region and type. */
#ifndef GA_STATE_CAPACITY_POOL_H
#define GA_STATE_CAPACITY_POOL_H

#include "state/db/row.h"

/* Rows made from many rows (state/capacity/pool.c, state/watch/attention.c). stale_seconds: nothing
 * fits on a node that was not observed for so long; 0: the age does not matter. */
GA_MUST_CHECK int ga_store_list_pools(struct ga_db *db, int64_t stale_seconds, ga_store_each each,
				      void *arg, struct ga_err *err);

#endif
