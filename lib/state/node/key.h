/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of nodes: registered by whoever approves what the node showed of itself, and asked for
 * every result that comes from elsewhere. Inside the caller's transaction, with audit rows.
 */
#ifndef GA_STATE_NODE_KEY_H
#define GA_STATE_NODE_KEY_H

#include "record/host.h"
#include "record/rec.h"
#include "state/db/attend.h"
#include "state/db/db.h"

/*
 * Registers the key of a discovery: 1 registered, 0 known already, or the discovery shows none (it
 * was made without root: what the state knows stands). Another key than the known one is
 * GA_CONFLICT "node_key_changed", unless accept_change revokes the known one; a revoked key, or one
 * of another node, is GA_DENIED "key_revoked" or "key_of_another".
 */
GA_MUST_CHECK int ga_store_key_learn(struct ga_db *db, const struct ga_host *host,
				     bool accept_change, struct ga_err *err);
/* The node's key counts no more: 1, or 0 when it has none that does. */
GA_MUST_CHECK int ga_store_key_revoke(struct ga_db *db, const char *node, const char *reason,
				      struct ga_err *err);
/* The key that counts, allocated, or NULL. */
GA_MUST_CHECK int ga_store_key_of(struct ga_db *db, const char *node, char **ret,
				  struct ga_err *err);

/*
 * Whether a result may be folded that did not arise here. It must have a signature that is right,
 * of a key that counts, and of the node that the record and its object belong to. GA_DENIED
 * "bad_signature", "unknown_key", "key_revoked", "wrong_node" or "unsigned". 1 when its key was
 * taken for the node's first.
 *
 * A node that never had a key gets the one that it answers an order with (trust on first use): the
 * record must carry the attempt of the order in force of its object, which only the state and that
 * node know. It is registered in the caller's transaction, so that a result that is not folded
 * registers nothing, and stands in the audit as "node_key_first_use".
 *
 * No signature is needed for what moves nothing: a failure of no attempt, which may come from
 * whoever missed the node (gpuaas-on), and the inventory of a host that has done no work.
 */
GA_MUST_CHECK int ga_store_key_check(struct ga_db *db, const struct ga_rec *rec,
				     struct ga_err *err);
/* The key of the host that this process works on, whose results are folded on the spot: registered
 * when the node never had one and the key is nobody's. 1 registered; 0 not; GA_KEY_DIFFERS: the
 * state has another one of the node, GA_KEY_REVOKED: it has had one, and none counts now; the audit
 * then says so. */
#define GA_KEY_DIFFERS 2
#define GA_KEY_REVOKED 3
/* From ga_store_key_learn: registered, and every key that the node had before was revoked. */
#define GA_KEY_AFTER_REVOKED 4
GA_MUST_CHECK int ga_store_key_here(struct ga_db *db, const char *node, const char *key,
				    struct ga_err *err);

/* Whether the error is a refusal of ga_store_key_check: that result is not taken, others may be. */
GA_MUST_CHECK bool ga_store_key_is_refusal(const struct ga_err *err);
/* The refusal into the audit, in a transaction of its own: somebody may be trying. The same record
 * refused for the same reason again stands there once. */
GA_MUST_CHECK int ga_store_key_note(struct ga_db *db, const struct ga_rec *rec,
				    const struct ga_err *refusal, struct ga_err *err);

/* Nodes in whose name something came last that was refused (state/node/key.h): somebody may be
 * trying, or the host has another key than the state knows. */
GA_MUST_CHECK int ga_attend_refused(struct ga_db *db, const struct ga_attend_to *to,
				    struct ga_err *err);
/* Nodes without a key that counts (state/node/key.h). */
GA_MUST_CHECK int ga_attend_keys(struct ga_db *db, const struct ga_attend_to *to,
				 struct ga_err *err);

#endif
