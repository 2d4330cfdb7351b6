/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inventory of a host: its host.db, its domains, its hardware. For a state that was restored
 * from a backup or lost (gpuaas-state adopt, rebuild). Reads only; works without any state.
 */
#ifndef GA_ACT_RECONCILE_INVENTORY_H
#define GA_ACT_RECONCILE_INVENTORY_H

#include "act/reconcile/observe.h"
#include "record/inventory.h"

/*
 * Gives to result an inventory-work record for each object's newest provision, release and wipe, in
 * the order in which they were taken up, one for each domain of ours that host.db does not know,
 * and the inventory record that closes them. Gives nothing and fails when host.db cannot be read:
 * an inventory that leaves something out would say that it is free.
 */
GA_MUST_CHECK int ga_inventory(const char *node, const struct ga_observe_opts *look,
			       int (*result)(const struct ga_schema *schema, const void *obj,
			       struct ga_err *err), struct ga_err *err);

#endif
