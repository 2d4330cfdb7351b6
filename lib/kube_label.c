/* SPDX-License-Identifier: Apache-2.0 */
/* The worth of labels. */
#include "kube_label.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel_name.h"
#include "str.h"

struct telling {
	const struct ga_accels *list;
	const struct ga_kube_node *node;
	const char *platform;
	ga_label_each each;
	void *arg;
	struct ga_err *err;
	int bad; /* -1: stop */
};

/* What is told of one label. */
struct told {
	const char *severity, *code, *label, *value, *type, *hint;
};

static char *borrow(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* A copy without what a terminal would obey, not longer than a record takes. */
static char *plain(const char *text)
{
	return ga_printable(ga_xstrndup(text && *text ? text : "(empty)", 512));
}

static void tell(struct telling *t, const struct told *what, const char *fmt, ...)
	GA_PRINTF(3, 4);

static void tell(struct telling *t, const struct told *what, const char *fmt, ...)
{
	ga_autofree char *node = plain(t->node->name);
	ga_autofree char *value = what->value ? plain(what->value) : NULL;
	ga_autofree char *text = NULL;
	struct ga_label_finding f = {
		.node = node,
		.platform = borrow(t->platform),
		.severity = borrow(what->severity),
		.code = borrow(what->code),
		.label = borrow(what->label),
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

static void tell_sets(struct telling *t, struct told *w, const struct ga_accel_named *n)
{
	ga_autostr struct ga_str types = GA_STR_INIT;
	size_t i;

	for (i = 0; i < n->types.n; i++)
		ga_str_addf(&types, "%s%s", i ? " or " : "", n->types.v[i]);
	w->severity = "warning";
	w->code = "ambiguous";
	w->hint = "gpu.memory or PCI ids settle it, or " GA_KUBE_OVERRIDE;
	tell(t, w, "it may be %s", types.buf);
}

/* What a product label that means one type does not say. */
static void tell_worth(struct telling *t, struct told *w, const struct ga_accel_named *n)
{
	const struct ga_accel_type *type = ga_accels_type(t->list, n->types.v[0]);
	ga_autofree char *size = type->memory.nominal_gb == GA_UNKNOWN ?
					 NULL :
					 ga_xprintf("%lld", (long long)type->memory.nominal_gb);

	w->type = type->slug;
	if (n->old_name) {
		w->severity = "info";
		w->code = "old_spelling";
		tell(t, w, "so drivers before 450 wrote it; today it is NVIDIA-%s", w->value);
	} else if (n->by_hand) {
		w->severity = "warning";
		w->code = "written_by_hand";
		w->hint = "leave nvidia.com labels to GFD; say types by " GA_KUBE_OVERRIDE;
		tell(t, w, "no driver writes it so: somebody put it there");
	} else if (n->part || n->shared) {
		w->severity = "info";
		w->code = "parts";
		tell(t, w, "the node offers parts of %s (%s)", type->name,
		     n->part ? n->part : "shared");
	} else if (!size || !strstr(w->value, size)) {
		w->severity = "info";
		w->code = "lossy";
		tell(t, w, "it means %s; the label itself does not say the memory", type->name);
	} else {
		w->severity = "info";
		w->code = "present";
		tell(t, w, "it means %s", type->name);
	}
}

static void check_product(struct telling *t, const char *key, enum ga_name_family family)
{
	ga_autonamed struct ga_accel_named n = { 0 };
	struct told w = { .label = key, .value = ga_kube_label(t->node, key) };

	if (!json_object_get(t->node->labels, key))
		return;
	if (!w.value) {
		w.severity = "error";
		w.code = "no_text";
		tell(t, &w, "a label's value is text");
		return;
	}
	ga_accels_named(t->list, family, w.value, &n);
	if (n.types.n == 1) {
		tell_worth(t, &w, &n);
	} else if (n.types.n) {
		tell_sets(t, &w, &n);
	} else {
		w.severity = "error";
		w.code = "unknown_value";
		w.hint = "gpuaas-profile catalog, or a drop-in: gpuaas-accelerators(7)";
		tell(t, &w, "no type of the catalogue is called so");
	}
}

/* ---- numbers and words ---- */

static void check_numbers(struct telling *t)
{
	static const char *const keys[] = {
		"nvidia.com/gpu.count",	  "nvidia.com/gpu.memory",  "nvidia.com/gpu.replicas",
		"nvidia.com/gpu.compute.major", "nvidia.com/gpu.compute.minor",
		"nvidia.com/gfd.timestamp", "amd.com/gpu.cu-count", "amd.com/gpu.simd-count",
		"gpu.intel.com/device.count", "karpenter.k8s.aws/instance-gpu-count",
		"karpenter.k8s.aws/instance-gpu-memory", "eks.amazonaws.com/instance-gpu-count",
		"eks.amazonaws.com/instance-gpu-memory", "cloud.google.com/gke-accelerator-count",
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(keys); i++) {
		struct told w = { .label = keys[i], .value = ga_kube_label(t->node, keys[i]) };
		int64_t n;
		bool is_bytes = false;
		int r = ga_kube_number(t->node->labels, keys[i], &n);

		if (!r)
			continue;
		if (r > 0 && !strcmp(keys[i], "nvidia.com/gpu.memory"))
			(void)ga_kube_nvidia_memory(n, &is_bytes);
		w.severity = r < 0 ? "error" : is_bytes ? "warning" : "info";
		w.code = r < 0 ? "number_malformed" : is_bytes ? "memory_unit" : "present";
		tell(t, &w, "%s",
		     r < 0	? "it is no whole number" :
		     is_bytes	? "it is too large for MiB, which it should be: taken as bytes" :
				  "a number");
	}
}

/* Keys that dashboards look for and that no labeller puts there. */
static void check_unpublished(struct telling *t)
{
	static const struct {
		const char *key, *hint;
	} keys[] = {
		{ "amd.com/gpu.product", "AMD's node labeller writes amd.com/gpu.product-name" },
		{ "intel.com/gpu.product", "Intel's NFD rules write gpu.intel.com/product" },
		{ "nvidia.com/gpu.product-name", "GFD writes nvidia.com/gpu.product" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(keys); i++) {
		struct told w = { "warning", "never_published", keys[i].key,
				  ga_kube_label(t->node, keys[i].key), NULL, keys[i].hint };

		if (json_object_get(t->node->labels, keys[i].key))
			tell(t, &w, "no labeller publishes this key: nothing reads it here");
	}
}

static void check_clouds(struct telling *t)
{
	static const char *const keys[] = { "cloud.google.com/gke-accelerator",
					    "karpenter.k8s.aws/instance-gpu-name",
					    "eks.amazonaws.com/instance-gpu-name" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(keys); i++) {
		struct told w = { .label = keys[i], .value = ga_kube_label(t->node, keys[i]) };
		const struct ga_accel_platform_label *l =
			w.value ? ga_accels_platform_label(t->list, keys[i], w.value) : NULL;

		if (!w.value)
			continue;
		w.severity = l ? "info" : "warning";
		w.code = !l ? "unknown_value" : l->types.n > 1 ? "ambiguous" : "present";
		w.type = l && l->types.n == 1 ? l->types.v[0] : NULL;
		tell(t, &w, "%s", !l		    ? "the catalogue does not know the value" :
				  l->types.n > 1 ? "it leaves the type open" :
						   "it means one type");
	}
}

static void check_machine(struct telling *t)
{
	static const char *const keys[] = { "node.kubernetes.io/instance-type",
					    "beta.kubernetes.io/instance-type" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(keys); i++) {
		struct told w = { "info", "machine", keys[i], ga_kube_label(t->node, keys[i]),
				  NULL, NULL };
		const struct ga_accel_instance *one =
			w.value ? ga_accels_instance(t->list, w.value) : NULL;

		if (!one)
			continue;
		w.type = one->types.n == 1 ? one->types.v[0] : NULL;
		tell(t, &w, "a machine of %s with %lld accelerators", one->provider,
		     (long long)one->count);
		return;
	}
}

/* Architecture and compute capability, against the type that the product means. */
static void check_against(struct telling *t, const struct ga_accel_type *type)
{
	struct told w = { "error", "contradicts", "nvidia.com/gpu.family",
			  ga_kube_label(t->node, "nvidia.com/gpu.family"), type->slug,
			  "one of both was written by hand, or another GPU is there too" };
	ga_autofree char *cc = NULL;
	int64_t major, minor;

	if (w.value && type->architecture.family && strcmp(w.value, type->architecture.family))
		tell(t, &w, "%s is of family %s", type->name, type->architecture.family);
	if (ga_kube_number(t->node->labels, "nvidia.com/gpu.compute.major", &major) <= 0 ||
	    ga_kube_number(t->node->labels, "nvidia.com/gpu.compute.minor", &minor) <= 0)
		return;
	cc = ga_xprintf("%lld.%lld", (long long)major, (long long)minor);
	w.label = "nvidia.com/gpu.compute.major";
	w.value = cc;
	if (type->architecture.compute_capability &&
	    strcmp(cc, type->architecture.compute_capability) != 0)
		tell(t, &w, "%s has compute capability %s", type->name,
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

static void check_node(struct telling *t, int64_t now)
{
	struct ga_node_view v;
	size_t i;

	ga_kube_view(t->list, t->node, NULL, now, &v);
	for (i = 0; i < v.types.n; i++)
		if (v.types.v[i].type && ga_kube_label(t->node, "nvidia.com/gpu.product") &&
		    ga_starts(v.types.v[i].type, "nvidia-"))
			check_against(t, ga_accels_type(t->list, v.types.v[i].type));
	for (i = 0; i < v.warnings.n; i++) {
		struct told w = { .severity = strcmp(v.warnings.v[i].code, "not_allocatable") ?
						      "warning" :
						      "info",
				  .code = v.warnings.v[i].code };

		if (!is_told(w.code))
			tell(t, &w, "%s", v.warnings.v[i].sentence);
	}
	ga_shape_release(&ga_node_view_shape, &v);
}

int ga_kube_labels(const struct ga_accels *list, const struct ga_kube_node *node,
		   int64_t now_micros, ga_label_each each, void *arg, struct ga_err *err)
{
	struct telling t = { list, node, ga_kube_platform(node), each, arg, err, 0 };

	check_product(&t, "nvidia.com/gpu.product", GA_NAME_NVIDIA);
	check_product(&t, "amd.com/gpu.product-name", GA_NAME_AMD);
	check_product(&t, "gpu.intel.com/product", GA_NAME_INTEL);
	check_numbers(&t);
	check_unpublished(&t);
	check_clouds(&t);
	check_machine(&t);
	check_node(&t, now_micros);
	return t.bad;
}
