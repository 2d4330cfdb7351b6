/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other way round: which labels select the nodes of a type in Kubernetes, under which resource
 * its GPUs are asked for, and what its driver for dynamic resource allocation calls it.
 */
#ifndef GA_EXCHANGE_KUBE_SELECT_H
#define GA_EXCHANGE_KUBE_SELECT_H

#include <jansson.h>

#include "catalog/accel.h"

struct ga_kube_select {
	json_t *labels; /* an object: all of them together select the type and no other */
	char *note;	/* what somebody has to do or to know, or NULL */
};
void ga_kube_select_release(struct ga_kube_select *s);
#define ga_autoselect ga_cleanup(ga_kube_select_release)

/*
 * The product label of the vendor's labeller that means this type and nothing else. Where there is
 * none, the override label (GA_KUBE_OVERRIDE) stands with the ambiguous one or alone: no labeller
 * writes it, so the note says that somebody must. Where there are several spellings, the first of
 * the catalogue that today's drivers write counts, which is the usual one, and the note names the
 * others.
 */
void ga_kube_select(const struct ga_accels *list, const struct ga_accel_type *type,
		    struct ga_kube_select *ret);

/* "nvidia.com/gpu": the resource of the vendor's device plugin; NULL: none is known. */
const char *ga_kube_resource(const struct ga_accel_type *type);
/* "gpu.nvidia.com": the vendor's DRA driver; NULL: none is known. */
const char *ga_kube_driver(const struct ga_accel_type *type);

/* RFC 1123, as Kubernetes wants names of objects: a subdomain of at most 253 characters. */
bool ga_kube_name_is_valid(const char *name);

#endif
