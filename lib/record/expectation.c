/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of expectations. */
#include "record/expectation.h"

#include "record/words.h"

#define S ga_expected_slot
const struct ga_schema ga_expected_slot_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_OBJ(S, bundle, GA_REQ, &ga_bundle_schema, "the slot"),
		GA_ENUM(S, state, GA_REQ, ga_slot_states, "its state"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when it entered it"),
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID, "whose it is"),
		GA_FIELDS_END },
};
#undef S

#define S ga_expected_allocation
static const struct ga_schema expected_allocation_schema = {
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_NAME, "its name"),
		GA_ENUM(S, state, GA_REQ, ga_allocation_states, "its state"),
		GA_TEXT(S, since, GA_REQ, GA_T_TIME, "when it entered it"),
		GA_SERIAL(S, generation, GA_REQ, "its generation"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ID, "the running attempt"),
		GA_TEXT(S, domain, GA_REQ, GA_T_ANY, "libvirt domain name"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_ENUM(S, power, GA_REQ, ga_power_words, "power wanted"),
		GA_NUMBER(S, fabric_partition, GA_NULLOK, "Fabric Manager partition"),
		GA_TEXTS(S, slots, GA_REQ, GA_T_ID, "its slots"),
		GA_TEXT(S, expires_at, GA_NULLOK, GA_T_TIME, "of a plan not taken up; of a hold"),
		GA_FIELDS_END },
};
#undef S

#define S ga_expectation
const struct ga_schema ga_expectation_schema = {
	.kind = "gpuaas.expectation/1",
	.doc = "what a node should look like",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the state wrote it"),
		GA_SERIAL(S, epoch, GA_REQ, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX, "the state that wrote it, in this epoch"),
		GA_ENUM(S, mode, GA_REQ, ga_mode_words, "mode of the node"),
		GA_ENUM(S, state, GA_REQ, ga_node_states, "state of the node"),
		GA_TEXT(S, fingerprint, GA_NULLOK, GA_T_DIGEST, "as approved"),
		GA_TEXT(S, boot_id, GA_NULLOK, GA_T_ANY, "as last observed"),
		GA_OBJ(S, network, GA_REQ, &ga_network_schema, "private network of the node"),
		GA_BOOL(S, lab, "disks are files"),
		GA_LISTOF(S, slots, &ga_expected_slot_schema, "its slots, by index"),
		GA_LISTOF(S, allocations, &expected_allocation_schema, "what lives on them"),
		GA_FIELDS_END },
};
#undef S
