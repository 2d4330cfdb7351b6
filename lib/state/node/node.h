/* SPDX-License-Identifier: Apache-2.0 */
/* Day two of nodes as operations on the state. Rules as in state/db/db.h; nodes are given by
 * their id. */
#ifndef GA_STATE_NODE_NODE_H
#define GA_STATE_NODE_NODE_H

#include "record/node.h"
#include "record/request.h"
#include "record/state.h"
#include "state/db/row.h"

/* What a move of a node is asked with. */
struct ga_node_move {
	const char *verb; /* drain, undrain, quarantine, retire */
	const char *reason; /* needed by all but undrain and a drain that goes on */
	const char *deadline; /* of a drain, or NULL */
	int64_t generation;   /* GA_UNKNOWN: not checked */
};
/* Moves a node over an edge of its machine, with its audit row; ret is the node then. 1 when
 * something changed, 0 when it was so already. GA_CONFLICT "wrong_state"; retire: "has_slots" and
 * "has_claims". */
GA_MUST_CHECK int ga_store_node_move(struct ga_db *db, const char *node,
				     const struct ga_node_move *move, struct ga_node *ret,
				     struct ga_err *err);

/* Calls each with a drain-blocker for every live claim's allocation, and for each slot whose
 * allocation has ended and whose wipe has not; the number of them. here: the node that this machine
 * is, or NULL; commands for another one go by gpuaas-on (decide/setup/remote.h). */
GA_MUST_CHECK int ga_store_drain_blockers(struct ga_db *db, const char *node, const char *here,
					  ga_store_each each, void *arg, struct ga_err *err);

/* Plans a window of maintenance; from and to are RFC 3339. GA_USAGE when it is over already. */
GA_MUST_CHECK int ga_store_maintenance_plan(struct ga_db *db, const char *node, const char *from,
					    const char *to, const char *reason,
					    struct ga_maintenance *ret, struct ga_err *err);
/* Ends one before its time; id may be a unique prefix. GA_CONFLICT when it no longer counts. */
GA_MUST_CHECK int ga_store_maintenance_end(struct ga_db *db, const char *id,
					   struct ga_maintenance *ret, struct ga_err *err);
/* Calls each with the windows of a node that still count. */
GA_MUST_CHECK int ga_store_maintenance_ahead(struct ga_db *db, const char *node, ga_store_each each,
					     void *arg, struct ga_err *err);

/* The request that an allocation which is to leave its node would be placed by elsewhere: as it
 * was asked, without a name, which the old one keeps until it is gone, and with an idempotency key
 * of its own. GA_CONFLICT "wrong_state" when it is not active or held, "not_here" when it is on
 * another node. */
GA_MUST_CHECK int ga_store_evacuation(struct ga_db *db, const char *node, const char *allocation,
				      struct ga_request *ret, struct ga_err *err);

GA_MUST_CHECK int ga_store_node(struct ga_db *db, const char *id, struct ga_node *ret,
				struct ga_err *err);
GA_MUST_CHECK int ga_store_node_lost(struct ga_db *db, const char *node, const char *reason,
				     struct ga_err *err);
GA_MUST_CHECK int ga_query_nodes(struct ga_db *db, const char *id, struct ga_rows **ret,
				 struct ga_err *err);

#endif
