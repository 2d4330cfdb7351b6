/* SPDX-License-Identifier: Apache-2.0 */
/* The output of gpuaas-state about the state file itself. */
#ifndef GA_CLI_FRAME_TELL_STATE_H
#define GA_CLI_FRAME_TELL_STATE_H

#include "record/rec.h"
#include "state/db/db.h"

/* Emits a state record: the action, the file, and the state after it. */
GA_MUST_CHECK int ga_tell_state(struct ga_db *db, const char *action, const char *path,
				struct ga_err *err);
/* Applies a node-image record and emits the record that the state then has: this one, or the copy
 * that stays because a host verified it after the withdrawal; in that case also prints a note on
 * stderr. */
GA_MUST_CHECK int ga_tell_apply_node_image(struct ga_db *db, const struct ga_rec *rec,
					   struct ga_err *err);
/* Names on stderr the slots that are available although they have blockers. */
GA_MUST_CHECK int ga_tell_unsellable(struct ga_db *db, struct ga_err *err);
/* Notes on stderr that the key that signed the result is its node's key from now on. */
void ga_tell_first_key(const struct ga_rec *rec);
/* Warns on stderr if the SQLite in use has a known defect. */
void ga_tell_engine(void);
/* Warns on stderr of actions that every user may do because no grant limits them. */
void ga_tell_open(struct ga_db *db);
/* Emits every finding of the check; returns their number. */
GA_MUST_CHECK int ga_tell_check(struct ga_db *db, struct ga_err *err);
/* Emits the last row of the audit; GA_NOTFOUND when there is none. */
GA_MUST_CHECK int ga_tell_audit_head(struct ga_db *db, struct ga_err *err);
/* Checks the hash chain of the audit: emits a state record if it is intact (0), or a finding with
 * the first bad row (GA_NO). */
GA_MUST_CHECK int ga_tell_audit_verify(struct ga_db *db, struct ga_err *err);

/* Emits the expectation of a node, or (node NULL) of each node that is not retired. */
GA_MUST_CHECK int ga_tell_expect(struct ga_db *db, const char *node, struct ga_err *err);

#endif
