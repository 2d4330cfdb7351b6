/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that conditions have picked, checked again by the transaction that changes one. */
#include "state/query/still.h"

#include "record/node.h"
#include "record/result.h"
#include "record/state.h"
#include "record/words.h"
#include "state/allocation/allocation.h"
#include "state/db/row.h"
#include "state/node/node.h"
#include "state/slot/slot.h"

bool ga_store_has_ended(const struct ga_schema *schema, const void *obj)
{
	const char *state = ga_where_text(schema, obj, "state");

	return ga_streq(state, "retired") || ga_allocation_has_ended(state);
}

int ga_store_still(struct ga_db *db, const struct ga_still *still, const char *id,
		   struct ga_err *err)
{
	union {
		struct ga_node node;
		struct ga_slot slot;
		struct ga_allocation allocation;
	} object;
	const struct ga_schema *schema;
	int r;

	if (!still)
		return 1;
	if (ga_streq(still->kind, "node")) {
		schema = &ga_node_schema;
		r = ga_store_node(db, id, &object.node, err);
	} else if (ga_streq(still->kind, "slot")) {
		schema = &ga_slot_schema;
		r = ga_store_slot(db, id, &object.slot, err);
	} else {
		schema = &ga_allocation_schema;
		r = ga_store_allocation(db, id, &object.allocation, err);
	}
	if (r < 0)
		return -1;
	r = (still->ended || !ga_store_has_ended(schema, &object)) &&
	    ga_wheres_match(schema, &object, still->where);
	ga_schema_release(schema, &object);
	return r;
}
