/* SPDX-License-Identifier: Apache-2.0 */
/* The type of a pod's accelerators. */
#include "kube_pod.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"

#define NAME_MOST 253

void ga_kube_pod_release(struct ga_kube_pod *p)
{
	free(p->namespace);
	free(p->name);
	free(p->uid);
	free(p->node);
	free(p->resource);
	free(p->others);
	free(p->annotated);
	memset(p, 0, sizeof(*p));
}

/* ---- what a pod asks for ---- */

/* Resources that are accelerators, or parts of them, with whose they are in the catalogue. */
static const struct {
	const char *prefix, *vendor;
} resources[] = {
	{ "nvidia.com/gpu", "NVIDIA" },		{ "nvidia.com/mig-", "NVIDIA" },
	{ "amd.com/gpu", "AMD" },		{ "gpu.intel.com/", "Intel" },
	{ "habana.ai/", "Intel Habana" },	{ "aws.amazon.com/neuron", "AWS" },
	{ "google.com/tpu", "Google" },		{ "qualcomm.com/qaic", "Qualcomm" },
};

static const char *vendor_of(const char *resource)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(resources); i++)
		if (ga_starts(resource, resources[i].prefix))
			return resources[i].vendor;
	return NULL;
}

static char *plain(const char *text)
{
	return ga_printable(ga_xstrndup(text, NAME_MOST));
}

/* Of each resource that is asked for at all; how many does not matter. */
static void read_resources(json_t *object, struct ga_kube_pod *ret)
{
	const char *key;
	json_t *ignored;

	json_object_foreach(object, key, ignored) {
		int64_t n;

		if (!vendor_of(key) || ga_kube_number(object, key, &n) <= 0 || !n)
			continue;
		if (!ret->resource)
			ret->resource = plain(key);
		else if (strcmp(ret->resource, key) != 0 && !ret->others)
			ret->others = plain(key);
	}
}

/* Limits and requests of extended resources are equal where both stand. */
static void read_containers(json_t *list, struct ga_kube_pod *ret)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one) {
		json_t *asked = json_object_get(one, "resources");

		read_resources(json_object_get(asked, "limits"), ret);
		read_resources(json_object_get(asked, "requests"), ret);
	}
}

static char *text_of(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && *text ? plain(text) : NULL;
}

int ga_kube_pod(json_t *item, struct ga_kube_pod *ret, struct ga_err *err)
{
	json_t *metadata = json_object_get(item, "metadata"), *spec = json_object_get(item, "spec");
	const char *kind = json_string_value(json_object_get(item, "kind"));

	memset(ret, 0, sizeof(*ret));
	if (!ga_streq(kind, "Pod")) {
		(void)ga_fail(err, GA_BADREC, "it is a %.32s, not a Pod", kind ? kind : "thing");
		return ga_hint(err, "kubectl get pods,nodes -A -o json");
	}
	ret->name = text_of(metadata, "name");
	if (!ret->name)
		return ga_fail(err, GA_BADREC, "it has no name");
	ret->namespace = text_of(metadata, "namespace");
	if (!ret->namespace)
		ret->namespace = ga_xstrdup("default");
	ret->uid = text_of(metadata, "uid");
	ret->node = text_of(spec, "nodeName");
	ret->annotated = text_of(json_object_get(metadata, "annotations"), GA_KUBE_TYPE);
	ret->running = ga_streq(json_string_value(json_object_get(json_object_get(item, "status"),
								  "phase")), "Running");
	read_containers(json_object_get(spec, "containers"), ret);
	read_containers(json_object_get(spec, "initContainers"), ret);
	return 0;
}

/* ---- the decision ---- */

static void warn(struct ga_pod_patch *p, const char *code, const char *fmt, ...) GA_PRINTF(3, 4);

static void warn(struct ga_pod_patch *p, const char *code, const char *fmt, ...)
{
	struct ga_pod_warning *w = ga_list_add(&p->warnings);
	char buf[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	w->code = ga_xstrdup(code);
	w->sentence = ga_printable(ga_xstrdup(buf));
}

/* Whether GPUs of a node may be of this vendor: what is not known may be anybody's. */
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
		const char *of = vendor_of(t->evidence.v[i].said);

		if (of)
			return ga_streq(of, vendor);
	}
	return !t->may_be.n;
}

/* Whether a part in MIG can be of it; only what the catalogue denies cannot. */
static bool has_mig(const struct ga_accels *list, const struct ga_node_type *t)
{
	const struct ga_accel_type *type = t->type ? ga_accels_type(list, t->type) : NULL;

	return !type || type->partitioning.mig != 0;
}

/* The one type that the pod's GPUs can be of; says why when there is none. */
static const char *settle(const struct ga_accels *list, const struct ga_kube_pod *pod,
			  const struct ga_node_view *node, struct ga_pod_patch *ret)
{
	const char *vendor = vendor_of(pod->resource), *one = NULL;
	bool mig = ga_starts(pod->resource, "nvidia.com/mig-");
	size_t i, n = 0, unknown = 0;

	for (i = 0; i < node->types.n; i++) {
		const struct ga_node_type *t = &node->types.v[i];

		if (!may_be_of(list, t, vendor) || (mig && !has_mig(list, t)))
			continue;
		n++;
		unknown += !t->type;
		one = t->type ? t->type : one;
	}
	if (n == 1 && !unknown)
		return one;
	if (!n)
		warn(ret, "nothing_there", "it has %s, and node '%s' shows nothing of that kind",
		     pod->resource, node->node);
	else if (unknown)
		warn(ret, "type_unknown", "the type is not known of what node '%s' has (%s)",
		     node->node, node->summary);
	else
		warn(ret, "mixed_node", "node '%s' has several types (%s), and %s does not tell "
					"which", node->node, node->summary, pod->resource);
	return NULL;
}

static void set_patch(struct ga_pod_patch *ret)
{
	struct ga_pod_change *patch = ga_xcalloc(1, sizeof(*patch));

	patch->metadata.annotations = json_pack("{s:s}", GA_KUBE_TYPE, ret->type);
	ret->patch = patch;
}

static const char *state_of(const struct ga_pod_patch *p)
{
	if (!p->type)
		return "unknown";
	if (!p->annotated)
		return "missing";
	return strcmp(p->annotated, p->type) ? "wrong" : "right";
}

void ga_kube_pod_patch(const struct ga_accels *list, const struct ga_kube_pod *pod,
		       const struct ga_node_view *node, struct ga_pod_patch *ret)
{
	const char *type = NULL;

	ga_shape_init(&ga_pod_patch_shape, ret);
	ret->namespace = ga_xstrdup(pod->namespace);
	ret->name = ga_xstrdup(pod->name);
	ret->uid = ga_strdup0(pod->uid);
	ret->node = ga_strdup0(pod->node);
	ret->resource = ga_strdup0(pod->resource);
	ret->annotated = ga_strdup0(pod->annotated);
	if (pod->others)
		warn(ret, "several_resources", "it has %s and %s: one annotation cannot tell of "
					       "both", pod->resource, pod->others);
	else if (!node)
		warn(ret, "node_missing", "its node '%s' is not in the document",
		     pod->node ? pod->node : "");
	else
		type = settle(list, pod, node, ret);
	ret->type = ga_strdup0(type);
	if (type)
		ret->basis = ga_xstrdup(node->types.n == 1 ? "node" : "resource");
	ret->state = ga_xstrdup(state_of(ret));
	if (ga_streq(ret->state, "wrong"))
		warn(ret, "annotation_wrong", "its annotation says '%s'", ret->annotated);
	else if (!type && ret->annotated)
		warn(ret, "annotation_unproven", "its annotation says '%s', which nothing here "
						 "shows", ret->annotated);
	if (type && !ga_streq(ret->state, "right"))
		set_patch(ret);
}
