/* SPDX-License-Identifier: Apache-2.0 */
/* Lasting drift, and wipes that could not prove everything, as rows for attention. */
#ifndef GA_STATE_NODE_DRIFT_H
#define GA_STATE_NODE_DRIFT_H

#include "state/db/attend.h"
#include "state/db/row.h"

struct ga_drift;
struct ga_observation;

/* Lasting drift: a row for each object and code of a node. */
GA_MUST_CHECK int ga_attend_drift(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);
/* Slots in use or for sale whose last wipe could not prove that GPU memory is clean: one row for
 * each node, because a tool of the host proves it. Not in a lab. */
GA_MUST_CHECK int ga_attend_unproven(struct ga_db *db, const struct ga_attend_to *to,
				     struct ga_err *err);
/* Keeps a drift of severity error or warning that was seen and not repaired; a repaired drift is
 * removed. A drift older than the last run of the node is not kept. */
GA_MUST_CHECK int ga_store_drift(struct ga_db *db, const struct ga_drift *d, struct ga_err *err);
/* Ends a run: drift that this run did not find again is removed. */
GA_MUST_CHECK int ga_store_drift_end(struct ga_db *db, const struct ga_observation *o,
				     struct ga_err *err);

#endif
