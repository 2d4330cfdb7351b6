/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Node Feature Discovery says of PCI devices:
 * feature.node.kubernetes.io/pci-[CLASS_]VENDOR[_DEVICE].present=true. It says which are there, not
 * how many.
 */
#ifndef GA_EXCHANGE_KUBE_NFD_H
#define GA_EXCHANGE_KUBE_NFD_H

#include "exchange/kube/view.h"

struct ga_kube_pci {
	int64_t class; /* GA_UNKNOWN: not said */
	unsigned int vendor;
	int64_t device; /* GA_UNKNOWN: not said */
};
/* False where the label is none of these, or of what is no accelerator: the catalogue does not
 * have it, and its class is another, or its maker makes other things, too. */
bool ga_kube_pci_label(const struct ga_accels *list, const struct ga_kube_node *node,
		       const char *key, struct ga_kube_pci *ret);
/* Says to the elements of g from first on, which are all of the vendor's, what its devices are;
 * where there are none nothing of the vendor's is offered. */
void ga_kube_nfd(struct ga_gather *g, const struct ga_kube_node *node, unsigned int vendor,
		 size_t first);
/* Devices of makers of which the node offers nothing. */
void ga_kube_nfd_unoffered(struct ga_gather *g, const struct ga_kube_node *node);

#endif
