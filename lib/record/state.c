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
static const char *const severities[] = { "error", "warning", "unchecked", NULL };
static const char *const doctor_checks[] = { "state",	  "attention", "discover", "bootstrap",
					     "units", NULL };
static const char *const task_states[] = { "started", "running", "finished", "failed", NULL };

#define S ga_slot
const struct ga_schema ga_slot_schema = {
	.kind = "gpuaas.slot/1",
	.doc = "a slot: an approved bundle of devices",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, slot, GA_REQ, GA_T_ID, "slot id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_INT_IN(S, slot_index, GA_REQ, 0, 255, "index of the slot on the node"),
		GA_FIELD(S, state, GA_F_TEXT, GA_REQ, .values = ga_slot_states,
			 .beside = "cordoned", .doc = "state of the slot"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when the slot entered its state"),
		GA_SERIAL(S, generation, GA_REQ, "number that grows with each change of the slot"),
		GA_ENUM(S, shape, GA_REQ, slot_shapes, "shape that the slot is sold as"),
		GA_ENUM(S, sharing_mechanism, GA_REQ, mechanisms, "how the GPU is shared"),
		GA_TEXT(S, parent, GA_NULLOK, GA_T_ID, "slot that contains this one; null: none"),
		GA_TEXT(S, accelerator_type, GA_NULLOK, GA_T_ANY,
			"slug in the accelerator catalogue"),
		GA_TEXT(S, type_name, GA_NULLOK, GA_T_ANY, "type, for people"),
		GA_TEXT(S, gpu_identity, GA_NULLOK, GA_T_WORD,
			"identity of the GPU that survives reboots"),
		GA_TEXT(S, gpu_pci_address, GA_NULLOK, GA_T_PCI,
			"PCI address of the GPU: a cache, not an identity"),
		GA_TEXT(S, gpu_device, GA_NULLOK, GA_T_WORD, "PCI vendor:device of the GPU"),
		GA_NUMBER(S, module_id, GA_NULLOK, "GPU module id (Fabric Manager physicalId)"),
		GA_TEXT(S, nvme_wwid, GA_NULLOK, GA_T_WORD, "WWID of the disk"),
		GA_TEXT(S, nvme_serial, GA_NULLOK, GA_T_ANY, "serial number of the disk"),
		GA_TEXT(S, nvme_path, GA_NULLOK, GA_T_ANY,
			"device node of the disk: a cache, not an identity"),
		GA_BYTES(S, nvme_size_bytes, GA_NULLOK, "size of the disk"),
		GA_ENUM(S, fabric_claim_mode, GA_NULLOK, claim_modes,
			"how the slot claims the fabric"),
		GA_TEXT(S, fabric_vf_pci_address, GA_NULLOK, GA_T_PCI,
			"PCI address of the fabric virtual function"),
		GA_TEXT(S, fabric_pf_pci_address, GA_NULLOK, GA_T_PCI,
			"PCI address of its physical function"),
		GA_NUMBER(S, numa_node, GA_NULLOK, "NUMA node"),
		GA_TEXT(S, cpuset, GA_NULLOK, GA_T_CPUS, "CPUs of the slot"),
		GA_MIB(S, memory_mib, GA_NULLOK, "memory of the slot in MiB"),
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "management MAC"),
		GA_TEXT(S, private_ip, GA_NULLOK, GA_T_IP, "address on the private network"),
		GA_TEXT(S, bridge, GA_NULLOK, GA_T_WORD, "Open vSwitch bridge"),
		GA_TEXT(S, port, GA_NULLOK, GA_T_WORD, "port of the bridge"),
		GA_ENUM(S, storage_ownership, GA_NULLOK, ownerships,
			"tenant_slice: the disk is assigned to tenants; null: it is not"),
		GA_OBJ(S, wipe, GA_NULLOK, &ga_wipe_policy_schema, "wipe policy of the slot"),
		GA_ENUM(S, health_state, GA_REQ, health_states, "health of the slot"),
		GA_TEXT(S, health_detail, GA_NULLOK, GA_T_ANY, "sign that set the health"),
		GA_TEXT(S, health_since, GA_NULLOK, GA_T_TIME, "when the health last changed"),
		GA_TEXT(S, cordon_reason, GA_NULLOK, GA_T_ANY,
			"why a person keeps the slot out of use: the reason of its disable, "
			"quarantine or retire, else that of its cordon; null: nobody does"),
		GA_TEXT(S, cordon, GA_NULLOK, GA_T_ANY,
			"reason of the cordon, which only uncordon ends; null: not cordoned"),
		GA_FIELD(S, cordoned, GA_F_TRI, GA_OPT,
			 .doc = "true: the slot is cordoned; left out: it is not"),
		GA_BOOL(S, tainted, "true: a device of the slot has data that was not wiped"),
		GA_TEXT(S, tainted_since, GA_NULLOK, GA_T_TIME,
			"when the slot became tainted; null: not tainted"),
		GA_TEXT(S, wipe_evidence, GA_NULLOK, GA_T_ID, "evidence of the last wipe"),
		GA_ENUM(S, gpu_memory, GA_NULLOK, ga_step_outcomes,
			"outcome of the GPU memory step in the last wipe"),
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID,
			"allocation that has the slot; null: none"),
		GA_TEXT(S, claim, GA_NULLOK, GA_T_ID, "live claim on the slot; null: none"),
		GA_LISTOF(S, blockers, &ga_reason_schema, "reasons why the slot is not available"),
		GA_TEXT(S, approved_by, GA_NULLOK, GA_T_ANY, "user who approved the slot"),
		GA_TEXT(S, approved_at, GA_NULLOK, GA_T_TIME, "when the slot was approved"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST,
			"hardware fingerprint of the node at the approval"),
		GA_BOOL(S, lab, "true: a slot of a lab state"),
		GA_BOOL(S, dry_run, "true: nothing was stored"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node
const struct ga_schema ga_node_schema = {
	.kind = "gpuaas.node/1",
	.doc = "a node: a host that the state knows",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "name of the node"),
		GA_TEXT(S, address, GA_NULLOK, GA_T_ANY, "ssh address"),
		GA_TEXT(S, region, GA_NULLOK, GA_T_NAME, "region"),
		GA_TEXT(S, pool, GA_NULLOK, GA_T_NAME, "pool"),
		GA_ENUM(S, mode, GA_REQ, ga_mode_words, "mode of the node"),
		GA_ENUM(S, state, GA_REQ, ga_node_states, "state of the node"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when the node entered its state"),
		GA_SERIAL(S, generation, GA_REQ, "number that grows with each change of the node"),
		GA_TEXT(S, cordon_reason, GA_NULLOK, GA_T_ANY,
			"reason for the cordon; null: not cordoned"),
		GA_TEXT(S, drain_deadline, GA_NULLOK, GA_T_TIME, "when the drain must be finished"),
		GA_TEXT(S, held_by, GA_NULLOK, GA_T_ANY,
			"holder of the node: \"slices\" or a baremetal allocation; null: none"),
		GA_SERIAL(S, epoch_verified, GA_REQ,
			  "last epoch in which gpuaas-reconcile found no error"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST,
			"hardware fingerprint, as approved"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_WORD, "boot id when last observed"),
		GA_TEXT(S, observed_at, GA_NULLOK, GA_T_TIME, "when the last discovery was made"),
		GA_TEXT(S, observation_digest, GA_NULLOK, GA_T_DIGEST,
			"digest of the last discovery"),
		GA_TEXT(S, node_key, GA_NULLOK, GA_T_ANY,
			"public key of the node that verifies its results (ed25519, base64)"),
		GA_TEXT(S, node_key_since, GA_NULLOK, GA_T_TIME, "when the key was registered"),
		GA_LISTOF(S, blockers, &ga_reason_schema,
			  "reasons why no slot of the node can be used"),
		GA_OBJ(S, network, GA_REQ, &ga_network_schema, "private network of the node"),
		GA_MIB(S, reserved_memory_mib, GA_NULLOK, "memory kept for the host, in MiB"),
		GA_TEXT(S, reserved_cpus, GA_NULLOK, GA_T_CPUS, "CPUs kept for the host"),
		GA_ENUM(S, fabric_mode, GA_NULLOK, fabric_modes,
			"whether the node uses NVSwitch partitions"),
		GA_COUNT(S, slots, GA_REQ, "number of slots that are not retired"),
		GA_COUNT(S, available, GA_REQ,
			 "number of slots that are available and not cordoned"),
		GA_BOOL(S, lab, "true: a node of a lab state"),
		GA_FIELDS_END },
};
#undef S

#define S ga_profile
const struct ga_schema ga_profile_schema = {
	.kind = "gpuaas.profile/1",
	.doc = "a hardware profile; gpuaas-state apply stores a changed one as a new version",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name of the profile"),
		GA_SERIAL(S, version, GA_OPT, "version; gpuaas-state apply sets it"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_TEXTS(S, types, GA_OPT, GA_T_ANY, "accelerator types, best first; none: any"),
		GA_COUNTS(S, counts, GA_OPT, "GPU counts that a slice can have; none: any number"),
		GA_COUNT(S, vcpus_per_gpu, GA_OPT, "virtual CPUs for each GPU"),
		GA_MIB(S, memory_mib_per_gpu, GA_OPT, "memory for each GPU in MiB"),
		GA_KIB(S, hugepage_kib, GA_OPT, "hugepage size; left out: ordinary pages"),
		GA_TEXT(S, image, GA_OPT, GA_T_NAME, "default image"),
		GA_AMOUNT(S, price_micros, GA_REQ,
			  "price of a GPU hour in millionths of the currency"),
		GA_OBJ(S, wipe, GA_REQ, &ga_wipe_policy_schema, "wipe policy of its allocations"),
		GA_ENUM(S, domain_type, GA_OPT, ga_domain_types,
			"libvirt domain type; default kvm, in a lab state test"),
		GA_SECONDS(S, hold_seconds, GA_OPT, "default hold at release, in seconds"),
		GA_SECONDS_IN(S, graceful_seconds, GA_OPT, 0, GA_GRACEFUL_MAX,
			      "seconds that a guest has to stop, before the hard stop; default 60"),
		GA_TEXT(S, region, GA_OPT, GA_T_NAME, "only nodes of this region"),
		GA_TEXT(S, pool, GA_OPT, GA_T_NAME, "only nodes of this pool"),
		GA_TEXTS(S, teams, GA_OPT, GA_T_NAME, "teams that can use the profile; none: all"),
		GA_BOOL_OPT(S, retired, "true: not for new allocations"),
		GA_FIELDS_END },
};
#undef S

#define S ga_image
const struct ga_schema ga_image_schema = {
	.kind = "gpuaas.image/1",
	.doc = "an image that guests boot",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name of the image"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "digest of the file"),
		GA_TEXT(S, chunks_digest, GA_OPT, GA_T_DIGEST,
			"digest of the list of chunk digests"),
		GA_ENUM(S, format, GA_REQ, ga_image_formats, "format of the file"),
		GA_BYTES(S, file_bytes, GA_REQ, "size of the file"),
		GA_BYTES(S, size_bytes, GA_REQ, "size of the disk made from the image"),
		GA_ENUM(S, firmware, GA_REQ, ga_firmware_words,
			"firmware that the guest boots with"),
		GA_ENUM(S, probe, GA_REQ, ga_probe_words, "how readiness is proved"),
		GA_TEXT(S, user, GA_OPT, GA_T_ANY, "login of the guest"),
		GA_TEXT(S, driver_version, GA_OPT, GA_T_ANY,
			"version of the GPU driver in the image"),
		GA_TEXT(S, cuda_version, GA_OPT, GA_T_ANY,
			"highest CUDA version that this driver supports, as nvidia-smi prints it"),
		GA_TEXTS(S, features, GA_OPT, GA_T_NAME,
			 "software in the image that apps can require, such as docker"),
		GA_SECONDS_IN(S, ready_seconds, GA_OPT, 1, GA_READY_MAX,
			      "seconds from start to readiness, without those for memory and GPUs; "
			      "default 180"),
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
		GA_TEXT(S, image, GA_REQ, GA_T_NAME, "name of the image"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "digest that was verified"),
		GA_TEXT(S, path, GA_REQ, GA_T_ANY, "path of the file on the node"),
		GA_TEXT(S, verified_at, GA_REQ, GA_T_TIME, "when the copy was verified"),
		GA_TEXT(S, withdrawn_at, GA_OPT, GA_T_TIME,
			"since when the copy no longer counts as verified: removed, or found "
			"changed"),
		GA_BYTES(S, file_bytes, GA_OPT, "size of the file"),
		GA_TEXTS(S, used_by, GA_OPT, GA_T_ID,
			 "allocations on the node that were made from the image"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_settings
const struct ga_schema ga_node_settings_schema = {
	.kind = "gpuaas.node-settings/1",
	.doc = "settings of a node; a member left out does not change",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, name, GA_OPT, GA_T_NAME, "name of the node"),
		GA_TEXT(S, address, GA_OPT, GA_T_ADDRESS, "ssh address"),
		GA_TEXT(S, region, GA_OPT, GA_T_NAME, "region"),
		GA_TEXT(S, pool, GA_OPT, GA_T_NAME, "pool"),
		GA_ENUM(S, mode, GA_OPT, ga_mode_words, "mode of the node"),
		GA_OBJ(S, network, GA_OPT, &ga_network_schema, "private network of the node"),
		GA_MIB(S, reserved_memory_mib, GA_OPT, "memory kept for the host, in MiB"),
		GA_TEXT(S, reserved_cpus, GA_OPT, GA_T_CPUS, "CPUs kept for the host"),
		GA_ENUM(S, fabric_mode, GA_OPT, fabric_modes,
			"whether the node uses NVSwitch partitions"),
		GA_FIELDS_END },
};
#undef S

#define S ga_claim
const struct ga_schema ga_claim_schema = {
	.kind = "gpuaas.claim/1",
	.doc = "the claim of an allocation on a slot or node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, claim, GA_REQ, GA_T_ID, "claim id"),
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, slot, GA_NULLOK, GA_T_ID, "slot id; null: the claim is on the node"),
		GA_ENUM(S, claim_kind, GA_REQ, claim_kinds, "slot or node"),
		GA_BOOL(S, live, "true: the allocation still has the slot or node"),
		GA_TEXT(S, created_at, GA_REQ, GA_T_TIME, "when the claim was made"),
		GA_TEXT(S, use_ended_at, GA_NULLOK, GA_T_TIME,
			"when the use ended; null: it has not"),
		GA_TEXT(S, ended_at, GA_NULLOK, GA_T_TIME,
			"when the claim ended, after the wipe; null: it is live"),
		GA_FIELDS_END },
};
#undef S

#define S ga_task
const struct ga_schema ga_task_schema = {
	.kind = "gpuaas.task/1",
	.doc = "a phase in the timeline of an object",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_SERIAL(S, seq, GA_REQ, "number of the row, in the order in which phases began"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_REQ, GA_T_ID, "allocation or slot"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "attempt of the order"),
		GA_TEXT(S, phase, GA_REQ, GA_T_CODE, "phase"),
		GA_ENUM(S, state, GA_REQ, task_states, "state of the phase"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when the phase began"),
		GA_TEXT(S, finished_at, GA_NULLOK, GA_T_TIME, "when the phase ended"),
		GA_AMOUNT(S, elapsed_micros, GA_NULLOK, "duration of the phase in microseconds"),
		GA_BYTES(S, bytes, GA_NULLOK, "bytes transferred"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "details, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_usage
const struct ga_schema ga_usage_schema = {
	.kind = "gpuaas.usage/1",
	.doc = "a span of time of an allocation; only active is billed",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_SERIAL(S, seq, GA_REQ, "number of the row, in the order in which spans began"),
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, project, GA_REQ, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "profile"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_ANY, "accelerator type"),
		GA_ENUM(S, usage_kind, GA_REQ, usage_kinds, "kind of use"),
		GA_COUNT(S, count, GA_REQ, "number of GPUs"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when the span began"),
		GA_TEXT(S, ended_at, GA_NULLOK, GA_T_TIME, "when the span ended; null: it is open"),
		GA_AMOUNT(S, price_micros, GA_REQ,
			  "price of a GPU hour at that time, in millionths of the currency"),
		GA_FIELDS_END },
};
#undef S

#define S ga_audit
const struct ga_schema ga_audit_schema = {
	.kind = "gpuaas.audit/1",
	.doc = "a row of the audit chain",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_SERIAL(S, seq, GA_REQ, "number of the row, from 1 without gaps"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the change was made"),
		GA_TEXT(S, actor, GA_REQ, GA_T_ANY, "user who made the change"),
		GA_TEXT(S, program, GA_REQ, GA_T_ANY, "program that made the change"),
		GA_ENUM(S, action, GA_REQ, ga_audit_actions, "action"),
		GA_TEXT(S, object, GA_REQ, GA_T_ANY, "object of the action"),
		GA_JSON(S, detail, GA_REQ, "details; their members depend on the action"),
		GA_TEXT(S, previous_hash, GA_REQ, GA_T_DIGEST, "hash of the previous row"),
		GA_TEXT(S, hash, GA_REQ, GA_T_DIGEST,
			"hash of [previous_hash, seq, at, actor, program, action, object, detail]"),
		GA_FIELDS_END },
};
#undef S

#define S ga_acknowledged
const struct ga_schema ga_acknowledged_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, by, GA_REQ, GA_T_ANY, "user who acknowledged the entry"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when that was"),
		GA_TEXT(S, until, GA_REQ, GA_T_TIME, "when the entry is shown again"),
		GA_TEXT(S, reason, GA_REQ, GA_T_ANY, "reason that the user gave"),
		GA_FIELDS_END },
};
#undef S

#define S ga_attention
const struct ga_schema ga_attention_schema = {
	.kind = "gpuaas.attention/1",
	.doc = "an object that needs a person",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, object, GA_REQ, GA_T_ANY, "id of the object"),
		GA_ENUM(S, object_kind, GA_REQ, object_kinds, "kind of the object"),
		GA_TEXT(S, name, GA_OPT, GA_T_NAME,
			"name of the node or allocation; left out: it has none"),
		GA_ENUM(S, state, GA_REQ, ga_attention_states, "state of the object"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why the object needs a person"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "since when the object needs a person"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node of the object"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "project of the object"),
		GA_TEXT(S, owner, GA_OPT, GA_T_ANY,
			"user who requested the allocation; left out: there is none"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the reason, for people"),
		GA_TEXT(S, command, GA_REQ, GA_T_ANY, "command that resolves it"),
		GA_OBJ(S, acknowledged, GA_OPT, &ga_acknowledged_schema,
		       "person, reason and end, where somebody acknowledged the entry; left out: "
		       "nobody did"),
		GA_FIELDS_END },
};
#undef S

#define S ga_pool
const struct ga_schema ga_pool_schema = {
	.kind = "gpuaas.pool/1",
	.doc = "the capacity of a pool, by accelerator type",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, pool, GA_NULLOK, GA_T_NAME, "pool"),
		GA_TEXT(S, region, GA_NULLOK, GA_T_NAME, "region"),
		GA_TEXT(S, profile, GA_NULLOK, GA_T_NAME, "profile"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_ANY, "accelerator type"),
		GA_COUNT(S, nodes, GA_REQ, "number of nodes"),
		GA_COUNT(S, slots, GA_REQ, "number of slots that are not retired"),
		GA_COUNT(S, available, GA_REQ, "slots that are available and not cordoned"),
		GA_COUNT(S, reserved, GA_REQ, "slots that are reserved or provisioning"),
		GA_COUNT(S, active, GA_REQ, "slots that are active"),
		GA_COUNT(S, cleaning, GA_REQ, "slots that are releasing or wiping"),
		GA_COUNT(S, blocked, GA_REQ, "slots that are cleanup_blocked or quarantined"),
		GA_COUNT(S, disabled, GA_REQ,
			 "slots that are disabled, or available and cordoned"),
		GA_COUNT(S, largest, GA_REQ,
			 "GPUs of the largest slice that fits now, or of the largest free machine "
			 "of mode baremetal"),
		GA_COUNT(S, fragmentation_ppm, GA_REQ,
			 "part of the available GPUs that the largest slice cannot use, in 1e-6; "
			 "machines of mode baremetal do not count"),
		GA_FIELDS_END },
};
#undef S

#define S ga_region
const struct ga_schema ga_region_schema = {
	.kind = "gpuaas.region/1",
	.doc = "a region: declared by an operator, or only named by nodes",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "name, as in the region of nodes"),
		GA_TEXT(S, title, GA_OPT, GA_T_PERSON, "name for people"),
		GA_BOOL(S, open, "false: nothing is placed on nodes of the region"),
		GA_TEXT(S, reason, GA_OPT, GA_T_PERSON,
			"why the region is not open; needed when it is not"),
		GA_BOOL_OPT(S, retired, "true: the region is declared no more"),
		GA_COUNT(S, nodes, GA_OPT,
			 "number of nodes; gpuaas-list regions counts these three, and "
			 "gpuaas-state apply ignores them"),
		GA_COUNT(S, slots, GA_OPT, "number of slots that are not retired"),
		GA_COUNT(S, available, GA_OPT, "slots that are available and not cordoned"),
		GA_FIELDS_END },
};
#undef S

#define S ga_finding
const struct ga_schema ga_finding_schema = {
	.kind = "gpuaas.finding/1",
	.doc = "an error in the state that gpuaas-state check found",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, check, GA_REQ, GA_T_CODE, "name of the check"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY, "object with the error"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the error, for people"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "how to go on, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_doctor_finding
const struct ga_schema ga_doctor_finding_schema = {
	.kind = "gpuaas.doctor-finding/1",
	.doc = "something that a person has to do, or that could not be checked",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_COUNT(S, rank, GA_REQ, "place in the order in which to do them; the first is 1"),
		GA_ENUM(S, severity, GA_REQ, severities,
			"error: something is wrong; warning: something is not done yet; unchecked: "
			"the check could not be made"),
		GA_ENUM(S, check, GA_REQ, doctor_checks,
			"check that found it: state (gpuaas-state check), attention (gpuaas-list "
			"attention), discover (gpuaas-discover), bootstrap (gpuaas-host-bootstrap "
			"--check), units (systemctl)"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY, "slot, node, device, step or unit"),
		GA_TEXT(S, code, GA_NULLOK, GA_T_ANY, "code of the finding: gpuaas-codes(7)"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the reason, for people"),
		GA_TEXT(S, command, GA_NULLOK, GA_T_ANY,
			"command to run first; null: see the reason"),
		GA_FIELDS_END },
};
#undef S

#define S ga_state
const struct ga_schema ga_state_schema = {
	.kind = "gpuaas.state/1",
	.doc = "a state file after it was made, checked or copied",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, path, GA_REQ, GA_T_ANY, "path of the file"),
		GA_TEXT(S, action, GA_REQ, GA_T_CODE,
			"action of gpuaas-state: init, migrate, check, backup, …"),
		GA_BOOL(S, lab, "true: a lab state"),
		GA_SERIAL(S, schema_version, GA_REQ, "version of the database schema"),
		GA_SERIAL(S, epoch, GA_REQ, "epoch of the state"),
		GA_TEXT(S, controller, GA_NULLOK, GA_T_HEX,
			"identity of the state in this epoch, as in its orders; null: unknown"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the action was done"),
		GA_COUNT(S, findings, GA_NULLOK,
			 "number of findings; null: the action checks nothing"),
		GA_SERIAL(S, audit_rows, GA_NULLOK,
			  "rows of the audit that were checked; null: the action checks nothing"),
		GA_TEXT(S, audit_from, GA_NULLOK, GA_T_TIME, "time of the first of these rows"),
		GA_TEXT(S, audit_to, GA_NULLOK, GA_T_TIME, "time of the last of these rows"),
		GA_FIELDS_END },
};
#undef S

#define S ga_error
const struct ga_schema ga_error_schema = {
	.kind = "gpuaas.error/1",
	.doc = "an error message, on stderr with GPUAAS_ERRORS=json",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, program, GA_REQ, GA_T_ANY, "program that reports the error"),
		GA_INT_IN(S, status, GA_REQ, 1, 10, "exit status"),
		GA_TEXT(S, reason, GA_NULLOK, GA_T_CODE, "stable machine word"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the error, for people"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY, "object concerned"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "how to go on, for people"),
		GA_FIELDS_END },
};
#undef S

/* ---- gpuaas-state apply --dry-run ---- */

static const char *const change_words[] = { "new", "changed", "unchanged", "removed", NULL };

#define S ga_changed_member
static const struct ga_schema changed_member_schema = {
	.doc = "a member that would change",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, member, GA_REQ, GA_T_ANY, "name of the member"),
		GA_TEXT(S, before, GA_NULLOK, GA_T_ANY, "value now, as JSON; null: there is none"),
		GA_TEXT(S, after, GA_NULLOK, GA_T_ANY,
			"value that would be stored, as JSON; null: there would be none"),
		GA_FIELDS_END },
};
#undef S

#define S ga_change
const struct ga_schema ga_change_schema = {
	.kind = "gpuaas.change/1",
	.doc = "the changes that a declared record would make in the state",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, record, GA_REQ, GA_T_ANY, "kind of the declared record"),
		GA_TEXT(S, object, GA_NULLOK, GA_T_ANY,
			"name of the object, or id of the node; null: there is one such object"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node of a copy of an image"),
		GA_ENUM(S, change, GA_REQ, change_words, "new, changed, unchanged or removed"),
		GA_LISTOF(S, members, &changed_member_schema,
			  "members that would change; of a new object those that have a value"),
		GA_BOOL(S, dry_run, "true: nothing was stored"),
		GA_FIELDS_END },
};
#undef S
