/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit: a hash chain, written in the transaction of the change it tells of.
 * hash = SHA-256 of the canonical (compact) JSON array [previous_hash, seq, at, actor, program,
 * action, object, detail]; the first previous_hash is sha256: and 64 zeros. A chain alone does not
 * detect truncation: ga_audit_missing does, by the number of the newest row, which a trigger keeps
 * in meta, and by what the state has and no row names. gpuaas-state audit head prints what to keep
 * elsewhere, and every gpuaas-state check logs the head to syslog.
 *
 * The function that adds a row also counts it (meta.audit_seq), not a trigger: a statement that
 * writes two tables keeps a journal to undo them, at three times the cost of the row.
 */
#ifndef GA_STATE_DB_AUDIT_H
#define GA_STATE_DB_AUDIT_H

#include <jansson.h>

#include "base/ga.h"
#include "record/digest.h"
#include "state/db/db.h"

/* Who acts: "user(uid)" of the real uid; with SUDO_UID "user(uid) via sudo"; login uid where it
 * differs. Static memory. */
const char *ga_audit_actor(void);
/* Adds a row; detail is consumed (NULL: {}). No secret may be in it. */
GA_MUST_CHECK int ga_audit_add(struct ga_db *db, const char *action, const char *object,
			       json_t *detail, struct ga_err *err);
/* The last row's number and hash; 0 and sha256: with 64 zeros when there is none. */
GA_MUST_CHECK int ga_audit_head(struct ga_db *db, int64_t *seq, char hash[GA_DIGEST_SIZE],
				struct ga_err *err);
/* The program named in the rows (default: the name this one was started as). */
void ga_audit_program(const char *name);
/* Verifies the whole chain: 0 good, 1 with *bad_seq the first bad row and why filled, -1. */
GA_MUST_CHECK int ga_audit_verify(struct ga_db *db, int64_t *bad_seq, char why[128],
				  struct ga_err *err);
/* Calls each with the rows that were counted and are not there, and with what the state has and no
 * row tells of: 0, -1. */
GA_MUST_CHECK int ga_audit_missing(struct ga_db *db,
				   int (*each)(const char *object, const char *sentence, void *arg,
					       struct ga_err *err),
				   void *arg, struct ga_err *err);

#endif
