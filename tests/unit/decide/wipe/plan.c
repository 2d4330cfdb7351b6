/* SPDX-License-Identifier: Apache-2.0 */
/* The ladder of wipe methods and the outcome of runs, as tables. */
#include "t.h"

#include "decide/wipe/plan.h"
#include "evidence_world.h"

#define ALL_SANICAP 3
#define OACS_FORMAT 2
#define FNA_CRYPTO 4
#define U GA_UNKNOWN

/* The methods a plan will try, as the first letters of their words: SC SB FC FU Z. */
static void ladder(const struct ga_wipe_plan *p, char out[32])
{
	static const char *const names[] = { "SC ", "SB ", "FC ", "FU ", "Z" };
	int i;

	out[0] = '\0';
	for (i = 0; i < GA_WIPE_METHODS; i++)
		if (!p->rungs[i].why_not)
			snprintf(out + strlen(out), 32 - strlen(out), "%s", names[i]);
}

static void test_ladder(void)
{
	static const struct {
		const char *medium, *minimum;
		int64_t oacs, fna, sanicap, namespaces;
		const char *want;
		bool reachable;
	} cases[] = {
		{ "nvme", "purge", OACS_FORMAT, FNA_CRYPTO, ALL_SANICAP, 1, "SC SB FC FU Z", true },
		{ "nvme", "purge", OACS_FORMAT, 0, ALL_SANICAP, 1, "SC SB FU Z", true },
		{ "nvme", "purge", OACS_FORMAT, 0, 1, 1, "SC FU Z", true },
		{ "nvme", "purge", 0, FNA_CRYPTO, 2, 1, "SB Z", true },
		/* QEMU: format, no crypto bit, no sanitize. */
		{ "nvme", "purge", 0x12a, 0, 0, 1, "FU Z", true },
		{ "nvme", "purge", 0, 0, 0, 1, "Z", false },
		{ "nvme", "purge", U, U, U, 1, "Z", false },
		/* Other namespaces: nothing that reaches them. */
		{ "nvme", "purge", OACS_FORMAT, FNA_CRYPTO, ALL_SANICAP, 2, "FC FU Z", true },
		{ "nvme", "purge", OACS_FORMAT, FNA_CRYPTO | 1, ALL_SANICAP, 2, "Z", false },
		{ "nvme", "purge", OACS_FORMAT, FNA_CRYPTO | 2, ALL_SANICAP, 2, "Z", false },
		{ "nvme", "purge", OACS_FORMAT, FNA_CRYPTO | 3, ALL_SANICAP, 1, "SC SB FC FU Z",
		  true },
		{ "nvme", "purge", OACS_FORMAT, FNA_CRYPTO | 3, ALL_SANICAP, U, "Z", false },
		{ "nvme", "purge", OACS_FORMAT, FNA_CRYPTO, ALL_SANICAP, U, "FC FU Z", true },
		{ "nvme", "clear", OACS_FORMAT, FNA_CRYPTO, ALL_SANICAP, 1, "Z", true },
		{ "block", "purge", U, U, U, U, "Z", false },
		{ "block", "clear", U, U, U, U, "Z", true },
		{ "file", "purge", U, U, U, U, "Z", false },
		{ "file", "clear", U, U, U, U, "Z", true },
		/* A file with the bits of a drive is a file. */
		{ "file", "purge", OACS_FORMAT, FNA_CRYPTO, ALL_SANICAP, 1, "Z", false },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_wipe_facts f = { cases[i].medium,
					   { cases[i].oacs, 0, cases[i].fna, cases[i].sanicap, 0 },
					   cases[i].namespaces };
		struct ga_wipe_plan p;
		char got[32];

		ga_wipe_plan_make(&f, cases[i].minimum, &p);
		ladder(&p, got);
		t_str(got, cases[i].want, "ladder %zu", i);
		t_ok(p.reachable == cases[i].reachable, "reachable %zu", i);
	}
}

static void test_bound(void)
{
	double clean;
	int64_t n;

	t_int(ga_wipe_remnant_ppb(0), 1000000000, "no sample proves nothing");
	t_int(ga_wipe_remnant_ppb(1), 990000000, "one sample leaves 99 %%");
	/* 1 - 0.01^(1/4096) */
	t_int(ga_wipe_remnant_ppb(4096), 1123678, "4096 samples");
	for (n = 2; n <= 1 << 20; n *= 2) {
		double p = (double)ga_wipe_remnant_ppb(n) / 1e9, q = 1;
		int64_t i;

		for (i = 0, clean = 1 - p; i < n; i++)
			q *= clean;
		t_ok(q <= 0.01 + 1e-9, "the bound of %lld samples rules out 99 %%", (long long)n);
		if (ga_wipe_remnant_ppb(n) >= ga_wipe_remnant_ppb(n / 2))
			t_ok(false, "more samples, smaller bound");
	}
}

/* ---- judgement ---- */

struct run {
	const char *name;
	const char *policy, *verify, *gpu_memory;
	const char *guard; /* outcome of the last guard step */
	const char *tries; /* pairs "method=outcome", with spaces between */
	int64_t markers;   /* surviving; -1: no markers */
	const char *read;  /* verify of the read-back, or NULL */
	int64_t bytes, mismatches;
	bool unfinished;
	const char *scrub; /* outcome of gpu_memory */
	enum ga_code trouble;
	const char *outcome, *class, *reason;
	int64_t status;
};

#define SIZE (INT64_C(1) << 30)
#define SAMPLE (GA_SAMPLES * (int64_t)GA_SAMPLE_BYTES + 2 * GA_SAMPLE_EDGE)
#define PURGED "sanitize_crypto=confirmed zeroout=confirmed"
#define GOOD "purge", "full", "if_supported", "confirmed"

static const struct run runs[] = {
	{ "a whole purge", GOOD, PURGED, 0, "full", SIZE, 0, false, "not_proven", 0, "confirmed",
	  "purge", NULL, 0 },
	{ "a purge after one that did not begin", GOOD,
	  "sanitize_crypto=not_started format_user=confirmed zeroout=confirmed", 0, "full", SIZE, 0,
	  false, "not_proven", 0, "confirmed", "purge", NULL, 0 },
	{ "a clear", "clear", "full", "if_supported", "confirmed", "zeroout=confirmed", 0, "full",
	  SIZE, 0, false, "not_proven", 0, "confirmed", "clear", NULL, 0 },
	{ "a clear where purge is required", GOOD, "format_user=not_started zeroout=confirmed", 0,
	  "full", SIZE, 0, false, "not_proven", 0, "not_started", "none", "policy_not_reachable",
	  7 },
	{ "sampled where sampled is required", "purge", "sampled", "if_supported", "confirmed",
	  PURGED, 0, "sampled", SAMPLE, 0, false, "not_proven", 0, "confirmed", "purge", NULL, 0 },
	{ "sampled where full is required", GOOD, PURGED, 0, "sampled", SAMPLE, 0, false,
	  "not_proven", 0, "failed", "none", "wipe_below_policy", 7 },
	{ "a byte short of full", GOOD, PURGED, 0, "full", SIZE - 1, 0, false, "not_proven", 0,
	  "failed", "none", "wipe_not_proven", 10 },
	{ "no read-back", GOOD, PURGED, 0, NULL, 0, 0, false, "not_proven", 0, "failed", "none",
	  "wipe_not_proven", 10 },
	{ "a read-back that did not end", GOOD, PURGED, 0, "full", SIZE, 0, true, "not_proven", 0,
	  "failed", "none", "wipe_not_proven", 10 },
	{ "a block that is not zero", GOOD, PURGED, 0, "full", SIZE, 1, false, "not_proven", 0,
	  "failed", "none", "not_zero", 9 },
	{ "a marker that survives", GOOD, PURGED, 1, "full", SIZE, 0, false, "not_proven", 0,
	  "failed", "none", "markers_survive", 9 },
	{ "no markers", GOOD, PURGED, -1, "full", SIZE, 0, false, "not_proven", 0, "failed", "none",
	  "wipe_not_proven", 10 },
	{ "no zero pass", GOOD, "sanitize_crypto=confirmed", 0, "full", SIZE, 0, false,
	  "not_proven", 0, "failed", "none", "wipe_not_proven", 10 },
	{ "an unknown method", GOOD, "sanitize_crypto=unknown", 0, NULL, 0, 0, false, "not_proven",
	  0, "unknown", "none", "sanitize_crypto", 9 },
	{ "an unknown method, whatever follows", GOOD,
	  "sanitize_crypto=unknown format_user=confirmed zeroout=confirmed", 0, "full", SIZE, 0,
	  false, "not_proven", 0, "unknown", "none", "sanitize_crypto", 9 },
	{ "an unknown method and trouble", GOOD, "sanitize_block=unknown", 0, NULL, 0, 0, false,
	  "not_proven", GA_BUSY, "unknown", "none", "word", 9 },
	{ "a failed method", GOOD, "format_crypto=failed", 0, NULL, 0, 0, false, "not_proven", 0,
	  "failed", "none", "format_crypto", 9 },
	{ "a refused guard", "purge", "full", "if_supported", "failed", "", -1, NULL, 0, 0, false,
	  "not_proven", 0, "not_started", "none", "why", 4 },
	{ "a guard that fails at the end", "purge", "full", "if_supported", "failed", PURGED, 0,
	  "full", SIZE, 0, false, "not_proven", 0, "failed", "none", "why", 4 },
	{ "trouble before anything", GOOD, "", -1, NULL, 0, 0, false, "not_proven", GA_DENIED,
	  "not_started", "none", "word", 6 },
	{ "trouble after the markers", GOOD, "", 0, NULL, 0, 0, false, "not_proven", GA_BUSY,
	  "failed", "none", "word", 8 },
	{ "trouble in the zero pass", GOOD, "format_user=confirmed zeroout=failed", 0, NULL, 0, 0,
	  false, "not_proven", GA_SYSTEM, "failed", "none", "word", 10 },
	{ "GPU memory required, not proven", "purge", "full", "required", "confirmed", PURGED, 0,
	  "full", SIZE, 0, false, "not_proven", 0, "failed", "none", "gpu_memory_not_proven", 7 },
	{ "GPU memory required, no GPU", "purge", "full", "required", "confirmed", PURGED, 0,
	  "full", SIZE, 0, false, "not_needed", 0, "failed", "none", "gpu_memory_not_proven", 7 },
	{ "GPU memory required and proven", "purge", "full", "required", "confirmed", PURGED, 0,
	  "full", SIZE, 0, false, "confirmed", 0, "confirmed", "purge", NULL, 0 },
};

static void add_tries(struct ga_wipe_evidence *e, const char *text)
{
	while (*text) {
		size_t method = strcspn(text, "="), outcome = strcspn(text + method + 1, " ");
		struct ga_wipe_try *t = ga_list_add(&e->attempts);

		t->method = ga_xstrndup(text, method);
		t->outcome = ga_xstrndup(text + method + 1, outcome);
		t->started_at = ga_xstrdup("2026-01-01T00:00:00.000000Z");
		t->finished_at = ga_xstrdup("2026-01-01T00:00:00.000000Z");
		text += method + 1 + outcome;
		text += *text == ' ';
	}
}

#define AT "2026-01-01T00:00:00.000000Z"

static void replace(char **text, const char *with)
{
	free(*text);
	*text = ga_strdup0(with);
}

/* The evidence of a run: a good one, but for the differences. */
static void build(const struct run *r, struct ga_wipe_evidence *e)
{
	struct ga_step *last;

	ga_schema_init(&ga_wipe_evidence_schema, e);
	ew_prove(e, "eui.1", SIZE, AT);
	replace(&e->device.medium, "nvme");
	e->device.diskseq_before = ga_xstrdup("7");
	e->device.diskseq_after = ga_xstrdup("7");
	e->capabilities = (struct ga_nvme_caps){ OACS_FORMAT, 0, FNA_CRYPTO, ALL_SANICAP, 0 };
	e->lab = false;
	replace(&e->policy.minimum_class, r->policy);
	replace(&e->policy.verify, r->verify);
	replace(&e->policy.gpu_memory, r->gpu_memory);
	last = &e->guard.v[e->guard.n - 1];
	replace(&last->outcome, r->guard);
	replace(&last->detail, "why");
	replace(&e->attempts.v[0].method, NULL);
	replace(&e->attempts.v[0].started_at, NULL);
	replace(&e->attempts.v[0].finished_at, NULL);
	replace(&e->attempts.v[0].outcome, NULL);
	e->attempts.n = 0;
	add_tries(e, r->tries);
	e->markers->surviving = r->markers;
	if (r->markers < 0) {
		replace(&e->markers->seed_digest, NULL);
		free(GA_TAKE(e->markers));
	}
	replace(&e->read_back->verify, r->read);
	if (r->unfinished)
		replace(&e->read_back->finished_at, NULL);
	e->read_back->bytes_read = r->bytes;
	e->read_back->mismatches = r->mismatches;
	if (ga_streq(r->read, "sampled"))
		e->read_back->remnant_bound_ppb = ga_wipe_remnant_ppb(GA_SAMPLES);
	if (!r->read) {
		replace(&e->read_back->started_at, NULL);
		replace(&e->read_back->finished_at, NULL);
		free(GA_TAKE(e->read_back));
	}
	replace(&e->gpu_memory.outcome, r->scrub);
}

static void test_judge(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(runs); i++) {
		const struct run *r = &runs[i];
		struct ga_wipe_evidence e;
		struct ga_err trouble = { .code = r->trouble, .reason = "word", .msg = "sentence" };
		const struct ga_wipe_asked asked = { .wwid = "eui.1", .size_bytes = SIZE,
						     .minimum_class = r->policy,
						     .verify = r->verify,
						     .gpu_memory = r->gpu_memory, .fabric = 1,
						     .lab = 0 };

		build(r, &e);
		ga_wipe_judge(&e, &asked, r->trouble ? &trouble : NULL);
		t_str(e.outcome, r->outcome, "%s: outcome", r->name);
		t_str(e.class, r->class, "%s: class", r->name);
		t_int(e.status, r->status, "%s: status", r->name);
		t_ok(r->reason ? e.reason && ga_starts(e.reason, r->reason) : !e.reason,
		     "%s: reason '%s'", r->name, e.reason ? e.reason : "");
		ga_schema_release(&ga_wipe_evidence_schema, &e);
	}
}

int main(void)
{
	test_ladder();
	test_bound();
	test_judge();
	return t_done();
}
