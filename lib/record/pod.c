/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of gpuaas.pod-patch (pod.h). */
#include "record/pod.h"

static const char *const states[] = { "missing", "wrong", "right", "unknown", NULL };
static const char *const bases[] = { "node", "resource", "device", NULL };

#define S ga_pod_metadata
static const struct ga_schema metadata_schema = {
	.doc = "metadata that the patch sets",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_JSON(S, annotations, GA_REQ, "accelerator.opendatahub.io/type: the type"),
		GA_FIELDS_END },
};
#undef S

#define S ga_pod_change
static const struct ga_schema change_schema = {
	.doc = "a merge patch of the pod",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_OBJ(S, metadata, GA_REQ, &metadata_schema, "metadata of the pod"),
		GA_FIELDS_END },
};
#undef S

#define S ga_pod_warning
static const struct ga_schema pod_warning_schema = {
	.doc = "why the type is unknown, or another problem",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "stable machine word"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the warning, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_pod_patch
const struct ga_schema ga_pod_patch_schema = {
	.kind = "gpuaas.pod-patch/1",
	.doc = "the accelerator type of a running Kubernetes pod, and the patch that records it",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, namespace, GA_REQ, GA_T_ANY, "namespace of the pod"),
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "name of the pod"),
		GA_TEXT(S, uid, GA_NULLOK, GA_T_ANY, "identity of the pod in the cluster"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_ANY, "node that runs the pod"),
		GA_TEXT(S, resource, GA_NULLOK, GA_T_ANY,
			"resource that the pod requests, or driver of the device that it claims"),
		GA_ENUM(S, state, GA_REQ, states, "whether the annotation of the pod has its type"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_NAME, "accelerator type; null: unknown"),
		GA_TEXT(S, annotated, GA_NULLOK, GA_T_ANY,
			"type in the annotation now; null: none"),
		GA_ENUM(S, basis, GA_NULLOK, bases,
			"node: the node has one type; resource: one type of the node is of that "
			"resource; device: the claimed device shows the type"),
		GA_OBJ(S, patch, GA_NULLOK, &change_schema,
		       "input of kubectl patch --type merge; null: nothing to change"),
		GA_LISTOF(S, warnings, &pod_warning_schema,
			  "why the type is unknown, and other problems"),
		GA_FIELDS_END },
};
#undef S
