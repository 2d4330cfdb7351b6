/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the labels of a Kubernetes node are worth: which are there, which are wrong, which
 * contradict each other, and what each leaves open.
 */
#ifndef GA_EXCHANGE_KUBE_LABEL_H
#define GA_EXCHANGE_KUBE_LABEL_H

#include "exchange/kube/view.h"

typedef int (*ga_label_each)(const struct ga_label_finding *finding, void *arg,
			     struct ga_err *err);
/* Every finding goes to each(), labels in the order of this page's families, then the node's.
 * Returns how many were warnings or errors, or -1. */
GA_MUST_CHECK int ga_kube_labels(const struct ga_accels *list, const struct ga_kube_node *node,
				 int64_t now_micros, ga_label_each each, void *arg,
				 struct ga_err *err);
/* eks, gke, aks, openshift or kubernetes, by labels that only they put on nodes. */
const char *ga_kube_platform(const struct ga_kube_node *node);

#endif
