/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of drift; private to decide/drift. */
#ifndef GA_DECIDE_DRIFT_INTERNAL_H
#define GA_DECIDE_DRIFT_INTERNAL_H

#include "decide/drift/drift.h"

struct ga_drift_ctx {
	const struct ga_expectation *want;
	const struct ga_seen *seen;
	ga_drift_limit_fn limit;
	struct ga_drifts *ret;
};

/* How bad a drift is. It decides both the severity and the observation of the record. */
enum ga_drift_severity {
	GA_DRIFT_ERROR,	  /* severity error, observation bad */
	GA_DRIFT_WARNING, /* warning, bad */
	GA_DRIFT_INFO,	  /* info, ok: a difference without a fault */
	GA_DRIFT_UNKNOWN, /* info, unknown: the fact could not be observed */
};

/* Adds a drift of the object without a repair, found at the time of the look. c->ret owns it; valid
 * until the next one is added. */
struct ga_drift_item *ga_drift_add(const struct ga_drift_ctx *c, enum ga_drift_code code,
				   enum ga_drift_severity severity, const char *object);
/* Sets the expected and the observed value; either may be NULL. */
void ga_drift_say(struct ga_drift_item *d, const char *expected, const char *observed);
/* Sets the command that ends the drift, made by ga_vcommand: each text is one quoted word. */
void ga_drift_command(struct ga_drift_item *d, const char *fmt, ...) GA_PRINTF(2, 3);
/* The same with a complete command, which d owns then. */
void ga_drift_set_command(struct ga_drift_item *d, char *command);
/* Sets the repair and the objects that it needs; allocation and subject may be NULL. An item
 * without a command gets the call of gpuaas-reconcile that does the repair. */
void ga_drift_repair(struct ga_drift_item *d, enum ga_repair repair, const char *allocation,
		     const char *subject);
/* Adds an "unobserved" for a fact of one object that is unknown: always an info. */
void ga_drift_unknown(const struct ga_drift_ctx *c, const char *object, const char *what,
		      const char *why);
/* Whether the area was observed. */
bool ga_drift_sees(const struct ga_drift_ctx *c, enum ga_area area);

/* Whether the allocation must have its domain, ports and reservations now. */
bool ga_wants_domain(const struct ga_expected_allocation *a);
/* Whether the domain of the allocation is defined and runs. */
bool ga_is_running(const struct ga_drift_ctx *c, const char *allocation);

void ga_drift_vm(const struct ga_drift_ctx *c);     /* domains, seeds, NVRAM, partitions */
void ga_drift_devices(const struct ga_drift_ctx *c); /* PCI, disks, hugepages */
void ga_drift_net(const struct ga_drift_ctx *c);    /* DHCP, leases, OVS, NAT */
void ga_drift_state(const struct ga_drift_ctx *c);  /* journal, attempts, time limits, host */

#endif
