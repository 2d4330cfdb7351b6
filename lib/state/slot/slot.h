/* SPDX-License-Identifier: Apache-2.0 */
/* Slots as records: read from the state with their taint, claim and last wipe. */
#ifndef GA_STATE_SLOT_SLOT_H
#define GA_STATE_SLOT_SLOT_H

#include "record/state.h"
#include "state/db/row.h"

/* Fills ret; release it with ga_schema_release. GA_NOTFOUND when there is none with this id. */
GA_MUST_CHECK int ga_store_slot(struct ga_db *db, const char *id, struct ga_slot *ret,
				struct ga_err *err);
/* id or node NULL: all. */
GA_MUST_CHECK int ga_query_slots(struct ga_db *db, const char *id, const char *node,
				 struct ga_rows **ret, struct ga_err *err);
/* Fills the bundle of a slot for an order. ret is overwritten. */
void ga_slot_bundle(const struct ga_slot *slot, struct ga_bundle *ret);

#endif
