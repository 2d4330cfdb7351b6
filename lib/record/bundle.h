/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orders have in common: the devices of a slot and how its disk is wiped.
 *
 * An order is what a host acts on without any state. It names object, claim and generation, and
 * the attempt that ties its results to it. The state refuses a result whose attempt and generation
 * are not those it stored with the order.
 */
#ifndef GA_RECORD_BUNDLE_H
#define GA_RECORD_BUNDLE_H

#include "record/schema.h"

/* How a disk has to be wiped: the policy's numbers are in decide/slot/verdict.h. */
struct ga_wipe_policy {
	char *minimum_class; /* clear, purge */
	char *verify;	     /* full, sampled */
	char *gpu_memory;    /* required, if_supported */
};

/* One slot as an order carries it: devices by identity, paths and addresses as caches. */
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
	char *wipe_attempt; /* attempt id of the wipe to come; only in a release-order */
};

extern const struct ga_schema ga_wipe_policy_schema, ga_bundle_schema;

#endif
