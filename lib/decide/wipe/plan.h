/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a disk's wipe may consist of, and what came of it. Pure: no disk is touched here.
 *
 * The ladder, best first (classes after NIST SP 800-88 and IEEE 2883): sanitize_crypto,
 * sanitize_block, format_crypto, format_user are purge; zeroout is clear. A method counts as
 * possible only by the drive's capability bits, never because a command came back with success.
 * The zero pass and the read-back follow every purge, so that a purge is proved as well.
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
	GA_WIPE_NOT_STARTED, /* nothing happened: a further allowed method may follow */
	GA_WIPE_UNKNOWN,     /* begun, and cannot be confirmed: neither fall back nor claim */
	GA_WIPE_FAILED,
};

/* The words of the record. */
const char *ga_wipe_method_word(enum ga_wipe_method method);
const char *ga_wipe_outcome_word(enum ga_wipe_outcome outcome);

struct ga_wipe_facts {
	const char *medium; /* nvme, block, file */
	struct ga_nvme_caps caps;
	int64_t namespaces; /* of the whole subsystem, ours included; GA_UNKNOWN */
};

struct ga_wipe_rung {
	enum ga_wipe_method method;
	const char *why_not; /* static text; NULL: it will be tried */
};

struct ga_wipe_plan {
	struct ga_wipe_rung rungs[GA_WIPE_METHODS]; /* best first; the last is the zero pass */
	bool reachable; /* the policy's class can be reached */
};

/* minimum_class: "clear" (the zero pass alone) or "purge". */
void ga_wipe_plan_make(const struct ga_wipe_facts *facts, const char *minimum_class,
		       struct ga_wipe_plan *ret);

/* What a run writes and reads, to which the judge holds its record: markers of this many bytes,
 * on a small disk fewer ... */
#define GA_MARKER_COUNT 64
#define GA_MARKER_BYTES 4096
int64_t ga_wipe_marker_count(int64_t size_bytes);

/* ... and in a sampled read-back this many random extents, and both ends of the disk. */
#define GA_SAMPLES 4096
#define GA_SAMPLE_BYTES 65536
#define GA_SAMPLE_EDGE (INT64_C(1) << 20)

/* The best class among the methods that the attempts confirm: none, clear, purge. */
const char *ga_wipe_class_reached(const struct ga_wipe_evidence *e);

/* At most this part of a disk (in 1e-9, rounded up) can still hold data after n blocks drawn at
 * random were all zero, at 99 % confidence; n >= 1. 1e9 for n 0. */
int64_t ga_wipe_remnant_ppb(int64_t n);

/*
 * Sets class, outcome, reason and status of a finished run from what the record holds. trouble (or
 * NULL) is what ended the run early. Only what ga_wipe_proves() takes is "confirmed".
 */
void ga_wipe_judge(struct ga_wipe_evidence *e, const struct ga_wipe_asked *asked,
		   const struct ga_err *trouble);

#endif
