/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The methods of a disk's wipe, and the outcome of a run. Pure: it touches no disk.
 *
 * The ladder, best first (classes after NIST SP 800-88 and IEEE 2883): sanitize_crypto,
 * sanitize_block, format_crypto, format_user are purge; zeroout is clear. Only the drive's
 * capability bits make a method possible, never the success of a command. The zero pass and the
 * read-back follow every purge, so that a purge is proven as well.
 */
#ifndef GA_DECIDE_WIPE_PLAN_H
#define GA_DECIDE_WIPE_PLAN_H

#include "base/ga.h"
#include "decide/wipe/judge.h"
#include "record/result.h"

enum ga_wipe_method {
	GA_WIPE_SANITIZE_CRYPTO,
	GA_WIPE_SANITIZE_BLOCK,
	GA_WIPE_FORMAT_CRYPTO,
	GA_WIPE_FORMAT_USER,
	GA_WIPE_ZEROOUT,
};
#define GA_WIPE_METHODS 5

enum ga_wipe_outcome {
	GA_WIPE_CONFIRMED,
	GA_WIPE_NOT_STARTED, /* nothing happened: the next allowed method may follow */
	GA_WIPE_UNKNOWN,     /* begun and not confirmed: no other method may follow, and no class
			      * is reached */
	GA_WIPE_FAILED,
};

/* The words of methods and outcomes in the record. */
const char *ga_wipe_method_word(enum ga_wipe_method method);
const char *ga_wipe_outcome_word(enum ga_wipe_outcome outcome);

struct ga_wipe_facts {
	const char *medium; /* nvme, block, file */
	struct ga_nvme_caps caps;
	int64_t namespaces; /* of the complete subsystem, including ours; GA_UNKNOWN */
};

struct ga_wipe_rung {
	enum ga_wipe_method method;
	const char *why_not; /* static text; NULL: the run tries the method */
};

struct ga_wipe_plan {
	struct ga_wipe_rung rungs[GA_WIPE_METHODS]; /* best first; the last is the zero pass */
	bool reachable; /* some method reaches the policy's class */
};

/* minimum_class: "clear" (the zero pass alone) or "purge". */
void ga_wipe_plan_make(const struct ga_wipe_facts *facts, const char *minimum_class,
		       struct ga_wipe_plan *ret);

/* The amounts that a run writes and reads; the judge checks the record against them. Markers: this
 * many, of GA_MARKER_BYTES each, fewer on a small disk. */
#define GA_MARKER_COUNT 64
#define GA_MARKER_BYTES 4096
int64_t ga_wipe_marker_count(int64_t size_bytes);

/* A sampled read-back reads this many random extents, and GA_SAMPLE_EDGE bytes at both ends of the
 * disk. */
#define GA_SAMPLES 4096
#define GA_SAMPLE_BYTES 65536
#define GA_SAMPLE_EDGE (INT64_C(1) << 20)

/* The best class among the confirmed methods: none, clear, purge. */
const char *ga_wipe_class_reached(const struct ga_wipe_evidence *e);

/* The largest part of a disk (in 1e-9, rounded up) that can still hold data, at 99 % confidence,
 * after n random blocks were all zero; n >= 1. 1e9 for n 0. */
int64_t ga_wipe_remnant_ppb(int64_t n);

/*
 * Sets class, outcome, reason and status of a finished run from its record. trouble is the error
 * that ended the run early, or NULL. The outcome is "confirmed" only if ga_wipe_proves() accepts
 * the record.
 */
void ga_wipe_judge(struct ga_wipe_evidence *e, const struct ga_wipe_asked *asked,
		   const struct ga_err *trouble);

#endif
