/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The health of slots: every transition, the sign in each kind of record, AER counters; and the
 * same through the fold into a state, where a slot that fails is no longer for sale.
 */
#include "act/device/vfio.h"
#include "decide/slot/health.h"
#include "state_world.h"

/* ---- the transitions ---- */

static void transitions(void)
{
	static const char *const names[] = { "unknown", "ok", "failed" };
	static const char *const want[GA_HEALTH_EVENTS][3] = {
		[GA_HEALTH_NOTHING] = { "unknown", "ok", "failed" },
		[GA_HEALTH_PROVEN] = { "ok", "ok", "failed" },
		[GA_HEALTH_DOUBT] = { "unknown", "unknown", "failed" },
		[GA_HEALTH_FAULT] = { "failed", "failed", "failed" },
		[GA_HEALTH_REPAIRED] = { "unknown", "ok", "unknown" },
	};
	enum ga_health_event e;
	size_t i;

	for (e = GA_HEALTH_NOTHING; e < GA_HEALTH_EVENTS; e++)
		for (i = 0; i < GA_ARRAY_SIZE(names); i++)
			t_str(ga_health_next(names[i], e), want[e][i], "event %d from %s", (int)e,
			      names[i]);
}

/* Only a repair takes a slot out of failed. */
static void only_repair_leaves_failed(void)
{
	uint64_t seed = t_seed();
	const char *now = "unknown";
	int i, wrong = 0;

	for (i = 0; i < 10000; i++) {
		enum ga_health_event e = (enum ga_health_event)(t_random(&seed) % GA_HEALTH_EVENTS);
		const char *then = ga_health_next(now, e);

		if (!strcmp(now, "failed") && strcmp(then, "failed") && e != GA_HEALTH_REPAIRED)
			wrong++;
		if (!strcmp(then, "ok") && strcmp(now, "ok") && e != GA_HEALTH_PROVEN)
			wrong++;
		now = then;
	}
	t_int(wrong, 0, "only a repair leaves failed, and only a proof makes ok");
}

static void is_sign(const struct ga_health_sign *s, enum ga_health_event event,
		    const char *detail, const char *name)
{
	t_int(s->event, event, "%s: event", name);
	t_str(s->detail, detail, "%s: detail", name);
}

/* ---- wipes ---- */

static const struct {
	const char *name, *outcome, *reason, *reset, *vf;
	enum ga_health_event event;
	const char *detail;
} wipes[] = {
	{ "confirmed", "confirmed", NULL, "confirmed", "confirmed", GA_HEALTH_PROVEN,
	  "disk wiped and GPU reset (evidence e1)" },
	{ "confirmed, nothing to reset", "confirmed", NULL, "not_needed", "not_needed",
	  GA_HEALTH_PROVEN, "disk wiped and GPU reset (evidence e1)" },
	{ "confirmed, no reset method", "confirmed", NULL, "not_proven", "confirmed",
	  GA_HEALTH_NOTHING, NULL },
	{ "confirmed, function not proven", "confirmed", NULL, "confirmed", "not_proven",
	  GA_HEALTH_PROVEN, "disk wiped and GPU reset (evidence e1)" },
	{ "confirmed, reset failed", "confirmed", NULL, "failed", "confirmed", GA_HEALTH_FAULT,
	  "gpu_reset failed: why" },
	{ "confirmed, function failed", "confirmed", NULL, "confirmed", "failed", GA_HEALTH_FAULT,
	  "vf_state failed: why" },
	{ "written zeros fail", "failed", "disk_write_failed: why", "not_proven", "not_proven",
	  GA_HEALTH_FAULT, "drive d1: wipe failed: disk_write_failed: why" },
	{ "reading fails", "failed", "disk_read_failed: why", "not_proven", "not_proven",
	  GA_HEALTH_FAULT, "drive d1: wipe failed: disk_read_failed: why" },
	{ "the purge fails", "failed", "purge_failed: why", "not_proven", "not_proven",
	  GA_HEALTH_FAULT, "drive d1: wipe failed: purge_failed: why" },
	{ "nobody knows how the purge ended", "unknown", "purge_unknown: why", "not_proven",
	  "not_proven", GA_HEALTH_FAULT, "drive d1: wipe unknown: purge_unknown: why" },
	{ "markers survive", "failed", "markers_survive: why", "not_proven", "not_proven",
	  GA_HEALTH_FAULT, "drive d1: wipe failed: markers_survive: why" },
	{ "a marker is lost", "failed", "marker_lost: why", "not_proven", "not_proven",
	  GA_HEALTH_FAULT, "drive d1: wipe failed: marker_lost: why" },
	{ "not zero", "failed", "not_zero: why", "not_proven", "not_proven", GA_HEALTH_FAULT,
	  "drive d1: wipe failed: not_zero: why" },
	{ "judged: markers cannot be read", "failed", "wipe_failed: markers.unreadable is 1",
	  "confirmed", "confirmed", GA_HEALTH_FAULT,
	  "drive d1: wipe failed: wipe_failed: markers.unreadable is 1" },
	{ "a code that begins so", "failed", "not_zeroed: why", "not_proven", "not_proven",
	  GA_HEALTH_NOTHING, NULL },
	{ "the guard refused behind it", "failed", "identity_after: the disk is not what it was: "
	  "nvme_in_use: process 7 (smartd) has it open", "not_proven", "not_proven",
	  GA_HEALTH_NOTHING, NULL },
	{ "the clock was set back", "failed", "wipe_not_proven: finished_at is x", "confirmed",
	  "confirmed", GA_HEALTH_NOTHING, NULL },
	{ "the kernel has no diskseq", "failed", "wrong_device: device.diskseq_before is null",
	  "confirmed", "confirmed", GA_HEALTH_NOTHING, NULL },
	{ "the host's trouble", "failed", "system: cannot get random bytes", "not_proven",
	  "not_proven", GA_HEALTH_NOTHING, NULL },
	{ "ended within a purge", "unknown", "interrupted: by signal 15", "not_proven",
	  "not_proven", GA_HEALTH_NOTHING, NULL },
	{ "unknown", "unknown", NULL, "not_proven", "not_proven", GA_HEALTH_NOTHING, NULL },
	{ "ended by a person", "failed", "interrupted: wipe was interrupted by signal 15",
	  "not_proven", "not_proven", GA_HEALTH_NOTHING, NULL },
	{ "no proof of GPU memory", "failed", "gpu_memory_not_proven: no scrub method",
	  "confirmed", "confirmed", GA_HEALTH_NOTHING, NULL },
	{ "no proof of GPU memory, reset failed", "failed", "gpu_memory_not_proven: no", "failed",
	  "confirmed", GA_HEALTH_FAULT, "gpu_reset failed: why" },
	{ "judged: reset failed", "failed", "gpu_reset_failed: gpu_reset.outcome is failed: why",
	  "failed", "confirmed", GA_HEALTH_FAULT, "gpu_reset failed: why" },
	{ "judged: no reset", "failed", "gpu_reset_not_proven: no", "not_proven", "confirmed",
	  GA_HEALTH_NOTHING, NULL },
	{ "judged: function failed", "failed", "vf_not_proven: why", "confirmed", "failed",
	  GA_HEALTH_FAULT, "vf_state failed: why" },
	{ "judged: below the policy", "failed", "wipe_below_policy: class is clear", "confirmed",
	  "confirmed", GA_HEALTH_NOTHING, NULL },
	{ "the guard refused", "not_started", "nvme_mounted: /srv", "not_proven", "not_proven",
	  GA_HEALTH_NOTHING, NULL },
};

static void of_wipes(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(wipes); i++) {
		struct ga_wipe_evidence e = {
			.evidence = TXT("e1"),
			.outcome = TXT(wipes[i].outcome),
			.reason = TXT(wipes[i].reason),
			.device = { .wwid = TXT("d1") },
			.gpu_reset = { TXT("gpu_reset"), TXT(wipes[i].reset), TXT("why") },
			.vf_state = { TXT("vf_state"), TXT(wipes[i].vf), TXT("why") },
		};
		ga_autohealth struct ga_health_sign s = { 0 }, dry = { 0 };

		ga_health_of_wipe(&e, &s);
		is_sign(&s, wipes[i].event, wipes[i].detail, wipes[i].name);
		e.dry_run = true;
		ga_health_of_wipe(&e, &dry);
		is_sign(&dry, GA_HEALTH_NOTHING, NULL, "a dry run");
	}
}

/* ---- releases ---- */

static const struct ga_health_devices mine = { "0000:18:00.0", "0000:1a:00.2", "eui.1" };

static const struct {
	const char *name, *step, *outcome, *detail;
	enum ga_health_event event;
} steps[] = {
	{ "its GPU", "gpu_reset", "failed", "'0000:18:00.0' does not answer", GA_HEALTH_FAULT },
	{ "its GPU, in a sentence", "gpu_reset", "failed", "cannot reset '0000:18:00.0' by bus",
	  GA_HEALTH_FAULT },
	{ "its GPU, by its path", "gpu_reset", "failed",
	  "the kernel did not return from writing '/sys/bus/pci/devices/0000:18:00.0/reset'",
	  GA_HEALTH_FAULT },
	{ "another slot's", "gpu_reset", "failed", "'0000:19:00.0' does not answer",
	  GA_HEALTH_NOTHING },
	{ "another's path", "gpu_reset", "failed",
	  "the kernel did not return from writing '/sys/bus/pci/devices/0000:19:00.0/reset'",
	  GA_HEALTH_NOTHING },
	{ "another's, with its own beside it", "gpu_reset", "failed",
	  "cannot reset '0000:19:00.0': 0000:18:00.0 is also below 0000:10:01.0",
	  GA_HEALTH_NOTHING },
	{ "an address that begins so", "gpu_reset", "failed", "'0000:18:00.01' is",
	  GA_HEALTH_NOTHING },
	{ "an address that ends so", "gpu_reset", "failed", "'10000:18:00.0' is",
	  GA_HEALTH_NOTHING },
	{ "held by a process", "gpu_reset", "failed", "process 7 (qemu) has '0000:18:00.0' open",
	  GA_HEALTH_NOTHING },
	{ "held by nobody knows whom", "gpu_reset", "failed",
	  "a process that cannot be seen has the IOMMU group of '0000:18:00.0' open",
	  GA_HEALTH_NOTHING },
	{ "not proven", "gpu_reset", "not_proven", "0000:18:00.0 has no method",
	  GA_HEALTH_NOTHING },
	{ "confirmed", "gpu_reset", "confirmed", "0000:18:00.0, 0.1 s", GA_HEALTH_NOTHING },
	{ "another step", "binding", "failed", "0000:18:00.0 is on nvidia", GA_HEALTH_NOTHING },
	{ "no detail", "gpu_reset", "failed", NULL, GA_HEALTH_NOTHING },
};

static void of_releases(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(steps); i++) {
		struct ga_step step = { TXT(steps[i].step), TXT(steps[i].outcome),
					TXT(steps[i].detail) };
		struct ga_released r = { .steps = { &step, 1 } };
		ga_autohealth struct ga_health_sign s = { 0 }, dry = { 0 };
		ga_autofree char *detail =
			steps[i].event ? ga_xprintf("gpu_reset failed: %s", steps[i].detail) : NULL;

		ga_health_of_release(&r, &mine, &s);
		is_sign(&s, steps[i].event, detail, steps[i].name);
		r.dry_run = true;
		ga_health_of_release(&r, &mine, &dry);
		is_sign(&dry, GA_HEALTH_NOTHING, NULL, "a dry run");
	}
}

/* ---- failures ---- */

static const struct {
	const char *name, *phase, *code, *sentence;
	enum ga_health_event event;
} failures[] = {
	{ "its GPU is lost", "devices", "device_lost", "'0000:18:00.0' does not answer",
	  GA_HEALTH_FAULT },
	{ "its function is missing", "devices", "missing_gpu", "no PCI function '0000:1a:00.2'",
	  GA_HEALTH_FAULT },
	{ "its GPU is gone from the bus", "recheck", "missing_gpu",
	  "GPU of slot 's1' is not at '0000:18:00.0'", GA_HEALTH_FAULT },
	{ "another slot's is gone from the bus", "recheck", "missing_gpu",
	  "GPU of slot 's2' is not at '0000:19:00.0'", GA_HEALTH_NOTHING },
	{ "its function is gone from the bus", "recheck", "missing_fabric_vf",
	  "fabric function of slot 's1' is not at '0000:1a:00.2'", GA_HEALTH_FAULT },
	{ "the plan names no GPU", "recheck", "missing_gpu",
	  "slot 's1' cannot be used: missing_gpu: no GPU, or one without identity",
	  GA_HEALTH_NOTHING },
	{ "its drive is gone", "recheck", "missing_nvme",
	  "disk of slot 's1': no NVMe namespace has the wwid 'eui.1'", GA_HEALTH_FAULT },
	{ "another slot's drive is gone", "recheck", "missing_nvme",
	  "disk of slot 's2': no NVMe namespace has the wwid 'eui.12'", GA_HEALTH_NOTHING },
	{ "another's cannot be reset alone", "devices", "gpu_no_reset",
	  "the kernel has no way to reset '0000:19:00.0' alone: no bus reset, because "
	  "0000:18:00.0 is also below 0000:10:01.0", GA_HEALTH_NOTHING },
	{ "its own cannot be reset alone", "devices", "gpu_no_reset",
	  "the kernel has no way to reset '0000:18:00.0' alone: no bus reset, because "
	  "0000:19:00.0 is also below 0000:10:01.0", GA_HEALTH_FAULT },
	{ "its reset fails", "devices", "reset_failed", "cannot reset '0000:18:00.0': why",
	  GA_HEALTH_FAULT },
	{ "another slot's is lost", "devices", "device_lost", "'0000:19:00.0' does not answer",
	  GA_HEALTH_NOTHING },
	{ "its GPU does not answer", "recheck", "gpu_not_answering",
	  "GPU '0000:18:00.0' of slot 's1' does not answer", GA_HEALTH_FAULT },
	{ "nothing can reset its GPU", "recheck", "gpu_no_reset",
	  "the kernel has no way to reset '0000:18:00.0'", GA_HEALTH_FAULT },
	{ "the bus counted errors of its GPU", "recheck", "health_failed",
	  "slot 's1' cannot be used: fatal errors of GPU '0000:18:00.0', 2", GA_HEALTH_FAULT },
	{ "the bus counted errors of another's", "recheck", "health_failed",
	  "slot 's2' cannot be used: fatal errors of GPU '0000:19:00.0', 2", GA_HEALTH_NOTHING },
	{ "its drive is failing", "recheck", "health_failed",
	  "disk 'eui.1' of slot 's1' reports that it is failing", GA_HEALTH_FAULT },
	{ "another slot's drive is failing", "recheck", "health_failed",
	  "disk 'eui.12' of slot 's2' reports that it is failing", GA_HEALTH_NOTHING },
	{ "another slot's does not answer", "recheck", "gpu_not_answering",
	  "GPU '0000:19:00.0' of slot 's2' does not answer", GA_HEALTH_NOTHING },
	{ "a process has its GPU", "recheck", "device_in_use",
	  "process 7 (qemu) has '0000:18:00.0' open", GA_HEALTH_NOTHING },
	{ "the host cannot bind", "devices", "bind_failed", "'0000:18:00.0' is bound to 'nvidia'",
	  GA_HEALTH_DOUBT },
	{ "the fabric", "fabric", "fm_driver_mismatch", "other versions", GA_HEALTH_DOUBT },
	{ "the start", "start", "failed", "libvirt says no", GA_HEALTH_DOUBT },
	{ "no lease", "lease_seen", "deadline", "no lease", GA_HEALTH_DOUBT },
	{ "not ready", "ssh_ready", "deadline", "no answer", GA_HEALTH_DOUBT },
	{ "the image", "clone", "digest", "a rotten chunk", GA_HEALTH_NOTHING },
	{ "prerequisites", "prerequisites", "hugepages", "too few", GA_HEALTH_NOTHING },
	{ "no phase", NULL, "device_lost", "'0000:18:00.0' does not answer", GA_HEALTH_NOTHING },
};

static void of_failures(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(failures); i++) {
		struct ga_failure f = { .phase = TXT(failures[i].phase),
					.code = TXT(failures[i].code),
					.sentence = TXT(failures[i].sentence) };
		ga_autohealth struct ga_health_sign s = { 0 }, dry = { 0 };
		ga_autofree char *detail =
			failures[i].event ?
				ga_xprintf("%s: %s", failures[i].phase, failures[i].sentence) :
				NULL;

		ga_health_of_failure(&f, &mine, &s);
		is_sign(&s, failures[i].event, detail, failures[i].name);
		f.dry_run = true;
		ga_health_of_failure(&f, &mine, &dry);
		is_sign(&dry, GA_HEALTH_NOTHING, NULL, "a dry run");
	}
}

/* The sentence as act/device/vfio.c writes it, with the GPU beside it that makes the reset
 * impossible. */
static void of_a_sibling(void)
{
	static const struct ga_vfio_reset how = {
		.why_not_bus = "0000:18:00.0 is also below 0000:10:01.0",
	};
	static const struct ga_health_devices broken = { "0000:19:00.0", NULL, NULL };
	struct ga_err err = GA_ERR_INIT;
	ga_autohealth struct ga_health_sign own = { 0 }, beside = { 0 };
	struct ga_failure f = { .phase = TXT("devices"), .code = err.reason, .sentence = err.msg };

	t_int(ga_vfio_no_reset("0000:19:00.0", &how, &err), -1, "a GPU cannot be reset alone");
	ga_health_of_failure(&f, &broken, &own);
	t_int(own.event, GA_HEALTH_FAULT, "its slot fails: %s", err.msg);
	ga_health_of_failure(&f, &mine, &beside);
	is_sign(&beside, GA_HEALTH_NOTHING, NULL, "the slot beside it");
}

/* ---- what only a cold start brings back ---- */

static void of_gone(void)
{
	static const struct {
		const char *detail;
		bool gone;
	} cases[] = {
		{ "gpu_lost: expected slot:1:10de:2335 that answers at 0000:18:00.0, and the host "
		  "shows nothing", true },
		{ "gpu_reset failed: '0000:18:00.0' does not answer 60 s after its reset", true },
		{ "recheck: GPU '0000:18:00.0' of slot 's' does not answer in configuration space",
		  true },
		{ "devices: cannot reset '0000:18:00.0' by bus: Input/output error", true },
		{ "recheck: there is no PCI function '0000:18:00.0'", true },
		{ "recheck: GPU of slot 's1' is not at '0000:18:00.0'", true },
		{ "gpu_reset failed: the kernel did not return from writing "
		  "'/sys/bus/pci/devices/0000:18:00.0/reset'", true },
		{ "recheck: fabric function of slot 's1' is not at '0000:1a:00.2'", false },
		{ "gpu_lost_it: x", false },
		{ "recheck: the kernel has no way to reset '0000:18:00.0'", true },
		{ "drive eui.1: wipe failed: the drive does not answer Identify", false },
		{ "gpu_errors: expected no fatal bus error of its GPU, and the host shows 2",
		  false },
		{ "vf_state failed: its GUID stays", false },
		{ "repaired: it does not answer", false },
		{ NULL, false },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++)
		t_ok(ga_health_needs_look(cases[i].detail) == cases[i].gone, "%s: %s",
		     cases[i].gone ? "gone" : "there", cases[i].detail ? cases[i].detail : "-");
}

/* ---- drift ---- */

static const struct {
	const char *name, *code, *observation;
	bool repaired;
	const char *before;
	enum ga_health_event event;
} drifts[] = {
	{ "GPU gone", "gpu_lost", "bad", false, NULL, GA_HEALTH_FAULT },
	{ "GPU gone still", "gpu_lost", "bad", false, "seen", GA_HEALTH_FAULT },
	{ "disk gone still", "disk_missing", "bad", false, "seen", GA_HEALTH_FAULT },
	{ "errors", "gpu_errors", "bad", false, NULL, GA_HEALTH_FAULT },
	{ "more errors", "gpu_errors", "bad", false, "fewer", GA_HEALTH_FAULT },
	{ "the same errors", "gpu_errors", "bad", false, "seen", GA_HEALTH_NOTHING },
	{ "a slow link", "gpu_degraded", "bad", false, NULL, GA_HEALTH_NOTHING },
	{ "a function gone", "pci_missing", "bad", false, NULL, GA_HEALTH_NOTHING },
	{ "repaired", "gpu_lost", "bad", true, NULL, GA_HEALTH_NOTHING },
	{ "unknown", "gpu_lost", "unknown", false, NULL, GA_HEALTH_NOTHING },
	{ "harmless", "gpu_lost", "ok", false, NULL, GA_HEALTH_NOTHING },
};

static void of_drifts(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(drifts); i++) {
		const struct ga_drift d = { .code = TXT(drifts[i].code), .expected = TXT("that"),
					    .observed = TXT("seen"),
					    .observation = TXT(drifts[i].observation),
					    .repaired = drifts[i].repaired };
		ga_autohealth struct ga_health_sign s = { 0 };
		ga_autofree char *detail =
			drifts[i].event ?
				ga_xprintf("%s: expected that, and the host shows seen", d.code) :
				NULL;

		ga_health_of_drift(&d, drifts[i].before, &s);
		is_sign(&s, drifts[i].event, detail, drifts[i].name);
	}
}

/* ---- AER ---- */

static void counters(void)
{
	static const char text[] = "Undefined 0\nDLP 12\nUnsupReq 3\nTOTAL_ERR_FATAL 15\n";

	t_int(ga_health_aer(text, "TOTAL_ERR_FATAL"), 15, "the sum");
	t_int(ga_health_aer(text, "DLP"), 12, "a line in the middle");
	t_int(ga_health_aer(text, "Undefined"), 0, "the first line");
	t_int(ga_health_aer(text, "TOTAL_ERR"), GA_UNKNOWN, "a name that another begins with");
	t_int(ga_health_aer(text, "LP"), GA_UNKNOWN, "a name that another ends with");
	t_int(ga_health_aer("", "DLP"), GA_UNKNOWN, "nothing");
	t_int(ga_health_aer(NULL, "DLP"), GA_UNKNOWN, "no text");
	t_int(ga_health_aer("DLP", "DLP"), GA_UNKNOWN, "no count");
	t_int(ga_health_aer("DLP x", "DLP"), GA_UNKNOWN, "no number");
	t_int(ga_health_aer("DLP -1", "DLP"), GA_UNKNOWN, "below zero");
	t_int(ga_health_aer("DLP 1x", "DLP"), GA_UNKNOWN, "a number and more");
	t_int(ga_health_aer("DLP 7", "DLP"), 7, "no newline at the end");
	t_int(ga_health_aer("DLP 99999999999999999999", "DLP"), (INT64_C(1) << 53) - 1,
	      "more than a record can hold");
}

/* ---- in the state ---- */

static const char *health(struct ga_db *db, const char *column)
{
	ga_autofree char *sql = ga_xprintf("SELECT %s FROM slot WHERE id = 's0000001'", column);

	return sw_get(db, sql);
}

static int drift(struct ga_db *db, const char *code, const char *observed)
{
	ga_autofree char *now = ga_time_now();
	const struct ga_drift d = {
		.node = TXT("n1"), .object = TXT("s0000001"), .code = TXT(code),
		.severity = TXT("error"), .expected = TXT("that"), .observed = TXT(observed),
		.observation = TXT("bad"), .age_seconds = 0, .at = now,
	};
	struct ga_err err = GA_ERR_INIT;

	return sw_fold(db, &ga_drift_schema, &d, &err);
}

static void fails_on_sale(void)
{
	struct ga_db *db = sw_open(2);

	sw_ready(db, 1);
	t_str(health(db, "health_state"), "ok", "a slot on sale");
	t_int(drift(db, "gpu_lost", "no such GPU"), 1, "its GPU is lost");
	t_str(sw_slot_is(db, 1), "disabled", "it leaves sale");
	t_str(health(db, "health_state"), "failed", "and is failed");
	t_str(health(db, "health_detail"),
	      "gpu_lost: expected that, and the host shows no such GPU", "with the sentence");
	t_str(health(db, "health_since IS since"), "1", "since then");
	t_str(health(db, "cordon_reason IS NULL AND blockers = '[]'"), "1",
	      "by nothing but its health");
	t_str(sw_get(db, "SELECT json_extract(detail, '$.to') FROM audit WHERE "
			 "action = 'health' AND object = 's0000001'"), "failed", "in the audit");
	t_str(sw_get(db, "SELECT count(*) FROM slot WHERE health_state = 'failed'"), "1",
	      "the other slot is not concerned");
	sw_close(db);
}

static void fails_in_a_plan(void)
{
	struct ga_db *db = sw_open(2);

	sw_ready(db, 1);
	sw_ready(db, 2);
	sw_place(db, 1, 1, 2);
	t_int(drift(db, "gpu_lost", "no such GPU"), 1, "a GPU of a plan is lost");
	t_str(sw_allocation_is(db, 1), "cancelled", "nobody took the plan up: it is cancelled");
	t_str(sw_slot_is(db, 1), "disabled", "its slot leaves sale");
	t_str(sw_slot_is(db, 2), "available", "the other is on sale again");
	sw_close(db);
}

/* One failure that is about two devices of a plan: the first cancels it for both. */
static void two_fail_in_a_plan(void)
{
	struct ga_db *db = sw_open(2);
	struct ga_err err = GA_ERR_INIT;
	struct ga_failure f;

	sw_ready(db, 1);
	sw_ready(db, 2);
	sw_place(db, 1, 1, 2);
	ga_schema_init(&ga_failure_schema, &f);
	f.program = TXT("gpuaas-provision");
	f.object = TXT("a0000001");
	f.attempt = TXT("pa000001");
	f.generation = 2;
	f.node = TXT("n1");
	f.phase = TXT("recheck");
	f.code = TXT("device_lost");
	f.at = TXT("2026-03-01T00:01:00.000000Z");
	f.sentence = TXT("'0000:11:00.0' and '0000:12:00.0' do not answer");
	t_int(sw_fold(db, &ga_failure_schema, &f, &err), 1, "two devices fail: %s", err.msg);
	t_str(sw_allocation_is(db, 1), "cancelled", "the plan is cancelled once");
	t_str(sw_slot_is(db, 1), "disabled", "the first slot leaves sale");
	t_str(sw_slot_is(db, 2), "disabled", "and the second");
	t_str(sw_get(db, "SELECT count(*) FROM slot WHERE health_state = 'failed'"), "2",
	      "both are failed");
	sw_close(db);
}

static void fails_in_use(void)
{
	struct ga_db *db = sw_open(1);

	sw_ready(db, 1);
	sw_place(db, 1, 1, 1);
	sw_must(sw_progress(db, 1, "clone", "started", &sw_err));
	t_str(sw_slot_is(db, 1), "provisioning", "a host works on it");
	t_int(drift(db, "gpu_lost", "no such GPU"), 1, "its GPU is lost");
	t_str(sw_slot_is(db, 1), "provisioning", "what is in use stays where it is");
	t_str(health(db, "health_state"), "failed", "and is failed");
	sw_close(db);
}

/* The counters of errors outlast a repair; a GPU that is gone does not come back by one. */
static void counted_once(void)
{
	struct ga_db *db = sw_open(1);
	static const char repaired[] = "UPDATE slot SET health_state = 'unknown', "
				       "generation = generation + 1";

	sw_ready(db, 1);
	sw_must(drift(db, "gpu_errors", "3 since the host's start (boot b1)"));
	t_str(health(db, "health_state"), "failed", "errors are a fault");
	sw_begin(db);
	sw_sql(db, repaired);
	sw_commit(db);
	sw_must(drift(db, "gpu_errors", "3 since the host's start (boot b1)"));
	t_str(health(db, "health_state"), "unknown", "those that were there before are not");
	sw_must(drift(db, "gpu_errors", "4 since the host's start (boot b1)"));
	t_str(health(db, "health_state"), "failed", "one more is");
	sw_begin(db);
	sw_sql(db, repaired);
	sw_commit(db);
	sw_must(drift(db, "gpu_errors", "4 since the host's start (boot b2)"));
	t_str(health(db, "health_state"), "failed", "as many in another boot are");
	sw_begin(db);
	sw_sql(db, repaired);
	sw_commit(db);
	sw_must(drift(db, "gpu_lost", "no such GPU"));
	sw_begin(db);
	sw_sql(db, repaired);
	sw_commit(db);
	sw_must(drift(db, "gpu_lost", "no such GPU"));
	t_str(health(db, "health_state"), "failed", "a GPU that is still gone is");
	sw_close(db);
}

/* ---- clocks that are ahead ---- */

#define LATER "2099-01-01T00:00:00.000000Z"

static int drift_at(struct ga_db *db, const char *code, const char *at, bool repaired)
{
	const struct ga_drift d = {
		.node = TXT("n1"), .object = TXT("s0000001"), .code = TXT(code),
		.severity = TXT("error"), .expected = TXT("that"), .observed = TXT("seen"),
		.observation = TXT("bad"), .age_seconds = 0, .repaired = repaired, .at = TXT(at),
	};
	struct ga_err err = GA_ERR_INIT;

	return sw_fold(db, &ga_drift_schema, &d, &err);
}

static int observe_at(struct ga_db *db, const char *at, struct ga_err *err)
{
	struct ga_observation o;

	ga_schema_init(&ga_observation_schema, &o);
	o.node = TXT("n1");
	o.agreed = true;
	o.at = TXT(at);
	o.boot_id = TXT("b");
	return sw_fold(db, &ga_observation_schema, &o, err);
}

static void drift_of_a_clock_ahead(void)
{
	struct ga_db *db = sw_open(1);

	sw_ready(db, 1);
	t_int(drift_at(db, "gpu_lost", LATER, false), 1, "a GPU is lost, by a clock that is ahead");
	t_str(sw_slot_is(db, 1), "disabled", "its slot leaves sale all the same");
	t_str(health(db, "since < '2098'"), "1", "now, and not then");
	t_str(health(db, "health_since < '2098'"), "1", "its health as well");
	t_str(sw_get(db, "SELECT since < '2098' AND seen_at < '2098' FROM node_drift"), "1",
	      "and what attention shows");
	sw_close(db);
}

static void observation_of_a_clock_ahead(void)
{
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *now = NULL;

	sw_ready(db, 1);
	t_int(observe_at(db, LATER, &err), -1, "an observation of a clock that is ahead");
	t_str(err.reason, "observation_ahead", "is refused");
	t_int(err.code, GA_CONFLICT, "as a discovery is");
	t_str(sw_get(db, "SELECT count(*) FROM node_reconciled"), "0", "and is not the last one");
	sw_must(drift(db, "gpu_errors", "1 since the host's start"));
	t_str(sw_get(db, "SELECT count(*) FROM node_drift"), "1", "drift is kept after it");
	/* A record that an older version has taken. */
	sw_begin(db);
	sw_sql(db, "INSERT INTO node_reconciled (node_id, at, agreed, drifts) "
		   "VALUES ('n1', '" LATER "', 1, 0)");
	sw_sql(db, "UPDATE node_drift SET seen_at = '" LATER "'");
	sw_commit(db);
	sw_must(drift(db, "gpu_lost", "no such GPU"));
	sw_must(drift(db, "gpu_errors", "2 since the host's start"));
	t_str(sw_get(db, "SELECT count(*) FROM node_drift WHERE seen_at < '2098'"), "2",
	      "a time to come that is stored is in the way of no drift");
	sw_begin(db);
	sw_sql(db, "UPDATE node_drift SET seen_at = '" LATER "' WHERE code = 'gpu_errors'");
	sw_commit(db);
	now = ga_time_now();
	sw_must(observe_at(db, now, &err));
	t_str(sw_get(db, "SELECT at < '2098' FROM node_reconciled"), "1", "nor of an observation");
	t_str(sw_get(db, "SELECT count(*) FROM node_drift"), "0", "which ends what it ends");
	sw_close(db);
}

/* A guest that is ready, and a failed reset, by the clock of a host that is ahead. */
static void health_of_a_clock_ahead(void)
{
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_failure f;

	sw_ready(db, 1);
	sw_place(db, 1, 1, 1);
	ga_schema_init(&ga_failure_schema, &f);
	f.program = TXT("gpuaas-provision");
	f.object = TXT("a0000001");
	f.attempt = TXT("pa000001");
	f.generation = 2;
	f.node = TXT("n1");
	f.phase = TXT("recheck");
	f.code = TXT("device_lost");
	f.at = TXT(LATER);
	f.sentence = TXT("'0000:11:00.0' does not answer");
	t_int(sw_fold(db, &ga_failure_schema, &f, &err), 1, "a failure of a clock ahead");
	t_str(health(db, "health_state"), "failed", "fails the slot");
	t_str(health(db, "health_since < '2098' AND since < '2098'"), "1", "now, and not then");
	sw_close(db);
}

static void reset_fails_in_evidence(void)
{
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_evidence e;

	sw_evidence(1, "wf000001", 2, &e);
	free(e.gpu_reset.outcome);
	e.gpu_reset.outcome = ga_xstrdup("failed");
	e.gpu_reset.detail = ga_xstrdup("0000:11:00.0 does not answer 60 s after its reset");
	ga_wipe_evidence_seal(&e);
	t_int(sw_fold(db, &ga_wipe_evidence_schema, &e, &err), 1, "evidence with a failed reset");
	t_str(health(db, "health_state"), "failed", "fails the slot");
	t_str(health(db, "health_detail"),
	      "gpu_reset failed: 0000:11:00.0 does not answer 60 s after its reset",
	      "with its sentence");
	t_str(health(db, "state = 'available'"), "0", "which is not put on sale");
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	sw_close(db);
}

int main(void)
{
	transitions();
	only_repair_leaves_failed();
	of_wipes();
	of_releases();
	of_failures();
	of_a_sibling();
	of_gone();
	of_drifts();
	counters();
	fails_on_sale();
	fails_in_a_plan();
	two_fail_in_a_plan();
	fails_in_use();
	counted_once();
	drift_of_a_clock_ahead();
	health_of_a_clock_ahead();
	observation_of_a_clock_ahead();
	reset_fails_in_evidence();
	return t_done();
}
