/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges by its content whether the evidence of a wipe proves what its order requires. Three
 * callers use it: the host before it reports "confirmed", the fold before a slot leaves wiping, and
 * gpuaas-state check for the evidence that cleared a slot's devices. With one function, none of
 * them accepts evidence that another refuses. Pure: values in, verdict out.
 */
#ifndef GA_DECIDE_WIPE_JUDGE_H
#define GA_DECIDE_WIPE_JUDGE_H

#include "base/ga.h"

struct ga_wipe_order;
struct ga_wipe_evidence;

/*
 * The version of these rules, which the host writes into the record. Evidence without the member is
 * from before the first version (ga_wipe_is_old). Nobody can distinguish proofs that it never had
 * from proofs that somebody removed, so it is refused like evidence whose member was removed.
 *
 * Raise the version when the record gains a proof that the judge requires. Require the proof only
 * where e->rules >= the new version: older evidence stays valid, and the devices that it cleared
 * stay clean. tests/unit/decide/wipe/rules.c tests that.
 */
#define GA_WIPE_RULES 1

/* The order's requirements, as the judge's side knows them. Borrowed texts. */
struct ga_wipe_asked {
	const char *cause;	   /* of the order; NULL: the order is not known; skips the check */
	const char *claim, *allocation; /* of the order; NULL: it has none; skips the check */
	const char *wwid, *serial; /* serial NULL: not known; skips the check */
	int64_t size_bytes;	   /* GA_UNKNOWN: not known; skips the check */
	const char *gpu_identity;  /* NULL: the wipe covers no GPU */
	const char *minimum_class, *verify, *gpu_memory; /* the policy */
	int64_t fabric;	  /* 1: there is a fabric function, 0: there is none, GA_UNKNOWN: either */
	int64_t lab;	  /* 1, 0; GA_UNKNOWN: a wipe of a disk alone, any medium */
	const char *drive; /* the medium for the check of methods, where the record's must not
			    * decide; or NULL */
	/* The order allows the loss of foreign content: the guard may have failed to read it. */
	bool may_destroy;
};

struct ga_wipe_verdict {
	const char *code;    /* static; NULL: proven */
	enum ga_code status; /* exit status of a host that ends with this verdict */
	char *sentence;	     /* names the member of the record */
};
void ga_cleanup_wipe_verdict(struct ga_wipe_verdict *v);
#define ga_autoverdict ga_cleanup(ga_cleanup_wipe_verdict)

/* Fills the verdict. Returns whether the evidence is a proof. */
bool ga_wipe_proves(const struct ga_wipe_asked *asked, const struct ga_wipe_evidence *e,
		    struct ga_wipe_verdict *ret);

/* The requirements of an order. alone: the order has only a disk and a policy. Borrows from the
 * order. */
struct ga_wipe_asked ga_wipe_asked_by(const struct ga_wipe_order *order, bool alone);

/* Whether the disk probably has data, because a tenant had it. cause as in orders. */
bool ga_wipe_content_expected(const char *cause);

/* Whether the evidence is from before the first rules: it has no member rules. */
bool ga_wipe_is_old(const struct ga_wipe_evidence *e);

#endif
