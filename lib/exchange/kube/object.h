/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects for Kubernetes, as JSON: ResourceFlavor of Kueue, HardwareProfile of Open Data Hub,
 * ResourceSlice and DeviceClass of dynamic resource allocation. Each function returns a new object;
 * what the state does not know is left out, never made up. Shapes are those of the published CRDs
 * and of the Kubernetes API (gpuaas-export(1) names them).
 */
#ifndef GA_EXCHANGE_KUBE_OBJECT_H
#define GA_EXCHANGE_KUBE_OBJECT_H

#include "base/str.h"
#include "exchange/kube/select.h"
#include "exchange/kube/view.h"
#include "record/state.h"

#define GA_KUBE_SLICE_DEVICES 128 /* the most of a ResourceSlice */

/* kueue.x-k8s.io/v1beta2; its name is the slug. */
json_t *ga_kube_flavor(const struct ga_accel_type *type, const struct ga_kube_select *select);

struct ga_kube_hardware {
	const struct ga_profile *profile;
	const struct ga_accel_type *type; /* NULL: any */
	const char *resource;
	const struct ga_kube_select *select; /* NULL: every node */
	const char *namespace;
	const char *queue; /* LocalQueue, or NULL: by node */
};
/* infrastructure.opendatahub.io/v1; its name is the profile's. */
json_t *ga_kube_hardware_profile(const struct ga_kube_hardware *h);

struct ga_kube_device {
	int64_t index;
	const struct ga_accel_type *type;
	const char *pci_address; /* NULL: not known */
	int64_t numa_node;	 /* below 0: not known */
};
/* Part number part of parts, 0 first, of the devices of a node that one driver has; at most
 * GA_KUBE_SLICE_DEVICES of them. resource.k8s.io/v1. */
json_t *ga_kube_slice(const char *node, const char *driver, const struct ga_kube_device *devices,
		      size_t n, size_t part, size_t parts);
/* resource.k8s.io/v1; its name is the slug, its selector CEL. Devices of our own slices count by
 * their type, those of the driver's by what they say, where that means the type alone; *only_own:
 * it never does. NULL when the driver is not known. */
json_t *ga_kube_class(const struct ga_accels *list, const struct ga_accel_type *type,
		      bool *only_own);

/* All in one, as text: what kubectl takes as a file. The list begins empty; each item is written
 * and released as it comes, so that of thousands only the text is in memory. */
void ga_kube_list_add(struct ga_str *list, json_t *item);
void ga_kube_list_end(struct ga_str *list);

#endif
