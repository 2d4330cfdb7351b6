/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inventory of a host: its host.db, its domains, its hardware. It serves a state that was
 * restored from a backup or lost (gpuaas-state adopt, rebuild). Reads only; works without any
 * state.
 */
#ifndef GA_ACT_RECONCILE_INVENTORY_H
#define GA_ACT_RECONCILE_INVENTORY_H

#include "act/reconcile/observe.h"
#include "base/texts.h"
#include "record/inventory.h"

/*
 * Calls result with an inventory-work record for each object's newest provision, release and wipe,
 * in the order in which they were begun; then with one for each domain of ours that host.db does
 * not know, and one with the answer of the executables in baremetal_dir/status about each baremetal
 * machine that this host deployed and did not release, and each of machines; then with the
 * inventory record that closes them. Fails without any record when host.db cannot be read: an
 * incomplete inventory would show things as free that are not. With machines, a host that has no
 * key yet gets one.
 */
GA_MUST_CHECK int ga_inventory(const char *node, const struct ga_observe_opts *look,
			       const char *baremetal_dir, const struct ga_texts *machines,
			       int (*result)(const struct ga_schema *schema, const void *obj,
			       struct ga_err *err), struct ga_err *err);

#endif
