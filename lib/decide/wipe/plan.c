/* SPDX-License-Identifier: Apache-2.0 */
/* The ladder of wipe methods, and the outcome of a run. */
#include "decide/wipe/plan.h"

#include "decide/wipe/judge.h"
#include "record/fault.h"

#define OACS_FORMAT (1 << 1)
#define FNA_ALL_FORMAT (1 << 0) /* a format reaches every namespace */
#define FNA_ALL_ERASE (1 << 1)	/* a secure erase reaches every namespace */
#define FNA_CRYPTO (1 << 2)
#define SANICAP_CRYPTO (1 << 0)
#define SANICAP_BLOCK (1 << 1)

static const struct {
	const char *word, *class;
} methods[GA_WIPE_METHODS] = {
	[GA_WIPE_SANITIZE_CRYPTO] = { "sanitize_crypto", "purge" },
	[GA_WIPE_SANITIZE_BLOCK] = { "sanitize_block", "purge" },
	[GA_WIPE_FORMAT_CRYPTO] = { "format_crypto", "purge" },
	[GA_WIPE_FORMAT_USER] = { "format_user", "purge" },
	[GA_WIPE_ZEROOUT] = { "zeroout", "clear" },
};

static const char *const outcomes[] = {
	[GA_WIPE_CONFIRMED] = "confirmed",
	[GA_WIPE_NOT_STARTED] = "not_started",
	[GA_WIPE_UNKNOWN] = "unknown",
	[GA_WIPE_FAILED] = "failed",
};

const char *ga_wipe_method_word(enum ga_wipe_method method)
{
	return methods[method].word;
}

const char *ga_wipe_outcome_word(enum ga_wipe_outcome outcome)
{
	return outcomes[outcome];
}

static bool has_bit(int64_t bits, int64_t mask)
{
	return bits != GA_UNKNOWN && (bits & mask);
}

static const char *sanitize_why_not(const struct ga_wipe_facts *f, int64_t bit)
{
	if (f->caps.sanicap == GA_UNKNOWN)
		return "the drive's sanitize capabilities are unknown";
	if (!has_bit(f->caps.sanicap, bit))
		return "the drive does not offer it (SANICAP)";
	if (f->namespaces == GA_UNKNOWN)
		return "it erases the whole subsystem, and whether that holds other namespaces is "
		       "unknown";
	if (f->namespaces > 1)
		return "it erases the whole subsystem, which holds other namespaces";
	return NULL;
}

static const char *format_why_not(const struct ga_wipe_facts *f, bool crypto)
{
	if (f->caps.oacs == GA_UNKNOWN || f->caps.fna == GA_UNKNOWN)
		return "the drive's format capabilities are unknown";
	if (!has_bit(f->caps.oacs, OACS_FORMAT))
		return "the drive does not offer it (OACS)";
	if (crypto && !has_bit(f->caps.fna, FNA_CRYPTO))
		return "the drive does not offer it (FNA)";
	if (f->namespaces != 1 && has_bit(f->caps.fna, FNA_ALL_FORMAT | FNA_ALL_ERASE))
		return f->namespaces == GA_UNKNOWN ?
			       "it erases all namespaces, and whether there are others is unknown" :
			       "it erases all namespaces of the drive, which holds others";
	return NULL;
}

static const char *purge_why_not(const struct ga_wipe_facts *f, enum ga_wipe_method method)
{
	switch (method) {
	case GA_WIPE_SANITIZE_CRYPTO:
		return sanitize_why_not(f, SANICAP_CRYPTO);
	case GA_WIPE_SANITIZE_BLOCK:
		return sanitize_why_not(f, SANICAP_BLOCK);
	case GA_WIPE_FORMAT_CRYPTO:
		return format_why_not(f, true);
	case GA_WIPE_FORMAT_USER:
		return format_why_not(f, false);
	case GA_WIPE_ZEROOUT:
		break;
	}
	return NULL;
}

void ga_wipe_plan_make(const struct ga_wipe_facts *facts, const char *minimum_class,
		       struct ga_wipe_plan *ret)
{
	bool clear = ga_streq(minimum_class, "clear");
	int i;

	ret->reachable = clear;
	for (i = 0; i < GA_WIPE_METHODS; i++) {
		struct ga_wipe_rung *r = &ret->rungs[i];

		*r = (struct ga_wipe_rung){ .method = (enum ga_wipe_method)i };
		if (i == GA_WIPE_ZEROOUT)
			continue;
		if (clear)
			r->why_not = "the policy requires clear";
		else if (!ga_streq(facts->medium, "nvme"))
			r->why_not = ga_streq(facts->medium, "file") ?
					     "a file cannot be purged" :
					     "only NVMe drives can be purged";
		else
			r->why_not = purge_why_not(facts, r->method);
		if (!r->why_not)
			ret->reachable = true;
	}
}

/* (1 - p)^n, by squaring: avoids linking libm for one function. */
static double clean_chance(double p, int64_t n)
{
	double base = 1.0 - p, r = 1.0;

	for (; n; n >>= 1, base *= base)
		if (n & 1)
			r *= base;
	return r;
}

int64_t ga_wipe_marker_count(int64_t size_bytes)
{
	int64_t blocks = size_bytes / GA_MARKER_BYTES;

	return blocks < GA_MARKER_COUNT ? blocks : GA_MARKER_COUNT;
}

int64_t ga_wipe_remnant_ppb(int64_t n)
{
	int64_t low = 0, high = 1000000000;

	if (n <= 0)
		return high;
	/* The smallest part that n clean blocks rule out with 99 % confidence. */
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (clean_chance((double)middle / 1e9, n) <= 0.01 * (1 + 1e-9))
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* ---- the outcome ---- */

static void end(struct ga_wipe_evidence *e, enum ga_wipe_outcome outcome, int status,
		char *reason)
{
	free(e->outcome);
	free(e->reason);
	e->outcome = ga_xstrdup(ga_wipe_outcome_word(outcome));
	e->reason = reason;
	e->status = status;
}

static const struct ga_wipe_try *find_try(const struct ga_wipe_evidence *e, const char *outcome)
{
	size_t i;

	for (i = 0; i < e->attempts.n; i++)
		if (ga_streq(e->attempts.v[i].outcome, outcome))
			return &e->attempts.v[i];
	return NULL;
}

const char *ga_wipe_class_reached(const struct ga_wipe_evidence *e)
{
	const char *class = "none";
	size_t i;
	int m;

	for (i = 0; i < e->attempts.n; i++) {
		const struct ga_wipe_try *t = &e->attempts.v[i];

		for (m = 0; ga_streq(t->outcome, "confirmed") && m < GA_WIPE_METHODS; m++)
			if (ga_streq(t->method, methods[m].word) && !ga_streq(class, "purge"))
				class = methods[m].class;
	}
	return class;
}

static const struct ga_step *failed_guard(const struct ga_wipe_evidence *e)
{
	size_t i;

	for (i = 0; i < e->guard.n; i++)
		if (ga_streq(e->guard.v[i].outcome, "failed"))
			return &e->guard.v[i];
	return NULL;
}

/* Whether the wipe had begun when trouble ended it. Written markers alone count as begun, unless no
 * method could begin. */
static bool begun(const struct ga_wipe_evidence *e, const char *code)
{
	if (find_try(e, "confirmed") || find_try(e, "failed"))
		return true;
	return e->markers && !ga_streq(code, "policy_not_reachable") &&
	       !ga_streq(code, "sanitize_runs");
}

static void judge_trouble(struct ga_wipe_evidence *e, const struct ga_err *trouble)
{
	const struct ga_wipe_try *t;
	const char *code = trouble->reason[0] ? trouble->reason : "system";
	char *reason = ga_xprintf("%s: %s", code, trouble->msg);

	t = find_try(e, "unknown");
	if (t)
		end(e, GA_WIPE_UNKNOWN, GA_EXTERNAL, reason);
	else if (!begun(e, code))
		end(e, GA_WIPE_NOT_STARTED, (int)trouble->code, reason);
	else
		end(e, GA_WIPE_FAILED, (int)trouble->code, reason);
}

static void judge_try(struct ga_wipe_evidence *e, const struct ga_wipe_try *t,
		      enum ga_wipe_outcome outcome)
{
	end(e, outcome, GA_EXTERNAL, ga_xprintf("%s: %s", t->method, t->detail ? t->detail : ""));
}

/* Faults of the drive get their own reason; the judge finds all others. */
static void judge_whole(struct ga_wipe_evidence *e, const struct ga_wipe_asked *asked)
{
	ga_autoverdict struct ga_wipe_verdict v = { 0 };

	if (ga_streq(e->policy.minimum_class, "purge") && !ga_streq(e->class, "purge"))
		end(e, GA_WIPE_NOT_STARTED, GA_HOST,
		    ga_xstrdup("policy_not_reachable: the policy requires purge, and no purge "
			       "method could be used"));
	else if (e->markers && e->markers->surviving)
		end(e, GA_WIPE_FAILED, GA_EXTERNAL,
		    ga_xprintf(GA_FAULT_MARKERS_SURVIVE ": %lld of %lld markers are still there",
			       (long long)e->markers->surviving, (long long)e->markers->written));
	else if (e->read_back && e->read_back->mismatches)
		end(e, GA_WIPE_FAILED, GA_EXTERNAL,
		    ga_xprintf(GA_FAULT_NOT_ZERO ": %lld blocks of 4 KiB are not zero",
			       (long long)e->read_back->mismatches));
	else
		end(e, GA_WIPE_CONFIRMED, 0, NULL);
	if (ga_streq(e->outcome, "confirmed") && !ga_wipe_proves(asked, e, &v))
		end(e, GA_WIPE_FAILED, (int)v.status, ga_xprintf("%s: %s", v.code, v.sentence));
}

void ga_wipe_judge(struct ga_wipe_evidence *e, const struct ga_wipe_asked *asked,
		   const struct ga_err *trouble)
{
	const struct ga_step *guard = failed_guard(e);
	const struct ga_wipe_try *unknown = find_try(e, "unknown"), *failed = find_try(e, "failed");

	free(e->class);
	e->class = ga_xstrdup(ga_wipe_class_reached(e));
	if (guard && !find_try(e, "confirmed") && !unknown && !failed && !e->markers)
		end(e, GA_WIPE_NOT_STARTED, GA_CONFLICT,
		    ga_xstrdup(guard->detail ? guard->detail : guard->step));
	else if (trouble)
		judge_trouble(e, trouble);
	else if (guard)
		end(e, GA_WIPE_FAILED, GA_CONFLICT,
		    ga_xstrdup(guard->detail ? guard->detail : guard->step));
	else if (unknown)
		judge_try(e, unknown, GA_WIPE_UNKNOWN);
	else if (failed)
		judge_try(e, failed, GA_WIPE_FAILED);
	else
		judge_whole(e, asked);
	/* The record keeps a class only if the run proved everything. */
	if (!ga_streq(e->outcome, "confirmed")) {
		free(e->class);
		e->class = ga_xstrdup("none");
	}
}
