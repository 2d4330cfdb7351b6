/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of which type something is that a node of Kubernetes has: where the node has several, only what
 * is known of the thing settles it, and a guess is never written.
 */
#ifndef GA_EXCHANGE_KUBE_SETTLE_H
#define GA_EXCHANGE_KUBE_SETTLE_H

#include "exchange/kube/view.h"

/* What is known of it. */
struct ga_kube_want {
	const char *what;   /* for sentences: "nvidia.com/gpu" */
	const char *vendor; /* of the catalogue */
	bool mig;	    /* a part in MIG */
	const struct ga_node_type *one_of; /* one of its may_be; NULL or none there: any */
};

/* What came of it. type lives as long as the catalogue or the node; NULL: code and sentence say
 * why. */
struct ga_kube_told {
	const char *type;
	const char *basis; /* device, node or resource, when there is a type */
	const char *code;
	char *sentence; /* allocated */
};
void ga_kube_told_release(struct ga_kube_told *t);
/* Says why there is no type; ret held none before. */
void ga_kube_tell(struct ga_kube_told *ret, const char *code, const char *fmt, ...)
	GA_PRINTF(3, 4);

/* Joins the answers for several things of one pod: one type, or the first reason why not. Takes the
 * sentence of one over. how: it came by two types ("its claims gave it"). */
void ga_kube_told_join(struct ga_kube_told *all, struct ga_kube_told *one, const char *how);

/* The maker whose accelerators, or parts of them, a resource is; NULL: it is of none. */
const char *ga_kube_vendor(const char *resource);

/* The one type of the node that it can be of. ret is overwritten. */
void ga_kube_settle(const struct ga_accels *list, const struct ga_kube_want *want,
		    const struct ga_node_view *node, struct ga_kube_told *ret);

#endif
