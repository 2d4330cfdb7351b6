/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes objects for Kubernetes, as JSON: ResourceFlavor of Kueue, HardwareProfile of Open Data Hub,
 * ResourceSlice and DeviceClass of dynamic resource allocation. Each function returns a new object.
 * Facts that the state does not know are left out, never made up. Forms are those of the published
 * CRDs and of the Kubernetes API (gpuaas-export(1) names them).
 */
#ifndef GA_EXCHANGE_KUBE_OBJECT_H
#define GA_EXCHANGE_KUBE_OBJECT_H

#include "base/str.h"
#include "exchange/kube/select.h"
#include "exchange/kube/view.h"

struct ga_profile;

#define GA_KUBE_SLICE_DEVICES 128 /* the most devices in a ResourceSlice */

/* kueue.x-k8s.io/v1beta2; its name is the slug of the type. */
json_t *ga_kube_flavor(const struct ga_accel_type *type, const struct ga_kube_select *select);

struct ga_kube_hardware {
	const struct ga_profile *profile;
	const struct ga_accel_type *type; /* NULL: any */
	const char *resource;
	const struct ga_kube_select *select; /* NULL: every node */
	const char *namespace;
	const char *queue; /* LocalQueue; NULL: schedules by node */
};
/* infrastructure.opendatahub.io/v1; its name is the name of the profile. */
json_t *ga_kube_hardware_profile(const struct ga_kube_hardware *h);

struct ga_kube_device {
	int64_t index;
	const struct ga_accel_type *type;
	const char *pci_address; /* NULL: not known */
	int64_t numa_node;	 /* below 0: not known */
};
/* Slice number part (from 0) of parts, with devices of one node and one driver; at most
 * GA_KUBE_SLICE_DEVICES devices. resource.k8s.io/v1. */
json_t *ga_kube_slice(const char *node, const char *driver, const struct ga_kube_device *devices,
		      size_t n, size_t part, size_t parts);
/* resource.k8s.io/v1; its name is the slug, its selector is CEL. It selects devices of our own
 * slices by their type, and devices of the driver's slices by attribute values that mean this type
 * alone; *only_own: there are no such values. NULL when the driver is not known. */
json_t *ga_kube_class(const struct ga_accels *list, const struct ga_accel_type *type,
		      bool *only_own);

/* A List of all objects as text, the form that kubectl takes as a file. The list begins empty. Each
 * call writes and releases its item, so that of thousands only the text is in memory. */
void ga_kube_list_add(struct ga_str *list, json_t *item);
void ga_kube_list_end(struct ga_str *list);

#endif
