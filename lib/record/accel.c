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
		GA_TEXT(S, name, GA_NULLOK, GA_T_ANY, "name in the driver or the PCI database"),
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
			"usual PCI function of the id; null: sources disagree, only the system can "
			"show it"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_ANY, "name in the PCI database"),
		GA_TEXTS(S, revisions, GA_REQ, GA_T_HEX, "PCI revisions of this type; none: all"),
		GA_LISTOF(S, subsystems, &board_schema, "known boards of the type"),
		GA_LISTOF(S, other_subsystems, &board_schema,
			  "boards of other products with the same device id"),
		GA_LISTOF(S, vgpu_subsystems, &board_schema,
			  "subsystems that a guest sees for a vGPU"),
		GA_TEXT(S, ambiguous, GA_NULLOK, GA_T_ANY,
			"why the device id alone does not identify the type; null: it does"),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_memory
static const struct ga_schema memory_schema = {
	.doc = "memory of the accelerator",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_COUNT(S, nominal_gb, GA_NULLOK,
			 "memory in GB as the vendor prints it, of the card or GPU (figures_per)"),
		GA_COUNT(S, gpu_gb, GA_NULLOK,
			 "memory in GB of one schedulable GPU; requirements are compared with it"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_ANY, "kind of memory, such as HBM3"),
		GA_MIB(S, reported_mib, GA_NULLOK, "memory in MiB as the vendor's tool reports it"),
		GA_COUNT(S, bandwidth_mb_s, GA_NULLOK, "memory bandwidth in 10^6 bytes a second"),
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
		GA_COUNT(S, compute_units, GA_NULLOK,
			 "compute units, of the card or GPU (figures_per)"),
		GA_TEXT(S, basis, GA_NULLOK, GA_T_ANY, "how the architecture was determined"),
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
		GA_TEXT(S, kind, GA_NULLOK, GA_T_ANY, "kind of link, such as NVLink"),
		GA_COUNT(S, gb_s_bidirectional, GA_NULLOK,
			 "bandwidth in 10^9 bytes a second, both directions together"),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_power
static const struct ga_schema power_schema = {
	.doc = "power of the accelerator",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_COUNT(S, tdp_w, GA_NULLOK, "thermal design power of the board in watts"),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_parts
static const struct ga_schema parts_schema = {
	.doc = "how the accelerator can be divided",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TRI(S, mig, "whether the type has MIG"),
		GA_COUNT(S, mig_max_instances, GA_NULLOK, "most MIG instances of one GPU"),
		GA_TEXTS(S, mig_balanced_profiles, GA_REQ, GA_T_ANY, "MIG profiles of the vendor's "
			 "balanced layout, with their number"),
		GA_TRI(S, vgpu, "whether the vendor lists the type for vGPU"),
		GA_TRI(S, vgpu_sriov, "whether vGPUs of the type are virtual functions"),
		GA_TEXTS(S, compute_modes, GA_REQ, GA_T_ANY, "AMD's compute partition modes"),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_labels
static const struct ga_schema labels_schema = {
	.doc = "names that drivers and node labels use for the type",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXTS(S, driver_names, GA_REQ, GA_T_ANY,
			 "names that the driver gives, the usual one first"),
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
	GA_TEXT(S, slug, GA_REQ, GA_T_NAME, "name of the type in profiles and bills"), \
	GA_TEXT(S, name, GA_REQ, GA_T_ANY, "name of the type, for people"), \
	GA_TEXT(S, vendor, GA_NULLOK, GA_T_ANY, "maker of the accelerator"), \
	GA_TEXT(S, vendor_id, GA_NULLOK, GA_T_HEX, \
		"PCI vendor id; null: the type is known by name only"), \
	GA_TEXT(S, status, GA_NULLOK, GA_T_ANY, "market status, such as shipping"), \
	GA_LISTOF(S, pci, &pci_schema, "PCI ids of the type"), \
	SOURCES(S, pci_sources), \
	GA_COUNT(S, gpus_per_card, GA_NULLOK, "schedulable GPUs of one card"), \
	GA_ENUM(S, figures_per, GA_NULLOK, per, \
		"unit of the figures for memory, speed and compute units: card or GPU; power is " \
		"of the card"), \
	GA_TEXT(S, form_factor, GA_NULLOK, GA_T_ANY, \
		"form factor, such as an SXM module or a PCIe card"), \
	GA_OBJ(S, memory, GA_REQ, &memory_schema, "memory"), \
	GA_OBJ(S, architecture, GA_REQ, &architecture_schema, "architecture"), \
	GA_OBJ(S, dense, GA_REQ, &dense_schema, "peak speed by precision, without sparsity"), \
	GA_OBJ(S, measured_matmul, GA_REQ, &matmul_schema, \
	       "measured speed of a matrix multiplication"), \
	GA_OBJ(S, interconnect, GA_REQ, &link_schema, "link to other accelerators"), \
	GA_OBJ(S, power, GA_REQ, &power_schema, "power"), \
	GA_OBJ(S, partitioning, GA_REQ, &parts_schema, "how the accelerator can be divided"), \
	GA_OBJ(S, labels, GA_REQ, &labels_schema, "names in drivers and node labels"), \
	GA_TEXTS(S, aliases, GA_REQ, GA_T_ANY, "other names that mean only this type"), \
	GA_TEXTS(S, notes, GA_REQ, GA_T_ANY, "remarks on the figures")

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
		GA_TEXT(S, origin, GA_REQ, GA_T_ANY, "built-in, or the catalogue file"),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_source
const struct ga_schema ga_accel_source_schema = {
	.doc = "a source of facts in the catalogue",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_CODE, "name of the source in the facts"),
		GA_TEXT(S, what, GA_REQ, GA_T_ANY, "description of the source"),
		GA_TEXT(S, where, GA_NULLOK, GA_T_ANY, "address of the source"),
		GA_TEXT(S, trust, GA_REQ, GA_T_ANY, "kind of trust, such as vendor or weak"),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_group
const struct ga_schema ga_accel_group_schema = {
	.doc = "a name that means one of several types",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "name that is ambiguous"),
		GA_TEXTS(S, types, GA_REQ, GA_T_NAME, "types that the name can mean"),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_instance
const struct ga_schema ga_accel_instance_schema = {
	.doc = "a machine type of a cloud",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, provider, GA_REQ, GA_T_NAME, "cloud provider"),
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "name of the machine type at the provider"),
		GA_TEXTS(S, types, GA_REQ, GA_T_NAME, "accelerator type; several: one of these"),
		GA_INT_IN(S, count, GA_REQ, 1, 1024, "accelerators of the machine"),
		SOURCES(S, sources),
		GA_FIELDS_END },
};
#undef S

#define S ga_accel_platform_label
const struct ga_schema ga_accel_platform_label_schema = {
	.doc = "a node label of a platform",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, key, GA_REQ, GA_T_ANY, "key of the label"),
		GA_TEXT(S, value, GA_REQ, GA_T_ANY, "value of the label"),
		GA_TEXTS(S, types, GA_REQ, GA_T_NAME,
			 "accelerator type that the label means; several: one of these"),
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
	.doc = "evidence of one source",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_ENUM(S, source, GA_REQ, evidence_sources, "source of the evidence"),
		GA_TEXT(S, said, GA_REQ, GA_T_ANY, "value of the source, literally"),
		GA_TEXTS(S, types, GA_REQ, GA_T_NAME,
			 "types that the value means; several: one of these; none: unknown"),
		GA_TEXT(S, by, GA_NULLOK, GA_T_ANY,
			"user who set the value by hand; null: it was not set by hand"),
		GA_TEXT(S, at, GA_NULLOK, GA_T_TIME, "when the user set the value"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_type
static const struct ga_schema type_schema = {
	.doc = "GPUs of one type on a node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, type, GA_NULLOK, GA_T_NAME,
			"slug in the accelerator catalogue; null: unknown, or one of may_be"),
		GA_TEXT(S, name, GA_REQ, GA_T_ANY, "type, for people"),
		GA_COUNT(S, count, GA_NULLOK, "number of GPUs; null: unknown"),
		GA_COUNT(S, memory_gb, GA_NULLOK, "nominal memory of one GPU in GB"),
		GA_ENUM(S, rung, GA_REQ, rungs,
			"rung of the detection that found the type, see gpuaas-accelerators(7)"),
		GA_TEXTS(S, may_be, GA_REQ, GA_T_NAME,
			 "possible types, if the type is not certain"),
		GA_LISTOF(S, evidence, &evidence_schema, "evidence of each source"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_part
static const struct ga_schema part_schema = {
	.doc = "parts of GPUs that a node offers",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, profile, GA_REQ, GA_T_ANY,
			"MIG or vGPU profile of a part, or name of the shared resource"),
		GA_COUNT(S, count, GA_REQ, "number of parts"),
		GA_FIELDS_END },
};
#undef S

#define S ga_view_warning
static const struct ga_schema warning_schema = {
	.doc = "a warning about the types of a node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "stable machine word"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the warning, for people"),
		GA_FIELDS_END },
};
#undef S

#define S ga_node_view
const struct ga_schema ga_node_view_schema = {
	.kind = "gpuaas.node-view/1",
	.doc = "the accelerators of a node, and the evidence for their types",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_ANY, "id of the node, or its name in Kubernetes"),
		GA_TEXT(S, name, GA_NULLOK, GA_T_ANY, "name of the node; null: it has none"),
		GA_ENUM(S, source, GA_REQ, view_sources, "where the node was seen"),
		GA_TEXT(S, summary, GA_REQ, GA_T_ANY, "types and counts, for people"),
		GA_BOOL(S, mixed, "true: the node has several accelerator types"),
		GA_LISTOF(S, types, &type_schema, "accelerator types of the node"),
		GA_COUNT(S, gpus, GA_NULLOK, "undivided GPUs of the node; null: unknown"),
		GA_COUNT(S, allocatable, GA_NULLOK,
			 "GPUs or parts that the platform can give to users"),
		GA_LISTOF(S, parts, &part_schema, "parts of GPUs that the node offers"),
		GA_MIB(S, node_memory_mib, GA_NULLOK, "memory of the host in MiB, not of its GPUs"),
		GA_TEXT(S, state, GA_NULLOK, GA_T_ANY,
			"state of the node, as the source reports it"),
		GA_TEXT(S, observed_at, GA_NULLOK, GA_T_TIME, "when the node was observed"),
		GA_SPAN(S, age_seconds, GA_NULLOK, "age of that observation in seconds"),
		GA_LISTOF(S, warnings, &warning_schema, "warnings about the types of the node"),
		GA_FIELDS_END },
};
#undef S

#define S ga_label_finding
const struct ga_schema ga_label_finding_schema = {
	.kind = "gpuaas.label-finding/1",
	.doc = "a finding about a label of a Kubernetes node",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, node, GA_REQ, GA_T_ANY, "name of the node"),
		GA_ENUM(S, platform, GA_REQ, platforms,
			"Kubernetes platform that the labels of the node indicate"),
		GA_ENUM(S, severity, GA_REQ, severities, "severity of the finding"),
		GA_TEXT(S, code, GA_REQ, GA_T_CODE, "stable machine word"),
		GA_TEXT(S, label, GA_NULLOK, GA_T_ANY, "label or resource concerned"),
		GA_TEXT(S, value, GA_NULLOK, GA_T_ANY, "value of the label or resource"),
		GA_TEXT(S, type, GA_NULLOK, GA_T_NAME,
			"accelerator type that the label means; null: none"),
		GA_TEXT(S, sentence, GA_REQ, GA_T_ANY, "the finding, for people"),
		GA_TEXT(S, hint, GA_NULLOK, GA_T_ANY, "how to go on, for people"),
		GA_FIELDS_END },
};
#undef S
