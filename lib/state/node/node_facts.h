/* SPDX-License-Identifier: Apache-2.0 */
/* The share of a node that each of its GPUs can get: for profiles that are made from nodes. */
#ifndef GA_STATE_NODE_NODE_FACTS_H
#define GA_STATE_NODE_NODE_FACTS_H

#include "base/texts.h"
#include "base/vec.h"
#include "state/db/db.h"

struct ga_node_facts {
	char *mode; /* slice, baremetal */
	char *numa; /* GPUs of each NUMA node: "0:4 1:4"; "" without any */
	int64_t memory_mib;   /* of the host; GA_UNKNOWN */
	int64_t hugepage_kib; /* the largest page size that has pages; GA_UNKNOWN: none */
	/* The smallest share of one of its GPUs: from its approved slots, or from the discovery
	 * less the part reserved for the host; GA_UNKNOWN when not known. */
	int64_t vcpus_per_gpu, memory_mib_per_gpu;
	bool has_slots;
	struct ga_texts slot_types; /* types that its slots were approved with, each once */
};

/* ret is overwritten. GA_NOTFOUND: no such node. */
GA_MUST_CHECK int ga_store_node_facts(struct ga_db *db, const char *node, struct ga_node_facts *ret,
				      struct ga_err *err);
void ga_node_facts_release(struct ga_node_facts *f);

#endif
