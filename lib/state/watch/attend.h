/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What needs a person, in parts; ga_store_list_attention (state/query/query.h) is all of them. And
 * what reconcile found, kept until it is not found any more. Private to the store and the fold.
 */
#ifndef GA_STORE_ATTEND_H
#define GA_STORE_ATTEND_H

#include "record/result.h"
#include "state/store.h"

/* A record of gpuaas.attention to be. */
struct ga_attend {
	const char *object, *object_kind, *state, *code, *since, *node, *project;
	char *sentence, *command; /* owned; consumed by ga_attend_tell; command NULL: check */
	bool from_here; /* the command is for this machine, wherever the node is */
};
/* Where the rows go, and the node that this machine is (NULL: not known, or none): what people are
 * to type for another node goes by gpuaas-on (decide/setup/remote.h). */
struct ga_attend_to {
	ga_store_each each;
	void *arg;
	const char *here;
};
GA_MUST_CHECK int ga_attend_tell(const struct ga_attend *f, const struct ga_attend_to *to,
				 struct ga_err *err);

/* Drift that stays: each object and code of a node. */
GA_MUST_CHECK int ga_attend_drift(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);
/* Slots in use or for sale whose last wipe could not prove that GPU memory is clean: one a node,
 * because what proves it is a tool of the host. Not of a lab. */
GA_MUST_CHECK int ga_attend_unproven(struct ga_db *db, const struct ga_attend_to *to,
				     struct ga_err *err);
/* Run times that are over or nearly, drains past their deadline, maintenance that comes nearer than
 * a day or has begun while something is on the node. */
GA_MUST_CHECK int ga_attend_expiring(struct ga_db *db, const struct ga_attend_to *to,
				     struct ga_err *err);
/* Holds, and undos of one, that failed on their host, until the power is as wanted. */
GA_MUST_CHECK int ga_attend_holds(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);
/* Hooks of notices that fail (notice.h). */
GA_MUST_CHECK int ga_attend_hooks(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);
/* Nodes in whose name something came last that was refused (state/node/key.h): somebody may be
 * trying, or the host has another key than the state knows. */
GA_MUST_CHECK int ga_attend_refused(struct ga_db *db, const struct ga_attend_to *to,
				    struct ga_err *err);
/* Nodes, slots and allocations of which a column cannot be read (state/node/damaged.h), but for
 * those whose blockers cannot be: that is their first blocker. */
GA_MUST_CHECK int ga_attend_damaged(struct ga_db *db, const struct ga_attend_to *to,
				    struct ga_err *err);
/* Nodes without a key that counts (state/node/key.h). */
GA_MUST_CHECK int ga_attend_keys(struct ga_db *db, const struct ga_attend_to *to,
				 struct ga_err *err);
/* File systems that are full: the state's own, and those of hosts, as last seen; a lab's hosts are
 * recordings. */
GA_MUST_CHECK int ga_attend_disks(struct ga_db *db, const struct ga_attend_to *to,
				  struct ga_err *err);

/* Overrides that wait for a second person. */
GA_MUST_CHECK int ga_attend_proposals(struct ga_db *db, const struct ga_attend_to *to,
				      struct ga_err *err);

/* Active nodes with slots that nobody has looked at for so long (0: not told): they are out of
 * placement. */
GA_MUST_CHECK int ga_attend_stale(struct ga_db *db, int64_t seconds, const struct ga_attend_to *to,
				  struct ga_err *err);

/* Keeps a drift of severity error or warning that was seen and not repaired; one that was repaired
 * is forgotten. What is older than the last run of the node is not kept. */
GA_MUST_CHECK int ga_store_drift(struct ga_db *db, const struct ga_drift *d, struct ga_err *err);
/* An object ended: what was found of it before is over. */
GA_MUST_CHECK int ga_store_drift_forget(struct ga_db *db, const char *node, const char *object,
					struct ga_err *err);
/* A run is over: what it did not find again is no more. */
GA_MUST_CHECK int ga_store_drift_end(struct ga_db *db, const struct ga_observation *o,
				     struct ga_err *err);

#endif
