/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of nodes: registered by whoever approves what the node showed of itself, and asked for
 * every result that comes from elsewhere. Inside the caller's transaction, with audit rows.
 */
#ifndef GA_STORE_KEY_H
#define GA_STORE_KEY_H

#include "db.h"
#include "kind_host.h"
#include "rec.h"

/*
 * Registers the key of a discovery: 1 registered, 0 known already, or the discovery shows none (it
 * was made without root: what the state knows stands). Another key than the known one is
 * GA_CONFLICT "node_key_changed", unless accept_change revokes the known one; a revoked key, or one
 * of another node, is GA_DENIED "key_revoked" or "key_of_another".
 */
int ga_store_key_learn(struct ga_db *db, const struct ga_host *host, bool accept_change,
		       struct ga_err *err);
/* The node's key counts no more: 1, or 0 when it has none that does. */
int ga_store_key_revoke(struct ga_db *db, const char *node, const char *reason, struct ga_err *err);
/* The key that counts, allocated, or NULL. */
int ga_store_key_of(struct ga_db *db, const char *node, char **ret, struct ga_err *err);

/*
 * Whether a result may be folded that did not arise here. A signature must be right, of a key that
 * counts, and of the node that the record and its object belong to; without one, none of the nodes
 * concerned may ever have had a key. GA_DENIED "bad_signature", "unknown_key", "key_revoked",
 * "wrong_node" or "unsigned". A failure of no attempt moves nothing, and may come from whoever
 * missed the node (gpuaas-on): it needs no signature.
 */
int ga_store_key_check(struct ga_db *db, const struct ga_rec *rec, struct ga_err *err);

/* Whether the error is a refusal of ga_store_key_check: that result is not taken, others may be. */
bool ga_store_key_is_refusal(const struct ga_err *err);
/* The refusal into the audit, in a transaction of its own: somebody may be trying. The same record
 * refused for the same reason again stands there once. */
int ga_store_key_note(struct ga_db *db, const struct ga_rec *rec, const struct ga_err *refusal,
		      struct ga_err *err);

#endif
