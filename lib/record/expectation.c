/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of expectations. */
#include "record/expectation.h"

#include "record/words.h"

#define S ga_expected_slot
const struct ga_schema ga_expected_slot_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_OBJ(S, bundle, GA_REQ, &ga_bundle_schema, "devices and network of the slot"),
		GA_ENUM(S, state, GA_REQ, ga_slot_states, "state of the slot"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when the slot entered its state"),
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID,
			"allocation that has the slot; null: none"),
		GA_FIELDS_END },
};
#undef S

#define S ga_expected_allocation
static const struct ga_schema expected_allocation_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "name of the allocation"),
		GA_ENUM(S, state, GA_REQ, ga_allocation_states, "state of the allocation"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when the allocation entered its state"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "attempt of the order"),
		GA_TEXT(S, domain, GA_REQ, GA_T_ANY, "libvirt domain name"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_ENUM(S, power, GA_REQ, ga_power_words, "power wanted"),
		GA_NUMBER(S, fabric_partition, GA_NULLOK,
			  "Fabric Manager partition of the allocation; null: none"),
		GA_TEXTS(S, slots, GA_REQ, GA_T_ID, "slots of the allocation"),
		GA_TEXT(S, expires_at, GA_NULLOK, GA_T_TIME,
			"when the plan (placed) or the hold (held) expires"),
		GA_FIELDS_END },
};
#undef S

#define S ga_expectation
const struct ga_schema ga_expectation_schema = {
	.kind = "gpuaas.expectation/1",
	.doc = "the expected state of a node, for gpuaas-reconcile",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the state wrote it"),
		GA_SERIAL(S, epoch, GA_REQ, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX, "identity of the state in this epoch"),
		GA_ENUM(S, mode, GA_REQ, ga_mode_words, "mode of the node"),
		GA_ENUM(S, state, GA_REQ, ga_node_states, "state of the node"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST,
			"hardware fingerprint of the node, as approved"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_WORD, "boot id of the node when last observed"),
		GA_OBJ(S, network, GA_REQ, &ga_network_schema, "private network of the node"),
		GA_BOOL(S, lab, "true: a lab; disks are files"),
		GA_LISTOF(S, slots, &ga_expected_slot_schema, "slots of the node, by index"),
		GA_LISTOF(S, allocations, &expected_allocation_schema, "allocations on the node"),
		GA_FIELDS_END },
};
#undef S
