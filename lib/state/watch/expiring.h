/* SPDX-License-Identifier: Apache-2.0 */
/* What needs a person because time or room runs out. */
#ifndef GA_STATE_WATCH_EXPIRING_H
#define GA_STATE_WATCH_EXPIRING_H

#include "record/state.h"
#include "state/db/attend.h"
#include "state/db/row.h"

/* Run times that are over or nearly, drains past their deadline, maintenance that comes nearer than
 * a day or has begun while something is on the node. */
GA_MUST_CHECK int ga_attend_expiring(struct ga_db *db, const struct ga_attend_to *to,
				     struct ga_err *err);
/* File systems that are full: the state's own, and those of hosts, as last seen; a lab's hosts are
 * recordings. */
GA_MUST_CHECK int ga_attend_disks(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);
/* Active nodes with slots that nobody has looked at for to->stale_seconds: they are out of
 * placement. */
GA_MUST_CHECK int ga_attend_stale(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);

#endif
