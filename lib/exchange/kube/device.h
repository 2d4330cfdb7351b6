/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type of a ResourceSlice's device, from its attributes: the drivers for dynamic resource
 * allocation with known attributes, and the attribute of our own slices. gpuaas-accelerators(7)
 * lists the attributes that count, and their sources.
 */
#ifndef GA_EXCHANGE_KUBE_DEVICE_H
#define GA_EXCHANGE_KUBE_DEVICE_H

#include "catalog/name.h"
#include "exchange/kube/view.h"

/* In our own slices (object.c): a slug. */
#define GA_KUBE_OWN_TYPE "accelerator.gpuaas/type"

/* A driver of accelerators. */
struct ga_kube_driver {
	const char *name, *vendor; /* vendor: its name in the catalogue */
	const char *product;	   /* attribute with a product's name, or NULL */
	const char *pci_id;	   /* attribute with a PCI device id, or NULL */
	const char *models[3];	   /* product names, if the catalogue has no list of them */
	const char *whole; /* value of attribute type for a full GPU in containers; NULL: the
			    * product has no parts */
	enum ga_name_family family;
	unsigned int pci_vendor;
	bool has_memory; /* capacity 'memory' of a device of type gpu is the memory that the GPU
			  * reports */
};
/* NULL: no known driver of accelerators. */
const struct ga_kube_driver *ga_kube_driver_named(const char *name);

/* The facts kept of a device. Owned; ga_kube_device_release. */
struct ga_kube_says {
	char *slug, *product; /* or NULL */
	int64_t device_id, memory_mib; /* or GA_UNKNOWN */
	bool mig;
};
void ga_kube_device_release(struct ga_kube_says *s);

/* device: an element of spec.devices, of resource.k8s.io/v1, v1beta2 or v1beta1. ret is
 * overwritten. */
void ga_kube_device(const struct ga_kube_driver *driver, json_t *device, struct ga_kube_says *ret);

/* Weighs the facts as those of a node's labels: ret is a view with one element (overwritten;
 * released with its schema). An element without evidence: the device has no known attribute. */
void ga_kube_device_view(const struct ga_accels *list, const struct ga_kube_driver *driver,
			 const struct ga_kube_says *says, struct ga_node_view *ret);

/* The values of an attribute (its name in *name) that mean this type of the driver's maker and no
 * other, as an array of texts; it may be empty. */
json_t *ga_kube_device_values(const struct ga_accels *list, const struct ga_kube_driver *driver,
			      const struct ga_accel_type *type, const char **name);

#endif
