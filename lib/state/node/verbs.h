/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of slots by an operator. Rules as in state/db/db.h. */
#ifndef GA_STATE_NODE_VERBS_H
#define GA_STATE_NODE_VERBS_H

#include "state/db/row.h"

struct ga_wipe_order;
struct ga_slot;

/*
 * Moves a slot. verb is "disable", "enable", "repair", "cordon", "uncordon", "quarantine" or
 * "retire"; all but enable and uncordon need a reason. generation GA_UNKNOWN: not checked. disposal
 * (retire only): how an unwiped disk was destroyed. "repair" takes cleanup_blocked and disabled to
 * wiping with a wipe-order; a disabled slot counts as used from then on. A disabled slot whose disk
 * may hold data of others goes through the gate of "enable". *ended, unless ended is NULL, gets the
 * reasons of people that the move ended, allocated, or NULL.
 */
GA_MUST_CHECK int ga_store_slot_move(struct ga_db *db, const char *id, const char *verb,
				     const char *reason, const char *disposal, int64_t generation,
				     struct ga_slot *ret_slot, struct ga_wipe_order *ret_order,
				     bool *has_order, char **ended, struct ga_err *err);
/* Whether ga_store_slot_move refuses the verb without a reason, whatever the slot. */
bool ga_store_slot_needs_reason(const char *verb);

#endif
