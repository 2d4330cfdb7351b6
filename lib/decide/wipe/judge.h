/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a wipe's evidence proves, from its content, what its order asked for. The host asks this
 * before it says "confirmed", the fold before a slot leaves wiping, and the check of a state of
 * what cleared its devices: one function, so that none of them believes what another would refuse.
 * Pure: values in, verdict out.
 */
#ifndef GA_DECIDE_WIPE_JUDGE_H
#define GA_DECIDE_WIPE_JUDGE_H

#include "base/ga.h"
#include "record/result.h"
#include "record/wipe.h"

/*
 * The version of these rules, which the host writes into the record. Evidence without the member
 * was written before the first version (ga_wipe_is_old); what it lacks cannot be told from what was
 * taken out of it, so it is refused like evidence whose member was removed.
 *
 * Raise the version when the record gains a proof that the judge demands. Make that demand only
 * where e->rules >= the new version: older evidence stays proof, and the devices that it cleared
 * stay clean. tests/unit/decide/wipe/rules.c holds that.
 */
#define GA_WIPE_RULES 1

/* What was asked for, as the judge's side knows it. Borrowed texts. */
struct ga_wipe_asked {
	const char *cause;	   /* of the order; NULL: the order is not known, not compared */
	const char *claim, *allocation; /* of the order; NULL: it has none, not compared */
	const char *wwid, *serial; /* serial NULL: not known, not compared */
	int64_t size_bytes;	   /* GA_UNKNOWN: not known, not compared */
	const char *gpu_identity;  /* NULL: no GPU is wiped beside the disk */
	const char *minimum_class, *verify, *gpu_memory; /* the policy */
	int64_t fabric;	  /* 1: there is a fabric function, 0: there is none, GA_UNKNOWN: either */
	int64_t lab;	  /* 1, 0; GA_UNKNOWN: a wipe alone, of any medium */
	const char *drive; /* what the medium can do when that is not the record's to say; NULL */
	/* Foreign content was allowed to go: the guard may have failed to read it. */
	bool may_destroy;
};

struct ga_wipe_verdict {
	const char *code;    /* static; NULL: it is proved */
	enum ga_code status; /* of a host that ends with it */
	char *sentence;	     /* names the member */
};
void ga_cleanup_wipe_verdict(struct ga_wipe_verdict *v);
#define ga_autoverdict ga_cleanup(ga_cleanup_wipe_verdict)

/* Fills the verdict; whether the evidence is proved. */
bool ga_wipe_proves(const struct ga_wipe_asked *asked, const struct ga_wipe_evidence *e,
		    struct ga_wipe_verdict *ret);

/* What an order asks for; alone: it holds only disk and policy. Borrows from the order. */
struct ga_wipe_asked ga_wipe_asked_by(const struct ga_wipe_order *order, bool alone);

/* Whether the disk is expected to hold data, because a tenant had it. cause as in orders. */
bool ga_wipe_content_expected(const char *cause);

/* Whether evidence was written before there were rules: it has no member of that name. */
bool ga_wipe_is_old(const struct ga_wipe_evidence *e);

#endif
