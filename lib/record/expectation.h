/* SPDX-License-Identifier: Apache-2.0 */
/* The expected state of a node: one record a node; gpuaas-reconcile compares the host with it. */
#ifndef GA_RECORD_EXPECTATION_H
#define GA_RECORD_EXPECTATION_H

#include "base/texts.h"
#include "record/bundle.h"
#include "record/host.h"
#include "record/schema.h"

struct ga_expected_slot {
	struct ga_bundle bundle;
	char *state, *since;
	char *allocation;
};

struct ga_expected_allocation {
	char *allocation, *name, *state, *since;
	int64_t generation;
	char *attempt;
	char *domain, *shape, *power; /* wanted: on, off */
	int64_t fabric_partition;
	struct ga_texts slots;
	char *expires_at;
};

struct ga_expectation {
	char *node, *at;
	int64_t epoch;
	char *controller;
	char *mode, *state, *fingerprint, *boot_id;
	struct ga_network network;
	bool lab;
	GA_LIST(struct ga_expected_slot) slots;
	GA_LIST(struct ga_expected_allocation) allocations;
};

extern const struct ga_schema ga_expected_slot_schema, ga_expectation_schema;

#endif
