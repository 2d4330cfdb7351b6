/* SPDX-License-Identifier: Apache-2.0 */
/* Drift that stays, and wipes that could not prove everything, as what needs a person. */
#ifndef GA_STATE_NODE_DRIFT_H
#define GA_STATE_NODE_DRIFT_H

#include "record/result.h"
#include "record/state.h"
#include "state/db/attend.h"
#include "state/db/row.h"

/* Drift that stays: each object and code of a node. */
GA_MUST_CHECK int ga_attend_drift(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);
/* Slots in use or for sale whose last wipe could not prove that GPU memory is clean: one a node,
 * because what proves it is a tool of the host. Not of a lab. */
GA_MUST_CHECK int ga_attend_unproven(struct ga_db *db, const struct ga_attend_to *to,
				     struct ga_err *err);
/* Keeps a drift of severity error or warning that was seen and not repaired; one that was repaired
 * is forgotten. What is older than the last run of the node is not kept. */
GA_MUST_CHECK int ga_store_drift(struct ga_db *db, const struct ga_drift *d, struct ga_err *err);
/* A run is over: what it did not find again is no more. */
GA_MUST_CHECK int ga_store_drift_end(struct ga_db *db, const struct ga_observation *o,
				     struct ga_err *err);

#endif
