/* SPDX-License-Identifier: Apache-2.0 */
/* The order to wipe the devices of a slot and to prove the wipe. */
#ifndef GA_RECORD_WIPE_H
#define GA_RECORD_WIPE_H

#include "record/bundle.h"
#include "record/schema.h"

struct ga_wipe_order {
	char *node, *object; /* slot id */
	char *claim, *allocation;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *issued_at, *cause; /* first, release, repair; inside a rebuild, rebuild */
	char *nvme_wwid, *nvme_serial, *nvme_path;
	int64_t nvme_size_bytes;
	char *destroy_data; /* wwid whose foreign content may be destroyed, or NULL */
	char *gpu_identity, *gpu_pci_address, *gpu_device, *fabric_vf_pci_address,
		*fabric_pf_pci_address;
	struct ga_wipe_policy wipe;
	bool lab;
	int64_t epoch;
	char *controller;
};

/* The part of a wipe order that comes from the bundle: slot, claim and devices. The result borrows
 * the texts of the bundle; the caller fills the other members. */
struct ga_wipe_order ga_bundle_wipe_order(const struct ga_bundle *b);

extern const struct ga_schema ga_wipe_order_schema;

#endif
