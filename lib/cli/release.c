/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-release: the intent in the state, and the work on the host. */
#include "cli/release.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/device/virt.h"
#include "act/vm/release.h"
#include "base/stop.h"
#include "base/texts.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "cli/objects/several.h"
#include "cli/vm.h"
#include "decide/setup/remote.h"
#include "record/wipe.h"
#include "state/allocation/allocation.h"
#include "state/allocation/move.h"
#include "state/host/hostdb.h"
#include "state/query/find.h"
#include "state/transaction/release.h"

int ga_release_check(const struct ga_release_ask *ask, bool pending, bool has_ids,
		     struct ga_err *err)
{
	bool holds = ask->hold_seconds != GA_UNKNOWN;

	if (holds && ask->undo)
		return ga_fail(err, GA_USAGE, "--hold and --undo contradict each other");
	if (pending && (holds || ask->undo || has_ids))
		return ga_fail(err, GA_USAGE,
			       "--pending takes no ids and no hold: it releases all that have "
			       "expired");
	if ((holds || ask->undo) && !has_ids)
		return ga_fail(err, GA_USAGE, "--hold and --undo need an allocation");
	return 0;
}

/* ---- the host side of a release ---- */

/* One for the process, because the callbacks have no argument for it. */
static struct ga_release_ask asked;

static void say(const char *line)
{
	ga_say("%s", line);
}

static int on_progress(const struct ga_progress *p, struct ga_err *err)
{
	return ga_result_progress(p, ga_streq(asked.progress, "json"), err);
}

/* A host keeps the orders for its own disks (act/vm/release.c), so that --pending finds them. */
static void say_next(const struct ga_wipe_order *order)
{
	ga_autofree char *again = ga_store_leave(GA_M_SLOT, "wiping", "baremetal", order->object);

	ga_cli_next("nothing is for sale before its wipe: '%s' does it",
		    ga_streq(order->node, asked.node) ? "gpuaas-wipe --pending" : again);
}

/* Orders are no results, and dry runs are only shown: do not commit either to the state. */
static int on_result(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	if (schema == &ga_wipe_order_schema && !asked.dry_run)
		say_next(obj);
	if (asked.dry_run || schema == &ga_wipe_order_schema)
		return ga_emit(schema, obj, err);
	return ga_result_emit(schema, obj, err);
}

int ga_release_carry_out(const struct ga_release_order *order, const struct ga_release_ask *ask,
			 struct ga_err *err)
{
	const struct ga_release_opts o = {
		.program = ga_cli_program(),
		.node = ask->node,
		.host_dir = ga_cli_host_dir(),
		.libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", GA_VIRT_URI),
		.fabric = { ga_cli_setting("GPUAAS_LIBNVFM", NULL),
			    ga_cli_setting("GPUAAS_FABRIC_ADDRESS", NULL) },
		.baremetal_dir = ga_cli_setting("GPUAAS_BAREMETAL_DIR", "/etc/gpuaas/baremetal.d"),
		.dry_run = ask->dry_run,
		.to = { on_result, on_progress, say, NULL, ga_result_release_in_force },
	};

	asked = *ask;
	return ga_release_on_host(order, &o, err);
}

/* ---- releasing ---- */

/* Whether this user may act on the host. The owner of the state need not be root; then the order is
 * written out for root. */
static bool may_act_here(void)
{
	return !geteuid() || access(ga_cli_host_dir(), R_OK | W_OK | X_OK) == 0 || errno != EACCES;
}

int ga_release_end(const char *id, const struct ga_release_ask *ask, struct ga_err *err)
{
	const struct ga_release_intent intent = {
		.reason = ask->reason,
		.only_over = ask->only_over,
		.unused = ask->unused,
		.still = ask->still,
		.dry_run = ask->dry_run,
	};
	ga_cleanup(ga_release_outcome_clear) struct ga_release_outcome o = { 0 };
	struct ga_db *db = NULL;
	int r;

	r = ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err);
	if (r == 0)
		r = ga_release_end_in(db, id, &intent, &o, err);
	ga_db_close(GA_TAKE(db)); /* the work on the host may take minutes */
	if (!r && ask->still)
		ga_cli_several_left("allocation", id);
	if (r <= 0)
		return r;
	if (o.has_cancelled)
		return ga_emit(&ga_allocation_schema, &o.cancelled, err);
	if (ga_streq(o.order.node, ask->node) && ga_streq(o.order.shape, "slice") &&
	    may_act_here())
		return ga_release_carry_out(&o.order, ask, err);
	if (!ask->dry_run)
		ga_release_say_next(&o.order, ask->node);
	return ga_emit(&ga_release_order_schema, &o.order, err);
}

/* ---- holds ---- */

/* The work that ga_release_one found. */
struct todo {
	char *allocation; /* its id: a name may mean another one by the time of the release */
	bool holds; /* order is the order to hold or start it, committed unless in a dry run */
	bool unused;	  /* nobody confirmed that data is destroyed: none may be by now */
	bool left;	  /* it does not meet the conditions any more: do nothing */
	struct ga_hold_order order;
};

static void cleanup_todo(struct todo *t)
{
	free(t->allocation);
	ga_schema_release(&ga_hold_order_schema, &t->order);
}

/* Finds the allocation and what a release of it does; its id is o->allocation. 0 with o empty: it
 * does not meet the conditions any more. */
static int look(const char *id, const struct ga_release_ask *ask, struct ga_release_outlook *o,
		struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	ga_autofree char *allocation = NULL;
	bool by_profile = ask->hold_seconds == GA_UNKNOWN && !ask->undo;
	int r;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_store_resolve(db, "allocation", id, &allocation, NULL, err) < 0)
		return -1;
	r = ga_store_still(db, ask->still, allocation, err);
	if (r == 0)
		ga_cli_several_left("allocation", allocation);
	return r <= 0 ? r : ga_store_release_outlook(db, allocation, by_profile, o, err);
}

/* The seconds that the release holds it first; 0: none. */
static int64_t hold_of(const struct ga_release_ask *ask, const struct ga_release_outlook *o)
{
	return ask->hold_seconds == GA_UNKNOWN ? o->hold_seconds : ask->hold_seconds;
}

/* Commits the intent of a hold. */
static int find_todo(const char *id, const struct ga_release_ask *ask, struct todo *ret,
		     struct ga_err *err)
{
	const struct ga_release_intent intent = { .reason = ask->reason, .still = ask->still,
						  .dry_run = ask->dry_run };
	ga_cleanup(ga_release_outlook_clear) struct ga_release_outlook o = { 0 };
	struct ga_db *db = NULL;
	int64_t seconds;
	int r;

	ga_schema_init(&ga_hold_order_schema, &ret->order);
	if (look(id, ask, &o, err) < 0)
		return -1;
	ret->left = !o.allocation;
	if (ret->left)
		return 0;
	ret->allocation = ga_xstrdup(o.allocation);
	seconds = hold_of(ask, &o);
	ret->unused = !o.loses_data || (ask->typed && !ga_texts_has(ask->typed, id));
	ret->holds = ask->undo || seconds > 0;
	if (!ret->holds)
		return 0;
	r = ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err);
	if (r == 0)
		r = ga_release_hold_in(db, o.allocation, ask->undo ? 0 : seconds, &intent,
				       &ret->order, err);
	ga_db_close(GA_TAKE(db));
	if (r == 0)
		ga_cli_several_left("allocation", ret->allocation);
	ret->left = r == 0;
	return r < 0 ? -1 : 0;
}

/* 1: go on with it; 0: it is left out. */
static int confirm(const char *id, const struct ga_release_ask *ask, struct ga_texts *typed,
		   struct ga_err *err)
{
	ga_cleanup(ga_release_outlook_clear) struct ga_release_outlook o = { 0 };

	if (look(id, ask, &o, err) < 0)
		return -1;
	if (!o.allocation)
		return 0;
	if (ask->undo || hold_of(ask, &o) > 0 || !o.loses_data)
		return 1;
	if (ga_cli_confirm(o.allocation, o.name, err) < 0)
		return -1;
	ga_texts_add(typed, id);
	return 1;
}

int ga_release_confirm(struct ga_release_ask *ask, struct ga_texts *ids, struct ga_texts *typed,
		       struct ga_err *err)
{
	struct ga_texts go_on = { 0 };
	size_t i, n = ids->n;
	int r = 0;

	if (ask->yes || ask->dry_run || !isatty(STDIN_FILENO))
		return 0;
	for (i = 0; i < n && r >= 0; i++) {
		r = confirm(ids->v[i], ask, typed, err);
		if (r > 0)
			ga_texts_add(&go_on, ids->v[i]);
		/* Ctrl-C at any name ends the command before it has done anything. */
		if (ga_stop_check("nothing was done: the question for the names", err) < 0)
			r = -1;
		else if (r < 0 && ga_cli_several_goes_on(n, r, err))
			r = 0;
	}
	ga_texts_release(ids);
	*ids = go_on;
	ask->typed = typed;
	return r < 0 ? -1 : 0;
}

int ga_release_over(struct ga_texts *ret, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0)
		return -1;
	return ga_store_hold_over(db, ret, err);
}

/* ---- several allocations ---- */

static void cleanup_allocation(struct ga_allocation *a)
{
	ga_schema_release(&ga_allocation_schema, a);
}

/* Shows the allocations and asks for their number. */
static int confirm_number(const struct ga_texts *ids, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	char typed[32] = "", number[32];
	size_t i;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0)
		return -1;
	for (i = 0; i < ids->n; i++) {
		ga_cleanup(cleanup_allocation) struct ga_allocation a = { 0 };

		if (ga_store_allocation(db, ids->v[i], &a, err) < 0)
			return -1;
		ga_say("%s%s%s of project %s: %s%s%s", a.allocation, a.name ? " " : "",
		       a.name ? a.name : "", a.project, a.state, a.node ? " on " : "",
		       a.node ? a.node : "");
	}
	/* Do not keep a transaction open while the user thinks. */
	ga_db_close(GA_TAKE(db));
	ga_say("type their number, %zu, to go on:", ids->n);
	if (!fgets(typed, sizeof(typed), stdin))
		typed[0] = '\0';
	typed[strcspn(typed, "\n")] = '\0';
	snprintf(number, sizeof(number), "%zu", ids->n);
	return !strcmp(typed, number) ?
		       0 :
		       ga_fail(err, GA_NO, "nothing was done: that is not their number");
}

int ga_release_pick(struct ga_several *several, struct ga_release_ask *ask, struct ga_texts *ret,
		    struct ga_err *err)
{
	bool asks = several->n_where && !ask->yes && !ask->dry_run;

	if (asks && !isatty(STDIN_FILENO))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--yes is missing: --where may match more than is meant"),
				 ("'--dry-run' shows what would be released"));
	if (ga_cli_several(several, ret, err) < 0)
		return -1;
	ask->still = several->still;
	return asks && ret->n ? confirm_number(ret, err) : 0;
}

/* ---- on the host ---- */

/* The order failed before any change of the VM: turns *err into a failure record. */
static int tell_failed(const struct ga_hold_order *order, const struct ga_vm_opts *o,
		       struct ga_err *err)
{
	const struct ga_err why = *err;
	struct ga_work work = { .to = &o->to, .program = ga_cli_program(), .dry_run = o->dry_run,
				.node = order->node, .allocation = order->allocation,
				.attempt = order->attempt, .generation = order->generation,
				.phase = "power_check" };

	ga_err_clear(err);
	return ga_work_fail(&work, &why, NULL, NULL, err) < 0 ?
		       -1 :
		       ga_work_stdout_error(&work, err);
}

int ga_release_hold_do(const struct ga_hold_order *order, const struct ga_release_ask *ask,
		       struct ga_err *err)
{
	/* No attempt here: it is the plan's, which the host knows, but the order is new. */
	const struct ga_issuer by = { order->allocation, NULL, order->controller, order->epoch };
	struct ga_vm_opts o = { 0 };
	bool begun = false;
	int r = ga_vm_tell_begin(ask->progress, ask->dry_run, &o, err);

	/* The work is on the plan in host.db, so the order must be for this node and no dry run. */
	if (r == 0 && order->dry_run && !ask->dry_run)
		r = ga_fail_for(err, GA_CONFLICT, "dry_run",
				"the hold order of '%s' is of a dry run: it is not carried out",
				order->allocation);
	if (r == 0 && !ga_streq(order->node, o.node))
		r = ga_fail_for(err, GA_CONFLICT, "wrong_node",
				"the hold order of '%s' is for node '%s', and this is '%s'",
				order->allocation, order->node, o.node);
	if (r == 0) {
		o.undoes_hold = true;
		o.attempt = order->attempt;
		o.order_issued_at = order->issued_at;
		o.begun = &begun;
		r = ask->dry_run ? 0 : ga_hostdb_accept_controller_in(o.host_dir, &by, false, err);
		if (r == 0)
			r = ga_streq(order->action, "undo") ?
				    ga_vm_start(order->allocation, &o, err) :
				    ga_vm_stop(order->allocation, order->graceful_seconds, true, &o,
					       err);
		/* A lock by another program, or a signal to stop, is no failure of the order. */
		if (r < 0 && !begun && !ga_streq(err->reason, "held") &&
		    !ga_streq(err->reason, "interrupted"))
			r = tell_failed(order, &o, err);
	}
	if (r < 0 && !*err->object)
		ga_err_about(err, NULL, order->allocation);
	ga_vm_tell_end(&o);
	return r;
}

int ga_release_one(const char *id, const struct ga_release_ask *ask, struct ga_err *err)
{
	ga_cleanup(cleanup_todo) struct todo todo = { 0 };
	struct ga_release_ask end = *ask;

	if (find_todo(id, ask, &todo, err) < 0)
		return -1;
	if (todo.left)
		return 0;
	if (todo.holds && ga_streq(todo.order.node, ask->node) && may_act_here())
		return ga_release_hold_do(&todo.order, ask, err);
	if (todo.holds)
		return ga_emit(&ga_hold_order_schema, &todo.order, err);
	end.unused = todo.unused;
	return ga_release_end(todo.allocation, &end, err);
}
