/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a device of a ResourceSlice is, by its attributes: drivers for dynamic resource allocation
 * whose attributes are known, and the attribute of our own slices. gpuaas-accelerators(7) says
 * which attributes count, and where they were read.
 */
#ifndef GA_EXCHANGE_KUBE_DEVICE_H
#define GA_EXCHANGE_KUBE_DEVICE_H

#include "catalog/name.h"
#include "exchange/kube/view.h"

/* Of our own slices (object.c): a slug. */
#define GA_KUBE_OWN_TYPE "accelerator.gpuaas/type"

/* A driver of accelerators. */
struct ga_kube_driver {
	const char *name, *vendor; /* vendor: of the catalogue */
	const char *product;	   /* attribute with a product's name, or NULL */
	const char *pci_id;	   /* attribute with a PCI device id, or NULL */
	const char *models[3];	   /* of the product, where the catalogue has no list of them */
	const char *whole; /* attribute type of a whole GPU in containers; NULL: it has no parts */
	enum ga_name_family family;
	unsigned int pci_vendor;
	bool has_memory; /* capacity 'memory' of a device of type gpu is what the GPU reports */
};
/* NULL: no driver of accelerators that is known. */
const struct ga_kube_driver *ga_kube_driver_named(const char *name);

/* What of a device is kept. Owned; ga_kube_device_release. */
struct ga_kube_says {
	char *slug, *product; /* or NULL */
	int64_t device_id, memory_mib; /* or GA_UNKNOWN */
	bool mig;
};
void ga_kube_device_release(struct ga_kube_says *s);

/* device: an element of spec.devices, of resource.k8s.io/v1, v1beta2 or v1beta1. ret is
 * overwritten. */
void ga_kube_device(const struct ga_kube_driver *driver, json_t *device, struct ga_kube_says *ret);

/* Weighs it, as labels of a node are weighed: a view with one element (overwritten; released with
 * its shape). No evidence there: nothing was said. */
void ga_kube_device_view(const struct ga_accels *list, const struct ga_kube_driver *driver,
			 const struct ga_kube_says *says, struct ga_node_view *ret);

/* The other way round: values of an attribute (its name in *name) that mean this type of the
 * driver's maker and no other, as an array of texts, which may be empty. */
json_t *ga_kube_device_values(const struct ga_accels *list, const struct ga_kube_driver *driver,
			      const struct ga_accel_type *type, const char **name);

#endif
