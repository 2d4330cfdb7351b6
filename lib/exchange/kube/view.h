/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a Kubernetes node has, from its labels and resources: NVIDIA's, AMD's and Intel's families,
 * those of the clouds, MIG and shared parts, and the override label.
 */
#ifndef GA_EXCHANGE_KUBE_VIEW_H
#define GA_EXCHANGE_KUBE_VIEW_H

#include "catalog/census.h"
#include "exchange/kube/kube.h"

/* The annotation that says which type of accelerator something has. */
#define GA_KUBE_TYPE "accelerator.opendatahub.io/type"
#define GA_KUBE_OVERRIDE "accelerator.gpuaas/type-override"
#define GA_KUBE_OVERRIDE_OWNER "accelerator.gpuaas/type-override-owner"

/* Fills ret (overwritten; released with its shape). manual is sorted in any way. */
void ga_kube_view(const struct ga_accels *list, const struct ga_kube_node *node,
		  const struct ga_manual_types *manual, int64_t now_micros,
		  struct ga_node_view *ret);

/* The families of labels (family.c): what each says goes to g. */
void ga_kube_nvidia(struct ga_gather *g, const struct ga_kube_node *node);
void ga_kube_amd(struct ga_gather *g, const struct ga_kube_node *node);
void ga_kube_intel(struct ga_gather *g, const struct ga_kube_node *node);
/* Resources of other makers. */
void ga_kube_others(struct ga_gather *g, const struct ga_kube_node *node);
/* The labels of clouds: types of GPUs that stand already, or else GPUs of their own. */
void ga_kube_cloud(struct ga_gather *g, const struct ga_kube_node *node);

enum ga_kube_amd_kind { GA_KUBE_AMD_DEVICE, GA_KUBE_AMD_PRODUCT, GA_KUBE_AMD_VRAM };
struct ga_kube_amd_label {
	enum ga_kube_amd_kind kind;
	const char *value;
	bool counted; /* the value stands in the key, and how many there are is the label's */
};
/* A label of AMD's labeller: "amd.com/gpu.device-id=74a1", or "amd.com/gpu.device-id.74a1=8", also
 * with "beta." before it. False where it is none, or says again what another one does. */
bool ga_kube_amd_label(const struct ga_kube_node *node, const char *key,
		       struct ga_kube_amd_label *ret);
/* A PCI id, up to 8 hexadecimal digits as that labeller writes it, or "0x74A1" of a person. */
bool ga_kube_amd_is_id(const char *text);
/* "192G" in MiB, which one GPU has; GA_UNKNOWN: no size. */
int64_t ga_kube_amd_vram(const char *text);
/* A label of Intel's, "gpu.intel.com/device-id.CLASS-ID.present": the PCI id, and the label that
 * counts them, which the caller frees. False where it is none. */
bool ga_kube_intel_label(const char *key, unsigned int *device, char **count);

/* The keys of what clouds call the type, up to NULL. */
extern const char *const ga_kube_cloud_keys[];

/* Whether an extended resource is an accelerator or a part of one. What makers let a pod ask for
 * beside it is none: monitoring of all there are, memory and cores of a shared one. */
bool ga_kube_is_accelerator(const char *resource);

/* nvidia.com/gpu.memory is MiB; a number beyond 10^8 can only be bytes. */
int64_t ga_kube_nvidia_memory(int64_t number, bool *is_bytes);

#endif
