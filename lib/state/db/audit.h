/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit: a hash chain; each row is written in the transaction of the change that it describes.
 * hash = SHA-256 of the canonical (compact) JSON array [previous_hash, seq, at, actor, program,
 * action, object, detail]; the first previous_hash is sha256: and 64 zeros. A chain alone does not
 * show truncation. ga_audit_missing does: by the number of the newest row, kept in meta, and by
 * objects that the state has and no row names. gpuaas-state audit head prints the head, to be kept
 * elsewhere, and every gpuaas-state check logs the head to syslog.
 *
 * The function that adds a row also counts it (meta.audit_seq); no trigger does, because a
 * statement that writes two tables keeps a journal to undo them, at three times the cost of the
 * row.
 */
#ifndef GA_STATE_DB_AUDIT_H
#define GA_STATE_DB_AUDIT_H

#include <jansson.h>

#include "base/ga.h"
#include "record/digest.h"
#include "state/db/db.h"

/* The actor: "user(uid)" of the real uid; with SUDO_UID "user(uid) via sudo"; and the login uid
 * where it differs. Static memory. */
const char *ga_audit_actor(void);
/* Adds a row; detail is consumed (NULL: {}). It must not contain a secret. */
GA_MUST_CHECK int ga_audit_add(struct ga_db *db, const char *action, const char *object,
			       json_t *detail, struct ga_err *err);
/* The last row's number and hash; 0 and sha256: with 64 zeros when there is none. */
GA_MUST_CHECK int ga_audit_head(struct ga_db *db, int64_t *seq, char hash[GA_DIGEST_SIZE],
				struct ga_err *err);
/* Sets the program named in the rows (default: the name this program was started as). */
void ga_audit_program(const char *name);
/* Verifies the whole chain: 0 good, 1 with *bad_seq the first bad row and why filled, -1. */
GA_MUST_CHECK int ga_audit_verify(struct ga_db *db, int64_t *bad_seq, char why[128],
				  struct ga_err *err);
/* How many rows there are, and the times of the first and the last one: allocated, NULL when there is
 * none. */
GA_MUST_CHECK int ga_audit_span(struct ga_db *db, int64_t *rows, char **from, char **to,
				struct ga_err *err);
/* Calls each with the rows that were counted and are missing, and with the objects that the state
 * has and no row names: 0, -1. */
GA_MUST_CHECK int ga_audit_missing(struct ga_db *db,
				   int (*each)(const char *object, const char *sentence, void *arg,
					       struct ga_err *err),
				   void *arg, struct ga_err *err);

#endif
