/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of devices that pods of Kubernetes have through claims (dynamic resource allocation). A
 * ResourceClaim names its devices; the ResourceSlices describe them; where the slices leave the
 * type open, the node decides. Items come in any order. Only a few texts of each item are kept, and
 * after the last item each claim is judged once, for all pods that share it. More than
 * GA_KUBE_DEVICES devices are refused.
 */
#ifndef GA_EXCHANGE_KUBE_CLAIM_H
#define GA_EXCHANGE_KUBE_CLAIM_H

#include "exchange/kube/settle.h"

#define GA_KUBE_DEVICES 1000000 /* of all slices; the same limit for all claims */

#define GA_KUBE_BY_CLAIMS "its claims gave it" /* for ga_kube_answer_join */

struct ga_kube_claims;

/* An empty collection; free it with ga_kube_claims_free. */
struct ga_kube_claims *ga_kube_claims_new(void);
void ga_kube_claims_free(struct ga_kube_claims *c);

/* Takes a ResourceClaim or a ResourceSlice. Returns 1; 0 when the item is neither; GA_BADREC. */
GA_MUST_CHECK int ga_kube_claims_take(struct ga_kube_claims *c, json_t *item, struct ga_err *err);
/* Whether any item came. Without items, claims are unknown and the output does not mention them. */
bool ga_kube_claims_any(const struct ga_kube_claims *c);

/* The devices of a claim. */
struct ga_kube_claimed {
	const char *driver; /* of its accelerators; NULL: it has none, or the driver is not known */
	struct ga_kube_answer answer;
};
/* Finds a node by its name; NULL: it is not there. */
typedef const struct ga_node_view *(*ga_kube_node_of)(char *name, void *arg);
/* Call this after the last item. GA_BADREC when a claim came twice. */
GA_MUST_CHECK int ga_kube_claims_judge(struct ga_kube_claims *c, const struct ga_accels *list,
				       ga_kube_node_of node_of, void *arg, struct ga_err *err);
/* NULL: no such claim came. Lives as long as c. */
const struct ga_kube_claimed *ga_kube_claims_find(const struct ga_kube_claims *c,
						  char *namespace, char *name);

#endif
