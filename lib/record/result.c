/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of results. */
#include "record/result.h"

#include "record/digest.h"
#include "record/rec.h"
#include "record/words.h"

static const char *const progress_states[] = { "started", "running", "finished", "failed", NULL };
static const char *const lease_states[] = { "seen", "missing", "mismatch", "unknown", NULL };
static const char *const step_outcomes[] = { "confirmed", "not_needed", "not_proven", "failed",
					     NULL };
static const char *const media[] = { "nvme", "block", "file", NULL };
static const char *const methods[] = { "sanitize_crypto", "sanitize_block", "format_crypto",
				       "format_user", "zeroout", NULL };
static const char *const wipe_outcomes[] = { "confirmed", "not_started", "unknown", "failed",
					     NULL };
static const char *const evidence_classes[] = { "none", "clear", "purge", NULL };
static const char *const severities[] = { "error", "warning", "info", NULL };
static const char *const observations[] = { "ok", "bad", "unknown", NULL };

#define S ga_progress
const struct ga_schema ga_progress_schema = {
	.kind = "gpuaas.progress/1",
	.doc = "a phase of long work",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_REQ, GA_T_ID, "allocation or slot"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the order"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, phase, GA_REQ, GA_T_CODE, "phase"),
		GA_ENUM(S, state, GA_REQ, progress_states, "how far"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_AMOUNT(S, elapsed_micros, GA_NULLOK, "time spent in the phase"),
		GA_BYTES(S, bytes, GA_NULLOK, "bytes done"),
		GA_BYTES(S, total_bytes, GA_NULLOK, "bytes to do"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_phase
const struct ga_schema ga_phase_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, phase, GA_REQ, GA_T_CODE, "phase"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when it began"),
		GA_AMOUNT(S, elapsed_micros, GA_NULLOK, "how long it took"),
		GA_BYTES(S, bytes, GA_NULLOK, "bytes moved"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_access
const struct ga_schema ga_access_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, user, GA_NULLOK, GA_T_ANY, "login"),
		GA_TEXT(S, address, GA_NULLOK, GA_T_ANY, "address"),
		GA_TEXT(S, jump_host, GA_NULLOK, GA_T_ANY, "ssh jump host"),
		GA_TEXT(S, host_key_fingerprint, GA_NULLOK, GA_T_ANY, "SHA256:… of its host key"),
		GA_FIELDS_END },
};
#undef S

#define S ga_lease
const struct ga_schema ga_lease_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "MAC"),
		GA_TEXT(S, expected_ip, GA_NULLOK, GA_T_IP, "reserved address"),
		GA_TEXT(S, actual_ip, GA_NULLOK, GA_T_IP, "leased address"),
		GA_ENUM(S, lease_state, GA_REQ, lease_states, "what the leases say"),
		GA_FIELDS_END },
};
#undef S

#define S ga_allocation
const struct ga_schema ga_allocation_schema = {
	.is_signed = true,
	.kind = "gpuaas.allocation/1",
	.doc = "an allocation; provision ends with one",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "its name"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "its generation"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "attempt of the order"),
		GA_BOOL(S, dry_run, "nothing was done"),
		GA_ENUM(S, state, GA_REQ, ga_allocation_states, "its state"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when it entered it"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_ANY, "why, where that needs saying"),
		GA_TEXT(S, project, GA_REQ, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "profile"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_ANY, "accelerator type of its devices"),
		GA_SERIAL(S, profile_version, GA_REQ, "version of the profile"),
		GA_COUNT(S, count, GA_REQ, "GPUs"),
		GA_COUNT(S, priority, GA_REQ, "priority"),
		GA_TEXTS(S, slots, GA_REQ, GA_T_ID, "its slots"),
		GA_ENUM(S, power_wanted, GA_NULLOK, ga_power_words, "power wanted"),
		GA_ENUM(S, power_observed, GA_NULLOK, ga_power_words, "power last seen"),
		GA_OBJ(S, access, GA_NULLOK, &ga_access_schema, "how to reach it"),
		GA_OBJ(S, network, GA_NULLOK, &ga_lease_schema, "its lease"),
		GA_LISTOF(S, phases, &ga_phase_schema, "timeline of the provisioning"),
		GA_TEXT(S, created_at, GA_REQ, GA_T_TIME, "when the request came"),
		GA_TEXT(S, expires_at, GA_NULLOK, GA_T_TIME, "of a plan not taken up; of a hold"),
		GA_BOOL(S, lab, "no real disks, readiness not proved"),
		GA_FIELD(S, profile_changed, GA_F_TRI, GA_OPT,
			 .doc = "true: another version of its profile is the current one; the "
				"state says so, not the host"),
		GA_TEXT(S, type_reason, GA_OPT, GA_T_ANY,
			"why it is not on the first type of its order; of the state too"),
		GA_FIELDS_END },
};
#undef S

#define S ga_step
const struct ga_schema ga_step_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, step, GA_REQ, GA_T_CODE, "what was done or checked"),
		GA_ENUM(S, outcome, GA_REQ, step_outcomes, "how it came out"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_released
const struct ga_schema ga_released_schema = {
	.kind = "gpuaas.released/1",
	.doc = "the devices of an allocation are free of it, as observed",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the order"),
		GA_BOOL(S, dry_run, "nothing was done"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when it was observed"),
		GA_LISTOF(S, steps, &ga_step_schema, "what was released"),
		GA_TEXTS(S, slots, GA_REQ, GA_T_ID, "its slots"),
		GA_BOOL(S, lab, "disks are files"),
		GA_FIELDS_END },
};
#undef S

#define S ga_wiped_device
static const struct ga_schema wiped_device_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, wwid, GA_REQ, GA_T_ANY, "identity"),
		GA_TEXT(S, serial, GA_NULLOK, GA_T_ANY, "serial"),
		GA_TEXT(S, model, GA_NULLOK, GA_T_ANY, "model"),
		GA_TEXT(S, firmware, GA_NULLOK, GA_T_ANY, "firmware"),
		GA_TEXT(S, pci_address, GA_NULLOK, GA_T_PCI, "PCI address"),
		GA_TEXT(S, path, GA_NULLOK, GA_T_ANY, "path it was opened by"),
		GA_BYTES(S, size_bytes, GA_REQ, "size"),
		GA_BYTES(S, logical_block_bytes, GA_NULLOK, "logical block size"),
		GA_NUMBER(S, nsid, GA_NULLOK, "namespace id"),
		GA_TEXT(S, diskseq_before, GA_NULLOK, GA_T_ANY, "disk sequence number before"),
		GA_TEXT(S, diskseq_after, GA_NULLOK, GA_T_ANY, "and after"),
		GA_ENUM(S, medium, GA_REQ, media, "what it is"),
		GA_FIELDS_END },
};
#undef S

#define S ga_wipe_try
static const struct ga_schema wipe_try_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, method, GA_REQ, methods, "method"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when it began"),
		GA_TEXT(S, finished_at, GA_NULLOK, GA_T_TIME, "when it ended"),
		GA_ENUM(S, outcome, GA_REQ, wipe_outcomes, "how it came out"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "status of the drive"),
		GA_FIELDS_END },
};
#undef S

#define S ga_markers
static const struct ga_schema markers_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, seed_digest, GA_REQ, GA_T_DIGEST, "digest of the seed of the markers"),
		GA_COUNT(S, written, GA_REQ, "markers of 4 KiB written and read back before"),
		GA_COUNT(S, surviving, GA_REQ, "found again after the purge"),
		GA_COUNT(S, unreadable, GA_REQ, "places that could not be read"),
		GA_FIELDS_END },
};
#undef S

#define S ga_read_back
static const struct ga_schema read_back_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, verify, GA_REQ, ga_verify_words, "how much was read back"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when it began"),
		GA_TEXT(S, finished_at, GA_NULLOK, GA_T_TIME, "when it ended"),
		GA_BYTES(S, bytes_read, GA_REQ, "bytes read"),
		GA_COUNT(S, mismatches, GA_REQ, "blocks of 4 KiB that were not zero"),
		GA_COUNT(S, remnant_bound_ppb, GA_REQ, "could remain: 1e-9 of the disk (99 %)"),
		GA_FIELDS_END },
};
#undef S

#define S ga_wipe_evidence
const struct ga_schema ga_wipe_evidence_schema = {
	.kind = "gpuaas.wipe-evidence/1",
	.doc = "what one wipe attempt did and proved",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, evidence, GA_REQ, GA_T_ID, "evidence id"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ID, "slot id; null when wiped without a state"),
		GA_TEXT(S, claim, GA_NULLOK, GA_T_ID, "live claim"),
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID, "whose data it held"),
		GA_SERIAL(S, generation, GA_NULLOK, "generation of the order"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "attempt of the order"),
		GA_BOOL(S, dry_run, "nothing was done"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when it began"),
		GA_TEXT(S, finished_at, GA_REQ, GA_T_TIME, "when it ended"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_ANY, "boot id of the host"),
		GA_TEXT(S, cause, GA_REQ, GA_T_CODE, "first, release, repair, rebuild or alone"),
		GA_OBJ(S, device, GA_REQ, &wiped_device_schema, "the disk"),
		GA_OBJ(S, capabilities, GA_REQ, &ga_nvme_caps_schema, "what it can do"),
		GA_OBJ(S, policy, GA_REQ, &ga_wipe_policy_schema, "the policy of the order"),
		GA_LISTOF(S, guard, &ga_step_schema, "checks before anything destructive"),
		GA_LISTOF(S, attempts, &wipe_try_schema, "methods tried"),
		GA_OBJ(S, markers, GA_NULLOK, &markers_schema, "the marker probe"),
		GA_OBJ(S, read_back, GA_NULLOK, &read_back_schema, "the read-back"),
		GA_OBJ(S, gpu_memory, GA_REQ, &ga_step_schema, "GPU memory scrub"),
		GA_OBJ(S, gpu_reset, GA_REQ, &ga_step_schema, "GPU reset"),
		GA_OBJ(S, vf_state, GA_REQ, &ga_step_schema, "state of the fabric function"),
		GA_TEXT(S, gpu_reset_method, GA_OPT, GA_T_CODE,
			"how the kernel reset the GPU: bus, flr, ..."),
		GA_TEXT(S, gpu_identity, GA_NULLOK, GA_T_ANY, "the GPU of those steps"),
		GA_ENUM(S, class, GA_REQ, evidence_classes, "NIST SP 800-88 class reached"),
		GA_ENUM(S, outcome, GA_REQ, wipe_outcomes, "how it came out"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_ANY, "why it is not confirmed"),
		GA_INT_IN(S, status, GA_REQ, 0, 10, "exit status of the pipeline"),
		GA_BOOL(S, lab, "the disk is a file"),
		GA_TEXT(S, tool, GA_REQ, GA_T_ANY, "program and version"),
		GA_INT_IN(S, rules, GA_OPT, GA_WIPE_RULES_FIRST, 1000,
			  "version of the rules that its content is judged by; missing: older"),
		GA_TEXT(S, previous_digest, GA_NULLOK, GA_T_DIGEST, "of this host's last evidence"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "of this record without this member"),
		GA_FIELDS_END },
};
#undef S

#define S ga_observed_allocation
static const struct ga_schema observed_allocation_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_ENUM(S, power, GA_NULLOK, ga_power_words, "power seen"),
		GA_FIELDS_END },
};
#undef S

#define S ga_observation
const struct ga_schema ga_observation_schema = {
	.kind = "gpuaas.observation/1",
	.doc = "what reconcile found on a node, in short",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_ANY, "boot id"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST, "fingerprint now"),
		GA_BOOL(S, agreed, "no drift of severity error remains"),
		GA_COUNT(S, journal_open, GA_REQ, "open journal entries"),
		GA_COUNT(S, drifts, GA_REQ, "drift records before it"),
		GA_LISTOF(S, allocations, &observed_allocation_schema, "power of each allocation"),
		GA_FIELDS_END },
};
#undef S

#define S ga_drift
const struct ga_schema ga_drift_schema = {
	.kind = "gpuaas.drift/1",
	.doc = "where desired and observed differ",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY, "slot, allocation, device or domain"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "class of drift"),
		GA_ENUM(S, severity, GA_REQ, severities, "how bad"),
		GA_TEXT(S, expected, GA_NULLOK, GA_T_ANY, "what should be"),
		GA_TEXT(S, observed, GA_NULLOK, GA_T_ANY, "what is"),
		GA_ENUM(S, observation, GA_REQ, observations, "only bad is drift"),
		GA_SPAN(S, age_seconds, GA_NULLOK, "since when, where known"),
		GA_TEXT(S, repair, GA_NULLOK, GA_T_CODE, "the safe repair"),
		GA_TEXT(S, command, GA_NULLOK, GA_T_ANY, "for a person"),
		GA_BOOL(S, repaired, "the repair was done"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_FIELDS_END },
};
#undef S

#define S ga_failure
const struct ga_schema ga_failure_schema = {
	.kind = "gpuaas.failure/1",
	.doc = "work that was begun and failed",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY, "allocation or slot"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "attempt of the order"),
		GA_SERIAL(S, generation, GA_NULLOK, "generation of the order"),
		GA_TEXT(S, program, GA_REQ, GA_T_ANY, "who says so"),
		GA_TEXT(S, phase, GA_NULLOK, GA_T_CODE, "phase it failed in"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "why, for people"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "what to do"),
		GA_INT_IN(S, status, GA_REQ, 1, 10, "exit status of the pipeline"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_BOOL(S, dry_run, "of a dry run"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_end
const struct ga_schema ga_node_end_schema = {
	.kind = "gpuaas.node-end/1",
	.doc = "the end of what one node sent through gpuaas-on",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_BOOL(S, complete, "all that the command wrote there was passed on"),
		GA_COUNT(S, status, GA_NULLOK,
		       "exit status of the command there; null when its end was not seen"),
		GA_COUNT(S, orders, GA_REQ, "records given to the node"),
		GA_COUNT(S, records, GA_REQ, "records of the node that were passed on"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST,
			"over the lines passed on, each with its newline"),
		GA_AMOUNT(S, elapsed_micros, GA_NULLOK, "from the start of its connection"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
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
