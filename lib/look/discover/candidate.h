/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composes candidates: decides which disk and which virtual function belong to which GPU, and
 * suggests the values of the slot. Pure: arrays in, candidates out; the same input gives the same
 * output.
 *
 * A GPU takes the first disk and the first virtual function behind its own PCIe switch. A GPU
 * without one then takes a free one on its NUMA node, then any free one, each in the given order.
 */
#ifndef GA_LOOK_DISCOVER_CANDIDATE_H
#define GA_LOOK_DISCOVER_CANDIDATE_H

#include "base/ga.h"
#include "record/cpuset.h"
#include "record/host.h"

/* A disk or a virtual function that a candidate may take, with its place in the PCI tree. */
struct ga_part {
	char *pcie_switch;	 /* upstream port of its switch, or NULL */
	int64_t numa_node;	 /* GA_UNKNOWN */
	bool taken;		 /* set by ga_candidates_compose */
	struct ga_nvme *nvme;	 /* one of nvme and fabric is set; it moves into the candidate that
				    takes it */
	struct ga_fabric *fabric;
};
struct ga_parts {
	struct ga_part *v;
	size_t n;
};

struct ga_gpus {
	struct ga_gpu *v; /* in the order of the slots */
	size_t n;
};

/* The facts of the host that the suggestions depend on. */
struct ga_bundle_host {
	const char *node, *fingerprint;
	const char *bridge;  /* NULL: none suggested */
	uint32_t gateway;    /* 0: no addresses suggested */
	int64_t prefix_bits; /* of the private network */
	const struct ga_numa *numa;
	size_t n_numa;
	/* Thread siblings of each core as CPU lists, ascending by first CPU; none: each CPU is its
	 * own core. */
	char *const *cores;
	size_t n_cores;
	const struct ga_cpuset *reserved; /* CPUs kept for the host, or NULL */
	int64_t reserved_memory_mib;	  /* of the whole host, where it has no hugepages */
	bool baremetal; /* baremetal: no reason that only concerns slices, and no suggestion */
};

#define GA_SLOTS_MAX 256 /* slot_index of gpuaas.candidate */

/* Moves gpus and parts into candidates, which are appended to ret. GPUs beyond GA_SLOTS_MAX stay in
 * gpus. */
void ga_candidates_compose(const struct ga_bundle_host *host, struct ga_gpus *gpus,
			   struct ga_parts *disks, struct ga_parts *vfs, struct ga_candidates *ret);

/* The CPUs of a NUMA node for one slot: the CPUs that are not reserved are split into shares equal
 * parts of whole cores, and this is part number share (from 0). Allocated; NULL when a part is
 * empty. */
char *ga_cpus_share(const struct ga_bundle_host *host, const struct ga_numa *numa, int share,
		    int shares);
/* The memory of a NUMA node for one of its slots (shares is their number), in MiB (a whole number
 * of GiB): from its hugepages where there are any, else from its memory less the host's reserve.
 * GA_UNKNOWN when nothing is left. */
int64_t ga_memory_share(const struct ga_bundle_host *host, const struct ga_numa *numa, int shares);

#endif
