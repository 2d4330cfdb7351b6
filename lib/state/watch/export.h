/* SPDX-License-Identifier: Apache-2.0 */
/* What the exports need of nodes beside their view: GPUs one by one, and processors. */
#ifndef GA_STATE_WATCH_EXPORT_H
#define GA_STATE_WATCH_EXPORT_H

#include "record/accel.h"
#include "state/db/db.h"

struct ga_export_gpu {
	int64_t index;	   /* of its slot */
	char *pci_address; /* NULL: not known */
	int64_t numa_node; /* GA_UNKNOWN: not known */
	char *type;	   /* slug, or NULL */
};
struct ga_export_gpus {
	struct ga_export_gpu *v;
	size_t n;
};
void ga_export_gpus_release(struct ga_export_gpus *list);
#define ga_autogpus ga_cleanup(ga_export_gpus_release)

/* The GPUs of a node as its last discovery has them (its slots where it has none), in the order of
 * their slots. Where the view has one type for all of them, it is that: the view weighs more than
 * PCI ids. ret is overwritten. */
GA_MUST_CHECK int ga_store_export_gpus(struct ga_db *db, const struct ga_node_view *view,
				       struct ga_export_gpus *ret, struct ga_err *err);
/* Logical CPUs of a node as it last said, GA_UNKNOWN when it did not. */
GA_MUST_CHECK int ga_store_export_cpus(struct ga_db *db, const char *node, int64_t *ret,
				       struct ga_err *err);

#endif
