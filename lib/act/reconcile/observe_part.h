/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of looking share; private to observe*.c. */
#ifndef GA_ACT_RECONCILE_OBSERVE_PART_H
#define GA_ACT_RECONCILE_OBSERVE_PART_H

#include "act/reconcile/observe.h"

struct ga_look {
	const struct ga_expectation *want;
	const struct ga_observe_opts *opts;
	struct ga_seen *seen;
};

void ga_look_work(const struct ga_look *l);    /* host.db, seeds, NVRAM */
void ga_look_devices(const struct ga_look *l); /* PCI, disks, hugepages, partitions */
void ga_look_domains(const struct ga_look *l); /* after devices: it wants the disks' paths */
void ga_look_net(const struct ga_look *l);     /* after work: it wants the allocations known */

#endif
