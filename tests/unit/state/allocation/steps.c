/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the operations: their refusals, and the orders of a release. */
#include "state/allocation/move.h"
#include "state/allocation/plan.h"
#include "state_world.h"

static void unknown_slot(void)
{
	struct ga_db *db = sw_open(0);
	struct ga_err err = GA_ERR_INIT;

	sw_begin(db);
	t_code(ga_store_move_slot(db, "none", NULL, "wiping", "2026-01-01T00:00:00.000000Z", &err),
	       &err, GA_NOTFOUND, "no slot 'none'", "a slot that there is not");
	t_str(err.reason, "no_slot", "for that reason");
	t_str(err.object, "none", "is the object of the error");
	ga_db_rollback(db);
	sw_close(db);
}

static void stricter(void)
{
	static const struct {
		const char *class, *verify, *gpu_memory;
		const char *to_class, *to_verify, *to_gpu_memory;
	} steps[] = {
		{ "clear", "sample", "if_supported", "clear", "sample", "if_supported" },
		{ "clear", "full", "if_supported", "clear", "full", "if_supported" },
		{ "purge", "sample", "if_supported", "purge", "full", "if_supported" },
		{ "clear", "sample", "required", "purge", "full", "required" },
		{ "clear", "sample", "if_supported", "purge", "full", "required" },
	};
	struct ga_wipe_policy p = { 0 };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(steps); i++) {
		ga_store_tighten(&p, steps[i].class, steps[i].verify, steps[i].gpu_memory);
		t_str(p.minimum_class, steps[i].to_class, "the class after step %zu", i);
		t_str(p.verify, steps[i].to_verify, "the reading back after step %zu", i);
		t_str(p.gpu_memory, steps[i].to_gpu_memory, "the GPU memory after step %zu", i);
	}
	free(p.minimum_class);
	free(p.verify);
	free(p.gpu_memory);
}

/* A slot that a person took out while the allocation had it keeps no other one from its release. */
static void quarantined(void)
{
	struct ga_db *db = sw_open(2);
	struct ga_err err = GA_ERR_INIT;
	struct ga_release_order o;
	bool has = false;

	sw_ready(db, 1);
	sw_ready(db, 2);
	sw_place(db, 1, 1, 2);
	sw_must(sw_progress(db, 1, "clone", "started", &err));
	sw_must(sw_failure(db, 1, "gpuaas-provision", "pa000001", 2, "clone", &err));
	sw_begin(db);
	sw_must(ga_store_move_slot(db, "s0000001", NULL, "quarantined",
				   "2026-04-01T00:00:00.000000Z", &sw_err));
	sw_commit(db);
	t_int(sw_release(db, 1, &o, &has, &err), 0, "the release of an allocation that failed");
	t_int((int64_t)o.bundles.n, 1, "orders the slot that is not quarantined");
	t_str(o.bundles.v[0].slot, "s0000002", "the second one");
	t_str(sw_slot_is(db, 1), "quarantined", "the first stays out");
	t_str(sw_slot_is(db, 2), "releasing", "the second is being released");
	ga_schema_release(&ga_release_order_schema, &o);
	sw_close(db);
}

int main(void)
{
	unknown_slot();
	stricter();
	quarantined();
	return t_done();
}
