/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suggests profiles from the hardware of nodes: groups equal nodes and fills a profile for a group.
 * Pure and deterministic: the order of the nodes does not matter.
 */
#ifndef GA_DECIDE_PLACE_SUGGEST_H
#define GA_DECIDE_PLACE_SUGGEST_H

#include "base/vec.h"

struct ga_profile;

struct ga_suggest_type {
	const char *type; /* slug */
	int64_t count;	  /* GPUs of the type on the node */
	int64_t memory_gb; /* nominal, of one GPU; GA_UNKNOWN: not known */
};

/* A node; texts are borrowed. */
struct ga_suggest_node {
	const char *node, *mode; /* mode: slice, baremetal */
	GA_LIST(struct ga_suggest_type) types; /* all GPUs of the node, each type once */
	const char *numa;	/* GPUs of each NUMA node: "0:4 1:4" */
	int64_t memory_mib;	/* of the host; GA_UNKNOWN: not known */
	int64_t hugepage_kib;	/* GA_UNKNOWN: ordinary pages */
	int64_t vcpus_per_gpu, memory_mib_per_gpu; /* the share of each GPU; GA_UNKNOWN */
	size_t group;		/* set by ga_suggest_groups */
};

/* Best first: most memory, then by name. */
void ga_suggest_order(struct ga_suggest_type *types, size_t n);
/* Appends 1, 2, 4, … and most itself (1 .. 64; larger is cut to 64) to counts. */
void ga_suggest_counts(int64_t most, struct ga_ints *counts);

/* Groups equal nodes: same types with the same counts, mode, GPUs by NUMA node, huge pages and
 * memory. Memory within 2 % of the smallest of the group counts as the same, because firmware
 * reserves different amounts on machines of one kind. Sorts the nodes by group, then by name. The
 * groups are in the order of their types, larger nodes first. Returns the number of groups. */
size_t ga_suggest_groups(struct ga_suggest_node *nodes, size_t n);

/*
 * Fills shape, types, counts, vcpus_per_gpu, memory_mib_per_gpu (whole GiB from 4 GiB on) and
 * hugepage_kib of a profile for nodes, with the amounts that each of their GPUs can have. The
 * profile must be initialised; old values of these members are released. only: just this type,
 * NULL: all types. Returns NULL, or why it cannot:
 *   "no_gpu"      none of the nodes has a GPU (of the type)
 *   "modes"       some nodes are for slices and some for baremetal, and shape is NULL
 */
const char *ga_suggest_profile(const struct ga_suggest_node *nodes, size_t n, const char *shape,
			       const char *only, struct ga_profile *ret);

/* The name of a profile: "h200-141gb" for "nvidia-h200-141gb", with the suffix "-baremetal" for
 * baremetal, and a number if taken() reports the name as used. Allocated, a valid name. */
char *ga_suggest_name(const char *slug, bool baremetal, bool (*taken)(const char *name, void *arg),
		      void *arg);
/* Whether a profile gives the same as a suggestion: same shape, types, counts, vCPUs, memory and
 * huge pages; and it is not retired. */
bool ga_suggest_is_covered(const struct ga_profile *suggested, const struct ga_profile *by);

#endif
