/* SPDX-License-Identifier: Apache-2.0 */
/* Reconciles one node: look, compare, repair if requested, look again, report. */
#ifndef GA_ACT_RECONCILE_RECONCILE_H
#define GA_ACT_RECONCILE_RECONCILE_H

#include "act/reconcile/observe.h"
#include "act/reconcile/repair.h"

struct ga_reconcile_opts {
	const char *node; /* this host's node id */
	struct ga_observe_opts look;
	struct ga_repair_opts repair;
	bool repairs; /* --repair; --plan is repair.dry_run */
	bool take_over; /* from now on this host carries out orders of the expectation's state */
};

/* Calls opts->repair.to.result with a drift record for each drift, then with an observation.
 * Returns the number of drifts of severity error or warning that remain. GA_CONFLICT "wrong_node",
 * and "other_controller" when this host carries out the orders of another state
 * (state/host/hostdb.h). */
GA_MUST_CHECK int64_t ga_reconcile(const struct ga_expectation *want,
				   const struct ga_reconcile_opts *opts, struct ga_err *err);

#endif
