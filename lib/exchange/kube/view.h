/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accelerators of a Kubernetes node, from its labels and resources: the families of NVIDIA, AMD
 * and Intel, those of the clouds, MIG and shared parts, and the override label.
 */
#ifndef GA_EXCHANGE_KUBE_VIEW_H
#define GA_EXCHANGE_KUBE_VIEW_H

#include "catalog/census.h"
#include "exchange/kube/kube.h"

/* The annotation with the type of an object's accelerators. */
#define GA_KUBE_TYPE "accelerator.opendatahub.io/type"
#define GA_KUBE_OVERRIDE "accelerator.gpuaas/type-override"
#define GA_KUBE_OVERRIDE_OWNER "accelerator.gpuaas/type-override-owner"

/* Fills ret (overwritten; released with its schema). manual may be in any order. */
void ga_kube_view(const struct ga_accels *list, const struct ga_kube_node *node,
		  const struct ga_manual_types *manual, int64_t now_micros,
		  struct ga_node_view *ret);

/* nvidia.com/gpu.memory is in MiB; a number above 10^8 can only be bytes. */
int64_t ga_kube_nvidia_memory(int64_t number, bool *is_bytes);

#endif
