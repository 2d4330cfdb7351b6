/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of inventory.h: the inventory of a host. */
#include "record/inventory.h"

static const char *const object_kinds[] = { "allocation", "slot", "domain", "machine", NULL };
static const char *const programs[] = { "provision", "release", "wipe", "status", NULL };
static const char *const states[] = { "working", "done", "failed", NULL };
static const char *const powers[] = { "on", "off", "absent", NULL };

#define S ga_inventory_work
const struct ga_schema ga_inventory_work_schema = {
	.kind = "gpuaas.inventory-work/1",
	.doc = "the last work of a host on an object, or a domain that is not in the host's "
	       "journal, or the answer of the operator's executables about a baremetal machine",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_REQ, GA_T_ANY,
			"allocation, slot or domain; machine: node id"),
		GA_ENUM(S, object_kind, GA_REQ, object_kinds, "kind of the object"),
		GA_ENUM(S, program, GA_NULLOK, programs,
			"program that did the work; null: none on this host; status: the "
			"executables of baremetal.d/status"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ANY, "attempt id of the order"),
		GA_ENUM(S, state, GA_NULLOK, states, "state of the work"),
		GA_TEXT(S, started_at, GA_NULLOK, GA_T_TIME, "when the work began"),
		GA_JSON(S, order, GA_NULLOK,
			"order as the host accepted it; status: the question; null: none"),
		GA_JSON(S, result, GA_NULLOK,
			"record that ended the work; status: the answer; null: none"),
		GA_ENUM(S, power, GA_NULLOK, powers, "power of the domain; null: unknown"),
		GA_TEXT(S, unwiped_by, GA_NULLOK, GA_T_ANY,
			"object that wrote on the slot's disk after its last confirmed wipe here; "
			"null: none"),
		GA_FIELDS_END },
};
#undef S

#define S ga_inventory
const struct ga_schema ga_inventory_schema = {
	.kind = "gpuaas.inventory/1",
	.doc = "the end of a host's inventory; without it the inventory does not count",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the inventory was made"),
		GA_COUNT(S, count, GA_REQ, "number of inventory-work records before it"),
		GA_BOOL(S, domains_known, "true: libvirt answered"),
		GA_OBJ(S, host, GA_NULLOK, &ga_host_schema, "host as gpuaas-discover reports it"),
		GA_LISTOF(S, candidates, &ga_candidate_schema,
			  "candidates as gpuaas-discover reports them"),
		GA_TEXT(S, digest, GA_REQ, GA_T_ANY,
			"digest of the inventory-work lines, each with its newline"),
		GA_FIELDS_END },
};
#undef S
