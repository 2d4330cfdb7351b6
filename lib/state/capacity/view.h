/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerators of nodes from the state: discovered, and recorded by hand. */
#ifndef GA_STATE_CAPACITY_VIEW_H
#define GA_STATE_CAPACITY_VIEW_H

#include "exchange/kube/view.h"
#include "state/db/db.h"

/* Calls each with the view of every node of the state, in the order of ids: from its last discovery
 * (from its slots when it has none), with the types recorded by hand. each may take owned members
 * and leave zeroes in their place. */
GA_MUST_CHECK int ga_store_node_views(struct ga_db *db, const struct ga_accels *list,
				      int64_t now_micros, int (*each)(struct ga_node_view *view,
				      void *arg,
				      struct ga_err *err), void *arg, struct ga_err *err);

/* The type that people recorded for the GPUs of a discovered node whose ids leave the type open: 1
 * and *ret, a type of list; 0: none, not one type for all of them, or the discovery contradicts it;
 * -1. */
GA_MUST_CHECK int ga_store_manual_of(struct ga_db *db, const struct ga_accels *list,
				     const char *node, const struct ga_accel_type **ret,
				     struct ga_err *err);

/* Whether a slot that is not retired has the type: 1, 0 or -1. The slot's host may know types that
 * are not in the catalogue of this machine. */
GA_MUST_CHECK int ga_store_has_type(struct ga_db *db, const char *type, struct ga_err *err);
/* All types recorded by hand, by node and type. */
GA_MUST_CHECK int ga_store_manual_types(struct ga_db *db, struct ga_manual_types *ret,
					struct ga_err *err);
/* The id of the node with exactly this id, or else with this name; ret is allocated, NULL when
 * there is none. GA_USAGE: several nodes have the name. */
GA_MUST_CHECK int ga_store_node_called(struct ga_db *db, const char *text, char **ret,
				       struct ga_err *err);
#define GA_MANUAL_COUNT_MAX 1024 /* of one type on a node; the table has the same bound */
/*
 * Records types for a node. They replace the earlier ones, also those recorded under the node's
 * name before the state had the node; the state need not have the node. n 0 forgets them:
 * GA_NOTFOUND when there are none. types borrow their texts; by and at are filled in. GA_USAGE: a
 * type stands twice.
 */
GA_MUST_CHECK int ga_store_set_manual_types(struct ga_db *db, const char *node,
					    const struct ga_manual_type *types, size_t n,
					    const char *reason, struct ga_err *err);

#endif
