/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One wipe, from the order to its evidence: guard, markers, purge (the methods of
 * decide/wipe/plan.h, strongest first), markers gone, zero pass, read-back, identity again, GPU,
 * fabric function. Every run ends in a complete record; only an unbroken chain of proofs makes it
 * "confirmed".
 */
#ifndef GA_ACT_WIPE_WIPE_H
#define GA_ACT_WIPE_WIPE_H

#include "act/device/disk.h"
#include "act/device/guard.h"
#include "act/device/nvme.h"
#include "record/result.h"
#include "record/wipe.h"

/* Reports progress: state is started, running, finished or failed; bytes and total are 0 where no
 * bytes are counted. */
typedef void (*ga_wipe_phase_fn)(void *arg, const char *phase, const char *state, int64_t bytes,
				 int64_t total);

struct ga_wipe_opts {
	const struct ga_wipe_order *order; /* borrowed */
	bool alone;   /* a person named the disk: order has only disk, policy, and in lab
			 whether a file may be the disk */
	bool dry_run; /* look and plan, touch nothing */
	bool resume;  /* the order was begun before: a sanitize that runs may be ours */
	const struct ga_err *refused; /* why the order is no longer in force: only evidence that
					 it has already may go out; NULL: it is in force */
	const char *holder; /* as in act/device/guard.h */
	const char *seen;   /* as there, too */
	const char *wiped;  /* why no tenant's data is expected, as in act/device/guard.h; NULL */
	bool rewritten;	    /* it was carried out, and somebody wrote on the disk since */
	bool begun;   /* a wipe here has begun to write: markers and the remains of a purge
			 are ours */
	const char *node; /* of this host, or NULL */
	const char *tool;
	const char *scrub_hooks; /* directory, see act/device/gpuwipe.h */
	const char *libvirt_uri; /* or NULL */
	ga_wipe_phase_fn phase; /* or NULL; called with arg below */
	/* Right before the first byte is written, called with arg below, or NULL; when it fails,
	 * no byte is written. */
	int (*begins)(void *arg, struct ga_err *err);
	void *arg; /* of phase and begins: the caller's own */
	/* For tests: a disk, or a drive, that lies. */
	const struct ga_disk_ops *disk_ops;
	void *disk_arg;
	const struct ga_nvme_dev *drive;
};

/*
 * Carries the wipe out and fills the evidence, which need not be initialized; digest and
 * previous_digest are left to ga_evidence_add or ga_wipe_evidence_seal. Never fails: errors are in
 * the record. Release it with ga_schema_release(&ga_wipe_evidence_schema, …).
 */
void ga_wipe_run(const struct ga_wipe_opts *o, struct ga_wipe_evidence *e);

/* Whether the phase only looks and writes nothing: guard, settle, recheck. */
bool ga_wipe_phase_looks(const char *phase);

/* The plan of a dry run in words, a line each: methods with reasons, and how long it may take. */
void ga_wipe_plan_text(const struct ga_wipe_evidence *e, struct ga_str *out);
/* The evidence as a certificate for a tenant: no serial, address or host name in it. */
void ga_wipe_certificate(const struct ga_wipe_evidence *e, struct ga_str *out);

#endif
