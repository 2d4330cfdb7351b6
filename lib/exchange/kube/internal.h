/* SPDX-License-Identifier: Apache-2.0 */
/* The families of labels, and what Node Feature Discovery says; private to exchange/kube. */
#ifndef GA_EXCHANGE_KUBE_INTERNAL_H
#define GA_EXCHANGE_KUBE_INTERNAL_H

#include "exchange/kube/view.h"

/* The families of labels (family.c): what each says goes to g. */
void ga_kube_nvidia(struct ga_census *g, const struct ga_kube_node *node);
void ga_kube_amd(struct ga_census *g, const struct ga_kube_node *node);
void ga_kube_intel(struct ga_census *g, const struct ga_kube_node *node);
/* Resources of other makers. */
void ga_kube_others(struct ga_census *g, const struct ga_kube_node *node);
/* The labels of clouds: types of GPUs that stand already, or else GPUs of their own. */
void ga_kube_cloud(struct ga_census *g, const struct ga_kube_node *node);

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

/*
 * What Node Feature Discovery says of PCI devices (nfd.c):
 * feature.node.kubernetes.io/pci-[CLASS_]VENDOR[_DEVICE].present=true. It says which are there, not
 * how many.
 */
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
void ga_kube_nfd(struct ga_census *g, const struct ga_kube_node *node, unsigned int vendor,
		 size_t first);
/* Devices of makers of which the node offers nothing. */
void ga_kube_nfd_unoffered(struct ga_census *g, const struct ga_kube_node *node);

#endif
