/* SPDX-License-Identifier: Apache-2.0 */
/* One record into the state: declarative objects are applied, results of hosts are folded. */
#ifndef GA_STATE_FOLD_TAKE_H
#define GA_STATE_FOLD_TAKE_H

#include "record/rec.h"
#include "state/db/row.h"
#include "state/node/key.h"

/* The kinds that gpuaas-state reads, NULL-terminated: the kinds taken here, and inventories, which
 * are taken as a complete stream (state/recovery/adopt.h). */
extern const struct ga_schema *const ga_store_takes[];

/* Whether the state took a result but did not believe it: 1, 0, -1. At 1, why has the slot blocked
 * for that, the sentence, the cure, and the time from which it can succeed. Call it after ga_fold,
 * also when the result was folded before. 0 for a failure on the host: its record shows it. */
GA_MUST_CHECK int ga_fold_unbelieved(struct ga_db *db, const struct ga_schema *schema,
				     const void *obj, struct ga_err *why, struct ga_err *err);
/* In a transaction of its own: 1 when it changed something, 0 when nothing changed. In the open one
 * if there is one, which the caller then commits or rolls back. */
GA_MUST_CHECK int ga_store_take(struct ga_db *db, const struct ga_rec *rec, struct ga_err *err);
/* The same for a result. first: its key became the node's first key (ga_store_key_check). why: the
 * reason why the state did not believe it (ga_fold_unbelieved). */
GA_MUST_CHECK int ga_store_take_result(struct ga_db *db, const struct ga_rec *rec, bool *first,
				       struct ga_err *why, struct ga_err *err);

#endif
