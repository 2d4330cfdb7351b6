/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of wipe orders. */
#include "record/wipe.h"

static const char *const wipe_causes[] = { "first", "release", "repair", NULL };

#define S ga_wipe_order
const struct ga_schema ga_wipe_order_schema = {
	.kind = "gpuaas.wipe-order/1",
	.doc = "an order to wipe the devices of a slot and to prove the wipe",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_REQ, GA_T_ID, "slot id"),
		GA_TEXT(S, claim, GA_NULLOK, GA_T_ID, "live claim on the slot; null: none"),
		GA_TEXT(S, allocation, GA_NULLOK, GA_T_ID,
			"allocation whose data the disk holds; null: none"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the slot"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID,
			"attempt id that ties the evidence to this order"),
		GA_BOOL(S, dry_run, "true: do not carry the order out"),
		GA_TEXT(S, issued_at, GA_REQ, GA_T_TIME, "when the order was issued"),
		GA_ENUM(S, cause, GA_REQ, wipe_causes, "cause of the wipe"),
		/* Any text: host.db keeps orders of wipes by hand, too (wiped_device_schema). */
		GA_TEXT(S, nvme_wwid, GA_REQ, GA_T_ANY, "WWID of the disk"),
		GA_TEXT(S, nvme_serial, GA_NULLOK, GA_T_ANY, "serial number of the disk"),
		GA_TEXT(S, nvme_path, GA_NULLOK, GA_T_ANY,
			"device node of the disk: a cache, not an identity"),
		GA_BYTES(S, nvme_size_bytes, GA_REQ, "size of the disk"),
		GA_TEXT(S, destroy_data, GA_NULLOK, GA_T_ANY,
			"WWID of the disk whose foreign data the wipe may destroy; null: none"),
		GA_TEXT(S, gpu_identity, GA_NULLOK, GA_T_WORD,
			"identity of the GPU that survives reboots"),
		GA_TEXT(S, gpu_pci_address, GA_NULLOK, GA_T_PCI,
			"PCI address of the GPU: a cache, not an identity"),
		GA_TEXT(S, gpu_device, GA_NULLOK, GA_T_WORD, "PCI vendor:device of the GPU"),
		GA_TEXT(S, fabric_vf_pci_address, GA_NULLOK, GA_T_PCI,
			"PCI address of the fabric virtual function"),
		GA_TEXT(S, fabric_pf_pci_address, GA_NULLOK, GA_T_PCI,
			"PCI address of its physical function"),
		GA_OBJ(S, wipe, GA_REQ, &ga_wipe_policy_schema, "wipe policy"),
		GA_BOOL(S, lab, "true: a lab; disks are files"),
		GA_SERIAL(S, epoch, GA_OPT, "epoch of the state"),
		GA_TEXT(S, controller, GA_OPT, GA_T_HEX,
			"identity of the state that issued the order, in this epoch"),
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
