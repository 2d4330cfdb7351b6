/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type of a resource or device on a node of Kubernetes. If the node has several types, only the
 * known facts about the resource decide, and a guess is never written.
 */
#ifndef GA_EXCHANGE_KUBE_SETTLE_H
#define GA_EXCHANGE_KUBE_SETTLE_H

#include "exchange/kube/view.h"

/* The known facts about the resource or device. */
struct ga_kube_want {
	const char *what;   /* for sentences: "nvidia.com/gpu" */
	const char *vendor; /* its name in the catalogue */
	bool mig;	    /* a part in MIG */
	const struct ga_node_type *one_of; /* one of its may_be; NULL or an empty list: any type */
};

/* The result. type lives as long as the catalogue or the node; NULL: code and sentence give the
 * reason. */
struct ga_kube_answer {
	const char *type;
	const char *basis; /* device, node or resource, if there is a type */
	const char *code;
	char *sentence; /* allocated */
};
void ga_kube_answer_release(struct ga_kube_answer *t);
/* Sets the reason why there is no type; ret must have none yet. */
void ga_kube_tell(struct ga_kube_answer *ret, const char *code, const char *fmt, ...)
	GA_PRINTF(3, 4);

/* Joins the results for several resources of one pod: one type, or the first reason why there is
 * none. Takes over the sentence of one. how: the origin of two types in a sentence ("its claims
 * gave it"). */
void ga_kube_answer_join(struct ga_kube_answer *all, struct ga_kube_answer *one, const char *how);

/* The maker whose accelerators, or parts of them, the resource stands for; NULL: none. */
const char *ga_kube_vendor(const char *resource);

/* The one type of the node that fits. ret is overwritten. */
void ga_kube_settle(const struct ga_accels *list, const struct ga_kube_want *want,
		    const struct ga_node_view *node, struct ga_kube_answer *ret);

#endif
