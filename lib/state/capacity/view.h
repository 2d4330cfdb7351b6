/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerators of nodes as the state has them: discovered, and recorded by hand. */
#ifndef GA_STATE_CAPACITY_VIEW_H
#define GA_STATE_CAPACITY_VIEW_H

#include "exchange/kube/view.h"
#include "state/db/db.h"

/* The view of each node of the state, in the order of their ids, from its last discovery (its slots
 * where it has none), with what was recorded by hand. Each goes to each(), which may take what it
 * owns and leave zeroes. */
GA_MUST_CHECK int ga_store_node_views(struct ga_db *db, const struct ga_accels *list,
				      int64_t now_micros, int (*each)(struct ga_node_view *view,
				      void *arg,
				      struct ga_err *err), void *arg, struct ga_err *err);

/* The type that people recorded for the GPUs of a discovered node whose ids leave it open: 1 and
 * *ret, of list; 0: none, not one for all of them, or what was discovered is against it; -1. */
GA_MUST_CHECK int ga_store_manual_of(struct ga_db *db, const struct ga_accels *list,
				     const char *node, const struct ga_accel_type **ret,
				     struct ga_err *err);

/* Whether a slot that is not retired is of the type: 1, 0 or -1. The host that it is of may know
 * types that this machine's catalogue does not. */
GA_MUST_CHECK int ga_store_has_type(struct ga_db *db, const char *type, struct ga_err *err);
/* All types recorded by hand, by node and type. */
GA_MUST_CHECK int ga_store_manual_types(struct ga_db *db, struct ga_manual_types *ret,
					struct ga_err *err);
/* The id of the node of the state that has exactly this id, or else this name; ret is allocated,
 * NULL where there is none. GA_USAGE: several have the name. */
GA_MUST_CHECK int ga_store_node_called(struct ga_db *db, const char *text, char **ret,
				       struct ga_err *err);
#define GA_MANUAL_COUNT_MAX 1024 /* of one type on a node, as the table has it */
/* Records types for a node in place of those before, also of those under its name from before it
 * was in the state; it may be one that the state does not have.
 * n 0 forgets them: GA_NOTFOUND when there are none. types borrow; by and at are filled in.
 * GA_USAGE: a type stands twice. */
GA_MUST_CHECK int ga_store_set_manual_types(struct ga_db *db, const char *node,
					    const struct ga_manual_type *types, size_t n,
					    const char *reason, struct ga_err *err);

#endif
