/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of gpuaas.node-view and gpuaas.label-finding (accel.h). */
#include "record/accel.h"

static const char *const evidence_sources[] = { "pci",	    "label",	"override", "manual",
						"instance", "resource", NULL };
static const char *const rungs[] = { "subsystem", "pci",      "memory", "manual",
				     "label",	  "instance", "none",	NULL };
static const char *const view_sources[] = { "discovery", "kubernetes", NULL };
static const char *const platforms[] = { "eks", "gke", "aks", "openshift", "kubernetes", NULL };
static const char *const severities[] = { "info", "warning", "error", NULL };

#define S ga_type_evidence
static const struct ga_shape evidence_shape = {
	.doc = "what one source says",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, source, GA_REQ, evidence_sources, "which"),
		GA_TEXT(S, said, GA_REQ, GA_T_ANY, "what it says, literally"),
		GA_TEXTS(S, types, GA_REQ, GA_T_NAME,
			 "what that means; several: one of these; none: unknown"),
		GA_TEXT(S, by, GA_NULLOK, GA_T_ANY, "who said it, when by hand"),
		GA_TEXT(S, at, GA_NULLOK, GA_T_TIME, "when that was"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_type
static const struct ga_shape type_shape = {
	.doc = "GPUs of one type on a node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, type, GA_NULLOK, GA_T_NAME, "slug in the accelerator catalogue"),
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "the same for people"),
		GA_COUNT(S, count, GA_NULLOK, "how many GPUs"),
		GA_COUNT(S, memory_gb, GA_NULLOK, "nominal memory of one GPU"),
		GA_ENUM(S, rung, GA_REQ, rungs, "which rung of detection answered"),
		GA_TEXTS(S, may_be, GA_REQ, GA_T_NAME, "where it is open: one of these types"),
		GA_LISTOF(S, evidence, &evidence_shape, "what each source says"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_part
static const struct ga_shape part_shape = {
	.doc = "parts of GPUs that are offered",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, profile, GA_REQ, GA_T_ANY, "what a part is: a MIG profile, shared"),
		GA_COUNT(S, count, GA_REQ, "how many"),
		GA_FIELDS_END },
};
#undef S

#define S ga_view_warning
static const struct ga_shape warning_shape = {
	.doc = "what does not fit together",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "what"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the same for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_view
const struct ga_shape ga_node_view_shape = {
	.kind = "gpuaas.node-view/1",
	.doc = "the accelerators of a node, and how far that is known",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_ANY, "id of the node, or its name in Kubernetes"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_ANY, "the name it was given"),
		GA_ENUM(S, source, GA_REQ, view_sources, "where it was seen"),
		GA_TEXT(S, summary, GA_REQ, GA_T_ANY, "types and counts for people"),
		GA_BOOL(S, mixed, "whether it has several types"),
		GA_LISTOF(S, types, &type_shape, "its types"),
		GA_COUNT(S, gpus, GA_NULLOK, "its GPUs, whole"),
		GA_COUNT(S, allocatable, GA_NULLOK, "GPUs or parts that its platform may hand out"),
		GA_LISTOF(S, parts, &part_shape, "parts of GPUs that it offers"),
		GA_MIB(S, node_memory_mib, GA_NULLOK, "memory of the host, not of its GPUs"),
		GA_TEXT(S, state, GA_NULLOK, GA_T_ANY, "state of the node there"),
		GA_TEXT(S, observed_at, GA_NULLOK, GA_T_TIME, "when it was seen so"),
		GA_SPAN(S, age_seconds, GA_NULLOK, "how long ago that is"),
		GA_LISTOF(S, warnings, &warning_shape, "what does not fit together"),
		GA_FIELDS_END },
};
#undef S

#define S ga_label_finding
const struct ga_shape ga_label_finding_shape = {
	.kind = "gpuaas.label-finding/1",
	.doc = "what is to be said of a label of a Kubernetes node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_ANY, "name of the node"),
		GA_ENUM(S, platform, GA_REQ, platforms, "whose Kubernetes its labels look like"),
		GA_ENUM(S, severity, GA_REQ, severities, "how bad it is"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "what"),
		GA_TEXT(S, label, GA_NULLOK, GA_T_ANY, "which label or resource"),
		GA_TEXT(S, value, GA_NULLOK, GA_T_ANY, "its value"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_NAME, "the type it means, where it means one"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the same for people"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "what to do"),
		GA_FIELDS_END },
};
#undef S
