/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a Kubernetes node has, from its labels and resources: NVIDIA's, AMD's and Intel's families,
 * those of the clouds, MIG and shared parts, and the override label.
 */
#ifndef GA_KUBE_VIEW_H
#define GA_KUBE_VIEW_H

#include "accel_weigh.h"
#include "kube.h"

/* The annotation that says which type of accelerator something has. */
#define GA_KUBE_TYPE "accelerator.opendatahub.io/type"
#define GA_KUBE_OVERRIDE "accelerator.gpuaas/type-override"
#define GA_KUBE_OVERRIDE_OWNER "accelerator.gpuaas/type-override-owner"

/* A type that somebody recorded for a node. */
struct ga_manual_type {
	char *node;
	char *type; /* slug; one that the catalogue no longer has counts as unknown */
	int64_t count; /* GA_UNKNOWN: not said */
	char *reason, *by, *at;
};
struct ga_manual_types {
	struct ga_manual_type *v;
	size_t n;
};
void ga_manual_types_release(struct ga_manual_types *list);
#define ga_automanual ga_cleanup(ga_manual_types_release)

/* A view in the making, with the memory that is known of each element of its types. */
struct ga_gather {
	const struct ga_accels *list;
	struct ga_node_view *view;
	GA_LIST(int64_t) memory_mib;
};
struct ga_node_type *ga_gather_add(struct ga_gather *g, int64_t count, int64_t memory_mib);
/* Adds what people recorded for the view's node to its types. */
void ga_gather_manual(struct ga_gather *g, const struct ga_manual_types *manual);
/* Weighs, and releases what the gathering holds. */
void ga_gather_done(struct ga_gather *g);

/* Fills ret (overwritten; released with its shape). manual is sorted in any way. */
void ga_kube_view(const struct ga_accels *list, const struct ga_kube_node *node,
		  const struct ga_manual_types *manual, int64_t now_micros,
		  struct ga_node_view *ret);

/* The families of labels (kube_family.c): what each says goes to g. */
void ga_kube_nvidia(struct ga_gather *g, const struct ga_kube_node *node);
void ga_kube_amd(struct ga_gather *g, const struct ga_kube_node *node);
void ga_kube_intel(struct ga_gather *g, const struct ga_kube_node *node);
/* Resources of other makers. */
void ga_kube_others(struct ga_gather *g, const struct ga_kube_node *node);
/* The labels of clouds: types of GPUs that stand already, or else GPUs of their own. */
void ga_kube_cloud(struct ga_gather *g, const struct ga_kube_node *node);

/* Whether an extended resource is an accelerator or a part of one. What makers let a pod ask for
 * beside it is none: monitoring of all there are, memory and cores of a shared one. */
bool ga_kube_is_accelerator(const char *resource);

/* nvidia.com/gpu.memory is MiB; a number beyond 10^8 can only be bytes. */
int64_t ga_kube_nvidia_memory(int64_t number, bool *is_bytes);

#endif
