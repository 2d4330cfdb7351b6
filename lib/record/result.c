/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of results. */
#include "record/result.h"

#include "record/digest.h"
#include "record/rec.h"
#include "record/words.h"

static const char *const progress_states[] = { "started", "running", "finished", "failed", NULL };
static const char *const lease_states[] = { "seen", "missing", "mismatch", "unknown", NULL };
static const char *const media[] = { "nvme", "block", "file", NULL };
static const char *const methods[] = { "sanitize_crypto", "sanitize_block", "format_crypto",
				       "format_user", "zeroout", NULL };
static const char *const wipe_outcomes[] = { "confirmed", "not_started", "unknown", "failed",
					     NULL };
static const char *const evidence_causes[] = { "first",	  "release", "repair", "rebuild",
					       "alone",	  NULL };
static const char *const evidence_classes[] = { "none", "clear", "purge", NULL };
static const char *const severities[] = { "error", "warning", "info", NULL };
static const char *const observations[] = { "ok", "bad", "unknown", NULL };

#define S ga_progress
const struct ga_schema ga_progress_schema = {
	.kind = "gpuaas.progress/1",
	.doc = "progress in a phase of long work",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_REQ, GA_T_ID, "allocation or slot"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the order"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, phase, GA_REQ, GA_T_CODE, "phase"),
		GA_ENUM(S, state, GA_REQ, progress_states, "state of the phase"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the progress was reported"),
		GA_AMOUNT(S, elapsed_micros, GA_NULLOK, "time spent in the phase, in microseconds"),
		GA_BYTES(S, bytes, GA_NULLOK, "bytes done"),
		GA_BYTES(S, total_bytes, GA_NULLOK, "bytes to do"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "details, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_phase
const struct ga_schema ga_phase_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, phase, GA_REQ, GA_T_CODE, "phase"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when the phase began"),
		GA_AMOUNT(S, elapsed_micros, GA_NULLOK,
			  "duration of the phase in microseconds; null: not ended"),
		GA_BYTES(S, bytes, GA_NULLOK, "bytes transferred"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "details, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_access
const struct ga_schema ga_access_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, user, GA_NULLOK, GA_T_ANY, "login of the guest"),
		GA_TEXT(S, address, GA_NULLOK, GA_T_ANY, "address of the guest"),
		GA_TEXT(S, jump_host, GA_NULLOK, GA_T_ANY, "ssh jump host"),
		GA_TEXT(S, host_key_fingerprint, GA_NULLOK, GA_T_ANY,
			"fingerprint of the guest's ssh host key, SHA256:…"),
		GA_FIELDS_END },
};
#undef S

#define S ga_lease
const struct ga_schema ga_lease_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "MAC address of the VM"),
		GA_TEXT(S, expected_ip, GA_NULLOK, GA_T_IP, "address that is reserved"),
		GA_TEXT(S, actual_ip, GA_NULLOK, GA_T_IP, "address that was leased"),
		GA_ENUM(S, lease_state, GA_REQ, lease_states,
			"whether the lease has the reserved address"),
		GA_FIELDS_END },
};
#undef S

#define S ga_allocation
const struct ga_schema ga_allocation_schema = {
	.is_signed = true,
	.kind = "gpuaas.allocation/1",
	.doc = "an allocation; gpuaas-provision ends with one",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "name of the allocation"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the allocation"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "attempt of the order"),
		GA_BOOL(S, dry_run, "true: nothing was done"),
		GA_ENUM(S, state, GA_REQ, ga_allocation_states, "state of the allocation"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when the allocation entered its state"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_ANY, "reason for the state, where there is one"),
		GA_TEXT(S, project, GA_REQ, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "profile"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_ANY,
			"accelerator type of the devices; null: unknown, or several"),
		GA_SERIAL(S, profile_version, GA_REQ, "version of the profile"),
		GA_COUNT(S, count, GA_REQ, "number of GPUs"),
		GA_COUNT(S, priority, GA_REQ, "priority"),
		GA_TEXTS(S, slots, GA_REQ, GA_T_ID, "slots of the allocation"),
		GA_ENUM(S, power_wanted, GA_NULLOK, ga_power_words, "power wanted"),
		GA_ENUM(S, power_observed, GA_NULLOK, ga_power_words, "power last seen"),
		GA_OBJ(S, access, GA_NULLOK, &ga_access_schema, "how to reach the guest"),
		GA_OBJ(S, network, GA_NULLOK, &ga_lease_schema, "DHCP lease of the VM"),
		GA_LISTOF(S, phases, &ga_phase_schema, "phases of the provisioning"),
		GA_TEXT(S, created_at, GA_REQ, GA_T_TIME, "when the request came"),
		GA_TEXT(S, expires_at, GA_NULLOK, GA_T_TIME,
			"when the plan (placed) or the hold (held) expires"),
		GA_BOOL(S, lab, "true: a lab; disks are files, readiness is not proved"),
		GA_FIELD(S, profile_changed, GA_F_TRI, GA_OPT,
			 .doc = "true: its profile has a newer version; the state says this, never "
				"the host"),
		GA_TEXT(S, type_reason, GA_OPT, GA_T_ANY,
			"why the devices are not of the first type of the request; the state says "
			"this, never the host"),
		GA_TEXT(S, app, GA_OPT, GA_T_NAME,
			"app that the request named; the state says this, never the host"),
		GA_SERIAL(S, app_version, GA_OPT,
			  "version of the app when the allocation was placed"),
		GA_TEXT(S, tenant_image, GA_OPT, GA_T_NAME,
			"baremetal: image that the plan names; the state says this, never the "
			"host"),
		GA_TEXT(S, run_until, GA_OPT, GA_T_TIME,
			"active, held or preempting: when the run time of its request ends; the "
			"state says this, never the host"),
		GA_TEXT(S, user, GA_OPT, GA_T_ANY,
			"user who asked for it, as in the audit; the state says this, never the "
			"host"),
		GA_FIELDS_END },
};
#undef S

#define S ga_step
const struct ga_schema ga_step_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, step, GA_REQ, GA_T_CODE, "action or check"),
		GA_ENUM(S, outcome, GA_REQ, ga_step_outcomes, "outcome of the step"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "details, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_released
const struct ga_schema ga_released_schema = {
	.kind = "gpuaas.released/1",
	.doc = "the devices of an allocation were released, as observed",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the order"),
		GA_BOOL(S, dry_run, "true: nothing was done"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the release was observed"),
		GA_LISTOF(S, steps, &ga_step_schema, "steps of the release"),
		GA_TEXTS(S, slots, GA_REQ, GA_T_ID, "slots of the allocation"),
		GA_BOOL(S, lab, "true: a lab; disks are files"),
		GA_FIELDS_END },
};
#undef S

#define S ga_wiped_device
static const struct ga_schema wiped_device_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		/* Any text: a wipe by hand also takes SCSI disks, whose names may have spaces
		 * ("t10.ATA     VENDOR MODEL"). */
		GA_TEXT(S, wwid, GA_REQ, GA_T_ANY, "WWID of the disk"),
		GA_TEXT(S, serial, GA_NULLOK, GA_T_ANY, "serial number of the disk"),
		GA_TEXT(S, model, GA_NULLOK, GA_T_ANY, "model of the disk"),
		GA_TEXT(S, firmware, GA_NULLOK, GA_T_ANY, "firmware revision of the disk"),
		GA_TEXT(S, pci_address, GA_NULLOK, GA_T_PCI, "PCI address of the disk"),
		GA_TEXT(S, path, GA_NULLOK, GA_T_ANY, "path that the wipe opened"),
		GA_BYTES(S, size_bytes, GA_REQ, "size of the disk"),
		GA_BYTES(S, logical_block_bytes, GA_NULLOK, "logical block size"),
		GA_NUMBER(S, nsid, GA_NULLOK, "namespace id"),
		GA_TEXT(S, diskseq_before, GA_NULLOK, GA_T_WORD,
			"disk sequence number before the wipe"),
		GA_TEXT(S, diskseq_after, GA_NULLOK, GA_T_WORD,
			"disk sequence number after the wipe"),
		GA_ENUM(S, medium, GA_REQ, media, "kind of disk"),
		GA_FIELDS_END },
};
#undef S

#define S ga_wipe_try
static const struct ga_schema wipe_try_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, method, GA_REQ, methods, "method of the wipe"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when the method began"),
		GA_TEXT(S, finished_at, GA_NULLOK, GA_T_TIME, "when the method ended"),
		GA_ENUM(S, outcome, GA_REQ, wipe_outcomes, "outcome of the method"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "status that the drive reported"),
		GA_FIELDS_END },
};
#undef S

#define S ga_markers
static const struct ga_schema markers_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, seed_digest, GA_REQ, GA_T_DIGEST, "digest of the seed of the markers"),
		GA_COUNT(S, written, GA_REQ,
			 "markers of 4 KiB that were written and read back before the purge"),
		GA_COUNT(S, surviving, GA_REQ, "markers found again after the purge"),
		GA_COUNT(S, unreadable, GA_REQ, "markers whose place could not be read"),
		GA_FIELDS_END },
};
#undef S

#define S ga_read_back
static const struct ga_schema read_back_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, verify, GA_REQ, ga_verify_words,
			"whether the disk was read back in full or sampled"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when the reading began"),
		GA_TEXT(S, finished_at, GA_NULLOK, GA_T_TIME, "when the reading ended"),
		GA_BYTES(S, bytes_read, GA_REQ, "bytes read"),
		GA_COUNT(S, mismatches, GA_REQ, "blocks of 4 KiB that were not zero"),
		GA_COUNT(S, remnant_bound_ppb, GA_REQ,
			 "part of the disk that can still hold old data at most, in 1e-9, at 99 % "
			 "confidence; full: 0"),
		GA_FIELDS_END },
};
#undef S

#define S ga_wipe_evidence
const struct ga_schema ga_wipe_evidence_schema = {
	.kind = "gpuaas.wipe-evidence/1",
	.doc = "the evidence of one attempt to wipe a disk: methods, checks and outcome",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, evidence, GA_REQ, GA_T_ID, "evidence id"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ID, "slot id; null: wiped without a state"),
		GA_TEXT(S, claim, GA_NULLOK, GA_T_ID, "live claim on the slot"),
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID,
			"allocation whose data the disk held; null: none"),
		GA_SERIAL(S, generation, GA_NULLOK, "generation of the order"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "attempt of the order"),
		GA_BOOL(S, dry_run, "true: nothing was done"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when the wipe began"),
		GA_TEXT(S, finished_at, GA_REQ, GA_T_TIME, "when the wipe ended"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_WORD, "boot id of the host"),
		GA_ENUM(S, cause, GA_REQ, evidence_causes,
			"cause of the wipe; alone: without an order"),
		GA_OBJ(S, device, GA_REQ, &wiped_device_schema, "disk that was wiped"),
		GA_OBJ(S, capabilities, GA_REQ, &ga_nvme_caps_schema,
		       "capabilities of the drive for a wipe"),
		GA_OBJ(S, policy, GA_REQ, &ga_wipe_policy_schema, "wipe policy of the order"),
		GA_LISTOF(S, guard, &ga_step_schema, "checks before anything destructive"),
		GA_LISTOF(S, attempts, &wipe_try_schema, "methods that were tried"),
		GA_OBJ(S, markers, GA_NULLOK, &markers_schema, "marker probe; null: none"),
		GA_OBJ(S, read_back, GA_NULLOK, &read_back_schema,
		       "read-back of the disk; null: none"),
		GA_OBJ(S, gpu_memory, GA_REQ, &ga_step_schema, "scrub of the GPU memory"),
		GA_OBJ(S, gpu_reset, GA_REQ, &ga_step_schema, "reset of the GPU"),
		GA_OBJ(S, vf_state, GA_REQ, &ga_step_schema,
		       "state of the fabric virtual function"),
		GA_TEXT(S, gpu_reset_method, GA_OPT, GA_T_CODE,
			"method of the GPU reset in the kernel: bus, flr, ..."),
		GA_TEXT(S, gpu_identity, GA_NULLOK, GA_T_WORD,
			"identity of the GPU in these steps"),
		GA_ENUM(S, class, GA_REQ, evidence_classes, "NIST SP 800-88 class reached"),
		GA_ENUM(S, outcome, GA_REQ, wipe_outcomes, "outcome of the wipe"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_ANY,
			"why the wipe is not confirmed; null: it is"),
		GA_INT_IN(S, status, GA_REQ, 0, 10, "exit status of the pipeline"),
		GA_BOOL(S, lab, "true: the disk is a file"),
		GA_TEXT(S, tool, GA_REQ, GA_T_ANY, "program and version"),
		GA_INT_IN(S, rules, GA_OPT, GA_WIPE_RULES_FIRST, 1000,
			  "version of the rules that judge this evidence; left out: older than the "
			  "first"),
		GA_TEXT(S, previous_digest, GA_NULLOK, GA_T_DIGEST,
			"digest of the previous evidence of this host; null: none"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST,
			"digest of this record without this member"),
		GA_FIELDS_END },
};
#undef S

#define S ga_observed_allocation
static const struct ga_schema observed_allocation_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_ENUM(S, power, GA_NULLOK, ga_power_words, "power that was seen; null: unknown"),
		GA_FIELDS_END },
};
#undef S

#define S ga_observation
const struct ga_schema ga_observation_schema = {
	.kind = "gpuaas.observation/1",
	.doc = "the summary of what gpuaas-reconcile found on a node",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the node was observed"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_WORD, "boot id of the node"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST,
			"hardware fingerprint of the node now"),
		GA_BOOL(S, agreed, "true: no drift of severity error remains"),
		GA_COUNT(S, journal_open, GA_REQ, "changes of the host that wait for being undone"),
		GA_COUNT(S, drifts, GA_REQ, "number of drift records before it"),
		GA_LISTOF(S, allocations, &observed_allocation_schema, "power of each allocation"),
		GA_FIELDS_END },
};
#undef S

#define S ga_drift
const struct ga_schema ga_drift_schema = {
	.kind = "gpuaas.drift/1",
	.doc = "a difference between the expected and the observed state of a node",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY, "slot, allocation, device or domain"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "class of drift"),
		GA_ENUM(S, severity, GA_REQ, severities, "severity of the drift"),
		GA_TEXT(S, expected, GA_NULLOK, GA_T_ANY, "expected value"),
		GA_TEXT(S, observed, GA_NULLOK, GA_T_ANY, "observed value"),
		GA_ENUM(S, observation, GA_REQ, observations,
			"result of the check; only bad is drift"),
		GA_SPAN(S, age_seconds, GA_NULLOK, "age of the drift in seconds; null: unknown"),
		GA_TEXT(S, repair, GA_NULLOK, GA_T_CODE,
			"name of the safe repair, see gpuaas-reconcile(1); null: none"),
		GA_TEXT(S, command, GA_NULLOK, GA_T_ANY, "command for a person; null: none"),
		GA_BOOL(S, repaired, "true: the repair was done"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the drift was found"),
		GA_FIELDS_END },
};
#undef S

#define S ga_failure
const struct ga_schema ga_failure_schema = {
	.kind = "gpuaas.failure/1",
	.doc = "work that began and failed",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY, "allocation or slot"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "attempt of the order"),
		GA_SERIAL(S, generation, GA_NULLOK, "generation of the order"),
		GA_TEXT(S, program, GA_REQ, GA_T_ANY, "program that reports the failure"),
		GA_TEXT(S, phase, GA_NULLOK, GA_T_CODE, "phase in which the work failed"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why the work failed"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the reason, for people"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "how to go on, for people"),
		GA_INT_IN(S, status, GA_REQ, 1, 10, "exit status of the pipeline"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the work failed"),
		GA_BOOL(S, dry_run, "true: from a dry run"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_end
const struct ga_schema ga_node_end_schema = {
	.kind = "gpuaas.node-end/1",
	.doc = "the end of the output of one node in gpuaas-on",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_BOOL(S, complete, "true: all output of the command was passed on"),
		GA_COUNT(S, status, GA_NULLOK,
			 "exit status of the command on the node; null: its end was not seen"),
		GA_COUNT(S, orders, GA_REQ, "number of records sent to the node"),
		GA_COUNT(S, records, GA_REQ, "number of records of the node that were passed on"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST,
			"digest of the lines passed on, each with its newline"),
		GA_AMOUNT(S, elapsed_micros, GA_NULLOK,
			  "time since the start of the connection, in microseconds"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the output ended"),
		GA_FIELDS_END },
};
#undef S

void ga_wipe_evidence_seal(struct ga_wipe_evidence *e)
{
	char digest[GA_DIGEST_SIZE] = "";

	free(e->digest);
	e->digest = ga_xstrdup("-"); /* the schema requires it; the digest leaves it out */
	ga_rec_digest(&ga_wipe_evidence_schema, e, "digest", digest);
	free(e->digest);
	e->digest = ga_xstrdup(digest);
}
