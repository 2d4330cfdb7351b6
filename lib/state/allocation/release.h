/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Release: the intent of the state side. Billing ends here, not when the host is done. The order
 * carries the attempt of the release and of every wipe that follows, so that the host can finish
 * without the state.
 */
#ifndef GA_STATE_ALLOCATION_RELEASE_H
#define GA_STATE_ALLOCATION_RELEASE_H

#include "state/allocation/move.h"
#include "state/db/row.h"

struct ga_release_order;

/* Commits the intent: billing ends, the slots are releasing, and ret is a release-order with its
 * attempt ids. Without an order (has_order false): a placed plan that no host took up is cancelled;
 * an allocation whose claims have all ended is released, because it has nothing on a host. Another
 * call gives the same order. */
GA_MUST_CHECK int ga_store_release(struct ga_db *db, const char *allocation, const char *reason,
				   struct ga_release_order *ret, bool *has_order,
				   struct ga_err *err);
/* 1: the order is in force; 0: its allocation belongs to another state. GA_CONFLICT
 * "concurrent_update" when a newer order is in force, "wrong_state" when none is, "sold_once" when
 * the allocation does not hold its baremetal node: the order must not be carried out. */
GA_MUST_CHECK int ga_store_release_in_force(struct ga_db *db, const struct ga_release_order *order,
					    struct ga_err *err);
/* pending or placed → cancelled, its slots free again; with its audit row. */
GA_MUST_CHECK int ga_store_cancel(struct ga_db *db, struct ga_allocation_row *h, const char *reason,
				  const char *at, struct ga_err *err);

#endif
