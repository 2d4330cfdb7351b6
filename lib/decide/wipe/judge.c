/* SPDX-License-Identifier: Apache-2.0 */
/* Judges evidence by its content. */
#include "decide/wipe/judge.h"

#include "decide/slot/verdict.h"
#include "decide/wipe/guard_steps.h"
#include "decide/wipe/plan.h"
#include "record/wipe.h"

void ga_cleanup_wipe_verdict(struct ga_wipe_verdict *v)
{
	free(v->sentence);
	*v = (struct ga_wipe_verdict){ 0 };
}

/* Sets the verdict. Returns false: the check does not hold. */
static bool GA_PRINTF(4, 5) no(struct ga_wipe_verdict *v, const char *code, enum ga_code status,
			       const char *fmt, ...)
{
	char buf[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	*v = (struct ga_wipe_verdict){ code, status, ga_xstrdup(buf) };
	return false;
}

static const char *or_null(const char *text)
{
	return text ? text : "null";
}

static const char *word(bool value)
{
	return value ? "true" : "false";
}

bool ga_wipe_is_old(const struct ga_wipe_evidence *e)
{
	return e->rules < GA_WIPE_RULES_FIRST; /* GA_UNKNOWN too */
}

/* ---- the record as a whole ---- */

/* The code of this judge's verdict, if the host ended with one (the code leads to the hint); or
 * NULL. */
static const char *verdict_of(const char *reason)
{
	static const char *const codes[] = { "gpu_memory_not_proven", "gpu_reset_failed",
					     "gpu_reset_not_proven",  "vf_not_proven",
					     "wipe_below_policy",     "wipe_not_proven",
					     "wrong_device" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(codes); i++)
		if (ga_starts(reason, codes[i]) && ga_starts(reason + strlen(codes[i]), ": "))
			return codes[i];
	return NULL;
}

static bool outcome_holds(const struct ga_wipe_evidence *e, struct ga_wipe_verdict *v)
{
	const char *why = e->reason ? e->reason : "no reason was given", *code = verdict_of(why);

	if (ga_streq(e->outcome, "confirmed"))
		return true;
	if (ga_streq(e->outcome, "not_started"))
		return no(v, "wipe_not_started", GA_CONFLICT, "outcome is not_started: %s", why);
	if (ga_streq(e->outcome, "unknown"))
		return no(v, "wipe_unknown", GA_EXTERNAL, "outcome is unknown: %s", why);
	if (code)
		return no(v, code, GA_EXTERNAL, "outcome is %s: %s", or_null(e->outcome),
			  why + strlen(code) + 2);
	return no(v, "wipe_failed", GA_EXTERNAL, "outcome is %s: %s", or_null(e->outcome), why);
}

static bool head_holds(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e,
		       struct ga_wipe_verdict *v)
{
	if (!outcome_holds(e, v))
		return false;
	if (ga_wipe_is_old(e))
		return no(v, "evidence_old", GA_CONFLICT,
			  "rules is missing: '%s' is older than the rules that the content of "
			  "evidence is judged by; run the wipe again with this version",
			  or_null(e->tool));
	if (e->rules > GA_WIPE_RULES)
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "rules is %lld, and this version judges by %d: what such evidence must "
			  "have is not known here; bring the programs of the state up to date",
			  (long long)e->rules, GA_WIPE_RULES);
	if (e->dry_run)
		return no(v, "wipe_not_proven", GA_CONFLICT, "dry_run is true: nothing was done");
	if (e->status)
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "status is %lld, and outcome is confirmed", (long long)e->status);
	if (e->reason)
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "reason is '%s', and outcome is confirmed", e->reason);
	if (a->cause && !ga_streq(e->cause, a->cause))
		return no(v, "wipe_not_proven", GA_CONFLICT, "cause is %s, and the order's is %s",
			  or_null(e->cause), a->cause);
	/* The attempt decides which order the evidence answers: evidence with another claim or
	 * allocation is forged. */
	if (a->claim && !ga_streq(e->claim, a->claim))
		return no(v, "wipe_not_proven", GA_CONFLICT, "claim is %s, and the order's is %s",
			  or_null(e->claim), a->claim);
	if (a->allocation && !ga_streq(e->allocation, a->allocation))
		return no(v, "wipe_not_proven", GA_CONFLICT,
			  "allocation is %s, and the order's is %s", or_null(e->allocation),
			  a->allocation);
	return true;
}

/* ---- the disk ---- */

static bool format_ran(const struct ga_wipe_evidence *e)
{
	size_t i;

	for (i = 0; i < e->attempts.n; i++)
		if (ga_starts(e->attempts.v[i].method, "format_") &&
		    ga_streq(e->attempts.v[i].outcome, "confirmed"))
			return true;
	return false;
}

/* Linux counts each appearance of a disk: another number means another disk, or a disk that was
 * removed and came back. A Format also makes the disk appear anew. Files have no such number. */
static bool diskseq_holds(const struct ga_wipe_evidence *e, struct ga_wipe_verdict *v)
{
	const char *before = e->device.diskseq_before, *after = e->device.diskseq_after;

	if (!before || !after) {
		if (!before && !after && ga_streq(e->device.medium, "file"))
			return true;
		return no(v, "wrong_device", GA_CONFLICT,
			  "device.diskseq_before is %s, device.diskseq_after is %s: whether it "
			  "stayed the same disk is not known (the kernel shows it from 5.15 on)",
			  or_null(before), or_null(after));
	}
	if (ga_streq(before, after) || format_ran(e))
		return true;
	return no(v, "wrong_device", GA_CONFLICT,
		  "device.diskseq_before is %s, device.diskseq_after is %s, and no format ran: "
		  "the disk was removed and came back, or is another",
		  before, after);
}

static bool medium_holds(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e,
			 struct ga_wipe_verdict *v)
{
	bool file = ga_streq(e->device.medium, "file");

	if (a->lab != GA_UNKNOWN && e->lab != (a->lab == 1))
		return no(v, "wrong_device", GA_CONFLICT, "lab is %s, and the order's is %s",
			  word(e->lab), word(a->lab == 1));
	if (file != e->lab)
		return no(v, "wrong_device", GA_CONFLICT,
			  "device.medium is %s, and lab is %s: a lab has files, everything else "
			  "has disks",
			  or_null(e->device.medium), word(e->lab));
	return true;
}

/* Refuses values that no disk has: a block size that is no power of two from 512 on, or
 * namespace 0 (NVMe Base 2.0: namespace ids begin at 1). Null means that the medium has no such
 * number: a file. */
static bool geometry_holds(const struct ga_wipe_evidence *e, struct ga_wipe_verdict *v)
{
	int64_t block = e->device.logical_block_bytes, nsid = e->device.nsid;

	if (block != GA_UNKNOWN && (block < 512 || (block & (block - 1))))
		return no(v, "wrong_device", GA_SYSTEM,
			  "device.logical_block_bytes is %lld: no disk has such blocks",
			  (long long)block);
	if (nsid != GA_UNKNOWN && nsid < 1)
		return no(v, "wrong_device", GA_SYSTEM,
			  "device.nsid is %lld: namespaces are counted from 1", (long long)nsid);
	return true;
}

static bool device_holds(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e,
			 struct ga_wipe_verdict *v)
{
	const struct ga_wiped_device *d = &e->device;

	if (!ga_streq(d->wwid, a->wwid))
		return no(v, "wrong_device", GA_CONFLICT,
			  "device.wwid is %s: the wipe was of that disk, and the slot has %s",
			  or_null(d->wwid), a->wwid ? a->wwid : "none");
	if (a->serial && !ga_streq(d->serial, a->serial))
		return no(v, "wrong_device", GA_CONFLICT,
			  "device.serial is %s, and the disk of the slot has %s",
			  or_null(d->serial), a->serial);
	if (d->size_bytes <= 0 || (a->size_bytes != GA_UNKNOWN && d->size_bytes != a->size_bytes))
		return no(v, "wrong_device", GA_CONFLICT,
			  "device.size_bytes is %lld, and the disk of the slot has %lld bytes",
			  (long long)d->size_bytes,
			  a->size_bytes == GA_UNKNOWN ? 0LL : (long long)a->size_bytes);
	return geometry_holds(e, v) && medium_holds(a, e, v) && diskseq_holds(e, v);
}

/* ---- the guard ---- */

static bool lack_passes(const struct ga_wipe_asked *a, bool file, enum ga_guard_lack lack)
{
	return lack == GA_GUARD_ALWAYS || (lack == GA_GUARD_ON_FILES && file) ||
	       (lack == GA_GUARD_IF_ALLOWED && a->may_destroy);
}

static bool step_passes(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e,
			const struct ga_guard_rule *rule, const struct ga_step *s)
{
	bool file = ga_streq(e->device.medium, "file");

	/* On a disk every step is needed; not_needed counts only for a file. */
	return ga_streq(s->outcome, "confirmed") || (ga_streq(s->outcome, "not_needed") && file) ||
	       (ga_streq(s->outcome, "not_proven") && lack_passes(a, file, rule->lack));
}

/* The time of a step: before the wipe (0), again right before the erase (1), after it (2). */
static int stage_of(const char *step)
{
	return ga_starts(step, "identity_after") ? 2 : ga_starts(step, "identity_before") ? 1 : 0;
}

static bool has_step(const struct ga_wipe_evidence *e, const char *step)
{
	size_t i;

	for (i = 0; i < e->guard.n; i++)
		if (ga_streq(e->guard.v[i].step, step))
			return true;
	return false;
}

/* The record has every step of the table, in order. A newer host may have further steps. */
static bool guard_holds(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e,
			struct ga_wipe_verdict *v)
{
	const struct ga_guard_rule *rule;
	int stage = 0;
	size_t i;

	for (i = 0; i < e->guard.n; i++) {
		const struct ga_step *s = &e->guard.v[i];

		rule = ga_guard_rule(s->step);
		if (ga_streq(s->outcome, "failed") || (rule && !step_passes(a, e, rule, s)))
			return no(v, "wipe_not_proven", GA_CONFLICT,
				  "guard[%zu].outcome is %s (%s): %s", i, or_null(s->outcome),
				  or_null(s->step), s->detail ? s->detail : "no detail");
		if (rule && stage_of(s->step) < stage)
			return no(v, "wipe_not_proven", GA_CONFLICT,
				  "guard[%zu].step is %s, after a step that the guard does "
				  "later", i,
				  s->step);
		stage = rule ? stage_of(s->step) : stage;
	}
	for (rule = ga_guard_rules; rule->step; rule++)
		if (!has_step(e, rule->step))
			return no(v, "wipe_not_proven", GA_CONFLICT,
				  "guard has no step '%s': guard[].step says what was checked",
				  rule->step);
	return true;
}

/* ---- the methods ---- */

static int method_of(const char *text)
{
	int m;

	for (m = 0; m < GA_WIPE_METHODS; m++)
		if (ga_streq(text, ga_wipe_method_word((enum ga_wipe_method)m)))
			return m;
	return -1;
}

/* Why a confirmed method cannot have run on this disk, or NULL. The record has no number of
 * namespaces: the host never begins a method that reaches another one. */
static const char *why_impossible(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e,
				  int method)
{
	struct ga_wipe_facts facts = { .medium = a->drive ? a->drive : e->device.medium,
				       .caps = e->capabilities,
				       .namespaces = 1 };
	struct ga_wipe_plan plan;

	if (method == GA_WIPE_ZEROOUT)
		return NULL;
	ga_wipe_plan_make(&facts, "purge", &plan);
	return plan.rungs[method].why_not;
}

static bool try_holds(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e, size_t i,
		      int before, struct ga_wipe_verdict *v)
{
	const struct ga_wipe_try *t = &e->attempts.v[i];
	int method = method_of(t->method);
	const char *why;

	if (method < 0)
		return no(v, "wipe_not_proven", GA_SYSTEM, "attempts[%zu].method is %s: unknown", i,
			  or_null(t->method));
	if (method <= before)
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "attempts[%zu].method is %s after attempts[%zu].method %s: methods are "
			  "tried best first, each once",
			  i, t->method, i - 1, or_null(e->attempts.v[i - 1].method));
	if (ga_streq(t->outcome, "not_started"))
		return true;
	if (!ga_streq(t->outcome, "confirmed"))
		return no(v, "wipe_not_proven", GA_EXTERNAL, "attempts[%zu].outcome is %s (%s): %s",
			  i, or_null(t->outcome), t->method, t->detail ? t->detail : "no detail");
	why = why_impossible(a, e, method);
	if (why)
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "attempts[%zu].method is %s, attempts[%zu].outcome is confirmed, and %s "
			  "(device.medium is %s; capabilities.oacs, capabilities.fna, "
			  "capabilities.sanicap)",
			  i, t->method, i, why, or_null(e->device.medium));
	return true;
}

static bool attempts_hold(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e,
			  struct ga_wipe_verdict *v)
{
	const struct ga_wipe_try *last = e->attempts.n ? &e->attempts.v[e->attempts.n - 1] : NULL;
	int before = -1;
	size_t i;

	if (!last)
		return no(v, "wipe_not_proven", GA_SYSTEM, "attempts is empty: nothing was erased");
	for (i = 0; i < e->attempts.n; i++) {
		if (!try_holds(a, e, i, before, v))
			return false;
		before = method_of(e->attempts.v[i].method);
	}
	if (before != GA_WIPE_ZEROOUT || !ga_streq(last->outcome, "confirmed"))
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "attempts[%zu].method is %s, attempts[%zu].outcome is %s: attempts end "
			  "with a confirmed zeroout, and these do not",
			  e->attempts.n - 1, or_null(last->method), e->attempts.n - 1,
			  or_null(last->outcome));
	return true;
}

/* ---- the policy ---- */

static bool policy_holds(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e,
			 struct ga_wipe_verdict *v)
{
	const struct ga_wipe_policy *p = &e->policy;
	const char *reached = ga_wipe_class_reached(e);
	int least = ga_class_rank(a->minimum_class);

	/* A host whose policy required more has proven more. */
	if (ga_class_rank(p->minimum_class) < least || ga_class_rank(p->minimum_class) < 1)
		return no(v, "wipe_below_policy", GA_HOST,
			  "policy.minimum_class is %s, and the policy in force requires %s",
			  or_null(p->minimum_class), or_null(a->minimum_class));
	if (!ga_streq(p->verify, "full") && !ga_streq(a->verify, "sampled"))
		return no(v, "wipe_below_policy", GA_HOST,
			  "policy.verify is %s, and the policy in force requires %s",
			  or_null(p->verify), or_null(a->verify));
	if (!ga_streq(p->gpu_memory, "required") && !ga_streq(a->gpu_memory, "if_supported"))
		return no(v, "wipe_below_policy", GA_HOST,
			  "policy.gpu_memory is %s, and the policy in force says %s",
			  or_null(p->gpu_memory), or_null(a->gpu_memory));
	if (ga_class_rank(reached) < ga_class_rank(p->minimum_class))
		return no(v, "wipe_below_policy", GA_HOST,
			  "class is %s, policy.minimum_class is %s, and the best attempts[].method "
			  "whose attempts[].outcome is confirmed is %s",
			  or_null(e->class), p->minimum_class, reached);
	if (!ga_streq(e->class, reached))
		return no(v, "wipe_below_policy", GA_SYSTEM,
			  "class is %s, and the best of attempts is %s", or_null(e->class),
			  reached);
	return true;
}

/* ---- markers and read-back ---- */

static bool markers_hold(const struct ga_wipe_evidence *e, struct ga_wipe_verdict *v)
{
	const struct ga_markers *m = e->markers;
	int64_t due = ga_wipe_marker_count(e->device.size_bytes);

	if (!m)
		return no(v, "wipe_not_proven", GA_SYSTEM, "markers is null: none were written");
	if (m->surviving)
		return no(v, "wipe_failed", GA_EXTERNAL,
			  "markers.surviving is %lld of %lld: they are still there",
			  (long long)m->surviving, (long long)m->written);
	if (m->unreadable)
		return no(v, "wipe_failed", GA_EXTERNAL,
			  "markers.unreadable is %lld: whether they are still there is not known",
			  (long long)m->unreadable);
	if (m->written != due)
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "markers.written is %lld, and a disk of this size gets %lld",
			  (long long)m->written, (long long)due);
	return true;
}

static bool full_holds(const struct ga_wipe_evidence *e, struct ga_wipe_verdict *v)
{
	const struct ga_read_back *rb = e->read_back;

	if (rb->bytes_read != e->device.size_bytes)
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "read_back.bytes_read is %lld, and the disk has %lld bytes",
			  (long long)rb->bytes_read, (long long)e->device.size_bytes);
	if (rb->remnant_bound_ppb)
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "read_back.remnant_bound_ppb is %lld, and of a full read-back it is 0",
			  (long long)rb->remnant_bound_ppb);
	return true;
}

static bool sample_holds(const struct ga_wipe_evidence *e, struct ga_wipe_verdict *v)
{
	const struct ga_read_back *rb = e->read_back;
	int64_t samples = (rb->bytes_read - 2 * GA_SAMPLE_EDGE) / GA_SAMPLE_BYTES;
	int64_t bound = ga_wipe_remnant_ppb(samples);

	if (!ga_streq(e->policy.verify, "sampled"))
		return no(v, "wipe_below_policy", GA_HOST,
			  "read_back.verify is %s, and policy.verify is %s", or_null(rb->verify),
			  or_null(e->policy.verify));
	if (samples < GA_SAMPLES || rb->bytes_read > e->device.size_bytes)
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "read_back.bytes_read is %lld, a sample has %lld, and the disk %lld "
			  "bytes",
			  (long long)rb->bytes_read,
			  (long long)GA_SAMPLES * GA_SAMPLE_BYTES + 2 * GA_SAMPLE_EDGE,
			  (long long)e->device.size_bytes);
	if (rb->remnant_bound_ppb != bound)
		return no(v, "wipe_not_proven", GA_SYSTEM,
			  "read_back.remnant_bound_ppb is %lld, and %lld samples leave %lld",
			  (long long)rb->remnant_bound_ppb, (long long)samples, (long long)bound);
	return true;
}

static bool read_back_holds(const struct ga_wipe_evidence *e, struct ga_wipe_verdict *v)
{
	const struct ga_read_back *rb = e->read_back;

	if (!rb || !rb->finished_at)
		return no(v, "wipe_not_proven", GA_SYSTEM, "%s is null: no read-back",
			  rb ? "read_back.finished_at" : "read_back");
	if (rb->mismatches)
		return no(v, "wipe_failed", GA_EXTERNAL,
			  "read_back.mismatches is %lld: so many blocks of 4 KiB are not zero",
			  (long long)rb->mismatches);
	return ga_streq(rb->verify, "full") ? full_holds(e, v) : sample_holds(e, v);
}

/* ---- times ---- */

struct moment {
	char member[48];
	const char *at;
};

static bool follows(const struct moment *a, const struct moment *b, struct ga_wipe_verdict *v)
{
	if (a->at && b->at && strcmp(a->at, b->at) <= 0)
		return true;
	return no(v, "wipe_not_proven", GA_SYSTEM,
		  "%s is %s, and %s is %s: what comes first has the later time, or none", a->member,
		  or_null(a->at), b->member, or_null(b->at));
}

/* Times of records have one form: text order is time order. */
static bool times_hold(const struct ga_wipe_evidence *e, struct ga_wipe_verdict *v)
{
	struct moment last = { "started_at", e->started_at }, next;
	size_t i;

	for (i = 0; i < e->attempts.n; i++) {
		const struct ga_wipe_try *t = &e->attempts.v[i];

		snprintf(next.member, sizeof(next.member), "attempts[%zu].started_at", i);
		next.at = t->started_at;
		if (!follows(&last, &next, v))
			return false;
		last = next;
		snprintf(next.member, sizeof(next.member), "attempts[%zu].finished_at", i);
		next.at = t->finished_at;
		if (!follows(&last, &next, v))
			return false;
		last = next;
	}
	next = (struct moment){ "read_back.started_at", e->read_back->started_at };
	if (!follows(&last, &next, v))
		return false;
	last = (struct moment){ "read_back.finished_at", e->read_back->finished_at };
	if (!follows(&next, &last, v))
		return false;
	next = (struct moment){ "finished_at", e->finished_at };
	return follows(&last, &next, v);
}

/* ---- GPU and fabric function ---- */

static bool step_is(const struct ga_step *s, const char *member, struct ga_wipe_verdict *v)
{
	if (ga_streq(s->step, member))
		return true;
	return no(v, "wipe_not_proven", GA_SYSTEM, "%s.step is %s", member, or_null(s->step));
}

static const char *detail_of(const struct ga_step *s)
{
	return s->detail ? s->detail : "no detail";
}

/* Whether the method is a word of the kernel's reset_method. Null: the kernel does not show it. */
static bool is_reset_method(const char *method)
{
	static const char *const words[] = { "device_specific", "acpi", "flr", "af_flr", "pm",
					     "bus", "cxl_bus" };
	size_t i;

	for (i = 0; method && i < GA_ARRAY_SIZE(words); i++)
		if (!strcmp(method, words[i]))
			return true;
	return !method;
}

/* No policy sells a GPU that did not come back from its reset, or whose scrub failed. */
static bool gpu_holds(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e,
		      struct ga_wipe_verdict *v)
{
	const char *memory = e->gpu_memory.outcome, *reset = e->gpu_reset.outcome;
	bool scrubbed = ga_streq(memory, "confirmed");

	if (!ga_streq(e->gpu_identity, a->gpu_identity))
		return no(v, "wrong_device", GA_CONFLICT,
			  "gpu_identity is %s: the wipe was beside that GPU, and the slot has %s",
			  e->gpu_identity ? e->gpu_identity : "unknown",
			  a->gpu_identity ? a->gpu_identity : "none");
	if (!step_is(&e->gpu_reset, "gpu_reset", v) || !step_is(&e->gpu_memory, "gpu_memory", v))
		return false;
	if (ga_streq(reset, "failed"))
		return no(v, "gpu_reset_failed", GA_EXTERNAL, "gpu_reset.outcome is failed: %s",
			  detail_of(&e->gpu_reset));
	if (ga_streq(reset, "confirmed") && !is_reset_method(e->gpu_reset_method))
		return no(v, "gpu_reset_not_proven", GA_SYSTEM,
			  "gpu_reset_method is %s, and gpu_reset.outcome is confirmed: the kernel "
			  "has no such method",
			  e->gpu_reset_method);
	if (ga_streq(memory, "failed") || (a->gpu_identity && ga_streq(memory, "not_needed")) ||
	    (ga_streq(e->policy.gpu_memory, "required") && !scrubbed))
		return no(v, "gpu_memory_not_proven", GA_HOST,
			  "gpu_memory.outcome is %s, policy.gpu_memory is %s: %s", or_null(memory),
			  or_null(e->policy.gpu_memory), detail_of(&e->gpu_memory));
	if (a->gpu_identity && !scrubbed && !ga_streq(reset, "confirmed"))
		return no(v, "gpu_reset_not_proven", GA_HOST,
			  "gpu_reset.outcome is %s (%s), gpu_memory.outcome is %s: one of them "
			  "must be confirmed",
			  or_null(reset), detail_of(&e->gpu_reset), or_null(memory));
	return true;
}

static bool fabric_holds(const struct ga_wipe_asked *a, const struct ga_wipe_evidence *e,
			 struct ga_wipe_verdict *v)
{
	const char *outcome = e->vf_state.outcome;
	bool confirmed = ga_streq(outcome, "confirmed"), none = ga_streq(outcome, "not_needed");

	if (!step_is(&e->vf_state, "vf_state", v))
		return false;
	if (a->fabric == GA_UNKNOWN ? confirmed || none : a->fabric ? confirmed : none)
		return true;
	return no(v, "vf_not_proven", GA_HOST,
		  "vf_state.outcome is %s, and the slot has %s fabric function: %s",
		  or_null(outcome), a->fabric == 0 ? "no" : "a", detail_of(&e->vf_state));
}

bool ga_wipe_proves(const struct ga_wipe_asked *asked, const struct ga_wipe_evidence *e,
		    struct ga_wipe_verdict *ret)
{
	*ret = (struct ga_wipe_verdict){ 0 };
	return head_holds(asked, e, ret) && device_holds(asked, e, ret) &&
	       guard_holds(asked, e, ret) && attempts_hold(asked, e, ret) &&
	       policy_holds(asked, e, ret) && markers_hold(e, ret) &&
	       read_back_holds(e, ret) && times_hold(e, ret) &&
	       gpu_holds(asked, e, ret) && fabric_holds(asked, e, ret);
}

/* ---- the requirements of an order ---- */

bool ga_wipe_content_expected(const char *cause)
{
	return ga_streq(cause, "release") || ga_streq(cause, "repair") ||
	       ga_streq(cause, "rebuild");
}

struct ga_wipe_asked ga_wipe_asked_by(const struct ga_wipe_order *order, bool alone)
{
	return (struct ga_wipe_asked){
		.cause = alone ? "alone" : order->cause,
		.claim = alone ? NULL : order->claim,
		.allocation = alone ? NULL : order->allocation,
		.wwid = order->nvme_wwid,
		.serial = alone ? NULL : order->nvme_serial,
		.size_bytes = alone ? GA_UNKNOWN : order->nvme_size_bytes,
		.gpu_identity = order->gpu_identity,
		.minimum_class = order->wipe.minimum_class,
		.verify = order->wipe.verify,
		.gpu_memory = order->wipe.gpu_memory,
		.fabric = order->fabric_vf_pci_address != NULL,
		.lab = alone ? GA_UNKNOWN : order->lab,
		.may_destroy = ga_wipe_content_expected(order->cause) ||
			       ga_streq(order->destroy_data, order->nvme_wwid),
	};
}
