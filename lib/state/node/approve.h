/* SPDX-License-Identifier: Apache-2.0 */
/* Approval of candidates, as operations on the state. Rules as in state/db/db.h. */
#ifndef GA_STATE_NODE_APPROVE_H
#define GA_STATE_NODE_APPROVE_H

#include "state/db/row.h"
#include "state/slot/facts.h"

struct ga_wipe_order;
struct ga_slot;

/* Makes or renews the slot of a candidate: complete and tainted → wiping with a wipe-order
 * (ret_order filled, has_order true); complete and clean → available; else disabled with its
 * blockers. */
GA_MUST_CHECK int ga_store_approve(struct ga_db *db, const struct ga_approval *a,
				   struct ga_slot *ret_slot, struct ga_wipe_order *ret_order,
				   bool *has_order, struct ga_err *err);
/* Permits the next wipe of the disk to destroy its data, with the permitting person and an audit
 * row. 1 permitted, 0 the disk is clean, or was permitted already. */
GA_MUST_CHECK int ga_store_allow_destruction(struct ga_db *db, const char *wwid, const char *node,
					     const char *by, const char *note, struct ga_err *err);

/* Sets the CPUs of a disabled slot ("0-3,8"; NULL: none); they replace the earlier ones. */
GA_MUST_CHECK int ga_store_slot_cpus(struct ga_db *db, const char *slot, const char *node,
				     const char *cpus, struct ga_err *err);
/* Moves a slot to wiping with a new attempt; cause is "first" or "repair". */
GA_MUST_CHECK int ga_store_order_wipe(struct ga_db *db, const char *slot, const char *cause,
				      struct ga_err *err);

#endif
