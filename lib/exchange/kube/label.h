/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the labels of a Kubernetes node: which labels are there, which are wrong, which contradict
 * each other, and which facts each leaves open.
 */
#ifndef GA_EXCHANGE_KUBE_LABEL_H
#define GA_EXCHANGE_KUBE_LABEL_H

#include "exchange/kube/view.h"

typedef int (*ga_label_each)(const struct ga_label_finding *finding, void *arg,
			     struct ga_err *err);
/* Calls each() for every finding: first for labels, family by family, then for the node. Returns
 * the number of warnings and errors, or -1. */
GA_MUST_CHECK int ga_kube_labels(const struct ga_accels *list, const struct ga_kube_node *node,
				 int64_t now_micros, ga_label_each each, void *arg,
				 struct ga_err *err);
/* eks, gke, aks, openshift or kubernetes, from labels that only these platforms set. */
const char *ga_kube_platform(const struct ga_kube_node *node);

#endif
