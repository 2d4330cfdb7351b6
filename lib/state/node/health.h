/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The health of slots in the state (decide/slot/health.h decides). Only for the folders of
 * lib/state; each function runs inside the caller's write transaction.
 */
#ifndef GA_STATE_NODE_HEALTH_H
#define GA_STATE_NODE_HEALTH_H

#include "decide/slot/health.h"
#include "record/host.h"
#include "state/db/db.h"
#include "state/db/json.h"

/*
 * Writes the effect of a sign on the slot's health, with an audit row when the health changes. A
 * slot on sale that fails is disabled in the same update; a plan on it that no host took up is
 * cancelled first. In any other state the slot stays where it is: a slot in use stays with its
 * tenant. The cause of a slot's health is stored with it until the health changes. at is a host's
 * time; a time in the future is stored as the present. 1 the health changed, 0 not.
 */
GA_MUST_CHECK int ga_store_health(struct ga_db *db, const char *slot,
				  const struct ga_health_sign *sign, const char *at,
				  struct ga_err *err);

/* Signs from the fold: each function looks at the slots of the allocation's live claims. */
GA_MUST_CHECK int ga_store_health_ready(struct ga_db *db, const char *allocation, const char *at,
					struct ga_err *err);
GA_MUST_CHECK int ga_store_health_released(struct ga_db *db, const struct ga_released *r,
					   struct ga_err *err);
GA_MUST_CHECK int ga_store_health_not_ready(struct ga_db *db, const struct ga_failure *f,
					    struct ga_err *err);
/* health: the slot's health before, owned, replaced by the health after; NULL: not wanted. */
GA_MUST_CHECK int ga_store_health_wiped(struct ga_db *db, const struct ga_wipe_evidence *e,
					char **health, struct ga_err *err);
/* Judges the slots of the node by its stored candidates, from a discovery at that time.
 * Only when its hardware is the approved hardware: a discovery with fewer rights names
 * devices differently. */
GA_MUST_CHECK int ga_store_health_seen(struct ga_db *db, const char *node, const char *at,
				       struct ga_err *err);
/* When a discovery last saw the GPU of the slot (a row of that name) answer, and with a way to
 * reset it; NULL: none did. */
#define GA_SQL_SEEN_WELL(s) \
	"(SELECT k.observed_at FROM candidate k WHERE k.node_id = " s ".node_id AND " \
	"json_extract(" GA_SQL_OBJECT("k.record") ", '$.gpu.identity') = " s ".gpu_identity AND " \
	"json_extract(" GA_SQL_OBJECT("k.record") ", '$.gpu.answers') = 1 AND " \
	"json_extract(" GA_SQL_OBJECT("k.record") ", '$.gpu.can_reset') IS NOT 0)"
/* A failed device is not repaired before a discovery has seen it. GA_CONFLICT "not_seen_since" for
 * a slot whose failure needs such a look (ga_health_needs_look), until a discovery after the
 * failure sees its GPU well. */
GA_MUST_CHECK int ga_store_health_may_repair(struct ga_db *db, const char *slot,
					     struct ga_err *err);
/* A new slot inherits the failed health of the slot that had its GPU last, or had its disk: 1, else
 * 0. */
GA_MUST_CHECK int ga_store_health_inherit(struct ga_db *db, const char *slot,
					  const struct ga_candidate *c, struct ga_err *err);
/* Call it before the drift itself is stored: it compares the drift with that of the run before. */
GA_MUST_CHECK int ga_store_health_drift(struct ga_db *db, const struct ga_drift *d,
					struct ga_err *err);

#endif
