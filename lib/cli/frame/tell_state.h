/* SPDX-License-Identifier: Apache-2.0 */
/* What gpuaas-state prints of the state file itself. */
#ifndef GA_CLI_FRAME_TELL_STATE_H
#define GA_CLI_FRAME_TELL_STATE_H

#include "record/rec.h"
#include "state/db/db.h"

/* A state record: what was done to which file, and what the state is now. */
GA_MUST_CHECK int ga_tell_state(struct ga_db *db, const char *action, const char *path,
				struct ga_err *err);
/* Applies a node-image record and writes out what the state has then: the record, or the copy that
 * stays because a host verified it after the withdrawal; then a sentence on stderr says so. */
GA_MUST_CHECK int ga_tell_apply_node_image(struct ga_db *db, const struct ga_rec *rec,
					   struct ga_err *err);
/* Says on stderr which slots are available although the predicate refuses them. */
GA_MUST_CHECK int ga_tell_unsellable(struct ga_db *db, struct ga_err *err);
/* Says on stderr that the key that signed the result counts as its node's from now on. */
void ga_tell_first_key(const struct ga_rec *rec);
/* Says on stderr what is wrong with the SQLite in use, if anything is. */
void ga_tell_engine(void);
/* Says on stderr what everybody may do because nobody was granted it. */
void ga_tell_open(struct ga_db *db);
/* Every finding of the check; their number. */
GA_MUST_CHECK int ga_tell_check(struct ga_db *db, struct ga_err *err);
/* The last row of the audit; GA_NOTFOUND when there is none. */
GA_MUST_CHECK int ga_tell_audit_head(struct ga_db *db, struct ga_err *err);
/* A state record when the chain is whole (0); a finding with its first bad row (GA_NO). */
GA_MUST_CHECK int ga_tell_audit_verify(struct ga_db *db, struct ga_err *err);

/* What should be on a node, or (NULL) on each that is not retired: one expectation a node. */
GA_MUST_CHECK int ga_tell_expect(struct ga_db *db, const char *node, struct ga_err *err);

#endif
