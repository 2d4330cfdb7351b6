/* SPDX-License-Identifier: Apache-2.0 */
/* The worth of labels. */
#include "exchange/kube/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static char *borrow(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* A copy without what a terminal would obey, not longer than a record takes. */
static char *plain(const char *text)
{
	return ga_printable(ga_xstrndup(text && *text ? text : "(empty)", 512));
}

void ga_label_tell(struct ga_label_telling *t, const struct ga_label_told *what, const char *fmt,
		   ...)
{
	ga_autofree char *node = plain(t->node->name);
	ga_autofree char *label = what->label ? plain(what->label) : NULL;
	ga_autofree char *value = what->value ? plain(what->value) : NULL;
	ga_autofree char *text = NULL;
	struct ga_label_finding f = {
		.node = node,
		.platform = borrow(t->platform),
		.severity = borrow(what->severity),
		.code = borrow(what->code),
		.label = label,
		.value = value,
		.type = borrow(what->type),
		.hint = borrow(what->hint),
	};
	char buf[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	f.sentence = text = plain(buf);
	if (t->bad < 0)
		return;
	if (t->each(&f, t->arg, t->err) < 0)
		t->bad = -1;
	else if (strcmp(what->severity, "info") != 0)
		t->bad++;
}

const char *ga_kube_platform(const struct ga_kube_node *node)
{
	static const struct {
		const char *prefix, *platform;
	} marks[] = {
		{ "eks.amazonaws.com/", "eks" },	{ "alpha.eksctl.io/", "eks" },
		{ "karpenter.k8s.aws/", "eks" },	{ "cloud.google.com/gke-", "gke" },
		{ "kubernetes.azure.com/", "aks" },	{ "node.openshift.io/", "openshift" },
		{ "machineconfiguration.openshift.io/", "openshift" },
	};
	const char *key;
	json_t *ignored;
	size_t i;

	/* OpenShift runs on the clouds too: its own marks count first. */
	for (i = GA_ARRAY_SIZE(marks); i-- > 0;)
		json_object_foreach(node->labels, key, ignored)
			if (ga_starts(key, marks[i].prefix))
				return marks[i].platform;
	return "kubernetes";
}

/* ---- products ---- */

static void tell_sets(struct ga_label_telling *t, struct ga_label_told *w,
		      const struct ga_accel_named *n)
{
	ga_autostr struct ga_str types = GA_STR_INIT;
	size_t i;

	for (i = 0; i < n->types.n; i++)
		ga_str_addf(&types, "%s%s", i ? " or " : "", n->types.v[i]);
	w->severity = "warning";
	w->code = "ambiguous";
	w->hint = "gpu.memory or PCI ids settle it, or " GA_KUBE_OVERRIDE;
	ga_label_tell(t, w, "it may be %s", types.buf);
}

/* What a product label that means one type does not say. */
static void tell_worth(struct ga_label_telling *t, struct ga_label_told *w,
		       const struct ga_accel_named *n, const char *name)
{
	const struct ga_accel_type *type = ga_accels_type(t->list, n->types.v[0]);
	ga_autofree char *size = type->memory.nominal_gb == GA_UNKNOWN ?
					 NULL :
					 ga_xprintf("%lld", (long long)type->memory.nominal_gb);

	w->type = type->slug;
	if (n->old_name) {
		w->severity = "info";
		w->code = "old_spelling";
		ga_label_tell(t, w, "so drivers before 450 wrote it; today it is NVIDIA-%s", name);
	} else if (n->by_hand) {
		w->severity = "warning";
		w->code = "written_by_hand";
		w->hint = "leave nvidia.com labels to GFD; say types by " GA_KUBE_OVERRIDE;
		ga_label_tell(t, w, "no driver writes it so: somebody put it there");
	} else if (n->part || n->shared) {
		w->severity = "info";
		w->code = "parts";
		ga_label_tell(t, w, "the node offers parts of %s (%s)", type->name,
			      n->part ? n->part : "shared");
	} else if (!size || !strstr(name, size)) {
		w->severity = "info";
		w->code = "lossy";
		ga_label_tell(t, w, "it means %s; the label itself does not say the memory",
			      type->name);
	} else {
		w->severity = "info";
		w->code = "present";
		ga_label_tell(t, w, "it means %s", type->name);
	}
}

void ga_label_name(struct ga_label_telling *t, struct ga_label_told *w, enum ga_name_family family,
		   const char *name)
{
	ga_autonamed struct ga_accel_named n = { 0 };

	ga_accels_named(t->list, family, name, &n);
	if (n.types.n == 1) {
		tell_worth(t, w, &n, name);
	} else if (n.types.n) {
		tell_sets(t, w, &n);
	} else {
		w->severity = "error";
		w->code = "unknown_value";
		w->hint = "gpuaas-profile catalog, or a drop-in: gpuaas-accelerators(7)";
		ga_label_tell(t, w, "no type of the catalogue is called so");
	}
}

static void check_product(struct ga_label_telling *t, const char *key, enum ga_name_family family)
{
	struct ga_label_told w = { .label = key, .value = ga_kube_label(t->node, key) };

	if (!json_object_get(t->node->labels, key))
		return;
	if (w.value) {
		ga_label_name(t, &w, family, w.value);
		return;
	}
	w.severity = "error";
	w.code = "no_text";
	ga_label_tell(t, &w, "a label's value is text");
}

/* ---- the node ---- */

/* Architecture and compute capability, against the type that the product means. */
static void check_against(struct ga_label_telling *t, const struct ga_accel_type *type)
{
	struct ga_label_told w = { "error", "contradicts", "nvidia.com/gpu.family",
				   ga_kube_label(t->node, "nvidia.com/gpu.family"), type->slug,
				   "one of both was written by hand, or another GPU is there "
				   "too" };
	ga_autofree char *cc = NULL;
	int64_t major, minor;

	if (w.value && type->architecture.family && strcmp(w.value, type->architecture.family))
		ga_label_tell(t, &w, "%s is of family %s", type->name, type->architecture.family);
	if (ga_kube_number(t->node->labels, "nvidia.com/gpu.compute.major", &major) <= 0 ||
	    ga_kube_number(t->node->labels, "nvidia.com/gpu.compute.minor", &minor) <= 0)
		return;
	cc = ga_xprintf("%lld.%lld", (long long)major, (long long)minor);
	w.label = "nvidia.com/gpu.compute.major";
	w.value = cc;
	if (type->architecture.compute_capability &&
	    strcmp(cc, type->architecture.compute_capability) != 0)
		ga_label_tell(t, &w, "%s has compute capability %s", type->name,
			      type->architecture.compute_capability);
}

/* What the view warns of that is not told of a label already. */
static bool is_told(const char *code)
{
	static const char *const told[] = { "number_malformed", "memory_unit", "label_unknown" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(told); i++)
		if (!strcmp(told[i], code))
			return true;
	return false;
}

static void check_node(struct ga_label_telling *t, int64_t now)
{
	struct ga_node_view v;
	size_t i;

	ga_kube_view(t->list, t->node, NULL, now, &v);
	for (i = 0; i < v.types.n; i++)
		if (v.types.v[i].type && ga_kube_label(t->node, "nvidia.com/gpu.product") &&
		    ga_starts(v.types.v[i].type, "nvidia-"))
			check_against(t, ga_accels_type(t->list, v.types.v[i].type));
	ga_label_makers(t, &v);
	for (i = 0; i < v.warnings.n; i++) {
		const char *code = v.warnings.v[i].code;
		struct ga_label_told w = { .severity = strcmp(code, "not_allocatable") ? "warning" :
											 "info",
					   .code = code };

		if (!is_told(w.code))
			ga_label_tell(t, &w, "%s", v.warnings.v[i].sentence);
	}
	ga_shape_release(&ga_node_view_shape, &v);
}

int ga_kube_labels(const struct ga_accels *list, const struct ga_kube_node *node,
		   int64_t now_micros, ga_label_each each, void *arg, struct ga_err *err)
{
	struct ga_label_telling t = { list, node, ga_kube_platform(node), each, arg, err, 0 };

	check_product(&t, "nvidia.com/gpu.product", GA_NAME_NVIDIA);
	check_product(&t, "amd.com/gpu.product-name", GA_NAME_AMD);
	check_product(&t, "gpu.intel.com/product", GA_NAME_INTEL);
	ga_label_keys(&t);
	ga_label_ids(&t);
	check_node(&t, now_micros);
	return t.bad;
}
