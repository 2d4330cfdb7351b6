/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts that all orders share: the devices of a slot, and the policy for wiping its disk.
 *
 * A host acts on an order alone; it needs no state. An order names the object, the claim, the
 * generation, and the attempt. The results of the order carry the same attempt and generation; the
 * state stored both with the order and refuses a result with others.
 */
#ifndef GA_RECORD_BUNDLE_H
#define GA_RECORD_BUNDLE_H

#include "record/schema.h"

/* The policy for wiping a disk and its GPU, by words; decide/wipe/plan.h has what each requires. */
struct ga_wipe_policy {
	char *minimum_class; /* clear, purge */
	char *verify;	     /* full, sampled */
	char *gpu_memory;    /* required, if_supported */
};

/* One slot in an order. Identities name the devices; paths and addresses are only caches. */
struct ga_bundle {
	char *slot, *claim;
	int64_t slot_index, generation; /* of the slot, when the order was made */
	int64_t numa_node;
	char *gpu_identity, *gpu_pci_address, *gpu_device; /* gpu_device: "10de:2335" */
	int64_t module_id;
	char *nvme_wwid, *nvme_serial, *nvme_path;
	int64_t nvme_size_bytes;
	char *fabric_vf_pci_address, *fabric_pf_pci_address;
	char *cpuset;
	int64_t memory_mib;
	char *mac, *private_ip, *bridge, *port;
	char *wipe_attempt; /* attempt id of the wipe that follows; only in a release-order */
};

extern const struct ga_schema ga_wipe_policy_schema, ga_bundle_schema;

/* The first of n bundles of an order whose slot, disk, GPU or fabric function an earlier one has
 * too, or whose slot has the id of the allocation; NULL: none. A host locks each object once, and
 * a second lock would wait for the first. */
const struct ga_bundle *ga_bundle_twice(const struct ga_bundle *v, size_t n,
					const char *allocation);

#endif
