/* SPDX-License-Identifier: Apache-2.0 */
/* Private to act/reconcile: the look at a host, and its repair; the network has files of its
 * own. */
#ifndef GA_ACT_RECONCILE_INTERNAL_H
#define GA_ACT_RECONCILE_INTERNAL_H

#include "act/reconcile/observe.h"
#include "act/reconcile/repair.h"
#include "act/vm/change.h"

struct ga_look {
	const struct ga_expectation *want;
	const struct ga_observe_opts *opts;
	struct ga_seen *seen;
};
/* observe_net.c: reservations, leases, ports and flows, bridge, NAT. */
void ga_look_net(const struct ga_look *l);

struct ga_repairer {
	const struct ga_expectation *want;
	const struct ga_seen *seen;
	struct ga_drifts *drifts;
	const struct ga_repair_opts *opts;
	struct ga_hostdb h;	   /* borrowed */
	struct ga_changes changes; /* of the drift that is being repaired */
	int hold;		   /* descriptor of its lock */
};

/* repair_net.c: gives the port of a live allocation its flows. */
GA_MUST_CHECK int ga_repair_protect(struct ga_repairer *r, const char *allocation,
				    struct ga_err *err);
/* Each carries out one repair of enum ga_repair, for the drift d. */
GA_MUST_CHECK int ga_repair_write_dhcp_host(struct ga_repairer *r, struct ga_drift_item *d,
					    struct ga_err *err);
GA_MUST_CHECK int ga_repair_setup_bridge(struct ga_repairer *r, struct ga_drift_item *d,
					 struct ga_err *err);
GA_MUST_CHECK int ga_repair_add_port(struct ga_repairer *r, struct ga_drift_item *d,
				     struct ga_err *err);
GA_MUST_CHECK int ga_repair_add_flows(struct ga_repairer *r, struct ga_drift_item *d,
				      struct ga_err *err);
GA_MUST_CHECK int ga_repair_forward(struct ga_repairer *r, struct ga_drift_item *d,
				    struct ga_err *err);
GA_MUST_CHECK int ga_repair_setup_nat(struct ga_repairer *r, struct ga_drift_item *d,
				      struct ga_err *err);
GA_MUST_CHECK int ga_repair_publish(struct ga_repairer *r, struct ga_drift_item *d,
				    struct ga_err *err);
GA_MUST_CHECK int ga_repair_unpublish(struct ga_repairer *r, struct ga_drift_item *d,
				      struct ga_err *err);
GA_MUST_CHECK int ga_repair_release_lease(struct ga_repairer *r, struct ga_drift_item *d,
					  struct ga_err *err);

#endif
