/* SPDX-License-Identifier: Apache-2.0 */
/* Releases and holds an allocation in one transaction each: once, again, and as a dry run. */
#include "record/release.h"
#include "state/transaction/release.h"
#include "state_world.h"

/* Allocation 1 on slot 1, in use. */
static struct ga_db *open_used(void)
{
	struct ga_db *db = sw_open(2);

	sw_ready(db, 1);
	sw_ready(db, 2);
	sw_place(db, 1, 1, 1);
	sw_must(sw_active(db, 1, &sw_err));
	return db;
}

static void twice(void)
{
	const struct ga_release_intent intent = { .reason = "done" };
	ga_cleanup(ga_release_outcome_clear) struct ga_release_outcome a = { 0 }, b = { 0 };
	struct ga_db *db = open_used();
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *first = NULL, *second = NULL;

	t_int(ga_release_end_in(db, "job1", &intent, &a, &err), 1, "a release, by name");
	t_ok(a.has_order && !a.has_cancelled, "is an order for the host");
	t_str(sw_allocation_is(db, 1), "releasing", "the allocation is being released");
	t_str(sw_slot_is(db, 1), "releasing", "its slot too");
	t_int(ga_release_end_in(db, "a0000001", &intent, &b, &err), 1, "once more, by id");
	t_ok(b.has_order, "is an order again");
	first = ga_rec_format_text(&ga_release_order_schema, &a.order);
	second = ga_rec_format_text(&ga_release_order_schema, &b.order);
	t_str(second, first, "the same one");
	t_str(sw_get(db, "SELECT count(*) FROM audit WHERE action = 'release_requested'"), "1",
	      "asked for once");
	sw_close(db);
}

static void moved(void)
{
	ga_cleanup(ga_release_outcome_clear) struct ga_release_outcome o = { 0 }, none = { 0 };
	struct ga_db *db = open_used();
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_release_moved(db, "a0000001", "gpuaas-node", "evacuated", &o, &err), 0,
	      "the end of an allocation that has a new place");
	t_ok(o.has_order && !ga_db_in_transaction(db), "is an order, committed");
	t_str(sw_allocation_is(db, 1), "releasing", "the allocation is being released");
	t_str(sw_get(db, "SELECT count(*) FROM audit WHERE action = 'release_requested'"), "1",
	      "and the audit has it");
	t_code(ga_release_moved(db, "a0000009", "gpuaas-node", "evacuated", &none, &err), &err,
	       GA_NOTFOUND, "a0000009", "of one that is not there");
	t_ok(!none.has_order && !ga_db_in_transaction(db), "nothing, and no transaction open");
	ga_err_clear(&err);
	sw_close(db);
}

static void never_taken_up(void)
{
	const struct ga_release_intent intent = { .reason = "not needed" };
	ga_cleanup(ga_release_outcome_clear) struct ga_release_outcome o = { 0 };
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;

	sw_ready(db, 1);
	sw_place(db, 1, 1, 1);
	t_int(ga_release_end_in(db, "a0000001", &intent, &o, &err), 1,
	      "the release of a plan that nobody took up");
	t_ok(!o.has_order && o.has_cancelled, "needs no host");
	t_str(o.cancelled.state, "cancelled", "it is cancelled");
	t_str(sw_slot_is(db, 1), "available", "and its slot is on sale");
	sw_close(db);
}

static void dry_run(void)
{
	const struct ga_release_intent intent = { .dry_run = true };
	ga_cleanup(ga_release_outcome_clear) struct ga_release_outcome o = { 0 };
	struct ga_db *db = open_used();
	struct ga_err err = GA_ERR_INIT;
	struct ga_hold_order hold;
	ga_autofree char *audit = ga_xstrdup(sw_get(db, "SELECT count(*) FROM audit"));

	t_int(ga_release_end_in(db, "a0000001", &intent, &o, &err), 1, "a dry run of a release");
	t_ok(o.has_order && o.order.dry_run, "has an order that says so");
	t_str(sw_allocation_is(db, 1), "active", "the allocation stays");
	t_int(ga_release_hold_in(db, "a0000001", 3600, &intent, &hold, &err), 1, "and of a hold");
	t_ok(hold.dry_run, "its order says so");
	t_str(sw_allocation_is(db, 1), "active", "the allocation stays");
	t_str(sw_get(db, "SELECT count(*) FROM audit"), audit, "the audit has nothing of it");
	ga_schema_release(&ga_hold_order_schema, &hold);
	sw_close(db);
}

static void held(void)
{
	const struct ga_release_intent intent = { .reason = "a break" };
	const struct ga_release_intent over = { .reason = "hold_over", .only_over = true };
	ga_cleanup(ga_release_outcome_clear) struct ga_release_outcome o = { 0 };
	struct ga_db *db = open_used();
	struct ga_err err = GA_ERR_INIT;
	struct ga_hold_order hold;

	t_int(ga_release_hold_in(db, "a0000001", 3600, &intent, &hold, &err), 1, "a hold");
	t_str(hold.action, "hold", "is an order");
	t_str(sw_allocation_is(db, 1), "held", "the allocation is held");
	ga_schema_release(&ga_hold_order_schema, &hold);
	t_int(ga_release_end_in(db, "a0000001", &over, &o, &err), 0,
	      "its end when the time is over does not come before");
	t_ok(!o.has_order && !o.has_cancelled, "nothing came of it");
	t_str(sw_allocation_is(db, 1), "held", "it is held");
	t_ok(!ga_db_in_transaction(db), "and no transaction is left open");
	t_int(ga_release_hold_in(db, "a0000001", 0, &intent, &hold, &err), 1, "the undo of it");
	t_str(hold.action, "undo", "is an order");
	t_str(sw_allocation_is(db, 1), "active", "the allocation is in use");
	ga_schema_release(&ga_hold_order_schema, &hold);
	t_code(ga_release_hold_in(db, "a0000001", 0, &intent, &hold, &err), &err, GA_CONFLICT,
	       "no hold", "there is no second undo");
	t_ok(!ga_db_in_transaction(db), "after which no transaction is left open");
	ga_schema_release(&ga_hold_order_schema, &hold);
	ga_err_clear(&err);

	t_int(ga_release_hold_in(db, "a0000001", 3600, &intent, &hold, &err), 1, "once more");
	ga_schema_release(&ga_hold_order_schema, &hold);
	sw_sql(db, "UPDATE allocation SET expires_at = '2026-03-02T00:00:00.000000Z', "
		   "generation = generation + 1 WHERE id = 'a0000001'");
	t_int(ga_release_end_in(db, "a0000001", &over, &o, &err), 1, "when its time is over");
	t_ok(o.has_order, "it ends");
	sw_close(db);
}

static void unknown(void)
{
	const struct ga_release_intent intent = { 0 };
	ga_cleanup(ga_release_outcome_clear) struct ga_release_outcome o = { 0 };
	struct ga_db *db = sw_open(0);
	struct ga_err err = GA_ERR_INIT;

	t_code(ga_release_end_in(db, "none", &intent, &o, &err), &err, GA_NOTFOUND, "none",
	       "an allocation that there is not");
	t_ok(!ga_db_in_transaction(db), "leaves no transaction open");
	sw_close(db);
}

static void conditions(void)
{
	ga_cleanup(ga_release_outcome_clear) struct ga_release_outcome o = { 0 };
	ga_cleanup(ga_wheres_release) struct ga_wheres where = { 0 };
	const struct ga_still still = { "allocation", &where, false };
	const struct ga_still all = { "allocation", &(struct ga_wheres){ 0 }, false };
	const struct ga_release_intent picked = { .still = &still }, any = { .still = &all };
	const struct ga_release_intent unused = { .unused = true };
	struct ga_db *db = open_used();
	struct ga_err err = GA_ERR_INIT;
	struct ga_hold_order hold;

	where.v = ga_xcalloc(1, sizeof(*where.v));
	where.n = 1;
	sw_must(ga_where_parse(&ga_allocation_schema, "state=placed", 0, where.v, &err));
	t_int(ga_release_end_in(db, "a0000001", &picked, &o, &err), 0,
	      "an allocation that conditions do not mean any more");
	t_int(ga_release_hold_in(db, "a0000001", 3600, &picked, &hold, &err), 0, "nor for a hold");
	t_code(ga_release_end_in(db, "a0000001", &unused, &o, &err), &err, GA_CONFLICT,
	       "a0000001", "one in use, in place of one without a disk");
	t_str(err.reason, "wrong_state", "by reason");
	t_str(sw_allocation_is(db, 1), "active", "is as it was");
	t_ok(!ga_db_in_transaction(db), "and no transaction is open");
	ga_err_clear(&err);
	t_int(ga_release_end_in(db, "a0000001", &any, &o, &err), 1, "one that they mean, ends");
	ga_release_outcome_clear(&o);
	sw_place(db, 2, 2, 1);
	t_int(ga_release_end_in(db, "a0000002", &picked, &o, &err), 1, "and a plan, as picked");
	ga_release_outcome_clear(&o);
	t_int(ga_release_end_in(db, "a0000002", &any, &o, &err), 0,
	      "conditions mean none that has ended");
	sw_close(db);
}

int main(void)
{
	twice();
	moved();
	never_taken_up();
	dry_run();
	held();
	unknown();
	conditions();
	return t_done();
}
