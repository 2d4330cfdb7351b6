/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type of a pod's accelerators, for every type of the catalogue. A pod on a node of the type
 * gets the type; the resource of another vendor finds nothing there; and on a node that has another
 * vendor's GPUs too, the resource decides. tests/export-pods.bats has the documents of kubectl.
 */
#include "exchange/kube/pod.h"

#include <string.h>

#include "exchange/kube/select.h"
#include "record/rec.h"
#include "t.h"

/* A node with the labels that offers four of each resource; what is NULL is left out. */
static void view_of(const struct ga_accels *list, json_t *labels, const char *one,
		    const char *two, struct ga_node_view *ret)
{
	static const struct ga_manual_types none = { NULL, 0 };
	ga_autojson json_t *has = json_object(), *item = NULL;
	struct ga_err err = GA_ERR_INIT;
	struct ga_kube_node node;

	json_object_set_new(has, one, json_string("4"));
	if (two)
		json_object_set_new(has, two, json_string("4"));
	item = json_pack("{s:s,s:{s:s,s:O},s:{s:O}}", "kind", "Node", "metadata", "name", "n",
			 "labels", labels, "status", "capacity", has);
	t_ok(!ga_kube_node(item, &node, &err), "a node");
	ga_kube_view(list, &node, &none, 0, ret);
}

/* "state type first-warning" of a pod that asks for the resource, annotated or not. */
static char *decided(const struct ga_accels *list, const char *resource, const char *annotated,
		     const struct ga_node_view *view)
{
	ga_autojson json_t *item = json_pack(
		"{s:s,s:{s:s,s:{s:s*}},s:{s:s,s:[{s:{s:{s:i}}}]},s:{s:s}}", "kind", "Pod",
		"metadata", "name", "p", "annotations", GA_KUBE_TYPE, annotated, "spec", "nodeName",
		"n", "containers", "resources", "limits", resource, 1, "status", "phase",
		"Running");
	ga_autopod struct ga_kube_pod pod;
	struct ga_err err = GA_ERR_INIT;
	struct ga_pod_patch patch;
	char *said;

	t_ok(!ga_kube_pod(item, &pod, &err) && pod.running, "a pod that runs");
	ga_kube_pod_patch(list, &pod, view, NULL, &patch);
	said = ga_xprintf("%s %s %s%s", patch.state, patch.type ? patch.type : "-",
			  patch.warnings.n ? patch.warnings.v[0].code : "-",
			  patch.patch ? " patch" : "");
	ga_schema_release(&ga_pod_patch_schema, &patch);
	return said;
}

#define t_decided(want, resource, annotated, view, name) \
	do { \
		ga_autofree char *said_ = decided(list, resource, annotated, view); \
		ga_autofree char *want_ = want; \
		t_str(said_, want_, "%s: " name, t->slug); \
	} while (0)

static void alone(const struct ga_accels *list, const struct ga_accel_type *t, json_t *labels)
{
	const char *resource = ga_kube_resource(t);
	const char *other = strcmp(t->vendor, "AMD") ? "amd.com/gpu" : "nvidia.com/gpu";
	struct ga_node_view view;

	view_of(list, labels, resource, NULL, &view);
	t_decided(ga_xprintf("missing %s - patch", t->slug), resource, NULL, &view,
		  "a pod on a node of it");
	t_decided(ga_xprintf("right %s -", t->slug), resource, t->slug, &view,
		  "annotated with it, nothing is to change");
	t_decided(ga_xprintf("wrong %s annotation_wrong patch", t->slug), resource, "other", &view,
		  "annotated with another");
	t_decided(ga_xstrdup("unknown - nothing_there"), other, NULL, &view,
		  "another vendor's resource");
	t_decided(ga_xstrdup("unknown - node_missing"), resource, NULL, NULL,
		  "its node was not read");
	ga_schema_release(&ga_node_view_schema, &view);
}

/* Beside four of another vendor's, the resource tells which. */
static void beside(const struct ga_accels *list, const struct ga_accel_type *t, json_t *labels,
		   const struct ga_accel_type *other)
{
	const char *resource = ga_kube_resource(t), *theirs = ga_kube_resource(other);
	ga_autojson json_t *both = json_copy(labels);
	ga_autoselect struct ga_kube_select s;
	struct ga_node_view view;

	ga_kube_select(list, other, &s);
	json_object_update_missing(both, s.labels);
	view_of(list, both, resource, theirs, &view);
	t_decided(ga_xprintf("missing %s - patch", t->slug), resource, NULL, &view,
		  "beside another vendor's");
	t_decided(ga_xprintf("missing %s - patch", other->slug), theirs, NULL, &view,
		  "and what the other resource asks for");
	ga_schema_release(&ga_node_view_schema, &view);
}

/* The resources that count in a pod: accelerators and parts of them, nothing beside them. */
static void resources(void)
{
	static const struct {
		const char *resource, *vendor;
	} rows[] = {
		{ "nvidia.com/gpu", "NVIDIA" },
		{ "nvidia.com/gpu.shared", "NVIDIA" },
		{ "nvidia.com/mig-1g.10gb", "NVIDIA" },
		{ "nvidia.com/mig-1g.10gb.shared", "NVIDIA" },
		{ "nvidia.com/gpumem", NULL }, /* of HAMi, beside nvidia.com/gpu */
		{ "nvidia.com/gpucores", NULL },
		{ "nvidia.com/gpumem-percentage", NULL },
		{ "nvidia.com/priority", NULL },
		{ "nvidia.com/hostdev", NULL },
		{ "amd.com/gpu", "AMD" },
		{ "amd.com/gpumem", NULL },
		{ "gpu.intel.com/i915", "Intel" },
		{ "gpu.intel.com/xe", "Intel" },
		{ "gpu.intel.com/i915_monitoring", NULL },
		{ "gpu.intel.com/xe_monitoring", NULL },
		{ "gpu.intel.com/monitoring", NULL },
		{ "gpu.intel.com/millicores", NULL },
		{ "gpu.intel.com/memory.max", NULL },
		{ "gpu.intel.com/tiles", NULL },
		{ "habana.ai/gaudi", "Intel Habana" },
		{ "habana.ai/gaudi-nic", NULL },
		{ "aws.amazon.com/neuron", "AWS" },
		{ "aws.amazon.com/neuroncore", "AWS" },
		{ "aws.amazon.com/neurondevice", "AWS" },
		{ "aws.amazon.com/neuron-x", NULL },
		{ "google.com/tpu", "Google" },
		{ "google.com/tpu-x", NULL },
		{ "qualcomm.com/qaic", "Qualcomm" },
		{ "cpu", NULL },
		{ "", NULL },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++)
		t_str(ga_kube_vendor(rows[i].resource), rows[i].vendor, "whose is '%s'",
		      rows[i].resource);
}

int main(void)
{
	ga_autoaccels struct ga_accels *list = NULL;
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	ga_accels_drop_ins(NULL);
	if (ga_accels_open(NULL, &list, &err) < 0)
		return 1;
	resources();
	for (i = 0; i < ga_accels_count(list); i++) {
		const struct ga_accel_type *t = ga_accels_at(list, i);
		ga_autoselect struct ga_kube_select s;

		ga_kube_select(list, t, &s);
		if (!ga_kube_resource(t))
			continue;
		alone(list, t, s.labels);
		beside(list, t, s.labels,
		       ga_accels_type(list, strcmp(t->vendor, "AMD") ? "amd-mi300x-192gb" :
								       "nvidia-h200-141gb"));
	}
	return t_done();
}
