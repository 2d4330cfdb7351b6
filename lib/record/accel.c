/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of accel.h: accelerator types, views of nodes, and findings about labels. */
#include "record/accel.h"

static const char *const functions[] = { "physical", "virtual", NULL };
static const char *const per[] = { "card", "gpu", NULL };

#define SOURCES(s, m) GA_TEXTS(s, m, GA_REQ, GA_T_CODE, "names of sources, see the catalogue file")

#define S ga_accel_board
static const struct ga_schema board_schema = {
	.doc = "a PCI subsystem",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, id, GA_REQ, GA_T_ANY, "vendor and device id of the subsystem"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_ANY, "what the driver or the PCI database says"),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_pci
static const struct ga_schema pci_schema = {
	.doc = "a PCI device id of the type",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, device_id, GA_REQ, GA_T_HEX, "PCI device id"),
		GA_ENUM(S, function, GA_NULLOK, functions,
			"what the id usually is; the system's physfn decides"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_ANY, "name in the PCI database"),
		GA_TEXTS(S, revisions, GA_REQ, GA_T_HEX, "revisions that are this type; none: any"),
		GA_LISTOF(S, subsystems, &board_schema, "known boards of the type"),
		GA_LISTOF(S, other_subsystems, &board_schema, "boards of other products"),
		GA_LISTOF(S, vgpu_subsystems, &board_schema, "what a guest sees of a part of one"),
		GA_TEXT(S, ambiguous, GA_NULLOK, GA_T_ANY, "why the id alone does not tell"),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_memory
static const struct ga_schema memory_schema = {
	.doc = "memory of the accelerator",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_COUNT(S, nominal_gb, GA_NULLOK, "the number the vendor prints"),
		GA_COUNT(S, gpu_gb, GA_NULLOK, "of one schedulable GPU: what requirements meet"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_ANY, "kind of memory"),
		GA_MIB(S, reported_mib, GA_NULLOK, "what the vendor's tool reports"),
		GA_COUNT(S, bandwidth_mb_s, GA_NULLOK, "bandwidth in 10^6 bytes a second"),
		SOURCES(S, size_sources),
		SOURCES(S, bandwidth_sources),
		SOURCES(S, reported_sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_architecture
static const struct ga_schema architecture_schema = {
	.doc = "architecture of the accelerator",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_NULLOK, GA_T_ANY, "name of the architecture"),
		GA_TEXT(S, family, GA_NULLOK, GA_T_ANY, "value of the label nvidia.com/gpu.family"),
		GA_TEXT(S, compute_capability, GA_NULLOK, GA_T_ANY, "CUDA compute capability"),
		GA_TEXT(S, llvm_target, GA_NULLOK, GA_T_ANY, "target of AMD's compilers"),
		GA_COUNT(S, compute_units, GA_NULLOK, "compute units"),
		GA_TEXT(S, basis, GA_NULLOK, GA_T_ANY, "how it was concluded"),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_dense
#define SPEED(m) GA_COUNT(S, m, GA_NULLOK, "10^9 operations a second, without sparsity")
static const struct ga_schema dense_schema = {
	.doc = "peak speed by precision, dense",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		SPEED(fp64_gflops), SPEED(fp32_gflops), SPEED(tf32_gflops), SPEED(fp16_gflops),
		SPEED(bf16_gflops), SPEED(fp8_gflops), SPEED(int8_gflops), SPEED(fp4_gflops),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_matmul
static const struct ga_schema matmul_schema = {
	.doc = "the fastest matrix multiplication that was measured",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		SPEED(bf16_gflops),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_link
static const struct ga_schema link_schema = {
	.doc = "link between accelerators",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, kind, GA_NULLOK, GA_T_ANY, "kind of link"),
		GA_COUNT(S, gb_s_bidirectional, GA_NULLOK, "10^9 bytes a second, both directions"),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_power
static const struct ga_schema power_schema = {
	.doc = "power",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_COUNT(S, tdp_w, GA_NULLOK, "thermal design power of the board in watts"),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_parts
static const struct ga_schema parts_schema = {
	.doc = "how it can be divided",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TRI(S, mig, "whether it has MIG"),
		GA_COUNT(S, mig_max_instances, GA_NULLOK, "MIG instances at most"),
		GA_TEXTS(S, mig_balanced_profiles, GA_REQ, GA_T_ANY, "MIG profiles of the vendor's "
			 "balanced layout, with their number"),
		GA_TRI(S, vgpu, "whether the vendor lists it for vGPU"),
		GA_TRI(S, vgpu_sriov, "whether its vGPUs are virtual functions"),
		GA_TEXTS(S, compute_modes, GA_REQ, GA_T_ANY, "AMD's compute partition modes"),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_labels
static const struct ga_schema labels_schema = {
	.doc = "what drivers and node labels call it",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXTS(S, driver_names, GA_REQ, GA_T_ANY,
			 "names the driver gives, the usual one first"),
		GA_TEXTS(S, nvidia_product, GA_REQ, GA_T_ANY,
			 "values of nvidia.com/gpu.product, the usual one first"),
		GA_TEXTS(S, amd_product_name, GA_REQ, GA_T_ANY,
			 "values of amd.com/gpu.product-name, the usual one first"),
		GA_TEXTS(S, intel_product, GA_REQ, GA_T_ANY,
			 "values of gpu.intel.com/product, the usual one first"),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_type
#define MEMBERS \
	GA_TEXT(S, slug, GA_REQ, GA_T_NAME, "the type's name in profiles and bills"), \
	GA_TEXT(S, name, GA_REQ, GA_T_ANY, "for people"), \
	GA_TEXT(S, vendor, GA_NULLOK, GA_T_ANY, "who makes it"), \
	GA_TEXT(S, vendor_id, GA_NULLOK, GA_T_HEX, "PCI vendor id; null: known by name only"), \
	GA_TEXT(S, status, GA_NULLOK, GA_T_ANY, "whether it is sold"), \
	GA_LISTOF(S, pci, &pci_schema, "its PCI ids"), \
	SOURCES(S, pci_sources), \
	GA_COUNT(S, gpus_per_card, GA_NULLOK, "schedulable GPUs of one card"), \
	GA_ENUM(S, figures_per, GA_NULLOK, per, \
		"what nominal memory, speed and compute units are of; power is of the card"), \
	GA_TEXT(S, form_factor, GA_NULLOK, GA_T_ANY, "how it is built in"), \
	GA_OBJ(S, memory, GA_REQ, &memory_schema, "its memory"), \
	GA_OBJ(S, architecture, GA_REQ, &architecture_schema, "its architecture"), \
	GA_OBJ(S, dense, GA_REQ, &dense_schema, "its peak speed"), \
	GA_OBJ(S, measured_matmul, GA_REQ, &matmul_schema, "its measured speed"), \
	GA_OBJ(S, interconnect, GA_REQ, &link_schema, "its link to others"), \
	GA_OBJ(S, power, GA_REQ, &power_schema, "its power"), \
	GA_OBJ(S, partitioning, GA_REQ, &parts_schema, "its parts"), \
	GA_OBJ(S, labels, GA_REQ, &labels_schema, "its names"), \
	GA_TEXTS(S, aliases, GA_REQ, GA_T_ANY, "other names that mean only it"), \
	GA_TEXTS(S, notes, GA_REQ, GA_T_ANY, "what to know about the figures")

const struct ga_schema ga_accel_type_schema = {
	.doc = "an accelerator type in a catalogue file",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){ MEMBERS, GA_FIELDS_END },
};

const struct ga_schema ga_accelerator_schema = {
	.kind = "gpuaas.accelerator/1",
	.doc = "an accelerator type of the catalogue",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		MEMBERS,
		GA_TEXT(S, origin, GA_REQ, GA_T_ANY, "built-in, or the file it comes from"),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_source
const struct ga_schema ga_accel_source_schema = {
	.doc = "where facts come from",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_CODE, "its name in the facts"),
		GA_TEXT(S, what, GA_REQ, GA_T_ANY, "what it is"),
		GA_TEXT(S, where, GA_NULLOK, GA_T_ANY, "where it is"),
		GA_TEXT(S, trust, GA_REQ, GA_T_ANY, "how far it is trusted"),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_group
const struct ga_schema ga_accel_group_schema = {
	.doc = "a name that means one of several types",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "the name"),
		GA_TEXTS(S, types, GA_REQ, GA_T_NAME, "what it may mean"),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_instance
const struct ga_schema ga_accel_instance_schema = {
	.doc = "a machine of a cloud",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, provider, GA_REQ, GA_T_NAME, "whose"),
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "its name there"),
		GA_TEXTS(S, types, GA_REQ, GA_T_NAME, "its accelerators; several: one of these"),
		GA_INT_IN(S, count, GA_REQ, 1, 1024, "how many it has"),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_platform_label
const struct ga_schema ga_accel_platform_label_schema = {
	.doc = "a node label of a platform",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, key, GA_REQ, GA_T_ANY, "its key"),
		GA_TEXT(S, value, GA_REQ, GA_T_ANY, "its value"),
		GA_TEXTS(S, types, GA_REQ, GA_T_NAME, "what it means; several: one of these"),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

/* ---- gpuaas.node-view and gpuaas.label-finding ---- */

static const char *const evidence_sources[] = { "pci",	    "label",	"override", "manual",
						"instance", "resource", NULL };
static const char *const rungs[] = { "subsystem", "pci",      "memory", "manual",
				     "label",	  "instance", "none",	NULL };
static const char *const view_sources[] = { "discovery", "kubernetes", NULL };
static const char *const platforms[] = { "eks", "gke", "aks", "openshift", "kubernetes", NULL };
static const char *const severities[] = { "info", "warning", "error", NULL };

#define S ga_type_evidence
static const struct ga_schema evidence_schema = {
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
static const struct ga_schema type_schema = {
	.doc = "GPUs of one type on a node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, type, GA_NULLOK, GA_T_NAME, "slug in the accelerator catalogue"),
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "the same for people"),
		GA_COUNT(S, count, GA_NULLOK, "how many GPUs"),
		GA_COUNT(S, memory_gb, GA_NULLOK, "nominal memory of one GPU"),
		GA_ENUM(S, rung, GA_REQ, rungs, "which rung of detection answered"),
		GA_TEXTS(S, may_be, GA_REQ, GA_T_NAME, "where it is open: one of these types"),
		GA_LISTOF(S, evidence, &evidence_schema, "what each source says"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_part
static const struct ga_schema part_schema = {
	.doc = "parts of GPUs that are offered",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, profile, GA_REQ, GA_T_ANY, "what a part is: a MIG profile, shared"),
		GA_COUNT(S, count, GA_REQ, "how many"),
		GA_FIELDS_END },
};
#undef S

#define S ga_view_warning
static const struct ga_schema warning_schema = {
	.doc = "what does not fit together",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "what"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the same for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_view
const struct ga_schema ga_node_view_schema = {
	.kind = "gpuaas.node-view/1",
	.doc = "the accelerators of a node, and how far that is known",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_ANY, "id of the node, or its name in Kubernetes"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_ANY, "the name it was given"),
		GA_ENUM(S, source, GA_REQ, view_sources, "where it was seen"),
		GA_TEXT(S, summary, GA_REQ, GA_T_ANY, "types and counts for people"),
		GA_BOOL(S, mixed, "whether it has several types"),
		GA_LISTOF(S, types, &type_schema, "its types"),
		GA_COUNT(S, gpus, GA_NULLOK, "its GPUs, whole"),
		GA_COUNT(S, allocatable, GA_NULLOK, "GPUs or parts that its platform may hand out"),
		GA_LISTOF(S, parts, &part_schema, "parts of GPUs that it offers"),
		GA_MIB(S, node_memory_mib, GA_NULLOK, "memory of the host, not of its GPUs"),
		GA_TEXT(S, state, GA_NULLOK, GA_T_ANY, "state of the node there"),
		GA_TEXT(S, observed_at, GA_NULLOK, GA_T_TIME, "when it was seen so"),
		GA_SPAN(S, age_seconds, GA_NULLOK, "how long ago that is"),
		GA_LISTOF(S, warnings, &warning_schema, "what does not fit together"),
		GA_FIELDS_END },
};
#undef S

#define S ga_label_finding
const struct ga_schema ga_label_finding_schema = {
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
