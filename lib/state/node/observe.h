/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A complete discovery into the state: the node, its memory and fabric partitions, its candidates
 * and devices. It makes no capacity: devices are born tainted, candidates are advisory.
 */
#ifndef GA_STATE_NODE_OBSERVE_H
#define GA_STATE_NODE_OBSERVE_H

#include "record/host.h"
#include "state/db/row.h"

/* Stores a complete discovery stream: node, its observation, candidates, devices (born tainted). */
GA_MUST_CHECK int ga_store_observe(struct ga_db *db, const struct ga_host *host,
				   const struct ga_candidates *candidates, struct ga_err *err);

/* Judges the host's blockers of the last discovery again, for the node's present mode; does nothing
 * when there is none. */
GA_MUST_CHECK int ga_store_judge_host(struct ga_db *db, const char *node, struct ga_err *err);

/* Rows of all candidates, by node and slot index: record and node id. The caller closes ret. */
GA_MUST_CHECK int ga_query_candidates(struct ga_db *db, struct ga_rows **ret, struct ga_err *err);

#endif
