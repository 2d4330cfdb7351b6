/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses one of the types of a node. */
#include "exchange/kube/settle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "exchange/kube/internal.h"

void ga_kube_answer_release(struct ga_kube_answer *t)
{
	free(t->sentence);
	memset(t, 0, sizeof(*t));
}

void ga_kube_tell(struct ga_kube_answer *ret, const char *code, const char *fmt, ...)
{
	char buf[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	ret->code = code;
	ret->sentence = ga_printable(ga_xstrdup(buf));
}

/* How certain a basis is: device is the most certain, resource (one of a node's several types) the
 * least. */
static int rank_of(const char *basis)
{
	return ga_streq(basis, "device") ? 2 : ga_streq(basis, "node");
}

void ga_kube_answer_join(struct ga_kube_answer *all, struct ga_kube_answer *one, const char *how)
{
	const char *first = all->type;

	if (all->code || (!one->code && !one->type)) {
		ga_kube_answer_release(one);
	} else if (one->code || !first) {
		*all = *one;
	} else if (strcmp(first, one->type) != 0) {
		memset(all, 0, sizeof(*all));
		ga_kube_tell(all, "several_types", "%s %s and %s: one annotation cannot name "
			     "both", how, first, one->type);
	} else if (rank_of(one->basis) < rank_of(all->basis)) {
		all->basis = one->basis;
	}
}

/* The maker of a resource or label, by its name in the catalogue; NULL: no known maker. */
static const char *maker_of(const char *key)
{
	static const struct {
		const char *domain, *vendor;
	} makers[] = {
		{ "nvidia.com/", "NVIDIA" },	 { "amd.com/", "AMD" },
		{ "gpu.intel.com", "Intel" },	 { "habana.ai/", "Intel Habana" },
		{ "aws.amazon.com/", "AWS" },	 { "google.com/", "Google" },
		{ "qualcomm.com/", "Qualcomm" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(makers); i++)
		if (ga_starts(key, makers[i].domain))
			return makers[i].vendor;
	return NULL;
}

const char *ga_kube_vendor(const char *resource)
{
	return ga_kube_is_accelerator(resource) ? maker_of(resource) : NULL;
}

/* Whether GPUs of a node may be of this vendor: unknown GPUs may be anybody's. */
static bool may_be_of(const struct ga_accels *list, const struct ga_node_type *t,
		      const char *vendor)
{
	const struct ga_accel_type *type = t->type ? ga_accels_type(list, t->type) : NULL;
	size_t i;

	if (type)
		return ga_streq(type->vendor, vendor);
	for (i = 0; i < t->may_be.n; i++) {
		type = ga_accels_type(list, t->may_be.v[i]);
		if (!type || ga_streq(type->vendor, vendor))
			return true;
	}
	for (i = 0; !t->may_be.n && i < t->evidence.n; i++) {
		const char *of = maker_of(t->evidence.v[i].said);

		if (of)
			return ga_streq(of, vendor);
	}
	return !t->may_be.n;
}

/* Whether a MIG part may belong to it: only if the catalogue denies MIG, it may not. */
static bool has_mig(const struct ga_accels *list, const struct ga_node_type *t)
{
	const struct ga_accel_type *type = t->type ? ga_accels_type(list, t->type) : NULL;

	return !type || type->partitioning.mig != 0;
}

static bool has(const struct ga_node_type *t, const char *slug)
{
	size_t i;

	for (i = 0; i < t->may_be.n; i++)
		if (!strcmp(t->may_be.v[i], slug))
			return true;
	return false;
}

/* Whether GPUs of a node may be one of the types: unknown GPUs may be any. */
static bool may_be_one(const struct ga_node_type *t, const struct ga_node_type *of)
{
	size_t i;

	if (!of || !of->may_be.n || (!t->type && !t->may_be.n))
		return true;
	if (t->type)
		return has(of, t->type);
	for (i = 0; i < t->may_be.n; i++)
		if (has(of, t->may_be.v[i]))
			return true;
	return false;
}

void ga_kube_settle(const struct ga_accels *list, const struct ga_kube_want *want,
		    const struct ga_node_view *node, struct ga_kube_answer *ret)
{
	const char *one = NULL;
	size_t i, n = 0, unknown = 0;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < node->types.n; i++) {
		const struct ga_node_type *t = &node->types.v[i];

		if (!may_be_of(list, t, want->vendor) || (want->mig && !has_mig(list, t)) ||
		    !may_be_one(t, want->one_of))
			continue;
		n++;
		unknown += !t->type;
		one = t->type ? t->type : one;
	}
	if (n == 1 && !unknown) {
		ret->type = one;
		ret->basis = node->types.n == 1 ? "node" : "resource";
	} else if (!n) {
		ga_kube_tell(ret, "nothing_there", "it has %s, and node '%s' shows nothing of that "
			     "kind", want->what, node->node);
	} else if (unknown) {
		ga_kube_tell(ret, "type_unknown", "the type of the accelerators of node '%s' is "
			     "not known (%s)", node->node, node->summary);
	} else {
		ga_kube_tell(ret, "mixed_node", "node '%s' has several types (%s), and %s does not "
			     "name one", node->node, node->summary, want->what);
	}
}
