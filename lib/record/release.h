/* SPDX-License-Identifier: Apache-2.0 */
/* The orders that release an allocation, put it on hold, or start a held one again. */
#ifndef GA_RECORD_RELEASE_H
#define GA_RECORD_RELEASE_H

#include "record/bundle.h"
#include "record/host.h"
#include "record/schema.h"

/* A step of a released record says so of a baremetal machine's disk, after its WWID and ": "; and
 * then the state in the reason of its node: "disk WWID: …". */
#define GA_DISK_IN_NO_SLOT "it is in no slot, so nothing wipes it"

struct ga_release_order {
	char *allocation, *node;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *issued_at, *shape;
	char *domain;
	int64_t graceful_seconds; /* before the hard stop */
	GA_LIST(struct ga_bundle) bundles;
	int64_t fabric_partition;
	struct ga_network network;
	struct ga_wipe_policy wipe;
	char *boot_id, *fingerprint; /* baremetal: the trusted system must prove these */
	bool lab;
	int64_t epoch;
	char *controller;
};

/* The order that stops a VM for a hold, or starts it again; the attempt is the plan's. */
struct ga_hold_order {
	char *allocation, *node;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *issued_at, *action; /* hold, undo */
	char *until;		  /* of a hold */
	int64_t graceful_seconds; /* before the hard stop */
	bool lab;
	int64_t epoch;
	char *controller;
};

extern const struct ga_schema ga_release_order_schema, ga_hold_order_schema;

#endif
