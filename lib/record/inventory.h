/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a host knows of itself, for a state that was restored or lost: what it took up and how that
 * ended (host.db), and what runs. Orders stand inside, so that no program takes them for its own.
 */
#ifndef GA_RECORD_INVENTORY_H
#define GA_RECORD_INVENTORY_H

#include "record/host.h"

/* The newest work of one program on one object; or a domain of which host.db knows nothing. */
struct ga_inventory_work {
	char *node, *object;
	char *object_kind; /* allocation, slot, domain */
	char *program;	   /* provision, release, wipe; NULL for a domain */
	char *attempt, *state, *started_at; /* state: working, done, failed */
	json_t *order;	   /* as it was taken up, or NULL */
	json_t *result;	   /* the record that ended it, or NULL */
	char *power;	   /* of the allocation's domain: on, off, absent; NULL: cannot be told */
	char *unwiped_by;  /* of a slot: who wrote on its disk since its last confirmed wipe here */
};

/* Closes an inventory: a stream counts only with it. */
struct ga_inventory {
	char *node, *at;
	int64_t count; /* gpuaas.inventory-work records before it */
	bool domains_known; /* whether libvirt could be asked */
	struct ga_host *host;
	GA_LIST(struct ga_candidate) candidates;
	char *digest; /* SHA-256 over the work lines, each with its newline */
};

extern const struct ga_schema ga_inventory_work_schema, ga_inventory_schema;

#endif
