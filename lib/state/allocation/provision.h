/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a running allocation and of a node's observation. For the rooms of lib/state
 * alone. */
#ifndef GA_STATE_ALLOCATION_PROVISION_H
#define GA_STATE_ALLOCATION_PROVISION_H

#include "state/db/row.h"

struct ga_allocation;
struct ga_observation;

/* Power, access and lease as the host reported them. 1 changed, 0 no change. */
GA_MUST_CHECK int ga_store_running(struct ga_db *db, const struct ga_allocation *a,
				   struct ga_err *err);
/* Power of an allocation in use on the node. 1 changed, 0 no change or no such allocation. */
GA_MUST_CHECK int ga_store_power(struct ga_db *db, const char *allocation, const char *node,
				 const char *power, struct ga_err *err);
/* The power that an operator wants for an allocation in use, and the observed power (NULL: not
 * observed). 1 changed. */
GA_MUST_CHECK int ga_store_power_wanted(struct ga_db *db, const char *allocation,
					const char *wanted, const char *observed,
					struct ga_err *err);
/* The reason why an active allocation needs a person, or NULL. 1 changed. */
GA_MUST_CHECK int ga_store_active_reason(struct ga_db *db, const char *allocation,
					 const char *reason, struct ga_err *err);
/* Boot id; and the epoch, when the node agreed with the state. 1 changed, 0 no change. */
GA_MUST_CHECK int ga_store_observed(struct ga_db *db, const struct ga_observation *o,
				    struct ga_err *err);
/* The detail of the object's last audit row of this action; NULL when there is none. */
GA_MUST_CHECK int ga_store_last_audit(struct ga_db *db, const char *object, const char *action,
				      char **ret, struct ga_err *err);
/* The detail of the object's last audit row if that row is of this action, else NULL. */
GA_MUST_CHECK int ga_store_last_word(struct ga_db *db, const char *object, const char *action,
				     char **ret, struct ga_err *err);
/* Whether the allocation entered its state after that time: 1, 0, -1. */
GA_MUST_CHECK int ga_store_entered_after(struct ga_db *db, const char *allocation, const char *at,
					 struct ga_err *err);

#endif
