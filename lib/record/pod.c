/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of gpuaas.pod-patch (pod.h). */
#include "record/pod.h"

static const char *const states[] = { "missing", "wrong", "right", "unknown", NULL };
static const char *const bases[] = { "node", "resource", "device", NULL };

#define S ga_pod_metadata
static const struct ga_schema metadata_schema = {
	.doc = "metadata to set",
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
		GA_OBJ(S, metadata, GA_REQ, &metadata_schema, "its metadata"),
		GA_FIELDS_END },
};
#undef S

#define S ga_pod_warning
static const struct ga_schema pod_warning_schema = {
	.doc = "why the type is not known, or what is wrong",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "what"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the same for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_pod_patch
const struct ga_schema ga_pod_patch_schema = {
	.kind = "gpuaas.pod-patch/1",
	.doc = "the accelerator type of a running pod of Kubernetes, and the patch that says so",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, namespace, GA_REQ, GA_T_ANY, "of the pod"),
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "its name"),
		GA_TEXT(S, uid, GA_NULLOK, GA_T_ANY, "its identity in the cluster"),
		GA_TEXT(S, node, GA_NULLOK, GA_T_ANY, "node it runs on"),
		GA_TEXT(S, resource, GA_NULLOK, GA_T_ANY,
			"what it asked for, or whose device its claim gave it"),
		GA_ENUM(S, state, GA_REQ, states, "how its annotation stands to its type"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_NAME, "accelerator type; null: not known"),
		GA_TEXT(S, annotated, GA_NULLOK, GA_T_ANY, "what its annotation says now"),
		GA_ENUM(S, basis, GA_NULLOK, bases,
			"node: it has one type; resource: one of its types is of that kind; "
			"device: the device of its claim says it"),
		GA_OBJ(S, patch, GA_NULLOK, &change_schema,
		       "for kubectl patch --type merge; null: nothing is to change"),
		GA_LISTOF(S, warnings, &pod_warning_schema, "why not, or what is wrong"),
		GA_FIELDS_END },
};
#undef S
