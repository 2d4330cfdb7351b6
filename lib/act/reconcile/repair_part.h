/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of repairing share; private to repair*.c. */
#ifndef GA_ACT_RECONCILE_REPAIR_PART_H
#define GA_ACT_RECONCILE_REPAIR_PART_H

#include "act/reconcile/repair.h"
#include "act/vm/change.h"

struct ga_repairer {
	const struct ga_expectation *want;
	const struct ga_seen *seen;
	struct ga_drifts *drifts;
	const struct ga_repair_opts *opts;
	struct ga_hostdb h;	   /* borrowed */
	struct ga_changes changes; /* of the deviation at work */
	int hold;		   /* its hold */
};

void ga_repair_say(const struct ga_repairer *r, const char *fmt, ...) GA_PRINTF(2, 3);

/* repair_net.c */
GA_MUST_CHECK int ga_repair_protect(struct ga_repairer *r, const char *allocation,
				    struct ga_err *err);
GA_MUST_CHECK int ga_repair_write_dhcp_host(struct ga_repairer *r, struct ga_deviation *d,
					    struct ga_err *err);
GA_MUST_CHECK int ga_repair_setup_bridge(struct ga_repairer *r, struct ga_deviation *d,
					 struct ga_err *err);
GA_MUST_CHECK int ga_repair_add_port(struct ga_repairer *r, struct ga_deviation *d,
				     struct ga_err *err);
GA_MUST_CHECK int ga_repair_add_flows(struct ga_repairer *r, struct ga_deviation *d,
				      struct ga_err *err);
GA_MUST_CHECK int ga_repair_forward(struct ga_repairer *r, struct ga_deviation *d,
				    struct ga_err *err);
GA_MUST_CHECK int ga_repair_setup_nat(struct ga_repairer *r, struct ga_deviation *d,
				      struct ga_err *err);
GA_MUST_CHECK int ga_repair_publish(struct ga_repairer *r, struct ga_deviation *d,
				    struct ga_err *err);
GA_MUST_CHECK int ga_repair_unpublish(struct ga_repairer *r, struct ga_deviation *d,
				      struct ga_err *err);
GA_MUST_CHECK int ga_repair_release_lease(struct ga_repairer *r, struct ga_deviation *d,
					  struct ga_err *err);

/* repair_remove.c: of allocations that have ended (ga_drift_is_over) */
GA_MUST_CHECK int ga_repair_undo_journal(struct ga_repairer *r, struct ga_deviation *d,
					 struct ga_err *err);
GA_MUST_CHECK int ga_repair_remove_port(struct ga_repairer *r, struct ga_deviation *d,
					struct ga_err *err);
GA_MUST_CHECK int ga_repair_remove_flows(struct ga_repairer *r, struct ga_deviation *d,
					 struct ga_err *err);
GA_MUST_CHECK int ga_repair_remove_file(struct ga_repairer *r, struct ga_deviation *d,
					struct ga_err *err);
GA_MUST_CHECK int ga_repair_remove_vm(struct ga_repairer *r, struct ga_deviation *d,
				      struct ga_err *err);

#endif
