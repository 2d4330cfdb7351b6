/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of state.h: the records of the state. */
#include "record/state.h"

#include "record/words.h"

static const char *const mechanisms[] = { "exclusive_device", "mig_partition",	 "mdev_vgpu",
					  "time_sliced",      "mps",		 "software_shared",
					  NULL };
static const char *const slot_shapes[] = { "slice", "gpu_partition", "gpu_shared", NULL };
static const char *const ownerships[] = { "tenant_slice", NULL };
static const char *const health_states[] = { "ok", "failed", "unknown", NULL };
static const char *const claim_kinds[] = { "slot", "node", NULL };
static const char *const usage_kinds[] = { "active", "provisioning", "cleanup", "hold", NULL };
static const char *const fabric_modes[] = { "none", "partitions", NULL };
static const char *const claim_modes[] = { "per_slot_vf", NULL };
static const char *const object_kinds[] = { "slot",	"allocation", "node", "plan", "state",
					    "hook",	NULL };
static const char *const task_states[] = { "started", "running", "finished", "failed", NULL };

#define S ga_slot
const struct ga_schema ga_slot_schema = {
	.kind = "gpuaas.slot/1",
	.doc = "an approved bundle of devices",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, slot, GA_REQ, GA_T_ID, "slot id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_INT_IN(S, slot_index, GA_REQ, 0, 255, "index on the node"),
		GA_ENUM(S, state, GA_REQ, ga_slot_states, "its state"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when it entered it"),
		GA_SERIAL(S, generation, GA_REQ, "counts its changes"),
		GA_ENUM(S, shape, GA_REQ, slot_shapes, "what it is sold as"),
		GA_ENUM(S, sharing_mechanism, GA_REQ, mechanisms, "how the GPU is given"),
		GA_TEXT(S, parent, GA_NULLOK, GA_T_ID, "slot it is a part of"),
		GA_TEXT(S, accelerator_type, GA_NULLOK, GA_T_ANY, "slug in the catalogue"),
		GA_TEXT(S, type_name, GA_NULLOK, GA_T_ANY, "type for people"),
		GA_TEXT(S, gpu_identity, GA_NULLOK, GA_T_ANY, "GPU by identity"),
		GA_TEXT(S, gpu_pci_address, GA_NULLOK, GA_T_PCI, "GPU by address"),
		GA_TEXT(S, gpu_device, GA_NULLOK, GA_T_ANY, "vendor:device of the GPU"),
		GA_NUMBER(S, module_id, GA_NULLOK, "GPU module id"),
		GA_TEXT(S, nvme_wwid, GA_NULLOK, GA_T_ANY, "disk by identity"),
		GA_TEXT(S, nvme_serial, GA_NULLOK, GA_T_ANY, "its serial"),
		GA_TEXT(S, nvme_path, GA_NULLOK, GA_T_ANY, "its path: a cache"),
		GA_BYTES(S, nvme_size_bytes, GA_NULLOK, "its size"),
		GA_ENUM(S, fabric_claim_mode, GA_NULLOK, claim_modes, "how the fabric is claimed"),
		GA_TEXT(S, fabric_vf_pci_address, GA_NULLOK, GA_T_PCI, "fabric virtual function"),
		GA_TEXT(S, fabric_pf_pci_address, GA_NULLOK, GA_T_PCI, "its physical function"),
		GA_NUMBER(S, numa_node, GA_NULLOK, "NUMA node"),
		GA_TEXT(S, cpuset, GA_NULLOK, GA_T_CPUS, "CPUs"),
		GA_MIB(S, memory_mib, GA_NULLOK, "memory"),
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "management MAC"),
		GA_TEXT(S, private_ip, GA_NULLOK, GA_T_IP, "private address"),
		GA_TEXT(S, bridge, GA_NULLOK, GA_T_ANY, "bridge"),
		GA_TEXT(S, port, GA_NULLOK, GA_T_ANY, "port"),
		GA_ENUM(S, storage_ownership, GA_NULLOK, ownerships, "whose the disk is"),
		GA_OBJ(S, wipe, GA_NULLOK, &ga_wipe_policy_schema, "how it is wiped"),
		GA_ENUM(S, health_state, GA_REQ, health_states, "health"),
		GA_TEXT(S, health_detail, GA_NULLOK, GA_T_ANY, "what that was seen by"),
		GA_TEXT(S, health_since, GA_NULLOK, GA_T_TIME, "since when it is so"),
		GA_TEXT(S, cordon_reason, GA_NULLOK, GA_T_ANY, "why nothing is placed on it"),
		GA_BOOL(S, tainted, "a device of it holds what was not wiped"),
		GA_TEXT(S, tainted_since, GA_NULLOK, GA_T_TIME, "since when"),
		GA_TEXT(S, wipe_evidence, GA_NULLOK, GA_T_ID, "the last wipe"),
		GA_TEXT(S, gpu_memory, GA_NULLOK, GA_T_CODE, "its GPU memory step"),
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID, "who holds it"),
		GA_TEXT(S, claim, GA_NULLOK, GA_T_ID, "by which live claim"),
		GA_LISTOF(S, blockers, &ga_reason_schema, "what keeps it from being available"),
		GA_TEXT(S, approved_by, GA_NULLOK, GA_T_ANY, "who approved it"),
		GA_TEXT(S, approved_at, GA_NULLOK, GA_T_TIME, "when"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST, "of the node then"),
		GA_BOOL(S, lab, "of a lab state"),
		GA_BOOL(S, dry_run, "nothing was stored"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node
const struct ga_schema ga_node_schema = {
	.kind = "gpuaas.node/1",
	.doc = "a node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "name"),
		GA_TEXT(S, address, GA_NULLOK, GA_T_ANY, "where ssh reaches it"),
		GA_TEXT(S, region, GA_NULLOK, GA_T_NAME, "region"),
		GA_TEXT(S, pool, GA_NULLOK, GA_T_NAME, "pool"),
		GA_ENUM(S, mode, GA_REQ, ga_mode_words, "what it is used for"),
		GA_ENUM(S, state, GA_REQ, ga_node_states, "its state"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when it entered it"),
		GA_SERIAL(S, generation, GA_REQ, "counts its changes"),
		GA_TEXT(S, cordon_reason, GA_NULLOK, GA_T_ANY, "why nothing is placed on it"),
		GA_TEXT(S, drain_deadline, GA_NULLOK, GA_T_TIME, "until when it is to be drained"),
		GA_TEXT(S, held_by, GA_NULLOK, GA_T_ANY, "\"slices\" or the allocation holding it"),
		GA_SERIAL(S, epoch_verified, GA_REQ, "last epoch its reconcile agreed in"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST, "as approved"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_ANY, "boot id last seen"),
		GA_TEXT(S, observed_at, GA_NULLOK, GA_T_TIME, "last discovery"),
		GA_TEXT(S, observation_digest, GA_NULLOK, GA_T_DIGEST, "of that discovery"),
		GA_TEXT(S, node_key, GA_NULLOK, GA_T_ANY,
			"public key (ed25519, base64) that its results must be signed with"),
		GA_TEXT(S, node_key_since, GA_NULLOK, GA_T_TIME, "when that was registered"),
		GA_LISTOF(S, blockers, &ga_reason_schema, "what keeps all its slots out"),
		GA_OBJ(S, network, GA_REQ, &ga_network_schema, "its private network"),
		GA_MIB(S, reserved_memory_mib, GA_NULLOK, "memory kept for the host"),
		GA_TEXT(S, reserved_cpus, GA_NULLOK, GA_T_CPUS, "CPUs kept for the host"),
		GA_ENUM(S, fabric_mode, GA_NULLOK, fabric_modes, "NVSwitch partitions in use"),
		GA_COUNT(S, slots, GA_REQ, "slots not retired"),
		GA_COUNT(S, available, GA_REQ, "of them available"),
		GA_BOOL(S, lab, "of a lab state"),
		GA_FIELDS_END },
};
#undef S

#define S ga_profile
const struct ga_schema ga_profile_schema = {
	.kind = "gpuaas.profile/1",
	.doc = "a hardware profile; apply makes a new version when it differs",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name"),
		GA_SERIAL(S, version, GA_OPT, "set by apply"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_TEXTS(S, types, GA_OPT, GA_T_ANY, "accelerator types, best first; none: any"),
		GA_COUNTS(S, counts, GA_OPT, "allowed GPU counts of a slice"),
		GA_COUNT(S, vcpus_per_gpu, GA_OPT, "virtual CPUs a GPU"),
		GA_MIB(S, memory_mib_per_gpu, GA_OPT, "memory a GPU"),
		GA_KIB(S, hugepage_kib, GA_OPT, "hugepage size; none: ordinary pages"),
		GA_TEXT(S, image, GA_OPT, GA_T_NAME, "default image"),
		GA_AMOUNT(S, price_micros, GA_REQ, "a GPU hour, in millionths"),
		GA_OBJ(S, wipe, GA_REQ, &ga_wipe_policy_schema, "how its slots are wiped"),
		GA_ENUM(S, domain_type, GA_OPT, ga_domain_types, "default kvm"),
		GA_SECONDS(S, hold_seconds, GA_OPT, "default hold at release"),
		GA_INT_IN(S, graceful_seconds, GA_OPT, 0, 86400,
			  "before the hard stop; default 60"),
		GA_TEXT(S, region, GA_OPT, GA_T_NAME, "only there"),
		GA_TEXT(S, pool, GA_OPT, GA_T_NAME, "only there"),
		GA_TEXTS(S, teams, GA_OPT, GA_T_NAME, "who may use it; none: all"),
		GA_BOOL_OPT(S, retired, "not for new work"),
		GA_FIELDS_END },
};
#undef S

#define S ga_image
const struct ga_schema ga_image_schema = {
	.kind = "gpuaas.image/1",
	.doc = "an image",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "of the file"),
		GA_TEXT(S, chunks_digest, GA_OPT, GA_T_DIGEST, "of its list of chunk digests"),
		GA_ENUM(S, format, GA_REQ, ga_image_formats, "format of the file"),
		GA_BYTES(S, file_bytes, GA_REQ, "size of the file"),
		GA_BYTES(S, size_bytes, GA_REQ, "size of the disk it makes"),
		GA_ENUM(S, firmware, GA_REQ, ga_firmware_words, "firmware it boots with"),
		GA_ENUM(S, probe, GA_REQ, ga_probe_words, "how readiness is proved"),
		GA_TEXT(S, user, GA_OPT, GA_T_ANY, "login of the guest"),
		GA_TEXT(S, driver_version, GA_OPT, GA_T_ANY, "GPU driver inside"),
		GA_INT_IN(S, ready_seconds, GA_OPT, 1, GA_READY_MAX,
			  "from start to readiness, without its memory and GPUs; default 180"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_image
const struct ga_schema ga_node_image_schema = {
	.kind = "gpuaas.node-image/1",
	.doc = "a verified copy of an image on a node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, image, GA_REQ, GA_T_NAME, "image"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "digest that was verified"),
		GA_TEXT(S, path, GA_REQ, GA_T_ANY, "the file on the node"),
		GA_TEXT(S, verified_at, GA_REQ, GA_T_TIME, "when"),
		GA_TEXT(S, withdrawn_at, GA_OPT, GA_T_TIME,
			"since when it is no verified copy any more: removed, or found changed"),
		GA_BYTES(S, file_bytes, GA_OPT, "size of the file"),
		GA_TEXTS(S, used_by, GA_OPT, GA_T_ID,
			 "allocations on the node that were made from it"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_settings
const struct ga_schema ga_node_settings_schema = {
	.kind = "gpuaas.node-settings/1",
	.doc = "settings of a node; a member left out is left as it is",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, name, GA_OPT, GA_T_NAME, "name"),
		GA_TEXT(S, address, GA_OPT, GA_T_ANY, "where ssh reaches it"),
		GA_TEXT(S, region, GA_OPT, GA_T_NAME, "region"),
		GA_TEXT(S, pool, GA_OPT, GA_T_NAME, "pool"),
		GA_ENUM(S, mode, GA_OPT, ga_mode_words, "what it is used for"),
		GA_OBJ(S, network, GA_OPT, &ga_network_schema, "its private network"),
		GA_MIB(S, reserved_memory_mib, GA_OPT, "memory kept for the host"),
		GA_TEXT(S, reserved_cpus, GA_OPT, GA_T_CPUS, "CPUs kept for the host"),
		GA_ENUM(S, fabric_mode, GA_OPT, fabric_modes, "NVSwitch partitions in use"),
		GA_FIELDS_END },
};
#undef S

#define S ga_claim
const struct ga_schema ga_claim_schema = {
	.kind = "gpuaas.claim/1",
	.doc = "an allocation's hold on a slot or node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, claim, GA_REQ, GA_T_ID, "claim id"),
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, slot, GA_NULLOK, GA_T_ID, "slot; null for the node itself"),
		GA_ENUM(S, claim_kind, GA_REQ, claim_kinds, "slot or node"),
		GA_BOOL(S, live, "still holds it"),
		GA_TEXT(S, created_at, GA_REQ, GA_T_TIME, "since"),
		GA_TEXT(S, use_ended_at, GA_NULLOK, GA_T_TIME, "when the use ended"),
		GA_TEXT(S, ended_at, GA_NULLOK, GA_T_TIME, "when the slot had left wiping"),
		GA_FIELDS_END },
};
#undef S

#define S ga_task
const struct ga_schema ga_task_schema = {
	.kind = "gpuaas.task/1",
	.doc = "a row of a timeline",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_REQ, GA_T_ID, "allocation or slot"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "attempt"),
		GA_TEXT(S, phase, GA_REQ, GA_T_CODE, "phase"),
		GA_ENUM(S, state, GA_REQ, task_states, "how far"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when it began"),
		GA_TEXT(S, finished_at, GA_NULLOK, GA_T_TIME, "when it ended"),
		GA_AMOUNT(S, elapsed_micros, GA_NULLOK, "how long it took"),
		GA_BYTES(S, bytes, GA_NULLOK, "bytes moved"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_usage
const struct ga_schema ga_usage_schema = {
	.kind = "gpuaas.usage/1",
	.doc = "a span of time of an allocation; only active is billed",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation"),
		GA_TEXT(S, project, GA_REQ, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "profile"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_ANY, "accelerator type"),
		GA_ENUM(S, usage_kind, GA_REQ, usage_kinds, "what the time was"),
		GA_COUNT(S, count, GA_REQ, "GPUs"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "from"),
		GA_TEXT(S, ended_at, GA_NULLOK, GA_T_TIME, "to"),
		GA_AMOUNT(S, price_micros, GA_REQ, "a GPU hour, as it was then"),
		GA_FIELDS_END },
};
#undef S

#define S ga_audit
const struct ga_schema ga_audit_schema = {
	.kind = "gpuaas.audit/1",
	.doc = "a row of the audit chain",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_SERIAL(S, seq, GA_REQ, "number, from 1 without gaps"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_TEXT(S, actor, GA_REQ, GA_T_ANY, "who"),
		GA_TEXT(S, program, GA_REQ, GA_T_ANY, "by which program"),
		GA_TEXT(S, action, GA_REQ, GA_T_CODE, "what"),
		GA_TEXT(S, object, GA_REQ, GA_T_ANY, "to what"),
		GA_JSON(S, detail, GA_REQ, "members by action"),
		GA_TEXT(S, previous_hash, GA_REQ, GA_T_DIGEST, "of the row before"),
		GA_TEXT(S, hash, GA_REQ, GA_T_DIGEST,
			"over [previous_hash, seq, at, actor, program, action, object, detail]"),
		GA_FIELDS_END },
};
#undef S

#define S ga_attention
const struct ga_schema ga_attention_schema = {
	.kind = "gpuaas.attention/1",
	.doc = "what needs a person",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, object, GA_REQ, GA_T_ANY, "id"),
		GA_ENUM(S, object_kind, GA_REQ, object_kinds, "what it is"),
		GA_TEXT(S, state, GA_REQ, GA_T_CODE, "its state"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why it needs a person"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "since when"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "where"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "whose"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "why, for people"),
		GA_TEXT(S, command, GA_REQ, GA_T_ANY, "the command that leaves it"),
		GA_FIELDS_END },
};
#undef S

#define S ga_pool
const struct ga_schema ga_pool_schema = {
	.kind = "gpuaas.pool/1",
	.doc = "capacity of a pool by type",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, pool, GA_NULLOK, GA_T_NAME, "pool"),
		GA_TEXT(S, region, GA_NULLOK, GA_T_NAME, "region"),
		GA_TEXT(S, profile, GA_NULLOK, GA_T_NAME, "profile"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_ANY, "accelerator type"),
		GA_COUNT(S, nodes, GA_REQ, "nodes"),
		GA_COUNT(S, slots, GA_REQ, "slots not retired"),
		GA_COUNT(S, available, GA_REQ, "available"),
		GA_COUNT(S, reserved, GA_REQ, "reserved or provisioning"),
		GA_COUNT(S, active, GA_REQ, "active"),
		GA_COUNT(S, cleaning, GA_REQ, "releasing or wiping"),
		GA_COUNT(S, blocked, GA_REQ, "cleanup_blocked or quarantined"),
		GA_COUNT(S, disabled, GA_REQ, "disabled"),
		GA_COUNT(S, largest, GA_REQ, "GPUs of the largest slice that fits now"),
		GA_COUNT(S, fragmentation_ppm, GA_REQ, "part the largest slice does not reach"),
		GA_FIELDS_END },
};
#undef S

#define S ga_finding
const struct ga_schema ga_finding_schema = {
	.kind = "gpuaas.finding/1",
	.doc = "something wrong with the state (gpuaas-state check)",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, check, GA_REQ, GA_T_CODE, "which check"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY, "what is wrong"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "how"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "what to do"),
		GA_FIELDS_END },
};
#undef S

#define S ga_state
const struct ga_schema ga_state_schema = {
	.kind = "gpuaas.state/1",
	.doc = "a state file that was made, checked or copied",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, path, GA_REQ, GA_T_ANY, "the file"),
		GA_TEXT(S, action, GA_REQ, GA_T_CODE, "init, migrate, check, backup, …"),
		GA_BOOL(S, lab, "a lab state"),
		GA_SERIAL(S, schema_version, GA_REQ, "version of its schema"),
		GA_SERIAL(S, epoch, GA_REQ, "its epoch"),
		GA_TEXT(S, controller, GA_NULLOK, GA_T_HEX,
			"which state it is in this epoch, as its orders say; null: unknown"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_FIELDS_END },
};
#undef S

#define S ga_error
const struct ga_schema ga_error_schema = {
	.kind = "gpuaas.error/1",
	.doc = "an error message, on stderr with GPUAAS_ERRORS=json",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, program, GA_REQ, GA_T_ANY, "who says so"),
		GA_INT_IN(S, status, GA_REQ, 1, 10, "exit status"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_CODE, "stable word"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the message"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY, "what it is about"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "what to do"),
		GA_FIELDS_END },
};
#undef S
