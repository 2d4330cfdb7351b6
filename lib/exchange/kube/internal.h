/* SPDX-License-Identifier: Apache-2.0 */
/* The families of labels, and labels of Node Feature Discovery; private to exchange/kube. */
#ifndef GA_EXCHANGE_KUBE_INTERNAL_H
#define GA_EXCHANGE_KUBE_INTERNAL_H

#include "exchange/kube/view.h"

/* The families of labels (family.c): each adds its evidence to g. */
void ga_kube_nvidia(struct ga_census *g, const struct ga_kube_node *node);
void ga_kube_amd(struct ga_census *g, const struct ga_kube_node *node);
void ga_kube_intel(struct ga_census *g, const struct ga_kube_node *node);
/* Resources of other makers. */
void ga_kube_others(struct ga_census *g, const struct ga_kube_node *node);
/* Labels of clouds: add evidence to the elements, or add an element if there is none. */
void ga_kube_cloud(struct ga_census *g, const struct ga_kube_node *node);

enum ga_kube_amd_kind { GA_KUBE_AMD_DEVICE, GA_KUBE_AMD_PRODUCT, GA_KUBE_AMD_VRAM };
struct ga_kube_amd_label {
	enum ga_kube_amd_kind kind;
	const char *value;
	bool counted; /* the value is in the key, and the label's value is the count */
};
/* A label of AMD's labeller: "amd.com/gpu.device-id=74a1", or "amd.com/gpu.device-id.74a1=8", each
 * also with the prefix "beta.". False: no such label, or it repeats another label. */
bool ga_kube_amd_label(const struct ga_kube_node *node, const char *key,
		       struct ga_kube_amd_label *ret);
/* Whether the text is a PCI id: up to 8 hexadecimal digits as that labeller writes it, or "0x74A1"
 * as people write it. */
bool ga_kube_amd_is_id(const char *text);
/* "192G", the memory of one GPU, in MiB; GA_UNKNOWN: no size. */
int64_t ga_kube_amd_vram(const char *text);
/* A label of Intel's, "gpu.intel.com/device-id.CLASS-ID.present": returns the PCI id, and the key
 * of the label with the count, which the caller frees. False: no such label. */
bool ga_kube_intel_label(const char *key, unsigned int *device, char **count);

/* The keys of the clouds' labels for the type; ends with NULL. */
extern const char *const ga_kube_cloud_keys[];

/* Whether an extended resource is an accelerator or a part of one. A maker's other resources are
 * not: the monitoring of all GPUs, and memory and cores of a shared GPU. */
bool ga_kube_is_accelerator(const char *resource);

/*
 * Labels of Node Feature Discovery for PCI devices (nfd.c):
 * feature.node.kubernetes.io/pci-[CLASS_]VENDOR[_DEVICE].present=true. They give the devices, not
 * their number.
 */
struct ga_kube_pci {
	int64_t class; /* GA_UNKNOWN: not in the label */
	unsigned int vendor;
	int64_t device; /* GA_UNKNOWN: not in the label */
};
/* False: no such label, or the device is no accelerator: it is not in the catalogue, and its class
 * is another, or its maker makes other things too. */
bool ga_kube_pci_label(const struct ga_accels *list, const struct ga_kube_node *node,
		       const char *key, struct ga_kube_pci *ret);
/* Adds the PCI ids of the vendor's devices as evidence to the elements of g from first on, which
 * are all the vendor's. Does nothing when there are no such elements: the node then offers none. */
void ga_kube_nfd(struct ga_census *g, const struct ga_kube_node *node, unsigned int vendor,
		 size_t first);
/* Adds devices of makers of which the node offers nothing. */
void ga_kube_nfd_unoffered(struct ga_census *g, const struct ga_kube_node *node);

#endif
