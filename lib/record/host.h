/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a discovery, in which a host describes itself: gpuaas.host, gpuaas.candidate,
 * gpuaas.end. */
#ifndef GA_RECORD_HOST_H
#define GA_RECORD_HOST_H

#include "base/texts.h"
#include "record/schema.h"

/* One reason why an object cannot be used, and its fix. Codes are stable (gpuaas-records(5)). */
struct ga_reason {
	char *code;
	char *subject;	/* the device, path or setting concerned, or NULL */
	char *evidence; /* the place that was read and the value found there, or NULL */
	char *hint;	/* the exact fix, or NULL */
};
struct ga_reasons {
	struct ga_reason *v;
	size_t n;
};

struct ga_hugepages {
	int64_t size_kib, total, free; /* counts of pages */
};

struct ga_numa {
	int64_t numa_node;
	char *cpus;
	int64_t memory_mib;
	GA_LIST(struct ga_hugepages) hugepages;
};

struct ga_prereq {
	char *name;  /* code: kvm, iommu_groups, … */
	char *state; /* ok, missing, unknown */
	char *evidence, *hint;
};

struct ga_prereqs {
	struct ga_prereq *v;
	size_t n;
};

/* A device that belongs to no candidate. */
struct ga_left_out {
	char *device;  /* gpu, nvme, fabric, switch */
	char *address; /* PCI address, or NULL */
	char *name;    /* for people: the model or the kernel name, or NULL */
	char *code, *evidence, *hint;
};

struct ga_partition {
	int64_t id;
	struct ga_ints module_ids;
	int64_t active; /* tristate */
};

struct ga_fabric_manager {
	char *state; /* ok, absent, unknown */
	char *evidence;
	GA_LIST(struct ga_partition) partitions;
};

/* The private network of a node, from its settings (gpuaas.conf of the host). */
struct ga_network {
	char *bridge, *uplink;
	char *gateway; /* address of the bridge on the private network */
	int64_t prefix_bits;
	char *dhcp_hosts_dir; /* folder with one hosts file for each VM */
	char *lease_file;     /* of dnsmasq */
};

struct ga_host {
	char *node, *hostname, *observed_at, *tool;
	char *mode; /* baremetal: looked at without the needs of slices; NULL: slice */
	char *boot_id, *kernel, *vendor, *product;
	char *cpus;
	int64_t memory_mib;
	GA_LIST(struct ga_numa) numa;
	struct ga_prereqs prerequisites;
	bool reboot_required;
	struct ga_reasons blockers, warnings;
	GA_LIST(struct ga_left_out) left_out;
	struct ga_fabric_manager fabric_manager;
	struct ga_network network;
	char *fingerprint;
	char *node_key; /* public half of the key that signs its results (sign.h), or NULL */
};

struct ga_bar {
	int64_t index, size_bytes;
	bool prefetchable;
};

struct ga_bars {
	struct ga_bar *v;
	size_t n;
};

struct ga_gpu {
	char *identity; /* stable over reboots: "serial:…", else "slot:SLOT-OR-PATH:VVVV:DDDD" */
	char *pci_address;
	char *vendor_id, *device_id, *subsystem_vendor_id, *subsystem_device_id, *revision, *class;
	char *type;	 /* slug of share/accelerators.json, or NULL */
	char *type_name; /* "NVIDIA H200 141GB" or "type unknown (10de:293d)" */
	int64_t numa_node, iommu_group;
	struct ga_texts iommu_group_members; /* the other functions of its group, without bridges */
	char *driver;
	struct ga_texts reset_methods;
	int64_t can_reset; /* tristate; a kernel that lists no methods may still have one */
	int64_t answers;   /* tristate: ga_pci_answers */
	struct ga_bars bars;
	char *pcie_switch; /* PCI address of the nearest common upstream port, or NULL */
	char *physical_slot;
	int64_t module_id;    /* Fabric Manager's physicalId, 1.. */
	int64_t boot_display; /* tristate */
};

struct ga_nvme_caps {
	int64_t oacs, oncs, fna, sanicap, dlfeat; /* Identify Controller/Namespace; NVMe Base 2.0 */
};

struct ga_nvme {
	char *wwid, *serial, *model, *firmware;
	char *path; /* /dev/nvme3n1: a cache, never an identity */
	char *pci_address;
	int64_t numa_node, size_bytes, logical_block_bytes, nsid, namespaces;
	char *diskseq;
	int64_t is_block; /* tristate: a block device; false is a file (lab) */
	struct ga_texts mounts, holders;
	bool uses_known; /* every possible user was checked: loop devices, exports, … */
	struct ga_texts signatures; /* valid only when signatures_known */
	bool signatures_known;
	char *content; /* empty, pattern, unknown_content, signatures, unread; NULL means unread */
	int64_t content_blocks; /* blocks of 4 KiB that were read to find content */
	struct ga_nvme_caps capabilities;
};

struct ga_fabric {
	char *vf_pci_address, *pf_pci_address;
	int64_t vf_index, numa_node, iommu_group;
	char *driver;
	char *link_layer; /* infiniband, ethernet, or NULL */
	char *rdma_device, *guid;
	char *claim_mode; /* per_slot_vf */
};

/* Suggested settings of a slot; an operator may approve other values. */
struct ga_suggestion {
	char *mac, *private_ip, *bridge, *port;
	char *cpuset;
	int64_t memory_mib;
};

struct ga_candidate {
	char *node;
	int64_t slot_index;
	char *fingerprint; /* of the host record it belongs to */
	int64_t numa_node;
	struct ga_gpu *gpu;
	struct ga_nvme *nvme;
	struct ga_fabric *fabric;
	struct ga_suggestion suggested;
	struct ga_reasons
		reasons; /* blockers that the host can see; codes as of ga_slot_blockers */
	char *slot;	 /* in lists of the state: the slot of the candidate; NULL: there is none */
};

/* The candidates of one discovery. */
struct ga_candidates {
	struct ga_candidate *v;
	size_t n;
};

/* Closes a discovery: without this record the stream does not count. */
struct ga_end {
	char *node;
	int64_t count; /* candidate records before it */
	char *digest;  /* SHA-256 over host and candidate lines, each with its newline */
	char *fingerprint;
};

extern const struct ga_schema ga_reason_schema, ga_prereq_schema, ga_partition_schema,
	ga_gpu_schema, ga_nvme_schema, ga_fabric_schema, ga_nvme_caps_schema, ga_network_schema;
extern const struct ga_schema ga_host_schema, ga_candidate_schema, ga_end_schema;

/* Adds a reason; NULL members stay unknown. */
void ga_reasons_add(struct ga_reasons *list, const char *code, const char *subject,
		    const char *evidence, const char *hint);
/* Whether a reason in the list has this code. */
bool ga_reasons_has(const struct ga_reasons *list, const char *code);
void ga_reasons_release(struct ga_reasons *list);

#endif
