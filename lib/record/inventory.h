/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inventory of a host, for a state that was restored or lost: the work that the host began and
 * its result (from host.db), and the domains that run. Each order is a member inside a record, not
 * a record of its own, so that no program acts on it.
 */
#ifndef GA_RECORD_INVENTORY_H
#define GA_RECORD_INVENTORY_H

#include "record/host.h"

/* The newest work of one program on one object, or a domain that is not in host.db. */
struct ga_inventory_work {
	char *node, *object;
	char *object_kind; /* allocation, slot, domain, machine (object is then the node's id) */
	char *program;	   /* provision, release, wipe; status: who has a machine; NULL: a domain */
	char *attempt, *state, *started_at; /* state: working, done, failed */
	json_t *order;	   /* the order as the host accepted it, or NULL */
	json_t *result;	   /* the record that ended the work, or NULL */
	char *power;	   /* of the allocation's domain: on, off, absent; NULL: unknown */
	char *unwiped_by;  /* of a slot: id of the object that wrote on its disk after the last
			      confirmed wipe on this host, or NULL */
};

/* Closes an inventory: without this record the stream does not count. */
struct ga_inventory {
	char *node, *at;
	int64_t count; /* gpuaas.inventory-work records before it */
	bool domains_known; /* whether libvirt answered */
	struct ga_host *host;
	struct ga_candidates candidates;
	char *digest; /* SHA-256 over the work lines, each with its newline */
};

extern const struct ga_schema ga_inventory_work_schema, ga_inventory_schema;

#endif
