/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type of the accelerators of a running pod of Kubernetes: from its resources and its node, or
 * from the devices of its claims. On a node of several types the pod gets a type only if its
 * resource decides. A pod with several resources gets one only if all are of one type. A guess is
 * never written.
 */
#ifndef GA_EXCHANGE_KUBE_POD_H
#define GA_EXCHANGE_KUBE_POD_H

#include "base/texts.h"
#include "exchange/kube/claim.h"
#include "record/pod.h"

/* Enough: no GPU has so many kinds of parts. */
#define GA_KUBE_POD_RESOURCES 32

/* The facts of a pod, kept until its node was read. Owned; ga_kube_pod_release. */
struct ga_kube_pod {
	char *namespace, *name, *uid, *node;
	struct ga_texts resources; /* of accelerators, each once, in the pod's order */
	bool more_resources;	   /* more than GA_KUBE_POD_RESOURCES; the rest is left out */
	char *annotated; /* the type in its annotation, or NULL */
	struct ga_texts claims; /* names of ResourceClaims, in its namespace */
	char *served; /* the ResourceClaim with which a driver serves its resource, or NULL */
	char *unmade; /* the pod's name for a claim without a ResourceClaim yet, or NULL */
	bool running;
};
void ga_kube_pod_release(struct ga_kube_pod *p);
#define ga_autopod ga_cleanup(ga_kube_pod_release)

/* ret is overwritten. GA_BADREC when the item is no pod. */
GA_MUST_CHECK int ga_kube_pod(json_t *item, struct ga_kube_pod *ret, struct ga_err *err);

/* Whether the pod runs and may have accelerators. Call it after the last item, because the claims
 * decide too. claims NULL: there were none. */
bool ga_kube_pod_counts(const struct ga_kube_pod *pod, const struct ga_kube_claims *claims);

/* Decides. node NULL: it is not in the document; claims as above. ret is overwritten; released with
 * its schema. */
void ga_kube_pod_patch(const struct ga_accels *list, const struct ga_kube_pod *pod,
		       const struct ga_node_view *node, const struct ga_kube_claims *claims,
		       struct ga_pod_patch *ret);

#endif
