/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composing candidates: which disk and which virtual function belong to which GPU, and what is
 * suggested for the slot. Pure: arrays in, candidates out; the same input gives the same output.
 *
 * A GPU takes the first disk and the first virtual function behind its own PCIe switch; those left
 * without one take what is free on their NUMA node, then anything, each in the given order.
 */
#ifndef GA_LOOK_DISCOVER_CANDIDATE_H
#define GA_LOOK_DISCOVER_CANDIDATE_H

#include "base/ga.h"
#include "record/cpuset.h"
#include "record/host.h"

/* A disk or a virtual function that may be taken, with its place in the PCI tree. */
struct ga_part {
	char *pcie_switch;	 /* upstream port of its switch, or NULL */
	int64_t numa_node;	 /* GA_UNKNOWN */
	bool taken;		 /* set by ga_candidates_compose */
	struct ga_nvme *nvme;	 /* one of the two; moved into the candidate when taken */
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

struct ga_candidates {
	struct ga_candidate *v;
	size_t n;
};

/* The host as far as it bears on suggestions. */
struct ga_bundle_host {
	const char *node, *fingerprint;
	const char *bridge;  /* NULL: none suggested */
	uint32_t gateway;    /* 0: no addresses suggested */
	int64_t prefix_bits; /* of the private network */
	const struct ga_numa *numa;
	size_t n_numa;
	/* Thread siblings of each core as CPU lists, ascending by first CPU; none: each CPU is a
	 * core of its own. */
	char *const *cores;
	size_t n_cores;
	const struct ga_cpuset *reserved; /* CPUs kept for the host, or NULL */
	int64_t reserved_memory_mib;	  /* of the whole host, where no hugepages are set aside */
};

#define GA_SLOTS_MAX 256 /* slot_index of gpuaas.candidate */

/* Moves gpus and parts into candidates (appended to ret); GPUs beyond GA_SLOTS_MAX stay. */
void ga_candidates_compose(const struct ga_bundle_host *host, struct ga_gpus *gpus,
			   struct ga_parts *disks, struct ga_parts *vfs, struct ga_candidates *ret);

/* The share-th of shares parts of the CPUs of one NUMA node that are not reserved, in whole cores;
 * allocated, or NULL when a share is empty. */
char *ga_cpus_share(const struct ga_bundle_host *host, const struct ga_numa *numa, int share,
		    int shares);
/* The memory of a NUMA node for one of its slots (shares is their number), in MiB (a whole number
 * of GiB): from its hugepages where there are any, else from its memory less the host's reserve.
 * GA_UNKNOWN when nothing is left. */
int64_t ga_memory_share(const struct ga_bundle_host *host, const struct ga_numa *numa, int shares);

#endif
