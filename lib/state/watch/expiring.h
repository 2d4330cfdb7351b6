/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that need a person because time or disk space runs out. */
#ifndef GA_STATE_WATCH_EXPIRING_H
#define GA_STATE_WATCH_EXPIRING_H

#include "state/db/attend.h"
#include "state/db/row.h"

/* Run times that are over or nearly over; drains past their deadline; maintenance that begins
 * within a day or has begun while the node is in use. */
GA_MUST_CHECK int ga_attend_expiring(struct ga_db *db, const struct ga_attend_to *to,
				     struct ga_err *err);
/* Full file systems: the state's own, and those of hosts as last observed (not in a lab, whose
 * hosts are recordings). */
GA_MUST_CHECK int ga_attend_disks(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);
/* Active nodes with slots, not observed for to->stale_seconds: they take no placements. */
GA_MUST_CHECK int ga_attend_stale(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);

#endif
