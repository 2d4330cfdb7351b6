/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One wipe, from the order to its evidence: guard, markers, purge (the methods of
 * decide/wipe/plan.h, strongest first), check of the markers, zero pass, read-back, identity again,
 * GPU, fabric function. Every run ends in a complete record; only an unbroken chain of proofs makes
 * it "confirmed".
 */
#ifndef GA_ACT_WIPE_WIPE_H
#define GA_ACT_WIPE_WIPE_H

#include "act/device/disk.h"
#include "act/device/guard.h"
#include "act/device/nvme.h"

struct ga_wipe_order;
struct ga_wipe_evidence;

/* Reports progress: state is started, running, finished or failed; bytes and total are 0 where no
 * bytes are counted; detail is why it failed, borrowed, or NULL. */
typedef void (*ga_wipe_phase_fn)(void *arg, const char *phase, const char *state, int64_t bytes,
				 int64_t total, const char *detail);

struct ga_wipe_opts {
	const struct ga_wipe_order *order; /* borrowed */
	bool alone;   /* a person named the disk: the order has only disk, policy, and lab (whether
			 a file may be the disk) */
	bool dry_run; /* only look and plan; change nothing */
	bool resume;  /* the order was begun before: a running sanitize may be ours */
	const struct ga_err *refused; /* why the order is no longer in force: only the evidence that
					 the order has already may go out; NULL: it is in force */
	const char *holder; /* as in act/device/guard.h */
	const char *seen;   /* as there */
	const char *wiped;  /* reason to expect no tenant's data, as in act/device/guard.h; or
			       NULL */
	bool rewritten;	    /* the order was carried out, and somebody wrote to the disk since */
	bool begun;   /* a wipe on this host has begun to write: markers and the remains of a purge
			 are ours */
	const char *node; /* of this host, or NULL */
	const char *tool;
	const char *scrub_hooks; /* directory, see act/device/gpuwipe.h */
	const char *libvirt_uri; /* or NULL */
	ga_wipe_phase_fn phase; /* or NULL; called with arg below */
	/* Called with arg below right before the first byte is written, or NULL; when it fails, no
	 * byte is written. */
	int (*begins)(void *arg, struct ga_err *err);
	void *arg; /* of phase and begins: the caller's own */
	/* For tests: a disk, or a drive, that lies. */
	const struct ga_disk_ops *disk_ops;
	void *disk_arg;
	const struct ga_nvme_dev *drive;
};

/*
 * Carries the wipe out and fills the evidence, which need not be initialized; ga_evidence_add or
 * ga_wipe_evidence_seal sets digest and previous_digest later. Never fails: errors are in the
 * record. Release it with ga_schema_release(&ga_wipe_evidence_schema, …).
 */
void ga_wipe_run(const struct ga_wipe_opts *o, struct ga_wipe_evidence *e);

/* Whether the phase only looks and writes nothing (record/phase.h). */
bool ga_wipe_phase_looks(const char *phase);

/* Writes the plan of a dry run in words, a line each: the methods with their reasons, and the time
 * they may take. */
void ga_wipe_plan_text(const struct ga_wipe_evidence *e, struct ga_str *out);
/* Writes the evidence as a certificate for a tenant, without serial, address or host name. */
void ga_wipe_certificate(const struct ga_wipe_evidence *e, struct ga_str *out);

#endif
