/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on nodes after their setup. Rules as in state/db/db.h; nodes are given by their id. */
#ifndef GA_STATE_NODE_NODE_H
#define GA_STATE_NODE_NODE_H

#include "record/request.h"
#include "state/db/row.h"

struct ga_node;

/* An operator's move of a node. */
struct ga_node_move {
	const char *verb; /* drain, undrain, quarantine, retire */
	/* Required except for a drain that goes on, and for an undrain of a draining node whose
	 * reason names no disk that nothing wiped (GA_DISK_IN_NO_SLOT). Such a disk stays in the
	 * reason. */
	const char *reason;
	const char *deadline; /* deadline of a drain, or NULL */
	int64_t generation;   /* GA_UNKNOWN: not checked */
	char **ended; /* gets the reasons that an undrain ended, allocated; or NULL */
};
/* Moves a node over an edge of its state machine, with its audit row; ret is the node after that. A
 * drain of a quarantined node adds its reason, and the node stays quarantined. 1 when something
 * changed, 0 when nothing changed. GA_CONFLICT "wrong_state", also for an undrain of a quarantined
 * node without a reason, and for a reason that finds no room; retire: "has_slots" and "has_claims";
 * undrain without a reason: "tainted". */
GA_MUST_CHECK int ga_store_node_move(struct ga_db *db, const char *node,
				     const struct ga_node_move *move, struct ga_node *ret,
				     struct ga_err *err);

/* The disks in no slot that a reason of a node names: its end, from "disk WWID: …" on, or NULL. */
const char *ga_node_unwiped_disks(const char *reason);
/* The reasons of old with this one behind them, and the disks of old last: a drain does not end the
 * reason of a quarantine, nor that of another drain. Where together they are longer than
 * GA_PERSON_REASONS_MAX, the last ones of old go. Allocated. */
char *ga_node_reason(const char *old, const char *reason);

/*
 * Calls each with a drain-blocker for the allocation of every live claim, and for each slot
 * whose allocation has ended and whose wipe has not; returns their number. here: the node
 * that this machine is, or NULL; a command for another node goes through gpuaas-on
 * (decide/setup/remote.h).
 */
GA_MUST_CHECK int ga_store_drain_blockers(struct ga_db *db, const char *node, const char *here,
					  ga_store_each each, void *arg, struct ga_err *err);

/*
 * The request that places an allocation elsewhere when it has to leave its node. It is the original
 * request with a new idempotency key and without a name, because the old allocation keeps the name
 * until it ends. GA_CONFLICT "wrong_state" when it is not active or held, "not_here" when it is on
 * another node.
 */
GA_MUST_CHECK int ga_store_evacuation(struct ga_db *db, const char *node, const char *allocation,
				      struct ga_request *ret, struct ga_err *err);

/* Fills ret; release it with ga_schema_release. GA_NOTFOUND when there is none with this id. */
GA_MUST_CHECK int ga_store_node(struct ga_db *db, const char *id, struct ga_node *ret,
				struct ga_err *err);
/* Declares the node lost, with an audit row: its placed allocations become cancelled, the other
 * live ones release_failed, its slots in use cleanup_blocked ("host_lost"); an active or draining
 * node becomes quarantined. GA_NOTFOUND when there is no such node. */
GA_MUST_CHECK int ga_store_node_lost(struct ga_db *db, const char *node, const char *reason,
				     struct ga_err *err);
/* Rows for ga_row_read, by id; id NULL: all. The caller closes ret. */
GA_MUST_CHECK int ga_query_nodes(struct ga_db *db, const char *id, struct ga_rows **ret,
				 struct ga_err *err);

#endif
