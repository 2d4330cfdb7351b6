/* SPDX-License-Identifier: Apache-2.0 */
/* Data for the exports beside the view of a node: single GPUs, and processors. */
#ifndef GA_STATE_WATCH_EXPORT_H
#define GA_STATE_WATCH_EXPORT_H

#include "record/accel.h"
#include "state/db/db.h"

struct ga_export_gpu {
	int64_t index;	   /* index of its slot */
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

/* The GPUs of a node from its last discovery (from its slots when it has none), in the order of
 * their slots. When the view has one type for all of them, that type counts and not the PCI ids.
 * ret is overwritten. */
GA_MUST_CHECK int ga_store_export_gpus(struct ga_db *db, const struct ga_node_view *view,
				       struct ga_export_gpus *ret, struct ga_err *err);
/* Logical CPUs of a node from its last report, GA_UNKNOWN when it had none. */
GA_MUST_CHECK int ga_store_export_cpus(struct ga_db *db, const char *node, int64_t *ret,
				       struct ga_err *err);

#endif
