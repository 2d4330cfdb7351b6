/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of wipe orders. */
#include "record/wipe.h"

static const char *const wipe_causes[] = { "first", "release", "repair", NULL };

#define S ga_wipe_order
const struct ga_schema ga_wipe_order_schema = {
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
		GA_OBJ(S, wipe, GA_REQ, &ga_wipe_policy_schema, "the policy"),
		GA_BOOL(S, lab, "disks are files"),
		GA_SERIAL(S, epoch, GA_OPT, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX, "which state ordered it, in this epoch"),
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
