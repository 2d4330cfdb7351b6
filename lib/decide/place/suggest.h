/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles from what nodes have: which nodes are alike, and what a profile for them says. Pure and
 * deterministic: the order of the nodes does not matter.
 */
#ifndef GA_DECIDE_PLACE_SUGGEST_H
#define GA_DECIDE_PLACE_SUGGEST_H

#include "record/state.h"

struct ga_suggest_type {
	const char *type; /* slug */
	int64_t count;	  /* GPUs of it on the node */
	int64_t memory_gb; /* nominal, of one GPU; GA_UNKNOWN: not known */
};

/* A node; texts are borrowed. */
struct ga_suggest_node {
	const char *node, *mode; /* mode: slice, baremetal */
	GA_LIST(struct ga_suggest_type) types; /* all its GPUs, each type once */
	const char *numa;	/* GPUs of each NUMA node: "0:4 1:4" */
	int64_t memory_mib;	/* of the host, GA_UNKNOWN: not known */
	int64_t hugepage_kib;	/* GA_UNKNOWN: ordinary pages */
	int64_t vcpus_per_gpu, memory_mib_per_gpu; /* that each GPU can have; GA_UNKNOWN */
	size_t group;		/* set by ga_suggest_groups */
};

/* Best first: most memory, then by name. */
void ga_suggest_order(struct ga_suggest_type *types, size_t n);
/* 1, 2, 4, … and most itself (1 .. 64; more is cut), appended to counts (GA_LIST(int64_t)). */
void ga_suggest_counts(int64_t most, void *counts);

/* Numbers nodes that are alike: same types with the same counts, mode, GPUs by NUMA node, huge
 * pages and memory, where memory within 2 % of the smallest of the group counts as the same
 * (machines of one kind differ by what their firmware keeps). Sorts the nodes: by group, then by
 * name; groups stand in the order of their types, the larger nodes first. Returns how many. */
size_t ga_suggest_groups(struct ga_suggest_node *nodes, size_t n);

/*
 * Fills shape, types, counts, vcpus_per_gpu, memory_mib_per_gpu (whole GiB from 4 GiB on) and
 * hugepage_kib of a profile (initialised; what it has of these is released) for nodes: what each of
 * their GPUs can have. only: of this type alone, NULL: of all. Returns NULL, or why not:
 *   "no_gpu"      none of the nodes has a GPU (of the type)
 *   "modes"       some are for slices and some for baremetal, and shape is NULL
 */
const char *ga_suggest_profile(const struct ga_suggest_node *nodes, size_t n, const char *shape,
			       const char *only, struct ga_profile *ret);

/* "h200-141gb" of "nvidia-h200-141gb", with "-baremetal" behind it for whole machines, and a number
 * where taken() says so of it; allocated, a valid name. */
char *ga_suggest_name(const char *slug, bool whole, bool (*taken)(const char *name, void *arg),
		      void *arg);
/* Whether a profile already gives what a suggestion would: same shape, types, counts, vCPUs, memory
 * and huge pages, and it is not retired. */
bool ga_suggest_is_covered(const struct ga_profile *suggested, const struct ga_profile *by);

#endif
