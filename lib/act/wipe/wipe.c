/* SPDX-License-Identifier: Apache-2.0 */
/* The run of a wipe: its steps in the order in which they run, then the run from guard to
 * verdict. */
#include "act/wipe/wipe.h"

#include "act/device/gpuwipe.h"
#include "act/device/markers.h"
#include "act/device/zero.h"
#include "base/clock.h"
#include "base/stop.h"
#include "decide/wipe/judge.h"
#include "decide/wipe/plan.h"
#include "look/host/host.h"
#include "record/id.h"
#include "record/phase.h"
#include "record/time.h"
#include "record/wipe.h"

/* The data that one run passes from step to step. */
struct run {
	const struct ga_wipe_opts *o;
	struct ga_wipe_evidence *e;
	struct ga_disk disk;
	struct ga_guard_opts guard;
	char *ends; /* the domain that the release of a dry run ends first; or NULL */
	struct ga_nvme_dev drive;
	bool has_drive; /* it takes NVMe commands */
	struct ga_wipe_plan plan;
	struct ga_marker_set markers;
	bool format_ran; /* the drive may have another format, and another identity in part */
	bool purged;
	const char *phase; /* the current one */
};

static void tell(struct run *r, const char *state, int64_t bytes, int64_t total, const char *detail)
{
	if (r->o->phase)
		r->o->phase(r->o->arg, r->phase, state, bytes, total, detail);
}

static void on_progress(void *arg, int64_t done, int64_t total)
{
	tell(arg, "running", done, total, NULL);
}

static void begin(struct run *r, const char *phase)
{
	r->phase = phase;
	tell(r, "started", 0, 0, NULL);
}

/* Ends the phase and returns its result; why: of a failure, or NULL. */
static int done(struct run *r, int rc, const char *why)
{
	tell(r, rc < 0 ? "failed" : "finished", 0, 0, rc < 0 && why && *why ? why : NULL);
	return rc;
}

/* The same for a step of the evidence. */
static void done_step(struct run *r, const struct ga_step *s)
{
	done(r, ga_streq(s->outcome, "failed") ? -1 : 0, s->detail);
}

/* Why the guard refuses: the newest of its failed steps; NULL: it does not say. */
static const char *guard_says(const struct ga_wipe_evidence *e)
{
	const char *why = NULL;

	for (size_t i = 0; i < e->guard.n; i++)
		if (ga_streq(e->guard.v[i].outcome, "failed") && e->guard.v[i].detail)
			why = e->guard.v[i].detail;
	return why;
}

/* ---- the record ---- */

/* Fills the record from the order, before anything is known of the disk. */
static void fill_head(const struct ga_wipe_opts *o, struct ga_wipe_evidence *e)
{
	const struct ga_wipe_order *w = o->order;

	ga_schema_init(&ga_wipe_evidence_schema, e);
	e->evidence = ga_id_new();
	e->node = ga_strdup0(o->node);
	e->object = ga_strdup0(w->object);
	e->claim = ga_strdup0(w->claim);
	e->allocation = ga_strdup0(w->allocation);
	e->generation = o->alone ? GA_UNKNOWN : w->generation;
	e->attempt = ga_strdup0(w->attempt);
	e->dry_run = o->dry_run;
	e->started_at = ga_time_now();
	e->boot_id = ga_host_boot_id();
	e->cause = ga_xstrdup(o->alone ? "alone" : w->cause);
	ga_schema_copy(&ga_wipe_policy_schema, &w->wipe, &e->policy);
	e->gpu_identity = ga_strdup0(w->gpu_identity);
	e->lab = !o->alone && w->lab; /* alone: changes when the disk turns out to be a file */
	e->tool = ga_xstrdup(o->tool);
	e->rules = GA_WIPE_RULES;
	e->device.wwid = ga_xstrdup(w->nvme_wwid);
	e->device.serial = ga_strdup0(w->nvme_serial);
	e->device.path = ga_strdup0(w->nvme_path);
	e->device.size_bytes = w->nvme_size_bytes == GA_UNKNOWN ? 0 : w->nvme_size_bytes;
	/* The medium that the order implies, until the disk is open and shows its own. */
	e->device.medium = ga_xstrdup(e->lab ? "file" : "nvme");
}

static void replace(char **text, const char *value)
{
	if (!value)
		return;
	free(*text);
	*text = ga_xstrdup(value);
}

static void fill_device(struct run *r)
{
	struct ga_wiped_device *v = &r->e->device;
	const struct ga_block_dev *b = &r->disk.dev;

	replace(&v->serial, b->serial);
	replace(&v->model, b->model);
	replace(&v->firmware, b->firmware);
	replace(&v->pci_address, b->pci_address);
	replace(&v->path, b->path);
	replace(&v->medium, r->disk.medium);
	v->logical_block_bytes = b->logical_block_bytes;
	v->nsid = b->nsid;
	if (r->disk.fd >= 0) {
		v->size_bytes = r->disk.size_bytes;
		v->diskseq_before = ga_disk_diskseq(&r->disk);
	}
	if (ga_streq(r->disk.medium, "file"))
		r->e->lab = true;
}

static struct ga_wipe_try *add_try(struct run *r, enum ga_wipe_method method,
				   enum ga_wipe_outcome outcome, const char *detail)
{
	struct ga_wipe_try *t = ga_list_add(&r->e->attempts);

	t->method = ga_xstrdup(ga_wipe_method_word(method));
	t->outcome = ga_xstrdup(ga_wipe_outcome_word(outcome));
	t->detail = detail && *detail ? ga_xstrdup(detail) : NULL;
	t->started_at = ga_time_now();
	t->finished_at = ga_time_now();
	return t;
}

static void end_try(struct ga_wipe_try *t, enum ga_wipe_outcome outcome, const char *detail)
{
	char *keep = detail && *detail ? ga_xstrdup(detail) : NULL;

	free(t->outcome);
	free(t->detail);
	free(t->finished_at);
	t->outcome = ga_xstrdup(ga_wipe_outcome_word(outcome));
	t->detail = keep;
	t->finished_at = ga_time_now();
}

/* ---- guard: the ordered disk, unused ---- */

static void guard_step(struct run *r, const char *name, const struct ga_err *err)
{
	struct ga_step *s = ga_list_add(&r->e->guard);

	ga_step_set(s, name, "failed", "%s: %s", err->reason[0] ? err->reason : name, err->msg);
}

/* 1 the disk may be erased, 0 refused: the steps of the guard have the reason. */
static int take_guard(struct run *r, struct ga_err *err)
{
	const struct ga_wipe_order *w = r->o->order;
	bool ordered = ga_wipe_content_expected(w->cause), expected = ordered && !r->o->wiped;
	/* The path in an order is only a cache; without an order a person named the disk by its
	 * path. */
	const char *which = r->o->alone && w->nvme_path ? w->nvme_path : w->nvme_wwid;
	struct ga_err why = GA_ERR_INIT;
	int rc;

	if (ga_disk_find(which, &r->disk, &why) < 0) {
		guard_step(r, "found", &why);
		return 0;
	}
	if (!ga_streq(r->disk.identity, w->nvme_wwid)) {
		(void)ga_fail_for(&why, GA_CONFLICT, "identity_changed", "'%s' is %s, not %s",
				  r->disk.dev.path, r->disk.identity, w->nvme_wwid);
		guard_step(r, "found", &why);
		return 0;
	}
	if (r->o->dry_run && w->dry_run && w->allocation)
		r->ends = ga_xprintf("gpuaas-%s", w->allocation);
	r->guard = (struct ga_guard_opts){
		.wwid = w->nvme_wwid,
		.size_bytes = r->o->alone ? GA_UNKNOWN : w->nvme_size_bytes,
		.diskseq = r->disk.dev.diskseq,
		.destroy_data = w->destroy_data,
		.content_expected = !r->o->rewritten && expected,
		.seen = expected ? r->o->seen : NULL,
		.wiped = ordered ? r->o->wiped : NULL,
		.begun = r->o->begun,
		.lab = r->o->alone && w->lab ? GA_UNKNOWN : w->lab,
		.holder = r->o->holder,
		.ordered = !r->o->alone,
		.ends = r->ends,
		.libvirt_uri = r->o->libvirt_uri,
	};
	rc = ga_guard_take(&r->disk, &r->guard, !r->o->dry_run,
			   (struct ga_guard_steps *)(void *)&r->e->guard, err);
	fill_device(r);
	return rc;
}

/* ---- the plan: methods that the drive supports ---- */

static void look_at_drive(struct run *r)
{
	struct ga_err none = GA_ERR_INIT; /* a drive without NVMe commands: no purge is planned */
	struct ga_wipe_facts facts = { .medium = r->disk.medium,
				       .caps = { GA_UNKNOWN, GA_UNKNOWN, GA_UNKNOWN, GA_UNKNOWN,
						 GA_UNKNOWN },
				       .namespaces = GA_UNKNOWN };

	if (r->o->drive)
		r->drive = *r->o->drive;
	else
		r->drive = (struct ga_nvme_dev){ .ops = &ga_nvme_real_ops, .ctx = &r->disk.fd,
						 .nsid = (uint32_t)r->disk.dev.nsid };
	if ((r->o->drive || ga_streq(r->disk.medium, "nvme")) &&
	    ga_nvme_read(&r->drive, &none) >= 0) {
		r->has_drive = true;
		facts = r->drive.facts;
	}
	r->e->capabilities = facts.caps;
	ga_wipe_plan_make(&facts, r->e->policy.minimum_class, &r->plan);
}

/* Seconds for the read-back, estimated from a first read; 0: unknown. */
static int64_t read_back_seconds(struct run *r)
{
	const int64_t sample = (int64_t)GA_SAMPLES * GA_SAMPLE_BYTES;
	int64_t rate = ga_read_rate(&r->disk), bytes = r->disk.size_bytes;

	if (ga_streq(r->e->policy.verify, "sampled") && bytes > sample)
		bytes = sample;
	return rate ? bytes / rate + 1 : 0;
}

/* The methods that a dry run plans, or the reasons against them. */
static void add_plan_tries(struct run *r)
{
	for (int i = 0; i < GA_WIPE_METHODS; i++) {
		const struct ga_wipe_rung *rung = &r->plan.rungs[i];
		int64_t seconds = r->has_drive ? ga_nvme_estimate(&r->drive, rung->method) :
						 GA_UNKNOWN;
		int64_t back = !rung->why_not && i == GA_WIPE_ZEROOUT ? read_back_seconds(r) : 0;
		ga_autofree char *text = NULL;

		if (rung->why_not)
			text = ga_xprintf("not possible: %s", rung->why_not);
		else if (back)
			text = ga_xprintf("planned; read-back (%s) about %lld s",
					  r->e->policy.verify, (long long)back);
		else if (i == GA_WIPE_ZEROOUT || seconds == GA_UNKNOWN)
			text = ga_xstrdup("planned");
		else
			text = ga_xprintf("planned, %lld s by the drive's estimate",
					  (long long)seconds);
		add_try(r, rung->method, GA_WIPE_NOT_STARTED, text);
	}
}

/* ---- erase and prove ---- */

static int settle(struct run *r, struct ga_err *err)
{
	struct ga_watch watch = { on_progress, r };

	return r->has_drive ? ga_nvme_settle(&r->drive, r->o->resume, &watch, err) : 0;
}

/* Runs the guard again on the open disk; step names the reason of a refusal. */
static int guard_again(struct run *r, const char *step, struct ga_err *err)
{
	const char *why;
	int rc = ga_guard_again(&r->disk, &r->guard, step, r->format_ran,
				(struct ga_guard_steps *)(void *)&r->e->guard, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	why = guard_says(r->e);
	return ga_fail_for(err, GA_CONFLICT, step, "the disk is not what it was: %s",
			   why ? why : "see the guard");
}

static int recheck(struct run *r, struct ga_err *err)
{
	return guard_again(r, "identity_before", err);
}

static int write_markers(struct run *r, struct ga_err *err)
{
	if (ga_markers_draw(&r->markers, r->disk.size_bytes, err) < 0 ||
	    (r->o->begins && r->o->begins(r->o->arg, err) < 0))
		return -1;
	r->e->markers = ga_xcalloc(1, sizeof(*r->e->markers));
	return ga_markers_write(&r->markers, &r->disk, r->e->markers, err);
}

/* Tries one method. 1: the disk was purged; 0: nothing happened, try the next; -1: end. */
static int try_method(struct run *r, enum ga_wipe_method method, struct ga_err *err)
{
	struct ga_watch watch = { on_progress, r };
	struct ga_nvme_try got = { .outcome = GA_WIPE_NOT_STARTED };
	struct ga_wipe_try *t = add_try(r, method, GA_WIPE_UNKNOWN, "begun");

	ga_nvme_erase(&r->drive, method, &watch, &got);
	if (got.outcome != GA_WIPE_NOT_STARTED &&
	    (method == GA_WIPE_FORMAT_CRYPTO || method == GA_WIPE_FORMAT_USER))
		r->format_ran = true;
	end_try(t, got.outcome, got.detail);
	if (got.outcome == GA_WIPE_NOT_STARTED && !got.stop)
		return 0;
	if (got.outcome != GA_WIPE_CONFIRMED)
		return ga_fail_for(err, got.stop ? GA_BUSY : GA_EXTERNAL,
				   got.stop ? "sanitize_runs" :
				   got.outcome == GA_WIPE_UNKNOWN ? "purge_unknown" :
								    "purge_failed",
				   "%s: %s", ga_wipe_method_word(method), got.detail);
	/* The drive's report is not enough: the markers must be gone. */
	if (ga_markers_check(&r->markers, &r->disk, r->e->markers, err) < 0)
		return -1;
	if (r->e->markers->surviving) {
		end_try(t, GA_WIPE_FAILED, "the drive says it completed, and markers survive");
		return ga_fail_for(err, GA_EXTERNAL, "markers_survive",
				   "%s: the drive says it completed, and %lld of %lld markers are "
				   "still there",
				   ga_wipe_method_word(method),
				   (long long)r->e->markers->surviving,
				   (long long)r->e->markers->written);
	}
	return 1;
}

static int purge(struct run *r, struct ga_err *err)
{
	if (!ga_streq(r->e->policy.minimum_class, "purge"))
		return 0;
	for (int i = 0; i < GA_WIPE_ZEROOUT && !r->purged; i++) {
		const struct ga_wipe_rung *rung = &r->plan.rungs[i];
		int rc;

		if (rung->why_not) {
			add_try(r, rung->method, GA_WIPE_NOT_STARTED, rung->why_not);
			continue;
		}
		if (ga_stop_check("the wipe", err) < 0)
			return -1;
		rc = try_method(r, rung->method, err);
		if (rc < 0)
			return -1;
		r->purged = rc > 0;
	}
	if (r->purged)
		return 0;
	return ga_fail_for(err, GA_HOST, "policy_not_reachable",
			   "the policy requires purge, and the drive began none of the methods");
}

static int zero_pass(struct run *r, struct ga_err *err)
{
	struct ga_watch watch = { on_progress, r };
	struct ga_wipe_try *t = add_try(r, GA_WIPE_ZEROOUT, GA_WIPE_FAILED, "begun");

	if (ga_zero_pass(&r->disk, &watch, err) < 0) {
		end_try(t, GA_WIPE_FAILED, err->msg);
		return -1;
	}
	end_try(t, GA_WIPE_CONFIRMED, r->purged ? "after the purge" : NULL);
	ga_disk_forget_partitions(&r->disk);
	return ga_markers_check(&r->markers, &r->disk, r->e->markers, err);
}

static int read_back(struct run *r, struct ga_err *err)
{
	struct ga_watch watch = { on_progress, r };

	r->e->read_back = ga_xcalloc(1, sizeof(*r->e->read_back));
	return ga_read_back(&r->disk, ga_streq(r->e->policy.verify, "sampled"), &watch,
			    r->e->read_back, err);
}

static int recheck_after(struct run *r, struct ga_err *err)
{
	return guard_again(r, "identity_after", err);
}

static const struct {
	const char *phase;
	int (*run)(struct run *r, struct ga_err *err);
} steps[] = {
	{ "settle", settle },
	{ "recheck", recheck },
	{ "markers", write_markers },
	{ "purge", purge },
	{ "zero", zero_pass },
	{ "read_back", read_back },
	{ "identity", recheck_after },
};

bool ga_wipe_phase_looks(const char *phase)
{
	return false GA_WIPE_LOOKS(GA_PHASE_IS);
}

/* ---- the GPU and the fabric function ---- */

static void devices(struct run *r)
{
	const struct ga_wipe_order *w = r->o->order;
	struct ga_wipe_evidence *e = r->e;

	begin(r, "gpu_reset");
	ga_gpu_reset(w->gpu_pci_address, w->gpu_identity, w->gpu_device, "gpu_reset",
		     &e->gpu_reset, &e->gpu_reset_method);
	done_step(r, &e->gpu_reset);
	begin(r, "gpu_memory");
	/* The reset fails when another process has the GPU open, or when another device is in its
	 * place: do not scrub that device. */
	if (ga_streq(e->gpu_reset.outcome, "failed"))
		ga_step_set(&e->gpu_memory, "gpu_memory", "not_proven",
			    "not begun: gpu_reset failed");
	else
		ga_gpu_scrub(r->o->scrub_hooks, w->gpu_pci_address, w->gpu_device,
			     &e->gpu_memory);
	done_step(r, &e->gpu_memory);
	begin(r, "vf_state");
	ga_vf_check(w->fabric_vf_pci_address, w->fabric_pf_pci_address, &e->vf_state);
	done_step(r, &e->vf_state);
}

/* ---- the run ---- */

/* 0 when the run came to its end, also for a dry run and for a refusal by the guard, whose steps
 * have the reason. */
static int run_all(struct run *r, struct ga_err *err)
{
	int rc;

	begin(r, "guard");
	rc = take_guard(r, err);
	if (done(r, rc > 0 ? 0 : -1, rc < 0 ? err->msg : guard_says(r->e)) < 0)
		return rc;
	if (r->o->disk_ops) {
		r->disk.ops = r->o->disk_ops;
		r->disk.arg = r->o->disk_arg;
	}
	ga_disk_set_direct(&r->disk);
	look_at_drive(r);
	if (r->o->dry_run) {
		add_plan_tries(r);
		return 0;
	}
	if (!r->plan.reachable) {
		for (int i = 0; i < GA_WIPE_ZEROOUT; i++)
			add_try(r, r->plan.rungs[i].method, GA_WIPE_NOT_STARTED,
				r->plan.rungs[i].why_not);
		return ga_fail_for(err, GA_HOST, "policy_not_reachable",
				   "the policy requires %s, and this disk cannot reach it",
				   r->e->policy.minimum_class);
	}
	for (size_t i = 0; i < GA_ARRAY_SIZE(steps); i++) {
		begin(r, steps[i].phase);
		rc = ga_stop_check("the wipe", err) < 0 ? -1 : steps[i].run(r, err);
		if (done(r, rc, err->msg) < 0)
			return -1;
	}
	devices(r);
	return 0;
}

/* The use of the disk that the release ends before the wipe; NULL: none. Of a dry run. */
static const char *ends_first(const struct run *r)
{
	size_t i;

	for (i = 0; r->ends && i < r->e->guard.n; i++)
		if (ga_streq(r->e->guard.v[i].step, "domains") &&
		    ga_streq(r->e->guard.v[i].outcome, "not_proven") &&
		    strstr(r->e->guard.v[i].detail, r->ends))
			return r->e->guard.v[i].detail;
	return NULL;
}

void ga_wipe_run(const struct ga_wipe_opts *o, struct ga_wipe_evidence *e)
{
	struct run r = { .o = o, .e = e, .disk = GA_DISK_INIT };
	struct ga_wipe_asked asked = ga_wipe_asked_by(o->order, o->alone);
	struct ga_err err = GA_ERR_INIT;
	int rc;

	fill_head(o, e);
	rc = run_all(&r, &err);
	if (r.disk.fd >= 0 && !e->dry_run)
		e->device.diskseq_after = ga_disk_diskseq(&r.disk);
	if (!e->gpu_memory.step)
		ga_step_set(&e->gpu_memory, "gpu_memory", "not_proven", "not reached");
	if (!e->gpu_reset.step)
		ga_step_set(&e->gpu_reset, "gpu_reset", "not_proven", "not reached");
	if (!e->vf_state.step)
		ga_step_set(&e->vf_state, "vf_state", "not_proven", "not reached");
	e->finished_at = ga_time_now();
	/* A test's drive has a file for its disk. */
	asked.drive = o->drive ? "nvme" : NULL;
	ga_wipe_judge(e, &asked, rc < 0 ? &err : NULL);
	/* A dry run ends with the outcome that a real run begins with. */
	if (o->dry_run) {
		replace(&e->outcome, "not_started");
		if (e->attempts.n && (r.plan.reachable || r.disk.fd < 0)) {
			const char *first = ends_first(&r);
			ga_autofree char *said = ga_xprintf("dry_run: nothing was done%s%s",
							    first ? "; " : "", first ? first : "");

			replace(&e->reason, said);
			e->status = 0;
		}
	}
	free(r.ends);
	ga_disk_release(&r.disk);
}
