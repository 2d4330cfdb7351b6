/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked: requests of people, and the orders a host acts on without any state.
 *
 * An order names object, claim and generation, and the attempt that ties its results to it. The
 * state refuses a result whose attempt and generation are not the ones it stored with the order.
 */
#ifndef GA_RECORD_ORDER_H
#define GA_RECORD_ORDER_H

#include "base/texts.h"
#include "record/host.h"
#include "record/match.h"
#include "record/shape.h"

#define GA_REQUEST_GPUS 64 /* GPUs of one request at most */

struct ga_request {
	char *request_id; /* idempotency key chosen by the caller */
	char *name, *profile, *shape;
	int64_t count; /* GPUs; of a baremetal node at least; GA_UNKNOWN: 1, or any node */
	char *project;
	int64_t priority; /* 0..1000, higher first; default 100 */
	char *region, *pool, *node;
	struct ga_texts types; /* accelerator types in order of preference */
	int64_t min_memory_mib;
	char *image;
	struct ga_texts keys; /* ssh public keys */
	char *user_data_digest;
	int64_t run_seconds;
	bool preemptible;
	struct ga_request_match *match; /* what gpuaas-match said of it */
};

/* How a disk has to be wiped: the policy's numbers are in decide/slot/verdict.h. */
struct ga_wipe_policy {
	char *minimum_class; /* clear, purge */
	char *verify;	     /* full, sampled */
	char *gpu_memory;    /* required, if_supported */
};

/* One slot as an order carries it: devices by identity, paths and addresses as caches. */
struct ga_bundle {
	char *slot, *claim;
	int64_t slot_index, generation; /* of the slot, when the order was made */
	int64_t numa_node;
	char *gpu_identity, *gpu_pci_address, *gpu_device; /* gpu_device: "10de:2335" */
	int64_t module_id;
	char *nvme_wwid, *nvme_serial, *nvme_path;
	int64_t nvme_size_bytes;
	char *fabric_vf_pci_address, *fabric_pf_pci_address;
	char *cpuset;
	int64_t memory_mib;
	char *mac, *private_ip, *bridge, *port;
	char *wipe_attempt; /* attempt id of the wipe to come; only in a release-order */
};

struct ga_plan_image {
	char *name, *digest, *chunks_digest;
	char *path; /* of the verified copy on the node */
	char *format; /* raw, qcow2, raw_compressed */
	int64_t size_bytes; /* of the disk it makes */
	char *firmware; /* bios, efi */
	char *probe;	/* ssh, serial, agent, running */
	char *user;	/* login of the guest */
	char *driver_version; /* of the GPU driver inside, or NULL */
	int64_t ready_seconds; /* from start to readiness, or GA_UNKNOWN */
};
#define GA_READY_MAX 86400 /* seconds an image may ask for */

struct ga_plan {
	char *allocation, *name, *node;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *shape; /* slice, baremetal */
	char *project, *profile;
	int64_t profile_version, count;
	char *created_at, *expires_at;
	int64_t epoch;
	char *controller; /* the state that ordered it; NULL here and below in old orders */
	char *boot_id, *fingerprint; /* of the node at its last observation */
	GA_LIST(struct ga_bundle) bundles;
	int64_t vcpus, memory_mib, hugepage_kib; /* hugepage_kib unknown: ordinary pages */
	struct ga_plan_image *image; /* NULL for baremetal */
	char *domain; /* libvirt domain name, "gpuaas-ID" */
	char *domain_type; /* kvm, qemu, test */
	char *mac, *private_ip, *port;
	struct ga_network network; /* of the node */
	struct ga_texts keys;
	char *user_data_digest;
	int64_t fabric_partition; /* Fabric Manager partition to activate */
	struct ga_wipe_policy wipe;
	int64_t price_micros; /* a GPU hour, in millionths of the site's currency */
	bool lab;
	char *digest; /* of this record without this member */
};

struct ga_term {
	char *name;
	int64_t value; /* smaller wins */
};

struct ga_node_answer {
	char *node;
	bool taken;
	char *code;   /* first reason it was not taken; NULL when taken */
	char *detail;
	GA_LIST(struct ga_term) terms;
};

struct ga_explanation {
	char *allocation, *request_id, *node;
	GA_LIST(struct ga_node_answer) nodes;
};

struct ga_refusal {
	char *request_id, *project, *profile, *shape;
	int64_t count;
	char *code, *sentence, *hint;
	int64_t status;
	GA_LIST(struct ga_node_answer) nodes;
	struct ga_texts alternatives;
};

struct ga_release_order {
	char *allocation, *node;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *issued_at, *shape;
	char *domain;
	int64_t graceful_seconds; /* before the hard stop */
	GA_LIST(struct ga_bundle) bundles;
	int64_t fabric_partition;
	struct ga_network network;
	struct ga_wipe_policy wipe;
	char *boot_id, *fingerprint; /* bare metal: what the trusted system must prove */
	bool lab;
	int64_t epoch;
	char *controller;
};

/* What stops a VM for a while, or starts it again; the attempt is the plan's. */
struct ga_hold_order {
	char *allocation, *node;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *issued_at, *action; /* hold, undo */
	char *until;		  /* of a hold */
	int64_t graceful_seconds; /* before the hard stop */
	bool lab;
	int64_t epoch;
	char *controller;
};

struct ga_wipe_order {
	char *node, *object; /* slot id */
	char *claim, *allocation;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *issued_at, *cause; /* first, release, repair; inside a rebuild, rebuild */
	char *nvme_wwid, *nvme_serial, *nvme_path;
	int64_t nvme_size_bytes;
	char *destroy_data; /* wwid whose foreign content may be destroyed, or NULL */
	char *gpu_identity, *gpu_pci_address, *gpu_device, *fabric_vf_pci_address,
		*fabric_pf_pci_address;
	struct ga_wipe_policy wipe;
	bool lab;
	int64_t epoch;
	char *controller;
};

/* The part of a wipe order that the bundle knows: slot, claim and devices. A borrowed view; the
 * rest is the caller's to fill. */
struct ga_wipe_order ga_bundle_wipe_order(const struct ga_bundle *b);

/* What a node should look like: one record a node. */
struct ga_expected_slot {
	struct ga_bundle bundle;
	char *state, *since;
	char *allocation;
};

struct ga_expected_allocation {
	char *allocation, *name, *state, *since;
	int64_t generation;
	char *attempt;
	char *domain, *shape, *power; /* wanted: on, off */
	int64_t fabric_partition;
	struct ga_texts slots;
	char *expires_at;
};

struct ga_expectation {
	char *node, *at;
	int64_t epoch;
	char *controller;
	char *mode, *state, *fingerprint, *boot_id;
	struct ga_network network;
	bool lab;
	GA_LIST(struct ga_expected_slot) slots;
	GA_LIST(struct ga_expected_allocation) allocations;
};

/* A piece of a tenant's user-data, in front of the plan that names its digest
 * (act/image/userdata.h). A secret: it goes from gpuaas-on to gpuaas-provision and nowhere else. */
struct ga_user_data {
	char *digest; /* of all of it */
	int64_t offset_bytes, total_bytes;
	char *base64; /* at most 12 KiB before coding */
};

extern const struct ga_shape ga_wipe_policy_shape, ga_bundle_shape, ga_term_shape,
	ga_node_answer_shape, ga_expected_slot_shape;
extern const struct ga_shape ga_request_shape, ga_plan_shape, ga_explanation_shape,
	ga_refusal_shape, ga_release_order_shape, ga_hold_order_shape, ga_wipe_order_shape,
	ga_expectation_shape, ga_user_data_shape;

/* The words of the enumerations, shared with result.c and state.c. */
extern const char *const ga_shape_words[], *const ga_class_words[], *const ga_verify_words[],
	*const ga_gpu_memory_words[], *const ga_slot_states[], *const ga_allocation_states[],
	*const ga_node_states[], *const ga_mode_words[], *const ga_power_words[],
	*const ga_firmware_words[], *const ga_probe_words[], *const ga_image_formats[],
	*const ga_domain_types[];

#endif
