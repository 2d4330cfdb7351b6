/* SPDX-License-Identifier: Apache-2.0 */
/* The records of the state: gpuaas-list and gpuaas-show print them, "gpuaas-state apply" reads
 * them. */
#ifndef GA_RECORD_STATE_H
#define GA_RECORD_STATE_H

#include "base/texts.h"
#include "record/bundle.h"
#include "record/host.h"
#include "record/schema.h"

struct ga_slot {
	char *slot, *node;
	int64_t slot_index;
	char *state, *since;
	int64_t generation;
	char *shape;		 /* slice */
	char *sharing_mechanism; /* exclusive_device */
	char *parent;
	char *accelerator_type, *type_name;
	char *gpu_identity, *gpu_pci_address, *gpu_device;
	int64_t module_id;
	char *nvme_wwid, *nvme_serial, *nvme_path;
	int64_t nvme_size_bytes;
	char *fabric_claim_mode, *fabric_vf_pci_address, *fabric_pf_pci_address;
	int64_t numa_node;
	char *cpuset;
	int64_t memory_mib;
	char *mac, *private_ip, *bridge, *port;
	char *storage_ownership; /* tenant_slice */
	struct ga_wipe_policy *wipe;
	char *health_state, *health_detail, *health_since; /* ok, failed, unknown */
	char *cordon_reason, *cordon;
	int64_t cordoned; /* 1 or GA_UNKNOWN */
	bool tainted;
	char *tainted_since, *wipe_evidence;
	char *gpu_memory; /* outcome of the last wipe's GPU memory step: confirmed, not_proven */
	char *allocation, *claim;
	struct ga_reasons blockers; /* of ga_slot_blockers */
	char *approved_by, *approved_at, *fingerprint;
	bool lab, dry_run;
};

/* A member that a declared record would change; values as compact JSON, NULL: it has none. */
struct ga_changed_member {
	char *member, *before, *after;
};

/* The changes that "gpuaas-state apply --dry-run" would store. */
struct ga_change {
	char *record;	   /* kind of the record */
	char *object, *node; /* name or node of the object; node: of a copy of an image */
	char *change;	   /* new, changed, unchanged, removed */
	GA_LIST(struct ga_changed_member) members;
	bool dry_run;
};

struct ga_node {
	char *node, *name, *address, *region, *pool;
	char *mode, *state, *since;
	int64_t generation;
	char *cordon_reason, *drain_deadline, *held_by;
	int64_t epoch_verified;
	char *fingerprint, *boot_id, *observed_at, *observation_digest;
	char *node_key, *node_key_since; /* NULL: the state has no valid key of the node */
	struct ga_reasons blockers;
	struct ga_network network;
	int64_t reserved_memory_mib;
	char *reserved_cpus;
	char *fabric_mode; /* none, partitions */
	int64_t slots, available;
	bool lab;
};

struct ga_profile {
	char *name;
	int64_t version;
	char *shape;
	struct ga_texts types; /* empty: any */
	struct ga_ints counts;
	int64_t vcpus_per_gpu, memory_mib_per_gpu, hugepage_kib;
	char *image;
	int64_t price_micros;
	struct ga_wipe_policy wipe;
	char *domain_type;
	int64_t hold_seconds, graceful_seconds;
	char *region, *pool;
	struct ga_texts teams; /* empty: all */
	bool retired;
};

struct ga_image {
	char *name, *digest, *chunks_digest, *format;
	int64_t file_bytes, size_bytes;
	char *firmware, *probe, *user, *driver_version;
	char *cuda_version; /* highest CUDA version of that driver, or NULL */
	struct ga_texts features; /* as apps require them: docker, nvidia-container-toolkit */
	int64_t ready_seconds; /* from start to readiness, or GA_UNKNOWN */
};

struct ga_node_image {
	char *node, *image, *digest, *path, *verified_at;
	char *withdrawn_at;	  /* since then the copy no longer counts as verified */
	int64_t file_bytes;	  /* of the file */
	struct ga_texts used_by; /* allocations of this host; from "gpuaas-image list" */
};

/* Settings of a node that an operator may change; an absent member changes nothing. */
struct ga_node_settings {
	char *node, *name, *address, *region, *pool, *mode;
	struct ga_network *network;
	int64_t reserved_memory_mib;
	char *reserved_cpus;
	char *fabric_mode;
};

struct ga_claim {
	char *claim, *allocation, *node, *slot, *claim_kind; /* slot, node */
	bool live;
	char *created_at, *use_ended_at, *ended_at;
};

struct ga_task {
	int64_t seq; /* of its row */
	char *node, *object, *attempt, *phase, *state;
	char *started_at, *finished_at;
	int64_t elapsed_micros, bytes;
	char *detail;
};

struct ga_usage {
	int64_t seq; /* of its row */
	char *allocation, *project, *profile, *type, *usage_kind;
	int64_t count;
	char *started_at, *ended_at;
	int64_t price_micros;
};

struct ga_audit {
	int64_t seq;
	char *at, *actor, *program, *action, *object;
	json_t *detail;
	char *previous_hash, *hash;
};

/* A person saw the row, and hides it until an end. */
struct ga_acknowledged {
	char *by, *at, *until, *reason;
};

struct ga_attention {
	char *object, *object_kind, *state, *code;
	char *name; /* of a node or an allocation; NULL: it has none */
	char *since, *node, *project;
	char *owner; /* of the allocation; NULL: there is none */
	char *sentence;
	char *command; /* that brings the object out of this state */
	struct ga_acknowledged *acknowledged; /* NULL: it is not */
};
extern const struct ga_schema ga_acknowledged_schema; /* a member of other records */

struct ga_pool {
	char *pool, *region, *profile, *type;
	int64_t nodes, slots, available, reserved, active, cleaning, blocked, disabled;
	int64_t largest; /* GPUs of the largest slice, or free baremetal machine, that fits now */
	int64_t fragmentation_ppm; /* 1e6 * (1 - largest slice / min(available, largest count)),
				      * of nodes in mode slice */
};

/* A region; a region that is not declared is open. */
struct ga_region {
	char *name, *title;
	bool open;
	char *reason; /* why it is not open */
	bool retired; /* declared no more */
	/* Counted by gpuaas-list regions; GA_UNKNOWN in a declaration. */
	int64_t nodes, slots, available;
};

struct ga_finding {
	char *check, *object, *sentence, *hint;
};

/* Something to do, or that could not be checked, as gpuaas-doctor orders it. */
struct ga_doctor_finding {
	int64_t rank; /* 1: first */
	char *severity; /* error, warning, unchecked */
	char *check;	/* state, attention, discover, bootstrap, units */
	char *object, *code;
	char *sentence, *command;
};

struct ga_state {
	char *path, *action;
	bool lab;
	int64_t schema_version, epoch;
	char *controller;
	char *at;
	int64_t findings;   /* GA_UNKNOWN: nothing was checked, as the next */
	int64_t audit_rows; /* whose chain was verified */
	char *audit_from, *audit_to;
};

struct ga_error {
	char *program;
	int64_t status;
	char *reason, *sentence, *object, *hint;
};

extern const struct ga_schema ga_slot_schema, ga_node_schema, ga_profile_schema, ga_image_schema,
	ga_node_image_schema, ga_node_settings_schema, ga_claim_schema, ga_task_schema,
	ga_usage_schema, ga_audit_schema, ga_attention_schema, ga_pool_schema, ga_region_schema,
	ga_finding_schema, ga_change_schema, ga_doctor_finding_schema,
	ga_state_schema, ga_error_schema;

#endif
