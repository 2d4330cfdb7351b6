/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carries out a wipe order on this host: locks its slot, keeps the order in host.db, runs the wipe
 * and chains its evidence. When an order is run again, a confirmed wipe gives its evidence again
 * and touches nothing; every other wipe starts over.
 */
#ifndef GA_ACT_WIPE_JOB_H
#define GA_ACT_WIPE_JOB_H

#include "act/wipe/wipe.h"
#include "state/host/hostdb.h"

/* Whether this host may act on the order: the order is for this node, and an order of a dry run is
 * for dry runs only. GA_CONFLICT "wrong_node", "dry_run". */
GA_MUST_CHECK int ga_wipe_order_check(const struct ga_wipe_order *order, const char *node,
				      bool dry_run, struct ga_err *err);

/* A disk that a person named by hand. */
struct ga_wipe_hand {
	const char *device, *confirm; /* confirm may be NULL in a dry run */
	const char *class, *verify; /* NULL: purge, full */
	bool dry_run;
	bool lab; /* a file may be the disk */
};

/* Makes an order for that disk without a state: finds the disk and fills identity, path and policy
 * of ret, which is released with ga_schema_release. hand->confirm must be the disk's identity. kept
 * is a list of paths that ends with NULL: the disk must not be one of these files, nor lie in one
 * of these folders, under any name. GA_USAGE, GA_NOTFOUND, GA_CONFLICT "wrong_wwid",
 * "nvme_in_use". */
GA_MUST_CHECK int ga_wipe_alone(const struct ga_wipe_hand *hand, const char *const *kept,
				struct ga_wipe_order *ret, struct ga_err *err);

/* Reads what this host knows of the disk of o->order: its holder, since when it is wiped, what the
 * order's last run found and whether that run began to write. For runs that only look, or that have
 * no order of a state. Fills ret and makes o point into it, so ret must outlive o. Without a
 * host.db both stay unchanged. */
struct ga_wipe_memory {
	char *holder, *seen, *wiped;
};
void ga_cleanup_wipe_memory(struct ga_wipe_memory *m);
#define ga_automemory __attribute__((cleanup(ga_cleanup_wipe_memory)))
GA_MUST_CHECK int ga_wipe_remember(const char *dir, struct ga_wipe_opts *o,
				   struct ga_wipe_memory *ret, struct ga_err *err);

/* Carries out o->order; sets o->resume. 0: ret is the sealed and stored evidence of this run; 1: of
 * an earlier run. Release ret with ga_schema_release. GA_BUSY "held"; the error of o->refused. */
GA_MUST_CHECK int ga_wipe_job(struct ga_hostdb *h, struct ga_wipe_opts *o,
			      struct ga_wipe_evidence *ret, struct ga_err *err);

/* Adds the order to the pending ones before any work on it. An order of a controller that this host
 * does not serve is not added; that is no error here, because ga_wipe_job refuses it. */
GA_MUST_CHECK int ga_wipe_keep_order(const char *dir, const struct ga_wipe_order *order,
				     struct ga_err *err);

/* The orders that this host has begun and not confirmed, as a stream of records; returns how many.
 * The caller reads fd and closes it. unanswered: only orders that left no evidence. */
GA_MUST_CHECK int ga_wipe_pending_stream(const char *dir, bool unanswered, int *fd,
					 struct ga_err *err);

/* Adds the certificates of kept evidence to out; key as in ga_evidence_find. GA_NOTFOUND. */
GA_MUST_CHECK int ga_wipe_certificate_of(const char *dir, const char *key, struct ga_str *out,
					 struct ga_err *err);

#endif
