/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a type to Kubernetes: the labels that select its nodes, the resource of its GPUs, and the
 * name of its driver for dynamic resource allocation.
 */
#ifndef GA_EXCHANGE_KUBE_SELECT_H
#define GA_EXCHANGE_KUBE_SELECT_H

#include <jansson.h>

#include "catalog/accel.h"

struct ga_kube_select {
	json_t *labels; /* an object: together the labels select this type and no other */
	char *note;	/* a step or fact for the operator, or NULL */
};
void ga_kube_select_release(struct ga_kube_select *s);
#define ga_autoselect ga_cleanup(ga_kube_select_release)

/*
 * Selects by the product label of the vendor's labeller that means this type and nothing else. If
 * there is none, selects by the override label (GA_KUBE_OVERRIDE), together with the ambiguous
 * product label if there is one. No labeller writes the override label, so the note asks the
 * operator to set it. With several spellings, the first of the catalogue that today's drivers write
 * counts, which is the usual one; the note names the others.
 */
void ga_kube_select(const struct ga_accels *list, const struct ga_accel_type *type,
		    struct ga_kube_select *ret);

/* "nvidia.com/gpu": the resource of the vendor's device plugin; NULL: none is known. */
const char *ga_kube_resource(const struct ga_accel_type *type);
/* "gpu.nvidia.com": the vendor's DRA driver; NULL: none is known. */
const char *ga_kube_driver(const struct ga_accel_type *type);

/* Whether the name is valid for objects of Kubernetes (RFC 1123): a subdomain of at most 253
 * characters. */
bool ga_kube_name_is_valid(const char *name);

#endif
