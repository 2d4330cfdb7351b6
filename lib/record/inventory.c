/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of inventory.h: the inventory of a host. */
#include "record/inventory.h"

static const char *const object_kinds[] = { "allocation", "slot", "domain", NULL };
static const char *const programs[] = { "provision", "release", "wipe", NULL };
static const char *const states[] = { "working", "done", "failed", NULL };
static const char *const powers[] = { "on", "off", "absent", NULL };

#define S ga_inventory_work
const struct ga_schema ga_inventory_work_schema = {
	.kind = "gpuaas.inventory-work/1",
	.doc = "what a host did last for an object, or a domain it knows nothing of",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, object, GA_REQ, GA_T_ANY, "allocation, slot or domain"),
		GA_ENUM(S, object_kind, GA_REQ, object_kinds, "which of them"),
		GA_ENUM(S, program, GA_NULLOK, programs, "who worked on it; null: nobody here"),
		GA_TEXT(S, attempt, GA_NULLOK, GA_T_ANY, "attempt id of the order"),
		GA_ENUM(S, state, GA_NULLOK, states, "how the work stands"),
		GA_TEXT(S, started_at, GA_NULLOK, GA_T_TIME, "when it was taken up"),
		GA_JSON(S, order, GA_NULLOK, "the order's record"),
		GA_JSON(S, result, GA_NULLOK, "the record that ended it"),
		GA_ENUM(S, power, GA_NULLOK, powers, "of the domain; null: unknown"),
		GA_TEXT(S, unwiped_by, GA_NULLOK, GA_T_ANY,
			"who wrote on the slot's disk since its last confirmed wipe here"),
		GA_FIELDS_END },
};
#undef S

#define S ga_inventory
const struct ga_schema ga_inventory_schema = {
	.kind = "gpuaas.inventory/1",
	.doc = "closes what a host knows of itself",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_COUNT(S, count, GA_REQ, "inventory-work records before it"),
		GA_BOOL(S, domains_known, "whether libvirt could be asked"),
		GA_OBJ(S, host, GA_NULLOK, &ga_host_schema, "the host as discover shows it"),
		GA_LISTOF(S, candidates, &ga_candidate_schema, "its GPUs and what goes with them"),
		GA_TEXT(S, digest, GA_REQ, GA_T_ANY, "over the work lines with their newlines"),
		GA_FIELDS_END },
};
#undef S
