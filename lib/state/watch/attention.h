/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that need a person: since when, with owner and reason, and the command that helps. Slots
 * first, then allocations, then nodes, then what other rooms find (holds, drift, keys, …), each in
 * its own order.
 */
#ifndef GA_STATE_WATCH_ATTENTION_H
#define GA_STATE_WATCH_ATTENTION_H

#include "state/db/attend.h"
#include "state/db/row.h"

/* Gives a row for each object that needs a person. */
GA_MUST_CHECK int ga_store_list_attention(struct ga_db *db, const struct ga_attend_to *to,
					  struct ga_err *err);

#endif
