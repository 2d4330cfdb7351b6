/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The health of slots in the state (health.h decides). Private to the store_* files and the fold;
 * each runs inside the caller's write transaction.
 */
#ifndef GA_STORE_HEALTH_H
#define GA_STORE_HEALTH_H

#include "db.h"
#include "health.h"

/*
 * Writes what follows of the sign for the slot, with an audit row where its health changes. A slot
 * on sale that fails is disabled in the same update; a plan on it that nobody took up is cancelled
 * first. In any other state it stays where it is: what is in use stays with its tenant. What
 * gave a slot its health stands beside it until that changes. at is a host's time; one that is
 * still to come is stored as the present. 1 its health changed, 0 not.
 */
GA_MUST_CHECK int ga_store_health(struct ga_db *db, const char *slot,
				  const struct ga_health_sign *sign, const char *at,
				  struct ga_err *err);

/* What the fold hands in: each looks at the slots of the allocation's live claims. */
GA_MUST_CHECK int ga_store_health_ready(struct ga_db *db, const char *allocation, const char *at,
					struct ga_err *err);
GA_MUST_CHECK int ga_store_health_released(struct ga_db *db, const struct ga_released *r,
					   struct ga_err *err);
GA_MUST_CHECK int ga_store_health_not_ready(struct ga_db *db, const struct ga_failure *f,
					    struct ga_err *err);
/* health: the slot's before, owned, replaced by the one after; NULL: not asked. */
GA_MUST_CHECK int ga_store_health_wiped(struct ga_db *db, const struct ga_wipe_evidence *e,
					char **health, struct ga_err *err);
/* Before the drift itself is stored: it is compared with what the run before has found. */
GA_MUST_CHECK int ga_store_health_drift(struct ga_db *db, const struct ga_drift *d,
					struct ga_err *err);

#endif
