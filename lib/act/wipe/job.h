/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wipe order carried out on this host: held, kept in host.db, run, its evidence chained. Run
 * again after whatever ended it: a confirmed wipe gives its evidence again and touches nothing,
 * everything else starts over.
 */
#ifndef GA_ACT_WIPE_JOB_H
#define GA_ACT_WIPE_JOB_H

#include "act/wipe/wipe.h"
#include "state/host/hostdb.h"

/* Whether this host may act on the order: for this node, and not of a dry run, unless this is one
 * too. GA_CONFLICT. */
GA_MUST_CHECK int ga_wipe_order_check(const struct ga_wipe_order *order, const char *node,
				      bool dry_run, struct ga_err *err);

/* A disk that a person named by hand. */
struct ga_wipe_hand {
	const char *device, *confirm; /* confirm may be NULL in a dry run */
	const char *class, *verify;
	bool dry_run;
	bool lab; /* a file may be the disk */
};

/* An order of nobody for that disk: finds it and fills identity, path and policy. What hand
 * confirms must be its identity, and it must be none of the files of kept, nor lie in one of its
 * folders, by whatever name; kept is a list that ends with NULL. */
GA_MUST_CHECK int ga_wipe_alone(const struct ga_wipe_hand *hand, const char *const *kept,
				struct ga_wipe_order *ret, struct ga_err *err);

/* What this host remembers of the disk of o->order, for a run that only looks or that nobody
 * ordered: who has it, since when it is wiped, what the order's last run found, whether that began
 * to write. Fills ret, to which o points then; nothing where there is no host.db yet. */
struct ga_wipe_memory {
	char *holder, *seen, *wiped;
};
void ga_cleanup_wipe_memory(struct ga_wipe_memory *m);
#define ga_automemory __attribute__((cleanup(ga_cleanup_wipe_memory)))
GA_MUST_CHECK int ga_wipe_remember(const char *dir, struct ga_wipe_opts *o,
				   struct ga_wipe_memory *ret, struct ga_err *err);

/* o->resume is set here. ret is sealed and stored. 1 when the evidence is of an earlier run. */
GA_MUST_CHECK int ga_wipe_job(struct ga_hostdb *h, struct ga_wipe_opts *o,
			      struct ga_wipe_evidence *ret, struct ga_err *err);

/* Makes the order one of the pending ones, before anything is done for it; not that of a controller
 * that this host does not serve: ga_wipe_job refuses it. */
GA_MUST_CHECK int ga_wipe_keep_order(const char *dir, const struct ga_wipe_order *order,
				     struct ga_err *err);

/* The orders this host has taken up and not confirmed (unanswered: and that left no evidence), as
 * a stream of records to read from. */
GA_MUST_CHECK int ga_wipe_pending_stream(const char *dir, bool unanswered, int *fd,
					 struct ga_err *err);

/* The certificate of kept evidence, by evidence id, attempt, slot or wwid. GA_NOTFOUND. */
GA_MUST_CHECK int ga_wipe_certificate_of(const char *dir, const char *key, struct ga_str *out,
					 struct ga_err *err);

#endif
