/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-release: the intent in the state, and what is done on the host. */
#include "cli/release.h"

#include <errno.h>
#include <unistd.h>

#include "act/device/virt.h"
#include "act/vm/takeback.h"
#include "base/texts.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "cli/vm.h"
#include "record/time.h"
#include "state/access/access.h"
#include "state/allocation/allocation.h"
#include "state/allocation/release.h"
#include "state/host/hostdb.h"
#include "state/query/find.h"

static int usage(struct ga_err *err, const char *what)
{
	return ga_fail(err, GA_USAGE, "%s", what);
}

int ga_release_check(const struct ga_release_ask *ask, bool pending, bool has_ids,
		     struct ga_err *err)
{
	bool holds = ask->hold_seconds != GA_UNKNOWN;

	if (holds && ask->undo)
		return usage(err, "--hold and --undo contradict each other");
	if (pending && (holds || ask->undo || has_ids))
		return usage(err, "--pending takes no ids and no hold: it releases what is over");
	if ((holds || ask->undo) && !has_ids)
		return usage(err, "--hold and --undo need an allocation");
	return 0;
}

/* ---- the host side of a release ---- */

/* Of this process; the callbacks have no argument to carry it. */
static struct ga_release_ask asked;

static void say(const char *line)
{
	ga_say("%s", line);
}

static int on_progress(const struct ga_progress *p, struct ga_err *err)
{
	return ga_result_progress(p, ga_streq(asked.progress, "json"), err);
}

/* Orders are no results and dry runs are shown only: neither is folded. */
static int on_result(const struct ga_shape *shape, const void *obj, struct ga_err *err)
{
	if (asked.dry_run || shape == &ga_wipe_order_shape)
		return ga_emit(shape, obj, err);
	return ga_result_emit(shape, obj, err);
}

int ga_release_carry_out(const struct ga_release_order *order, const struct ga_release_ask *ask,
			 struct ga_err *err)
{
	const struct ga_takeback_opts o = {
		.program = ga_cli_program(),
		.node = ask->node,
		.host_dir = ga_cli_host_dir(),
		.libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", GA_VIRT_URI),
		.fabric = { ga_cli_setting("GPUAAS_LIBNVFM", NULL),
			    ga_cli_setting("GPUAAS_FABRIC_ADDRESS", NULL) },
		.baremetal_dir = ga_cli_setting("GPUAAS_BAREMETAL_DIR", "/etc/gpuaas/baremetal.d"),
		.dry_run = ask->dry_run,
		.result = on_result,
		.progress = on_progress,
		.say = say,
	};

	asked = *ask;
	return ga_takeback(order, &o, err);
}

/* ---- the end ---- */

/* In a transaction: fills order when there is something on a host; a plan nobody took up is
 * cancelled and shown instead. 0: it is not to end any more. */
static int intend_in(struct ga_db *db, const char *id, const struct ga_release_ask *ask,
		     struct ga_release_order *order, bool *has_order,
		     struct ga_allocation *cancelled, struct ga_err *err)
{
	ga_autofree char *full = NULL;
	int r;

	if (ga_store_resolve(db, "allocation", id, &full, NULL, err) < 0)
		return -1;
	r = ask->only_over ? ga_store_hold_is_over(db, full, err) : 1;
	if (r <= 0)
		return r;
	if (ga_store_may_allocation(db, "release", full, err) < 0 ||
	    ga_store_release(db, full, ask->reason, order, has_order, err) < 0)
		return -1;
	return !*has_order && ga_store_allocation(db, full, cancelled, err) < 0 ? -1 : 1;
}

/* Commits the intent. */
static int intend_end(const char *id, struct ga_release_order *order, bool *has_order,
		      struct ga_allocation *cancelled, const struct ga_release_ask *ask,
		      struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	int r;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err) < 0 ||
	    ga_store_begin(db, ga_cli_program(), err) < 0)
		return -1;
	r = intend_in(db, id, ask, order, has_order, cancelled, err);
	if (r < 0 && !ask->dry_run)
		return ga_store_access_note(db, err);
	if (r <= 0)
		return r;
	if (ask->dry_run) {
		order->dry_run = true;
		cancelled->dry_run = true;
		return 1; /* closing rolls back */
	}
	return ga_db_commit(db, err) < 0 ? -1 : 1;
}

/* Who owns the state need not be root: the order then goes on to who is. */
static bool may_act_here(void)
{
	return !geteuid() || access(ga_cli_host_dir(), R_OK | W_OK | X_OK) == 0 || errno != EACCES;
}

int ga_release_end(const char *id, const struct ga_release_ask *ask, struct ga_err *err)
{
	struct ga_release_order order;
	struct ga_allocation cancelled;
	bool has_order = false;
	int r;

	ga_shape_init(&ga_release_order_shape, &order);
	ga_shape_init(&ga_allocation_shape, &cancelled);
	r = intend_end(id, &order, &has_order, &cancelled, ask, err);
	if (r > 0 && !has_order)
		r = ga_emit(&ga_allocation_shape, &cancelled, err);
	else if (r > 0 && ga_streq(order.node, ask->node) && ga_streq(order.shape, "slice") &&
		 may_act_here())
		r = ga_release_carry_out(&order, ask, err);
	else if (r > 0)
		r = ga_emit(&ga_release_order_shape, &order, err);
	ga_shape_release(&ga_release_order_shape, &order);
	ga_shape_release(&ga_allocation_shape, &cancelled);
	return r;
}

/* ---- holds ---- */

static int look(const char *id, bool by_profile, struct ga_release_outlook *ret, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	ga_autofree char *full = NULL;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_store_resolve(db, "allocation", id, &full, NULL, err) < 0)
		return -1;
	return ga_store_release_outlook(db, full, by_profile, ret, err);
}

static int intend_hold(const char *id, int64_t seconds, const struct ga_release_ask *ask,
		  struct ga_hold_order *ret, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	int r;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err) < 0 ||
	    ga_store_begin(db, ga_cli_program(), err) < 0)
		return -1;
	r = ga_store_may_allocation(db, "release", id, err);
	if (r == 0)
		r = ask->undo ? ga_store_unhold(db, id, ask->reason, ret, err) :
			ga_store_hold(db, id, seconds, ask->reason, ret, err);
	ret->dry_run = ask->dry_run;
	if (r < 0 && !ask->dry_run)
		return ga_store_access_note(db, err);
	if (r < 0 || ask->dry_run) /* closing rolls back */
		return r < 0 ? -1 : 1;
	return ga_db_commit(db, err) < 0 ? -1 : 1;
}

/* Whether it is to be held or started again: 1, and the intent is committed (not in a dry run) and
 * ret is the order. 0: it is to end, and on a terminal its name was typed. */
static int hold_intent(const char *id, const struct ga_release_ask *ask,
		       struct ga_hold_order *ret, struct ga_err *err)
{
	ga_cleanup(ga_release_outlook_clear) struct ga_release_outlook o = { 0 };
	int64_t seconds = ask->hold_seconds;

	ga_shape_init(&ga_hold_order_shape, ret);
	if (look(id, seconds == GA_UNKNOWN && !ask->undo, &o, err) < 0)
		return -1;
	if (seconds == GA_UNKNOWN)
		seconds = o.hold_seconds;
	if (ask->undo || seconds > 0)
		return intend_hold(o.allocation, seconds, ask, ret, err);
	if (!o.loses_data || ask->yes || ask->dry_run || !isatty(STDIN_FILENO))
		return 0;
	return ga_cli_confirm(o.allocation, o.name, err);
}

int ga_release_over(struct ga_texts *ret, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0)
		return -1;
	return ga_store_hold_over(db, ret, err);
}

/* ---- on the host ---- */

/* The plan in host.db is what is stopped or started: an order of another one is not carried out. */
static int check_order(const struct ga_hold_order *order, const struct ga_vm_opts *o,
		       bool dry_run, struct ga_err *err)
{
	if (order->dry_run && !dry_run)
		return ga_fail_for(err, GA_CONFLICT, "dry_run",
				   "the hold order of '%s' is of a dry run: it is not carried out",
				   order->allocation);
	if (ga_streq(order->node, o->node))
		return 0;
	return ga_fail_for(err, GA_CONFLICT, "wrong_node",
			   "the hold order of '%s' is for node '%s', and this is '%s'",
			   order->allocation, order->node, o->node);
}

/* The order failed before anything of the VM was touched: why becomes a record of it. */
static int tell_failed(const struct ga_hold_order *order, const struct ga_vm_opts *o,
		       struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	const struct ga_err why = *err;
	const struct ga_failure f = {
		.node = order->node,
		.object = order->allocation,
		.attempt = order->attempt,
		.generation = order->generation,
		.program = (char *)(uintptr_t)ga_cli_program(),
		.phase = (char *)(uintptr_t)"power_check",
		.code = (char *)(uintptr_t)(*why.reason ? why.reason : "failed"),
		.sentence = (char *)(uintptr_t)why.msg,
		.hint = *why.hint ? (char *)(uintptr_t)why.hint : NULL,
		.status = (int64_t)why.code,
		.at = now,
		.dry_run = o->dry_run,
	};

	ga_say("%s: %s%s%s", order->allocation, why.msg, *why.hint ? "\n  " : "", why.hint);
	ga_err_clear(err);
	return o->result(&ga_failure_shape, &f, err);
}

static int hold_or_undo(const struct ga_hold_order *order, const struct ga_vm_opts *o,
			struct ga_err *err)
{
	if (ga_streq(order->action, "undo"))
		return ga_vm_start(order->allocation, o, err);
	return ga_vm_stop(order->allocation, order->graceful_seconds, true, o, err);
}

int ga_release_hold_do(const struct ga_hold_order *order, const struct ga_release_ask *ask,
		       struct ga_err *err)
{
	/* The attempt is the plan's, which is known: the order itself is new all the same. */
	const struct ga_issuer by = { order->allocation, NULL, order->controller, order->epoch };
	struct ga_vm_opts o = { 0 };
	bool begun = false;
	int r = ga_vm_tell_begin(ask->progress, ask->dry_run, &o, err);

	if (r == 0)
		r = check_order(order, &o, ask->dry_run, err);
	if (r == 0) {
		o.undoes_hold = true;
		o.attempt = order->attempt;
		o.order_issued_at = order->issued_at;
		o.begun = &begun;
		r = ask->dry_run ? 0 : ga_hostdb_serve_in(o.host_dir, &by, false, err);
		if (r == 0)
			r = hold_or_undo(order, &o, err);
		/* Somebody at work on it, or being told to stop, is no failure of the order. */
		if (r < 0 && !begun && !ga_streq(err->reason, "held") &&
		    !ga_streq(err->reason, "interrupted"))
			r = tell_failed(order, &o, err);
	}
	if (r < 0 && !*err->object)
		ga_err_object(err, order->allocation);
	ga_vm_tell_end(&o);
	return r;
}

int ga_release_one(const char *id, const struct ga_release_ask *ask, struct ga_err *err)
{
	struct ga_hold_order order;
	int r = hold_intent(id, ask, &order, err);

	if (r > 0 && ga_streq(order.node, ask->node) && may_act_here())
		r = ga_release_hold_do(&order, ask, err);
	else if (r > 0)
		r = ga_emit(&ga_hold_order_shape, &order, err);
	else if (!r)
		r = ga_release_end(id, ask, err);
	ga_shape_release(&ga_hold_order_shape, &order);
	return r;
}
