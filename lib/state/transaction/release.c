/* SPDX-License-Identifier: Apache-2.0 */
/* The transactions of gpuaas-release. */
#include "state/transaction/release.h"

#include "state/access/access.h"
#include "state/allocation/allocation.h"
#include "state/allocation/hold.h"
#include "state/allocation/release.h"
#include "state/query/find.h"

void ga_release_outcome_clear(struct ga_release_outcome *o)
{
	if (o->has_order)
		ga_schema_release(&ga_release_order_schema, &o->order);
	if (o->has_cancelled)
		ga_schema_release(&ga_allocation_schema, &o->cancelled);
	o->has_order = o->has_cancelled = false;
}

/* Ends the transaction with its result r (above 0: something to commit). */
static int end(struct ga_db *db, int r, const struct ga_release_intent *intent, struct ga_err *err)
{
	if (r > 0 && !intent->dry_run && ga_db_commit(db, err) == 0)
		return r;
	ga_db_rollback(db);
	if (r < 0 && !intent->dry_run)
		return ga_store_access_note(db, err);
	return r > 0 && !intent->dry_run ? -1 : r;
}

/* A hold of its profile counts from the moment when it is in use, and so does a confirmation. */
static int check_unused(struct ga_db *db, const char *id, struct ga_err *err)
{
	ga_cleanup(ga_release_outlook_clear) struct ga_release_outlook o = { 0 };

	if (ga_store_release_outlook(db, id, false, &o, err) < 0)
		return -1;
	if (!o.loses_data)
		return 0;
	return ga_refuse(err, GA_CONFLICT, "wrong_state", id,
			 ("nobody has typed the name of '%s', which came into use or was put on "
			  "hold a moment ago: nothing was done", id),
			 ("run it again if what is on its disks may be destroyed"));
}

static int end_allocation(struct ga_db *db, const char *allocation,
			  const struct ga_release_intent *intent, struct ga_release_outcome *ret,
			  struct ga_err *err)
{
	ga_autofree char *id = NULL;
	int r;

	if (ga_store_resolve(db, "allocation", allocation, &id, NULL, err) < 0)
		return -1;
	r = intent->only_over ? ga_store_hold_is_over(db, id, err) :
				ga_store_still(db, intent->still, id, err);
	if (r <= 0)
		return r;
	if ((intent->unused && check_unused(db, id, err) < 0) ||
	    ga_store_may_allocation(db, "release", id, err) < 0 ||
	    ga_store_release(db, id, intent->reason, &ret->order, &ret->has_order, err) < 0)
		return -1;
	ret->order.dry_run = intent->dry_run;
	if (ret->has_order)
		return 1;
	if (ga_store_allocation(db, id, &ret->cancelled, err) < 0)
		return -1;
	ret->has_cancelled = true;
	ret->cancelled.dry_run = intent->dry_run;
	return 1;
}

int ga_release_end_in(struct ga_db *db, const char *allocation,
		      const struct ga_release_intent *intent, struct ga_release_outcome *ret,
		      struct ga_err *err)
{
	int r;

	if (ga_store_begin(db, "gpuaas-release", err) < 0)
		return -1;
	r = end(db, end_allocation(db, allocation, intent, ret, err), intent, err);
	if (r < 0)
		ga_release_outcome_clear(ret);
	return r;
}

int ga_release_moved(struct ga_db *db, const char *allocation, const char *program,
		     const char *reason, struct ga_release_outcome *ret, struct ga_err *err)
{
	if (ga_db_begin(db, program, err) < 0)
		return -1;
	if (ga_store_release(db, allocation, reason, &ret->order, &ret->has_order, err) < 0 ||
	    ga_db_commit(db, err) < 0) {
		ga_db_rollback(db);
		ga_schema_release(&ga_release_order_schema, &ret->order);
		ret->has_order = false;
		return -1;
	}
	return 0;
}

int ga_release_hold_in(struct ga_db *db, const char *allocation, int64_t seconds,
		       const struct ga_release_intent *intent, struct ga_hold_order *ret,
		       struct ga_err *err)
{
	int r;

	ga_schema_init(&ga_hold_order_schema, ret);
	if (ga_store_begin(db, "gpuaas-release", err) < 0)
		return -1;
	r = ga_store_still(db, intent->still, allocation, err);
	if (r == 0)
		return end(db, 0, intent, err);
	if (r > 0)
		r = ga_store_may_allocation(db, "release", allocation, err);
	if (r == 0)
		r = seconds ? ga_store_hold(db, allocation, seconds, intent->reason, ret, err) :
			      ga_store_unhold(db, allocation, intent->reason, ret, err);
	ret->dry_run = intent->dry_run;
	return end(db, r < 0 ? -1 : 1, intent, err);
}
