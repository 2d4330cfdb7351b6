/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of nodes. An approval of the node's discovery registers its key; every result that comes
 * from elsewhere must be signed with it. Inside the caller's transaction, with audit rows.
 */
#ifndef GA_STATE_NODE_KEY_H
#define GA_STATE_NODE_KEY_H

#include "record/host.h"
#include "record/rec.h"
#include "state/db/attend.h"
#include "state/db/db.h"

/*
 * Registers the key of a discovery: 1 registered; 0 known already, or the discovery shows none (it
 * ran without root: the registered key stays). Another key than the known one is GA_CONFLICT
 * "node_key_changed", unless accept_change revokes the known one; a revoked key, or one of another
 * node, is GA_DENIED "key_revoked" or "key_of_another". No key is registered while a baremetal
 * tenant has the machine (ga_store_no_tenant), nor of a baremetal machine that is not verified
 * since a restore: GA_KEY_WAITS, or GA_CONFLICT "unverified_since_restore" in place of a known key.
 */
GA_MUST_CHECK int ga_store_key_learn(struct ga_db *db, const struct ga_host *host,
				     bool accept_change, struct ga_err *err);
/* Revokes the node's valid key: 1, or 0 when it has none. */
GA_MUST_CHECK int ga_store_key_revoke(struct ga_db *db, const char *node, const char *reason,
				      struct ga_err *err);
/*
 * 0, or GA_CONFLICT "held_by_baremetal" when a baremetal tenant has the node, from the claim until
 * the release proves a trusted system: the tenant is root there, so no key, discovery or result of
 * that machine counts. what: the subject of the sentence ("the discovery").
 */
GA_MUST_CHECK int ga_store_no_tenant(struct ga_db *db, const char *node, const char *what,
				     struct ga_err *err);
/* The node's valid key, allocated, or NULL. */
GA_MUST_CHECK int ga_store_key_of(struct ga_db *db, const char *node, char **ret,
				  struct ga_err *err);

/*
 * Whether a result from elsewhere may be folded. It must have a right signature with a valid key of
 * the node that the record and its object belong to. GA_DENIED "bad_signature", "unknown_key",
 * "key_revoked", "wrong_node" or "unsigned". 1 when its key became the node's first key.
 *
 * A node that never had a key gets the key with which it first answers an order (trust on first
 * use): the record must carry the attempt of the order in force of its object, which only the state
 * and that node know. The key is registered in the caller's transaction, so that a result that is
 * not folded registers nothing. The audit has it as "node_key_first_use". While a baremetal
 * tenant has the node, nothing signed with its key counts: GA_DENIED "held_by_baremetal".
 *
 * A result that moves nothing needs no signature: a failure without an attempt, which may come from
 * a program that could not reach the node (gpuaas-on), and the inventory of a host that has done no
 * work.
 */
GA_MUST_CHECK int ga_store_key_check(struct ga_db *db, const struct ga_rec *rec,
				     struct ga_err *err);
/*
 * The key of the host that this process runs on, whose results are folded directly: registered when
 * the node never had a key and no node has this one. 1 registered; 0 not. GA_KEY_DIFFERS: the state
 * has another key for the node; GA_KEY_REVOKED: the node had a key and has no valid one now. The
 * audit has these two.
 */
#define GA_KEY_DIFFERS 2
#define GA_KEY_REVOKED 3
/* Result of ga_store_key_learn: registered, after all earlier keys of the node were revoked. */
#define GA_KEY_AFTER_REVOKED 4
/* Result of ga_store_key_learn: not registered, because the node is baremetal and not verified
 * since a restore. */
#define GA_KEY_WAITS 5
GA_MUST_CHECK int ga_store_key_here(struct ga_db *db, const char *node, const char *key,
				    struct ga_err *err);

/* Whether the error is a refusal of ga_store_key_check: this result is not taken, others may be. */
GA_MUST_CHECK bool ga_store_key_is_refusal(const struct ga_err *err);
/* Records the refusal in the audit, in a transaction of its own, because it may be an attack. The
 * same record refused for the same reason again is recorded once. */
GA_MUST_CHECK int ga_store_key_note(struct ga_db *db, const struct ga_rec *rec,
				    const struct ga_err *refusal, struct ga_err *err);

/* Nodes whose last result was refused (state/node/key.h): it may be an attack, or the host has
 * another key than the state knows. */
GA_MUST_CHECK int ga_attend_refused(struct ga_db *db, const struct ga_attend_to *to,
				    struct ga_err *err);
/* Nodes without a valid key (state/node/key.h), unless a baremetal tenant has them. */
GA_MUST_CHECK int ga_attend_keys(struct ga_db *db, const struct ga_attend_to *to,
				 struct ga_err *err);

#endif
