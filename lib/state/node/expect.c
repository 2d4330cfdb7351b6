/* SPDX-License-Identifier: Apache-2.0 */
/* The expected state of a node, as one record for gpuaas-reconcile. */
#include "record/expectation.h"
#include "record/time.h"
#include "state/db/controller.h"
#include "state/db/json.h"
#include "state/db/row.h"
#include "state/node/expect.h"
#include "state/node/node.h"
#include "state/slot/slot.h"

static int add_slots(struct ga_db *db, struct ga_expectation *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_query_slots(db, NULL, ret->node, &rows, err) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_expected_slot *e;
		struct ga_slot slot;

		if (ga_row_read(rows, 0, &ga_slot_schema, &slot, err) < 0)
			return -1;
		if (strcmp(slot.state, "retired")) {
			e = ga_list_add(&ret->slots);
			ga_slot_bundle(&slot, &e->bundle);
			e->state = GA_TAKE(slot.state);
			e->since = GA_TAKE(slot.since);
			e->allocation = GA_TAKE(slot.allocation);
		}
		ga_schema_release(&ga_slot_schema, &slot);
	}
	return r;
}

/* The wipe that a slot waits for or runs, so that the host can tell it from an unknown one. */
static int add_wipes(struct ga_db *db, struct ga_expectation *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	size_t i;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT id, wipe_attempt, wipe_generation FROM slot WHERE node_id = ?1 "
			"AND state IN ('releasing', 'wiping') AND wipe_attempt IS NOT NULL",
			"s", ret->node) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		for (i = 0; i < ret->slots.n; i++) {
			struct ga_bundle *b = &ret->slots.v[i].bundle;

			if (strcmp(b->slot, ga_rows_text(rows, 0)))
				continue;
			b->wipe_attempt = ga_rows_dup(rows, 1);
			b->generation = ga_rows_int(rows, 2);
		}
	return r;
}

/* In the order of the schema of an expected allocation. */
static int add_allocations(struct ga_db *db, struct ga_expectation *ret, struct ga_err *err)
{
	const struct ga_field *f = ga_expectation_schema.fields;
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	while (strcmp(f->name, "allocations"))
		f++;
	if (ga_db_query(db, &rows, err,
			"SELECT a.id, a.name, a.state, a.since, "
			"coalesce(a.attempt_generation, a.generation), a.attempt, "
			"coalesce(json_extract(" GA_SQL_OBJECT("a.plan") ", '$.domain'), "
			"'gpuaas-' || a.id), a.shape, "
			"CASE WHEN a.state IN ('provisioning', 'active', "
			"'preempting') THEN coalesce(a.power_wanted, 'on') ELSE 'off' END, "
			"a.fabric_partition, (SELECT json_group_array(id) "
			"FROM (SELECT s.id FROM claim c JOIN slot s ON s.id = c.slot_id "
			"WHERE c.allocation_id = a.id AND c.live = 1 "
			"ORDER BY s.slot_index) o), a.expires_at FROM allocation a "
			"WHERE a.node_id = ?1 AND a.state IN ('placed', 'provisioning', 'active', "
			"'held', 'preempting', 'releasing', 'release_failed', 'failed') "
			"ORDER BY a.id",
			"s", ret->node) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (ga_row_read(rows, 0, f->sub, ga_list_add(&ret->allocations), err) < 0)
			return -1;
	return r;
}

int ga_store_expectation(struct ga_db *db, const char *node, struct ga_expectation *ret,
			 struct ga_err *err)
{
	char controller[GA_CONTROLLER_SIZE];
	struct ga_node n;

	if (ga_store_controller(db, controller, err) < 0 || ga_store_node(db, node, &n, err) < 0)
		return -1;
	*ret = (struct ga_expectation){
		.node = GA_TAKE(n.node),
		.at = ga_time_now(),
		.epoch = ga_db_epoch(db),
		.controller = ga_xstrdup(controller),
		.mode = GA_TAKE(n.mode),
		.state = GA_TAKE(n.state),
		.fingerprint = GA_TAKE(n.fingerprint),
		.boot_id = GA_TAKE(n.boot_id),
		.network = n.network,
		.lab = n.lab,
	};
	n.network = (struct ga_network){ 0 };
	ga_schema_release(&ga_node_schema, &n);
	if (add_slots(db, ret, err) < 0 || add_wipes(db, ret, err) < 0 ||
	    add_allocations(db, ret, err) < 0) {
		ga_schema_release(&ga_expectation_schema, ret);
		return -1;
	}
	return 0;
}
