/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One wipe, from the order to its evidence: guard, markers, purge by the ladder, markers gone, zero
 * pass, read-back, identity again, GPU, fabric function. Every way out of it ends in a whole
 * record; only a whole chain of proofs says "confirmed" (decide/wipe/plan.h).
 */
#ifndef GA_ACT_WIPE_WIPE_H
#define GA_ACT_WIPE_WIPE_H

#include "act/device/disk.h"
#include "act/device/guard.h"
#include "act/device/nvme.h"
#include "record/result.h"
#include "record/wipe.h"

/* Tells what goes on: state is started, running, finished or failed; bytes are 0 where none count.
 */
typedef void (*ga_wipe_phase_fn)(void *arg, const char *phase, const char *state, int64_t bytes,
				 int64_t total);

struct ga_wipe_opts {
	const struct ga_wipe_order *order; /* borrowed */
	bool alone;   /* no order of a state: order holds only disk, policy and whether (lab) a
			 file may be the disk */
	bool dry_run; /* look and plan, touch nothing */
	bool resume;  /* the order was begun before: a sanitize that runs may be ours */
	const struct ga_err *refused; /* why the order is no longer in force: only what it is
					 answered with already may go out; NULL */
	const char *holder; /* as in act/device/guard.h */
	const char *seen;   /* the same */
	const char *wiped;  /* why no tenant's data is expected, as in act/device/guard.h; NULL */
	bool rewritten;	    /* it was carried out, and somebody wrote on the disk since */
	bool begun;   /* a wipe here began to write: markers, or what a purge left, are ours */
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
 * Carries it out and fills the evidence (ga_shape_init'ed by this function); digest and
 * previous_digest are left to ga_evidence_add or ga_wipe_evidence_seal. Never fails: trouble is in
 * the record. Release with ga_shape_release(&ga_wipe_evidence_shape, …).
 */
void ga_wipe_run(const struct ga_wipe_opts *o, struct ga_wipe_evidence *e);

/* Phases that look and write nothing: guard, settle, recheck. */
bool ga_wipe_phase_looks(const char *phase);

/* The plan of a dry run in words, a line each: methods with reasons, and how long it may take. */
void ga_wipe_plan_text(const struct ga_wipe_evidence *e, struct ga_str *out);
/* The evidence as a certificate for a tenant: no serial, address or host name in it. */
void ga_wipe_certificate(const struct ga_wipe_evidence *e, struct ga_str *out);

#endif
