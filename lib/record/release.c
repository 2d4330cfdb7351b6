/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of release orders and hold orders. */
#include "record/release.h"

#include "record/words.h"

static const char *const hold_actions[] = { "hold", "undo", NULL };

#define S ga_release_order
const struct ga_schema ga_release_order_schema = {
	.kind = "gpuaas.release-order/1",
	.doc = "an order to release the devices of an allocation",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the allocation"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt id that ties results to this order"),
		GA_BOOL(S, dry_run, "true: do not carry the order out"),
		GA_TEXT(S, issued_at, GA_REQ, GA_T_TIME, "when the order was issued"),
		GA_ENUM(S, shape, GA_REQ, ga_schema_words, "slice or baremetal"),
		GA_TEXT(S, domain, GA_REQ, GA_T_ANY, "libvirt domain name"),
		GA_SECONDS_IN(S, graceful_seconds, GA_REQ, 0, GA_GRACEFUL_MAX,
			      "seconds that the guest has to stop, before the hard stop"),
		GA_LISTOF(S, bundles, &ga_bundle_schema, "slots of the allocation"),
		GA_NUMBER(S, fabric_partition, GA_NULLOK,
			  "Fabric Manager partition to deactivate; null: none"),
		GA_OBJ(S, network, GA_REQ, &ga_network_schema, "private network of the node"),
		GA_OBJ(S, wipe, GA_REQ, &ga_wipe_policy_schema, "policy of the wipe that follows"),
		GA_TEXT(S, boot_id, GA_OPT, GA_T_WORD,
			"baremetal: boot id of the node before it was given to the user"),
		GA_TEXT(S, fingerprint, GA_OPT, GA_T_DIGEST,
			"baremetal: hardware fingerprint of the node, as approved"),
		GA_BOOL(S, lab, "true: a lab; disks are files"),
		GA_SERIAL(S, epoch, GA_OPT, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX,
			"identity of the state that issued the order, in this epoch"),
		GA_FIELDS_END },
};
#undef S

#define S ga_hold_order
const struct ga_schema ga_hold_order_schema = {
	.kind = "gpuaas.hold-order/1",
	.doc = "an order to stop a VM and keep its disk, or to start it again",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the allocation's plan"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the plan; ties results to it"),
		GA_BOOL(S, dry_run, "true: do not carry the order out"),
		GA_TEXT(S, issued_at, GA_REQ, GA_T_TIME, "when the order was issued"),
		GA_ENUM(S, action, GA_REQ, hold_actions,
			"hold: stop the VM and keep its disk; undo: start it again"),
		GA_TEXT(S, until, GA_NULLOK, GA_T_TIME,
			"when the hold ends and the release is due"),
		GA_SECONDS_IN(S, graceful_seconds, GA_REQ, 0, GA_GRACEFUL_MAX,
			      "seconds that the guest has to stop, before the hard stop"),
		GA_BOOL(S, lab, "true: a lab; disks are files"),
		GA_SERIAL(S, epoch, GA_OPT, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX,
			"identity of the state that issued the order, in this epoch"),
		GA_FIELDS_END },
};
#undef S
