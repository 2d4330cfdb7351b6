/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An accelerator type as the catalogue (share/accelerators.json, drop-ins) describes it, and what
 * gpuaas-profile reports about nodes and their labels. A number that no source states is null.
 */
#ifndef GA_RECORD_ACCEL_H
#define GA_RECORD_ACCEL_H

#include "base/texts.h"
#include "record/schema.h"

/* A board, or a share of a GPU, by its PCI subsystem. */
struct ga_accel_board {
	char *id;   /* "10de:18be" */
	char *name; /* as the driver or the PCI database has it */
};

struct ga_accel_pci {
	char *device_id;
	char *function; /* physical, virtual; NULL: sources disagree, only the system can show it */
	char *name;
	struct ga_texts revisions; /* PCI revisions of this type; none: all */
	GA_LIST(struct ga_accel_board) subsystems; /* known boards of the type */
	GA_LIST(struct ga_accel_board) other_subsystems; /* same device id, another product */
	GA_LIST(struct ga_accel_board) vgpu_subsystems; /* a guest sees these for a vGPU */
	char *ambiguous; /* why the device id alone does not identify the type */
};

struct ga_accel_memory {
	int64_t nominal_gb; /* as the vendor prints it, of the card or GPU (figures_per) */
	int64_t gpu_gb;	    /* of one schedulable GPU: requirements are compared with this */
	char *type;
	int64_t reported_mib; /* as the vendor's tool reports it */
	int64_t bandwidth_mb_s;
	struct ga_texts size_sources, bandwidth_sources, reported_sources;
};

struct ga_accel_architecture {
	char *name;
	char *family; /* nvidia.com/gpu.family */
	char *compute_capability, *llvm_target;
	int64_t compute_units;
	char *basis;
	struct ga_texts sources;
};

struct ga_accel_dense {
	int64_t fp64_gflops, fp32_gflops, tf32_gflops, fp16_gflops, bf16_gflops, fp8_gflops,
		int8_gflops, fp4_gflops;
	struct ga_texts sources;
};

struct ga_accel_matmul {
	int64_t bf16_gflops;
	struct ga_texts sources;
};

struct ga_accel_link {
	char *kind;
	int64_t gb_s_bidirectional;
	struct ga_texts sources;
};

struct ga_accel_power {
	int64_t tdp_w;
	struct ga_texts sources;
};

struct ga_accel_parts {
	int64_t mig; /* tristate */
	int64_t mig_max_instances;
	struct ga_texts mig_balanced_profiles;
	int64_t vgpu, vgpu_sriov; /* tristates */
	struct ga_texts compute_modes;
	struct ga_texts sources;
};

struct ga_accel_labels {
	struct ga_texts driver_names;
	struct ga_texts nvidia_product, amd_product_name, intel_product;
};

struct ga_accel_type {
	char *slug, *name, *vendor, *vendor_id, *status;
	GA_LIST(struct ga_accel_pci) pci;
	struct ga_texts pci_sources;
	int64_t gpus_per_card;
	char *figures_per; /* card, gpu */
	char *form_factor;
	struct ga_accel_memory memory;
	struct ga_accel_architecture architecture;
	struct ga_accel_dense dense;
	struct ga_accel_matmul measured_matmul;
	struct ga_accel_link interconnect;
	struct ga_accel_power power;
	struct ga_accel_parts partitioning;
	struct ga_accel_labels labels;
	struct ga_texts aliases;
	struct ga_texts notes;
	char *origin; /* of the record: "built-in" or the file it came from */
};

/* The rest of a catalogue file. */
struct ga_accel_source {
	char *name, *what, *where, *trust;
	const char *origin; /* the file, or built-in; no member of the record, and not owned */
};
struct ga_accel_group {
	char *name;
	struct ga_texts types;
};
struct ga_accel_instance {
	char *provider, *name;
	struct ga_texts types;
	int64_t count;
	struct ga_texts sources;
};
struct ga_accel_platform_label {
	char *key, *value;
	struct ga_texts types;
	struct ga_texts sources;
};

/* Schema of a line of the catalogue: the members of the record except kind and origin. */
extern const struct ga_schema ga_accel_type_schema;
/* gpuaas.accelerator */
extern const struct ga_schema ga_accelerator_schema;
extern const struct ga_schema ga_accel_source_schema, ga_accel_group_schema,
	ga_accel_instance_schema, ga_accel_platform_label_schema;

/* The accelerator types of a node according to one source. */
struct ga_type_evidence {
	char *source; /* pci, label, manual, override, instance, resource */
	char *said;   /* the value of the source, literally */
	struct ga_texts types; /* none: unknown; several: one of them */
	char *by, *at; /* of a value set by hand: the person and the time */
};

/* GPUs of one type on a node. */
struct ga_node_type {
	char *type; /* slug; NULL: unknown, or one of may_be */
	char *name;
	int64_t count;
	int64_t memory_gb; /* nominal, of one GPU */
	char *rung; /* source: subsystem, pci, memory, label, manual, instance, none */
	struct ga_texts may_be;
	GA_LIST(struct ga_type_evidence) evidence;
};

struct ga_node_part {
	char *profile; /* name of the MIG or vGPU profile, or of the shared resource */
	int64_t count;
};

struct ga_view_warning {
	char *code, *sentence;
};

/* gpuaas.node-view */
struct ga_node_view {
	char *node, *name;
	char *source; /* discovery, kubernetes */
	char *summary; /* "8x H200", "Mixed (4x A100, 4x V100)", "no GPU" */
	bool mixed;
	GA_LIST(struct ga_node_type) types;
	int64_t gpus, allocatable;
	GA_LIST(struct ga_node_part) parts;
	int64_t node_memory_mib; /* of the host, not of its GPUs */
	char *state, *observed_at;
	int64_t age_seconds;
	GA_LIST(struct ga_view_warning) warnings;
};

/* gpuaas.label-finding */
struct ga_label_finding {
	char *node, *platform;
	char *severity; /* info, warning, error */
	char *code;
	char *label, *value;
	char *type; /* slug of the type that the label means, or NULL */
	char *sentence, *hint;
};

extern const struct ga_schema ga_node_view_schema, ga_label_finding_schema;

#endif
