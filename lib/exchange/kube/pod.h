/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which type of accelerator a running pod of Kubernetes has: from what it asks for and what its
 * node has, or from the devices of its claims. On a node of several types it is told only where
 * what the pod asks for settles it, and of a pod that asks for several things only where all are of
 * one type; a guess is never written.
 */
#ifndef GA_EXCHANGE_KUBE_POD_H
#define GA_EXCHANGE_KUBE_POD_H

#include "base/texts.h"
#include "exchange/kube/claim.h"
#include "record/pod.h"

/* No GPU has as many kinds of parts. */
#define GA_KUBE_POD_RESOURCES 32

/* What of a pod is kept until its node was read. Owned; ga_kube_pod_release. */
struct ga_kube_pod {
	char *namespace, *name, *uid, *node;
	struct ga_texts resources; /* of accelerators, each once, as they came */
	bool more_resources;	   /* than GA_KUBE_POD_RESOURCES, which are left out */
	char *annotated; /* the type that its annotation says, or NULL */
	struct ga_texts claims; /* names of ResourceClaims, in its namespace */
	char *served; /* ResourceClaim by which a driver serves its resource, or NULL */
	char *unmade; /* what it calls a claim of which no ResourceClaim was made yet, or NULL */
	bool running;
};
void ga_kube_pod_release(struct ga_kube_pod *p);
#define ga_autopod ga_cleanup(ga_kube_pod_release)

/* ret is overwritten. GA_BADREC when the item is no pod. */
GA_MUST_CHECK int ga_kube_pod(json_t *item, struct ga_kube_pod *ret, struct ga_err *err);

/* Whether it runs and may have accelerators: what came of claims tells, when all is read. claims
 * NULL: all is read, and none came. */
bool ga_kube_pod_counts(const struct ga_kube_pod *pod, const struct ga_kube_claims *claims);

/* Decides. node NULL: the document does not have it; claims as above. ret is overwritten; released
 * by its shape. */
void ga_kube_pod_patch(const struct ga_accels *list, const struct ga_kube_pod *pod,
		       const struct ga_node_view *node, const struct ga_kube_claims *claims,
		       struct ga_pod_patch *ret);

#endif
