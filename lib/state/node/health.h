/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The health of slots in the state (decide/slot/health.h decides). For the rooms of lib/state
 * alone; each runs inside the caller's write transaction.
 */
#ifndef GA_STATE_NODE_HEALTH_H
#define GA_STATE_NODE_HEALTH_H

#include "decide/slot/health.h"
#include "record/host.h"
#include "state/db/db.h"
#include "state/db/json.h"

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
/* Judges the slots of the node by its stored candidates, of a discovery at that time. Only where
 * its hardware is what was approved: who may see less names devices otherwise. */
GA_MUST_CHECK int ga_store_health_seen(struct ga_db *db, const char *node, const char *at,
				       struct ga_err *err);
/* When a discovery last saw the GPU of the slot, a row of that name, answer, and found nothing
 * against its reset; NULL: none did. */
#define GA_SQL_SEEN_WELL(s) \
	"(SELECT k.observed_at FROM candidate k WHERE k.node_id = " s ".node_id AND " \
	"json_extract(" GA_SQL_OBJECT("k.record") ", '$.gpu.identity') = " s ".gpu_identity AND " \
	"json_extract(" GA_SQL_OBJECT("k.record") ", '$.gpu.answers') = 1 AND " \
	"json_extract(" GA_SQL_OBJECT("k.record") ", '$.gpu.can_reset') IS NOT 0)"
/* What failed may not be called repaired before the host was seen with it: GA_CONFLICT
 * "not_seen_since" for a slot whose failure a look has to answer (ga_health_needs_look), until a
 * discovery after that sees its GPU well. */
GA_MUST_CHECK int ga_store_health_may_repair(struct ga_db *db, const char *slot,
					     struct ga_err *err);
/* A new slot is failed as the one was that had its GPU last, or the one that had its disk: 1, else
 * 0. */
GA_MUST_CHECK int ga_store_health_inherit(struct ga_db *db, const char *slot,
					  const struct ga_candidate *c, struct ga_err *err);
/* Before the drift itself is stored: it is compared with what the run before has found. */
GA_MUST_CHECK int ga_store_health_drift(struct ga_db *db, const struct ga_drift *d,
					struct ga_err *err);

#endif
