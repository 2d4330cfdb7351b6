/* SPDX-License-Identifier: Apache-2.0 */
/* What gpuaas-state prints of the state file itself. */
#ifndef GA_TELL_STATE_H
#define GA_TELL_STATE_H

#include "db.h"

/* A state record: what was done to which file, and what the state is now. */
int ga_tell_state(struct ga_db *db, const char *action, const char *path, struct ga_err *err);
/* Says on stderr what is wrong with the SQLite in use, if anything is. */
void ga_tell_engine(void);
/* Says on stderr what everybody may do because nobody was granted it. */
void ga_tell_open(struct ga_db *db);
/* Every finding of the check; their number. */
int ga_tell_check(struct ga_db *db, struct ga_err *err);
/* The last row of the audit; GA_NOTFOUND when there is none. */
int ga_tell_audit_head(struct ga_db *db, struct ga_err *err);
/* A state record when the chain is whole (0); a finding with its first bad row (GA_NO). */
int ga_tell_audit_verify(struct ga_db *db, struct ga_err *err);

/* What should be on a node, or (NULL) on each that is not retired: one expectation a node. */
int ga_tell_expect(struct ga_db *db, const char *node, struct ga_err *err);

#endif
