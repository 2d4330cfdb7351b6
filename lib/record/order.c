/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of requests and orders. */
#include "record/order.h"

const char *const ga_shape_words[] = { "slice", "baremetal", NULL };
const char *const ga_class_words[] = { "clear", "purge", NULL };
const char *const ga_verify_words[] = { "full", "sampled", NULL };
const char *const ga_gpu_memory_words[] = { "required", "if_supported", NULL };
const char *const ga_slot_states[] = { "disabled",	 "available",	"reserved", "provisioning",
				       "active",	 "releasing",	"wiping",
				       "cleanup_blocked", "quarantined", "retired", NULL };
const char *const ga_allocation_states[] = { "pending",	   "placed",	     "provisioning",
					     "active",	   "held",	     "preempting",
					     "releasing",  "released",	     "release_failed",
					     "failed",	   "cancelled",	     "refused",
					     NULL };
const char *const ga_node_states[] = { "enrolled",    "active",	 "draining",
				       "quarantined", "retired", NULL };
const char *const ga_mode_words[] = { "slice", "baremetal", NULL };
const char *const ga_power_words[] = { "on", "off", NULL };
const char *const ga_firmware_words[] = { "bios", "efi", NULL };
const char *const ga_probe_words[] = { "ssh", "serial", "agent", "running", NULL };
const char *const ga_image_formats[] = { "raw", "qcow2", "raw_compressed", NULL };
const char *const ga_domain_types[] = { "kvm", "qemu", "test", NULL };
static const char *const hold_actions[] = { "hold", "undo", NULL };
static const char *const wipe_causes[] = { "first", "release", "repair", NULL };

#define S ga_request
const struct ga_shape ga_request_shape = {
	.kind = "gpuaas.request/1",
	.doc = "what somebody wants; every member but profile may be left out",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, request_id, GA_OPT, GA_T_ANY, "idempotency key"),
		GA_TEXT(S, name, GA_OPT, GA_T_NAME, "name of the allocation"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "hardware profile"),
		GA_ENUM(S, shape, GA_OPT, ga_shape_words, "default: the profile's"),
		GA_INT_IN(S, count, GA_OPT, 1, GA_REQUEST_GPUS,
			  "GPUs; of a whole node at least so many"),
		GA_TEXT(S, project, GA_OPT, GA_T_NAME, "default: \"default\""),
		GA_INT_IN(S, priority, GA_OPT, 0, 1000, "higher first; default 100"),
		GA_TEXT(S, region, GA_OPT, GA_T_NAME, "only there"),
		GA_TEXT(S, pool, GA_OPT, GA_T_NAME, "only there"),
		GA_TEXT(S, node, GA_OPT, GA_T_NAME, "only there"),
		GA_TEXTS(S, types, GA_OPT, GA_T_ANY, "accelerator types, best first"),
		GA_MIB(S, min_memory_mib, GA_OPT, "memory of one accelerator at least"),
		GA_TEXT(S, image, GA_OPT, GA_T_NAME, "default: the profile's"),
		GA_TEXTS(S, keys, GA_OPT, GA_T_ANY, "ssh public keys"),
		GA_TEXT(S, user_data_digest, GA_OPT, GA_T_DIGEST, "of the user-data beside it"),
		GA_SECONDS(S, run_seconds, GA_OPT, "how long it is meant to run"),
		GA_BOOL_OPT(S, preemptible, "may be stopped for others"),
		GA_OBJ(S, match, GA_OPT, &ga_request_match_shape,
		       "what gpuaas-match said when it chose the profile"),
		GA_FIELDS_END },
};
#undef S

#define S ga_wipe_policy
const struct ga_shape ga_wipe_policy_shape = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, minimum_class, GA_REQ, ga_class_words, "NIST SP 800-88 class at least"),
		GA_ENUM(S, verify, GA_REQ, ga_verify_words, "how much is read back"),
		GA_ENUM(S, gpu_memory, GA_REQ, ga_gpu_memory_words, "does GPU memory need proof"),
		GA_FIELDS_END },
};
#undef S

#define S ga_bundle
const struct ga_shape ga_bundle_shape = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, slot, GA_REQ, GA_T_ID, "slot id"),
		GA_TEXT(S, claim, GA_NULLOK, GA_T_ID, "its live claim"),
		GA_NUMBER(S, slot_index, GA_REQ, "index on the node"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the slot when the order was made"),
		GA_NUMBER(S, numa_node, GA_NULLOK, "NUMA node"),
		GA_TEXT(S, gpu_identity, GA_NULLOK, GA_T_ANY, "GPU by identity"),
		GA_TEXT(S, gpu_pci_address, GA_NULLOK, GA_T_PCI, "GPU by address"),
		GA_TEXT(S, gpu_device, GA_NULLOK, GA_T_ANY, "vendor:device of the GPU"),
		GA_NUMBER(S, module_id, GA_NULLOK, "GPU module id"),
		GA_TEXT(S, nvme_wwid, GA_NULLOK, GA_T_ANY, "disk by identity"),
		GA_TEXT(S, nvme_serial, GA_NULLOK, GA_T_ANY, "its serial"),
		GA_TEXT(S, nvme_path, GA_NULLOK, GA_T_ANY, "its path: a cache"),
		GA_BYTES(S, nvme_size_bytes, GA_NULLOK, "its size"),
		GA_TEXT(S, fabric_vf_pci_address, GA_NULLOK, GA_T_PCI, "fabric virtual function"),
		GA_TEXT(S, fabric_pf_pci_address, GA_NULLOK, GA_T_PCI, "its physical function"),
		GA_TEXT(S, cpuset, GA_NULLOK, GA_T_CPUS, "CPUs"),
		GA_MIB(S, memory_mib, GA_NULLOK, "memory"),
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "management MAC"),
		GA_TEXT(S, private_ip, GA_NULLOK, GA_T_IP, "private address"),
		GA_TEXT(S, bridge, GA_NULLOK, GA_T_ANY, "bridge"),
		GA_TEXT(S, port, GA_NULLOK, GA_T_ANY, "port"),
		GA_TEXT(S, wipe_attempt, GA_NULLOK, GA_T_ID, "attempt id of the wipe to come"),
		GA_FIELDS_END },
};
#undef S

#define S ga_plan_image
static const struct ga_shape plan_image_shape = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "image"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "of the file"),
		GA_TEXT(S, chunks_digest, GA_NULLOK, GA_T_DIGEST, "of its chunk list"),
		GA_TEXT(S, path, GA_REQ, GA_T_ANY, "the copy on the node"),
		GA_ENUM(S, format, GA_REQ, ga_image_formats, "format of the file"),
		GA_BYTES(S, size_bytes, GA_REQ, "size of the disk it makes"),
		GA_ENUM(S, firmware, GA_REQ, ga_firmware_words, "firmware it boots with"),
		GA_ENUM(S, probe, GA_REQ, ga_probe_words, "how readiness is proved"),
		GA_TEXT(S, user, GA_NULLOK, GA_T_ANY, "login of the guest"),
		GA_TEXT(S, driver_version, GA_NULLOK, GA_T_ANY, "GPU driver inside"),
		GA_INT_IN(S, ready_seconds, GA_OPT, 1, GA_READY_MAX,
			  "from start to readiness, without its memory and GPUs; default 180"),
		GA_FIELDS_END },
};
#undef S

#define S ga_plan
const struct ga_shape ga_plan_shape = {
	.kind = "gpuaas.plan/1",
	.doc = "an order to provision; its claims are committed",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "its name"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the allocation"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "ties results to this order"),
		GA_BOOL(S, dry_run, "nothing was claimed; not to be acted on"),
		GA_ENUM(S, shape, GA_REQ, ga_shape_words, "slice or baremetal"),
		GA_TEXT(S, project, GA_REQ, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_REQ, GA_T_NAME, "profile"),
		GA_SERIAL(S, profile_version, GA_REQ, "its version"),
		GA_COUNT(S, count, GA_REQ, "GPUs"),
		GA_TEXT(S, created_at, GA_REQ, GA_T_TIME, "when it was placed"),
		GA_TEXT(S, expires_at, GA_REQ, GA_T_TIME, "when it ends if nobody starts"),
		GA_SERIAL(S, epoch, GA_REQ, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX, "which state ordered it, in this epoch"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_ANY, "boot id of the node when last observed"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST, "of the node, as approved"),
		GA_LISTOF(S, bundles, &ga_bundle_shape, "the slots, lowest index first"),
		GA_COUNT(S, vcpus, GA_REQ, "virtual CPUs"),
		GA_MIB(S, memory_mib, GA_REQ, "memory"),
		GA_KIB(S, hugepage_kib, GA_NULLOK, "hugepage size; null: ordinary pages"),
		GA_OBJ(S, image, GA_NULLOK, &plan_image_shape, "image; null for baremetal"),
		GA_TEXT(S, domain, GA_REQ, GA_T_ANY, "libvirt domain name"),
		GA_ENUM(S, domain_type, GA_REQ, ga_domain_types, "libvirt domain type"),
		GA_TEXT(S, mac, GA_NULLOK, GA_T_MAC, "management MAC of the VM"),
		GA_TEXT(S, private_ip, GA_NULLOK, GA_T_IP, "its reserved address"),
		GA_TEXT(S, port, GA_NULLOK, GA_T_ANY, "port"),
		GA_OBJ(S, network, GA_REQ, &ga_network_shape, "private network of the node"),
		GA_TEXTS(S, keys, GA_REQ, GA_T_ANY, "ssh public keys"),
		GA_TEXT(S, user_data_digest, GA_NULLOK, GA_T_DIGEST, "of the user-data beside it"),
		GA_NUMBER(S, fabric_partition, GA_NULLOK, "Fabric Manager partition"),
		GA_OBJ(S, wipe, GA_REQ, &ga_wipe_policy_shape, "how it will be wiped"),
		GA_AMOUNT(S, price_micros, GA_REQ, "a GPU hour, in millionths"),
		GA_BOOL(S, lab, "disks are files, readiness is 'running'"),
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "of this record without this member"),
		GA_FIELDS_END },
};
#undef S

#define S ga_term
const struct ga_shape ga_term_shape = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_CODE, "term of the score"),
		GA_AMOUNT(S, value, GA_REQ, "smaller wins"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_answer
const struct ga_shape ga_node_answer_shape = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_BOOL(S, taken, "whether it was taken"),
		GA_TEXT(S, code, GA_NULLOK, GA_T_CODE, "first reason against it"),
		GA_TEXT(S, detail, GA_NULLOK, GA_T_ANY, "for people"),
		GA_LISTOF(S, terms, &ga_term_shape, "its score, first term first"),
		GA_FIELDS_END },
};
#undef S

#define S ga_explanation
const struct ga_shape ga_explanation_shape = {
	.kind = "gpuaas.explanation/1",
	.doc = "why a placement came out as it did (--explain)",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID, "allocation id"),
		GA_TEXT(S, request_id, GA_NULLOK, GA_T_ANY, "request"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_NAME, "node taken"),
		GA_LISTOF(S, nodes, &ga_node_answer_shape, "every node"),
		GA_FIELDS_END },
};
#undef S

#define S ga_refusal
const struct ga_shape ga_refusal_shape = {
	.kind = "gpuaas.refusal/1",
	.doc = "asked and answered no",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, request_id, GA_NULLOK, GA_T_ANY, "request"),
		GA_TEXT(S, project, GA_NULLOK, GA_T_NAME, "project"),
		GA_TEXT(S, profile, GA_NULLOK, GA_T_NAME, "profile"),
		GA_TEXT(S, shape, GA_NULLOK, GA_T_ANY, "slice or baremetal"),
		GA_COUNT(S, count, GA_NULLOK, "GPUs"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "why"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "why, for people"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "what to do"),
		GA_INT_IN(S, status, GA_REQ, 1, 10, "exit status of the pipeline"),
		GA_LISTOF(S, nodes, &ga_node_answer_shape, "every node's first reason"),
		GA_TEXTS(S, alternatives, GA_REQ, GA_T_ANY, "the nearest that would fit"),
		GA_FIELDS_END },
};
#undef S

#define S ga_release_order
const struct ga_shape ga_release_order_shape = {
	.kind = "gpuaas.release-order/1",
	.doc = "an order to take an allocation's devices back",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the allocation"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "ties results to this order"),
		GA_BOOL(S, dry_run, "not to be acted on"),
		GA_TEXT(S, issued_at, GA_REQ, GA_T_TIME, "when it was issued"),
		GA_ENUM(S, shape, GA_REQ, ga_shape_words, "slice or baremetal"),
		GA_TEXT(S, domain, GA_REQ, GA_T_ANY, "libvirt domain name"),
		GA_INT_IN(S, graceful_seconds, GA_REQ, 0, 86400, "before the hard stop"),
		GA_LISTOF(S, bundles, &ga_bundle_shape, "its slots"),
		GA_NUMBER(S, fabric_partition, GA_NULLOK, "Fabric Manager partition"),
		GA_OBJ(S, network, GA_REQ, &ga_network_shape, "private network of the node"),
		GA_OBJ(S, wipe, GA_REQ, &ga_wipe_policy_shape, "how to wipe afterwards"),
		GA_TEXT(S, boot_id, GA_OPT, GA_T_ANY,
			"bare metal: boot id of the node before it was handed over"),
		GA_TEXT(S, fingerprint, GA_OPT, GA_T_DIGEST,
			"bare metal: of the node, as approved"),
		GA_BOOL(S, lab, "disks are files"),
		GA_SERIAL(S, epoch, GA_OPT, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX, "which state ordered it, in this epoch"),
		GA_FIELDS_END },
};
#undef S

#define S ga_user_data
const struct ga_shape ga_user_data_shape = {
	.kind = "gpuaas.user-data/1",
	.doc = "a piece of a tenant's user-data, in front of the plan that names its digest; a "
	       "secret, from gpuaas-on to gpuaas-provision only",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "of all of it"),
		GA_BYTES(S, offset_bytes, GA_REQ, "where the piece begins"),
		GA_BYTES(S, total_bytes, GA_REQ, "of all of it"),
		GA_TEXT(S, base64, GA_NULLOK, GA_T_ANY,
			"the piece, at most 12 KiB; null for no bytes"),
		GA_FIELDS_END },
};
#undef S

#define S ga_hold_order
const struct ga_shape ga_hold_order_shape = {
	.kind = "gpuaas.hold-order/1",
	.doc = "an order to stop a VM and keep its disk, or to start it again",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the allocation's plan"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "the plan's; ties results to it"),
		GA_BOOL(S, dry_run, "not to be acted on"),
		GA_TEXT(S, issued_at, GA_REQ, GA_T_TIME, "when it was issued"),
		GA_ENUM(S, action, GA_REQ, hold_actions, "stop and keep, or take that back"),
		GA_TEXT(S, until, GA_NULLOK, GA_T_TIME, "when the hold ends and release is due"),
		GA_INT_IN(S, graceful_seconds, GA_REQ, 0, 86400, "before the hard stop"),
		GA_BOOL(S, lab, "disks are files"),
		GA_SERIAL(S, epoch, GA_OPT, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX, "which state ordered it, in this epoch"),
		GA_FIELDS_END },
};
#undef S

#define S ga_wipe_order
const struct ga_shape ga_wipe_order_shape = {
	.kind = "gpuaas.wipe-order/1",
	.doc = "an order to wipe a slot's devices and prove it",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_REQ, GA_T_ID, "slot id"),
		GA_TEXT(S, claim, GA_NULLOK, GA_T_ID, "live claim"),
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID, "whose data it holds"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the slot"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "ties the evidence to this order"),
		GA_BOOL(S, dry_run, "not to be acted on"),
		GA_TEXT(S, issued_at, GA_REQ, GA_T_TIME, "when it was issued"),
		GA_ENUM(S, cause, GA_REQ, wipe_causes, "why"),
		GA_TEXT(S, nvme_wwid, GA_REQ, GA_T_ANY, "disk by identity"),
		GA_TEXT(S, nvme_serial, GA_NULLOK, GA_T_ANY, "its serial"),
		GA_TEXT(S, nvme_path, GA_NULLOK, GA_T_ANY, "its path: a cache"),
		GA_BYTES(S, nvme_size_bytes, GA_REQ, "its size"),
		GA_TEXT(S, destroy_data, GA_NULLOK, GA_T_ANY, "wwid whose data may be lost"),
		GA_TEXT(S, gpu_identity, GA_NULLOK, GA_T_ANY, "GPU by identity"),
		GA_TEXT(S, gpu_pci_address, GA_NULLOK, GA_T_PCI, "GPU by address"),
		GA_TEXT(S, gpu_device, GA_NULLOK, GA_T_ANY, "vendor:device of the GPU"),
		GA_TEXT(S, fabric_vf_pci_address, GA_NULLOK, GA_T_PCI, "fabric virtual function"),
		GA_TEXT(S, fabric_pf_pci_address, GA_NULLOK, GA_T_PCI, "its physical function"),
		GA_OBJ(S, wipe, GA_REQ, &ga_wipe_policy_shape, "the policy"),
		GA_BOOL(S, lab, "disks are files"),
		GA_SERIAL(S, epoch, GA_OPT, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX, "which state ordered it, in this epoch"),
		GA_FIELDS_END },
};
#undef S

#define S ga_expected_slot
const struct ga_shape ga_expected_slot_shape = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_OBJ(S, bundle, GA_REQ, &ga_bundle_shape, "the slot"),
		GA_ENUM(S, state, GA_REQ, ga_slot_states, "its state"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when it entered it"),
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID, "whose it is"),
		GA_FIELDS_END },
};
#undef S

#define S ga_expected_allocation
static const struct ga_shape expected_allocation_shape = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "its name"),
		GA_ENUM(S, state, GA_REQ, ga_allocation_states, "its state"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when it entered it"),
		GA_SERIAL(S, generation, GA_REQ, "its generation"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "the running attempt"),
		GA_TEXT(S, domain, GA_REQ, GA_T_ANY, "libvirt domain name"),
		GA_ENUM(S, shape, GA_REQ, ga_shape_words, "slice or baremetal"),
		GA_ENUM(S, power, GA_REQ, ga_power_words, "power wanted"),
		GA_NUMBER(S, fabric_partition, GA_NULLOK, "Fabric Manager partition"),
		GA_TEXTS(S, slots, GA_REQ, GA_T_ID, "its slots"),
		GA_TEXT(S, expires_at, GA_NULLOK, GA_T_TIME, "of a plan not taken up; of a hold"),
		GA_FIELDS_END },
};
#undef S

#define S ga_expectation
const struct ga_shape ga_expectation_shape = {
	.kind = "gpuaas.expectation/1",
	.doc = "what a node should look like",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when it was said"),
		GA_SERIAL(S, epoch, GA_REQ, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX, "which state says it, in this epoch"),
		GA_ENUM(S, mode, GA_REQ, ga_mode_words, "mode of the node"),
		GA_ENUM(S, state, GA_REQ, ga_node_states, "state of the node"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST, "as approved"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_ANY, "as last observed"),
		GA_OBJ(S, network, GA_REQ, &ga_network_shape, "private network of the node"),
		GA_BOOL(S, lab, "disks are files"),
		GA_LISTOF(S, slots, &ga_expected_slot_shape, "its slots, by index"),
		GA_LISTOF(S, allocations, &expected_allocation_shape, "what lives on them"),
		GA_FIELDS_END },
};
#undef S

struct ga_wipe_order ga_bundle_wipe_order(const struct ga_bundle *b)
{
	return (struct ga_wipe_order){
		.object = b->slot,
		.claim = b->claim,
		.generation = b->generation,
		.nvme_wwid = b->nvme_wwid,
		.nvme_serial = b->nvme_serial,
		.nvme_path = b->nvme_path,
		.nvme_size_bytes = b->nvme_size_bytes,
		.gpu_identity = b->gpu_identity,
		.gpu_pci_address = b->gpu_pci_address,
		.gpu_device = b->gpu_device,
		.fabric_vf_pci_address = b->fabric_vf_pci_address,
		.fabric_pf_pci_address = b->fabric_pf_pci_address,
		.epoch = GA_UNKNOWN,
	};
}
