/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of devices that pods of Kubernetes have by claims (dynamic resource allocation): a
 * ResourceClaim names its devices, ResourceSlices say what they are, and where they do not, the
 * node does. Items come in any order: of each a few texts are kept, and when all is read each claim
 * is judged once, however many pods share it. More than GA_KUBE_DEVICES devices are refused.
 */
#ifndef GA_EXCHANGE_KUBE_CLAIM_H
#define GA_EXCHANGE_KUBE_CLAIM_H

#include "exchange/kube/settle.h"

#define GA_KUBE_DEVICES 1000000 /* of all slices; and as many of all claims */

#define GA_KUBE_BY_CLAIMS "its claims gave it" /* for ga_kube_told_join */

struct ga_kube_claims;

struct ga_kube_claims *ga_kube_claims_new(void);
void ga_kube_claims_free(struct ga_kube_claims *c);

/* Takes a ResourceClaim or a ResourceSlice. 1; 0 when the item is neither; GA_BADREC. */
GA_MUST_CHECK int ga_kube_claims_take(struct ga_kube_claims *c, json_t *item, struct ga_err *err);
/* Whether any came: without them nothing is known of claims, and nothing is said of them. */
bool ga_kube_claims_any(const struct ga_kube_claims *c);

/* What a claim gives. */
struct ga_kube_claimed {
	const char *driver; /* of its accelerators; NULL: it has none, or that is not known */
	struct ga_kube_told told;
};
/* A node by its name, or NULL. */
typedef const struct ga_node_view *(*ga_kube_node_of)(char *name, void *arg);
/* All is read. GA_BADREC when a claim came twice. */
GA_MUST_CHECK int ga_kube_claims_judge(struct ga_kube_claims *c, const struct ga_accels *list,
				       ga_kube_node_of node_of, void *arg, struct ga_err *err);
/* NULL: it did not come. It lives as long as c. */
const struct ga_kube_claimed *ga_kube_claims_find(const struct ga_kube_claims *c,
						  char *namespace, char *name);

#endif
